"""Long tables cut by period: the rows of one year, quarter or month as a table of their own.

Open data often stacks periods in one sheet (``sector, total, tax_year``), so no column names the rows: each sector
occurs once a year. Within the rows of one period it does, and those are what people compare.
"""

from collections.abc import Iterator
from itertools import combinations

from ..records import CellLocator, Column, Document, Table, normalize

_SHORTEST, _LONGEST = 5, 400
# The latest periods of a long table; a daily file over ten years would drown the library.
_MOST = 12
# At least this part of the rows must lie in slices, or the cut goes against the table's grain.
_COVERED = 0.6
_PERIOD_NAMES = frozenset("year month quarter date period fy week".split())


def with_slices(document: Document) -> Document:
    """The document with a table for each of the latest periods of its long tables, after the tables it has.

    A slice has no header rows of its own; its number columns carry the long table's names with what the slice is
    of, ``total (FY 2021)``, because the bare name stands for every slice.
    """
    found = [piece for table in document.tables for piece in _slices(table)]
    return document.model_copy(update={"tables": (*document.tables, *found)}) if found else document


def _slices(table: Table) -> list[Table]:
    if table.key is not None or table.hidden or not table.header or not isinstance(table.origin, CellLocator):
        return []
    periods = [column for column in table.columns if _is_period(column)]
    texts = [column for column in table.columns if column.kind == "text"]
    for by in ([], *([column] for column in texts)):
        if (periods or by) and (found := _cut(table, periods, by)):
            return found
    return []


def _cut(table: Table, periods: list[Column], by: list[Column]) -> list[Table]:
    """The table cut by its period columns and at most one text column, where that leaves named rows."""
    runs = list(_runs(table, [*periods, *by]))
    fit = [run for run in runs if _SHORTEST <= run[1] - run[0] <= _LONGEST]
    if len(fit) < 2 or sum(end - start for start, end in fit) < _COVERED * (table.body[1] - table.body[0]):
        return []
    key = next(
        (
            column
            for column in table.columns
            if column.kind == "text" and column not in by and _names_rows(table, column, fit)
        ),
        None,
    )
    if key is None:
        return []
    labels = _labels(table, runs, periods)
    values = [str(table.grid[start][column.index]) for start, _ in runs for column in by] or [""] * len(runs)
    names = list(zip(labels, values, strict=True))
    # A period that comes back after another one is not all of its rows.
    whole = [number for number, run in enumerate(runs) if run in fit and names.count(names[number]) == 1]
    whole.sort(key=lambda number: (_moment(table, runs[number][0], periods), runs[number]))
    return [
        _slice(table, place, runs[number], key, labels[number], values[number])
        for place, number in enumerate(sorted(whole[-_MOST:]), start=1)
    ]


def _is_period(column: Column) -> bool:
    if column.kind == "period":
        return True
    words = normalize(column.name).split()
    return column.kind == "number" and bool(words) and words[-1] in _PERIOD_NAMES


def _runs(table: Table, periods: list[Column]) -> Iterator[tuple[int, int]]:
    """Half-open ranges of neighbouring body rows that agree in every period column.

    The last range of a truncated table is left out: it may go on.
    """
    start, last = table.body
    for row in range(start + 1, last):
        if any(table.grid[row][column.index] != table.grid[start][column.index] for column in periods):
            yield start, row
            start = row
    if start < last and not table.truncated:
        yield start, last


def _names_rows(table: Table, column: Column, runs: list[tuple[int, int]]) -> bool:
    for start, end in runs:
        names = [normalize(table.grid[row][column.index] or "") for row in range(start, end)]
        if not all(names) or len(set(names)) < len(names):
            return False
    return True


def _labels(table: Table, runs: list[tuple[int, int]], periods: list[Column]) -> list[str]:
    """The period of every run in words (``FY 2021 Q4``), by as few columns as tell the runs apart."""
    if not periods:
        return [""] * len(runs)
    ordered = sorted(periods, key=lambda column: (_rank(column), column.index))
    if any(_rank(column) == 0 for column in ordered):
        # Beside a fiscal year a calendar year only confuses: it is tried last.
        ordered.sort(key=lambda column: _rank(column) == 1)
    distinct = len({tuple(table.grid[run[0]][one.index] for one in periods) for run in runs})
    for count in range(1, len(ordered) + 1):
        for chosen in combinations(ordered, count):
            if chosen[0] is not ordered[0]:
                continue
            labels = [" ".join(filter(None, (_words(table, run[0], one) for one in chosen))) for run in runs]
            if len(set(labels)) == distinct:
                return labels
    return [" ".join(filter(None, (_words(table, run[0], one) for one in ordered))) for run in runs]


def _rank(column: Column) -> int:
    """Fiscal years first, as the months beside them are counted from their start; whole dates last."""
    words = normalize(column.name).split()
    if "year" in words:
        return 0 if "fiscal" in words else 1
    if "quarter" in words:
        return 2
    return 3 if "month" in words else 4


def _words(table: Table, row: int, column: Column) -> str:
    value = table.grid[row][column.index]
    number = table.number(row, column.index)
    text = (
        str(int(number))
        if number is not None and number.is_integer()
        else str(value if value is not None else "")
    )
    words = normalize(column.name).split()
    if "year" in words and "fiscal" in words and len(text) == 4:
        return f"FY {text}"
    if "quarter" in words and len(text) == 1:
        return f"Q{text}"
    if text.isdigit() and len(text) <= 2:
        return f"{' '.join(words)} {text}"
    return text


def _moment(table: Table, row: int, periods: list[Column]) -> tuple[tuple[float, str], ...]:
    """Sorts the rows of a table by time, years first."""
    ordered = sorted(periods, key=lambda column: (_rank(column), column.index))
    cells = [(table.number(row, column.index), str(table.grid[row][column.index])) for column in ordered]
    return tuple(
        (number if number is not None else 0.0, text if number is None else "") for number, text in cells
    )


def _slice(table: Table, number: int, run: tuple[int, int], key: Column, period: str, value: str) -> Table:
    told = ", ".join(part for part in (value, period) if part)
    columns = tuple(
        column.model_copy(
            update={"name": f"{column.name} ({told})", "period": column.period or period or None}
        )
        if column.kind == "number" and column.name and not _is_period(column)
        else column
        for column in table.columns
    )
    origin = table.origin
    assert isinstance(origin, CellLocator)
    return Table(
        id=f"{table.id}.{number}",
        title=", ".join(part for part in (table.title, told) if part),
        origin=origin.model_copy(update={"row": origin.row + run[0]}),
        grid=table.grid[run[0] : run[1]],
        header=0,
        body=(0, run[1] - run[0]),
        columns=columns,
        key=key.index,
    )
