"""Sentences and the numbers they state, with their places in the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..records import TextNumber, close, normalize

_BREAK = re.compile(r"[.!?][\"\u201d\u2019)\]]*\s+(?=[\"\u201c\u2018(\[]?[A-Z0-9•])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"\u201c.])(?:[A-Za-z]|approx|vs|no|inc|corp|co|ltd|st|dr|mr|mrs|ms|fig|e\.g|i\.e|jr|sr|dept|est|cf|al)$",
    re.IGNORECASE,
)
_DIGITS = r"\d{1,3}(?:[,\u00a0\u202f\u2009]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = re.compile(
    r"(?P<open>\()?(?P<sign>(?<![\w)\]])[-+\u2212\u2013])?(?:(?P<currency>US\$|[$€£¥])(?P<inner>[-\u2212])?)?"
    rf"(?<![\w.])(?P<digits>{_DIGITS})(?![.,]?\d|(?:st|nd|rd|th)\b)(?P<close>\s?%?\))?"
    r"(?:[\s\u00a0](?P<scale>thousand|million|billion|trillion|bn|mn)\b)?",
    re.IGNORECASE,
)
_SCALES = {"thousand": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
_SPELT = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_WORDS = {word: float(value) for value, word in enumerate(_SPELT)}
_WORD = re.compile(r"\b(?:" + "|".join(_WORDS) + r")\b", re.IGNORECASE)
_FAMILIES = (
    (
        "agree",
        "match",
        "agrees",
        "matches",
        "agreed",
        "matched",
        "agreeing",
        "matching",
        "agreement",
        "coincide",
    ),
    (
        "differ",
        "disagree",
        "differs",
        "disagrees",
        "differed",
        "differing",
        "different",
        "diverge",
        "mismatch",
        "mismatches",
    ),
    ("total", "sum", "totals", "sums", "totalled", "altogether", "together", "overall"),
    ("mean", "average", "means", "averages", "averaged"),
    ("figures", "numbers", "figure", "number", "values", "value"),
    ("exceptions", "exception", "exceptional", "flagged"),
    ("rows", "lines", "row", "line", "entries", "entry"),
    ("highest", "largest", "greatest", "biggest", "maximum"),
    ("lowest", "smallest", "minimum"),
    (
        "rose",
        "increased",
        "grew",
        "climbed",
        "rise",
        "rises",
        "increase",
        "increases",
        "gained",
        "up",
        "higher",
    ),
    (
        "fell",
        "decreased",
        "declined",
        "dropped",
        "fall",
        "falls",
        "decrease",
        "decreases",
        "decline",
        "lost",
        "down",
        "lower",
    ),
)
ALIKE = {word: family for family in _FAMILIES for word in family}
"""Words that a colleague may put for one another around a figure, each with its family."""
_DOWN = {
    "fell", "fall", "falls", "falling", "fallen", "decline", "declined", "declines", "decrease", "decreased",
    "decreases", "down", "drop", "dropped", "drops", "lower", "less", "fewer", "reduction", "reduced",
    "below", "shrank", "shrunk", "lost", "loss", "losses", "minus", "negative", "contracted", "contraction", "deficit",
}  # fmt: skip


@dataclass(frozen=True)
class Stated:
    """A number in a text: where its digits stand, and what it may mean (with and without a scale word)."""

    start: int
    end: int
    values: tuple[float, ...]


def sentences(text: str, names: Sequence[str] = ()) -> list[tuple[int, int]]:
    """The half-open spans of the sentences. Abbreviations end none, nor do full stops within one of ``names``."""
    held = [
        found.span() for name in names if "." in name for found in re.finditer(re.escape(name), text, re.I)
    ]
    spans, start = [], 0
    for match in _BREAK.finditer(text):
        if any(first <= match.start() < last - 1 for first, last in held):
            continue
        if _ABBREVIATION.search(text[start : match.start()]):
            continue
        spans.append((start, match.end()))
        start = match.end()
    if text[start:].strip():
        spans.append((start, len(text)))
    return spans


def numbers(text: str, words: bool = True) -> list[Stated]:
    """The numbers that a text states, in order; with ``words`` also zero to eleven spelt out.

    A percent sign is dropped, not divided away; digits glued to letters ("Q3", "CO2", "5th") state no number.
    """
    found = []
    for match in _NUMBER.finditer(text):
        value = float(re.sub(r"[,\u00a0\u202f\u2009]", "", match["digits"]))
        sign = (match["sign"] or "").strip() or match["inner"] or ""
        if sign in {"-", "\u2212", "\u2013"} or (
            match["open"] and match["close"] and not sign and match["currency"]
        ):
            value = -value
        scale = _SCALES.get((match["scale"] or "").casefold())
        start = match.start("digits")
        found.append(
            Stated(start, match.end("digits"), (value,) if scale is None else (value, value * scale))
        )
    if words:
        found += [
            Stated(match.start(), match.end(), (_WORDS[match[0].casefold()],))
            for match in _WORD.finditer(text)
        ]
    return sorted(found, key=lambda stated: (stated.start, stated.end))


def holds(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase, whole words, normalized (to the letter where nothing is left of it)."""
    wanted = normalize(phrase)
    if not wanted:
        return " ".join(phrase.split()) in text
    return f" {wanted} " in f" {normalize(text)} "


def says(text: str, term: str) -> bool:
    """Whether a text holds a term, or for a single word of a known family another word of it."""
    family = ALIKE.get(normalize(term))
    return holds(text, term) if family is None else not set(family).isdisjoint(normalize(text).split())


def _fits(stated: Stated, check: TextNumber, falling: bool) -> bool:
    if check.value is None:
        return True
    wanted = [check.value, -check.value] if check.value < 0 and falling else [check.value]
    return any(
        close(value, want, check.absolute, check.relative) for value in stated.values for want in wanted
    )


def statements(text: str, check: TextNumber) -> list[Stated]:
    """The numbers of a text that meet a check: in a sentence that holds every term, and not part of a term.

    "fell by 3" states -3.
    """
    met = []
    for start, end in sentences(text, check.terms):
        sentence = text[start:end]
        if not all(says(sentence, term) for term in check.terms):
            continue
        falling = not _DOWN.isdisjoint(normalize(sentence).split())
        words = check.value is not None
        fitting = [stated for stated in numbers(sentence, words) if _fits(stated, check, falling)]
        inside = sum(_fits(stated, check, falling) for term in check.terms for stated in numbers(term, words))
        if len(fitting) > inside:
            met += [Stated(start + one.start, start + one.end, one.values) for one in fitting]
    return met
