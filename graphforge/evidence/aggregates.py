"""Means, weighted means, extremes and counts of a column that another document states.

A text says that the average award is 412,317 dollars; a table lists the awards. The words decide what is tried: which
of the four it is, and which columns are called so. How many are tried is set against how precisely the figure is
printed, so that agreement by chance stays below one in ``_ODDS``. Means over the months of years are compared with
other tables by year, up to the rounding that these print.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..records import Document, Table, WorkspaceFile, counts_something, normalize
from .computed import Computed, Equation
from .equalities import Single, told
from .keys import content
from .lines import How, Line, Place, Term, cell_text, number_at, number_columns, place_of
from .measures import identifies

Files = Sequence[tuple[WorkspaceFile, Document]]
_ODDS, _LEAST_ROWS = 200, 4
_WORDS: dict[How, frozenset[str]] = {
    "mean": frozenset(("average", "averages", "averaged", "averaging", "mean", "avg")),
    "max": frozenset(("highest", "maximum", "largest", "peak", "max", "peaked")),
    "min": frozenset(("lowest", "minimum", "smallest", "min")),
    "count": frozenset(("number", "count", "counted", "rows", "records", "entries")),
}
_SAID = frozenset().union(*_WORDS.values())
_REDUCED: dict[How, Callable[[Sequence[float]], float]] = {
    "mean": lambda cells: math.fsum(cells) / len(cells),
    "max": max,
    "min": min,
    "count": len,
}


@dataclass(frozen=True, eq=False)
class _Column:
    file: WorkspaceFile
    table: Table
    index: int
    words: frozenset[str]
    rows: tuple[int, ...]
    cells: tuple[float, ...]


def stated_aggregates(files: Files, figures: Sequence[Single], most_terms: int) -> list[Computed]:
    """Figures that are called a mean, an extreme or a count of something, and the columns that they are of."""
    columns = list(_columns(files, most_terms))
    by_word: dict[str, list[int]] = {}
    for number, column in enumerate(columns):
        for word in column.words:
            by_word.setdefault(word, []).append(number)
    found = []
    for one in figures:
        label = f"{one.place.label} {one.place.measure}"
        said = set(normalize(label).split())
        hows = [how for how, words in _WORDS.items() if words & said]
        if len(hows) != 1 or one.step <= 0:
            continue
        about = content(label) - _SAID
        counts: dict[int, int] = {}
        for word in about:
            for number in by_word.get(word, ()):
                counts[number] = counts.get(number, 0) + 1
        # Called so: at least half of the words of the header, none of them a number.
        called = [
            columns[number]
            for number, count in counts.items()
            if columns[number].file.sha256 != one.place.file.sha256
            and (count >= 0.5 * len(columns[number].words) or hows[0] == "count")
        ]
        if called and (made := _matching(one, hows[0], called)) is not None:
            found.append(made)
    return found


def _columns(files: Files, most_terms: int) -> Iterator[_Column]:
    for file, document in files:
        for table in document.tables:
            rows = range(*table.body)
            if table.truncated or not _LEAST_ROWS <= len(rows) <= most_terms:
                continue
            for index in number_columns(table):
                column = table.columns[index]
                if identifies(column.name):
                    continue
                cells = [(row, number_at(table, row, index)) for row in rows]
                filled = [(row, number) for row, number in cells if number is not None]
                if len({number for _, number in filled}) < 3:
                    continue
                yield _Column(
                    file,
                    table,
                    index,
                    frozenset(word for word in content(column.name) if not word.isdigit()) - _SAID,
                    tuple(row for row, _ in filled),
                    tuple(number for _, number in filled),
                )


def _matching(one: Single, how: How, called: Sequence[_Column]) -> Computed | None:
    """The one column whose mean, extreme or count the figure is, where that can't be luck."""
    scale = one.scale or 1.0
    stated, half = float(one.place.value) * scale, one.step * scale * (1 + 1e-9)
    precision = abs(stated) / (2 * half)
    if len(called) * _ODDS > precision:
        return None
    fitting = [
        column
        for column in called
        if abs(_REDUCED[how](column.cells) - stated) <= half and _plain(one, column, how)
    ]
    template = f"{scale:.0f} * {{0}} - {{1}}" if scale != 1.0 else "{0} - {1}"
    if fitting:
        column = min(fitting, key=lambda each: (-len(each.words), each.file.name, each.table.id, each.index))
        equation = Equation(
            "aggregate",
            "reconcile",
            ((one.place,), _places(column)),
            template,
            one.place.label,
            ("sum", how),
        )
        return _told(one, column, f"the {how} of", equation)
    pairs = [
        (column, weight)
        for column in called
        if how == "mean"
        and column.table.origin.kind == "cell"
        and column.rows == tuple(range(*column.table.body))
        for weight in _weights(column)
    ]
    if not pairs or (len(called) + len(pairs)) * _ODDS > precision:
        return None
    for column, weight in pairs:
        total = math.fsum(weight.cells)
        mean = math.fsum(a * b for a, b in zip(column.cells, weight.cells, strict=True)) / total
        if abs(mean - stated) <= half:
            equation = Equation(
                "aggregate",
                "reconcile",
                ((one.place,), _places(column), _places(weight)),
                template.replace("{1}", "sum({1} * {2}) / sum({2})"),
                one.place.label,
                ("sum", "column", "column"),
            )
            by = " ".join(column.table.columns[weight.index].name.split())
            return _told(one, column, f"the mean, weighted by “{by}”, of", equation)
    return None


def _plain(one: Single, column: _Column, how: How) -> bool:
    """A count is of what the rows are: their key's header or the table's title says it."""
    if how != "count":
        return True
    table = column.table
    key = table.columns[table.key].name if table.key is not None else ""
    nouns = frozenset(word for word in content(f"{key} {table.title}") if len(word) >= 4)
    return bool(nouns & content(one.place.label)) and len(column.rows) == len(range(*table.body))


def _weights(column: _Column) -> Iterator[_Column]:
    """Columns of the same table that count or weigh: filled in the same rows, never negative."""
    table = column.table
    for index in number_columns(table):
        about = table.columns[index]
        if index == column.index or not counts_something(about.name, about.unit):
            continue
        cells = [number_at(table, row, index) for row in column.rows]
        numbers = [number for number in cells if number is not None and number >= 0]
        if len(numbers) == len(cells) and sum(numbers) > 0:
            yield _Column(column.file, table, index, frozenset(), column.rows, tuple(numbers))


def _places(column: _Column) -> tuple[Place, ...]:
    label = column.table.key if column.table.key is not None else -1
    found = (
        place_of(
            column.file,
            column.table,
            row,
            column.index,
            cell_text(column.table, row, label) if label >= 0 else "",
        )
        for row in column.rows
    )
    return tuple(place for place in found if place is not None)


def same_means(averaged: Sequence[Line], lines: Sequence[Line], most_terms: int) -> list[Computed]:
    """Years of a table that are the means of another file's months: all of those that both have, two at least, with six
    digits between them."""
    yearly = [
        line
        for line in lines
        if not line.fixed and all(re.fullmatch(r"(?:fy)?(?:19|20)\d\d", key) for key in line.terms)
    ]
    found = []
    for mean in averaged:
        for line in yearly:
            if line.file.sha256 == mean.file.sha256:
                continue
            keys = [key for key in mean.terms if key in line.terms]
            if len(keys) < 2 or len(keys) * 12 > most_terms:
                continue
            steps = {key: 0.5 * 10.0 ** -_decimals(line.terms[key]) * (1 + 1e-6) for key in keys}
            if any(abs(mean.terms[key].value - line.terms[key].value) > steps[key] for key in keys):
                continue
            told_by = {line.terms[key].value for key in keys}
            if (
                len(told_by) < 2
                or sum(math.log10(max(abs(value), 1) / min(steps.values())) for value in told_by) < 6
            ):
                continue
            equations = tuple(
                Equation(
                    "aggregate",
                    "reconcile",
                    (line.terms[key].places, mean.terms[key].places),
                    "{0} - {1}",
                    key,
                    ("sum", "mean"),
                )
                for key in keys
            )
            why = f"{told(line)} gives the {told(mean)} over the months for {len(keys)} years"
            found.append(Computed("aggregate", equations, 6 + len(keys), why))
    return found


def _decimals(term: Term) -> int:
    return len(f"{term.value:.10g}".partition(".")[2])


def _told(one: Single, column: _Column, of: str, equation: Equation) -> Computed:
    name = " ".join(column.table.columns[column.index].name.split())
    why = f"“{one.place.label[:80]}” in {one.place.file.name} is {of} “{name}” ({column.file.name})"
    return Computed("aggregate", (equation,), 5 + one.digits / 2, why)
