"""When a header's month and number are a day of the month and no year."""

import re

from .document import normalize

_LAST = {"jan": 31, "feb": 28, "mar": 31, "apr": 30, "may": 31, "jun": 30, "jul": 31, "aug": 31, "sep": 30, "oct": 31,
         "nov": 30, "dec": 31}  # fmt: skip
_DAY = re.compile(rf"\b({'|'.join(_LAST)})[a-z]* (\d\d)\b")


def reads_a_day_as_a_year(header: str, period: str | None) -> bool:
    """Whether the year of a period is the last day of a month that the header names: "Jan 31" is no January of 2031.

    Columns of month ends follow one another from one year into the next, and nothing in such headers says which.

    >>> reads_a_day_as_a_year("Amounts in Millions Jan 31", "2031-01"), reads_a_day_as_a_year("Sep-23", "2023-09")
    (True, False)
    >>> reads_a_day_as_a_year("January 31, 2031", "2031-01-31")
    False
    """
    told = normalize(header)
    return any(
        _LAST[month] == int(day) and (period or "").startswith(f"20{day}") and f"20{day}" not in told.split()
        for month, day in _DAY.findall(told)
    )
