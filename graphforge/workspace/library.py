"""A library: the readable files of a folder, parsed once, with their sources and an index over them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..records import Document, Rejection, Source, StageCount
from .cases import CaseText, Findings, find_cases
from .index import Index
from .words import terms

STAGE = "library"

# A long document's tail adds little to what it is about, and would make it match everything.
_INDEXED_WORDS = 6_000
_TITLE_WEIGHT, _HEADING_WEIGHT = 3, 2


@dataclass(frozen=True)
class LibraryFile:
    """A readable file of the library. ``path`` is relative to the library's folder, with forward slashes."""

    sha256: str
    path: str
    bytes: int
    source: Source
    note: str = ""

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Library:
    """What :meth:`LocalSearch.open` found. Files and documents are keyed by sha256, in the order of their paths.

    ``inputs`` = files + rejections: no file is lost silently.
    """

    root: Path
    files: Mapping[str, LibraryFile]
    documents: Mapping[str, Document]
    rejections: tuple[Rejection, ...] = ()

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
        """The ``top`` files (sha256, BM25 score) for a query in words, best first; ties by sha256."""
        return self.index.search(terms(query), top)

    @cached_property
    def index(self) -> Index:
        """BM25 over titles, headings, column names and text."""
        return Index(
            {sha256: bag(self.files[sha256], document) for sha256, document in self.documents.items()}
        )

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


def bag(file: LibraryFile, document: Document) -> list[str]:
    """A document's terms as the index weighs them: its title thrice, headings and column names twice, text once."""
    titles = [file.source.title, document.title, file.source.topic, file.path, file.note]
    headings: list[str] = [block.text for block in document.blocks if block.kind == "heading"]
    for table in document.tables:
        headings += [table.title, *(column.name for column in table.columns)]
    words = _capped(titles, 400) * _TITLE_WEIGHT + _capped(headings, _INDEXED_WORDS // 4) * _HEADING_WEIGHT
    return words + _capped((block.text for block in document.blocks), _INDEXED_WORDS)


def _capped(texts: Iterable[str], cap: int) -> list[str]:
    words: list[str] = []
    for text in texts:
        words += terms(text)
        if len(words) >= cap:
            return words[:cap]
    return words
