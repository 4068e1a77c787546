"""Near copies: the same content in another format, compression or cut, told apart from another edition of it.

    kept, dropped = split_near_duplicates(sketches, lambda one, two: is_copy(wordings[one], wordings[two]))

MinHash proposes pairs that share much of their wording (5-grams of text and table cells); the 5-grams themselves then
say how much, and what differs decides. Wording alone can't: two years of a tax form share 96 % of their 5-grams,
a slide deck and its handout half. So a pair is of two *editions*, and both stay, where the same words or the same row
stand beside another figure, where each names a year that the other lacks, where one goes on to a later period, or where
more than a trace of the words was exchanged. Editions are the confusers of a workspace; copies would only fill it.
"""

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy
from numpy.typing import NDArray
from rensa import RMinHash

from ..records import Document, Family
from .words import period_of, without_period

Hashes = NDArray[numpy.uint64]
Signature = NDArray[numpy.uint32]

GRAM = 5
# 85 bands of 3: pairs of a Jaccard index of 0.4 are proposed with 99.6 %, of 0.05 with 1 %.
PERMUTATIONS, _BANDS, _ROWS = 255, 85, 3
_SEED = 20_260_217
# Less wording than this says too little; such files are compared by their bytes only.
_LEAST_GRAMS = 20
# How much of the wording a pair has to share at all: of both together, and of the smaller one.
_ALIKE, _CONTAINED = 0.4, 0.65
# In one format nothing is lost in between, so a copy is whole but for how its pages were set.
_SAME_FORMAT_ALIKE = 0.8
# Part of the words that may be exchanged in a copy: a name on the cover.
_TRACE = 0.001
# From this part of its words in tables on, a file is data: there every figure counts.
_DATA = 0.5
# A conversion may write a few cells otherwise (an error value, a rounded one).
_RESTATED = 0.01
# Names that share so many of their words are of one document in two formats.
_NAMESAKES = 0.6

_FORMATS: Mapping[Family, str] = {"xlsx": "workbook", "xls": "workbook", "txt": "text", "md": "text"}
_PAGED = frozenset(("pdf", "pptx"))
# From so many pages on a document has page numbers, a table of contents and footnotes.
_LONG_PAGES = 8
_WORD = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|[^\W_]+")
_YEAR = re.compile(r"(?:19[5-9]|20[0-4])\d")
_DATED = re.compile(r"\b(?:year|fy|month|date|quarter|period|day|week)\b")


@dataclass(frozen=True)
class Wording:
    """What a file says, as it is compared: its words in reading order, table cells among them.

    ``rows``: the rows of its tables. ``in_tables``: the part (0 to 1) of the words that stand there. ``latest``: the
    last year of its period columns, 0 where it has none.
    """

    path: str
    family: Family
    words: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    in_tables: float
    latest: int
    pages: int = 1

    @classmethod
    def of(cls, path: str, document: Document) -> "Wording":
        """The wording of a parsed file that lies at a path of the library."""
        words: list[str] = []
        for block in document.blocks:
            words += split(block.text)
        running, rows = len(words), []
        # Slices repeat rows of the table that they are cut from, whose id they continue.
        for table in (table for table in document.tables if "." not in table.id):
            for cells in table.grid:
                row = tuple(word for cell in cells if cell is not None for word in split(_shown(cell)))
                words += row
                if row:
                    rows.append(row)
        return cls(
            path=path,
            family=document.family,
            words=tuple(words),
            rows=tuple(rows),
            in_tables=1 - running / len(words) if words else 0.0,
            latest=max(_years(document), default=0),
            pages=document.pages,
        )

    @cached_property
    def grams(self) -> Hashes:
        """The distinct 5-grams, hashed and sorted; empty where there are too few to compare."""
        hashes = numpy.fromiter(
            (_hash(word) for word in self.words), dtype=numpy.uint64, count=len(self.words)
        )
        if len(hashes) < GRAM + _LEAST_GRAMS - 1:
            return numpy.zeros(0, numpy.uint64)
        mixed = numpy.zeros(len(hashes) - GRAM + 1, numpy.uint64)
        for place in range(GRAM):
            mixed = mixed * numpy.uint64(0x9E3779B97F4A7C15) + hashes[place : len(mixed) + place]
            mixed ^= mixed >> numpy.uint64(29)
        found = numpy.unique(mixed)
        return found if len(found) >= _LEAST_GRAMS else found[:0]

    @property
    def signature(self) -> Signature:
        """The MinHash of the 5-grams; empty where there are none. The same on every machine."""
        if not len(self.grams):
            return numpy.zeros(0, numpy.uint32)
        matrix = RMinHash.digests_from_token_sets(
            [[gram.tobytes() for gram in self.grams]], PERMUTATIONS, _SEED
        )
        return numpy.asarray(matrix[0], numpy.uint32)

    @cached_property
    def counted(self) -> Counter[str]:
        """How often each word stands there."""
        return Counter(self.words)

    @cached_property
    def run_together(self) -> str:
        """All words without the spaces, which pages set otherwise break otherwise."""
        return "".join(self.words)

    @cached_property
    def figures(self) -> Mapping[tuple[str, ...], str]:
        """The figure between words that stand there once: the words with the figures among them blanked."""
        found: dict[tuple[str, ...], str | None] = {}
        blanked = [_blank(word) for word in self.words]
        for place, word in enumerate(self.words):
            if blanked[place]:
                continue
            around = (*blanked[max(0, place - 2) : place], "|", *blanked[place + 1 : place + 3])
            if sum(bool(one) for one in around) >= 3:
                found[around] = None if around in found else word
        return {around: figure for around, figure in found.items() if figure is not None}

    @cached_property
    def rows_by_text(self) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """The figures of every row, by its other words where these name one row."""
        found: dict[tuple[str, ...], tuple[str, ...] | None] = {}
        for row in self.rows:
            text = tuple(word for word in row if _blank(word))
            figures = tuple(word for word in row if not _blank(word))
            if text and figures:
                found[text] = None if text in found else figures
        return {text: figures for text, figures in found.items() if figures is not None}


def split(text: str) -> list[str]:
    """The words of a text as they are compared: case and accents folded, ``1,234.50`` and ``1234.5`` the same."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    folded = "".join(character for character in folded if not unicodedata.combining(character))
    return [
        f"{float(word.replace(',', '')):.10g}" if "," in word or "." in word else word
        for word in _WORD.findall(folded)
    ]


@dataclass(frozen=True)
class Sketch:
    """What tells whether a file may have copies: its path, how many 5-grams it has, and their MinHash."""

    path: str
    grams: int
    signature: Signature


def split_near_duplicates(
    sketches: Mapping[str, Sketch], same: Callable[[str, str], bool]
) -> tuple[list[str], dict[str, str]]:
    """The hashes that stay, and for every dropped one the kept one that it is a copy of.

    ``same`` says of two hashes whether they are copies (:func:`is_copy`). Of copies the fullest stays; of equals the
    one whose path comes first in the alphabet. The order of the mapping doesn't matter.
    """
    copies: dict[str, set[str]] = defaultdict(set)
    for one, two in candidates({sha256: sketch.signature for sha256, sketch in sketches.items()}):
        if same(one, two):
            copies[one].add(two)
            copies[two].add(one)
    kept: list[str] = []
    dropped: dict[str, str] = {}
    for sha256 in sorted(sketches, key=lambda one: (-sketches[one].grams, sketches[one].path, one)):
        # Being a copy is no chain: two editions that a third file is a copy of both stay.
        original = (
            next((other for other in kept if other in copies[sha256]), None) if copies[sha256] else None
        )
        if original is None:
            kept.append(sha256)
        else:
            dropped[sha256] = original
    return kept, dropped


def candidates(signatures: Mapping[str, Signature]) -> Iterator[tuple[str, str]]:
    """Pairs of hashes, each sorted, whose signatures agree in a band: those that may share much of their wording."""
    signed = {sha256: signatures[sha256] for sha256 in sorted(signatures) if len(signatures[sha256])}
    seen: set[tuple[str, str]] = set()
    for band in range(_BANDS):
        buckets: dict[bytes, list[str]] = defaultdict(list)
        for sha256, signature in signed.items():
            buckets[signature[band * _ROWS : (band + 1) * _ROWS].tobytes()].append(sha256)
        for members in buckets.values():
            for one, two in combinations(members, 2):
                if (one, two) not in seen:
                    seen.add((one, two))
                    # A band may agree by accident; the whole signature estimates the index to within 0.03.
                    if numpy.mean(signed[one] == signed[two]) >= _ALIKE - 0.1:
                        yield one, two


def overlap(one: Wording, two: Wording) -> tuple[float, float]:
    """The Jaccard index of the 5-grams of two wordings, and the part of the smaller's that the larger has."""
    shared = len(numpy.intersect1d(one.grams, two.grams, assume_unique=True))
    if not shared:
        return 0.0, 0.0
    sizes = len(one.grams), len(two.grams)
    return shared / (sum(sizes) - shared), shared / min(sizes)


def is_copy(one: Wording, two: Wording) -> bool:
    """Whether two files are the same content twice. Symmetric."""
    alike, contained = overlap(one, two)
    if alike < _ALIKE or contained < _CONTAINED:
        return False
    if one.words == two.words:
        return True
    data = min(one.in_tables, two.in_tables) >= _DATA
    if data and one.latest and two.latest and one.latest != two.latest:
        return False
    if _format(one) == _format(two):
        if data:
            return _cut_short(one, two)
        return (
            alike >= _SAME_FORMAT_ALIKE
            and not _other_years(one, two)
            and _exchanged(one, two) <= _TRACE * min(len(one.words), len(two.words))
            and _restated(one, two) <= _slack(one, two)
        )
    if data:
        rows = min(len(one.rows_by_text), len(two.rows_by_text))
        return _restated_rows(one, two) <= _RESTATED * rows and (alike >= 0.5 or contained >= 0.9)
    namesakes = _namesakes(one.path, two.path)
    return namesakes or (alike >= 0.5 and not _other_years(one, two))


def _format(wording: Wording) -> str:
    return _FORMATS.get(wording.family, wording.family)


def _slack(one: Wording, two: Wording) -> float:
    """How many figures may differ in place: those of a long document whose pages were set otherwise."""
    return _TRACE * min(len(one.words), len(two.words)) if _long(one, two) else 0.0


def _long(one: Wording, two: Wording) -> bool:
    return one.family in _PAGED and two.family in _PAGED and min(one.pages, two.pages) >= _LONG_PAGES


def _other_years(one: Wording, two: Wording) -> bool:
    """Whether each names a year that the other doesn't."""
    years = [{word for word in wording.counted if _YEAR.fullmatch(word)} for wording in (one, two)]
    return bool(years[0] - years[1]) and bool(years[1] - years[0])


def _exchanged(one: Wording, two: Wording) -> int:
    """Distinct words of either that the other has nowhere, not even broken or joined otherwise."""
    return sum(
        word not in there.counted and bool(_blank(word)) and word not in there.run_together
        for here, there in ((one, two), (two, one))
        for word in here.counted
    )


def _restated(one: Wording, two: Wording) -> int:
    """How often the same words stand around another figure, numbers of pages and footnotes left out."""
    pages = 2 * max(one.pages, two.pages) if _long(one, two) else 0
    changed = 0
    for around, figure in one.figures.items():
        other = two.figures.get(around, figure)
        numbers = [int(text) if text.isdigit() else pages + 1 for text in (figure, other)]
        changed += other != figure and max(numbers) > pages
    return changed


def _restated_rows(one: Wording, two: Wording) -> int:
    """Rows of the same words where each has a figure that the other lacks."""
    changed = 0
    for text, figures in one.rows_by_text.items():
        others = two.rows_by_text.get(text)
        if others is not None:
            left, right = Counter(figures), Counter(others)
            changed += bool(left - right) and bool(right - left)
    return changed


def _cut_short(one: Wording, two: Wording) -> bool:
    """Whether one is the beginning of the other, as a broken download or a capped export leaves it."""
    short, long = sorted((one.words, two.words), key=len)
    return long[: len(short)] == short


def _namesakes(one: str, two: str) -> bool:
    """Whether two paths are called alike but for codes, and for the same period."""
    stems = [path.rsplit("/", 1)[-1].rpartition(".")[0].replace("_", " ") for path in (one, two)]
    left, right = (set(without_period(stem).split()) for stem in stems)
    periods = {period for stem in stems if (period := period_of(stem))}
    return bool(left & right) and len(periods) < 2 and len(left & right) / len(left | right) >= _NAMESAKES


def _years(document: Document) -> Iterator[int]:
    for table in document.tables:
        for column in table.columns:
            if column.kind == "period" or _DATED.search(column.name.casefold()):
                for row in range(*table.body):
                    for word in split(_shown(table.grid[row][column.index] or "")):
                        if _YEAR.fullmatch(word):
                            yield int(word)


def _shown(cell: object) -> str:
    return f"{cell:.10g}" if isinstance(cell, float) else str(cell)


def _blank(word: str) -> str:
    """The word, or nothing for a figure."""
    return "" if word[:1].isdigit() else word


@lru_cache(maxsize=500_000)
def _hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
