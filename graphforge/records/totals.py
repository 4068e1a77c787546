"""Rows that are called a total: what is left out where rows are compared, shared out or joined."""

import re
from collections.abc import Collection

# Labels that begin as a total, or say "all of them".
TOTAL = re.compile(
    r"(?:(?:grand|sub|overall|national|us|u s|united states|state|city|report|net|column|"
    r"combined|statewide|citywide) )*"
    r"(?:sub ?)?totals?\b|all$|all (?:states|occupations|industries|areas|counties|departments|funds|"
    r"taxes|ages|races|sectors|"
    r"commodities|regions|drugs|groups|agencies|categories|items|rows|years|months|persons|workers)$|sum$|statewide$|citywide$",
)
_ANYWHERE = re.compile(r"\b(?:sub ?)?totals?\b")
NATION = frozenset({"united states", "us", "u s", "usa", "nation", "national", "us average", "u s average"})
_STATES = frozenset(
    {"alabama", "alaska", "arizona", "california", "texas", "wyoming", "al", "ak", "az", "ca", "tx", "wy"}
)


def is_total_among(name: str, names: Collection[str]) -> bool:
    """Whether a normalized label begins as a total does, or is the nation among its states."""
    return bool(TOTAL.match(name)) or (name in NATION and not _STATES.isdisjoint(names))


def names_total(name: str, names: Collection[str] = ()) -> bool:
    """Whether a row of this normalized name is called a total or subtotal, wherever in its name that stands.

    ``names`` are those of the other rows. Whether it really is a sum is another matter (``hides_a_sum``): requests
    say "what is called a total", and that can be told from the name alone, in every file alike.

    >>> [names_total(one) for one in ("total operating funds", "revenue total", "all funds", "totality")]
    [True, True, True, False]
    >>> names_total("united states"), names_total("united states", ["alabama", "texas"])
    (False, True)
    """
    return is_total_among(name, names) or _ANYWHERE.search(name) is not None
