"""Select equally many from each value of a dimension, by coverage inside it."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from .candidate import Candidate
from .coverage import Coverage, CoverageQueue, DemandCap, distinct, groups


class EqualQuota(BaseModel):
    """Equal quotas over ``dimension`` (the paper's: the execution pattern), by coverage over ``within``.

    Each pick goes to a value with the fewest picks so far, so quotas differ by at most one unless a value has
    no candidate left. A candidate with several values counts for the first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: str
    within: tuple[str, ...] = Field(min_length=1)

    def select(self, candidates: Sequence[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked."""
        distinct(candidates)
        coverage, demands = Coverage(candidates, self.within), DemandCap(candidates, cap)
        queues = {
            value: CoverageQueue(candidates, places, coverage, demands)
            for value, places in groups(candidates, self.dimension).items()
        }
        filled = dict.fromkeys(queues, 0)
        picks: list[int] = []
        while len(picks) < count:
            tops = {value: top for value, queue in queues.items() if (top := queue.top()) is not None}
            if not tops:
                break
            value = min(tops, key=lambda name: (filled[name], tops[name]))
            picks.append(queues[value].pop())
            filled[value] += 1
        return picks
