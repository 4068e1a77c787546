"""Everything that computation finds between the files of a workspace, whatever the pattern (paper section 3.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..records import Document, Workspace, WorkspaceFile
from .aggregates import same_means, stated_aggregates
from .bounds import bounds, same_bounds, split_rows
from .computed import Computed, best
from .equalities import near_lines, near_singles, same_lines, same_singles, singles, sums_of_singles
from .identities import additive, formulas, growth_rules, proportional
from .joins import composite, joined, tables_keyed
from .keys import content
from .limits import EvidenceLimits
from .lines import (
    Figure,
    Line,
    Place,
    column_lines,
    number_columns,
    place_of,
    rows_of,
    spelt_number,
    text_figures,
)
from .listed import listed_rows, running_totals, steps
from .pivots import cubes, means, sums
from .references import columns_named, shared_names
from .slices import Sliced, near_names, rates, stated_sums, year_slices

# File, table and column.
Where = tuple[str, str, int]


@dataclass(frozen=True)
class Survey:
    """What was found, and the pairs of columns that only look like a conflict."""

    kept: list[Computed]
    explained: frozenset[frozenset[Where]]


def survey(workspace: Workspace, documents: Mapping[str, Document], limits: EvidenceLimits) -> Survey:
    """The relations between core and supporting files, the best ``limits.most_found`` of each kind.

    Nothing is looked for by name: every finder compares what the files hold. Whatever it gives is re-read before it
    counts (``Draft.add``).
    """
    files = [(file, documents[file.sha256]) for file in workspace.with_role("core", "supporting")]
    found = between(files, limits)
    return Survey(best(found, limits.most_found), explained(found))


def explained(found: Sequence[Computed]) -> frozenset[frozenset[Where]]:
    """Pairs of columns whose difference a third file accounts for: a part and the whole don't contradict each other."""
    pairs = set()
    for one in found:
        if one.kind == "identity" and one.equations[0].template == "{0} + {1} - {2}":
            first, second, whole = (where(part[0]) for part in one.equations[0].parts)
            pairs |= {frozenset((first, whole)), frozenset((second, whole))}
    return frozenset(pairs)


def where(place: Place) -> Where:
    """The column of a table that a place stands in."""
    return (place.file.sha256, place.table.id if place.table is not None else "", place.column)


def between(files: Sequence[tuple[WorkspaceFile, Document]], limits: EvidenceLimits) -> list[Computed]:
    """All relations between files, in no order."""
    lines: list[Line] = []
    pooled: list[Line] = []
    averaged: list[Line] = []
    sliced: list[Sliced] = []
    for file, document in files:
        lines += column_lines(file, document, 3, limits.longest)
        for cube in cubes(file, document):
            pooled += sums(cube, limits.most_steps)
            averaged += means(cube, limits.most_steps)
            sliced.append(Sliced(cube))
    lines = lines[: limits.most_lines]
    found = same_lines([*lines, *pooled[: 4 * limits.most_lines]], limits.most_terms)
    found += near_lines(lines, limits.least_rows)
    covered = {
        (equation.parts[0][0].locator.model_dump_json(), equation.parts[1][0].locator.model_dump_json())
        for made in found
        for equation in made.equations
        if [len(part) for part in equation.parts] == [1, 1]
    }
    covered |= {(right, left) for left, right in covered}
    figures = singles(_cells(files, limits), _figures(files))
    found += same_singles(figures, covered)
    found += near_singles(figures)
    texts = {file.sha256: _words(document) for file, document in files}
    found += sums_of_singles(
        [*pooled, *(line for line in lines if line.kind == "column")], figures, texts, limits.most_terms
    )
    known = frozenset(
        (equation.parts[0][0].locator.model_dump_json() + (equation.parts[0][0].literal or ""), file)
        for one in found
        if one.kind == "aggregate"
        for equation in one.equations
        for file in {place.file.name for part in equation.parts[1:] for place in part}
    )
    found += stated_aggregates(files, figures, limits.most_terms)
    found += same_means(averaged[: limits.most_lines], lines, limits.most_terms)
    found += stated_sums(sliced, figures, known, limits.most_terms)
    found += near_names(sliced, figures, limits.most_terms)
    found += year_slices(sliced, lines, texts)
    found += rates(sliced, limits.least_rows, limits.most_terms)
    found += additive(lines, limits.least_rows)
    found += formulas(files, files, limits.least_rows)
    found += proportional(lines, limits.least_rows, growth_rules(files))
    found += joined(
        tables_keyed(lines),
        composite(files, limits.least_rows, limits.most_rows),
        limits.least_rows,
        limits.most_rows,
    )
    found += listed_rows(files) + steps(lines, _figures(files)) + running_totals(lines, files)
    stated = [one for file, document in files for one in bounds(file, document)]
    found += same_bounds(stated) + split_rows(stated, files, limits.least_rows)
    parts = explained(found)
    found = [
        one
        for one in found
        if one.kind != "conflict"
        or len(one.equations[0].parts) != 2
        or frozenset(where(part[0]) for part in one.equations[0].parts) not in parts
    ]
    return found + shared_names(files) + columns_named(files)


def _cells(
    files: Sequence[tuple[WorkspaceFile, Document]], limits: EvidenceLimits
) -> list[tuple[Place, Document]]:
    found = []
    for file, document in files:
        taken = 0
        for table in document.tables:
            figures = set(number_columns(table))
            others = {column.index for column in table.columns if column.kind == "text"} - figures
            for index in sorted(figures | others):
                for row in rows_of(table):
                    if (
                        taken < limits.most_figures
                        and (index in figures or spelt_number(table, row, index))
                        and (place := place_of(file, table, row, index, "")) is not None
                    ):
                        taken += 1
                        found.append((place, document))
    return found


def _figures(files: Sequence[tuple[WorkspaceFile, Document]]) -> list[tuple[Figure, Document]]:
    return [(figure, document) for file, document in files for figure in text_figures(file, document)]


def _words(document: Document) -> frozenset[str]:
    """The words of a short document: a page or two, where every heading bears on every figure."""
    text = document.text()
    return content(text) if len(text) <= 20_000 else frozenset()
