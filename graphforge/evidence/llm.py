"""The ``llm`` engine: a model relates the facts of a workspace, and the files have the last word (section 3.3).

    graph = await relate(workspace, documents, reread, limits, speaker)

The relations that computation finds are offered as candidates, so that the model chooses, explains and adds instead
of finding again. What it adds must stand at a place that it was shown. Both go through :class:`Draft`, as those of the
``rules`` engine do: each node is read again from the original file, each expression computed again. An answer of which
something fails goes back once with the reasons; what fails then is left out and counted in ``dropped``.
"""

from collections.abc import Mapping

from ..errors import RecordError
from ..llm.failures import AnswerError, ProviderError
from ..llm.speaker import Speaker
from ..llm.unanswered import unanswered
from ..records import (
    Document,
    EvidenceGraph,
    EvidenceNode,
    Rejection,
    RelationKind,
    Series,
    Workspace,
    close,
    normalize,
    parse_number,
)
from ..records.arithmetic import FUNCTIONS, evaluate, named, renamed
from .draft import Draft, Reread, rejected
from .find import find
from .limits import EvidenceLimits
from .llm_again import again
from .llm_columns import read_column
from .llm_graph import AddedColumn, AddedEdge, AddedNode, GraphAnswer, Place, Shown, prompt, show

# How far a result that a model computed may be off before its edge isn't believed.
ROUNDING = 5e-3


async def relate(
    workspace: Workspace,
    documents: Mapping[str, Document],
    reread: Reread,
    limits: EvidenceLimits,
    speaker: Speaker,
) -> EvidenceGraph | Rejection:
    """The evidence graph of a workspace as a model sees it, or the reason why there is none.

    Arguments as for :func:`graphforge.evidence.build`. Reasons: "not_answerable" (the model says that the files don't
    carry the work), "nothing_chosen", "not_recovered" (nothing it said was found in the files), and those of a question
    without an answer.
    """
    shown = show(workspace, documents, find(workspace, documents, limits), limits)
    question = prompt(workspace, shown)
    best: _Reading | None = None
    for _ in range(2):
        try:
            answer = await speaker.ask(question, GraphAnswer)
        except (AnswerError, ProviderError) as error:
            if best is None:
                return unanswered(error, workspace.id, "graphs")
            break
        if not answer.carries:
            return rejected(workspace, "not_answerable", answer.reason)
        if not answer.relations and not answer.edges:
            return rejected(workspace, "nothing_chosen", answer.reason)
        reading = _Reading(Draft(workspace, reread), shown, limits.most_rows)
        reading.choose(answer)
        reading.add(answer)
        if best is None or reading.worth() > best.worth():
            best = reading
        if not reading.faults:
            break
        question = again(question, answer, reading.faults)
    assert best is not None
    kinds = {relation.kind for relation in best.draft.relations}
    if not kinds:
        detail = "; ".join(best.faults[:3]) or "the values were not found again in the original files"
        return rejected(workspace, "not_recovered", detail)
    if kinds == {"confuser"}:
        return rejected(workspace, "nothing_chosen", "only what looks alike is left, and nothing to do right")
    return best.draft.built(len(best.faults))


class _Reading:
    """Takes over an answer part by part. ``faults`` says of each part left out why; lost values the draft counts."""

    def __init__(self, draft: Draft, shown: Shown, most_rows: int):
        self.draft = draft
        self.shown = shown
        self.most_rows = most_rows
        self.faults: list[str] = []
        self.nodes: dict[str, EvidenceNode] = {}
        self.columns: dict[str, Series] = {}

    def worth(self) -> tuple[bool, int]:
        """More is better: relations at all, then few faults."""
        return bool(self.draft.relations), -len(self.faults)

    def choose(self, answer: GraphAnswer) -> None:
        """The chosen candidates, in the model's order."""
        done: set[str] = set()
        for chosen in answer.relations:
            evidence = self.shown.candidates.get(chosen.candidate)
            if evidence is None:
                self.faults.append(f"{chosen.candidate} is no candidate")
            elif chosen.candidate not in done:
                done.add(chosen.candidate)
                self.draft.add(evidence, chosen.why)

    def add(self, answer: GraphAnswer) -> None:
        """The model's own nodes, columns and edges; edges of one kind and one reason make a relation."""
        for added in answer.nodes:
            self._node(added)
        for one in answer.columns:
            self._column(one)
        made: dict[tuple[RelationKind, str], list[tuple[str, AddedEdge]]] = {}
        linked: set[str] = set()
        for edge in answer.edges:
            if (name := self._edge(edge)) is not None:
                made.setdefault((edge.kind, " ".join(edge.why.split())), []).append((name, edge))
                linked.update(edge.nodes)
        for (kind, why), edges in made.items():
            named_in = dict.fromkeys(name for _, edge in edges for name in edge.nodes)
            members = dict.fromkeys(self.nodes[name].id for name in named_in if name in self.nodes)
            series = dict.fromkeys(self.columns[name].id for name in named_in if name in self.columns)
            self.draft.relate(kind, tuple(series), tuple(members), [name for name, _ in edges], why)
        for name in (*self.nodes, *self.columns):
            if name not in linked:
                self.faults.append(f"{name} is joined to nothing")

    def _column(self, added: AddedColumn) -> None:
        if added.id in self.nodes or added.id in self.columns:
            self.faults.append(f"{added.id} is an id used twice")
            return
        grid = self.shown.grids.get(added.table)
        if grid is None:
            self.faults.append(f"{added.id} is a column of {added.table}, which was not shown")
            return
        try:
            measure = read_column(grid, added, self.most_rows)
        except RecordError as error:
            self.faults.append(f"{added.id}: {error.what}")
            return
        series = self.draft.column(measure)
        if series is None:
            self.faults.append(f"{added.id} was not found again row by row in {grid.file.name}")
        else:
            self.columns[added.id] = series

    def _node(self, added: AddedNode) -> None:
        place = self.shown.places.get(added.place)
        if place is None:
            self.faults.append(f"{added.id} stands at {added.place}, which was not shown")
            return
        if added.id in self.nodes:
            self.faults.append(f"{added.id} is an id used twice")
            return
        if (fault := _misread(added, place)) is not None:
            self.faults.append(f"{added.id} {fault}")
            return
        value = added.value
        if place.text is None and (number := parse_number(value)) is not None:
            value = number
        lost = len(self.draft.lost)
        node = self.draft.confirm(
            place.file,
            place.locator,
            value,
            None if place.text is None else " ".join((added.quote or "").split()),
            added.fact,
            added.measure,
            added.entity,
            added.period,
            added.unit,
            added.use,
        )
        if node is None:
            # The draft counts a value that isn't there; one that it lost before is this answer's fault again.
            if len(self.draft.lost) == lost:
                self.faults.append(f"{added.id} was not found again in {place.file.name}")
        elif not _same(node.value, value):
            self.faults.append(f"{added.id} misreads {added.place}")
        else:
            self.nodes[added.id] = node

    def _edge(self, edge: AddedEdge) -> str | None:
        names = tuple(dict.fromkeys(edge.nodes))
        if missing := [name for name in names if name not in self.nodes and name not in self.columns]:
            self.faults.append(f"an edge of kind {edge.kind} rests on {missing[0]}, which isn't there")
            return None
        members = self._members(names)
        if len(members) < 2:
            self.faults.append(f"an edge of kind {edge.kind} joins a node to itself")
            return None
        if edge.expression is None:
            return self.draft.edge(edge.kind, edge.operation, members, why=edge.why)
        known = {name: value for name in names if isinstance(value := self._value(name), float | tuple)}
        try:
            if not named(edge.expression):
                self.faults.append(f"{edge.expression} rests on no node")
                return None
            result = evaluate(edge.expression, known, FUNCTIONS)
            # In the graph an expression speaks of the graph's own ids.
            ids = {name: (self.nodes.get(name) or self.columns[name]).id for name in names}
            written = renamed(edge.expression, ids)
        except RecordError as error:
            self.faults.append(error.what)
            return None
        if isinstance(result, tuple):
            self.faults.append(f"{edge.expression} is a column and no number")
            return None
        if edge.result is not None and not close(edge.result, result, relative=ROUNDING):
            self.faults.append(f"{edge.expression} is {result}, not {edge.result}")
            return None
        return self.draft.edge(edge.kind, edge.operation, members, written, result, edge.why)

    def _members(self, names: tuple[str, ...]) -> list[EvidenceNode]:
        """The nodes behind names, a column's one by one, each once."""
        by_id = {node.id: node for node in self.draft.nodes.values()}
        ids = dict.fromkeys(
            one
            for name in names
            for one in ((self.nodes[name].id,) if name in self.nodes else self.columns[name].nodes)
        )
        return [by_id[one] for one in ids]

    def _value(self, name: str) -> float | str | tuple[float, ...]:
        if name in self.nodes:
            return self.nodes[name].value
        by_id = {node.id: node.value for node in self.draft.nodes.values()}
        return tuple(float(by_id[one]) for one in self.columns[name].nodes)


def _misread(added: AddedNode, place: Place) -> str | None:
    """What is wrong with a node before any file is opened, or None."""
    if place.text is None:
        return None
    quote = " ".join((added.quote or "").split())
    if not quote:
        return "cites a paragraph without quoting it"
    if isinstance(added.value, str):
        return None if normalize(added.value) == normalize(quote) else "says other words than it quotes"
    number = parse_number(quote)
    if number is None or not close(number, added.value):
        return f"reads {added.value:g} from “{quote}”"
    return None


def _same(held: float | str, said: float | str) -> bool:
    if isinstance(held, str) or isinstance(said, str):
        return normalize(held) == normalize(said)
    return close(held, said)
