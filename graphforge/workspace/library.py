"""A library: the readable files of a folder, parsed once, with their sources and an index over them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from ..records import Document, Family, Rejection, Source, StageCount
from .cases import CaseText, Findings, find_cases
from .index import Index
from .ties import Tie, TiedFile, find_ties
from .words import terms

STAGE = "library"

# A long document's tail adds little to what it is about, and would make it match everything.
_INDEXED_WORDS = 6_000
_TITLE_WEIGHT, _HEADING_WEIGHT = 3, 2


@dataclass(frozen=True)
class LibraryFile:
    """A readable file of the library.

    ``path`` is relative to the library's folder, with forward slashes; ``title`` is what the file itself is headed.
    """

    sha256: str
    path: str
    bytes: int
    family: Family
    title: str
    source: Source
    note: str = ""

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    def head(self) -> str:
        """What the file is called, by its source, itself, its topic and its path, in words."""
        return " ".join(self.titles())

    def titles(self) -> list[str]:
        """The same, one by one."""
        return [self.source.title, self.title, self.source.topic, self.path, self.note]


class Ranking(Protocol):
    """Ranks the files of a library for a query in words."""

    def search(self, query: str, top: int) -> list[tuple[str, float]]:
        """The ``top`` files (sha256, score), best first; ties by sha256."""
        ...


@dataclass(frozen=True)
class Library:
    """What :meth:`LocalSearch.open` found. Files and documents are keyed by sha256, in the order of their paths.

    ``inputs`` = files + rejections: no file is lost silently. ``documents`` may read each from the disk when it is
    asked for. ``words``: how often each term stands in a document, where that is known without reading it.
    ``ranking``: ranks files for a query by other means than BM25.
    """

    root: Path
    files: Mapping[str, LibraryFile]
    documents: Mapping[str, Document]
    rejections: tuple[Rejection, ...] = ()
    words: Callable[[str], Mapping[str, int]] | None = None
    ranking: Ranking | None = None

    def count(self) -> StageCount:
        """The books: every file read, or rejected with a reason."""
        return StageCount.of(STAGE, len(self.files) + len(self.rejections), len(self.files), self.rejections)

    def locate(self, sha256: str) -> Path:
        """The original file with a hash."""
        return self.root / self.files[sha256].path

    def topics(self) -> dict[str, tuple[str, ...]]:
        """The files of every topic, topics in the order of the alphabet."""
        grouped: dict[str, list[str]] = {}
        for sha256, file in self.files.items():
            grouped.setdefault(file.source.topic, []).append(sha256)
        return {topic: tuple(grouped[topic]) for topic in sorted(grouped)}

    def search(self, query: str, top: int) -> list[tuple[str, float]]:
        """The ``top`` files (sha256, score) for a query in words, best first; ties by sha256.

        By the library's ranking, or BM25 where it has none.
        """
        if self.ranking is not None:
            return self.ranking.search(query, top)
        return self.index.search(terms(query), top)

    @cached_property
    def index(self) -> Index:
        """BM25 over titles, headings, column names and text."""
        return Index({sha256: self.bag(sha256) for sha256 in self.files})

    def bag(self, sha256: str) -> list[str]:
        """A file's terms as the index weighs them: titles thrice, headings and column names twice, text once."""
        file = self.files[sha256]
        told = document_words(self.documents[sha256]) if self.words is None else self.words(sha256)
        return _capped(file.titles(), 400) * _TITLE_WEIGHT + list(Counter(told).elements())

    def ties(self, topic: str) -> Mapping[str, Mapping[str, Tie]]:
        """What the files of a topic have to do with one another (see :mod:`graphforge.workspace.ties`)."""
        if topic not in self._ties:
            self._ties[topic] = find_ties(
                {
                    sha256: TiedFile(self.documents[sha256], file.name, file.source.title)
                    for sha256, file in self.files.items()
                    if file.source.topic == topic
                }
            )
        return self._ties[topic]

    @cached_property
    def _ties(self) -> dict[str, Mapping[str, Mapping[str, Tie]]]:
        return {}

    @cached_property
    def findings(self) -> Findings:
        """The candidate cases and the look-alikes (see :mod:`graphforge.workspace.cases`)."""
        return find_cases(
            {
                sha256: CaseText(
                    document=document,
                    topic=self.files[sha256].source.topic,
                    period=self.files[sha256].source.period or "",
                    title=self.files[sha256].source.title,
                )
                for sha256, document in self.documents.items()
            }
        )


def document_words(document: Document) -> Counter[str]:
    """How often each term stands in a document, headings and column names counted twice."""
    headings: list[str] = [block.text for block in document.blocks if block.kind == "heading"]
    for table in document.tables:
        headings += [table.title, *(column.name for column in table.columns)]
    words = _capped(headings, _INDEXED_WORDS // 4) * _HEADING_WEIGHT
    return Counter(words + _capped((block.text for block in document.blocks), _INDEXED_WORDS))


def _capped(texts: Iterable[str], cap: int) -> list[str]:
    words: list[str] = []
    for text in texts:
        words += terms(text)
        if len(words) >= cap:
            return words[:cap]
    return words
