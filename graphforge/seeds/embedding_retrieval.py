"""Evidence by meaning: a small sentence model over the same pool, computed here with numpy."""

from collections.abc import Sequence
from pathlib import Path

import numpy
from numpy.typing import NDArray
from pydantic import Field

from graphforge.embedding import SentenceEncoder, SentenceModel
from graphforge.records import Passage

from .passages import PassagePool, read_passages
from .ranked import RankedPassages
from .tables import OccupationTables


class EmbeddingRetrieval(SentenceModel):
    """``top`` and ``passages`` as for BM25. The rest says where the model's two files are found."""

    top: int = Field(ge=1)
    passages: Path | None = None

    def open(self, tables: OccupationTables) -> RankedPassages:
        """Load the model, fetching it on first use. InputError where it, or the folder of passages, can't be had."""
        pool = PassagePool(tables, read_passages(self.passages) if self.passages else ())
        return RankedPassages(pool, Embeddings(pool.passages, self.encoder()), self.top)


class Embeddings:
    """Cosines of a query's summed texts with passages. A text is encoded when it is first asked about."""

    def __init__(self, passages: Sequence[Passage], encoder: SentenceEncoder):
        self._texts = [passage.text for passage in passages]
        self._encoder = encoder
        self._known: dict[str, NDArray[numpy.float32]] = {}

    def scores(self, query: Sequence[str], places: Sequence[int]) -> list[float]:
        """Rounded to four decimals: libraries of linear algebra differ in what comes after."""
        texts = [self._texts[place] for place in places]
        new = [text for text in dict.fromkeys([*query, *texts]) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.encode(new), strict=True))
        asked = numpy.sum([self._known[text] for text in query], axis=0)
        asked = asked / numpy.linalg.norm(asked)
        return [round(float(self._known[text] @ asked), 4) for text in texts]
