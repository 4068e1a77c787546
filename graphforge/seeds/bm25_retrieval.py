"""Evidence by shared words: BM25 over everything that the tables and the user's folder say."""

from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy
from pydantic import BaseModel, ConfigDict, Field

from graphforge.records import Passage

from .passages import PassagePool, read_passages
from .ranked import RankedPassages
from .support import meaningful, stem
from .tables import OccupationTables


class Bm25Retrieval(BaseModel):
    """``top``: passages a pair. ``passages``: a folder of the user's own (.txt, .md; a passage a paragraph)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    top: int = Field(ge=1)
    passages: Path | None = None

    def open(self, tables: OccupationTables) -> RankedPassages:
        """Index the pool. InputError where the folder of passages can't be read."""
        pool = PassagePool(tables, read_passages(self.passages) if self.passages else ())
        return RankedPassages(pool, Bm25(pool.passages), self.top)


class Bm25:
    """BM25 (Lucene's variant, k1 1.5, b 0.75) over stems."""

    def __init__(self, passages: Sequence[Passage]):
        bags = [_terms(passage.text) for passage in passages]
        # The vocabulary is given, because the library would number the terms in the order of a Python set.
        self._vocabulary = {
            term: number for number, term in enumerate(sorted({term for bag in bags for term in bag}))
        }
        self._ranker = bm25s.BM25(method="lucene", dtype="float64")
        numbers = [[self._vocabulary[term] for term in bag] for bag in bags]
        self._ranker.index((numbers, self._vocabulary), create_empty_token=False, show_progress=False)

    def scores(self, query: Sequence[str], places: Sequence[int]) -> list[float]:
        """The summed scores of the query's distinct terms."""
        terms = dict.fromkeys(term for text in query for term in _terms(text))
        known = [self._vocabulary[term] for term in terms if term in self._vocabulary]
        if not known:
            return [0.0] * len(places)
        found = self._ranker.get_scores_from_ids(known)[numpy.asarray(places, dtype=numpy.int64)]
        return [round(float(score), 9) for score in found]


def _terms(text: str) -> list[str]:
    return [stem(word) for word in meaningful(text)]
