"""The ``rules`` reviser: executability, support, anchors and verification, each checked against files and pilot."""

import math
from collections.abc import Callable
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ..errors import GraphForgeError
from ..records import (
    Anchor,
    Criterion,
    EvidenceGraph,
    EvidenceNode,
    Locator,
    NegativeCriterion,
    Patch,
    Rejection,
    TaskSpec,
    Trajectory,
    Verdict,
    Workspace,
    close,
    normalize,
    parse_number,
    scaled,
)

Reread = Callable[[str, Locator], str]
Item = TypeVar("Item", Criterion, NegativeCriterion)


class RulesReviser(BaseModel):
    """Proposes the components that must change (paper section 3.4).

    ``least_weight``: a task that keeps less than this share of its weight is rejected instead of patched.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    uses_model: ClassVar[bool] = False

    least_weight: float = Field(gt=0, le=1)

    def propose(
        self,
        spec: TaskSpec,
        graph: EvidenceGraph,
        workspace: Workspace,
        pilot: Trajectory | None,
        verdict: Verdict | None,
        reread: Reread,
    ) -> Patch | Rejection:
        """A patch, empty where nothing must change, or the reason why the task can't be saved.

        ``pilot`` and ``verdict`` are None where there is no execution to learn from; an unjudged criterion says
        nothing about the task. A criterion that an informed pilot did not meet asks for something that the files
        don't give, and goes.
        """
        if pilot is not None and pilot.informed and pilot.status != "sandbox_error":
            missing = {item.file for item in spec.deliverables} - {
                artifact.name for artifact in pilot.artifacts
            }
            if pilot.status != "completed" or missing:
                detail = f"the pilot ended as {pilot.status}" + (
                    f" without {sorted(missing)}" if missing else ""
                )
                return Rejection(id=spec.id, stage="revise", reason="not_executable", detail=detail)
        reasons: list[str] = []
        lost = self._unrecovered(graph, reread)
        kept: list[Criterion] = []
        dropped: list[str] = []
        for criterion in spec.criteria:
            revised = _mend(criterion, graph, workspace, reasons)
            if fault := self._fault(revised, lost, pilot, verdict):
                reasons.append(f"{criterion.id} dropped: {fault}")
                dropped.append(criterion.id)
            else:
                kept.append(revised)
        penalties: list[NegativeCriterion] = []
        for penalty in spec.penalties:
            mended = _mend(penalty, graph, workspace, reasons)
            if any(anchor.node in lost for anchor in mended.anchors):
                reasons.append(f"{penalty.id} dropped: its evidence was not found again in the file")
                dropped.append(penalty.id)
            elif mended != penalty:
                penalties.append(mended)
        weight = math.fsum(criterion.weight for criterion in kept)
        if weight < self.least_weight:
            return Rejection(
                id=spec.id,
                stage="revise",
                reason="too_little_left",
                detail=f"{weight:.2f} of the weight survives revision: " + "; ".join(reasons[:3]),
            )
        if len(kept) < len(spec.criteria):
            kept = _reweighted(kept)
        before = {criterion.id: criterion for criterion in spec.criteria}
        statement = _name_deliverables(spec, reasons)
        return Patch(
            task=spec.id,
            statement=statement,
            criteria=tuple(criterion for criterion in kept if criterion != before[criterion.id]),
            penalties=tuple(penalties),
            drop=tuple(dropped),
            reasons=tuple(reasons),
        )

    def _unrecovered(self, graph: EvidenceGraph, reread: Reread) -> set[str]:
        """The nodes whose value the original file no longer shows at the locator."""
        return {node.id for node in graph.nodes if not _recovered(node, reread)}

    def _fault(
        self, criterion: Criterion, lost: set[str], pilot: Trajectory | None, verdict: Verdict | None
    ) -> str | None:
        """Why a criterion can't stay, or None."""
        if any(anchor.node in lost for anchor in criterion.anchors):
            return "its evidence was not found again in the file"
        if criterion.expected is not None and not criterion.anchors:
            return "it expects a value that nothing supports"
        if pilot is None or not pilot.informed or verdict is None:
            return None
        judged = next((item for item in verdict.criteria if item.criterion == criterion.id), None)
        if judged is not None and judged.outcome == "not_met":
            return f"the informed pilot did not meet it ({judged.evidence})"
        return None


def _recovered(node: EvidenceNode, reread: Reread) -> bool:
    try:
        raw = " ".join(reread(node.file, node.locator).split())
    except GraphForgeError:
        return False
    if " ".join(node.raw.split()) in raw:
        return True
    number = parse_number(raw)
    return number is not None and isinstance(node.value, float) and close(number, node.value)


def _mend(item: Item, graph: EvidenceGraph, workspace: Workspace, reasons: list[str]) -> Item:
    """The item with wrong anchors set right and a missing verification written."""
    nodes = {node.id: node for node in graph.nodes}
    files = {file.sha256 for file in workspace.files}
    anchors = []
    for anchor in item.anchors:
        node = nodes.get(anchor.node)
        if node is None or node.file not in files:
            reasons.append(f"{item.id}: anchor to the unknown node {anchor.node} removed")
            continue
        right = Anchor(node=node.id, file=node.file, name=node.name, locator=node.locator)
        if right != anchor:
            reasons.append(f"{item.id}: anchor {anchor.node} set to {node.name}, {node.locator.show()}")
        anchors.append(right)
    changes: dict[str, object] = {}
    if tuple(anchors) != item.anchors:
        changes["anchors"] = tuple(anchors)
    if not item.verification.strip():
        reasons.append(f"{item.id}: verification written")
        places = "; ".join(f"{anchor.name}, {anchor.locator.show()}" for anchor in anchors)
        looked_at = item.checks if isinstance(item, Criterion) else item.violations
        names = (
            ", ".join(dict.fromkeys(check.file for check in looked_at)) or f"deliverable {item.deliverable}"
        )
        changes["verification"] = f"Open {names}" + (f" and compare with {places}." if places else ".")
    return item.model_copy(update=changes) if changes else item


def _reweighted(criteria: list[Criterion]) -> list[Criterion]:
    """The criteria with weights that sum to exactly 1 again."""
    weights = scaled([criterion.weight for criterion in criteria])
    return [
        criterion.model_copy(update={"weight": weight})
        for criterion, weight in zip(criteria, weights, strict=True)
    ]


def _name_deliverables(spec: TaskSpec, reasons: list[str]) -> str | None:
    """The statement with every promised file named, or None where it names them already."""
    unnamed = [item for item in spec.deliverables if item.file not in spec.statement]
    if not unnamed:
        return None
    reasons.append("statement: names " + ", ".join(item.file for item in unnamed))
    told = normalize(spec.statement)
    lines = [
        f"- {item.file}" + ("" if normalize(item.requirement) in told else f": {item.requirement}")
        for item in unnamed
    ]
    return spec.statement.rstrip() + "\n\n" + "\n".join(lines)
