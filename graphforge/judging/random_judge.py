"""The random judge: one of the candidates, uniformly, unseen (paper, Table 3: random-of-4)."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from ..records import TaskSpec, stable_hash
from .grader import Grader
from .joint import JointGrader
from .member import PoolMember
from .pool import Pick, arrange, settle


class RandomJudge(BaseModel):
    """Never grades; the same seed and task give the same pick."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str] = "random"
    grades: ClassVar[bool] = False

    seed: int

    def pick(
        self, spec: TaskSpec, pool: Sequence[PoolMember], grader: Grader | JointGrader | None = None
    ) -> Pick:
        """A member by a hash of the task and the seed; the grader is left alone."""
        if not pool:
            return settle(self.name, spec, pool, None, ())
        position = int(stable_hash("random", self.seed, spec.id), 16) % len(pool)
        return settle(self.name, spec, pool, arrange(spec.id, len(pool))[position], ())

    async def pick_jointly(self, spec: TaskSpec, pool: Sequence[PoolMember], grader: JointGrader) -> Pick:
        """As :meth:`pick`."""
        return self.pick(spec, pool)
