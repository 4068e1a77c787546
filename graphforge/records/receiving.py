"""Whether rows are something that money, staff or supplies may be given to, as far as their header tells."""

import re

# Places and bodies. "Corporate name", "source of income" or "category" receive nothing from anybody here.
_RECEIVES = re.compile(
    r"\b(?:states?|counties|county|cities|city|towns?|municipality|municipalities|boroughs?|districts?|wards?|precincts?|"
    r"neighbou?rhoods?|communities|community|regions?|territory|territories|provinces?|areas?|zones?|tracts?|"
    r"departments?|dept|agency|agencies|offices?|bureaus?|divisions?|branch|branches|sites?|stations?|"
    r"schools?|colleges?|university|universities|campus|institutions?|hospitals?|clinics?|facility|facilities|"
    r"centers?|centres?|librar(?:y|ies)|programs?|programmes?|teams?|jurisdictions?)\b"
)
_NOT_THEIRS = re.compile(r"\b(?:type|types|class|code|status|level|size|rank)\b")


def receives(key_name: str) -> bool:
    """True where the header over the row names is a word for places or bodies.

    >>> receives("dept_name_raw"), receives("State"), receives("School district")
    (True, True, True)
    >>> receives("Source of income"), receives("Year"), receives("Agency type"), receives("")
    (False, False, False, False)
    """
    told = " ".join(re.sub(r"[^\w]+|_", " ", key_name.casefold()).split())
    return _RECEIVES.search(told) is not None and _NOT_THEIRS.search(told) is None
