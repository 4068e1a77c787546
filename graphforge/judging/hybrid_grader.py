"""The grader that executes what can be executed, and asks a model for the rest.

grader = HybridGrader(checks=ChecksGrader(...), model=LlmGrader(...)).open(Sight(speaker, passage))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from ..records import CriterionVerdict, PenaltyVerdict, TaskSpec, Verdict
from .agent_grader import AgentGrader
from .grader import ChecksGrader
from .joint import JointGrader
from .llm_grader import LlmGrader
from .marks import summed
from .member import PoolMember
from .sight import Sight


class HybridGrader(BaseModel):
    """``checks`` goes first; ``model`` marks the criteria and penalties that it leaves unjudged."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    uses_model: ClassVar[bool] = True

    checks: ChecksGrader
    model: LlmGrader | AgentGrader

    def repeated(self, number: int) -> "HybridGrader":
        """The grader that judges the same once more: only the model can say something else."""
        return self.model_copy(update={"model": self.model.repeated(number)})

    def open(self, sight: Sight) -> "OpenHybridGrader":
        """The grader at work."""
        return OpenHybridGrader(self.checks, self.model.open(sight))


@dataclass(frozen=True)
class OpenHybridGrader:
    """A joint grader that calls no model where every check can be executed."""

    checks: ChecksGrader
    model: JointGrader

    async def grade_pool(self, spec: TaskSpec, pool: Sequence[PoolMember], judge: str) -> list[Verdict]:
        """A verdict a member, in the order of the pool. A mark of the model never replaces an executed check."""
        executed = await self.checks.grade_pool(spec, pool, judge)
        open_ids = {name for verdict in executed for name in _unjudged(verdict)}
        if not open_ids:
            return executed
        rest = spec.model_copy(
            update={
                "criteria": tuple(one for one in spec.criteria if one.id in open_ids),
                "penalties": tuple(one for one in spec.penalties if one.id in open_ids),
            }
        )
        marked = await self.model.grade_pool(rest, pool, judge)
        return [_joined(spec, one, two) for one, two in zip(executed, marked, strict=True)]


def _unjudged(verdict: Verdict) -> set[str]:
    return {one.criterion for one in verdict.criteria if one.outcome == "unjudged"} | {
        one.penalty for one in verdict.penalties if one.outcome == "unjudged"
    }


def _joined(spec: TaskSpec, executed: Verdict, marked: Verdict) -> Verdict:
    """The executed verdict, with the model's marks where it is unjudged, and the score of the whole."""
    criteria: dict[str, CriterionVerdict] = {one.criterion: one for one in marked.criteria}
    penalties: dict[str, PenaltyVerdict] = {one.penalty: one for one in marked.penalties}
    whole = summed(
        spec,
        executed.candidate,
        executed.judge,
        [criteria[one.criterion] if one.outcome == "unjudged" else one for one in executed.criteria],
        [penalties[one.penalty] if one.outcome == "unjudged" else one for one in executed.penalties],
    )
    return whole.model_copy(update={"answers": marked.answers, "tokens": marked.tokens})
