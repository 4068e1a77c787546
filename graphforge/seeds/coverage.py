"""Marginal coverage: what a candidate adds to what is already selected (paper section 3.1).

The gain of a candidate is the sum over the dimensions of 1 / (1 + n), where n counts how often its value is
already selected. A dimension with several values gives the mean over them, so that an item isn't preferred
merely for having many. Gains only ever fall while items are taken, which is what makes the lazy queue exact.
"""

import heapq
from collections.abc import Iterable, Sequence
from math import fsum

from graphforge.errors import ConfigError, RecordError
from graphforge.records import stable_hash

from .candidate import DEMAND, Candidate


class Coverage:
    """Counts of the selected values, and the gain of each candidate (by its place in the sequence)."""

    def __init__(self, candidates: Sequence[Candidate], dimensions: Sequence[str]):
        slots: dict[tuple[str, str], int] = {}
        self._slots = [
            tuple(
                tuple(slots.setdefault((dimension, value), len(slots)) for value in dict.fromkeys(values))
                for dimension in dimensions
                if (values := dimension_values(candidate, dimension))
            )
            for candidate in candidates
        ]
        self._counts = [0] * len(slots)

    def gain(self, place: int) -> float:
        """The gain of a candidate now; between 0 and the number of dimensions."""
        # fsum: plain float sums round differently from Python 3.12 on, which would break ties differently.
        counts = self._counts
        return fsum(
            fsum(1 / (1 + counts[slot]) for slot in slots) / len(slots) for slots in self._slots[place]
        )

    def take(self, place: int) -> None:
        """Count the candidate's values as selected."""
        for slots in self._slots[place]:
            for slot in slots:
                self._counts[slot] += 1


class DemandCap:
    """At most ``cap`` selected candidates may share a normalized demand; None sets no limit."""

    def __init__(self, candidates: Sequence[Candidate], cap: int | None):
        if cap is not None and cap < 1:
            raise ConfigError(
                f"The cap on repeated demands is {cap}", "Give a whole number from 1 on, or null for none"
            )
        self._cap = cap
        self._demands = [candidate.values.get(DEMAND, ()) for candidate in candidates]
        self._taken: dict[str, int] = {}

    def full(self, place: int) -> bool:
        """Whether a demand of the candidate is used up. Once true it stays true."""
        if self._cap is None:
            return False
        return any(self._taken.get(demand, 0) >= self._cap for demand in self._demands[place])

    def take(self, place: int) -> None:
        """Count the candidate's demand as used once more."""
        for demand in dict.fromkeys(self._demands[place]):
            self._taken[demand] = self._taken.get(demand, 0) + 1


class CoverageQueue:
    """Candidates by falling gain, ties by the stable hash of the id; a gain is refreshed only at the top.

    A stored gain is never below the true one, so a top entry whose gain is still true is the best of all: the
    picks are exactly those of scanning every candidate each time.
    """

    def __init__(
        self, candidates: Sequence[Candidate], places: Iterable[int], coverage: Coverage, cap: DemandCap
    ):
        self._coverage = coverage
        self._cap = cap
        self._heap = [
            (-coverage.gain(place), stable_hash(candidates[place].id), candidates[place].id, place)
            for place in places
        ]
        heapq.heapify(self._heap)

    def top(self) -> tuple[float, str, str, int] | None:
        """(minus the gain, hash, id, place) of the best candidate left, or None; smaller is better."""
        while self._heap:
            stored, digest, name, place = self._heap[0]
            if self._cap.full(place):
                heapq.heappop(self._heap)
                continue
            gain = -self._coverage.gain(place)
            if gain == stored:
                return self._heap[0]
            heapq.heapreplace(self._heap, (gain, digest, name, place))
        return None

    def pop(self) -> int:
        """Take the best candidate (call ``top`` first) and count it."""
        place = heapq.heappop(self._heap)[-1]
        self._coverage.take(place)
        self._cap.take(place)
        return place


def dimension_values(candidate: Candidate, dimension: str) -> tuple[str, ...]:
    """The candidate's values in a dimension; ConfigError where it has no such dimension."""
    try:
        return candidate.values[dimension]
    except KeyError:
        raise ConfigError(
            f"The balancing strategy names the dimension '{dimension}', which {candidate.id} does not have",
            f"Use one of {', '.join(sorted(candidate.values))}",
        ) from None


def groups(candidates: Sequence[Candidate], dimension: str) -> dict[str, list[int]]:
    """Places by the first value in a dimension, values sorted. One without a value forms the group ""."""
    found: dict[str, list[int]] = {}
    for place, candidate in enumerate(candidates):
        found.setdefault(next(iter(dimension_values(candidate, dimension)), ""), []).append(place)
    return dict(sorted(found.items()))


def distinct(candidates: Sequence[Candidate]) -> None:
    """RecordError where two candidates share an id: ties could not be broken by it."""
    seen: set[str] = set()
    for candidate in candidates:
        if candidate.id in seen:
            raise RecordError(
                f"Two candidates share the id {candidate.id}", "Give each item an id of its own"
            )
        seen.add(candidate.id)
