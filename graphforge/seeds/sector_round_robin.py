"""Select one candidate from each sector in turn, by coverage inside the sector."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

from .candidate import Candidate
from .coverage import Coverage, CoverageQueue
from .pool import DemandCap, Pool

SECTOR = "sector"


class SectorRoundRobin(BaseModel):
    """Rounds over the sectors in the order of their codes; a sector without candidates is passed over.

    ``within`` are the dimensions of the coverage that picks inside a sector.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    within: tuple[str, ...] = Field(min_length=1)

    def select(self, candidates: Iterable[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked. A stream is read once."""
        pool = Pool(candidates, (*self.within, SECTOR))
        coverage, demands = Coverage(pool, self.within), DemandCap(pool, cap)
        queues = [CoverageQueue(coverage, demands, positions) for positions in pool.groups(SECTOR).values()]
        picks: list[int] = []
        while len(picks) < count and queues:
            left: list[CoverageQueue] = []
            for queue in queues:
                if len(picks) < count and queue.top() is not None:
                    picks.append(int(pool.places[queue.pop()]))
                    left.append(queue)
            queues = left
        return picks
