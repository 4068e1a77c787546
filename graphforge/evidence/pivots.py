"""Sums over long tables: what the rows of each kind add up to, by every key that the table has.

A long table has no row name of its own; text and period columns say what each row is. For an additive column this
module adds up the rows for each value of one such column, with none to three others fixed, or all others but one.
Months of calendar years also make fiscal years, and years and quarters make running sums.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..records import Document, Table, WorkspaceFile, normalize
from .keys import are_states, clean_key, month_of
from .lines import Line, Term, cell_text, holds_numbers, rows_of, summable
from .measures import identifies

# More distinct values than this identify the rows instead of grouping them.
_MOST_KINDS, _MOST_FIXED, _MOST_GROUPS = 400, 120, 4_000


_PERIODS = frozenset(("year", "quarter", "month", "fy", "period", "date"))


@dataclass(frozen=True)
class Dimension:
    """A column that says of what kind the rows are; ``values`` by row."""

    name: str
    values: dict[int, str]
    fiscal: bool = False


@dataclass(frozen=True, eq=False)
class Cube:
    """A long table with the columns that say of what kind its rows are, and those that may be added up."""

    file: WorkspaceFile
    document: Document
    table: Table
    rows: tuple[int, ...]
    measures: tuple[int, ...]
    dimensions: tuple[Dimension, ...]


def cubes(file: WorkspaceFile, document: Document) -> list[Cube]:
    """The long tables of a document."""
    found = []
    for table in document.tables:
        rows = rows_of(table)
        if table.truncated or len(rows) < 8:
            continue
        measures = [
            column.index
            for column in table.columns
            if column.kind == "number" and summable(table, column.index)
        ]
        dimensions = _dimensions(table, rows)
        if dimensions:
            found.append(Cube(file, document, table, tuple(rows), tuple(measures[:4]), tuple(dimensions)))
    return found


def sums(cube: Cube, most_steps: int) -> Iterator[Line]:
    """The lines of sums over a long table; ``most_steps`` bounds rows times groupings."""
    share = most_steps // max(1, len(cube.measures))
    for measure in cube.measures:
        yield from _sums(cube.file, cube.document, cube.table, cube.rows, measure, cube.dimensions, share)


def _dimensions(table: Table, rows: Sequence[int]) -> list[Dimension]:
    """The kinds of rows; of columns that say the same in other words only the first."""
    found: list[Dimension] = []
    for column in table.columns:
        if column.kind == "empty" or (
            holds_numbers(table, column.index) and not _year_like(table, rows, column.index)
        ):
            continue
        cells = {row: cell_text(table, row, column.index) for row in rows}
        states = are_states(cells.values())
        values = {row: clean_key(cell, states) for row, cell in cells.items()}
        if not 2 <= len(set(values.values())) <= min(_MOST_KINDS, max(2, int(0.9 * len(rows)))):
            continue
        if any(_same(values, one.values) for one in found):
            continue
        found.append(Dimension(" ".join(column.name.split()), values))
    for start, name in ((10, "fiscal year from October"), (7, "fiscal year from July")):
        if (made := _fiscal(found, rows, start, name)) is not None:
            found.append(made)
    return found


def _year_like(table: Table, rows: Sequence[int], index: int) -> bool:
    if "year" not in normalize(table.columns[index].name).split():
        return False
    return all(len(cell_text(table, row, index)) in {0, 4} for row in rows)


def _same(one: dict[int, str], other: dict[int, str]) -> bool:
    """Whether two columns sort the rows in the same way."""
    forth: dict[str, str] = {}
    back: dict[str, str] = {}
    return all(
        forth.setdefault(value, other[row]) == other[row] and back.setdefault(other[row], value) == value
        for row, value in one.items()
    )


def _fiscal(dimensions: Sequence[Dimension], rows: Sequence[int], start: int, name: str) -> Dimension | None:
    """Fiscal years from a column of months and one of calendar years: those with all twelve months."""
    if any("fiscal" in normalize(one.name) for one in dimensions):
        return None
    months = [
        one
        for one in dimensions
        if set(filter(None, one.values.values())) and all(month_of(value) for value in one.values.values())
    ]
    years = [one for one in dimensions if "year" in normalize(one.name).split()]
    if not months or not years:
        return None
    seen: dict[str, set[int]] = {}
    values: dict[int, str] = {}
    for row in rows:
        month, year = month_of(months[0].values[row]), years[0].values[row]
        if month is None or not year.isdigit():
            return None
        ends = str(int(year) + (month >= start))
        values[row] = ends
        seen.setdefault(ends, set()).add(month)
    return Dimension(
        name, {row: value if len(seen[value]) == 12 else "" for row, value in values.items()}, True
    )


def _sums(
    file: WorkspaceFile,
    document: Document,
    table: Table,
    rows: Sequence[int],
    measure: int,
    dimensions: Sequence[Dimension],
    most_steps: int,
) -> Iterator[Line]:
    numbers = {row: number for row in rows if (number := table.number(row, measure)) is not None}
    if len(numbers) < 4 or (len({round(one, 9) for one in numbers.values()}) < 3):
        return
    column = table.columns[measure]
    name = " ".join(column.name.split())
    steps = 0
    seen: set[int] = set()
    for at, fixed in _groupings(dimensions):
        key = dimensions[at]
        steps += len(numbers)
        if steps > most_steps:
            return
        groups: dict[tuple[str, ...], dict[str, list[int]]] = {}
        for row in numbers:
            value = key.values[row]
            if not value:
                continue
            kind = tuple(one.values[row] for one in fixed)
            groups.setdefault(kind, {}).setdefault(value, []).append(row)
        if len(groups) > _MOST_GROUPS:
            continue
        for number, (kind, by_key) in enumerate(sorted(groups.items())):
            if not any(len(chosen) > 1 for chosen in by_key.values()):
                continue
            # The same rows under the same keys: fixing more says the same of them.
            mark = hash(tuple((value, tuple(chosen)) for value, chosen in by_key.items()))
            if mark in seen:
                continue
            seen.add(mark)
            terms = {
                value: Term(
                    math.fsum(numbers[row] for row in chosen), file, table, measure, tuple(chosen), value
                )
                for value, chosen in by_key.items()
            }
            yield Line(
                file,
                document,
                "sum",
                (table.id, f"{key.name}|{'|'.join(one.name for one in fixed)}|{number}", measure),
                name,
                table.title or document.title,
                terms,
                unit=column.unit,
                fixed=tuple((one.name, value) for one, value in zip(fixed, kind, strict=True)),
                key=key.name,
            )


def _groupings(dimensions: Sequence[Dimension]) -> Iterator[tuple[int, tuple[Dimension, ...]]]:
    """Which column gives the keys and which are fixed: none, one, all but one, two, all but two, three."""
    done = set()
    fixable = [
        at
        for at, one in enumerate(dimensions)
        if not one.fiscal and len(set(one.values.values())) <= _MOST_FIXED
    ]
    periods = [at for at, one in enumerate(dimensions) if set(normalize(one.name).split()) & _PERIODS]
    for size in (0, 1, -1, 2, 3, -2):
        # Many kinds fixed at once leave too many groupings: then only sums by period.
        for at in range(len(dimensions)) if size in {0, 1, -1} else periods:
            others = [one for one in fixable if one != at]
            count = size if size >= 0 else len(others) + size + 1
            if size < 0 and count < 3:
                continue
            for fixed in combinations(others, count):
                if (at, fixed) not in done:
                    done.add((at, fixed))
                    yield at, tuple(dimensions[one] for one in fixed)


def means(cube: Cube, most_steps: int) -> Iterator[Line]:
    """Means over the twelve months of each year, for every kind of rows that has one row a month.

    A rate can't be added up, but its year is often printed as the mean of the months.
    """
    months = [
        one for one in cube.dimensions if all(month_of(value) for value in one.values.values() if value)
    ]
    years = [
        one
        for one in cube.dimensions
        if all(value[-4:].isdigit() and len(value) in {4, 6} for value in one.values.values() if value)
    ]
    measures = [
        column.index
        for column in cube.table.columns
        if column.kind == "number" and not identifies(column.name)
    ]
    if not months or not years or len(measures) * len(cube.rows) * len(years) > most_steps:
        return
    for year in years:
        others = [one for one in cube.dimensions if one not in (*months[:1], year) and one not in years]
        groups: dict[tuple[str, ...], dict[str, list[int]]] = {}
        for row in cube.rows:
            if year.values[row] and months[0].values[row]:
                kind = tuple(one.values[row] for one in others)
                groups.setdefault(kind, {}).setdefault(year.values[row], []).append(row)
        for number, (kind, by_year) in enumerate(sorted(groups.items())[:_MOST_KINDS]):
            full = {
                value: rows
                for value, rows in by_year.items()
                if len(rows) == 12 and len({months[0].values[row] for row in rows}) == 12
            }
            for measure in measures if len(full) >= 2 else ():
                terms = {}
                for value, rows in full.items():
                    cells = [cube.table.number(row, measure) for row in rows]
                    known = [cell for cell in cells if cell is not None]
                    if len(known) == 12:
                        mean = math.fsum(known) / 12
                        terms[value] = Term(mean, cube.file, cube.table, measure, tuple(rows), value, "mean")
                column = cube.table.columns[measure]
                if len(terms) >= 2:
                    yield Line(
                        cube.file,
                        cube.document,
                        "mean",
                        (cube.table.id, f"mean|{year.name}|{number}", measure),
                        " ".join(column.name.split()),
                        cube.table.title or cube.document.title,
                        terms,
                        unit=column.unit,
                        fixed=tuple((one.name, value) for one, value in zip(others, kind, strict=True)),
                        key=year.name,
                    )


def running(line: Line) -> Iterator[tuple[str, Term]]:
    """Sums over neighbouring keys of a line of years (from any to any) or of quarters and months (from the first)."""
    if not all(key.isdigit() for key in line.terms) or len(line.terms) < 2:
        return
    keys = sorted(line.terms, key=int)
    numbers = [int(key) for key in keys]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return
    years = numbers[0] >= 1900 and numbers[-1] < 2100
    if not years and (numbers[0] != 1 or numbers[-1] > 12 or "year" in line.key):
        return
    for first in range(len(keys) if years else 1):
        for last in range(first + 1, min(len(keys), first + 30)):
            parts = [line.terms[key] for key in keys[first : last + 1]]
            rows = tuple(row for part in parts for row in part.rows)
            one = parts[0]
            label = f"{keys[first]} to {keys[last]}"
            yield (
                label,
                Term(math.fsum(part.value for part in parts), one.file, one.table, one.column, rows, label),
            )
