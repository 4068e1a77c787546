"""What a model is shown of a workspace to relate its facts, and the form of its answer.

Every cell and paragraph that is shown has a short place: ``F2.T1.R5.C`` is column C of row 5 of the first table of
the second file, ``F3.P12`` the twelfth paragraph of the third. A place that was not shown is no place.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..llm.fence import fence, instructions
from ..llm.prompt import Prompt, Turn
from ..records import (
    Document,
    Locator,
    Operation,
    Role,
    Table,
    Value,
    Workspace,
    WorkspaceFile,
    column_letters,
)
from .draft import Evidence
from .find import Found, confusers, measures_of
from .limits import EvidenceLimits
from .measures import Measure
from .quotes import Quotation, Threshold
from .relations import Finding

# The kinds that a model may add; the others are found by computation alone.
AddedKind = Literal[
    "shared_key",
    "equal",
    "conflict",
    "total",
    "share",
    "growth",
    "threshold",
    "quote",
    "confuser",
    "applies",
    "derived",
]
COLUMNS, CELL = 24, 80
OF_A_KIND = 6
# How often a column, or a pair of tables, may stand among the relations offered of a kind while others wait.
OF_A_COLUMN = 2


@dataclass(frozen=True)
class Portion:
    """What a prompt holds of one file: tables and rows of each, paragraphs and characters of each."""

    tables: int
    rows: int
    paragraphs: int
    characters: int


# Enough to see what a table is about, since long ones are known by the candidates; rules and memos in full where they
# may matter. Of what must not be used, or is only there, as much as it takes to see that.
PORTIONS: Mapping[Role, Portion] = {
    "core": Portion(tables=6, rows=30, paragraphs=40, characters=1_500),
    "supporting": Portion(tables=6, rows=30, paragraphs=40, characters=1_500),
    "confuser": Portion(tables=3, rows=10, paragraphs=10, characters=300),
    "ambient": Portion(tables=2, rows=3, paragraphs=3, characters=200),
}


class Chosen(BaseModel):
    """A candidate relation that the work needs, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    candidate: str
    why: str = Field(min_length=1)


class AddedNode(BaseModel):
    """A fact at a place that was shown. ``quote``: the words of a paragraph that state it, to the letter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    place: str
    value: float | str
    quote: str | None = None
    fact: str = Field(min_length=1)
    measure: str = Field(min_length=1)
    entity: str = Field(min_length=1)
    period: str | None = None
    unit: str | None = None
    use: str = Field(min_length=1)


class AddedColumn(BaseModel):
    """A column of a shown table, a node a row. ``rows``: only these (``R5``), or all that hold a number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    table: str
    key: str = Field(pattern=r"^[A-Z]{1,3}$")
    column: str = Field(pattern=r"^[A-Z]{1,3}$")
    rows: tuple[str, ...] = ()
    use: str = Field(min_length=1)


class AddedEdge(BaseModel):
    """A dependency between added nodes and columns, with its computation where it is one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: AddedKind
    operation: Operation
    nodes: tuple[str, ...] = Field(min_length=1)
    expression: str | None = None
    result: float | None = None
    why: str = Field(min_length=1)


class GraphAnswer(BaseModel):
    """The model's whole answer: whether the files carry the work, and the relations that do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(min_length=1)
    carries: bool
    relations: tuple[Chosen, ...] = ()
    nodes: tuple[AddedNode, ...] = ()
    columns: tuple[AddedColumn, ...] = ()
    edges: tuple[AddedEdge, ...] = ()


@dataclass(frozen=True)
class Place:
    """Where a label leads. ``text`` is given for a paragraph, as the parser read it."""

    file: WorkspaceFile
    locator: Locator
    text: str | None = None


@dataclass(frozen=True)
class Grid:
    """A table that was shown, in full or in part."""

    file: WorkspaceFile
    document: Document
    table: Table


@dataclass(frozen=True)
class Shown:
    """What the model saw: the text of it, its places, its tables, and the candidates by id."""

    files: str
    relations: str
    places: Mapping[str, Place]
    grids: Mapping[str, Grid]
    candidates: Mapping[str, Evidence]


def show(
    workspace: Workspace, documents: Mapping[str, Document], found: Found, limits: EvidenceLimits
) -> Shown:
    """The compact rendering of a workspace and of the relations that computation found in it."""
    places: dict[str, Place] = {}
    grids: dict[str, Grid] = {}
    columns: dict[tuple[str, str], str] = {}
    lines: list[str] = []
    for number, file in enumerate(workspace.files, start=1):
        name = f"F{number}"
        document = documents[file.sha256]
        lines += [*_file(name, file, document, places, columns), ""]
        for at, table in enumerate(document.tables[: PORTIONS[file.role].tables], start=1):
            grids[f"{name}.T{at}"] = Grid(file, document, table)
    candidates = {f"K{number}": one for number, one in enumerate(_offered(found, limits), start=1)}
    relations = [f"{name} {_describe(evidence, columns)}" for name, evidence in candidates.items()]
    return Shown("\n".join(lines).rstrip(), "\n".join(relations) or "none", places, grids, candidates)


def prompt(workspace: Workspace, shown: Shown) -> Prompt:
    """The question: instructions as the system's turn, everything from files and earlier steps fenced below it."""
    seed = workspace.seed
    work = (
        f"Occupation: {seed.occupation}\nWork activity: {seed.dwa}\nWork demand: {seed.demand}\n"
        f"Execution pattern: {seed.pattern}"
    )
    asked = (
        f"{fence('the work', work)}\n\n{fence('files of the workspace', shown.files)}\n\n"
        f"{fence('candidate relations, found by computation', shown.relations)}\n\n"
        "Which relations carry this work? Answer with the JSON object described above and nothing else."
    )
    return Prompt(
        stage="graphs",
        purpose="relate",
        turns=(
            Turn(role="system", content=instructions(__package__ or "", "llm_graph")),
            Turn(role="user", content=asked),
        ),
    )


def _file(
    name: str,
    file: WorkspaceFile,
    document: Document,
    places: dict[str, Place],
    columns: dict[tuple[str, str], str],
) -> list[str]:
    about = f"{file.source.title}, {file.source.publisher}" + (
        f", {file.source.period}" if file.source.period else ""
    )
    portion = PORTIONS[file.role]
    lines = [f"{name} {file.name} ({file.family}, {file.role}: {_cut(file.why, 160)}) {_cut(about, 160)}"]
    for number, table in enumerate(document.tables, start=1):
        columns[(file.sha256, table.id)] = f"{name}.T{number}"
        if number <= portion.tables:
            lines += _table(f"{name}.T{number}", file, table, places, portion.rows)
    if len(document.tables) > portion.tables:
        lines.append(f"  ({len(document.tables) - portion.tables} more tables, not shown)")
    for number, block in enumerate(document.blocks[: portion.paragraphs], start=1):
        label = f"{name}.P{number}"
        places[label] = Place(file, block.locator, " ".join(block.text.split()))
        lines.append(f"  {label} {_cut(block.text, portion.characters)}")
    if len(document.blocks) > portion.paragraphs:
        lines.append(f"  ({len(document.blocks) - portion.paragraphs} more paragraphs, not shown)")
    return lines


def _table(
    name: str, file: WorkspaceFile, table: Table, places: dict[str, Place], most_rows: int
) -> list[str]:
    width = min(len(table.columns), COLUMNS)
    heads = [
        f"{column_letters(column.index)} {_cut(column.name, CELL)} ({column.kind}"
        + (", names the rows" if column.index == table.key else "")
        + (f", {column.unit}" if column.unit else "")
        + ")"
        for column in table.columns[:width]
    ]
    lines = [f"  {name} “{_cut(table.title, 120)}” columns: {'; '.join(heads)}"]
    first, last = table.body
    shown = [*range(first, min(last, first + most_rows)), *table.totals]
    for row in shown:
        cells = []
        for column in range(width):
            value = table.grid[row][column]
            if value is None or value == "":
                cells.append("")
                continue
            letter = column_letters(column)
            try:
                places[f"{name}.R{row + 1}.{letter}"] = Place(file, table.locate(row, column))
            except ValueError:
                # The names of a JSON object's members stand nowhere: shown, but no place to cite.
                pass
            cells.append(f"{letter}={_cell(value)}")
        total = " (total)" if row in table.totals else ""
        lines.append(f"    R{row + 1}{total} {' | '.join(cell for cell in cells if cell)}")
    if last - first > most_rows:
        lines.append(f"    ({last - first - most_rows} more rows, not shown)")
    if len(table.columns) > width:
        more = "; ".join(_cut(column.name, CELL) for column in table.columns[width:])
        lines.append(f"    ({len(table.columns) - width} more columns, not shown: {_cut(more, 400)})")
    return lines


def _cell(value: Value) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return _cut(str(value), CELL)


def _cut(text: str, longest: int) -> str:
    """One line, so that no cell or title can look like a line of its own."""
    folded = " ".join(text.split())
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"


def _offered(found: Found, limits: EvidenceLimits) -> list[Evidence]:
    """The best relations of each kind, and what could be mistaken for the columns of these."""
    offered: list[Evidence] = []
    for kind in sorted(found.findings):
        offered += _diverse(found.findings[kind])
    offered += found.bounds[:OF_A_KIND]
    offered += found.quoted[:OF_A_KIND]
    primary = {measure.order: measure for evidence in offered for measure in measures_of(evidence)}
    candidates = [*found.alike, *found.measures]
    # Columns that a relation sets against each other are meant to differ: neither is a trap beside the other.
    related = {frozenset(measure.order for measure in measures_of(evidence)) for evidence in offered}
    wrong = []
    for measure in primary.values():
        found_wrong = confusers((measure,), candidates, limits.least_rows)
        apart = [one for one in found_wrong if frozenset(m.order for m in one.measures) not in related]
        wrong += apart[:1]
    return offered + sorted(wrong, key=Finding.order)[:OF_A_KIND]


def _diverse(findings: Sequence[Finding]) -> list[Finding]:
    """The best of a kind: between files first, and no column or pair of tables over and over while others wait."""
    used: Counter[object] = Counter()
    first: list[Finding] = []
    for one in sorted(findings, key=lambda one: len({measure.file.sha256 for measure in one.measures}) < 2):
        tables = frozenset((measure.file.sha256, measure.table.id) for measure in one.measures)
        about = [tables, *(measure.order for measure in one.measures)]
        if all(used[part] < OF_A_COLUMN for part in about):
            used.update(about)
            first.append(one)
    rest = [one for one in findings if one not in first]
    return [*first, *rest][:OF_A_KIND]


def _describe(evidence: Evidence, columns: Mapping[tuple[str, str], str]) -> str:
    if isinstance(evidence, Threshold):
        return (
            f"threshold: {evidence.file.name} sets {evidence.direction} {evidence.literal} for "
            f"{_column(evidence.measure, columns)}, in “{_cut(evidence.sentence, 300)}”"
        )
    if isinstance(evidence, list):
        first = evidence[0]
        return (
            f"quote: {first.file.name} states {len(evidence)} figures of {_column(first.measure, columns)}: "
            + "; ".join(_quoted(one) for one in evidence[:4])
        )
    joined = " and ".join(_column(measure, columns) for measure in evidence.measures)
    return f"{evidence.kind}: {joined}; {len(evidence.keys)} rows, such as {_samples(evidence.measures, evidence.keys)}"


def _column(measure: Measure, columns: Mapping[tuple[str, str], str]) -> str:
    table = columns[(measure.file.sha256, measure.table.id)]
    return f"{table} column {column_letters(measure.column.index)} “{_cut(measure.name, 100)}” of {measure.file.name}"


def _quoted(one: Quotation) -> str:
    row = one.measure.rows[one.key]
    cell = one.measure.table.grid[row][one.measure.column.index]
    return f"text {one.literal}, table {_cell(cell)} for {_cut(one.measure.table.key_text(row), 60)}"


def _samples(measures: Sequence[Measure], keys: Sequence[str]) -> str:
    apart = [
        key for key in keys if len({measure.value(key) for measure in measures}) == len(measures)
    ] or keys
    return "; ".join(
        f"{_cut(measures[0].table.key_text(measures[0].rows[key]), 60)}: "
        + " | ".join(_cell(measure.value(key)) for measure in measures)
        for key in apart[:3]
    )
