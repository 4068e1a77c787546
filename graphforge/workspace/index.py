"""Full-text ranking: BM25 over weighted fields, with a ranking that is the same on every run.

The scores come from ``bm25s`` (MIT; released several times a year; needs numpy only) rather than from ``rank-bm25``
(Apache 2.0; last released in 2022; scans every document in Python for every word).
"""

from collections.abc import Mapping, Sequence

import bm25s
import numpy

from ..errors import InputError


class Index:
    """BM25 (Lucene's variant, k1 1.5, b 0.75) over named bags of terms.

    >>> index = Index({"a": ["tax", "revenue"], "b": ["school"]})
    >>> index.search(["tax"], 5)[0][0]
    'a'
    """

    def __init__(self, bags: Mapping[str, Sequence[str]]):
        if not bags or not any(bags.values()):
            raise InputError("The library holds no words to search in", "Add files with text or tables to it")
        self.names = sorted(bags)
        vocabulary = {
            term: number for number, term in enumerate(sorted({t for bag in bags.values() for t in bag}))
        }
        self._vocabulary = vocabulary
        # The vocabulary is given, because the library would number the terms in the order of a Python set.
        self._ranker = bm25s.BM25(method="lucene", dtype="float64")
        self._ranker.index(
            ([[vocabulary[term] for term in bags[name]] for name in self.names], vocabulary),
            create_empty_token=False,
            show_progress=False,
        )

    def scores(self, query: Mapping[str, float]) -> dict[str, float]:
        """The score of every name for a weighted query (term to weight); unknown terms count nothing."""
        total = numpy.zeros(len(self.names))
        for term, weight in query.items():
            if term in self._vocabulary:
                total += weight * self._ranker.get_scores_from_ids([self._vocabulary[term]])
        return {name: round(float(score), 9) for name, score in zip(self.names, total, strict=True)}

    def search(self, query: Sequence[str], top: int) -> list[tuple[str, float]]:
        """The ``top`` best names with a score above 0, best first; equal scores in the order of the names."""
        weights: dict[str, float] = {}
        for term in query:
            weights[term] = weights.get(term, 0.0) + 1.0
        scored = [(name, score) for name, score in self.scores(weights).items() if score > 0]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:top]
