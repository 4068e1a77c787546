"""Parts of long tables that another document speaks of, without naming a row of them.

A report prints "Total, general fund" on a page of fiscal 2021; the database behind it says the same with five columns
fixed. To try every grouping would find anything by chance. So the document decides what is fixed: the values of a
column that its label, header, titles and file name spell out. What is tried is counted, and an agreement must be
far less likely than the number of tries would explain.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from statistics import median

from ..records import RelationKind, close, is_money, normalize
from .computed import Computed, Equation
from .equalities import Single, content_of_total, told
from .keys import content, month_of
from .lines import Line, Term, context_of, number_at, place_of
from .pivots import Cube

_MOST_TRIES, _MOST_NAMED, _MOST_EQUATIONS = 48, 6, 80
# One agreement by chance in so many figures that are looked up.
_ODDS = 500
_NATION = frozenset(("national", "nation", "nationwide"))


@dataclass
class Sliced:
    """A long table ready to be asked for the rows with some values; what was asked before is kept."""

    cube: Cube
    known: dict[tuple[tuple[int, str], ...], tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def by_value(self) -> list[dict[str, frozenset[int]]]:
        """The rows of each value, a dimension each."""
        found: list[dict[str, frozenset[int]]] = []
        for one in self.cube.dimensions:
            rows: dict[str, list[int]] = {}
            for row, value in one.values.items():
                rows.setdefault(value, []).append(row)
            found.append({value: frozenset(chosen) for value, chosen in rows.items() if value})
        return found

    @cached_property
    def years(self) -> frozenset[int]:
        """Which dimensions are years; not the fiscal ones that were made of months."""
        return frozenset(
            at
            for at, values in enumerate(self.by_value)
            if values
            and not self.cube.dimensions[at].fiscal
            and all(_year_of(one) is not None for one in values)
        )

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """Which dimensions say of what kind a row is, not of what time."""
        return tuple(
            at
            for at, values in enumerate(self.by_value)
            if at not in self.years and at not in self.months and not self.cube.dimensions[at].fiscal
        )

    @cached_property
    def months(self) -> frozenset[int]:
        """Which dimensions are months."""
        return frozenset(
            at
            for at, values in enumerate(self.by_value)
            if "month" in normalize(self.cube.dimensions[at].name).split()
            or all(month_of(one) is not None for one in values)
        )

    @cached_property
    def spelt(self) -> list[tuple[dict[str, list[str]], dict[str, int]]]:
        """For each dimension: the values that have a word, and how many words a value has."""
        found = []
        for values in self.by_value:
            by_word: dict[str, list[str]] = {}
            sizes = {}
            for value in values:
                words = frozenset(word for word in content(value) if not word.isdigit())
                if any(len(word) >= 4 for word in words):
                    sizes[value] = len(words)
                    for word in words:
                        by_word.setdefault(word, []).append(value)
            found.append((by_word, sizes))
        return found

    def rows(self, fixed: tuple[tuple[int, str], ...]) -> tuple[int, ...]:
        """The rows with these values."""
        if fixed not in self.known:
            sets = sorted((self.by_value[at].get(value, frozenset()) for at, value in fixed), key=len)
            chosen = frozenset.intersection(*sets) if sets else frozenset(self.cube.rows)
            self.known[fixed] = tuple(sorted(chosen))
        return self.known[fixed]

    def named(self, words: frozenset[str], years: frozenset[int], text: str) -> dict[int, list[str]]:
        """The values of each dimension that a document names: in all their words, the longest names first; years that
        it is about; quarters that it is of."""
        found: dict[int, list[str]] = {}
        for at, one in enumerate(self.cube.dimensions):
            if one.fiscal or at in self.months:
                continue
            if at in self.years:
                met = [value for value in self.by_value[at] if _year_of(value) in years]
            elif "quarter" in normalize(one.name).split():
                met = [value for value in self.by_value[at] if _quarter_said(value, text)]
            else:
                by_word, sizes = self.spelt[at]
                counts: dict[str, int] = {}
                for word in words:
                    for value in by_word.get(word, ()):
                        counts[value] = counts.get(value, 0) + 1
                if words & _NATION and "united states" in self.by_value[at]:
                    counts["united states"] = sizes["united states"] = 2
                full = [value for value, count in counts.items() if count == sizes[value]]
                # "Adopted budget" is meant where both it and "budget" could be.
                met = [value for value in full if not any(content(value) < content(other) for other in full)]
            # More than a few are a list of its rows.
            if 1 <= len(met) <= _MOST_NAMED:
                found[at] = sorted(met)
        return found


def _year_of(value: str) -> int | None:
    match = re.fullmatch(r"(?:fy)?((?:19|20)\d\d)", value)
    return int(match[1]) if match else None


def _quarter_said(value: str, text: str) -> bool:
    digit = value[-1:]
    names = {"1": "first", "2": "second", "3": "third", "4": "fourth"}
    return (
        digit in names
        and re.search(rf"\bq{digit}\b|\b{names[digit]} quarter\b|\bquarter {digit}\b", text) is not None
    )


def stated_sums(
    sliced: Sequence[Sliced], figures: Sequence[Single], known: frozenset[tuple[str, str]], most_terms: int
) -> list[Computed]:
    """Totals of a document that are sums over another file's rows of just the kinds that the document names.

    ``known`` are places and files between which a sum was found already.
    """
    totals = [
        one
        for one in figures
        if abs(one.value) >= 1_000
        and (one.scale or 1.0) == 1.0
        and one.step <= 0.5
        and content_of_total(f"{one.place.label} {one.place.measure}")
    ]
    contexts: dict[tuple[str, str, str], tuple[frozenset[str], str]] = {}
    found = []
    for one in totals:
        mark = (one.place.file.sha256, one.place.label, one.place.measure)
        if mark not in contexts:
            # The heads of a table that was not read as one stand somewhere on the page.
            words = context_of(one.place, one.document) | one.words
            text = normalize(
                f"{one.place.file.name} {one.document.title} {one.place.measure}".replace("_", " ")
            )
            contexts[mark] = (words, text)
        words, text = contexts[mark]
        for long in sliced:
            if long.cube.file.sha256 == one.place.file.sha256:
                continue
            if (
                one.place.locator.model_dump_json() + (one.place.literal or ""),
                long.cube.file.name,
            ) in known:
                continue
            named = long.named(words, one.years(), text)
            measures = _measures(long.cube, one)
            tries = math.prod(len(values) for values in named.values()) * len(measures)
            if len(named) < 2 or tries > _MOST_TRIES or tries * _ODDS > abs(one.value):
                continue
            if (made := _agreeing(one, long, named, measures, most_terms)) is not None:
                found.append(made)
    return found


def _measures(cube: Cube, one: Single) -> Sequence[int]:
    """The columns that a figure's label names, or all: "total" where it is one beside its parts."""
    label = set(normalize(f"{one.place.label} {one.place.measure}").split())
    named = [at for at in cube.measures if set(normalize(cube.table.columns[at].name).split()) <= label]
    return named or cube.measures


def _agreeing(
    one: Single, long: Sliced, named: Mapping[int, Sequence[str]], measures: Sequence[int], most_terms: int
) -> Computed | None:
    table = long.cube.table
    for values in product(*named.values()):
        fixed = tuple(zip(named, values, strict=True))
        rows = long.rows(fixed)
        if not 2 <= len(rows) <= most_terms:
            continue
        for measure in measures:
            numbers = {row: number for row in rows if (number := number_at(table, row, measure)) is not None}
            if sum(bool(number) for number in numbers.values()) < 2:
                continue
            if abs(math.fsum(numbers.values()) - one.value) > one.step:
                continue
            places = Term(one.value, long.cube.file, table, measure, tuple(numbers), "").places
            equation = Equation(
                "aggregate", "reconcile", ((one.place,), places), "{0} - {1}", one.place.label
            )
            kinds = ", ".join(f"{long.cube.dimensions[at].name} {value}" for at, value in fixed)
            why = (
                f"“{' '.join(table.columns[measure].name.split())}” of {kinds} ({long.cube.file.name}) adds up to "
                f"“{one.place.label[:80]}” in {one.place.file.name}"
            )
            return Computed("aggregate", (equation,), 4 + one.digits / 2, why)
    return None


def near_names(sliced: Sequence[Sliced], figures: Sequence[Single], most_terms: int) -> list[Computed]:
    """Sums by name beside a printed column whose rows are called so: several agree or nearly do, and the others differ.

    One near figure is no evidence. Four rows that are called alike and are near each other, two of them to a
    thousandth, are: then what differs under the same name by up to a twentieth is a revision or a conflict.
    """
    columns: dict[tuple[str, int], list[Single]] = {}
    for figure in figures:
        if figure.place.table is not None and (figure.scale or 1.0) == 1.0 and figure.digits >= 4:
            columns.setdefault((figure.place.file.sha256, figure.place.column), []).append(figure)
    printed = [(sha, _Labels(group)) for (sha, _), group in columns.items() if len(group) >= 4]
    found = []
    for long in sliced:
        for at in long.kinds:
            if all(key.isdigit() for key in long.by_value[at]):
                continue
            named = [
                labels
                for sha, labels in printed
                if sha != long.cube.file.sha256
                and sum(bool(labels.called(key)) for key in long.by_value[at]) >= 4
            ]
            lines = _by_name(long, at) if named else []
            for labels in named:
                options = [(rank, line, pairs) for line in lines for rank, pairs in labels.near(line)]
                if options:
                    _, line, pairs = min(
                        options, key=lambda entry: (entry[0], len(entry[1].fixed), entry[1].order)
                    )
                    # Where all agree there is nothing that other finders don't see.
                    if any(abs(one.value - line.terms[key].value) > one.step for key, one in pairs.items()):
                        found.append(_beside(line, pairs, most_terms))
    return found


def _by_name(long: Sliced, key: int) -> list[Line]:
    """The sums by the values of one column, of all rows and of those of a year, a kind, or a year and a kind."""
    years: list[tuple[tuple[int, str], ...]] = [()]
    kinds: list[tuple[tuple[int, str], ...]] = [()]
    for at in range(len(long.by_value)):
        if at in long.years:
            years += [((at, value),) for value in long.by_value[at]]
        elif at != key and at in long.kinds and len(long.by_value[at]) <= 12:
            kinds += [((at, value),) for value in long.by_value[at]]
    cube = long.cube
    names = cube.dimensions[key].values
    found = []
    for fixed in (year + kind for year in years[:60] for kind in kinds[:24]):
        rows = long.rows(fixed)
        for measure in cube.measures:
            groups: dict[str, list[int]] = {}
            numbers = {}
            for row in rows:
                if names[row] and (number := number_at(cube.table, row, measure)) is not None:
                    numbers[row] = number
                    groups.setdefault(names[row], []).append(row)
            if len(groups) < 4:
                continue
            terms = {
                name: Term(
                    math.fsum(numbers[row] for row in own), cube.file, cube.table, measure, tuple(own), name
                )
                for name, own in groups.items()
            }
            found.append(
                Line(
                    cube.file,
                    cube.document,
                    "sum",
                    (cube.table.id, cube.dimensions[key].name, measure),
                    " ".join(cube.table.columns[measure].name.split()),
                    cube.table.title or cube.document.title,
                    terms,
                    fixed=tuple((cube.dimensions[at].name, value) for at, value in fixed),
                    key=cube.dimensions[key].name,
                )
            )
    return found


class _Labels:
    """The figures of one printed column by the words of their rows' names."""

    def __init__(self, group: Sequence[Single]):
        self.group = group
        self.words = [content(one.place.label) for one in group]
        self.plain = [frozenset(normalize(one.place.label).split()) for one in group]
        self.by_word: dict[str, set[int]] = {}
        for number, words in enumerate(self.words):
            for word in words:
                self.by_word.setdefault(word, set()).add(number)
        self.known: dict[str, list[int]] = {}

    def called(self, key: str) -> list[int]:
        """The rows whose names have all words of a key."""
        if key not in self.known:
            words = [word for word in content(key) if not word.isdigit()]
            whole = any(len(word) >= 4 for word in words)
            sets = [self.by_word.get(word, set()) for word in words]
            met = set.intersection(*sets) if whole and sets else set()
            # A row that is called by much more than that is a row of a long table.
            self.known[key] = sorted(at for at in met if len(self.words[at]) <= len(words) + 3)
        return self.known[key]

    def near(self, line: Line) -> Iterator[tuple[tuple[float, ...], dict[str, Single]]]:
        """Where the rows are near the sums of a line: how good that is (least is best), and the row of each key.

        Of several rows that are called like a key the one with most of the words that the sums are fixed to, and with
        the fewest others, is meant.
        """
        fixed = frozenset(word for _, value in line.fixed for word in normalize(value).split())
        years = {year for _, value in line.fixed if (year := _year_of(value)) is not None}
        pairs: dict[str, Single] = {}
        for key, term in line.terms.items():
            options = self.called(key) if term.value else []
            if not options:
                continue
            ranks = {at: (-len(fixed & self.plain[at]), len(self.words[at])) for at in options}
            best = min(ranks.values())
            meant = [at for at in options if ranks[at] == best]
            # A column with several such rows is a long table itself: one of them will be near by chance.
            if len({self.group[at].value for at in meant}) == 1:
                pairs[key] = self.group[meant[0]]
        gaps = {key: abs(one.value / line.terms[key].value - 1) for key, one in pairs.items()}
        near = sorted(gap for gap in gaps.values() if gap <= 0.05)
        if len(near) < 4 or near[1] > 1e-3 or median(near) > 0.02 or len(near) < 0.4 * len(gaps):
            return
        if not any(line.terms[key].summed for key in pairs):
            return
        close_by = {key: one for key, one in pairs.items() if gaps[key] <= 0.05}
        said = [one.years() for one in close_by.values()]
        if len({one.value for one in close_by.values()}) < 4:
            return
        if years and any(said) and not any(years & one for one in said):
            return
        # First what agrees to the last digits: a sum with its own total in it is near, too.
        yield (-sum(gap <= 1e-6 for gap in near), -len(near), sum(near)), close_by


def _beside(line: Line, pairs: Mapping[str, Single], most_terms: int) -> Computed:
    equations: list[Equation] = []
    taken = apart = 0
    for key, one in sorted(
        pairs.items(), key=lambda pair: -abs(pair[1].value / line.terms[pair[0]].value - 1)
    ):
        term = line.terms[key]
        if abs(one.value / term.value - 1) > 0.05:
            continue
        taken += len(term.rows)
        if taken > most_terms or len(equations) == _MOST_EQUATIONS:
            break
        kind: RelationKind = "aggregate" if abs(one.value - term.value) <= one.step else "conflict"
        apart += kind == "conflict"
        equations.append(Equation(kind, "reconcile", ((one.place,), term.places), "{0} - {1}", key))
    some = next(iter(pairs.values())).place
    why = f"{told(line)} and the rows of the same names in {some.file.name} differ for {apart} of {len(equations)}"
    return Computed("conflict", tuple(equations), 10 + len(equations), why)


def year_slices(
    sliced: Sequence[Sliced], lines: Sequence[Line], texts: Mapping[str, frozenset[str]]
) -> list[Computed]:
    """Figures by year, and the rows of a long table that are of the kinds which the document of those figures names.

    One row a year, of the last month where there are twelve, near the other figure and following it up and down.
    """
    found: list[Computed] = []
    for line in lines:
        if line.kind == "sum" or line.fixed or len(line.terms) < 2:
            continue
        if not all(_year_of(key) for key in line.terms):
            continue
        own = content(f"{line.name} {line.title} {line.document.title} {line.file.name.replace('-', ' ')}")
        words = own | texts.get(line.file.sha256, frozenset())
        for long in sliced:
            if long.cube.file.sha256 != line.file.sha256:
                found += _following(
                    line, long, long.named(own, frozenset(), ""), long.named(words, frozenset(), "")
                )
    return found


def _following(
    line: Line, long: Sliced, titled: Mapping[int, Sequence[str]], named: Mapping[int, Sequence[str]]
) -> Iterator[Computed]:
    cube = long.cube
    years = sorted(long.years)
    # What the titles name is meant; what only the text names may be.
    options = {at: titled.get(at, values) for at, values in named.items()}
    if len(years) != 1 or not titled or math.prod(len(values) for values in options.values()) > _MOST_TRIES:
        return
    for values in product(*options.values()):
        fixed = tuple(zip(options, values, strict=True))
        by_year: dict[str, list[int]] = {}
        for row in _last_months(long, long.rows(fixed)):
            by_year.setdefault(cube.dimensions[years[0]].values[row], []).append(row)
        shared = [key for key in line.terms if len(by_year.get(key, ())) == 1 and line.terms[key].value]
        if len(shared) < 2:
            continue
        for measure in cube.measures:
            pairs = {
                key: (line.terms[key].value, number)
                for key in shared
                if (number := number_at(cube.table, by_year[key][0], measure)) is not None
            }
            if not _follows(list(pairs.values())):
                continue
            equations = []
            for key, (one, other) in pairs.items():
                place = place_of(cube.file, cube.table, by_year[key][0], measure, "")
                assert place is not None  # it holds a number
                kind: RelationKind = "equal" if close(one, other) else "conflict"
                equations.append(
                    Equation(kind, "reconcile", (line.terms[key].places, (place,)), "{0} - {1}", key)
                )
            apart = sum(equation.kind == "conflict" for equation in equations)
            kinds = ", ".join(f"{cube.dimensions[at].name} {value}" for at, value in fixed)
            yield Computed(
                "conflict" if apart else "equal",
                tuple(equations),
                10 + len(pairs),
                f"{told(line)} and {kinds} of {cube.file.name} differ for {apart} of {len(pairs)} years",
            )


def _last_months(long: Sliced, rows: Sequence[int]) -> list[int]:
    """The rows of December or month 12, where the table has months."""
    for at in sorted(long.months):
        values = long.cube.dimensions[at].values
        return [row for row in rows if values[row] == "12" or month_of(values[row]) == 12]
    return list(rows)


def _follows(pairs: Sequence[tuple[float, float]]) -> bool:
    """Whether two lines go up and down together: near in every year, and much less apart than the years are."""
    if len(pairs) < 2 or any(min(abs(one), abs(other)) < 100 for one, other in pairs):
        return False
    gaps = [abs(one - other) / max(abs(one), abs(other)) for one, other in pairs]
    low, high = min(one for one, _ in pairs), max(one for one, _ in pairs)
    return max(gaps) <= 0.03 and max(gaps) <= 0.1 * (high - low) / abs(high)


def rates(sliced: Sequence[Sliced], least: int, most_terms: int) -> list[Computed]:
    """Sums of one long table over those of another, year by year, for the kinds that both know: royalties a barrel."""
    found: list[Computed] = []
    for number, left in enumerate(sliced):
        for right in sliced[number + 1 :]:
            if left.cube.file.sha256 != right.cube.file.sha256:
                found += _rates(left, right, least, most_terms)
    return found


_MOST_RATES, _MOST_MATCHED = 10, 200


def _rates(left: Sliced, right: Sliced, least: int, most_terms: int) -> list[Computed]:
    years = [_years_column(one) for one in (left, right)]
    if None in years:
        return []
    matched = _matched(left, right)
    if len(matched) < 2:
        return []
    options = [[(value, other) for value, other in pairs.items()] for pairs in matched.values()]
    if math.prod(len(one) for one in options) > 60:
        return []
    kept: list[tuple[float, Computed]] = []
    for chosen in product(*options):
        mine = tuple((at, one) for (at, _), (one, _) in zip(matched, chosen, strict=True))
        theirs = tuple((at, other) for (_, at), (_, other) in zip(matched, chosen, strict=True))
        # Of the kinds that only one table knows the largest of each column.
        best: dict[tuple[str, int], tuple[float, Computed]] = {}
        for extra in _extras(left, mine):
            for other in _extras(right, theirs) if not extra else [()]:
                side = ("left", extra[0][0]) if extra else ("right", other[0][0] if other else -1)
                for entry in _by_year(left, right, mine + extra, theirs + other, years, least, most_terms):
                    if side not in best or entry[0] > best[side][0]:
                        best[side] = entry
        kept += best.values()
    kept.sort(key=lambda entry: (-entry[0], entry[1].order()))
    return [one for _, one in kept[:_MOST_RATES]]


def _one_more(one: str, other: str) -> bool:
    """Whether one name is the other with more words behind it: oil, oil prod vol."""
    few, many = sorted((one.split(), other.split()), key=len)
    return bool(few) and len(few) < len(many) and many[: len(few)] == few


def _years_column(long: Sliced) -> int | None:
    return min(long.years, default=None)


def _matched(left: Sliced, right: Sliced) -> dict[tuple[int, int], dict[str, str]]:
    """Columns of kinds that both tables have, and the values that mean the same: equal, or one word more."""
    found: dict[tuple[int, int], dict[str, str]] = {}
    used: set[int] = set()
    for at in left.kinds:
        for other_at in right.kinds:
            names = [long.cube.dimensions[one].name for long, one in ((left, at), (right, other_at))]
            sizes = (len(left.by_value[at]), len(right.by_value[other_at]))
            if other_at in used or normalize(names[0]) != normalize(names[1]) or max(sizes) > _MOST_MATCHED:
                continue
            pairs = {}
            for value in left.by_value[at]:
                same = [name for name in right.by_value[other_at] if name == value] or [
                    name for name in right.by_value[other_at] if _one_more(value, name)
                ]
                if len(same) == 1:
                    pairs[value] = same[0]
            if len(pairs) >= 2 and len(set(pairs.values())) == len(pairs):
                found[at, other_at] = pairs
                used.add(other_at)
                break
    return found


def _extras(long: Sliced, fixed: tuple[tuple[int, str], ...]) -> list[tuple[tuple[int, str], ...]]:
    """Nothing more fixed, or one value of another column of a few kinds."""
    taken = {at for at, _ in fixed}
    found: list[tuple[tuple[int, str], ...]] = [()]
    for at in long.kinds:
        if at not in taken and len(long.by_value[at]) <= 12:
            found += [((at, value),) for value in sorted(long.by_value[at])]
    return found


def _by_year(
    left: Sliced,
    right: Sliced,
    mine: tuple[tuple[int, str], ...],
    theirs: tuple[tuple[int, str], ...],
    years: Sequence[int | None],
    least: int,
    most_terms: int,
) -> list[tuple[float, Computed]]:
    made = []
    for measure in left.cube.measures:
        for other in right.cube.measures:
            tops = _year_sums(left, mine, years[0], measure)
            bottoms = _year_sums(right, theirs, years[1], other)
            keys = sorted(
                key for key in tops if key in bottoms and bottoms[key].value > 0 and tops[key].value > 0
            )
            size = sum(len(tops[key].rows) + len(bottoms[key].rows) for key in keys)
            if len(keys) < least or size > most_terms:
                continue
            sides = [(left, measure, tops, mine), (right, other, bottoms, theirs)]
            names = [" ".join(long.cube.table.columns[at].name.split()) for long, at, _, _ in sides]
            if content(names[0]) & content(names[1]):
                continue
            # Money for a thing; otherwise the part over the whole.
            units = [long.cube.table.columns[at].unit for long, at, _, _ in sides]
            money = [is_money(name, unit) for name, unit in zip(names, units, strict=True)]
            totals = [sum(terms[key].value for key in keys) for _, _, terms, _ in sides]
            if money[1] > money[0] or (money[0] == money[1] and totals[0] > totals[1]):
                sides, names, totals = sides[::-1], names[::-1], totals[::-1]
            equations = tuple(
                Equation(
                    "shared_key",
                    "derive",
                    (sides[0][2][key].places, sides[1][2][key].places),
                    "{0} / {1}",
                    key,
                )
                for key in keys
            )
            told_of = [
                f"“{name}” of {', '.join(value for _, value in fixed)} ({long.cube.file.name})"
                for name, (long, _, _, fixed) in zip(names, sides, strict=True)
            ]
            why = f"sums of {told_of[0]} over sums of {told_of[1]}, for {len(keys)} years"
            made.append((totals[0], Computed("shared_key", equations, 5 + len(keys) / 10, why)))
    return made


def _year_sums(
    long: Sliced, fixed: tuple[tuple[int, str], ...], years: int | None, measure: int
) -> dict[str, Term]:
    assert years is not None  # _rates asks only where both have years
    groups: dict[str, list[int]] = {}
    values = long.cube.dimensions[years].values
    numbers = {}
    for row in long.rows(fixed):
        if (number := number_at(long.cube.table, row, measure)) is not None and values[row]:
            numbers[row] = number
            groups.setdefault(values[row], []).append(row)
    return {
        key: Term(
            math.fsum(numbers[row] for row in rows),
            long.cube.file,
            long.cube.table,
            measure,
            tuple(rows),
            key,
        )
        for key, rows in groups.items()
    }
