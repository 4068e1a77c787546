"""Parsed files as compact text for a reader that pays by the character: tables as rows, formulas marked.

A line is a row or a block and never holds a line break, so that what a file says can't look like another row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..records import (
    CellLocator,
    Document,
    Locator,
    PointerLocator,
    Table,
    TableCellLocator,
    Value,
    column_letters,
)

_LONGEST_CELL = 400
_LONGEST_BLOCK = 4000
_HEAD = 0.7
"""The part of a cap that the beginning of a file gets; the rest goes to its end, where totals stand."""


@dataclass(frozen=True)
class Shown:
    """Text of a file, and what was left out of it ("" where nothing was)."""

    text: str
    cut: str


def show_value(value: Value, formula: str | None = None, longest: int = _LONGEST_CELL) -> str:
    """A cell: numbers without trailing zeros, a formula behind its value as ``12.5 {=B2*2}``."""
    if value is None:
        text = ""
    elif isinstance(value, bool):
        text = str(value).upper()
    elif isinstance(value, float):
        text = str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.10g}"
    else:
        text = " ".join(str(value).split()).replace("|", "\\|")
    if len(text) > longest:
        text = text[:longest] + "…"
    return f"{text} {{{' '.join(formula.split())[:longest]}}}".strip() if formula else text


def show_row(table: Table, row: int, columns: Sequence[int] | None = None) -> str:
    """One row of a table with its number in the file: ``5| Aldmere | 412.5 | 447.25``."""
    picked = range(len(table.columns)) if columns is None else columns
    cells = [show_value(table.grid[row][column], table.formulas.get(f"{row},{column}")) for column in picked]
    return f"{row_number(table, row)}| " + " | ".join(cells)


def row_number(table: Table, row: int) -> str:
    """The row's number as the file's locators tell it."""
    origin = table.origin
    if isinstance(origin, CellLocator | TableCellLocator):
        return str(origin.row + (table.lines[row] if table.lines else row) + 1)
    return "" if row < table.header else str(row - table.header)


def show_columns(table: Table, columns: Sequence[int] | None = None) -> str:
    """The line above the rows that names the columns as locators do."""
    picked = list(range(len(table.columns)) if columns is None else columns)
    origin = table.origin
    if isinstance(origin, CellLocator):
        names = [
            column_letters(origin.column + at) if origin.sheet else f"column {origin.column + at + 1}"
            for at in picked
        ]
    elif isinstance(origin, TableCellLocator):
        names = [f"column {origin.column + at + 1}" for at in picked]
    else:
        names = [show_value(table.columns[at].name) for at in picked]
    return "row| " + " | ".join(names)


def show_place(table: Table) -> str:
    """Where a table stands: ``sheet 'Cargo'``, ``page 2 table 1``, ``pointer /rows``."""
    origin = table.origin
    if isinstance(origin, CellLocator):
        return f"sheet {show_value(origin.sheet)!r}" if origin.sheet else "table"
    if isinstance(origin, TableCellLocator):
        page = "" if origin.page is None else f"page {origin.page + 1} "
        return f"{page}table {origin.table + 1}"
    return origin.show()


def lines(document: Document) -> list[str]:
    """The whole document: its running text in reading order, then its tables, each with its place."""
    found = []
    page: int | None = None
    for block in document.blocks:
        at = getattr(block.locator, "page", getattr(block.locator, "slide", None))
        if at is not None and at != page:
            page = at
            found.append(f"-- {block.locator.kind} {at + 1} --")
        text = " ".join(block.text.split())
        if text:
            mark = {"heading": "#" * max(1, block.level) + " ", "list_item": "- "}.get(block.kind, "¶ ")
            found.append(mark + text[:_LONGEST_BLOCK] + ("…" if len(text) > _LONGEST_BLOCK else ""))
    shown: list[Table] = []
    for table in document.tables:
        # Slices of a long table repeat its rows.
        if any(_inside(table, other) for other in shown):
            continue
        shown.append(table)
        title = f": {show_value(table.title)}" if table.title.strip() else ""
        hidden = " (hidden)" if table.hidden else ""
        found += [f"-- {show_place(table)}{title}{hidden} --", show_columns(table)]
        found += [show_row(table, row) for row in range(len(table.grid))]
        if table.truncated:
            found.append("(the reader of the file stopped here; the table goes on)")
    return found


def show(document: Document, most: int) -> Shown:
    """The document in at most about ``most`` characters, cut at whole lines in the middle, and said so."""
    return cut(lines(document), most)


def cut(whole: Sequence[str], most: int) -> Shown:
    """Lines in at most ``most`` characters: the first ones and the last ones, and what was left out between."""
    size = sum(len(line) + 1 for line in whole)
    if size <= most:
        return Shown("\n".join(whole), "")
    first = _fitting(whole, int(most * _HEAD))
    rest = list(whole[len(first) :])
    last = _fitting(rest[::-1], most - int(most * _HEAD))[::-1]
    left = len(whole) - len(first) - len(last)
    said = f"{left} of {len(whole)} lines left out in the middle: only {most} characters of a file are shown"
    return Shown("\n".join([*first, f"[{said}]", *last]), said)


def _fitting(whole: Sequence[str], most: int) -> list[str]:
    kept = []
    for line in whole:
        most -= len(line) + 1
        if most < 0:
            break
        kept.append(line)
    return kept


def _inside(inner: Table, outer: Table) -> bool:
    """Whether a table's cells all belong to another one."""
    one, two = inner.origin, outer.origin
    if isinstance(one, CellLocator) and isinstance(two, CellLocator):
        if one.sheet != two.sheet:
            return False
    elif isinstance(one, TableCellLocator) and isinstance(two, TableCellLocator):
        if (one.page, one.table) != (two.page, two.table):
            return False
    else:
        return False
    return (
        two.row <= one.row
        and two.column <= one.column
        and one.row + len(inner.grid) <= two.row + len(outer.grid)
        and one.column + len(inner.columns) <= two.column + len(outer.columns)
    )


def holding(document: Document, locator: Locator) -> tuple[Table, int, int] | None:
    """The table that holds a cell, with the grid row and column; a table with a header before a slice without."""
    for table in sorted(document.tables, key=lambda table: table.header == 0):
        if (at := _within(table, locator)) is not None:
            return table, *at
    return None


def _within(table: Table, locator: Locator) -> tuple[int, int] | None:
    origin = table.origin
    if isinstance(locator, PointerLocator):
        if not isinstance(origin, PointerLocator):
            return None
        for row in range(table.header, len(table.grid)):
            for column in range(len(table.columns)):
                if table.locate(row, column) == locator:
                    return row, column
        return None
    if isinstance(locator, CellLocator) and isinstance(origin, CellLocator):
        if locator.sheet != origin.sheet:
            return None
    elif isinstance(locator, TableCellLocator) and isinstance(origin, TableCellLocator):
        if (locator.page, locator.table) != (origin.page, origin.table):
            return None
    else:
        return None
    row, column = locator.row - origin.row, locator.column - origin.column
    if table.lines:
        row = table.lines.index(row) if row in table.lines else -1
    return (row, column) if 0 <= row < len(table.grid) and 0 <= column < len(table.columns) else None
