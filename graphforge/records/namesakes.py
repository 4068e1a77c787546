"""Whether two files are the same report of another time or edition, by what they are called."""

import re
from pathlib import PurePath

from .document import normalize

_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_WHEN = re.compile(
    rf"(?:(?:fy|cy|ty|q|h|qtr|wk|week)?\d+|{_MONTH}|fy|cy|fiscal|calendar|years?|quarters?|months?|weeks?|first|second|"
    r"third|fourth|1st|2nd|3rd|4th|of|the|as|by|for|in|to|and|a|through|ended|ending)"
)
_EDITION = re.compile(
    r"v\d*|revised|revision|rev|provisional|preliminary|prelim|final|draft|updated?|version|edition|corrected|amended|old|"
    r"new|latest|copy|resaved|raw|processed|partial|proposed|adopted|estimated?|initial|original"
)


def namesakes(one: str, one_title: str, other: str, other_title: str) -> bool:
    """Whether two files bear one name, or one title, once periods and words of edition are set aside.

    The counts of one programme for 2022 and for 2023 are one measure at two times; those of two programmes are not,
    though every header in them is the same. A name or title that says nothing else decides nothing.

    >>> namesakes("fy2022_ssp_caseload.xlsx", "", "fy2023_ssp_caseload.xlsx", "")
    True
    >>> namesakes("fy2022_ssp_caseload.xlsx", "", "fy2023_tanf_caseload.xlsx", "")
    False
    >>> namesakes("report-1.pdf", "City tax, June 2021", "a.csv", "City tax: July 2021 (revised)")
    True
    >>> namesakes("adopted_FY13.xlsx", "", "adopted_FY14.xlsx", ""), namesakes("FY13.xlsx", "", "FY14.xlsx", "")
    (True, False)
    """
    names = (PurePath(one).stem.replace("_", " "), PurePath(other).stem.replace("_", " "))
    return any(
        told and told == again
        for first, second in (names, (one_title, other_title))
        for told, again in zip(_told(first), _told(second), strict=True)
    )


def _told(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a name without those that say when, and without those that say which edition either."""
    spaced = re.sub(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", text)
    words = frozenset(word for word in normalize(spaced).split() if not _WHEN.fullmatch(word))
    return words, frozenset(word for word in words if not _EDITION.fullmatch(word))
