"""What running text says about tables: figures it quotes, and thresholds it sets."""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..records import Block, Document, WorkspaceFile, close, normalize, parse_number
from .measures import Measure
from .relations import MONTHS, moment

_FIGURE = re.compile(r"(?<![\w.,-])[$€£]?\(?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\)?(?!\w|[.,]\d)")
_BOUND = r"(?:the\s+|a\s+|an\s+)?([$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9\"'(])")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_ENTRY = re.compile(r"\n\s*(?=[-*•◦▪–]\s|\d{1,2}[.)]\s)")
_COMPARATORS: tuple[tuple[str, Literal["above", "below"], bool], ...] = (
    (r"(?:more|greater|higher|larger) than|above|over|exceed(?:s|ing|ed)?|in excess of", "above", True),
    (r"at least|no (?:fewer|less) than|minimum of", "above", False),
    (r"(?:fewer|less|lower|smaller) than|below|under", "below", True),
    (r"at most|no (?:more|greater) than|maximum of|up to", "below", False),
)
_COMMON = frozenset(
    "a an and are as at be by for from in into is it its of on or than that the their this to was were with which "
    "per each all any not no number total value values amount by data table report reports".split()
)


@dataclass(frozen=True)
class Quotation:
    """A figure in running text that a table cell also states, or states differently.

    ``literal`` is the figure to the letter, ``stated`` its number in the unit of the table.
    """

    file: WorkspaceFile
    block: Block
    sentence: str
    literal: str
    stated: float
    measure: Measure
    key: str

    def rounding(self) -> float:
        """The most by which the figure may be off and still quote a cell rightly."""
        plain = parse_number(self.literal)
        return _half_unit(self.literal, self.stated / plain if plain else 1.0)


@dataclass(frozen=True)
class Threshold:
    """A bound that running text sets on a measure; no row stands exactly on it."""

    file: WorkspaceFile
    block: Block
    sentence: str
    literal: str
    bound: float
    direction: Literal["above", "below"]
    measure: Measure


def sentences(block: Block) -> list[str]:
    """The sentences of a block, white space folded; each entry of a list stands for itself."""
    entries = _ENTRY.split(block.text)
    return [
        sentence for entry in entries for sentence in _SENTENCE.split(" ".join(entry.split())) if sentence
    ]


def figures(sentence: str) -> Iterator[tuple[str, float, float]]:
    """The figures of a sentence: literal, number as written, and number with a following scale word applied."""
    for match in _figure_matches(sentence):
        literal = _literal(match)
        number = parse_number(literal)
        assert number is not None  # _figure_matches leaves out what is no number
        following = normalize(sentence[match.end() : match.end() + 12]).split(" ")[0]
        yield literal, number, number * _SCALES.get(following.rstrip("s"), 1.0)


def _figure_matches(sentence: str) -> list[re.Match[str]]:
    return [match for match in _FIGURE.finditer(sentence) if parse_number(_literal(match)) is not None]


def _literal(match: re.Match[str]) -> str:
    text = match.group()
    return text.strip("().") if text.count("(") != text.count(")") else text


def _is_year(literal: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d", literal) is not None


def content_words(text: str) -> set[str]:
    """The words of a text that carry meaning."""
    return {
        word
        for word in normalize(text).split()
        if word not in _COMMON and not word.isdigit() and len(word) > 1
    }


def quotations(
    texts: Sequence[tuple[WorkspaceFile, Document]], measures: Sequence[Measure]
) -> list[Quotation]:
    """Figures in the texts that belong to a table row: the sentence names the row, the measure and its period.

    All or nothing for a text and a measure: where one figure can't be told for certain (two figures for a row, a
    figure that may belong to either of two rows, a row with a figure in a sentence that doesn't say which measure
    it means), none of them is taken, because nobody could say what a complete check of the text would hold.
    """
    found: list[Quotation] = []
    for file, document in texts:
        said = [
            (
                block,
                sentence,
                f" {normalize(sentence)} ",
                set(normalize(f"{document.title} {block.text}").split()),
            )
            for block in document.blocks
            for sentence in sentences(block)
            if any(not _is_year(literal) for literal, _, _ in figures(sentence))
        ]
        for measure in measures:
            if measure.file.sha256 != file.sha256:
                found += _quoted_by(file, said, measure, measures)
    return found


Said = tuple[Block, str, str, set[str]]
Figure = tuple[str, float, float]


def _quoted_by(
    file: WorkspaceFile, said: Sequence[Said], measure: Measure, measures: Sequence[Measure]
) -> list[Quotation]:
    """The quotations of one measure by one text, or none where something stays open."""
    names = content_words(measure.name)
    rows = [key for key in measure.rows if len(key) >= 3 and not key.isdigit()]
    own = _named(measure)
    siblings = {_named(one) for one in measures if one.table is measure.table} - {own}
    found: dict[str, Quotation] = {}
    for block, sentence, folded, around in said:
        named = [key for key in rows if f" {key} " in folded]
        # "Virginia" stands inside "West Virginia", but isn't meant there.
        named = [
            key for key in named if not any(key != other and f" {key} " in f" {other} " for other in named)
        ]
        stated = [one for one in figures(sentence) if not _is_year(one[0])]
        if not named or not stated:
            continue
        paired: dict[str, Figure] | None
        mentioned = bool(_spots(sentence, own))
        sibling = any(_spots(sentence, other) for other in siblings)
        alike = len(names & set(folded.split())) >= max(1, math.ceil(0.6 * len(names)))
        if (mentioned or (alike and not sibling)) and _speaks_of(measure.period, around):
            # Beside a sibling only the measure's own name says which figure is its own.
            paired = None if sibling else _pair(sentence, named)
            if paired is None and mentioned:
                paired = _after_name(sentence, own, named)
        elif sibling:
            continue
        elif any(close(figure[2], measure.value(key)) for key in named for figure in stated):
            # The sentence gives a figure for a row without saying of what: it may be this measure's.
            paired = None
        else:
            continue
        if paired is None:
            return []
        for key, (literal, plain, scaled) in paired.items():
            cell = measure.value(key)
            fits = [number for number in (plain, scaled) if _same(literal, plain, number, cell)]
            number = fits[0] if fits else scaled
            if key in found and found[key].literal != literal:
                return []
            # A figure of another size altogether speaks of something else.
            if not fits and not (cell and 0.5 <= number / cell <= 2):
                return []
            found.setdefault(key, Quotation(file, block, sentence, literal, number, measure, key))
    return list(found.values())


def _named(measure: Measure) -> str:
    """The header in normalized words, what stands in brackets aside: how a text would call the measure."""
    return normalize(re.sub(r"\([^)]*\)", " ", measure.column.name))


def _spots(sentence: str, name: str) -> list[tuple[int, int]]:
    """Where a normalized name of at least two words stands in a sentence, whatever stands between its words."""
    words = name.split()
    if len(words) < 2:
        return []
    pattern = r"\W+".join(re.escape(word) for word in words)
    return [match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", _plain(sentence))]


def _after_name(sentence: str, name: str, keys: Sequence[str]) -> dict[str, Figure] | None:
    """The figure right after each mention of the measure, for the row named last before it (or the only row)."""
    places = sorted(
        (start, key)
        for key in keys
        for start, _ in (_spots(sentence, key) or [(at, at) for at in _single(sentence, key)])
    )
    stated = list(zip(_figure_matches(sentence), figures(sentence), strict=True))
    found: dict[str, Figure] = {}
    for _, end in _spots(sentence, name):
        before = [key for start, key in places if start < end]
        key = keys[0] if len(keys) == 1 else before[-1] if before else None
        after = [(match, one) for match, one in stated if match.start() >= end and not _is_year(one[0])]
        if key is None or not after or after[0][0].start() - end > 30 or key in found:
            return None
        found[key] = after[0][1]
    return found


def _single(sentence: str, word: str) -> list[int]:
    return [match.start() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", _plain(sentence))]


def _same(literal: str, plain: float, number: float, cell: float) -> bool:
    return close(number, cell, absolute=_half_unit(literal, number / plain if plain else 1.0))


def _pair(sentence: str, keys: Sequence[str]) -> dict[str, tuple[str, float, float]] | None:
    """Which figure belongs to which row: one between each row name and the next, or one before each. None where
    neither reading fits, or where a figure is left over."""
    spots: list[tuple[int, str]] = []
    for key in keys:
        spots += [(start, key) for start, _ in _spots(sentence, key)] or [
            (at, key) for at in _single(sentence, key)
        ]
    spots.sort()
    if [key for _, key in spots] != list(dict.fromkeys(key for _, key in spots)) or len(spots) != len(keys):
        return None
    stated = [
        (match.start(), one)
        for match, one in zip(_figure_matches(sentence), figures(sentence), strict=True)
        if not _is_year(one[0])
    ]
    if len(stated) != len(spots):
        return None
    order = [
        kind for _, kind in sorted([(at, "row") for at, _ in spots] + [(at, "figure") for at, _ in stated])
    ]
    if order not in (["row", "figure"] * len(spots), ["figure", "row"] * len(spots)):
        return None
    return {key: one for (_, key), (_, one) in zip(spots, stated, strict=True)}


def _plain(sentence: str) -> str:
    """The sentence letter for letter, folded for comparison with normalized names."""
    letters = (unicodedata.normalize("NFKD", letter)[0].casefold() for letter in sentence)
    return "".join(letter if len(letter) == 1 else letter[0] for letter in letters)


def _speaks_of(period: str | None, words: set[str]) -> bool:
    """Whether a paragraph (with its document's title) names the period: the year, and the month or quarter if any."""
    when = moment(period)
    if when is None:
        return period is None or set(normalize(period).split()) <= words
    year, *rest = when
    if not words & {str(year), f"fy{year}", f"fy{year % 100:02}", f"{year % 100:02}"}:
        return False
    if not rest:
        return True
    names = {month for month in words if month.startswith(MONTHS[rest[0] - 1])}
    return bool(names or words & {f"q{rest[0]}", f"{rest[0]:02}"})


def _half_unit(literal: str, scale: float) -> float:
    """Half a unit of the last digit written: the most that rounding explains. 0 for plain integers."""
    decimals = len(literal.partition(".")[2].rstrip(")")) if "." in literal else 0
    if scale == 1.0 and decimals == 0:
        return 0.0
    return 0.5 * scale * 10.0**-decimals * (1 + 1e-9)


def thresholds(
    texts: Sequence[tuple[WorkspaceFile, Document]], measures: Sequence[Measure]
) -> list[Threshold]:
    """Bounds that texts set on measures, which split the rows of the table.

    The sentence names the measure with all its words, what the rows are ("states with fewer than ..."), and no
    other period than the measure's. A text that sets several bounds on one measure sets none that could be asked
    for: which of them counts would be a guess.
    """
    found: list[Threshold] = []
    for file, document in texts:
        stated = [
            (block, sentence, literal, bound, direction, strict)
            for block in document.blocks
            for sentence in sentences(block)
            if len(sentence) <= 600
            for literal, bound, direction, strict in _bounds(sentence)
        ]
        for measure in measures:
            meant = [
                (block, sentence, literal, bound, direction, strict)
                for block, sentence, literal, bound, direction, strict in stated
                if _bears_on(sentence, measure)
            ]
            if len({(bound, direction) for _, _, _, bound, direction, _ in meant}) != 1:
                continue
            block, sentence, literal, bound, direction, strict = meant[0]
            values = measure.values()
            # "At least" takes in a row exactly on the bound, "more than" doesn't: where a row stands there, only
            # the strict words leave no doubt.
            if not strict and any(close(value, bound) for value in values):
                continue
            beyond = sum(value > bound if direction == "above" else value < bound for value in values)
            if 2 <= beyond <= 0.8 * len(values):
                found.append(Threshold(file, block, sentence, literal, bound, direction, measure))
    return found


def _bounds(sentence: str) -> Iterator[tuple[str, float, Literal["above", "below"], bool]]:
    """The bounds that a sentence states: literal, number, direction, and whether the bound itself is outside."""
    for pattern, direction, strict in _COMPARATORS:
        for match in re.finditer(rf"\b(?:{pattern})\s+{_BOUND}", sentence, re.I):
            literal = match.group(1)
            bound = parse_number(literal)
            # "No more than" holds "more than", and means the opposite.
            negated = re.search(r"\b(?:no|not)\s+$", sentence[: match.start()], re.I)
            if bound is None or _is_year(literal) or (strict and negated):
                continue
            following = normalize(sentence[match.end() : match.end() + 12]).split(" ")[0]
            yield literal, bound * _SCALES.get(following.rstrip("s"), 1.0), direction, strict


def _bears_on(sentence: str, measure: Measure) -> bool:
    """Whether a sentence about a bound speaks of this measure of this table."""
    words = {_singular(word) for word in normalize(sentence).split()}
    names = {_singular(word) for word in content_words(measure.stem or measure.subject)}
    if not names or not names <= words:
        return False
    key = measure.table.key
    rows = (
        {_singular(word) for word in content_words(measure.table.columns[key].name)}
        if key is not None
        else set()
    )
    if not rows or not rows & words:
        return False
    when, told = moment(measure.period), moment(sentence)
    if told is None:
        # No period, or several: then the measure's own must be among the years named, if any is.
        years = set(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", sentence))
        return not years or (when is not None and str(when[0]) in years)
    return when is not None and when[: len(told)] == told


def _singular(word: str) -> str:
    """A word without its plural ending, as far as comparison needs it."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
