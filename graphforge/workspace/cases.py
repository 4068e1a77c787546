"""Candidate cases: relations between typed tables and texts, found by computation over the whole library.

A case is what a coherent piece of work could be about (paper section 3.2): two editions of one table, two tables
that describe the same things, a table over several periods, parts of a whole, a rule stated in a text and the table
it applies to, a text that quotes a table. Cases only guide which files go together; the evidence graph is built
from the files anew.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import fsum
from statistics import median
from typing import Literal

from ..records import (
    Document,
    ExecutionPattern,
    adds_up,
    close,
    counts_something,
    hides_a_sum,
    is_level,
    is_money,
    lists_some,
    namesakes,
    normalize,
    overlaps,
    parse_number,
)
from .panels import MIN_ROWS, Measure, Panel, panels_of
from .words import subject_terms, terms, without_period

CaseKind = Literal["pair_same_measure", "pair_other_measure", "periods", "shares", "threshold", "quote"]

PATTERNS: Mapping[CaseKind, tuple[ExecutionPattern, ...]] = {
    "pair_same_measure": ("reconciliation", "artifact_revision", "research_and_source_synthesis"),
    "pair_other_measure": (
        "data_cleaning_and_integration",
        "comparative_evaluation",
        "research_and_source_synthesis",
    ),
    "periods": (
        "forecasting_and_planning",
        "monitoring_and_exception_reporting",
        "data_analysis_and_reporting",
        "stakeholder_communication",
        "quantitative_modeling",
    ),
    "shares": ("data_analysis_and_reporting", "budgeting_and_allocation", "classification_and_coding"),
    "threshold": ("monitoring_and_exception_reporting", "compliance_review"),
    "quote": ("research_and_source_synthesis",),
}

SAME_FIGURES = "the same figures in another file"

# At most so many cases of a kind and topic, the best ones.
_CAP = 60
# A key in more tables than this (a state's name may be) is no clue by itself, but still counts in a comparison.
_MAX_POSTINGS = 800
_MIN_SHARED = 0.5
# Two tables over twelve months each have 144 pairs of different months; a few tell as much.
_ACROSS = 6
_SAME = 1e-9
# The part of the rows that isn't zero that must agree in reports that aren't called alike.
_SAME_REPORT = 0.8


@dataclass(frozen=True)
class Piece:
    """A measure that a case is about: a column of a table of a file."""

    sha256: str
    table: str
    column: int
    name: str
    what: str
    period: str


@dataclass(frozen=True)
class Case:
    """Files that belong together, and why.

    ``core`` drive the computation; ``text`` is the document that states the rule or the quoted figures.
    ``quality`` (0 to 1) says how good a piece of work it would make; ``words`` what it is about.
    """

    id: str
    kind: CaseKind
    core: tuple[str, ...]
    pieces: tuple[Piece, ...]
    topic: str
    quality: float
    words: tuple[str, ...]
    why: str
    text: str | None = None


@dataclass(frozen=True)
class CaseText:
    """A document with what its source says of it."""

    document: Document
    topic: str
    title: str
    period: str = ""


@dataclass(frozen=True)
class Findings:
    """What the library's files have to do with one another.

    ``cases``: best first; ties by id. ``alternatives``: for every file the files of the same topic that hold the
    same measure for the same rows, with how they differ; an agent could take one for the other. ``rivals``: the same
    for a single measure (file, table, column). ``companions``: for every table (file, id) the files of the topic whose
    tables tell other things of the same rows, closest first, with a line that says so.
    """

    cases: tuple[Case, ...]
    alternatives: Mapping[str, Mapping[str, str]]
    rivals: Mapping[tuple[str, str, int], Mapping[str, str]]
    companions: Mapping[tuple[str, str], Mapping[str, str]]


def find_cases(library: Mapping[str, CaseText]) -> Findings:
    """All candidate cases and alternatives of a library (sha256 to text). Deterministic."""
    panels = [
        panel
        for sha256 in sorted(library)
        for panel in panels_of(
            library[sha256].document, library[sha256].topic, library[sha256].title, library[sha256].period
        )
    ]
    topics = sorted({panel.topic for panel in panels})
    pairs = [pair for topic in topics for pair in _pairs([panel for panel in panels if panel.topic == topic])]
    matches = [match for pair in pairs for match in _matches(pair)]
    found: list[Case] = []
    found += _distinct(_same_measure(matches))
    found += _distinct(_other_measure(pairs))
    found += _distinct([*_period_columns(panels), *_period_files(matches)])
    found += _distinct(_shares(panels))
    found += _distinct(_thresholds(library, panels))
    found += _distinct(_quotes(library, panels))
    return Findings(
        cases=tuple(sorted(found, key=lambda case: (-case.quality, case.id))),
        alternatives=_alternatives(matches),
        rivals=_rivals(matches),
        companions=_companions(pairs),
    )


def _distinct(cases: Iterable[Case]) -> list[Case]:
    """The best case for every set of files, and at most ``_CAP`` for a kind and topic."""
    best: dict[tuple[str, ...], list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: (-case.quality, case.id)):
        same = best[(case.kind, *sorted({*case.core, case.text or ""}))]
        # A second case over the same files is welcome where it is about something else.
        if len(same) < 3 and all(case.pieces[0].what != other.pieces[0].what for other in same):
            same.append(case)
    kept: list[Case] = []
    used: Counter[tuple[str, str]] = Counter()
    for case in sorted(
        (case for group in best.values() for case in group), key=lambda case: (-case.quality, case.id)
    ):
        if used[case.kind, case.topic] < _CAP:
            used[case.kind, case.topic] += 1
            kept.append(case)
    return kept


def _case(
    kind: CaseKind, pieces: list[tuple[Panel, Measure]], quality: float, why: str, text: str | None = None
) -> Case:
    items = tuple(
        Piece(panel.sha256, panel.table.id, one.column, one.name, one.what, one.period)
        for panel, one in pieces
    )
    core = tuple(dict.fromkeys(panel.sha256 for panel, _ in pieces))
    words: list[str] = []
    for panel, one in pieces:
        words += subject_terms(without_period(f"{panel.subject} {one.name} {panel.key_name}"))
    identity = ":".join([kind, *(f"{p.sha256[:12]}.{p.table}.{p.column}" for p in items), (text or "")[:12]])
    return Case(
        id=identity,
        kind=kind,
        core=core,
        pieces=items,
        topic=pieces[0][0].topic,
        quality=round(quality, 6),
        words=tuple(dict.fromkeys(words)),
        why=why,
        text=text,
    )


# --- two tables with shared keys ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pair:
    """Two tables of different files and the keys that both have."""

    left: Panel
    right: Panel
    shared: frozenset[str]

    @property
    def overlap(self) -> float:
        return len(self.shared) / max(len(self.left.keys), len(self.right.keys))


@dataclass(frozen=True)
class _Match:
    """One measure in both tables of a pair, row by row: rows compared, equal, equal and not zero; how far apart."""

    pair: _Pair
    one: Measure
    two: Measure
    both: int
    equal: int
    solid: int
    apart: float

    @property
    def same_report(self) -> bool:
        """Whether both files are one report, of other times or editions: two programmes may count under one header."""
        return namesakes(*self.pair.left.called, *self.pair.right.called)

    @property
    def same_period(self) -> bool:
        return self.one.stated_period == self.two.stated_period


def _pairs(panels: list[Panel]) -> Iterator[_Pair]:
    """Pairs of tables of different files that share keys: at least 5, and half of the smaller table's.

    Within one topic: every table by state could be joined with every other, and few such pairs are anybody's work.
    """
    postings: dict[str, list[int]] = defaultdict(list)
    for number, panel in enumerate(panels):
        for key in panel.keys:
            postings[key].append(number)
    sets = [frozenset(panel.keys) for panel in panels]
    for number, panel in enumerate(panels):
        shared: Counter[int] = Counter()
        for key in panel.keys:
            if len(postings[key]) <= _MAX_POSTINGS:
                shared.update(postings[key])
        for other in sorted(shared):
            right = panels[other]
            if other <= number or right.sha256 == panel.sha256 or shared[other] < MIN_ROWS:
                continue
            if shared[other] < _MIN_SHARED * min(len(panel.keys), len(right.keys)):
                continue
            yield _Pair(panel, right, sets[number] & sets[other])


def _compatible(left: str, right: str) -> bool:
    return not left or not right or left == right


def _matches(pair: _Pair) -> Iterator[_Match]:
    """The measures that both tables have: every pair of one period, a few pairs of different periods."""
    rights: dict[str, list[Measure]] = defaultdict(list)
    for two in pair.right.measures:
        rights[two.what].append(two)
    across: Counter[str] = Counter()
    for one in pair.left.measures:
        for two in rights.get(one.what, ()):
            if not _compatible(one.unit, two.unit):
                continue
            if one.stated_period != two.stated_period:
                across[one.what] += 1
                if across[one.what] > _ACROSS:
                    continue
            keys = pair.shared & one.keys & two.keys
            if len(keys) < MIN_ROWS:
                continue
            equal = solid = 0
            apart: list[float] = []
            for key in keys:
                here, there = one.values[key], two.values[key]
                # As records.close, written out: this line runs millions of times.
                off = 0.0 if here == there else abs(here - there) / max(abs(here), abs(there))
                if off <= _SAME:
                    equal += 1
                    solid += here != 0
                else:
                    apart.append(off)
            yield _Match(pair, one, two, len(keys), equal, solid, median(apart) if apart else 0.0)


def _size_quality(rows: int) -> float:
    """Tables of 8 to 60 rows make the best work."""
    if rows < 8:
        return 0.85
    return 1.0 if rows <= 60 else max(0.6, (60 / rows) ** 0.5)


def _same_measure(matches: list[_Match]) -> Iterator[Case]:
    for match in matches:
        different = match.both - match.equal
        if not match.same_period or not different or match.solid < 2:
            continue
        # A reconciliation that people do has most lines agreeing and some to explain.
        agreement = match.equal / match.both
        if not match.same_report and match.solid < _SAME_REPORT * (match.solid + different):
            continue
        if agreement < 0.1 and match.apart > 0.1:
            continue
        quality = (0.35 + 0.65 * min(1.0, 1.5 * agreement)) * (0.6 + 0.4 * match.pair.overlap)
        quality *= _size_quality(match.both) * (1.0 if different >= 2 else 0.9)
        why = f"{match.one.name!r} in both files: {match.equal} rows agree, {different} differ"
        yield _case(
            "pair_same_measure", [(match.pair.left, match.one), (match.pair.right, match.two)], quality, why
        )


def _other_measure(pairs: list[_Pair]) -> Iterator[Case]:
    for pair in pairs:
        if pair.left.mixed or pair.right.mixed:
            continue
        names_left = {one.what for one in pair.left.measures}
        names_right = {one.what for one in pair.right.measures}
        # Tables that measure the same things are editions of one another, not two views.
        if len(names_left & names_right) >= 0.5 * min(len(names_left), len(names_right)):
            continue
        ones = [one for one in pair.left.measures if one.what not in names_right]
        twos = [two for two in pair.right.measures if two.what not in names_left]
        overlap = pair.overlap
        best: tuple[float, Measure, Measure] | None = None
        ones = [one for one in ones if not one.holds_subtotals]
        twos = [two for two in twos if not two.holds_subtotals]
        for one in ones[:6]:
            for two in twos[:6]:
                both = len(pair.shared & one.keys & two.keys)
                if both < MIN_ROWS or one.lowest < 0 or two.lowest < 0 or _one_measure(pair, one, two):
                    continue
                if not _comparable(pair, one, two):
                    continue
                # Any two series share their years. They belong together where they speak of one thing.
                if pair.left.temporal and not _about(pair.left, one) & _about(pair.right, two):
                    continue
                quality = 0.3 + 0.3 * overlap + 0.2 * both / len(pair.shared)
                quality += 0.1 if _compatible(one.period, two.period) else 0.0
                quality += 0.1 if one.adds_up and two.adds_up else 0.0
                quality *= _size_quality(both)
                quality *= 0.75 if pair.left.temporal else 1.0
                if best is None or quality > best[0]:
                    best = (quality, one, two)
        if best is not None:
            quality, one, two = best
            why = f"{one.name!r} and {two.name!r} of the same {len(pair.shared)} rows in two files"
            yield _case("pair_other_measure", [(pair.left, one), (pair.right, two)], quality, why)


def _about(panel: Panel, measure: Measure) -> set[str]:
    """What a table and a measure of it are about, in stems."""
    return set(subject_terms(without_period(f"{panel.subject} {measure.name}")))


def _comparable(pair: _Pair, one: Measure, two: Measure) -> bool:
    """Whether one measure may be told per unit of the other: amounts of one time, the one below without a zero.

    Prices, rates and counts of different years stand beside one another and nothing can be computed from them.
    """
    if not (_amount(pair.left, one) and _amount(pair.right, two)):
        return False
    if one.period and two.period and one.period != two.period:
        return False
    keys = pair.shared & one.keys & two.keys
    sides = [(one, _money(pair.left, one)), (two, _money(pair.right, two))]
    if sides[0][1] != sides[1][1]:
        below = next(side for side, money in sides if not money)
    else:
        below = max((one, two), key=lambda side: fsum(side.values[key] for key in keys))
    return all(below.values[key] for key in keys)


def _amount(panel: Panel, one: Measure) -> bool:
    """Whether a column holds amounts: they add up, and are counted or paid out."""
    if not (one.adds_up and adds_up(one.name, one.unit)):
        return False
    bare = without_period(one.name) in {"", "value", "values"}
    return (
        counts_something(one.name, one.unit)
        or (bare and counts_something(panel.subject))
        or all(value.is_integer() for value in one.values.values())
    )


def _money(panel: Panel, one: Measure) -> bool:
    return is_money(f"{one.name} {panel.table.title}", one.unit)


def _one_measure(pair: _Pair, one: Measure, two: Measure) -> bool:
    """Whether two columns with different names hold the same figures: one measure under two names."""
    keys = pair.shared & one.keys & two.keys
    return sum(
        abs(one.values[key] - two.values[key]) <= 1e-3 * abs(one.values[key]) for key in keys
    ) > 0.5 * len(keys)


def _differences(matches: list[_Match]) -> Iterator[tuple[Panel, Measure, Panel, str]]:
    """Every matched measure, seen from both sides: where it is, the other table, and how the two differ."""
    for match in matches:
        left, right = match.pair.left, match.pair.right
        for here, mine, there, theirs in (
            (left, match.one, right, match.two),
            (right, match.two, left, match.one),
        ):
            if match.equal == match.both:
                how = SAME_FIGURES
            elif theirs.period and theirs.period != mine.period:
                how = f"the same measure and rows for another period ({theirs.period})"
            else:
                how = "another edition of the same measure and rows"
            yield here, mine, there, how


def _alternatives(matches: list[_Match]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for here, _, there, how in _differences(matches):
        known = found[here.sha256].get(there.sha256)
        if known is None or known == SAME_FIGURES:
            found[here.sha256][there.sha256] = how
    return {sha256: dict(sorted(found[sha256].items())) for sha256 in sorted(found)}


def _rivals(matches: list[_Match]) -> dict[tuple[str, str, int], dict[str, str]]:
    found: dict[tuple[str, str, int], dict[str, str]] = defaultdict(dict)
    for here, mine, there, how in _differences(matches):
        rivals = found[here.sha256, here.table.id, mine.column]
        if rivals.get(there.sha256, SAME_FIGURES) == SAME_FIGURES:
            rivals[there.sha256] = how
    return {measure: dict(sorted(found[measure].items())) for measure in sorted(found)}


def _companions(pairs: list[_Pair]) -> dict[tuple[str, str], dict[str, str]]:
    """Tables that can be joined with a table; not by periods alone, which any two series share."""
    found: dict[tuple[str, str], dict[str, tuple[float, str]]] = defaultdict(dict)
    for pair in pairs:
        if pair.left.temporal:
            continue
        for here, there in ((pair.left, pair.right), (pair.right, pair.left)):
            known = {one.what for one in here.measures}
            others = [one for one in there.measures if one.what not in known]
            if not others:
                continue
            quality = pair.overlap * _size_quality(len(pair.shared))
            why = f"{others[0].name!r} of the same {len(pair.shared)} rows"
            best = found[here.sha256, here.table.id].get(there.sha256)
            if best is None or (quality, why) > best:
                found[here.sha256, here.table.id][there.sha256] = (quality, why)
    return {
        table: {
            sha256: why for sha256, (_, why) in sorted(files.items(), key=lambda one: (-one[1][0], one[0]))
        }
        for table, files in sorted(found.items())
    }


# --- periods and shares ------------------------------------------------------------------------------------------


def _period_columns(panels: list[Panel]) -> Iterator[Case]:
    for panel in panels:
        if panel.mixed:
            continue
        groups: dict[str, list[Measure]] = defaultdict(list)
        for one in panel.measures:
            if one.stated_period and one.lowest >= 0 and not one.holds_subtotals:
                groups[one.what].append(one)
        for what in sorted(groups):
            series = {one.stated_period: one for one in groups[what]}
            if len(series) < 2:
                continue
            chosen = [series[period] for period in sorted(series)]
            quality = (0.6 + 0.05 * min(len(chosen), 6)) * _size_quality(len(panel.keys))
            why = f"{len(chosen)} periods of one measure, from {chosen[0].name!r} to {chosen[-1].name!r}"
            yield _case("periods", [(panel, chosen[-2]), (panel, chosen[-1])], quality, why)


def _period_files(matches: list[_Match]) -> Iterator[Case]:
    for match in matches:
        one, two = match.one, match.two
        if match.same_period or not one.stated_period or not two.stated_period or not match.same_report:
            continue
        if match.equal > 0.5 * match.both or min(one.lowest, two.lowest) < 0:
            continue
        if one.holds_subtotals or two.holds_subtotals or match.pair.left.mixed:
            continue
        if len(one.stated_period.split()) != len(two.stated_period.split()):
            continue
        pieces = sorted([(match.pair.left, one), (match.pair.right, two)], key=lambda piece: piece[1].period)
        (_, early), (_, late) = pieces
        quality = (0.5 + 0.35 * match.pair.overlap) * _size_quality(match.both)
        why = f"{early.name!r} for {early.period} and {late.name!r} for {late.period} in two files"
        yield _case("periods", pieces, quality, why)


_SUM_ROW = re.compile(
    r"\b(?:total|totals|subtotal|net|gross|all|overall|sum|balance|combined|united states|us|usa|national|nationwide|"
    r"world|other than|less|of which|including|excluding)\b"
)


def _shares(panels: list[Panel]) -> Iterator[Case]:
    for panel in panels:
        if panel.temporal or panel.mixed or lists_some(panel.table.title):
            continue
        if any(is_level(column.name) for column in panel.table.columns):
            continue
        for one in panel.measures:
            parts = list(one.values.values())
            whole = fsum(parts)
            if len(parts) < MIN_ROWS or min(parts) < 0 or sum(part > 0 for part in parts) < MIN_ROWS:
                continue
            # A row that is half of everything is the sum of the others, whatever its name.
            if (
                not one.adds_up
                or 2 * max(parts) >= 0.98 * whole
                or any(_SUM_ROW.search(key) for key in one.values)
            ):
                continue
            stated = [panel.table.number(row, one.column) for row in panel.table.totals]
            totals = [total for total in stated if total is not None]
            if (totals and not close(totals[0], whole, relative=1e-3)) or not (
                totals or one.counted(panel.subject)
            ):
                continue
            if not totals and (panel.partial or hides_a_sum(parts) or overlaps(one.name)):
                continue
            quality = (0.9 if totals else 0.6) * _size_quality(len(parts))
            why = f"parts of {one.name!r}" + (" that add up to the stated total" if totals else "")
            yield _case("shares", [(panel, one)], quality, why)


# --- texts -------------------------------------------------------------------------------------------------------

_NUMBER = r"[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_FIGURE = re.compile(rf"(?<![\w.,-]){_NUMBER}(?![\w])")
_LIMIT = re.compile(
    r"\b(?:(?:more|greater|higher|larger|fewer|less|lower|smaller) than|above|over|below|under|exceed(?:s|ing|ed)?|"
    r"in excess of|at least|at most|no (?:fewer|less|more|greater) than|minimum of|maximum of|up to)\s+"
    rf"(?:the\s+|an?\s+)?({_NUMBER})",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9\"'(])")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_TEXT_FAMILIES = frozenset(("pdf", "docx", "txt", "md", "html", "pptx"))
_MAX_SENTENCE = 600
_LONGEST_KEY = 8


def _sentences(document: Document) -> Iterator[str]:
    if document.family in _TEXT_FAMILIES:
        for block in document.blocks:
            for sentence in _SENTENCE.split(" ".join(block.text.split())):
                if len(sentence) <= _MAX_SENTENCE:
                    yield sentence


def _scale(sentence: str, end: int) -> float:
    following = normalize(sentence[end : end + 12]).split(" ")[0]
    return _SCALES.get(following.rstrip("s"), 1.0)


def _thresholds(library: Mapping[str, CaseText], panels: list[Panel]) -> Iterator[Case]:
    by_topic: dict[str, list[tuple[Panel, Measure, frozenset[str], frozenset[str]]]] = defaultdict(list)
    for panel in panels:
        rows = frozenset(terms(panel.key_name))
        for one in panel.measures:
            name = frozenset(terms(without_period(one.name)))
            if name and rows:
                by_topic[panel.topic].append((panel, one, name, rows))
    for sha256 in sorted(library):
        item = library[sha256]
        if item.topic not in by_topic:
            continue
        for sentence in _sentences(item.document):
            limits = [
                (parse_number(match.group(1)) or 0.0) * _scale(sentence, match.end())
                for match in _LIMIT.finditer(sentence)
                if not _year(parse_number(match.group(1)) or 0.0)
            ]
            if not limits:
                continue
            words = frozenset(terms(sentence))
            for panel, one, name, rows in by_topic[item.topic]:
                # A rule that leaves out what it measures, or what the rows are, may be about anything.
                if panel.sha256 == sha256 or not name <= words or not rows & words:
                    continue
                common = len(name)
                values = list(one.values.values())
                for limit in limits:
                    beyond = sum(value > limit for value in values)
                    if not 2 <= beyond <= 0.8 * len(values) or any(close(value, limit) for value in values):
                        continue
                    # One common word may be an accident; a whole name of several words hardly is.
                    quality = (0.3 + 0.4 * common / len(name) + 0.1 * min(common, 3)) * _size_quality(
                        len(values)
                    )
                    exceed = f"{beyond} of {len(values)} rows of {one.name!r} exceed it"
                    why = f"the text states a limit of {limit:g}; {exceed}"
                    case = _case("threshold", [(panel, one)], quality, why, text=sha256)
                    yield replace(case, words=tuple(dict.fromkeys([*case.words, *subject_terms(sentence)])))
                    break


def _significant(literal: str) -> int:
    return len(re.sub(r"\D", "", literal).lstrip("0"))


def _year(number: float) -> bool:
    return float(number).is_integer() and 1900 <= abs(number) <= 2100


def _quotes(library: Mapping[str, CaseText], panels: list[Panel]) -> Iterator[Case]:
    """Sentences that name a row and the measure and state the cell, exactly or rounded as they write it."""
    rows: dict[tuple[str, str], list[tuple[Panel, Measure, frozenset[str]]]] = defaultdict(list)
    for panel in panels:
        for one in panel.measures:
            name = frozenset(terms(without_period(one.name)))
            for key in one.values:
                if len(key) >= 3 and not key.isdigit():
                    rows[panel.topic, key].append((panel, one, name))
    for sha256 in sorted(library):
        item = library[sha256]
        hits: dict[tuple[str, str, int], set[str]] = defaultdict(set)
        where: dict[tuple[str, str, int], tuple[Panel, Measure]] = {}
        for sentence in _sentences(item.document):
            stated = [
                (parse_number(match.group()) or 0.0, _scale(sentence, match.end()), match.group())
                for match in _FIGURE.finditer(sentence)
            ]
            stated = [one for one in stated if not _year(one[0]) and _significant(one[2]) >= 3]
            if not stated:
                continue
            words = normalize(sentence).split()
            stems = frozenset(terms(sentence))
            spans = {
                " ".join(words[start:end])
                for start in range(len(words))
                for end in range(start + 1, min(start + _LONGEST_KEY, len(words)) + 1)
            }
            for key in sorted(span for span in spans if (item.topic, span) in rows):
                for panel, one, name in rows[item.topic, key]:
                    if panel.sha256 == sha256 or len(name & stems) < max(1, round(0.5 * len(name))):
                        continue
                    if any(
                        _states(number, scale, literal, one.values[key]) for number, scale, literal in stated
                    ):
                        place = (panel.sha256, panel.table.id, one.column)
                        hits[place].add(key)
                        where[place] = (panel, one)
        for place in sorted(hits):
            panel, one = where[place]
            count = len(hits[place])
            quality = 0.4 if count < 2 else 0.7 + 0.05 * min(count, 6)
            why = f"the text states {count} figure(s) of {one.name!r}"
            yield _case("quote", [(panel, one)], quality, why, text=sha256)


def _states(number: float, scale: float, literal: str, cell: float) -> bool:
    """Whether a written figure is a cell, or the cell rounded to the digits written."""
    decimals = len(literal.partition(".")[2])
    for factor in {1.0, scale}:
        half = 0.0 if factor == 1.0 and not decimals else 0.5 * factor * 10.0**-decimals * (1 + 1e-9)
        if close(number * factor, cell, absolute=half):
            return True
    return False
