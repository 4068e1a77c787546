"""Whether a column of numbers names or dates its rows instead of measuring them, as far as name and values tell."""

import re
from collections.abc import Sequence

from .additive import counts_something

_FEW, _SEVERAL = 4, 8
# Numbers of parcels, permits or accounts, as headers end: "BRT Number", "Permit No."
_NUMBER_OF_ONE = re.compile(
    r"\b(?:number|numbers|no|num|nbr|account|parcel|permit|docket|invoice|barcode|serial|ein|ssn|isbn)$"
)


def numbers_its_rows(name: str, values: Sequence[float], unit: str | None = None) -> bool:
    """True for dates written as one number, and for numbers of one length that are all different.

    Length alone counts from seven digits and eight rows on, and only where nothing says what is counted; a header
    that ends in "number", "no" or the like and counts nothing needs four of each. What isn't certain is a measure.

    >>> numbers_its_rows("BRT Number", [881111100, 883423000, 885977500, 886613400])
    True
    >>> numbers_its_rows("Total number", [1200, 3400, 5600, 7800])
    False
    >>> numbers_its_rows("Recorded", [20210105, 20210201, 20210304, 20210107])
    True
    """
    if len(values) < _FEW or unit or not all(value > 0 and float(value).is_integer() for value in values):
        return False
    written = [str(int(value)) for value in values]
    if all(_is_date(digits) for digits in written):
        return True
    if len(set(written)) < len(written) or len({len(digits) for digits in written}) > 1:
        return False
    folded = " ".join(re.sub(r"[^\w]+|_", " ", name.casefold()).split())
    stem = _NUMBER_OF_ONE.sub("", folded).strip()
    if stem != folded and not counts_something(stem):
        return len(written[0]) >= _FEW
    return len(written[0]) >= 7 and len(written) >= _SEVERAL and not counts_something(name)


def _is_date(digits: str) -> bool:
    """Whether digits are a year and month, or a year, month and day, of this or the last century."""
    if len(digits) not in (6, 8) or not 1900 <= int(digits[:4]) <= 2099 or not 1 <= int(digits[4:6]) <= 12:
        return False
    return len(digits) == 6 or 1 <= int(digits[6:]) <= 31
