"""The evidence-anchored judge: the whole specification, anchors and verification too (paper, Table 3)."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from ..records import TaskSpec
from .grader import Grader
from .pool import Pick, PoolMember, rank


class AnchoredJudge(BaseModel):
    """Grades the specification as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str] = "anchored"
    grades: ClassVar[bool] = True

    def pick(self, spec: TaskSpec, pool: Sequence[PoolMember], grader: Grader) -> Pick:
        """The member with the highest score."""
        return rank(self.name, spec, spec, pool, grader)
