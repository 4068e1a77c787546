"""The unanchored judge: the rubric without anchors, expected values, verification (paper, Table 3)."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from ..records import TaskSpec
from .grader import Grader
from .joint import JointGrader
from .member import PoolMember
from .pool import Pick, rank, rank_jointly


class UnanchoredJudge(BaseModel):
    """Grades ``spec.redacted()``: that one redaction is its whole difference from the anchored judge."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str] = "unanchored"
    grades: ClassVar[bool] = True

    def pick(self, spec: TaskSpec, pool: Sequence[PoolMember], grader: Grader) -> Pick:
        """The member with the highest score."""
        return rank(self.name, spec, spec.redacted(), pool, grader)

    async def pick_jointly(self, spec: TaskSpec, pool: Sequence[PoolMember], grader: JointGrader) -> Pick:
        """As :meth:`pick`, by a grader that sees all members at once."""
        return await rank_jointly(self.name, spec, spec.redacted(), pool, grader)
