"""What rows are, told by their names: states, months, years, counties, agencies, dates, occupations, countries."""

import re
from collections.abc import Iterable

from .document import normalize

_STATES = (
    "AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|"
    "DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|"
    "KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|"
    "MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|"
    "NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|"
    "SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|"
    "WV West Virginia|WI Wisconsin|WY Wyoming|PR Puerto Rico|GU Guam|VI Virgin Islands"
)
STATES = {one[:2]: one[3:].casefold() for one in _STATES.split("|")}
_MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)(?: (?:19|20)?\d\d)?"
)
_YEAR = re.compile(r"(?:fy ?|cy ?|fiscal year )?(?:19|20)\d\d(?: \d\d)?")
_DATE = re.compile(r"(?:19|20)\d\d \d\d? \d\d?(?: 00 00 00)?|\d\d? \d\d? (?:19|20)\d\d")
_COUNTRIES = frozenset(
    """argentina australia austria belgium brazil canada chile china colombia denmark egypt finland france germany
    greece india indonesia ireland israel italy japan kenya mexico netherlands nigeria norway pakistan peru
    philippines poland portugal russia singapore spain sweden switzerland thailand turkey ukraine vietnam""".split()
) | {"south africa", "south korea", "saudi arabia", "united kingdom", "united states", "new zealand"}
_BY_WORD = {
    "county": re.compile(r"\b(?:county|parish)$"),
    "department": re.compile(
        r"\b(?:department|dept|office|board|commission|authority|bureau|council|agency|administration)\b"
    ),
    "occupation": re.compile(
        r"\boccupations?\b|(?:workers|operators|managers|technicians|analysts|assistants|clerks|engineers|teachers|"
        r"nurses|supervisors|specialists|drivers|mechanics)$"
    ),
}
# The part of the names that must be of a kind: nearly all, or half where only a word in them tells.
_NEARLY, _HALF = 0.8, 0.5
_FEW = 3


def kind_of(names: Iterable[str]) -> str | None:
    """The noun for rows of these names, where the names themselves tell; None where they don't.

    >>> kind_of(["Alabama", "Alaska", "Guam"]), kind_of(["Jan", "Feb", "Mar"]), kind_of(["2017", "FY 2018", "2019"])
    ('state', 'month', 'year')
    >>> kind_of(["Kings County", "Bronx County", "Erie County"]), kind_of(["Free Library", "Police", "Fire"])
    ('county', None)
    """
    written = [name.strip() for name in names if name.strip()]
    folded = [normalize(name) for name in written]
    if len(folded) < _FEW:
        return None
    whole = set(STATES.values())

    def most(found: Iterable[bool], part: float) -> bool:
        return sum(found) >= part * len(folded)

    if most((one in whole for one in folded), _NEARLY) or most((one in STATES for one in written), _NEARLY):
        return "state"
    if most((_MONTH.fullmatch(one) is not None for one in folded), _NEARLY):
        return "month"
    if most((_YEAR.fullmatch(one) is not None for one in folded), _NEARLY):
        return "year"
    if most((_DATE.fullmatch(one) is not None for one in folded), _NEARLY):
        return "date"
    if most((one in _COUNTRIES for one in folded), _HALF):
        return "country"
    for noun, word in _BY_WORD.items():
        if most((word.search(one) is not None for one in folded), _HALF):
            return noun
    return None
