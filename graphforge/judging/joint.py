"""Grading all candidates of a task together: what a model grader does, and what any grader can."""

from collections.abc import Sequence
from typing import Protocol

from ..records import TaskSpec, Verdict
from .member import PoolMember


class JointGrader(Protocol):
    """Whoever can say of all candidates of a task together how far each meets the specification."""

    async def grade_pool(self, spec: TaskSpec, pool: Sequence[PoolMember], judge: str) -> list[Verdict]:
        """A verdict a member, in the order of the pool, with the members' names."""
        ...
