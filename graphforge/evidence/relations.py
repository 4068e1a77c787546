"""Relations between measures, found by computation alone (paper section 3.3, the ``rules`` engine)."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from statistics import median

from ..records import (
    RelationKind,
    close,
    day_in,
    goes_with,
    hides_a_sum,
    is_base,
    is_level,
    lists_some,
    mixed_units,
    namesakes,
    normalize,
    overlaps,
    reads_a_day_as_a_year,
    uncertain,
)
from .measures import PERIOD_WORDS, Measure


@dataclass(frozen=True)
class Finding:
    """A relation between measures over shared row names.

    ``measures`` is one or two measures: (left, right) for conflict, shared_key, growth (newer, older) and confuser
    (right one, confuser); one for total and share. ``keys`` are normalized row names in the order of the first
    measure. ``quality`` ranks findings of one kind, higher is better.
    """

    kind: RelationKind
    measures: tuple[Measure, ...]
    keys: tuple[str, ...]
    quality: float

    def order(self) -> tuple[float, list[tuple[str, str, int]]]:
        """Best first, then by place: a stable order."""
        return (-self.quality, [measure.order for measure in self.measures])


def shared(left: Measure, right: Measure, least: int) -> tuple[str, ...]:
    """The row names both have, in the left one's order; empty where they are too few to mean anything.

    At least ``least`` and at least half of the smaller table must be shared.
    """
    keys = tuple(key for key in left.rows if key in right.rows)
    if len(keys) < least or len(keys) < 0.5 * min(len(left.rows), len(right.rows)):
        return ()
    # Bare counters 1, 2, 3 ... match any other list of counters; they join nothing. Years do join.
    if all(key.isdigit() and not re.fullmatch(r"(?:19|20)\d\d", key) for key in keys):
        ordered = sorted(int(key) for key in keys)
        if ordered == list(range(ordered[0], ordered[0] + len(ordered))):
            return ()
    return keys


def same_unit(left: Measure, right: Measure) -> bool:
    """Whether nothing says that the units differ."""
    units = [normalize(measure.column.unit) for measure in (left, right) if measure.column.unit]
    return len(units) < 2 or units[0] == units[1]


def same_subject(left: Measure, right: Measure) -> bool:
    """Whether both headers name the same measure once their periods are set aside."""
    if left.subject != right.subject:
        return False
    generic = {"", "value", "values", "amount", "total", "count", "estimate", "number", "us total"}
    if left.subject in generic:
        left_title = normalize(left.table.title)
        return left_title != "" and left_title == normalize(right.table.title)
    return True


def _size_quality(count: int) -> float:
    """Tables of 8 to 60 rows make the best work; very short and very long ones the worst."""
    if count < 8:
        return count / 8
    return 1.0 if count <= 60 else 60 / count


def _when(measure: Measure) -> tuple[int, ...] | None:
    """The time of a measure: of its header, or else of its file's name or title."""
    file = measure.file
    return moment(measure.period) or moment(PurePath(file.name).stem) or moment(file.source.title)


# The part of the rows that isn't zero that must agree in reports that aren't called alike.
_SAME_REPORT = 0.8


def _namesakes(left: Measure, right: Measure) -> bool:
    one, other = left.file, right.file
    return namesakes(one.name, one.source.title, other.name, other.source.title)


def conflict(left: Measure, right: Measure, least: int) -> Finding | None:
    """The same measure of the same period in two files, some values equal and some different.

    The older edition comes first, where the files' names tell: it is the one that is brought up to date.
    """
    if left.file.sha256 == right.file.sha256 or not same_subject(left, right) or not same_unit(left, right):
        return None
    if normalize(left.period or "") != normalize(right.period or ""):
        return None
    keys = shared(left, right, least)
    if not keys:
        return None
    pairs = [(left.value(key), right.value(key)) for key in keys]
    equal = sum(close(one, other) for one, other in pairs)
    apart = [abs(one - other) / max(abs(one), abs(other)) for one, other in pairs if not close(one, other)]
    if not apart or (equal < 0.1 * len(keys) and median(apart) > 0.1):
        return None
    if not _namesakes(left, right):
        # Two reports whose names differ are one only where nearly all that isn't zero agrees.
        solid = sum(close(one, other) and one != 0 for one, other in pairs)
        if solid < _SAME_REPORT * (solid + len(apart)):
            return None
    different = len(apart) / len(keys)
    if _earlier(right, left):
        left, right = right, left
        keys = shared(left, right, least)
    return Finding(
        "conflict", (left, right), keys, _size_quality(len(keys)) + (0.5 if 0.02 <= different <= 0.7 else 0)
    )


_EARLY = frozenset(
    "proposed preliminary prelim provisional draft estimate estimated initial original old".split()
)
_LATE = frozenset("adopted final revised revision amended corrected updated update actual new".split())


def _earlier(one: Measure, other: Measure) -> bool:
    """Whether one is the older edition: by the days in the files' names, else by what they tell of themselves.

    A provisional edition of this year comes after the final one of the year before.
    """
    days = day_in(one.file.name), day_in(other.file.name)
    if days[0] is not None and days[1] is not None and days[0] != days[1]:
        return days[0] < days[1]
    return _edition(one) < _edition(other)


def _edition(measure: Measure) -> tuple[int, tuple[int, ...]]:
    """What a file's name and title tell of how late an edition it is: a word (draft, final), then a date."""
    told = normalize(f"{measure.file.name.rsplit('.', 1)[0]} {measure.file.source.title}")
    words = set(told.split())
    stage = bool(words & _LATE) - bool(words & _EARLY)
    return (stage, moment(told) or moment(measure.file.source.period) or ())


def growth(newer: Measure, older: Measure, least: int) -> Finding | None:
    """The same measure of two periods, in one table or in two files; ``newer`` must state the later year."""
    if not same_subject(newer, older) or not same_unit(newer, older):
        return None
    if newer.stem != older.stem or uncertain(newer.name) or _two_years(newer) or _two_years(older):
        return None
    # A year to date that ends in June and one that ends in July are no two periods of one length.
    if _TO_DATE.search(normalize(newer.column.name)) and _month(newer) != _month(older):
        return None
    if any(reads_a_day_as_a_year(measure.name, measure.period) for measure in (newer, older)):
        return None
    # Two programmes count the same under the same headers; the change from one to the other is no change.
    if newer.file.sha256 != older.file.sha256 and not _namesakes(newer, older):
        return None
    later, earlier = moment(newer.period), moment(older.period)
    if later is None or earlier is None or later <= earlier or len(later) != len(earlier):
        return None
    keys = tuple(key for key in shared(newer, older, least) if older.value(key) != 0)
    if len(keys) < least or any(older.value(key) < 0 for key in keys) or mixed_units(keys):
        return None
    # Months above years are one series in rows and columns; and a row called a total may be meant or not.
    if are_periods(keys) or calls_totals(keys):
        return None
    if _holds_subtotals(newer) or _holds_subtotals(older):
        return None
    if newer.mixes_levels(keys) or older.mixes_levels(keys):
        return None
    apart = sum(not close(newer.value(key), older.value(key)) for key in keys)
    if apart < 0.3 * len(keys):
        return None
    return Finding(
        "growth", (newer, older), keys, _size_quality(len(keys)) + (0.2 if newer.table is older.table else 0)
    )


_TOTALLED = re.compile(r"(?:grand |sub ?)?totals?\b")


def are_periods(keys: Sequence[str]) -> bool:
    """Whether row names (normalized) are years or dates, nearly all of them."""
    dated = [
        key
        for key in keys
        if moment(key) and not any(letter.isalpha() for letter in PERIOD_WORDS.sub(" ", key))
    ]
    return len(dated) >= 0.8 * len(keys) > 0


def calls_totals(keys: Sequence[str]) -> bool:
    """Whether a row name (normalized) says that the row is a total, though the table doesn't end with it."""
    return any(_TOTALLED.match(key) for key in keys)


def speak_of_one_thing(left: Measure, right: Measure) -> bool:
    """Whether headers and titles of two measures share a word of their subject, or one is money and the other what
    it may be paid for: spending and positions are two sides of a department, hospitalizations and homes of nothing."""
    return left.money != right.money or bool(_subjects(left) & _subjects(right))


def takes_one_side(left: Measure, right: Measure, keys: Sequence[str]) -> bool:
    """Whether one measure is never below the other and above it in several rows: a whole beside a part that is the same
    in the rows that have nothing else. Two accounts of one thing err to both sides."""
    apart = [
        left.value(key) - right.value(key) for key in keys if not close(left.value(key), right.value(key))
    ]
    return len(apart) > _SEVERAL and (min(apart) > 0 or max(apart) < 0)


_SEVERAL = 3


def told_apart_by_date(left: Measure, right: Measure) -> bool:
    """Whether two files say the same of different days, without a period in the header: one count, made twice.

    What differs between them is what happened in between, and no source contradicts the other.
    """
    if left.period or right.period:
        return False
    dates = [_edition(measure)[1] for measure in (left, right)]
    return all(dates) and dates[0] != dates[1]


_TO_DATE = re.compile(r"\b(?:c|f)?ytd\b|\bto date\b|\bcumulative\b")


def _month(measure: Measure) -> tuple[int, ...]:
    """What beside the year a file's name, or else its title, tells of when it ends; nothing where neither does."""
    when = moment(PurePath(measure.file.name).stem) or moment(measure.file.source.title)
    return when[1:] if when else ()


def _two_years(measure: Measure) -> bool:
    """Whether a header holds two years side by side, as two headers read as one do: "Jul 2019 2020"."""
    return re.search(r"\b(?:19|20)\d\d (?:19|20)\d\d\b", " ".join(measure.column.name.split())) is not None


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def moment(period: str | None) -> tuple[int, ...] | None:
    """A stated period as (year,), (year, quarter), (year, month) or (year, month, day), to be ordered; else None."""
    words = normalize(period or "").split()
    joined = " ".join(words)
    years = re.findall(r"(?<!\d)((?:19|20)\d\d)(?!\d)", joined)
    if not years:
        short = re.findall(r"\bfy ?(\d\d)\b", joined)
        years = [f"20{short[0]}"] if len(short) == 1 else []
    if len(set(years)) != 1:
        return None
    year = int(years[0])
    if quarter := re.search(r"\bq ?([1-4])\b", joined):
        return (year, int(quarter.group(1)))
    months = [MONTHS.index(word[:3]) + 1 for word in words if word[:3] in MONTHS and word.isalpha()]
    if len(months) == 1:
        return (year, months[0])
    if iso := re.search(rf"\b{year} (0\d|1[0-2])(?: (\d\d))?\b", joined):
        return (year, *(int(part) for part in iso.groups() if part))
    return (year,) if not months else None


_SUMS = re.compile(
    r" (?:total|totals|subtotal|net|gross|all|overall|sum|balance|combined|united states|u "
    r"s|us|usa|national|nationwide|"
    r"nation|world|worldwide|other than|less|of which|including|excluding) "
)


def share(measure: Measure, least: int) -> Finding | None:
    """Parts of a whole: positive values, a sum that means something, and a stated total that doesn't contradict it."""
    values = measure.values()
    if not measure.additive or len(values) < least or any(value < 0 for value in values) or sum(values) == 0:
        return None
    stated = stated_total(measure)
    if stated is None and (not measure.countable or overlaps(measure.name)):
        return None
    if stated is not None and not close(stated, math.fsum(values), relative=1e-3):
        return None
    # A row that is itself a sum of others would be counted twice: by its name, or because it is half of everything.
    if any(_SUMS.search(f" {key} ") for key in measure.rows) or 2 * max(values) >= 0.98 * math.fsum(values):
        return None
    # Or because it heads its parts; and what goes on over the page is no whole.
    if stated is None and (hides_a_sum(values) or measure.document.is_part(measure.table)):
        return None
    # A subtotal that stands among the rows may be all that is told of its parts.
    if stated is None and measure.table.inner_totals():
        return None
    if mixed_units(measure.rows) or lists_some(measure.table.title):
        return None
    if any(is_level(column.name) for column in measure.levels) or measure.mixes_levels(measure.rows):
        return None
    return Finding(
        "share",
        (measure,),
        tuple(measure.rows),
        _size_quality(len(values)) + (0.5 if stated is not None else 0.0),
    )


def stated_total(measure: Measure) -> float | None:
    """The number that the table's first total row states for the measure, or None."""
    for row in measure.table.totals:
        number = measure.table.number(row, measure.column.index)
        if number is not None:
            return number
    return None


def shared_key(left: Measure, right: Measure, least: int) -> Finding | None:
    """Two different amounts about the same things and of the same time: a join, and how much of the left one there
    is for each of the right one. Money stands over counts, anything over people, homes and the like, and else the
    smaller whole over the larger."""
    if left.file.sha256 == right.file.sha256 or left.subject == right.subject:
        return None
    # population and population_16: one measure, and what it was before is a change and no ratio.
    if left.words and left.words == right.words:
        return None
    if not (left.amount and right.amount) or not _goes_with(left, right):
        return None
    when = [_when(measure) for measure in (left, right)]
    if None not in when and when[0] != when[1]:
        return None
    keys = shared(left, right, least)
    if not keys or mixed_units(keys) or any(right.value(key) == 0 for key in keys):
        return None
    if _holds_subtotals(left) or _holds_subtotals(right):
        return None
    if left.mixes_levels(keys) or right.mixes_levels(keys):
        return None
    if any(left.value(key) < 0 or right.value(key) < 0 for key in keys):
        return None
    if left.money != right.money:
        if not left.money:
            return None
    elif _based(left) != _based(right):
        if _based(left):
            return None
    elif math.fsum(left.value(key) for key in keys) > math.fsum(right.value(key) for key in keys):
        return None
    return Finding("shared_key", (left, right), keys, _size_quality(len(keys)) + (0.3 if when[0] else 0.0))


def _goes_with(left: Measure, right: Measure) -> bool:
    """Whether so much of the left one a unit of the right one is something that people ask for.

    The right one is what things of the left one's kind are usually set against (people, homes, capacity), or both
    speak of one subject. Two columns that only share their rows are nobody's ratio: hospitalizations a school
    district's rank, or a planned home.
    """
    if not left.countable:
        return False
    if (
        fits := goes_with(f"{left.name} {left.table.title} {left.column.unit or ''}", _own(right))
    ) is not None:
        return fits
    return right.countable and bool(_subjects(left) & _subjects(right))


def _own(measure: Measure) -> str:
    return f"{measure.name} {measure.column.unit or ''}"


def _holds_subtotals(measure: Measure) -> bool:
    """Whether a row is the sum of those beside it: requests leave subtotals out, and nothing calls this one so."""
    return measure.additive and hides_a_sum(measure.values())


def _based(measure: Measure) -> bool:
    return is_base(measure.name, measure.column.unit)


def _subjects(measure: Measure) -> set[str]:
    told = f"{measure.name} {measure.table.title} {measure.file.source.title}"
    words = PERIOD_WORDS.sub(" ", normalize(told)).split()
    return {
        word.rstrip("s") for word in words if word.isalpha() and word not in _SHARED_BY_ALL and len(word) > 2
    }


# Words of headers and titles that tell no subject.
_SHARED_BY_ALL = frozenset(
    """total totals number numbers count counts amount amounts value values sum table tables data figure figures state
    states county counties city region regions year years month months quarter fiscal calendar report reports summary
    annual monthly quarterly final provisional united all other others new item items list by per and of the in for
    sheet csv xls xlsx pdf docx html json
    """.split()
)


def confuser(right_one: Measure, other: Measure, least: int) -> Finding | None:
    """The same measure of the same things for another period, place or edition: plausible and wrong."""
    if right_one.table is other.table and right_one.column.index == other.column.index:
        return None
    if not same_subject(right_one, other) and not (
        right_one.table is other.table and right_one.stem == other.stem and right_one.period != other.period
    ):
        return None
    keys = shared(right_one, other, least)
    apart = tuple(key for key in keys if not close(right_one.value(key), other.value(key), relative=1e-4))
    if len(apart) < max(2, 0.2 * len(keys)):
        return None
    in_file = 1.0 if other.file.role == "confuser" else 0.0
    return Finding("confuser", (right_one, other), apart, in_file + len(apart) / len(keys))


def find_all(measures: Sequence[Measure], least: int) -> dict[RelationKind, list[Finding]]:
    """Every relation among the measures of core files, by kind, best first."""
    found: dict[RelationKind, list[Finding]] = {"conflict": [], "growth": [], "share": [], "shared_key": []}
    by_table: dict[tuple[str, str], list[Measure]] = {}
    for measure in measures:
        if finding := share(measure, least):
            found["share"].append(finding)
        by_table.setdefault((measure.file.sha256, measure.table.id), []).append(measure)
    tables = list(by_table.values())
    names = [frozenset().union(*(measure.rows for measure in table)) for table in tables]
    for first in range(len(tables)):
        for second in range(first, len(tables)):
            # Most pairs of tables share no row names: one intersection spares all their column pairs.
            if len(names[first] & names[second]) < least:
                continue
            for left in tables[first]:
                for right in tables[second]:
                    if first == second and left.column.index >= right.column.index:
                        continue
                    if finding := conflict(left, right, least):
                        found["conflict"].append(finding)
                    if finding := growth(left, right, least) or growth(right, left, least):
                        found["growth"].append(finding)
                    if finding := shared_key(left, right, least) or shared_key(right, left, least):
                        found["shared_key"].append(finding)
    for findings in found.values():
        findings.sort(key=Finding.order)
    return found
