"""Columns that a request can't tell apart by what stands over them."""

from collections import Counter
from collections.abc import Iterator

from .document import Document, Table, normalize
from .locator import CellLocator, Locator, TableCellLocator


def doubled(document: Document, table: Table) -> frozenset[int]:
    """The number columns of a table whose header another column of the same sheet or page bears too.

    Two blocks under one another with the same rows, fiscal and calendar years side by side: "the column Total on sheet
    FY2022" may be either, and whoever reads takes the first. In files without sheets and pages the whole file is
    the place, and a title of its own, which the request then names, tells a table from the others.
    A part of a longer table stands under the header of that table and counts with it.
    """
    where = _place(table.origin)
    others = Counter(
        name
        for other in document.tables
        if other is not table and other.header and not other.where and not other.hidden
        if _place(other.origin) == where and not _told_apart(table, other, where)
        for name in _headers(other)
    )
    own = Counter(_headers(table))
    return frozenset(
        column.index
        for column in table.measures()
        if own[_header(column.name)] > 1 or (not table.where and others[_header(column.name)])
    )


def _place(origin: Locator) -> tuple[str | int | None, ...]:
    if isinstance(origin, CellLocator):
        return ("sheet", origin.sheet)
    return ("page", origin.page if isinstance(origin, TableCellLocator) else None)


def _told_apart(one: Table, other: Table, where: tuple[str | int | None, ...]) -> bool:
    titles = [normalize(table.title) for table in (one, other)]
    return where == ("page", None) and titles[0] != "" and titles[0] != titles[1]


def _headers(table: Table) -> Iterator[str]:
    return (_header(column.name) for column in table.measures())


def _header(name: str) -> str:
    """As a reader tells headers apart: "# Proficient" is not "% Proficient"."""
    return " ".join(name.casefold().split())
