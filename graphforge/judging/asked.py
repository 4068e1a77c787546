"""What the checks of a file ask for, as the golden file has it: tables, figures stated in sentences, headings."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..records import (
    Check,
    ColumnValues,
    Document,
    ForeignValues,
    Heading,
    InventedRows,
    RowSet,
    Table,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
    Violation,
)
from .checks import labelled
from .grid import Names, filled, find, number, percent


@dataclass(frozen=True)
class AskedTable:
    """A table that checks look into: grid rows and columns of the parsed golden file.

    ``rows`` hold the named rows, ``totals`` the labelled ones; ``columns`` hold the figures that are asked for, of
    which ``percents`` are headed as percentages.
    """

    table: Table
    header: int
    key: int
    rows: tuple[int, ...]
    totals: tuple[int, ...]
    columns: tuple[int, ...]
    percents: tuple[int, ...]

    def figures(self) -> list[tuple[int, int]]:
        """The cells, row and column, with a figure that is asked for."""
        cells = [(row, column) for row in (*self.rows, *self.totals) for column in self.columns]
        return [(row, column) for row, column in cells if number(self.table.grid[row][column]) is not None]


@dataclass(frozen=True)
class Asked:
    """All that is asked of one file."""

    tables: tuple[AskedTable, ...]
    stated: tuple[TextNumber, ...]
    headings: tuple[str, ...]
    phrases: tuple[str, ...]


def asked(checks: Sequence[Check | Violation], document: Document) -> Asked:
    """What the checks, all of them of this file, ask for."""
    return Asked(
        tables=tuple(_tables(checks, document)),
        stated=tuple(check for check in checks if isinstance(check, TextNumber) and check.value is not None),
        headings=tuple(dict.fromkeys(check.heading for check in checks if isinstance(check, Heading))),
        phrases=tuple(check.phrase for check in checks if isinstance(check, TextMention) and check.phrase),
    )


def _tables(checks: Sequence[Check | Violation], document: Document) -> list[AskedTable]:
    named: dict[tuple[str, str], list[str]] = {}
    for check in checks:
        if isinstance(check, RowSet | InventedRows):
            named.setdefault((check.sheet, check.key), []).extend(check.rows)
        elif isinstance(check, ColumnValues | ForeignValues):
            named.setdefault((check.sheet, check.key), []).extend(check.values)
    columns: dict[str, dict[int, str]] = {}
    totals: dict[str, set[int]] = {}
    for check in checks:
        if isinstance(check, ColumnValues):
            for frame in find(document, check.sheet, (check.key, check.column)):
                columns.setdefault(frame.table.id, {})[frame.columns[1]] = check.column
        elif isinstance(check, TotalCell | TypedTotal):
            _, place = labelled(document, check.sheet, check.label, check.column)
            if place is not None:
                frame, row = place
                columns.setdefault(frame.table.id, {})[frame.columns[0]] = check.column
                totals.setdefault(frame.table.id, set()).add(row)
    found: dict[str, AskedTable] = {}
    for (sheet, key), rows in named.items():
        wanted = Names(rows)
        for frame in find(document, sheet, (key,)):
            lines = tuple(row for row in frame.rows if wanted.match(frame.at(row, 0)) is not None)
            own = columns.get(frame.table.id, {})
            sums = totals.get(frame.table.id, set())
            # The sources may print a total under that very name; here it is one that was asked for.
            lines = tuple(row for row in lines if row not in sums)
            if not lines or frame.table.id in found:
                continue
            header = lines[0] - 1
            while header > 0 and not filled(frame.table.grid[header][frame.columns[0]]):
                header -= 1
            found[frame.table.id] = AskedTable(
                table=frame.table,
                header=header,
                key=frame.columns[0],
                rows=lines,
                totals=tuple(sorted(sums)),
                columns=tuple(own),
                percents=tuple(column for column, name in own.items() if percent(name)),
            )
    return list(found.values())
