"""Select one candidate from each sector in turn, by coverage inside the sector."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from .candidate import Candidate
from .coverage import Coverage, CoverageQueue, DemandCap, distinct, groups


class SectorRoundRobin(BaseModel):
    """Rounds over the sectors in the order of their codes; a sector without candidates is passed over.

    ``within`` are the dimensions of the coverage that picks inside a sector.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    within: tuple[str, ...] = Field(min_length=1)

    def select(self, candidates: Sequence[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked."""
        distinct(candidates)
        coverage, demands = Coverage(candidates, self.within), DemandCap(candidates, cap)
        queues = [
            CoverageQueue(candidates, places, coverage, demands)
            for places in groups(candidates, "sector").values()
        ]
        picks: list[int] = []
        while len(picks) < count and queues:
            left: list[CoverageQueue] = []
            for queue in queues:
                if len(picks) < count and queue.top() is not None:
                    picks.append(queue.pop())
                    left.append(queue)
            queues = left
        return picks
