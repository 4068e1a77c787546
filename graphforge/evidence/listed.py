"""Rows of a table that a text lists in its own lines, and steps between two editions of a table.

A cheat sheet prints the codes of a template; slides print a total that the next edition raises by the year's figure.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from ..records import Block, Document, Table, WorkspaceFile, normalize, parse_scaled
from .computed import Computed, Equation
from .keys import content, years_in
from .lines import Figure, Line, Place, Term, cell_text, digits, number_at, place_of, rows_of

Files = Sequence[tuple[WorkspaceFile, Document]]
_WHOLE = re.compile(r"(?<![\w.,])\d{1,6}(?![\w.,])")
_LEAST_ROWS = 4


def listed_rows(files: Files) -> list[Computed]:
    """Whole numbers that stand beside the name of a row in a text as they do in the table: a list of codes."""
    found = []
    for file, document in files:
        tables = [table for table in document.tables if not table.truncated and len(rows_of(table)) <= 400]
        for other, text in files:
            if other.sha256 == file.sha256 or not text.blocks:
                continue
            lines = [
                (normalize(block.text), " ".join(block.text.split()), block)
                for block in text.blocks
                if len(block.text) <= 200 and _WHOLE.search(block.text)
            ]
            for table in tables:
                if (made := _listed(file, table, other, lines)) is not None:
                    found.append(made)
    return found


def _listed(
    file: WorkspaceFile, table: Table, other: WorkspaceFile, lines: Sequence[tuple[str, str, Block]]
) -> Computed | None:
    equations = []
    met = 0
    everything = " | ".join(folded for folded, _, _ in lines)
    # The whole grid: a table of a few lines may be read without its header.
    for row in range(len(table.grid)):
        names = [normalize(cell_text(table, row, column.index)) for column in table.columns]
        keys = [name for name in names if len(name) >= 6 and not any(letter.isdigit() for letter in name)]
        keys = [key for key in keys if key in everything]
        if not keys:
            continue
        key, at = next(
            ((key, at) for key in keys if (at := [one for one in lines if f" {key} " in f" {one[0]} "])),
            ("", []),
        )
        numbers = {
            column.index: int(number)
            for column in table.columns
            if (number := number_at(table, row, column.index)) is not None and float(number).is_integer()
        }
        if not numbers:
            continue
        # The shortest line that names it is the one about it.
        for _, shown, block in sorted(at, key=lambda entry: len(entry[1]))[:1]:
            said = [match.group() for match in _WHOLE.finditer(shown)]
            if len(said) > 4:
                continue
            pairs = [
                (literal, index)
                for literal in dict.fromkeys(said)
                for index, number in numbers.items()
                if int(literal) == number
            ]
            if not pairs or len({literal for literal, _ in pairs}) < len(set(said)):
                continue
            met += 1
            for literal, index in pairs:
                text = Place(other, block.locator, float(literal), shown[:200], key, literal=literal)
                cell = place_of(file, table, row, index, key)
                assert cell is not None  # numbers holds cells with a number
                equations.append(
                    Equation("equal", "reconcile", ((text,), (cell,)), "{0} - {1}", f"{key} {index}")
                )
    if met < _LEAST_ROWS or len({equation.parts[0][0].value for equation in equations}) < _LEAST_ROWS:
        return None
    sheet = table.title or table.id
    return Computed(
        "equal",
        tuple(equations),
        6 + met,
        f"{other.name} lists {met} rows of “{sheet}” ({file.name}) with the same numbers",
    )


def steps(lines: Sequence[Line], figures: Sequence[tuple[Figure, Document]]) -> list[Computed]:
    """A running total in two editions whose difference another figure states: earlier + step = later.

    The rows are called the same, most of the table is unchanged or grows, the step is written with its scale, and
    the page it stands on speaks of what the row measures.
    """
    columns = [
        line for line in lines if line.kind == "column" and any(_scaled(term) for term in line.terms.values())
    ]
    found = []
    for left, right in combinations(columns, 2):
        if left.file.sha256 == right.file.sha256 or normalize(left.name) != normalize(right.name):
            continue
        keys = [key for key in left.terms if key in right.terms]
        if len(keys) < 3:
            continue
        for key in keys:
            one, other = left.terms[key].places[0], right.terms[key].places[0]
            scale = _scale(one)
            if scale is None or scale != _scale(other) or one.value == other.value:
                continue
            earlier, later = sorted((one, other), key=lambda place: float(place.value))
            gap = round(float(later.value) - float(earlier.value), 6)
            words = content(cell_text_of(later)) & content(key)
            for figure, _ in figures:
                if figure.scale != scale or figure.place.file.sha256 not in {
                    left.file.sha256,
                    right.file.sha256,
                }:
                    continue
                if (
                    abs(float(figure.place.value) - gap) > 1e-6
                    or digits(gap) < 3
                    or not words & content(figure.around)
                ):
                    continue
                equation = Equation(
                    "identity", "derive", ((earlier,), (figure.place,), (later,)), "{0} + {1} - {2}", key
                )
                rise = f"“{later.label}” rises from {earlier.file.name} to {later.file.name}"
                why = f"{rise} by a figure that {figure.place.file.name} states"
                found.append(Computed("identity", (equation,), 8 + digits(gap), why))
    return found


def cell_text_of(place: Place) -> str:
    """The row's name and the column's of a cell."""
    return f"{place.label} {place.measure}"


def _scaled(term: Term) -> bool:
    value = term.table.grid[term.rows[0]][term.column]
    return isinstance(value, str) and parse_scaled(value) is not None


def _scale(place: Place) -> float | None:
    return (
        {"thousand": 1e3, "million": 1e6, "billion": 1e9}.get(normalize(place.unit or ""))
        if place.literal
        else None
    )


def running_totals(lines: Sequence[Line], files: Files) -> list[Computed]:
    """A rounded figure that is called cumulative and is the sum of the last years of a column of another file.

    The row shares a word with the column, the sum ends in the last year that the document speaks of, and only one
    first year gives the figure.
    """
    found: list[Computed] = []
    years = {file.sha256: _last_year(document) for file, document in files}
    cumulative = [
        (place, document)
        for file, document in files
        for table in document.tables
        for row in rows_of(table)
        for index in range(len(table.columns))
        if isinstance(table.grid[row][index], str)
        and parse_scaled(str(table.grid[row][index])) is not None
        and (place := place_of(file, table, row, index, "")) is not None
        and _scale(place) is not None
        and "cumulative" in content(place.label)
        # The last column is the one that still runs.
        and all(table.grid[row][later] is None for later in range(index + 1, len(table.columns)))
    ]
    for line in lines:
        if line.kind != "column" or not all(re.fullmatch(r"(?:19|20)\d\d", key) for key in line.terms):
            continue
        for place, _ in cumulative:
            last = years[place.file.sha256]
            if place.file.sha256 == line.file.sha256 or last is None or str(last) not in line.terms:
                continue
            if not content(line.name) & content(place.label):
                continue
            found += _window(line, place, last)
    return found


def _window(line: Line, place: Place, last: int) -> Iterator[Computed]:
    scale = _scale(place)
    assert scale is not None  # only such places are asked for
    literal = place.literal or ""
    half = 0.5 * 10.0 ** -len(literal.partition(".")[2]) * scale
    total, rows, fits = 0.0, [], []
    for year in range(last, last - 40, -1):
        term = line.terms.get(str(year))
        if term is None:
            break
        total += term.value
        rows.append(year)
        if abs(total - float(place.value) * scale) <= half and len(rows) > 1:
            fits.append(list(rows))
    if len(fits) == 1:
        places = tuple(part for year in reversed(fits[0]) for part in line.terms[str(year)].places)
        equation = Equation(
            "aggregate", "reconcile", ((place,), places), f"{scale:.0f} * {{0}} - {{1}}", place.label
        )
        parts = f"“{line.name}” of {fits[0][-1]} to {last} ({line.file.name})"
        why = f"{parts} add up to “{place.label}” in {place.file.name}"
        yield Computed("aggregate", (equation,), 8, why)


def _last_year(document: Document) -> int | None:
    years = years_in(f"{document.title} {document.text()[:20_000]}")
    spoken = [year for year in years if 1950 <= year <= 2100]
    # The year that most headings are about, not one of a plan or an outlook.
    heads = [
        years_in(block.text) for block in document.blocks if block.kind == "heading" or len(block.text) < 60
    ]
    counted = {year: sum(year in found for found in heads) for year in spoken}
    best = [year for year in spoken if counted[year] and counted[year] == max(counted.values())]
    return max(best, default=None)
