"""The day that a file's name gives: what tells the later of two editions, whatever they call themselves."""

import re

_YEAR_FIRST = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_ .]?(0[1-9]|1[0-2])[-_ .]?([0-2]\d|3[01])(?!\d)")
# 05_20_25 and 04-11-2024, as names of American files have it.
_MONTH_FIRST = re.compile(r"(?<!\d)(0[1-9]|1[0-2])[-_ .]([0-2]\d|3[01])[-_ .]((?:19|20)?\d\d)(?!\d)")


def day_in(name: str) -> tuple[int, int, int] | None:
    """Year, month and day that a name gives; None where it gives none, or two.

    >>> day_in("rates_05_20_25_provisional.xlsx"), day_in("counts-2016-03-16.csv"), day_in("FY21_Q2.pdf")
    ((2025, 5, 20), (2016, 3, 16), None)
    """
    found = [(int(year), int(month), int(day)) for year, month, day in _YEAR_FIRST.findall(name)]
    if not found:
        found = [
            (int(year) if len(year) == 4 else 2000 + int(year), int(month), int(day))
            for month, day, year in _MONTH_FIRST.findall(name)
        ]
    return found[0] if len(set(found)) == 1 else None
