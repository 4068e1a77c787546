"""Select the most frequent first: the baseline of a corpus that follows what there is most of."""

from collections.abc import Iterable

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from .candidate import Candidate
from .pool import Pool, in_order


class Frequency(BaseModel):
    """Candidates by falling frequency: what marginal coverage is to prevent (paper sections 3.1 and 4).

    The frequency of a value is the number of candidates that have it. The frequency of a candidate is the sum over
    ``dimensions`` (occupation and DWA) of the frequency of its value there, the mean where it has several, 0 where
    it has none. Ties go by the stable hash of the id. Nothing that is already selected counts, so a large occupation
    is emptied before a small one is touched; ``random`` is the baseline that draws each in proportion.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimensions: tuple[str, ...] = Field(min_length=1)

    def select(self, candidates: Iterable[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked. A stream is read once."""
        pool = Pool(candidates, self.dimensions)
        total = np.zeros(len(pool))
        for dimension in self.dimensions:
            column = pool.columns[dimension]
            number: dict[str, int] = {}
            sizes = np.bincount(column.codes, minlength=len(column.values)).tolist()
            for values, size in zip(column.values, sizes, strict=True):
                for value in set(values):
                    number[value] = number.get(value, 0) + size
            means = [
                sum(number[value] for value in set(values)) / len(set(values)) if values else 0.0
                for values in column.values
            ]
            total += np.array(means, dtype=np.float64)[column.codes]
        # Stable, so that ties stay in the order of the positions.
        return in_order(pool, np.argsort(-total, kind="stable").tolist(), count, cap)
