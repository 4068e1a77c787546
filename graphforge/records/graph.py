"""The evidence graph: facts at locators, and the dependencies between them (paper section 3.3)."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from ..errors import RecordError
from .arithmetic import as_formula, as_sentence
from .base import FileName, Identifier, Record, Sha256
from .document import Where
from .locator import CellLocator, Locator, column_letters

RelationKind = Literal[
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
    "aggregate",
    "identity",
    "reference",
]
Operation = Literal["interpret", "compare", "reconcile", "derive"]


def _empty(text: str) -> bool:
    """What isn't there isn't written: explanations are left out of the line of a record that has none."""
    return text == ""


def _nothing(items: tuple[object, ...]) -> bool:
    return not items


class EvidenceNode(Record):
    """A fact that a file states at a locator, with what is needed to use it rightly.

    ``value`` is a number or a text; ``raw`` is what the file holds at the locator, to the letter. ``use`` is what the
    fact is there for, where a model said so.
    """

    id: Identifier
    file: Sha256
    name: FileName
    locator: Locator
    fact: str
    measure: str
    entity: str
    period: str | None = None
    unit: str | None = None
    value: float | str
    raw: str
    use: str = Field(default="", exclude_if=_empty)

    def cell(self) -> str:
        """The node as an operand of a formula: its cell, with file and sheet; a figure of a text as the number."""
        if not isinstance(self.locator, CellLocator):
            return repr(self.value)
        place = f"{column_letters(self.locator.column)}{self.locator.row + 1}"
        book = f"[{self.name}]{self.locator.sheet}".replace("'", "''")
        return f"'{book}'!{place}"


def _ranged(nodes: Sequence[EvidenceNode]) -> str:
    """Nodes as operands of a formula: one range where they are neighbours in a column, otherwise one by one."""
    places = [node.locator for node in nodes]
    if all(isinstance(place, CellLocator) for place in places):
        cells = [place for place in places if isinstance(place, CellLocator)]
        rows = sorted(place.row for place in cells)
        same = {(place.sheet, place.column) for place in cells}
        if len(same) == 1 and rows == list(range(rows[0], rows[0] + len(rows))):
            first = min(
                nodes, key=lambda node: node.locator.row if isinstance(node.locator, CellLocator) else 0
            )
            return f"{first.cell()}:{column_letters(cells[0].column)}{rows[-1] + 1}"
    return ",".join(node.cell() for node in nodes)


class EvidenceEdge(Record):
    """A dependency between nodes. ``expression`` is over node ids and gives ``result`` where it is a computation.

    ``why`` explains it, where a model did.
    """

    id: Identifier
    kind: RelationKind
    operation: Operation
    nodes: tuple[Identifier, ...] = Field(min_length=1)
    expression: str | None = None
    result: float | None = None
    why: str = Field(default="", exclude_if=_empty)


class Series(Record):
    """One measure of one table, a node a row: the column that a person would put side by side with another.

    ``entities`` and ``nodes`` run in the order of the file. ``place`` locates the first value cell;
    ``key_column`` is the zero-based column of the row names in the same sheet or table. ``rest`` are the names of the
    table's other rows, totals included, that the series leaves out. Of a part of a longer table ``where`` says which
    rows it has. ``header`` is what the file calls the column, where ``measure`` says more than that.
    """

    id: Identifier
    file: Sha256
    name: FileName
    table: str
    key_name: str
    key_column: int = Field(ge=0)
    measure: str
    unit: str | None = None
    period: str | None = None
    place: Locator
    entities: tuple[str, ...] = Field(min_length=1)
    nodes: tuple[Identifier, ...] = Field(min_length=1)
    rest: tuple[str, ...] = ()
    header: str = Field(default="", exclude_if=_empty)
    where: tuple[Where, ...] = Field(default=(), exclude_if=_nothing)

    @model_validator(mode="after")
    def _paired(self) -> "Series":
        if len(self.entities) != len(self.nodes):
            raise ValueError(f"series {self.id}: {len(self.entities)} entities but {len(self.nodes)} nodes")
        return self


class Relation(Record):
    """A relation between series, or a series and text nodes, or single nodes, carried by its edges.

    Those found by computation always have a series. ``why`` explains it, where a model did.
    """

    id: Identifier
    kind: RelationKind
    series: tuple[Identifier, ...] = ()
    nodes: tuple[Identifier, ...] = ()
    edges: tuple[Identifier, ...] = Field(min_length=1)
    why: str = Field(default="", exclude_if=_empty)

    @model_validator(mode="after")
    def _between_something(self) -> "Relation":
        if not self.series and not self.nodes:
            raise ValueError(f"relation {self.id} names neither series nor nodes")
        return self


class EvidenceGraph(Record):
    """An intermediate representation, never ground truth: every claim is recoverable from the original files."""

    id: Identifier
    workspace: Identifier
    nodes: tuple[EvidenceNode, ...] = Field(min_length=1)
    edges: tuple[EvidenceEdge, ...] = Field(min_length=1)
    series: tuple[Series, ...] = ()
    relations: tuple[Relation, ...] = Field(min_length=1)
    dropped: int = Field(default=0, ge=0)

    def formula(self, edge: str) -> str:
        """The expression of an edge as a spreadsheet formula over the cells of its files, figures of texts as numbers.

        RecordError where the edge has no expression, or a spreadsheet no plain formula for it.
        """
        expression = self._expression(edge)
        nodes = {node.id: node for node in self.nodes}
        cells = {name: node.cell() for name, node in nodes.items()}
        columns = {one.id: _ranged([nodes[name] for name in one.nodes]) for one in self.series}
        return as_formula(expression, cells | columns, columns)

    def sentence(self, edge: str) -> str:
        """The expression of an edge in words that name every operand. RecordError where the edge has none."""
        expression = self._expression(edge)
        names = {node.id: f"{node.value} ({node.measure}, {node.entity}; {node.name})" for node in self.nodes}
        names |= {
            one.id: f"the {len(one.nodes)} figures of “{one.measure}” in {one.name}" for one in self.series
        }
        told = as_sentence(expression, names)
        result = next(one.result for one in self.edges if one.id == edge)
        return told if result is None else f"{told} is {result!r}"

    def _expression(self, edge: str) -> str:
        found = next((one.expression for one in self.edges if one.id == edge), None)
        if found is None:
            raise RecordError(
                f"The graph {self.id} has no computation {edge!r}", "Name an edge with an expression"
            )
        return found

    @model_validator(mode="after")
    def _references(self) -> "EvidenceGraph":
        nodes = {node.id for node in self.nodes}
        edges = {edge.id for edge in self.edges}
        series = {one.id for one in self.series}
        for name, known, count in (
            ("node", nodes, self.nodes),
            ("edge", edges, self.edges),
            ("series", series, self.series),
        ):
            if len(known) != len(count):
                raise ValueError(f"graph {self.id}: a {name} id occurs twice")
        for edge in self.edges:
            if missing := set(edge.nodes) - nodes:
                raise ValueError(f"graph {self.id}: edge {edge.id} names unknown nodes {sorted(missing)}")
        for one in self.series:
            if missing := set(one.nodes) - nodes:
                raise ValueError(f"graph {self.id}: series {one.id} names unknown nodes {sorted(missing)}")
        for relation in self.relations:
            if set(relation.edges) - edges or set(relation.series) - series or set(relation.nodes) - nodes:
                raise ValueError(
                    f"graph {self.id}: relation {relation.id} names an unknown node, edge or series"
                )
        return self
