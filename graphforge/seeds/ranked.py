"""The best passages of a pair by a score."""

from collections.abc import Sequence
from typing import Protocol

from graphforge.records import Passage

from .pair import Pair
from .passages import PassagePool


class Scorer(Protocol):
    """Compares what names a pair with passages."""

    def scores(self, query: Sequence[str], places: Sequence[int]) -> list[float]:
        """How well each passage fits the texts of the query; nothing in common is 0 or less."""
        ...


class RankedPassages:
    """The ``top`` passages of the pool for a pair, asked for by the titles of its occupation and its activity.

    Its task statements are not in the question: whether they are found tells whether the evidence bears them out.
    """

    def __init__(self, pool: PassagePool, scorer: Scorer, top: int):
        self._pool = pool
        self._scorer = scorer
        self._top = top
        self._seen: dict[str, list[Passage]] = {}

    def of(self, pair: Pair) -> list[Passage]:
        """The best first; equal scores in the order of the pool."""
        if pair.id not in self._seen:
            tables, places = self._pool.tables, self._pool.places(pair)
            query = (tables.occupations[pair.occupation].title, tables.dwas[pair.dwa].title)
            scored = zip(self._scorer.scores(query, places), places, strict=True)
            ranked = sorted((one for one in scored if one[0] > 0), key=lambda one: (-one[0], one[1]))
            self._seen[pair.id] = [self._pool.passages[place] for _, place in ranked[: self._top]]
        return self._seen[pair.id]
