"""O*NET-SOC codes: their form, and how to tell those of another taxonomy.

Release 25.1 went over from the O*NET-SOC taxonomy of 2010 to that of 2019. Most codes look alike on both sides and many
mean something else, so tables of both sides must never be joined. The groups below were given up in 2019 (no code of
release 30.1 begins so); every complete release before 25.1 has occupations in several of them.
"""

import re

from .tables import SECTORS

_SHAPE = re.compile(r"\d\d-\d{4}\.\d\d")
# All computer occupations but a few, nursing aides, physicians, appraisers, personal care aides, bus drivers.
_GIVEN_UP = ("15-10", "15-11", "31-101", "29-106", "13-2021", "39-9021", "53-302")


def fault(code: str) -> tuple[str, str] | None:
    """(what, remedy) why a code is none of the taxonomy of 2019, or None."""
    if not _SHAPE.fullmatch(code) or code[:2] not in SECTORS:
        remedy = (
            "Mend the row; tables with codes of another kind (ESCO, your own) are read by occupations=table"
        )
        return f"'{code}' is no O*NET-SOC code (such as 13-2011.00)", remedy
    if code.startswith(_GIVEN_UP):
        return (
            f"'{code}' is a code of an O*NET-SOC taxonomy before that of 2019",
            "Use release 25.1 or later, and labels made on one: earlier codes can't be joined with these",
        )
    return None
