"""Select by marginal coverage: always the candidate that adds most to what is already selected."""

from collections.abc import Iterable

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from .candidate import Candidate
from .coverage import Coverage, CoverageQueue
from .pool import DemandCap, Pool


class MarginalCoverage(BaseModel):
    """Greedy over the gain of ``coverage.py`` (paper section 3.1); ties by the stable hash of the id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimensions: tuple[str, ...] = Field(min_length=1)

    def select(self, candidates: Iterable[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked. A stream is read once."""
        pool = Pool(candidates, self.dimensions)
        positions = np.arange(len(pool), dtype=np.int32)
        queue = CoverageQueue(Coverage(pool, self.dimensions), DemandCap(pool, cap), positions)
        picks: list[int] = []
        while len(picks) < count and queue.top() is not None:
            picks.append(int(pool.places[queue.pop()]))
        return picks
