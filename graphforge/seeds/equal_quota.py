"""Select equally many from each value of a dimension, by coverage inside it."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

from .candidate import Candidate
from .coverage import Coverage, CoverageQueue
from .pool import DemandCap, Pool


class EqualQuota(BaseModel):
    """Equal quotas over ``dimension`` (the paper's: the execution pattern), by coverage over ``within``.

    Each pick goes to a value with the fewest picks so far, so quotas differ by at most one unless a value has
    no candidate left. A candidate with several values counts for the first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: str
    within: tuple[str, ...] = Field(min_length=1)

    def select(self, candidates: Iterable[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked. A stream is read once."""
        pool = Pool(candidates, (*self.within, self.dimension))
        coverage, demands = Coverage(pool, self.within), DemandCap(pool, cap)
        queues = {
            name: CoverageQueue(coverage, demands, positions)
            for name, positions in pool.groups(self.dimension).items()
        }
        filled = dict.fromkeys(queues, 0)
        picks: list[int] = []
        while len(picks) < count and queues:
            fewest = min(filled[name] for name in queues)
            tops = {name: queue.top() for name, queue in queues.items() if filled[name] == fewest}
            ready = {name: top for name, top in tops.items() if top is not None}
            # A queue without candidates never gets any back.
            queues = {name: queue for name, queue in queues.items() if name in ready or name not in tops}
            if ready:
                name = min(ready, key=lambda name: ready[name])
                picks.append(int(pool.places[queues[name].pop()]))
                filled[name] += 1
        return picks
