"""Long tables cut into parts whose rows have names: one year, quarter or month, one kind of thing.

Open data often stacks periods and kinds in one sheet (``state, year, drug, deaths``), so no column names the rows: each
state occurs once a year and drug. Within the rows of one year and drug it does, and those are what people compare.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from ..records import CellLocator, Column, Document, Table, Where, normalize

_SHORTEST, _LONGEST = 5, 400
# The latest periods of a long table; a daily file over ten years would drown the library.
_MOST = 12
# At least this part of the rows must lie in slices, or the cut goes against the table's grain.
_COVERED = 0.6
# Tables that are sorted out by values: up to so many rows, columns fixed, values of such a column, letters of a value.
_SEARCHED, _FIXED, _KINDS, _WORDY = 20_000, 3, 60, 60
# So much of the rows at most may have a name of their own.
_RETURNS = 0.6
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PERIOD_NAMES = frozenset("year month quarter date period fy week".split())


def with_slices(document: Document) -> Document:
    """The document with a table for each of the latest parts of its long tables, after the tables it has.

    A slice has no header rows of its own; its number columns carry the long table's names with what the slice is
    of, ``total (FY 2021)``, because the bare name stands for every slice. ``where`` says which rows of the long
    table it has.
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
    return _sorted_out(table, periods, texts)


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
            if column.kind == "text"
            and column not in by
            and all(_names_rows(table, column, range(*run)) for run in fit)
        ),
        None,
    )
    if key is None:
        return []
    told = _telling(table, [start for start, _ in runs], periods)
    names = [tuple(_said(table, start, column) for column in (*by, *told)) for start, _ in runs]
    # A period that comes back after another one is not all of its rows.
    whole = [number for number, run in enumerate(runs) if run in fit and names.count(names[number]) == 1]
    whole.sort(key=lambda number: (_moment(table, runs[number][0], periods), runs[number]))
    return [
        _slice(table, place, range(*runs[number]), key, by, told)
        for place, number in enumerate(sorted(whole[-_MOST:]), start=1)
    ]


def _sorted_out(table: Table, periods: list[Column], texts: list[Column]) -> list[Table]:
    """The rows of a table that share the values of one to three columns, wherever they stand, where these columns
    leave named rows: every state once for each year and drug.

    As few columns as will do; row names that are words before those that are periods.
    """
    if table.truncated or table.body[1] - table.body[0] > _SEARCHED:
        return []
    rows = range(*table.body)
    values = {column.index: {_said(table, row, column) for row in rows} for column in (*texts, *periods)}
    kinds = [
        column
        for column in dict.fromkeys((*periods, *texts))
        if 2 <= len(values[column.index]) <= _KINDS and max(map(len, values[column.index])) <= _WORDY
    ]
    # What hardly comes back is a number for each row, with a few doubles, and names nothing.
    names = [one for one in (*texts, *periods) if len(values[one.index]) <= _RETURNS * len(rows)]
    for count in range(1, _FIXED + 1):
        best: tuple[float, int, list[Column], Column, list[list[int]]] | None = None
        for fixed in combinations(kinds, count):
            groups: dict[tuple[object, ...], list[int]] = {}
            for row in rows:
                groups.setdefault(tuple(table.grid[row][one.index] for one in fixed), []).append(row)
            if len(groups) * _SHORTEST > len(rows):
                continue
            sized = [
                group
                for group in groups.values()
                if _SHORTEST <= len(group) <= _LONGEST and all(_said(table, group[0], one) for one in fixed)
            ]
            for place, key in enumerate(names):
                if key in fixed:
                    continue
                fit = [group for group in sized if _names_rows(table, key, group)]
                covered = sum(map(len, fit)) / len(rows)
                if len(fit) >= 2 and covered >= _COVERED:
                    offer = (covered, -place, list(fixed), key, fit)
                    if best is None or offer[:2] > best[:2]:
                        best = offer
        if best is not None:
            _, _, chosen, key, fit = best
            when = [column for column in chosen if column in periods]
            return _latest(table, fit, key, [one for one in chosen if one not in when], when)
    return []


def _latest(
    table: Table, groups: list[list[int]], key: Column, by: list[Column], periods: list[Column]
) -> list[Table]:
    """Slices of these groups of rows: the latest periods of every kind of row, and as many of each kind as there is
    room for."""
    of_kind: dict[tuple[str, ...], list[list[int]]] = {}
    for group in sorted(groups, key=lambda group: _moment(table, group[0], periods), reverse=True):
        of_kind.setdefault(tuple(_said(table, group[0], column) for column in by), []).append(group)
    turns = [(place, group[0], group) for found in of_kind.values() for place, group in enumerate(found)]
    chosen = sorted(group for _, _, group in sorted(turns)[: 2 * _MOST])
    return [_slice(table, place, group, key, by, periods) for place, group in enumerate(chosen, start=1)]


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


def _names_rows(table: Table, column: Column, rows: Sequence[int]) -> bool:
    names = [normalize(table.grid[row][column.index] or "") for row in rows]
    return all(names) and len(set(names)) == len(names)


def _telling(table: Table, starts: list[int], periods: list[Column]) -> list[Column]:
    """As few of the period columns as tell the runs apart; fiscal years first."""
    ordered = sorted(periods, key=lambda column: (_rank(column), column.index))
    if any(_rank(column) == 0 for column in ordered):
        # Beside a fiscal year a calendar year only confuses: it is tried last.
        ordered.sort(key=lambda column: _rank(column) == 1)
    distinct = len({tuple(table.grid[row][one.index] for one in periods) for row in starts})
    for count in range(1, len(ordered) + 1):
        for chosen in combinations(ordered, count):
            if chosen[0] is ordered[0]:
                labels = {" ".join(_words(table, row, one) for one in chosen) for row in starts}
                if len(labels) == distinct:
                    return list(chosen)
    return ordered


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
    return tuple((number, "") if number is not None else _month(text) for number, text in cells)


def _month(text: str) -> tuple[float, str]:
    """Sorts months by the calendar, other texts by the alphabet."""
    short = text[:3].casefold()
    return (_MONTHS.index(short) + 1.0, "") if short in _MONTHS and text.isalpha() else (0.0, text)


def _said(table: Table, row: int, column: Column) -> str:
    """What a cell says, as a person reads it out."""
    value = table.grid[row][column.index]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return " ".join(str(value if value is not None else "").split())


def _slice(
    table: Table, number: int, rows: Sequence[int], key: Column, by: list[Column], periods: list[Column]
) -> Table:
    """The rows as a table of their own; ``by`` and ``periods`` are what they have in common."""
    period = " ".join(filter(None, (_words(table, rows[0], one) for one in periods)))
    value = ", ".join(filter(None, (_said(table, rows[0], one) for one in by)))
    told = ", ".join(part for part in (value, period) if part)
    columns = tuple(
        column.model_copy(
            update={
                "name": f"{column.name} ({told})",
                "header": column.name,
                "period": column.period or period or None,
            }
        )
        if column.kind == "number" and column.name and not _is_period(column)
        else column
        for column in table.columns
    )
    origin = table.origin
    assert isinstance(origin, CellLocator)
    neighbours = rows[-1] - rows[0] == len(rows) - 1
    return Table(
        id=f"{table.id}.{number}",
        title=", ".join(part for part in (table.title, told) if part),
        origin=origin.model_copy(update={"row": origin.row + rows[0]}),
        grid=tuple(table.grid[row] for row in rows),
        header=0,
        body=(0, len(rows)),
        columns=columns,
        key=key.index,
        where=tuple(
            Where(column=" ".join(one.name.split()), value=_said(table, rows[0], one))
            for one in (*by, *periods)
        ),
        lines=() if neighbours else tuple(row - rows[0] for row in rows),
    )
