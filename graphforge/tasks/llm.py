"""The ``llm`` engine: a model writes the task, the compiler computes and checks it (paper section 3.3).

    spec = await write(workspace, graph, speaker)

The model states statement, deliverables, criteria and checks; expected values it states as computations over the
graph, which are computed here from the nodes. Weights are scaled to sum to 1, ids are given, anchors are taken from the
nodes, and the whole is validated for leaks, references, wrong numbers and checks that can't work. A task with faults
goes back once, with all of them; one that still has any is rejected.
"""

import re
from collections.abc import Callable, Set
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from ..errors import RecordError
from ..llm.failures import AnswerError, ProviderError
from ..llm.speaker import Speaker
from ..llm.unanswered import unanswered
from ..records import (
    Anchor,
    Check,
    ColumnValues,
    Criterion,
    Deliverable,
    EvidenceGraph,
    ForeignValues,
    FormulaColumn,
    Heading,
    InventedRows,
    NegativeCriterion,
    ReadableFile,
    Rejection,
    RowSet,
    SheetPresent,
    TaskSpec,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
    Violation,
    Workspace,
    close,
    explain,
    normalize,
    parse_number,
    show_number,
)
from .criteria import scaled
from .llm_task import (
    CheckDraft,
    ColumnDraft,
    CriterionDraft,
    ExtremeDraft,
    ForeignDraft,
    FormulasDraft,
    HeadingDraft,
    InventedDraft,
    MentionDraft,
    NumberDraft,
    OpensDraft,
    PenaltyDraft,
    RowsDraft,
    SheetDraft,
    TaskAnswer,
    TotalDraft,
    TypedDraft,
    ViolationDraft,
    again,
    prompt,
)
from .llm_values import Values
from .validate import telling_numbers, validate

Made = TypeVar("Made")

GRIDS = frozenset(("xlsx", "csv"))
TEXTS = frozenset(("docx", "pdf"))

# How far a number that a model computed may be off, relatively: it may round, not err.
ROUNDING = 5e-3
# Rows of a confuser count as wrong from this relative difference on.
APART = 1e-4
# A row name shorter than this can't be looked for in a text.
SHORTEST_NAME = 3

# A fault begins with one of these words, which is also what a task is rejected for; the gravest comes first.
REASONS = {
    "leak": "leak",
    "reference": "broken_reference",
    "value": "unsupported_value",
    "form": "invalid_spec",
}

_FIGURE = re.compile(r"(?<![\w.,])-?\d[\d,]*(?:\.\d+)?(?!\w)")


async def write(workspace: Workspace, graph: EvidenceGraph, speaker: Speaker) -> TaskSpec | Rejection:
    """The specification that a model writes over a graph, or the reason why there is none.

    Reasons: "not_answerable" (the model says that the graph carries no such task), "leak", "broken_reference",
    "unsupported_value", "invalid_spec" (still faulty after it went back once), and those of a question without an
    answer.
    """
    question = prompt(workspace, graph)
    faults: list[str] = []
    for _ in range(2):
        try:
            answer = await speaker.ask(question, TaskAnswer)
        except (AnswerError, ProviderError) as error:
            return unanswered(error, workspace.id, "tasks")
        if not answer.feasible:
            return _rejection(workspace, "not_answerable", answer.reason)
        spec, faults = compiled(answer, workspace, graph)
        if spec is not None and not faults:
            return spec
        question = again(question, answer, faults)
    worst = next(reason for word, reason in REASONS.items() if any(one.startswith(word) for one in faults))
    return _rejection(workspace, worst, "; ".join(faults[:3]))


def compiled(
    answer: TaskAnswer, workspace: Workspace, graph: EvidenceGraph
) -> tuple[TaskSpec | None, list[str]]:
    """The specification of an answer and its faults, each a line that begins with a word of :data:`REASONS`."""
    compiler = _Compiler(answer, workspace, graph)
    spec = compiler.spec()
    faults = compiler.faults
    if spec is not None:
        faults += validate(spec, workspace, graph)
    return spec, list(dict.fromkeys(faults))


def _rejection(workspace: Workspace, reason: str, detail: str) -> Rejection:
    return Rejection(id=workspace.id, stage="tasks", reason=reason, detail=detail)


class _Compiler:
    """Turns drafts into records; whatever is wrong with them becomes a fault, so that all are known at once."""

    def __init__(self, answer: TaskAnswer, workspace: Workspace, graph: EvidenceGraph):
        self.answer = answer
        self.workspace = workspace
        self.graph = graph
        self.values = Values(graph)
        self.faults: list[str] = []
        self.deliverables = {
            one.file: f"D{number}" for number, one in enumerate(answer.deliverables, start=1)
        }
        self.families = {one.file: one.family for one in answer.deliverables}
        told = [answer.statement, *(f"{one.file} {one.requirement}" for one in answer.deliverables)]
        told += [sheet for one in answer.deliverables for sheet in one.sheets]
        self.told = "\n".join(told)
        self.folded = f" {normalize(self.told)} "

    def spec(self) -> TaskSpec | None:
        """The specification, or None where the parts make none."""
        deliverables = self._deliverables()
        criteria = [self._criterion(f"C{at}", one) for at, one in enumerate(self.answer.criteria, start=1)]
        penalties = [self._penalty(f"N{at}", one) for at, one in enumerate(self.answer.penalties, start=1)]
        if not criteria or not deliverables:
            self.faults.append("form: a task needs deliverables and criteria")
            return None
        untested = set(self.deliverables) - {one.file for one in self.answer.criteria}
        self.faults += [f"form: no criterion looks at {name}" for name in sorted(untested)]
        if None in criteria or None in penalties:
            return None
        weights = scaled([one.weight for one in self.answer.criteria])
        seed = self.workspace.seed
        try:
            return TaskSpec(
                id=f"task-{self.workspace.id}",
                workspace=self.workspace.id,
                graph=self.graph.id,
                occupation=seed.occupation,
                sector=seed.sector,
                topic=self.workspace.topic,
                pattern=seed.pattern,
                statement=self.answer.statement.strip(),
                deliverables=deliverables,
                criteria=tuple(
                    one.model_copy(update={"weight": weight})
                    for one, weight in zip(criteria, weights, strict=True)
                    if one is not None
                ),
                penalties=tuple(one for one in penalties if one is not None),
                files=tuple(sorted(file.name for file in self.workspace.files)),
                solution=None,
            )
        except ValidationError as error:
            self.faults.append(f"form: {explain(error)}")
            return None

    def _deliverables(self) -> tuple[Deliverable, ...]:
        inputs = {file.name.casefold() for file in self.workspace.files}
        names = [one.file.casefold() for one in self.answer.deliverables]
        found = []
        for one in self.answer.deliverables:
            if names.count(one.file.casefold()) > 1:
                self.faults.append(f"form: two deliverables are called {one.file}")
            if one.file.casefold() in inputs:
                self.faults.append(f"form: {one.file} is the name of an input file")
            if not one.file.casefold().endswith(f".{one.family}"):
                self.faults.append(f"form: {one.file} should end in .{one.family}")
            if one.file not in self.answer.statement:
                self.faults.append(f"form: the statement doesn't name {one.file}")
            if one.sheets and one.family != "xlsx":
                self.faults.append(f"form: {one.file} can have no sheets")
            found.append(
                Deliverable(
                    id=self.deliverables[one.file],
                    file=one.file,
                    family=one.family,
                    requirement=one.requirement,
                    sheets=one.sheets,
                )
            )
        return tuple(found)

    def _criterion(self, name: str, draft: CriterionDraft) -> Criterion | None:
        if (deliverable := self._deliverable(name, draft.file)) is None:
            return None
        anchors = self._anchors(name, draft.anchors)
        expected = [draft.expected.strip()] if draft.expected and draft.expected.strip() else []
        numbers: list[float] = []
        if draft.computation is not None and (number := self._stated(name, draft)) is not None:
            numbers.append(number)
            told = self.values.told(draft.computation)
            expected.append(f"{show_number(number)}, computed as {told}")
        checks: list[Check] = []
        for one in draft.checks:
            if (made := self._try(name, one.kind, partial(self._check, draft.file, one))) is not None:
                checks.append(made)
                if (recipe := self._recipe(one, made)) is not None:
                    expected.append(recipe)
        used = self._rests_on(draft)
        if used and not anchors:
            # A computation proves itself by its nodes: the first and the last of every series, and each single node.
            anchors = self._anchors(name, used)
        if expected and not anchors:
            self.faults.append(f"reference: {name} expects something and is anchored to nothing")
        for check in checks:
            if isinstance(check, TotalCell | TextNumber) and check.value is not None:
                numbers.append(check.value)
        self._supported(name, draft, anchors, numbers)
        return Criterion(
            id=name,
            deliverable=deliverable,
            requirement=draft.requirement,
            expected="; ".join(expected) or None,
            weight=1.0,
            anchors=anchors,
            verification=draft.verification,
            checks=tuple(checks),
        )

    def _penalty(self, name: str, draft: PenaltyDraft) -> NegativeCriterion | None:
        if (deliverable := self._deliverable(name, draft.file)) is None:
            return None
        violations: list[Violation] = []
        for one in draft.violations:
            made = self._try(name, one.kind, partial(self._violation, draft.file, one))
            if made is not None:
                violations.append(made)
        return NegativeCriterion(
            id=name,
            deliverable=deliverable,
            prohibited=draft.prohibited,
            penalty=draft.penalty,
            anchors=self._anchors(name, draft.anchors),
            verification=draft.verification,
            violations=tuple(violations),
        )

    def _deliverable(self, name: str, file: str) -> str | None:
        if file not in self.deliverables:
            self.faults.append(f"reference: {name} looks at {file}, which nobody was asked for")
        return self.deliverables.get(file)

    def _anchors(self, name: str, nodes: tuple[str, ...]) -> tuple[Anchor, ...]:
        found = []
        for identifier in dict.fromkeys(nodes):
            node = self.values.nodes.get(identifier)
            if node is None:
                self.faults.append(f"reference: {name} is anchored to {identifier}, which is no node")
            else:
                found.append(Anchor(node=node.id, file=node.file, name=node.name, locator=node.locator))
        return tuple(found)

    def _try(self, name: str, kind: str, make: Callable[[], Made]) -> Made | None:
    """Whether a number as written is a known one, up to the rounding that its digits show."""
    number, known = abs(number), abs(known)
    decimals = len(token.partition(".")[2]) if "." in token else 0
    whole = decimals == 0 and abs(known) < 1_000
    return close(
        number, known, absolute=0.0 if whole and known.is_integer() else _half_unit(decimals), relative=1e-9
    )
