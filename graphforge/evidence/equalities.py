"""The same figures in two files: columns, rows and sums that agree by key, and single figures that agree alone.

Two lines are taken for the same measure where figures with enough digits agree under the same keys; the keys under
which they then differ are conflicts. A single figure must be long enough to rule out chance, or be said in the same
words of the same year.
"""

import bisect
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median

from ..records import Document, RelationKind, close, normalize
from .computed import Computed, Equation
from .keys import alike, content, years_in
from .lines import Figure, Line, Place, Term, context_of, digits, scale_over, years_around
from .pivots import running

_SCALES = (1.0, 1e3, 1e6, 1e9)
# Enough for chance to be out of the question: two figures of five digits, or several shorter ones.
_ENOUGH = 6
_MOST_EQUATIONS = 80


def _mantissa(value: float) -> float:
    """The number without factors of a thousand: between 1 and 1000, so that scales don't count."""
    if value == 0:
        return 0.0
    return value / 1000.0 ** math.floor(math.log10(abs(value)) / 3 + 1e-12)


def _same(left: float, right: float) -> float | None:
    """The scale by which the right number is the left one (1, a thousand ...), None where it isn't."""
    for scale in _SCALES:
        if close(left, right * scale) or close(left * scale, right):
            return scale if close(left, right * scale) else 1 / scale
    return None


def same_lines(lines: Sequence[Line], most_terms: int) -> list[Computed]:
    """Equal, conflicting and adding-up lines of different files, found by figures that agree under the same key."""
    places: dict[tuple[str, str], list[int]] = {}
    for number, line in enumerate(lines):
        for key, term in line.terms.items():
            if term.value and digits(term.value) >= 3:
                places.setdefault((key, f"{_mantissa(term.value):.8g}"), []).append(number)
    met = _near(lines)
    for (_, shown), numbers in sorted(places.items()):
        if not 2 <= len(numbers) <= 60:
            continue
        points = min(6, len(shown.replace(".", "").replace("-", "").rstrip("0")) - 2)
        for one, other in combinations(numbers, 2):
            if lines[one].file.sha256 != lines[other].file.sha256:
                met[one, other] += 100 + points
    found = []
    for (one, other), score in met.items():
        left, right = lines[one], lines[other]
        count, points = divmod(score, 100)
        if count < 2 or points + (3 if alike(left.name, right.name) >= 0.5 else 0) < _ENOUGH:
            continue
        if (made := _line_pair(left, right, most_terms)) is not None:
            found.append((made, left, right))
    return _distinct(found)


def _near(lines: Sequence[Line]) -> Counter[tuple[int, int]]:
    """Pairs of lines whose long figures agree in their first five digits under three keys or more."""
    places: dict[tuple[str, str], list[int]] = {}
    for number, line in enumerate(lines):
        for key, term in line.terms.items():
            if digits(term.value) >= 6:
                places.setdefault((key, f"{_mantissa(term.value):.5g}"), []).append(number)
    met: Counter[tuple[int, int]] = Counter()
    for numbers in places.values():
        if 2 <= len(numbers) <= 40:
            for one, other in combinations(numbers, 2):
                if lines[one].file.sha256 != lines[other].file.sha256:
                    met[one, other] += 1
    # As good as two figures that agree in full.
    return Counter({pair: 200 + _ENOUGH for pair, count in met.items() if count >= 3})


def _line_pair(left: Line, right: Line, most_terms: int) -> Computed | None:
    shared = [key for key in left.terms if key in right.terms]
    scales = Counter(
        scale
        for key in shared
        if left.terms[key].value
        and (scale := _same(left.terms[key].value, right.terms[key].value)) is not None
    )
    if not scales:
        return None
    scale, _ = scales.most_common(1)[0]
    equal = [key for key in shared if close(left.terms[key].value, right.terms[key].value * scale)]
    telling = len({left.terms[key].value for key in equal if left.terms[key].value})
    differ = [key for key in shared if key not in set(equal)]
    nearly = [
        key
        for key in differ
        if digits(left.terms[key].value) >= 6
        and close(left.terms[key].value, right.terms[key].value * scale, relative=1e-4)
    ]
    if len(equal) + len(nearly) < (0.5 if len(equal) >= 2 else 0.8) * len(shared) or len(shared) < 2:
        return None
    if telling < 2 and (len(nearly) < 3 or not equal):
        return None
    summed = any(line.terms[key].summed for line in (left, right) for key in equal)
    kind: RelationKind = "conflict" if differ else "aggregate" if summed else "equal"
    chosen = [*differ, *equal] if differ else equal
    equations: list[Equation] = []
    taken = 0
    for key in chosen[:_MOST_EQUATIONS]:
        one, other = left.terms[key], right.terms[key]
        taken += len(one.rows) + len(other.rows)
        if taken > most_terms:
            break
        equations.append(
            Equation(
                "conflict" if key in set(differ) else kind if kind != "conflict" else "equal",
                "reconcile",
                (one.places, other.places),
                _difference(scale),
                key,
            )
        )
    if not equations:
        return None
    kept = set(chosen)
    order = [key for key in left.terms if key in kept]
    equations.sort(key=lambda equation: order.index(equation.key))
    words = "agree" if not differ else f"agree for {len(equal)} and differ for {len(differ)}"
    fixed = len(left.fixed) + len(right.fixed)
    return Computed(
        kind,
        tuple(equations),
        min(len(shared), 60) + (10 if alike(left.name, right.name) >= 0.5 else 0) - 2 * fixed - 5 * summed,
        f"{told(left)} and {told(right)} {words} of {len(shared)} shared {left.key or 'rows'}",
    )


def told(line: Line) -> str:
    """A line in words: what is measured, of which rows, in which file."""
    fixed = "".join(f", {name} {value}" for name, value in line.fixed)
    made = {"sum": "sums of ", "mean": "means of "}.get(line.kind, "")
    return f"{made}“{line.name or line.title}”{fixed} ({line.file.name})"


def _difference(scale: float) -> str:
    if scale == 1:
        return "{0} - {1}"
    return f"{{0}} - {scale:.0f} * {{1}}" if scale > 1 else f"{{0}} - {{1}} / {1 / scale:.0f}"


def _distinct(found: Sequence[tuple[Computed, Line, Line]]) -> list[Computed]:
    """Of the pairs that compare the same figures of one line with another file only the best."""
    kept: dict[tuple[object, ...], Computed] = {}
    for made, left, right in sorted(found, key=lambda one: one[0].order()):
        for line, other in ((left, right), (right, left)):
            if line.kind != "sum" and other.kind == "sum":
                kept.setdefault((line.order, other.file.name, other.kind), made)
        if left.kind == right.kind == "sum":
            values = tuple(sorted((key, f"{term.value:.10g}") for key, term in left.terms.items()))
            kept.setdefault((left.file.name, right.file.name, left.place[2], right.place[2], values), made)
        elif left.kind != "sum" and right.kind != "sum":
            kept.setdefault((left.order, right.order), made)
    return list(dict.fromkeys(kept.values()))


def near_lines(lines: Sequence[Line], least: int) -> list[Computed]:
    """The same row or column of the same table in another edition, close but not equal: names and titles agree."""
    named: dict[tuple[object, ...], list[Line]] = {}
    for line in lines:
        if line.kind == "row" or (line.kind == "column" and line.key):
            name = (
                line.kind,
                normalize(line.name),
                normalize(line.title),
                normalize(line.period or ""),
                line.key,
            )
            named.setdefault(name, []).append(line)
    found = []
    for group in named.values():
        for left, right in combinations(group, 2):
            if left.file.sha256 == right.file.sha256 or (left.kind == "column" and not left.period):
                continue
            keys = [key for key in left.terms if key in right.terms]
            pairs = [(left.terms[key].value, right.terms[key].value) for key in keys]
            apart = [abs(a - b) / max(abs(a), abs(b)) for a, b in pairs if not close(a, b)]
            if len(keys) < least or not apart or median(apart) > 0.1:
                continue
            gap = median(apart)
            equations = tuple(
                Equation(
                    "equal" if close(left.terms[key].value, right.terms[key].value) else "conflict",
                    "reconcile",
                    (left.terms[key].places, right.terms[key].places),
                    "{0} - {1}",
                    key,
                )
                for key in keys[:_MOST_EQUATIONS]
            )
            why = f"{told(left)} and {told(right)} differ for {len(apart)} of {len(keys)}"
            found.append(
                (gap, Computed("conflict", equations, min(len(keys), 60) + 10 - 50 * gap, why), left, right)
            )
    kept: list[Computed] = []
    used: set[tuple[object, str]] = set()
    # Where several rows have one name (two tables of one title), each goes with the nearest of the other file.
    for _, made, left, right in sorted(found, key=lambda one: (one[0], one[1].order())):
        marks = {(left.order, right.file.name), (right.order, left.file.name)}
        if not marks & used:
            used |= marks
            kept.append(made)
    return kept


class Single:
    """One figure of a file, in a table or in running text, with its words and years."""

    def __init__(
        self, place: Place, document: Document, scale: float | None, step: float, words: frozenset[str]
    ):
        self.place = place
        self.document = document
        self.value = float(place.value)
        self.scale = scale
        self.step = step
        self.words = words
        # A mean over months has as many digits as the sum that it is a twelfth of.
        whole = round(self.value * 12)
        twelfth = digits(self.value) >= 9 and abs(self.value * 12 - whole) < 1e-6
        self.digits = digits(whole) if twelfth else digits(self.value)
        self.container = f"{place.table.id} {place.column}" if place.table is not None else "text"

    def years(self) -> frozenset[int]:
        return years_around(self.place, self.document)

    @property
    def order(self) -> tuple[str, str, str]:
        return (self.place.file.name, self.place.locator.model_dump_json(), self.place.literal or "")


def singles(
    places: Iterable[tuple[Place, Document]], figures: Iterable[tuple[Figure, Document]]
) -> list[Single]:
    """The figures that may be compared one by one: of three digits or more, years left out."""
    found = []
    scales: dict[int, float | None] = {}
    for place, document in places:
        value = float(place.value)
        if digits(value) >= 3 and not _year(value):
            unit = normalize(place.unit or "")
            scale = {"thousand": 1e3, "million": 1e6, "billion": 1e9}.get(unit)
            # Only rounded figures are in millions: 738.0, not 738,012,345 below the same note.
            if scale is None and place.table is not None and digits(value) <= 6:
                if id(place.table) not in scales:
                    scales[id(place.table)] = scale_over(place.table)
                scale = scales[id(place.table)]
            decimals = len(f"{value:.10g}".partition(".")[2])
            found.append(Single(place, document, scale, 0.5 * 10.0**-decimals, frozenset()))
    for figure, document in figures:
        value = float(figure.place.value)
        if digits(value) >= 3 and not _year(value) and not _numbered(figure):
            found.append(Single(figure.place, document, figure.scale, figure.step, content(figure.around)))
    return found


def _numbered(figure: Figure) -> bool:
    """Whether a figure of a text numbers something: a code of five digits written without commas, a section 16.505."""
    literal = figure.place.literal or ""
    if figure.scale is not None or re.search(r"[,$€£]", literal):
        return False
    whole, _, decimals = literal.strip("()- ").partition(".")
    return len(whole) >= 5 or len(decimals) >= 3


def _year(value: float) -> bool:
    return value.is_integer() and 1900 <= abs(value) <= 2100


def same_singles(figures: Sequence[Single], covered: set[tuple[str, str]]) -> list[Computed]:
    """Figures of two files that are one figure: to the last digit, or up to the rounding of the shorter one.

    ``covered`` are pairs of places that a relation between lines holds already.
    """
    by_value: dict[str, list[Single]] = {}
    for one in figures:
        if one.digits >= 5:
            by_value.setdefault(f"{_mantissa(abs(one.value)):.10g}", []).append(one)
    pairs: dict[tuple[str, str, str, str], list[tuple[Single, Single, str]]] = {}
    usual = _usual_words(figures)
    for group in by_value.values():
        files = Counter(one.place.file.sha256 for one in group)
        # A figure that a file repeats over and over says nothing about which of them is meant.
        if len(files) < 2 or max(files.values()) > 3:
            continue
        exact = _same_rows(group)
        for left, right in combinations(sorted(group, key=lambda one: one.order), 2):
            if left.place.file.sha256 == right.place.file.sha256 or not _believable(left, right, usual):
                continue
            # Where the row of the same name has the figure too, the others repeat it.
            if normalize(left.place.label) != normalize(right.place.label) and (
                left in exact or right in exact
            ):
                continue
            scale = _same(left.value, right.value)
            if (
                scale is None
                or (left.place.locator.model_dump_json(), right.place.locator.model_dump_json()) in covered
            ):
                continue
            pairs.setdefault(_containers(left, right), []).append((left, right, _difference(scale)))
    for left, right, template in _rounded(figures):
        pairs.setdefault(_containers(left, right), []).append((left, right, template))
    return [_gathered("equal", group) for group in pairs.values()]


def _containers(left: Single, right: Single) -> tuple[str, str, str, str]:
    return (left.place.file.sha256, left.container, right.place.file.sha256, right.container)


def _gathered(kind: RelationKind, group: Sequence[tuple[Single, Single, str]]) -> Computed:
    equations = tuple(
        Equation(kind, "reconcile", ((left.place,), (right.place,)), template, left.place.label)
        for left, right, template in group[:_MOST_EQUATIONS]
    )
    left, right, _ = group[0]
    verb = "state the same" if kind == "equal" else "differ about"
    some = f"{len(group)} figures" if len(group) > 1 else f"figure ({left.place.label[:80]})"
    quality = sum(min(8, one.digits) for one, _, _ in group[:20]) / 4
    return Computed(
        kind, equations, quality, f"{left.place.file.name} and {right.place.file.name} {verb} {some}"
    )


def _same_rows(group: Sequence[Single]) -> set[Single]:
    """The figures of a group that a row of the same name in another file has."""
    files: dict[str, set[str]] = {}
    for one in group:
        files.setdefault(normalize(one.place.label), set()).add(one.place.file.sha256)
    return {one for one in group if len(files[normalize(one.place.label)]) > 1}


def _usual_words(figures: Sequence[Single]) -> dict[tuple[str, str], frozenset[str]]:
    """Words that every fourth row of a long column has: they tell none of its figures from the others."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    sizes: Counter[tuple[str, str]] = Counter()
    for one in figures:
        if one.place.table is not None and one.digits >= 5:
            mark = (one.place.file.sha256, one.container)
            sizes[mark] += 1
            counts.setdefault(mark, Counter()).update(content(one.place.label))
    return {
        mark: frozenset(word for word, count in counts[mark].items() if count > 0.25 * size)
        for mark, size in sizes.items()
        if size >= 40
    }


def _believable(left: Single, right: Single, usual: Mapping[tuple[str, str], frozenset[str]]) -> bool:
    """Whether two equal figures are the same fact and no chance."""
    nothing: frozenset[str] = frozenset()
    common = usual.get((left.place.file.sha256, left.container), nothing) | usual.get(
        (right.place.file.sha256, right.container), nothing
    )
    shared = _shared_words(left, right, common)
    apart = bool(left.years() and right.years() and not left.years() & right.years())
    if apart:
        return left.digits >= 8 and shared >= 1
    if left.digits >= 7:
        return True
    return shared >= 1 if left.digits == 6 else shared >= 2


def _shared_words(left: Single, right: Single, usual: frozenset[str]) -> int:
    """How many telling words of the two labels are the same, or short for one another."""
    return _met(
        content(left.place.label + " " + left.place.measure) - usual,
        content(right.place.label + " " + right.place.measure) - usual,
    )


def _met(one: Iterable[str], other: Iterable[str]) -> int:
    names = {word for word in other if not word.isdigit()}
    return sum(
        word in names
        or (
            len(word) >= 4
            and any(len(name) >= 4 and (name.startswith(word) or word.startswith(name)) for name in names)
        )
        for word in one
        if not word.isdigit()
    )


def _rounded(figures: Sequence[Single]) -> list[tuple[Single, Single, str]]:
    """Short figures that are longer ones rounded: the scale is told, the row is called the same, of the same year."""
    long = sorted((one for one in figures if one.digits >= 5), key=lambda one: abs(one.value))
    sizes = [abs(one.value) for one in long]
    found = []
    for short in figures:
        if not (3 <= short.digits <= 5) or short.scale is None:
            continue
        middle, half = abs(short.value) * short.scale, short.step * short.scale * (1 + 1e-9)
        near: dict[str, list[Single]] = {}
        for at in range(bisect.bisect_left(sizes, middle - half), bisect.bisect_right(sizes, middle + half)):
            one = long[at]
            if one.digits <= short.digits or one.place.file.sha256 == short.place.file.sha256:
                continue
            if one.value * short.value < 0 or (one.scale or 1.0) != 1.0:
                continue
            few = min(len(content(short.place.label)), len(content(one.place.label)))
            met = _met(content(short.place.label), content(one.place.label))
            if few < 2 or met < 2 or met < 0.6 * few or not short.years() & one.years():
                continue
            near.setdefault(one.place.file.sha256, []).append(one)
        for group in near.values():
            if len({one.value for one in group}) == 1:
                found.append((short, group[0], f"{short.scale:.0f} * {{0}} - {{1}}"))
    return found


def near_singles(figures: Sequence[Single]) -> list[Computed]:
    """Long figures of two files that nearly agree, under the same words: a revision or a slip."""
    long = sorted((one for one in figures if one.digits >= 8 and one.value > 0), key=lambda one: one.value)
    pairs: dict[tuple[str, str, str, str], list[tuple[Single, Single, str]]] = {}
    for at, one in enumerate(long):
        for other in long[at + 1 : at + 6]:
            if other.value - one.value > 1e-5 * one.value:
                break
            if one.place.file.sha256 == other.place.file.sha256 or close(one.value, other.value):
                continue
            if other.value - one.value < 1 or alike(one.place.label, other.place.label) < 0.99:
                continue
            left, right = sorted((one, other), key=lambda single: single.order)
            if left.years() and right.years() and left.years() & right.years():
                pairs.setdefault(_containers(left, right), []).append((left, right, "{0} - {1}"))
    return [_gathered("conflict", group) for group in pairs.values()]


def sums_of_singles(
    lines: Sequence[Line], figures: Sequence[Single], texts: Mapping[str, frozenset[str]], most_terms: int
) -> list[Computed]:
    """Single figures that a sum over another file gives: seven digits that agree, or fewer where the text says that
    it is a total and names all that the sum is restricted to. ``texts`` are the words of each short document."""
    by_value: dict[str, list[Single]] = {}
    for one in figures:
        if one.digits >= 5:
            by_value.setdefault(f"{_mantissa(abs(one.value)):.7g}", []).append(one)
    found: dict[tuple[object, ...], list[tuple[Single, Term, Line]]] = {}
    for line in lines:
        terms: list[tuple[str, Term]] = [(key, term) for key, term in line.terms.items() if term.summed]
        if len(line.fixed) <= 2:
            terms += running(line)
        for key, term in terms:
            if len(term.rows) > most_terms:
                continue
            for one in by_value.get(f"{_mantissa(abs(term.value)):.7g}", ()):
                if one.place.file.sha256 == line.file.sha256:
                    continue
                tolerance = max(one.step, 1e-9 * abs(term.value)) if (one.scale or 1.0) == 1.0 else 0.0
                if abs(one.value - term.value) > tolerance or not _is_sum(one, key, line, texts):
                    continue
                # A figure beside zeros is no sum of them.
                if sum(bool(term.table.number(row, term.column)) for row in term.rows) < 2:
                    continue
                names = tuple(name for name, _ in line.fixed)
                mark = (one.place.file.name, one.container, line.file.name, line.place[2], line.key, names)
                found.setdefault(mark, []).append((one, term, line))
    made: dict[tuple[str, str], Computed] = {}
    for group in sorted(
        found.values(), key=lambda group: (-len(group), len(group[0][2].fixed), group[0][2].order)
    ):
        taken = 0
        equations: list[Equation] = []
        for one, term, _ in sorted(group, key=lambda entry: (entry[0].order, len(entry[1].rows))):
            taken += len(term.rows)
            if (_mark(one.place), term.file.name) in made or (taken > most_terms and equations):
                continue
            parts = ((one.place,), term.places)
            equations.append(Equation("aggregate", "reconcile", parts, "{0} - {1}", one.place.label))
        if not equations:
            continue
        one, _, line = group[0]
        why = f"{told(line)} add up to figures of {one.place.file.name} ({one.place.label[:80]})"
        quality = len(equations) + one.digits / 10
        computed = Computed("aggregate", tuple(equations[:_MOST_EQUATIONS]), quality, why)
        for equation in equations:
            made.setdefault((_mark(equation.parts[0][0]), line.file.name), computed)
    return list(dict.fromkeys(made.values()))


def _mark(place: Place) -> str:
    return place.locator.model_dump_json() + (place.literal or "")


def _is_sum(one: Single, key: str, line: Line, texts: Mapping[str, frozenset[str]]) -> bool:
    """Whether a figure that equals a sum is that sum."""
    # Among all spans of years many sums are tried: then more digits are needed, or the word.
    if one.digits >= 10:
        return True
    if one.digits >= 7:
        if content_of_total(one.place.label):
            return True
        if one.digits < (9 if " to " in key and re.match(r"(?:19|20)\d\d", key) else 7):
            return False
        # Thousands of sums are held against thousands of figures: then even eight digits agree by chance.
        kinds = content(" ".join((key, *(value for _, value in line.fixed))))
        context = content(f"{one.place.label} {one.place.measure}")
        if all(word.isdigit() or years_in(word) for word in kinds):
            return not one.years() or bool(years_in(key) & one.years())
        return _met(kinds | content(line.name), context) >= 1
    words = texts.get(one.place.file.sha256, frozenset()) | context_of(one.place, one.document)
    label = content_of_total(one.place.label)
    named = all(
        _met(content(value), words) == len([word for word in content(value) if not word.isdigit()])
        and all(word in words for word in content(value) if len(word) == 4 and word.isdigit())
        for _, value in (*line.fixed, (line.key, key))
    )
    return label and named and len(line.fixed) >= 1


def content_of_total(label: str) -> bool:
    """Whether a label says that the figure is a total."""
    return bool({"total", "totals", "all", "sum", "overall"} & set(normalize(label).split()))
