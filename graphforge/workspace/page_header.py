"""Header lines of a table on a page, cut to what is the columns' own.

On paper a table's header touches what is printed above it: the title with the publisher's name, a remark on the unit
centred over the middle, the axis of a chart. A reader sees that they aren't the columns'; their boxes don't tell.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphforge.records import normalize

from . import labels

_TITLE = re.compile(
    r"(?:table|exhibit|schedule|appendix|chart|figure) [A-Z]?-?\d+[\w.-]*\s*[:.–—-]", re.IGNORECASE
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


@dataclass(frozen=True)
class PageHeader:
    """The ``lines`` of a header that name columns (a text a column, "" for none), and what stood among them: titles
    and remarks on the unit. ``trusted`` is False where the headings of two columns stand in one."""

    lines: list[list[str]]
    titles: tuple[str, ...]
    trusted: bool


def page_header(lines: Sequence[Sequence[str]]) -> PageHeader:
    """The header of a table on a page without what isn't its own.

    >>> page_header([["Table 2: Tax by sector", "City of X"], ["Sector", "FY 2021"]])
    PageHeader(lines=[['Sector', 'FY 2021']], titles=('Table 2: Tax by sector; City of X',), trusted=True)
    >>> page_header([["", "Feb", "Mar"], ["", "", "2017"], ["", "Jan", "Feb"]]).lines
    [['', 'Jan', 'Feb']]
    >>> page_header([["", "Budget Estimate Budget Estimate", "2020"]]).trusted
    False
    """
    kept = [list(line) for line in lines]
    titles: list[str] = []
    while len(kept) > 1 and any(_TITLE.match(text) for text in kept[0]):
        titles.append("; ".join(dict.fromkeys(text for text in kept.pop(0) if text)))
    for line in kept[:-1]:
        told = {text for text in line[1:] if text}
        if len(told) == 1 and labels.is_unit_only(remark := told.pop()):
            titles.append(remark)
            line[1:] = [""] * len(line[1:])
    if len(kept) > 1 and _other_axis(kept[:-1], kept[-1]):
        kept = kept[-1:]
    trusted = not any(_said_twice(text) for line in kept for text in line[1:])
    return PageHeader(kept, tuple(titles), trusted)


def _other_axis(above: Sequence[Sequence[str]], last: Sequence[str]) -> bool:
    """Whether the last line dates every column and a line above dates one of them otherwise: another thing's axis."""
    own = [_month(text) for text in last[1:]]
    if len(own) < 2 or None in own:
        return False
    return any(
        (other := _month(text)) is not None and other != month
        for line in above
        for text, month in zip(line[1:], own, strict=True)
    )


def _month(text: str) -> int | None:
    words = normalize(text).split()
    return _MONTHS.index(words[0][:3]) if len(words) == 1 and words[0][:3] in _MONTHS else None


def _said_twice(text: str) -> bool:
    """Whether two words or more stand in one heading twice in a row."""
    words = normalize(text).split()
    return any(
        words[at : at + size] == words[at + size : at + 2 * size]
        for size in range(2, len(words) // 2 + 1)
        for at in range(len(words) - 2 * size + 1)
    )


def without_echo(name: str) -> str:
    """A name without words that its header lines repeat: where a line overlaps the next, both hold them.

    >>> without_echo("CYTD Growth Rate Growth Rate 2020"), without_echo("Total Total installs")
    ('CYTD Growth Rate 2020', 'Total installs')
    """
    words = name.split()
    folded = [normalize(word) or word for word in words]
    for size in range(1, len(words) // 2 + 1):
        for at in range(len(words) - 2 * size + 1):
            if folded[at : at + size] == folded[at + size : at + 2 * size]:
                return without_echo(" ".join(words[: at + size] + words[at + 2 * size :]))
    return name
