"""What a model proposes to change, and the patch that it makes.

The records' own types are unions and mappings that providers' schemas can't say, so a model answers in flat ones:
null keeps a field, anchors are ids of nodes, checks are a JSON text.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..records import (
    Anchor,
    Check,
    Criterion,
    Deliverable,
    EvidenceGraph,
    NegativeCriterion,
    Patch,
    TaskSpec,
    Violation,
    explain,
)

_CHECKS: TypeAdapter[tuple[Check, ...]] = TypeAdapter(tuple[Check, ...])
_VIOLATIONS: TypeAdapter[tuple[Violation, ...]] = TypeAdapter(tuple[Violation, ...])


class _Flat(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class DeliverableEdit(_Flat):
    id: str
    requirement: str | None = None
    sheets: list[str] | None = None


class CriterionEdit(_Flat):
    id: str
    deliverable: str | None = None
    requirement: str | None = None
    expected: str | None = Field(default=None, description="null keeps it, the empty text removes it")
    weight: float | None = None
    anchors: list[str] | None = Field(default=None, description="ids of nodes of the graph")
    verification: str | None = None
    checks: str | None = Field(default=None, description="the whole list as JSON")


class PenaltyEdit(_Flat):
    id: str
    deliverable: str | None = None
    prohibited: str | None = None
    penalty: float | None = None
    anchors: list[str] | None = Field(default=None, description="ids of nodes of the graph")
    verification: str | None = None
    violations: str | None = Field(default=None, description="the whole list as JSON")


class Proposal(_Flat):
    """The components that must change, and nothing else."""

    reasons: list[str] = []
    statement: str | None = None
    deliverables: list[DeliverableEdit] = []
    criteria: list[CriterionEdit] = []
    penalties: list[PenaltyEdit] = []
    drop: list[str] = []
    hopeless: str | None = None


def patch_of(proposal: Proposal, spec: TaskSpec, graph: EvidenceGraph) -> tuple[Patch, list[str]]:
    """The patch, and what is wrong with it, a line each: unknown ids and nodes, fields that are no valid records.

    Only a patch without faults is worth merging.
    """
    maker = _Maker(spec, graph)
    edited = [edit.id for edit in proposal.deliverables] + [edit.id for edit in proposal.criteria]
    edited += [edit.id for edit in proposal.penalties]
    maker.faults += [
        f"{name} is changed twice" for name in sorted({n for n in edited if edited.count(n) > 1})
    ]
    maker.faults += [
        f"{name} is both changed and dropped" for name in sorted(set(edited) & set(proposal.drop))
    ]
    known = {item.id for item in spec.criteria} | {item.id for item in spec.penalties}
    maker.faults += [
        f"drop: there is no criterion or penalty {name!r}" for name in proposal.drop if name not in known
    ]
    deliverables = [maker.deliverable(edit) for edit in proposal.deliverables]
    criteria = [maker.criterion(edit) for edit in proposal.criteria]
    penalties = [maker.penalty(edit) for edit in proposal.penalties]
    if maker.faults:
        return Patch(task=spec.id), maker.faults
    return (
        Patch(
            task=spec.id,
            statement=proposal.statement,
            deliverables=tuple(one for one in deliverables if one is not None),
            criteria=tuple(one for one in criteria if one is not None),
            penalties=tuple(one for one in penalties if one is not None),
            drop=tuple(dict.fromkeys(proposal.drop)),
            reasons=tuple(proposal.reasons),
        ),
        [],
    )


def difference(before: TaskSpec, after: TaskSpec, reasons: Sequence[str]) -> Patch:
    """The one patch that leads from a specification to another: what differs, by id, and what is gone."""
    left = {item.id for item in after.criteria} | {item.id for item in after.penalties}
    gone = [item.id for item in before.criteria] + [item.id for item in before.penalties]
    deliverables = {item.id: item for item in before.deliverables}
    criteria = {item.id: item for item in before.criteria}
    penalties = {item.id: item for item in before.penalties}
    return Patch(
        task=before.id,
        statement=after.statement if after.statement != before.statement else None,
        deliverables=tuple(one for one in after.deliverables if deliverables.get(one.id) != one),
        criteria=tuple(one for one in after.criteria if criteria.get(one.id) != one),
        penalties=tuple(one for one in after.penalties if penalties.get(one.id) != one),
        drop=tuple(name for name in gone if name not in left),
        reasons=tuple(reasons),
    )


class _Maker:
    """Makes records of edits, and notes what can't be made."""

    def __init__(self, spec: TaskSpec, graph: EvidenceGraph):
        self._deliverables = {item.id: item for item in spec.deliverables}
        self._criteria = {item.id: item for item in spec.criteria}
        self._penalties = {item.id: item for item in spec.penalties}
        self._nodes = {node.id: node for node in graph.nodes}
        self.faults: list[str] = []

    def deliverable(self, edit: DeliverableEdit) -> Deliverable | None:
        known = self._deliverables.get(edit.id)
        if known is None:
            self.faults.append(f"there is no deliverable {edit.id!r}, and none can be added")
            return None
        changes = _given(edit, "requirement", "sheets")
        return self._made(Deliverable, edit.id, {**known.model_dump(), **changes})

    def criterion(self, edit: CriterionEdit) -> Criterion | None:
        changes = _given(edit, "deliverable", "requirement", "expected", "weight", "verification")
        if edit.expected is not None and not edit.expected.strip():
            changes["expected"] = None
        changes |= self._anchors(edit.id, edit.anchors)
        changes |= self._list("checks", edit.id, edit.checks, _CHECKS)
        known = self._criteria.get(edit.id)
        if known is None:
            changes = {"expected": None, "checks": (), **changes}
        return self._made(Criterion, edit.id, {**_fields(known), **changes, "id": edit.id})

    def penalty(self, edit: PenaltyEdit) -> NegativeCriterion | None:
        changes = _given(edit, "deliverable", "prohibited", "penalty", "verification")
        changes |= self._anchors(edit.id, edit.anchors)
        changes |= self._list("violations", edit.id, edit.violations, _VIOLATIONS)
        known = self._penalties.get(edit.id)
        if known is None:
            changes = {"violations": (), **changes}
        return self._made(NegativeCriterion, edit.id, {**_fields(known), **changes, "id": edit.id})

    def _anchors(self, name: str, nodes: list[str] | None) -> dict[str, Any]:
        if nodes is None:
            return {}
        anchors = []
        for identifier in dict.fromkeys(nodes):
            node = self._nodes.get(identifier)
            if node is None:
                self.faults.append(f"{name}: the graph has no node {identifier!r}")
                continue
            anchors.append(Anchor(node=node.id, file=node.file, name=node.name, locator=node.locator))
        return {"anchors": tuple(anchors)}

    def _list(self, field: str, name: str, text: str | None, adapter: TypeAdapter[Any]) -> dict[str, Any]:
        if text is None:
            return {}
        try:
            return {field: adapter.validate_json(text)}
        except ValidationError as error:
            self.faults.append(f"{name}: {field}: {explain(error)}")
            return {}

    def _made(self, model: type[Any], name: str, fields: dict[str, Any]) -> Any:
        try:
            return model(**fields)
        except ValidationError as error:
            self.faults.append(f"{name}: {explain(error)}")
            return None


def _given(edit: BaseModel, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(edit, name)) is not None}


def _fields(known: BaseModel | None) -> dict[str, Any]:
    return {} if known is None else {name: getattr(known, name) for name in type(known).model_fields}
