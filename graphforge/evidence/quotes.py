"""What running text says about tables: figures it quotes, and thresholds it sets."""

import math
import re
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
    """The sentences of a block, white space folded."""
    return _SENTENCE.split(" ".join(block.text.split()))


def figures(sentence: str) -> Iterator[tuple[str, float, float]]:
    """The figures of a sentence: literal, number as written, and number with a following scale word applied."""
    for match in _FIGURE.finditer(sentence):
        literal = (
            match.group().strip("().")
            if match.group().count("(") != match.group().count(")")
            else match.group()
        )
        number = parse_number(literal)
        if number is None:
            continue
        following = normalize(sentence[match.end() : match.end() + 12]).split(" ")[0]
        yield literal, number, number * _SCALES.get(following.rstrip("s"), 1.0)


def _significant(literal: str) -> int:
    return len(re.sub(r"\D", "", literal).lstrip("0"))


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
    """Figures in the texts that belong to a table row: the sentence names the row and the measure.

    A figure equal to the cell is a confirmed quotation; one within 25 % of it, in a sentence that states no figure
    equal to the cell, is a contradicted one. Years and figures of fewer than three digits are no evidence.
    """
    found: dict[tuple[str, str, int, str], Quotation] = {}
    prepared = [(measure, content_words(measure.name)) for measure in measures]
    for file, document in texts:
        for block in document.blocks:
            for sentence in sentences(block):
                stated = [
                    (literal, plain, scaled)
                    for literal, plain, scaled in figures(sentence)
                    if not _is_year(literal) and _significant(literal) >= 3
                ]
                if not stated or len(sentence) > 600:
                    continue
                folded = f" {normalize(sentence)} "
                words = set(folded.split())
                around = set(normalize(f"{document.title} {block.text}").split())
                for measure, names in prepared:
                    if measure.file.sha256 == file.sha256 or len(names & words) < max(
                        1, math.ceil(0.6 * len(names))
                    ):
                        continue
                    if not _speaks_of(measure.period, around):
                        continue
                    for key in measure.rows:
                        if len(key) < 3 or key.isdigit() or f" {key} " not in folded:
                            continue
                        quotation = _match(file, block, sentence, stated, measure, key, folded)
                        if quotation is not None:
                            place = (measure.file.sha256, measure.table.id, measure.column.index, key)
                            found.setdefault(place, quotation)
    return list(found.values())


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


def _match(
    file: WorkspaceFile,
    block: Block,
    sentence: str,
    stated: list[tuple[str, float, float]],
    measure: Measure,
    key: str,
    folded: str,
) -> Quotation | None:
    cell = measure.value(key)
    for literal, plain, scaled in stated:
        for number in (plain, scaled):
            if close(number, cell, absolute=_half_unit(literal, number / plain if plain else 1.0)):
                return Quotation(file, block, sentence, literal, number, measure, key)
    # A sentence with several rows or figures may pair them in any way: only a lone figure contradicts.
    rows_named = sum(f" {other} " in folded for other in measure.rows if len(other) >= 3)
    if len(stated) == 1 and rows_named == 1 and cell:
        literal, plain, scaled = stated[0]
        if abs(scaled - cell) <= 0.25 * abs(cell):
            return Quotation(file, block, sentence, literal, scaled, measure, key)
    return None


def _half_unit(literal: str, scale: float) -> float:
    """Half a unit of the last digit written: the most that rounding explains. 0 for plain integers."""
    decimals = len(literal.partition(".")[2].rstrip(")")) if "." in literal else 0
    if scale == 1.0 and decimals == 0:
        return 0.0
    return 0.5 * scale * 10.0**-decimals * (1 + 1e-9)


def thresholds(
    texts: Sequence[tuple[WorkspaceFile, Document]], measures: Sequence[Measure]
) -> list[Threshold]:
    """Bounds in the texts whose sentence names a measure, and which split its rows without touching one."""
    found = []
    seen = set()
    for file, document in texts:
        for block in document.blocks:
            for sentence in sentences(block):
                if len(sentence) > 600:
                    continue
                words = content_words(sentence)
                for pattern, direction, strict in _COMPARATORS:
                    for match in re.finditer(rf"\b(?:{pattern})\s+{_BOUND}", sentence, re.I):
                        literal = match.group(1)
                        bound = parse_number(literal)
                        if bound is None or _is_year(literal):
                            continue
                        following = normalize(sentence[match.end() : match.end() + 12]).split(" ")[0]
                        bound *= _SCALES.get(following.rstrip("s"), 1.0)
                        for measure in measures:
                            names = content_words(measure.stem or measure.name)
                            if not names or len(names & words) < max(1, round(0.6 * len(names))):
                                continue
                            place = (file.sha256, literal, direction, measure.order)
                            values = measure.values()
                            beyond = sum(
                                value > bound if direction == "above" else value < bound for value in values
                            )
                            # "At least" takes in a row exactly on the bound, "more than" doesn't: where a row
                            # stands there, only the strict words leave no doubt.
                            if place in seen or (not strict and any(close(value, bound) for value in values)):
                                continue
                            if 2 <= beyond <= 0.8 * len(values):
                                seen.add(place)
                                found.append(
                                    Threshold(file, block, sentence, literal, bound, direction, measure)
                                )
    return found
