"""Files ranked by meaning: the cosine of a query with the nearest passage of each file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy
from numpy.typing import NDArray
from pydantic import Field

from ..embedding import SentenceEncoder, SentenceModel
from ..records import Document
from .catalogue import Catalogue

# The model reads 256 tokens of a text. What a file is about stands in its titles, headings and first paragraphs.
PASSAGES, _WORDS = 3, 150


class EmbeddingRanking(SentenceModel):
    """Ranks by a sentence model instead of by words. Vectors are kept by content, so a file is encoded once.

    ``batch``: files encoded between two writes to the disk.
    """

    batch: int = Field(ge=1)

    def open(
        self,
        names: Mapping[str, str],
        heads: Mapping[str, str],
        documents: Mapping[str, Document],
        catalogue: Catalogue,
    ) -> "RankedFiles":
        """The ranking of a library's files. ``names``: what each is kept under; ``heads``: its titles in words."""
        encoder = self.encoder()
        version = f"{self.weights_sha256[:16]}-{PASSAGES}x{_WORDS}"
        keys = {sha256: f"{name}-{_fold(heads[sha256])}" for sha256, name in names.items()}
        known = catalogue.vectors(version, keys.values())
        missing = [sha256 for sha256, key in keys.items() if key not in known]
        for start in range(0, len(missing), self.batch):
            some = missing[start : start + self.batch]
            texts = {sha256: list(passages(heads[sha256], documents[sha256])) for sha256 in some}
            vectors = encoder.encode([text for sha256 in some for text in texts[sha256]])
            found: dict[str, bytes] = {}
            place = 0
            for sha256 in some:
                found[keys[sha256]] = vectors[place : place + len(texts[sha256])].astype("<f4").tobytes()
                place += len(texts[sha256])
            catalogue.note_vectors(version, found)
            known |= found
        return RankedFiles({sha256: known[key] for sha256, key in keys.items()}, encoder)


class RankedFiles:
    """The vectors of a library's files, and the encoder for queries."""

    def __init__(self, vectors: Mapping[str, bytes], encoder: SentenceEncoder):
        self._names = sorted(vectors)
        width = encoder.encode(["width"]).shape[1]
        rows = [numpy.frombuffer(vectors[name], "<f4").reshape(-1, width) for name in self._names]
        self._owner = numpy.repeat(numpy.arange(len(rows)), [len(one) for one in rows])
        self._rows: NDArray[numpy.float32] = numpy.concatenate(rows)
        self._encoder = encoder

    def search(self, query: str, top: int) -> list[tuple[str, float]]:
        """The ``top`` files (sha256, cosine), best first; ties by sha256.

        Cosines are rounded to four decimals: libraries of linear algebra differ in what comes after.
        """
        cosines = self._rows @ self._encoder.encode([query])[0]
        best = numpy.full(len(self._names), -1.0)
        numpy.maximum.at(best, self._owner, cosines)
        scored = [(name, round(float(score), 4)) for name, score in zip(self._names, best, strict=True)]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))[:top]


def passages(head: str, document: Document) -> Iterator[str]:
    """What stands for a file: its titles with its headings and column names, then the beginning of its text."""
    told = [block.text for block in document.blocks if block.kind == "heading"]
    for table in document.tables[:6]:
        told += [table.title, *(column.name for column in table.columns[:12])]
    yield _cut([head, *told])
    words = " ".join(block.text for block in document.blocks if block.kind != "heading").split()
    for start in range(0, min(len(words), (PASSAGES - 1) * _WORDS), _WORDS):
        yield " ".join(words[start : start + _WORDS])


def _cut(parts: Sequence[str]) -> str:
    return " ".join(" ".join(_distinct(part for part in parts if part)).split()[:_WORDS])


def _distinct(parts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(parts))


def _fold(head: str) -> str:
    return " ".join(head.split())
