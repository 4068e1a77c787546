"""Select at random: the baseline that the other strategies have to beat."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from .candidate import Candidate
from .pool import Pool, in_order


class RandomBalance(BaseModel):
    """A random order fixed by ``seed`` and the ids, whatever the order of the input."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int

    def select(self, candidates: Iterable[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked. A stream is read once."""
        pool = Pool(candidates, salt=(self.seed,))
        return in_order(pool, range(len(pool)), count, cap)
