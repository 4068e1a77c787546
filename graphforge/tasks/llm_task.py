"""What a model is shown of a workspace's evidence to write a task over it, and the form of its answer.

The checks are those of ``records/check.py`` with one difference: where a check holds values, the model states a
computation over ids of the graph, and the values are computed from the nodes. So it can't get one wrong, nor make one
up.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..llm.fence import fence, instructions
from ..llm.prompt import Prompt, Turn
from ..records import (
    EvidenceEdge,
    EvidenceGraph,
    EvidenceNode,
    FileName,
    Relation,
    Series,
    Workspace,
    show_number,
)

ROWS, EDGES, TEXT = 80, 12, 300


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OpensDraft(_Part):
    """The file opens and isn't empty."""

    kind: Literal["readable_file"]


class SheetDraft(_Part):
    """The workbook has the sheet."""

    kind: Literal["sheet_present"]
    sheet: str = Field(min_length=1)


class HeadingDraft(_Part):
    """The document has the heading."""

    kind: Literal["heading"]
    heading: str = Field(min_length=1)


class FormulasDraft(_Part):
    """The cells of a column are live formulas."""

    kind: Literal["formula_column"]
    sheet: str = Field(min_length=1)
    column: str = Field(min_length=1)


class RowsDraft(_Part):
    """The rows are those that all ``series`` have, where ``where`` holds."""

    kind: Literal["row_set"]
    sheet: str = ""
    key: str = Field(min_length=1)
    series: tuple[str, ...] = Field(min_length=1)
    where: str | None = None


class Words(_Part):
    """What a cell says where a comparison holds, and where it doesn't."""

    holds: str = Field(min_length=1)
    fails: str = Field(min_length=1)


class ColumnDraft(_Part):
    """A column's values: an expression over series, row by row; with ``words`` the expression is a comparison."""

    kind: Literal["column_values"]
    sheet: str = ""
    key: str = Field(min_length=1)
    column: str = Field(min_length=1)
    expression: str = Field(min_length=1)
    where: str | None = None
    words: Words | None = None
    decimals: int | None = Field(default=None, ge=0, le=6)


class TotalDraft(_Part):
    """The number in a labelled row of a column."""

    kind: Literal["total_cell"]
    sheet: str = ""
    label: str = Field(min_length=1)
    column: str = Field(min_length=1)
    expression: str = Field(min_length=1)
    where: str | None = None
    decimals: int | None = Field(default=None, ge=0, le=6)


class NumberDraft(_Part):
    """A number in the running text, in a sentence that also holds ``terms``."""

    kind: Literal["text_number"]
    terms: tuple[str, ...] = ()
    expression: str = Field(min_length=1)
    where: str | None = None
    decimals: int = Field(ge=0, le=6)


class MentionDraft(_Part):
    """A phrase that must occur."""

    kind: Literal["text_mention"]
    phrase: str = Field(min_length=1)


class ExtremeDraft(_Part):
    """The name of the row with the largest or smallest value of an expression over series must occur."""

    kind: Literal["extreme_row"]
    end: Literal["largest", "smallest"]
    expression: str = Field(min_length=1)
    where: str | None = None


CheckDraft = Annotated[
    OpensDraft
    | SheetDraft
    | HeadingDraft
    | FormulasDraft
    | RowsDraft
    | ColumnDraft
    | TotalDraft
    | NumberDraft
    | MentionDraft
    | ExtremeDraft,
    Field(discriminator="kind"),
]


class ForeignDraft(_Part):
    """The column holds the values of ``wrong`` where they differ from those of ``right``: expressions over series."""

    kind: Literal["foreign_values"]
    sheet: str = ""
    key: str = Field(min_length=1)
    column: str = Field(min_length=1)
    wrong: str = Field(min_length=1)
    right: str = Field(min_length=1)


class TypedDraft(_Part):
    """A total typed in instead of computed by a formula."""

    kind: Literal["typed_total"]
    sheet: str = Field(min_length=1)
    label: str = Field(min_length=1)
    column: str = Field(min_length=1)


class InventedDraft(_Part):
    """Rows that no series has; ``labels`` are the rows allowed besides."""

    kind: Literal["invented_rows"]
    sheet: str = ""
    key: str = Field(min_length=1)
    series: tuple[str, ...] = Field(min_length=1)
    labels: tuple[str, ...] = ()


ViolationDraft = Annotated[ForeignDraft | TypedDraft | InventedDraft, Field(discriminator="kind")]


class DeliverableDraft(_Part):
    """A file to hand over."""

    file: FileName
    family: Literal["xlsx", "csv", "docx", "pdf"]
    requirement: str = Field(min_length=1)
    sheets: tuple[str, ...] = ()


class CriterionDraft(_Part):
    """A positive criterion on one deliverable; ``computation`` and ``value`` say the expected number, if it is one."""

    file: str
    requirement: str = Field(min_length=1)
    weight: float = Field(gt=0, le=100)
    anchors: tuple[str, ...] = ()
    expected: str | None = None
    computation: str | None = None
    value: float | None = None
    verification: str = Field(min_length=1)
    checks: tuple[CheckDraft, ...] = ()


class PenaltyDraft(_Part):
    """A prohibited outcome on one deliverable."""

    file: str
    prohibited: str = Field(min_length=1)
    penalty: float = Field(gt=0, le=1)
    anchors: tuple[str, ...] = ()
    verification: str = Field(min_length=1)
    violations: tuple[ViolationDraft, ...] = ()


class TaskAnswer(_Part):
    """The model's whole answer."""

    reason: str = Field(min_length=1)
    feasible: bool
    statement: str = ""
    deliverables: tuple[DeliverableDraft, ...] = ()
    criteria: tuple[CriterionDraft, ...] = ()
    penalties: tuple[PenaltyDraft, ...] = ()


def prompt(workspace: Workspace, graph: EvidenceGraph) -> Prompt:
    """The question: instructions as the system's turn, everything from files and earlier steps fenced below it."""
    seed = workspace.seed
    work = (
        f"Occupation: {seed.occupation}\nWork activity: {seed.dwa}\nWork demand: {seed.demand}\n"
        f"Execution pattern: {seed.pattern}\nExpected output family: {seed.output_family}"
    )
    asked = (
        f"{fence('the work', work)}\n\n{fence('files in the folder', _files(workspace))}\n\n"
        f"{fence('evidence graph', _graph(graph))}\n\n"
        "Write the task. Answer with the JSON object described above and nothing else."
    )
    return Prompt(
        stage="tasks",
        purpose="write",
        turns=(
            Turn(role="system", content=instructions(__package__ or "", "llm_task")),
            Turn(role="user", content=asked),
        ),
    )


def again(first: Prompt, answer: TaskAnswer, faults: Sequence[str]) -> Prompt:
    """The question once more, with the answer given and what is wrong with it."""
    listed = "\n".join(f"- {' '.join(fault.split())}" for fault in faults)
    asked = (
        f"That task can't be used as it stands. What is wrong with it:\n\n{fence('faults', listed)}\n\n"
        "Mend every fault: correct what the evidence supports and drop what it doesn't. Leave the rest as it is. "
        "Answer with the whole JSON object again and nothing else."
    )
    turns = (
        *first.turns,
        Turn(role="assistant", content=answer.model_dump_json()),
        Turn(role="user", content=asked),
    )
    return Prompt(stage="tasks", purpose="mend", turns=turns)


def _files(workspace: Workspace) -> str:
    return "\n".join(
        f"{file.name} ({file.family}, {file.role}: {_cut(file.why)}) {_cut(file.source.title)}, "
        f"{_cut(file.source.publisher)}" + (f", {file.source.period}" if file.source.period else "")
        for file in workspace.files
    )


def _graph(graph: EvidenceGraph) -> str:
    nodes = {node.id: node for node in graph.nodes}
    edges = {edge.id: edge for edge in graph.edges}
    in_series = {name for one in graph.series for name in one.nodes}
    lines = ["SERIES"]
    for one in graph.series:
        lines += _series(one, nodes)
    lines.append("SINGLE NODES")
    lines += [_node(node) for node in graph.nodes if node.id not in in_series]
    lines.append("RELATIONS")
    for relation in graph.relations:
        lines += _relation(relation, edges)
    return "\n".join(lines)


def _series(one: Series, nodes: dict[str, EvidenceNode]) -> list[str]:
    about = [f"“{_cut(one.measure)}”", f"of {one.name}", f"table “{_cut(one.table)}”" if one.table else ""]
    about += [f"unit {one.unit}" if one.unit else "", f"period {one.period}" if one.period else ""]
    what = ", ".join(part for part in about if part)
    head = f"{one.id} {what}; {len(one.nodes)} rows, named under “{_cut(one.key_name)}”"
    rows = [
        f"{name} {_cut(entity)} = {_value(nodes[name].value)}"
        for entity, name in zip(one.entities[:ROWS], one.nodes[:ROWS], strict=True)
    ]
    more = f"; and {len(one.nodes) - ROWS} rows more" if len(one.nodes) > ROWS else ""
    return [head, f"   {'; '.join(rows)}{more}"]


def _node(node: EvidenceNode) -> str:
    period = f", {node.period}" if node.period else ""
    unit = f" {node.unit}" if node.unit else ""
    use = f" [{_cut(node.use)}]" if node.use else ""
    return (
        f"{node.id} {node.name}, {node.locator.show()}: {_cut(node.measure)}, {_cut(node.entity)}{period} = "
        f"{_value(node.value)}{unit}. {_cut(node.fact)}{use}"
    )


def _relation(relation: Relation, edges: dict[str, EvidenceEdge]) -> list[str]:
    between = ", ".join((*relation.series, *relation.nodes[:12]))
    why = f": {_cut(relation.why, 600)}" if relation.why else ""
    computed = [edges[name] for name in relation.edges if edges[name].expression]
    # Rows that agree say the same thing again and again.
    telling = [edge for edge in computed if edge.result] or computed
    left = len(computed) - len(telling[:EDGES])
    lines = [f"{relation.id} {relation.kind} between {between}{why}"]
    if computed:
        told = "; ".join(f"{edge.expression} = {_value(edge.result or 0.0)}" for edge in telling[:EDGES])
        lines.append(f"   {told}" + (f"; and {left} more" if left else ""))
    return lines


def _value(value: float | str) -> str:
    return f"“{_cut(value)}”" if isinstance(value, str) else show_number(value)


def _cut(text: str, longest: int = TEXT) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"
