"""The reviser that asks a model, between two runs of the deterministic checks.

means = Means(speaker, reread, passage, merge, faults)
patch = await LlmReviser(rules=RulesReviser(...), ...).propose_with(means, spec, graph, workspace, pilot, verdict)
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from ..errors import GraphForgeError, RecordError
from ..llm import AnswerError, Prompt, ProviderError, Speaker, Turn
from ..llm.fence import fence, instructions
from ..llm.unanswered import unanswered
from ..records import (
    Anchor,
    Criterion,
    EvidenceGraph,
    EvidenceNode,
    Message,
    NegativeCriterion,
    Patch,
    Rejection,
    TaskSpec,
    Trajectory,
    Verdict,
    Workspace,
)
from .proposal import Proposal, difference, patch_of
from .rules import Reread, RulesReviser

_STAGE = "revise"
_CHECKS_SHOWN = 6000


@dataclass(frozen=True)
class Means:
    """What the reviser works with, from rooms that it can't reach.

    ``passage`` gives the text at an anchor with what is needed to read it, ``merge`` the specification under a patch
    (RecordError where it is none), ``faults`` what validation finds in a specification.
    """

    speaker: Speaker
    reread: Reread
    passage: Callable[[Anchor], str]
    merge: Callable[[TaskSpec, Patch], TaskSpec]
    faults: Callable[[TaskSpec], list[str]]


class LlmReviser(BaseModel):
    """Proposes the components that must change (paper section 3.4).

    Args:
        rules: the deterministic checks, run before the model and over what it leaves.
        nodes: the most nodes of the graph that are shown, those that anchors name first.
        messages: the most messages of the pilot that are shown, from its beginning and its end.
        message_characters: the most of one message.
        passage_characters: the most of the passages of one file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    uses_model: ClassVar[bool] = True

    rules: RulesReviser
    nodes: int = Field(ge=1)
    messages: int = Field(ge=2)
    message_characters: int = Field(ge=100)
    passage_characters: int = Field(ge=1000)

    async def propose_with(
        self,
        means: Means,
        spec: TaskSpec,
        graph: EvidenceGraph,
        workspace: Workspace,
        pilot: Trajectory | None,
        verdict: Verdict | None,
    ) -> Patch | Rejection:
        """One patch for all that changed, empty where nothing must change, or why the task can't be saved.

        Faults of the model's patch go back to it once; after that the task is rejected as "invalid_patch". Where there
        is no usable answer the reason is "answer_truncated", "answer_invalid", "answer_refused" or "no_answer".
        """
        first = self.rules.propose(spec, graph, workspace, pilot, verdict, means.reread)
        if isinstance(first, Rejection):
            return first
        mended = means.merge(spec, first)
        turns = self._turns(means, mended, graph, workspace, pilot, verdict, first.reasons)
        try:
            revised, reasons = await self._revised(means, mended, graph, turns)
        except (AnswerError, ProviderError) as error:
            return unanswered(error, spec.id, _STAGE)
        if isinstance(revised, Rejection):
            return revised
        # What the execution said holds only for the request and the criteria that are still the same.
        same = (revised.statement, revised.deliverables) == (mended.statement, mended.deliverables)
        last = self.rules.propose(
            revised,
            graph,
            workspace,
            pilot if same else None,
            _untouched(verdict, mended, revised) if same else None,
            means.reread,
        )
        if isinstance(last, Rejection):
            return last
        return difference(spec, means.merge(revised, last), (*first.reasons, *reasons, *last.reasons))

    async def _revised(
        self, means: Means, spec: TaskSpec, graph: EvidenceGraph, turns: tuple[Turn, ...]
    ) -> tuple[TaskSpec | Rejection, tuple[str, ...]]:
        faults: list[str] = []
        for _ in range(2):
            proposal = await means.speaker.ask(Prompt(stage=_STAGE, purpose="patch", turns=turns), Proposal)
            if proposal.hopeless is not None and proposal.hopeless.strip():
                detail = " ".join(proposal.hopeless.split())
                return Rejection(id=spec.id, stage=_STAGE, reason="reviser_gave_up", detail=detail), ()
            patch, faults = patch_of(proposal, spec, graph)
            if not faults:
                try:
                    revised = means.merge(spec, patch)
                except RecordError as error:
                    faults = [error.what]
                else:
                    faults = means.faults(revised)
                    if not faults:
                        return revised, patch.reasons
            told = fence("faults", "\n".join(f"- {fault}" for fault in faults))
            turns = (
                *turns,
                Turn(role="assistant", content=proposal.model_dump_json()),
                Turn(
                    role="user",
                    content=f"The patch can't be merged. What is wrong with it:\n\n{told}\n\n"
                    "Answer once more with the whole patch, set right.",
                ),
            )
        return Rejection(id=spec.id, stage=_STAGE, reason="invalid_patch", detail="; ".join(faults[:3])), ()

    def _turns(
        self,
        means: Means,
        spec: TaskSpec,
        graph: EvidenceGraph,
        workspace: Workspace,
        pilot: Trajectory | None,
        verdict: Verdict | None,
        mended: Sequence[str],
    ) -> tuple[Turn, ...]:
        items: list[Criterion | NegativeCriterion] = [*spec.criteria, *spec.penalties]
        anchors = list({anchor.node: anchor for item in items for anchor in item.anchors}.values())
        nodes = _chosen(graph, [anchor.node for anchor in anchors], self.nodes)
        parts = ["The task as the agent sees it:", fence("task", _task(spec))]
        parts += ["The rubric, hidden from the agent:", fence("rubric", "\n".join(map(_item, items)))]
        files = [f"{one.name} ({one.family}, {one.role}): {one.source.title}" for one in workspace.files]
        parts += ["The files of the workspace, with their hidden roles:", fence("files", "\n".join(files))]
        parts += [
            f"The evidence graph ({len(nodes)} of {len(graph.nodes)} nodes):",
            fence("graph", _graph(graph, nodes)),
        ]
        for name, text in _passages(anchors, means.passage).items():
            if len(text) > self.passage_characters:
                parts.append(
                    f"(Of the next block, only the first {self.passage_characters} characters are shown.)"
                )
            parts.append(fence(f"passages of {name}", text[: self.passage_characters]))
        if mended:
            parts += ["Deterministic checks have changed this already:", fence("changes", "\n".join(mended))]
        if pilot is None:
            parts.append("There is no execution to learn from.")
        else:
            parts += self._execution(pilot)
        if verdict is not None:
            parts += ["The judge's verdict on it:", fence("verdict", _verdict(verdict))]
        parts.append("What must change?")
        return (
            Turn(role="system", content=instructions(__package__, "llm_reviser")),
            Turn(role="user", content="\n\n".join(parts)),
        )

    def _execution(self, pilot: Trajectory) -> list[str]:
        shown = [_message(message, self.message_characters) for message in pilot.messages]
        left = len(shown) - self.messages
        if left > 0:
            head = self.messages // 3
            shown = [*shown[:head], f"[{left} messages left out]", *shown[head + left :]]
        handed = ", ".join(artifact.name for artifact in pilot.artifacts) or "nothing"
        who = "was given the hidden solution" if pilot.informed else "knew no more than the task"
        return [
            f"One execution, by an agent that {who}. It ended as {pilot.status}. What it handed over:",
            fence("handed over", handed),
            f"Its messages ({max(left, 0)} of {len(pilot.messages)} left out, long ones cut):",
            fence("execution", "\n".join(shown)),
        ]


def _untouched(verdict: Verdict | None, before: TaskSpec, after: TaskSpec) -> Verdict | None:
    """The verdict on the criteria that are the same before and after."""
    if verdict is None:
        return None
    same = {item.id for item in after.criteria} - {
        item.id for item in after.criteria if item not in before.criteria
    }
    return verdict.model_copy(
        update={"criteria": tuple(one for one in verdict.criteria if one.criterion in same)}
    )


def _task(spec: TaskSpec) -> str:
    lines = [f"{one.id}: {one.file} ({one.family}): {_line(one.requirement)}" for one in spec.deliverables]
    return "\n".join([spec.statement.strip(), "", "Deliverables:", *lines])


def _item(item: Criterion | NegativeCriterion) -> str:
    """A criterion or penalty as a JSON line, anchors by node; long lists of checks cut."""
    if isinstance(item, Criterion):
        fields = item.model_dump(mode="json", exclude={"anchors", "checks"})
        name, listed = "checks", [check.model_dump(mode="json") for check in item.checks]
    else:
        fields = item.model_dump(mode="json", exclude={"anchors", "violations"})
        name, listed = "violations", [check.model_dump(mode="json") for check in item.violations]
    fields["anchors"] = [anchor.node for anchor in item.anchors]
    text = json.dumps(listed, ensure_ascii=False)
    if len(text) > _CHECKS_SHOWN:
        text = f"{text[:_CHECKS_SHOWN]}… (cut)"
    return f"{json.dumps(fields, ensure_ascii=False)} {name}: {text}"


def _chosen(graph: EvidenceGraph, anchored: Sequence[str], most: int) -> list[EvidenceNode]:
    """At most ``most`` nodes: those that anchors name, then the others in the graph's order."""
    nodes = {node.id: node for node in graph.nodes}
    order = [name for name in anchored if name in nodes] + [node.id for node in graph.nodes]
    return [nodes[name] for name in list(dict.fromkeys(order))[:most]]


def _graph(graph: EvidenceGraph, nodes: Sequence[EvidenceNode]) -> str:
    lines = []
    for node in nodes:
        about = ", ".join(filter(None, (node.measure, node.entity, node.period)))
        value = f"{node.value:.10g}" if isinstance(node.value, float) else _line(node.value)[:200]
        unit = f" {node.unit}" if node.unit else ""
        lines.append(f"{node.id} | {node.name}, {node.locator.show()} | {_line(about)} | {value}{unit}")
    shown = {node.id for node in nodes}
    for edge in graph.edges:
        if shown.issuperset(edge.nodes):
            result = f" = {edge.result:.10g}" if edge.result is not None else ""
            computed = f": {edge.expression}{result}" if edge.expression else ""
            lines.append(f"{edge.id} | {edge.operation}, {edge.kind} | {' '.join(edge.nodes)}{computed}")
    return "\n".join(lines)


def _passages(anchors: Sequence[Anchor], passage: Callable[[Anchor], str]) -> dict[str, str]:
    """By file, the lines at its anchors, each once."""
    files: dict[str, dict[str, None]] = {}
    for anchor in anchors:
        try:
            text = passage(anchor)
        except GraphForgeError as error:
            text = f"[{anchor.locator.show()} can't be read: {error.what}]"
        files.setdefault(anchor.name, {}).update(dict.fromkeys(text.splitlines()))
    return {name: "\n".join(lines) for name, lines in files.items()}


def _message(message: Message, most: int) -> str:
    calls = [f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)})" for call in message.calls]
    text = _line(" ".join([message.content, *calls]))
    failed = f" (exit code {message.exit_code})" if message.exit_code else ""
    return f"{message.role}{failed}: {text[:most]}" + ("…" if len(text) > most else "")


def _verdict(verdict: Verdict) -> str:
    marks = [(one.criterion, one.outcome, one.fraction, one.evidence) for one in verdict.criteria]
    marks += [(one.penalty, one.outcome, one.degree, one.evidence) for one in verdict.penalties]
    return "\n".join(
        f"{name}: {outcome}{'' if share is None else f' {share:g}'}: {_line(evidence)[:600]}"
        for name, outcome, share, evidence in marks
    )


def _line(text: str) -> str:
    return " ".join(text.split())
