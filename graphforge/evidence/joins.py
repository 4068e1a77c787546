"""Two tables about the same things: joined on cleaned names, on codes, or on several columns together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from ..records import CellLocator, Document, Operation, RelationKind, Table, WorkspaceFile, close, normalize
from .computed import Computed, Equation
from .equalities import told
from .keys import abbreviates, alike, canonical_period, clean_key, content, years_in
from .lines import Line, Term, cell_text, holds_numbers, number_at, number_columns, rows_of
from .measures import PERIOD_WORDS, identifies

# Column pairs that a pair of tables is related by.
_MOST_PAIRS = 10


@dataclass(frozen=True, eq=False)
class Keyed:
    """The lines of one table under one key."""

    file: WorkspaceFile
    lines: tuple[Line, ...]
    keys: frozenset[str]

    @property
    def order(self) -> tuple[str, tuple[str, str, int]]:
        return (self.file.name, self.lines[0].place)


def tables_keyed(lines: Sequence[Line]) -> list[Keyed]:
    """The column lines of each table, key and kind of rows together."""
    groups: dict[tuple[object, ...], list[Line]] = {}
    for line in lines:
        if line.kind == "column":
            groups.setdefault((line.file.sha256, line.place[:2], line.fixed), []).append(line)
    return [
        Keyed(group[0].file, tuple(group), frozenset().union(*(line.terms for line in group)))
        for group in groups.values()
    ]


def composite(
    files: Sequence[tuple[WorkspaceFile, Document]], least: int, most: int
) -> list[tuple[Keyed, Keyed]]:
    """Pairs of tables without a key of their own that several equally named columns join."""
    tables = [
        (file, document, table)
        for file, document in files
        for table in document.tables
        if not table.truncated and table.key is None and least <= len(rows_of(table)) <= 2_000
    ]
    found = []
    for (file, document, left), (other_file, other_document, right) in combinations(tables, 2):
        if file.sha256 == other_file.sha256:
            continue
        names = [
            {
                normalize(column.name): column.index
                for column in table.columns
                if column.name and not holds_numbers(table, column.index)
            }
            for table in (left, right)
        ]
        common = [name for name in names[0] if name in names[1]]
        if len(common) < 2:
            continue
        for chosen in (common, *([name for name in common if name != out] for out in common)):
            if len(chosen) < 2:
                continue
            pair = [
                _composed(*of, [own[name] for name in chosen], chosen, chosen is common)
                for of, own in (
                    ((file, document, left), names[0]),
                    ((other_file, other_document, right), names[1]),
                )
            ]
            one, other = pair
            if one is not None and other is not None and least <= len(one.keys & other.keys) <= most:
                found.append((one, other))
    return found


def _composed(
    file: WorkspaceFile,
    document: Document,
    table: Table,
    columns: Sequence[int],
    names: Sequence[str],
    whole: bool,
) -> Keyed | None:
    """The lines of a table under several columns together; the first row of a name counts.

    Under all common columns (``whole``) most rows must be alone with their name. Under fewer of them only those
    figures count that hardly depend on the column that is left out: they are the same in all rows of a name, for nearly
    all names. Where they differ the first row counts, as in a lookup.
    """
    groups: dict[str, list[int]] = {}
    rows = rows_of(table)
    for row in rows:
        key = " / ".join(clean_key(cell_text(table, row, column)) for column in columns)
        groups.setdefault(key, []).append(row)
    if whole and len(groups) < 0.5 * len(rows):
        return None
    lines = []
    for index in number_columns(table):
        differing = [
            group
            for group in groups.values()
            if len({number_at(table, row, index) for row in group} - {None}) > 1
        ]
        if not whole and len(differing) > 0.1 * len(groups):
            continue
        terms: dict[str, Term] = {}
        for key, group in groups.items():
            stated = [(row, number_at(table, row, index)) for row in (group[:1] if whole else group)]
            for row, number in stated:
                if number is not None:
                    terms.setdefault(key, Term(number, file, table, index, (row,), key))
        if len(terms) >= 2:
            about = table.columns[index]
            name = " ".join(about.name.split())
            lines.append(
                Line(
                    file,
                    document,
                    "column",
                    (table.id, "+".join(names), index),
                    name,
                    table.title or document.title,
                    terms,
                    about.period,
                    about.unit,
                    (),
                    " and ".join(names),
                )
            )
    return Keyed(file, tuple(lines), frozenset(groups)) if lines else None


def joined(
    keyed: Sequence[Keyed], pairs: Sequence[tuple[Keyed, Keyed]], least: int, most: int
) -> list[Computed]:
    """What two tables say about the same things, put side by side: the columns most alike by name, and the first."""
    candidates = [*pairs]
    near: list[tuple[Keyed, Keyed]] = []
    by_key: dict[str, set[int]] = {}
    for number, one in enumerate(keyed):
        for key in one.keys:
            by_key.setdefault(key, set()).add(number)
    met: dict[tuple[int, int], int] = {}
    for numbers in by_key.values():
        if len(numbers) <= 400:
            for left, right in combinations(sorted(numbers), 2):
                if keyed[left].file.sha256 != keyed[right].file.sha256:
                    met[left, right] = met.get((left, right), 0) + 1
    for (left, right), count in met.items():
        one, other = keyed[left], keyed[right]
        if least <= count <= most and count >= 0.5 * min(len(one.keys), len(other.keys)):
            if not _counters(one.keys & other.keys):
                near.append((one, other))
    candidates += _nearest(near)
    found: list[Computed] = []
    for one, other in candidates:
        found += _pairs(one, other, least)
    return found


def _nearest(pairs: Sequence[tuple[Keyed, Keyed]]) -> list[tuple[Keyed, Keyed]]:
    """Of many tables with the same row names, each goes with the two of the other file that are most like it: in
    title, then in year."""
    ranked: dict[tuple[object, str], list[tuple[float, int, int]]] = {}
    for number, (one, other) in enumerate(pairs):
        left, right = one.lines[0], other.lines[0]
        words = [content(re.sub(r"\d", "", line.title)) for line in (left, right)]
        union = words[0] | words[1]
        likeness = len(words[0] & words[1]) / len(union) if union else 0.0
        years = [max(_years(line), default=0) for line in (left, right)]
        apart = abs(years[0] - years[1]) if all(years) else 5
        for mine, yours in ((left, right), (right, left)):
            ranked.setdefault((mine.order[:2], yours.file.name), []).append((-likeness, apart, number))
    kept = {number for group in ranked.values() for _, _, number in sorted(group)[:2]}
    return [pair for number, pair in enumerate(pairs) if number in kept]


def _years(line: Line) -> frozenset[int]:
    """The years that a line is of: by its header, else its sheet, its title, its file.

    A sheet that is called by a year is of that year, whatever else a note above it says ("calculated in 2021").
    """
    table = next(iter(line.terms.values())).table
    sheet = table.origin.sheet if isinstance(table.origin, CellLocator) else ""
    return (
        years_in(f"{line.period or ''} {line.name}")
        or years_in(sheet)
        or years_in(line.title)
        or years_in(line.file.name)
    )


def _counters(keys: frozenset[str]) -> bool:
    """Bare counters 1, 2, 3 ... join nothing."""
    if not all(key.isdigit() for key in keys):
        return False
    ordered = sorted(int(key) for key in keys)
    return ordered == list(range(ordered[0], ordered[0] + len(ordered))) and not 1900 <= ordered[0] <= 2100


def _pairs(one: Keyed, other: Keyed, least: int) -> Iterator[Computed]:
    lefts = [line for line in one.lines if not identifies(line.name)]
    rights = [line for line in other.lines if not identifies(line.name)]
    yield from _codes(one, other)
    ranked = sorted(
        ((alike(left.name, right.name), left, right) for left in lefts for right in rights),
        key=lambda entry: (-entry[0], entry[1].place[2] + entry[2].place[2], entry[1].order, entry[2].order),
    )
    dated = all(re.fullmatch(r"(?:fy)?(?:19|20)\d\d.*", key) for key in one.keys & other.keys)
    chosen = [
        entry
        for entry in ranked
        if entry[0] >= 0.6
        and not any(_dated(line) or _bounds(line) for line in entry[1:])
        and (not dated or _same_subject(entry[1].name, entry[2].name) >= 0.5)
    ][:_MOST_PAIRS]
    first = bool(lefts and rights) and _dated(lefts[0]) == _dated(rights[0])
    if first and not dated and all((lefts[0], rights[0]) != entry[1:] for entry in chosen):
        # What each table is about first, one against the other, whatever they are called.
        chosen.append((alike(lefts[0].name, rights[0].name), lefts[0], rights[0]))
    for score, left, right in chosen:
        if (made := _ratio(left, right, score, least)) is not None:
            yield made


def _dated(line: Line) -> bool:
    """Whether a column is called by a period alone: what it measures stands elsewhere."""
    if canonical_period(line.name) is not None:
        return True
    rest = PERIOD_WORDS.sub(" ", normalize(line.name)).split()
    return bool(re.search(r"\d", line.name)) and set(rest) <= {
        "average",
        "avg",
        "total",
        "ytd",
        "to",
        "date",
        "of",
    }


def _bounds(line: Line) -> bool:
    """Whether a column only says how sure another one is."""
    return bool(
        content(line.name)
        & {"confidence", "interval", "ci", "lower", "upper", "error", "deviation", "std", "stderr"}
    )


def _same_subject(left: str, right: str) -> float:
    """How much two names have in common, by all words of both: over years anything is as long as anything else."""
    one, other = (content(name) - {"other", "unknown", "various", "misc"} for name in (left, right))
    few, many = sorted((one, other), key=len)
    met = sum(word in many or any(abbreviates(word, whole) for whole in many) for word in few)
    return met / (len(one) + len(other) - met) if few else 0.0


def _codes(one: Keyed, other: Keyed) -> Iterator[Computed]:
    """Numbers that identify things, the same in both tables for every name."""
    for left in one.lines:
        for right in other.lines:
            if alike(left.name, right.name) < 1:
                continue
            keys = [key for key in left.terms if key in right.terms]
            if len(keys) < 8 or all(key.isdigit() for key in keys):
                continue
            if (
                all(left.terms[key].value.is_integer() for key in keys)
                and all(close(left.terms[key].value, right.terms[key].value) for key in keys)
                and len({left.terms[key].value for key in keys}) >= 0.5 * len(keys)
            ):
                equations = tuple(
                    Equation(
                        "equal",
                        "reconcile",
                        (left.terms[key].places, right.terms[key].places),
                        "{0} - {1}",
                        key,
                    )
                    for key in keys
                )
                yield Computed(
                    "equal",
                    equations,
                    len(keys) + 5,
                    f"{told(left)} and {told(right)} agree for all {len(keys)}",
                )


def _ratio(left: Line, right: Line, score: float, least: int) -> Computed | None:
    keys = [key for key in left.terms if key in right.terms and right.terms[key].value > 0]
    if len(keys) < least or any(left.terms[key].value < 0 for key in keys):
        return None
    pairs = [(left.terms[key].value, right.terms[key].value) for key in keys]
    same = sum(close(a, b) for a, b in pairs)
    if same > 0.5 * len(keys) or len({left.terms[key].value for key in keys}) < 3:
        return None
    years = [max(_years(line), default=0) for line in (left, right)]
    named = [content(re.sub(r"\d", "", line.name)) for line in (left, right)]
    units = [normalize(line.unit or "") for line in (left, right)]
    same_thing = named[0] == named[1] and units[0] == units[1] and all(years)
    # Called the same, and a hundred times as much: measures of tables whose titles tell them apart.
    if named[0] == named[1] and not 0.1 < median(a / b for a, b in pairs) < 10:
        return None
    apart = [abs(a - b) / max(abs(a), abs(b)) for a, b in pairs if not close(a, b)]
    kind: RelationKind
    operation: Operation = "derive"
    if same_thing and years[0] == years[1]:
        # The same measure of one year in two files: an edition against the next. Far apart, they are not the same.
        if not apart or median(apart) > 0.1:
            return None
        kind, operation, template, words = (
            "conflict",
            "reconcile",
            "{0} - {1}",
            f"differ in {len(apart)} rows,",
        )
    elif same_thing:
        titles = [re.sub(r"\d", " ", line.title) for line in (left, right)]
        # Programmes that share their column names are not one programme at two times.
        if all(content(title) for title in titles) and _same_subject(*titles) < 0.5:
            return None
        if years[0] < years[1]:
            left, right = right, left
            keys = [key for key in left.terms if key in right.terms and right.terms[key].value > 0]
        kind, template, words = "growth", "100 * ({0} - {1}) / {1}", "over time"
    else:
        kind, template, words = "shared_key", "{0} / {1}", "side by side"
    equations = tuple(
        Equation(
            "equal" if kind == "conflict" and close(left.terms[key].value, right.terms[key].value) else kind,
            operation,
            (left.terms[key].places, right.terms[key].places),
            template,
            key,
        )
        for key in keys
    )
    about = len(content(left.title) & content(right.title))
    quality = (
        min(len(keys), 60) / 10
        + 5 * score
        + min(about, 4)
        - abs(years[0] - years[1]) / 4 * bool(years[0] and years[1])
    )
    why = f"{told(left)} and {told(right)} {words} for {len(keys)} of {left.key or 'the rows'}"
    return Computed(kind, equations, quality, why)
