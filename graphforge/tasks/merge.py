"""Merges a patch into a specification: what the patch does not name stays as it is, byte for byte."""

from typing import TypeVar

from pydantic import ValidationError

from ..errors import RecordError
from ..records import Criterion, Deliverable, NegativeCriterion, Patch, TaskSpec, explain

Item = TypeVar("Item", Deliverable, Criterion, NegativeCriterion)


def merge(spec: TaskSpec, patch: Patch) -> TaskSpec:
    """The revised specification (paper section 3.4).

    A component of the patch replaces the one with its id in place, a new id is appended, ``drop`` removes criteria
    and penalties. RecordError where the patch is for another task, drops what isn't there, or leaves the
    specification invalid: weights that no longer sum to 1, a criterion without its deliverable.
    """
    if patch.task != spec.id:
        raise RecordError(
            f"A patch for task {patch.task} can't be merged into {spec.id}", "Pair them by task id"
        )
    known = {item.id for item in spec.criteria} | {item.id for item in spec.penalties}
    if missing := set(patch.drop) - known:
        raise RecordError(
            f"The patch of {spec.id} drops unknown criteria {sorted(missing)}", "Name existing ids"
        )
    changed = {
        "statement": spec.statement if patch.statement is None else patch.statement,
        "deliverables": _replace(spec.deliverables, patch.deliverables, ()),
        "criteria": _replace(spec.criteria, patch.criteria, patch.drop),
        "penalties": _replace(spec.penalties, patch.penalties, patch.drop),
    }
    try:
        # model_copy does not validate: build the record anew from the merged parts.
        return TaskSpec(**{name: changed.get(name, getattr(spec, name)) for name in TaskSpec.model_fields})
    except ValidationError as error:
        raise RecordError(
            f"The patch of {spec.id} leaves no valid specification: {explain(error)}",
            "Name every component that has to change, weights included",
        ) from None


def _replace(items: tuple[Item, ...], changes: tuple[Item, ...], drop: tuple[str, ...]) -> tuple[Item, ...]:
    by_id: dict[str, Item] = {change.id: change for change in changes}
    kept: list[Item] = [by_id.pop(item.id, item) for item in items if item.id not in drop]
    return tuple(kept + list(by_id.values()))
