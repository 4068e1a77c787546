"""Select at random: the baseline that the other strategies have to beat."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from graphforge.records import stable_hash

from .candidate import Candidate
from .coverage import DemandCap, distinct


class RandomBalance(BaseModel):
    """A random order fixed by ``seed`` and the ids, whatever the order of the input."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int

    def select(self, candidates: Sequence[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked."""
        distinct(candidates)
        demands = DemandCap(candidates, cap)
        order = sorted(
            range(len(candidates)),
            key=lambda place: (stable_hash(self.seed, candidates[place].id), candidates[place].id),
        )
        picks: list[int] = []
        for place in order:
            if len(picks) >= count:
                break
            if not demands.full(place):
                demands.take(place)
                picks.append(place)
        return picks
