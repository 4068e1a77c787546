"""Row names and periods in one form, so that tables written by different people can be joined.

>>> clean_key("TX", states=True), clean_key("Oil (bbl)"), clean_key("real_estate"), clean_key("Sep. 30, 2023")
('texas', 'oil', 'real estate', '2023-09-30')
>>> clean_key("U.S. Totals") == clean_key("United States")
True
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from ..records import STATES, normalize

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAMES = (
    "january february march april may june july august september october november december sept".split()
)
_NATION = frozenset(
    ("u s", "us", "usa", "united states", "u s total", "u s totals", "us total", "us totals", "national")
)
# A run goes through many files: what was cleaned longest ago is forgotten.
_REMEMBERED = 2**16
_YEAR = r"(?<!\d)((?:19|20)\d\d)(?!\d)"
# Words that two names of one thing may or may not carry.
_FILLERS = frozenset("the of and for a an in on by to total totals grand all amount".split())


def month_of(text: str) -> int | None:
    """The month that a single word names, 1 to 12."""
    word = text.strip().strip(".").casefold()
    if word in _MONTH_NAMES or (word in MONTHS):
        return MONTHS.index(word[:3]) + 1
    return None


@lru_cache(_REMEMBERED)
def canonical_period(text: str) -> str | None:
    """A text that is a period and nothing else, in one form: a year, a month, a day, a quarter, ``fy2021``.

    >>> [canonical_period(one) for one in ("Oct-22", "FY 1999", "fy99", "1998-99", "2021-10", "Q3 2020", "2,022")]
    ['2022-10', 'fy1999', 'fy1999', 'fy1999', '2021-10', '2020-q3', None]
    """
    folded = " ".join(re.sub(r"[.,_/–-]", " ", text.casefold()).split())
    if re.fullmatch(_YEAR, folded):
        return folded
    if match := re.fullmatch(r"(?:fy|fiscal(?: year)?) ?(\d\d|\d{4})(?: ytd)?", folded):
        return f"fy{_four(match[1])}"
    # A year that spans two, written 1998-99: the fiscal year that ends in the second.
    if match := re.fullmatch(r"((?:19|20)\d\d) (\d\d)", folded):
        if int(match[2]) == (int(match[1]) + 1) % 100:
            return f"fy{int(match[1]) + 1}"
        return f"{match[1]}-{match[2]}" if 1 <= int(match[2]) <= 12 else None
    if match := re.fullmatch(r"((?:19|20)\d\d) (\d\d) (\d\d)(?: 00:00:00)?", folded):
        return f"{match[1]}-{match[2]}" if match[3] == "01" else f"{match[1]}-{match[2]}-{match[3]}"
    if match := re.fullmatch(rf"q([1-4]) {_YEAR}|{_YEAR} q([1-4])", folded):
        return f"{match[2] or match[3]}-q{match[1] or match[4]}"
    words = folded.split()
    months = [month for word in words if (month := month_of(word)) is not None]
    rest = [word for word in words if month_of(word) is None]
    if len(months) == 1 and all(word.isdigit() for word in rest):
        if len(rest) == 1 and len(rest[0]) in {2, 4}:
            return f"{_four(rest[0])}-{months[0]:02}"
        if len(rest) == 2 and len(rest[0]) <= 2 and len(rest[1]) == 4:
            return f"{rest[1]}-{months[0]:02}-{int(rest[0]):02}"
    return None


def _four(year: str) -> int:
    return int(year) if len(year) == 4 else (1900 if int(year) >= 70 else 2000) + int(year)


@lru_cache(_REMEMBERED)
def clean_key(text: str, states: bool = False) -> str:
    """A row name for joining: periods in one form, no units or notes in brackets, no punctuation; with ``states``
    two capital letters are a state, written in full."""
    raw = text.strip()
    if states and raw in STATES:
        return STATES[raw]
    if (period := canonical_period(raw)) is not None:
        return period
    if re.fullmatch(r"\d+\.0", raw):
        raw = raw[:-2]
    # Signs that tell two classes apart: under 15,000, over 15,000.
    raw = raw.replace("<", " under ").replace(">", " over ")
    bare = normalize(re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\*+$", " ", raw)) or normalize(raw)
    if bare in _NATION:
        return "united states"
    return bare


def are_states(cells: Iterable[str]) -> bool:
    """Whether the two-letter words of a column are states: nearly all of them, and ten or more."""
    short = {cell for cell in cells if len(cell) == 2 and cell.isupper()}
    return len(short) >= 10 and sum(cell in STATES for cell in short) >= 0.8 * len(short)


def two_digit_years(header: str, cells: Iterable[str]) -> bool:
    """Whether a column of numbers like 97, 98, 00 holds years: its header says so."""
    return "year" in normalize(header).split() and all(
        re.fullmatch(r"\d\d", cell.strip("* ").removesuffix(".0")) for cell in cells
    )


@lru_cache(_REMEMBERED)
def content(text: str) -> frozenset[str]:
    """The words of a text that tell what it is about, singular, fillers left out."""
    return frozenset(
        singular(word) for word in normalize(text.replace("_", " ")).split() if word not in _FILLERS
    )


def singular(word: str) -> str:
    """A word without its plural ending, as far as comparison needs it."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) and len(word) > 3 else word


def alike(left: str, right: str) -> float:
    """How far two names speak of the same thing, 0 to 1: shared words (or abbreviations of them) by the shorter one."""
    one, other = content(left), content(right)
    if not one or not other:
        return 0.0
    few, many = sorted((one, other), key=len)
    met = sum(
        word in many or (len(word) >= 3 and any(abbreviates(word, whole) for whole in many)) for word in few
    )
    return met / len(few)


def abbreviates(short: str, word: str) -> bool:
    """Whether one word is short for the other: its first three to five letters."""
    few, many = sorted((short, word), key=len)
    return 3 <= len(few) <= 5 and many.startswith(few)


def years_in(text: str) -> frozenset[int]:
    """The years that a text names: 2021, FY21, FY2021, 1998-99."""
    found = {int(year) for year in re.findall(_YEAR, text.replace("_", " "))}
    found |= {_four(year) for year in re.findall(r"\bfy ?'?(\d\d)(?!\d)", text.casefold().replace("_", " "))}
    return frozenset(found)
