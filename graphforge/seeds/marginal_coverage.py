"""Select by marginal coverage: always the candidate that adds most to what is already selected."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from .candidate import Candidate
from .coverage import Coverage, CoverageQueue, DemandCap, distinct


class MarginalCoverage(BaseModel):
    """Greedy over the gain of ``coverage.py`` (paper section 3.1); ties by the stable hash of the id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimensions: tuple[str, ...] = Field(min_length=1)

    def select(self, candidates: Sequence[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked."""
        distinct(candidates)
        coverage = Coverage(candidates, self.dimensions)
        queue = CoverageQueue(candidates, range(len(candidates)), coverage, DemandCap(candidates, cap))
        picks: list[int] = []
        while len(picks) < count and queue.top() is not None:
            picks.append(queue.pop())
        return picks
