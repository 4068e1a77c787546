"""Two tables about the same things: joined on cleaned names, on codes, or on several columns together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..records import Document, Table, WorkspaceFile, close, normalize
from .computed import Computed, Equation
from .equalities import told
from .keys import alike, clean_key, content, years_in
from .lines import Line, Term, cell_text, number_columns, rows_of
from .measures import IDENTIFIERS

# Column pairs that a pair of tables is related by.
_MOST_PAIRS = 4


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


def composite(files: Sequence[tuple[WorkspaceFile, Document]], least: int, most: int) -> list[tuple[Keyed, Keyed]]:
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
        names = [{normalize(column.name): column.index for column in table.columns if column.kind != "number" and column.name} for table in (left, right)]
        common = [name for name in names[0] if name in names[1]]
        if len(common) < 2:
            continue
        pair = [
            _composed(one_file, one_document, table, [own[name] for name in common], common)
            for one_file, one_document, table, own in (
                (file, document, left, names[0]),
                (other_file, other_document, right, names[1]),
            )
        ]
        if all(one is not None for one in pair):
            one, other = pair
            assert one is not None and other is not None
            if least <= len(one.keys & other.keys) <= most:
                found.append((one, other))
    return found


def _composed(
    file: WorkspaceFile, document: Document, table: Table, columns: Sequence[int], names: Sequence[str]
) -> Keyed | None:
    """The lines of a table under several columns together; the first row of a name counts, and most must be alone."""
    by_key: dict[str, int] = {}
    rows = rows_of(table)
    for row in rows:
        by_key.setdefault(" / ".join(clean_key(cell_text(table, row, column)) for column in columns), row)
    if len(by_key) < 0.9 * len(rows):
        return None
    lines = []
    for index in number_columns(table):
        terms: dict[str, Term] = {}
        for key, row in by_key.items():
            number = table.number(row, index)
            if number is not None:
                terms[key] = Term(number, file, table, index, (row,), key)
        if len(terms) >= 2:
            about = table.columns[index]
            name = " ".join(about.name.split())
            lines.append(
                Line(file, document, "column", (table.id, "+".join(names), index), name, table.title or document.title, terms, about.period, about.unit, (), " and ".join(names))
            )
    return Keyed(file, tuple(lines), frozenset(by_key)) if lines else None


def joined(keyed: Sequence[Keyed], pairs: Sequence[tuple[Keyed, Keyed]], least: int, most: int) -> list[Computed]:
    """What two tables say about the same things, put side by side: the columns most alike by name, and the first."""
    candidates = [*pairs]
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
                candidates.append((one, other))
    found = []
    for one, other in candidates:
        found += _pairs(one, other, least)
    return found


def _counters(keys: frozenset[str]) -> bool:
    """Bare counters 1, 2, 3 ... join nothing."""
    if not all(key.isdigit() for key in keys):
        return False
    ordered = sorted(int(key) for key in keys)
    return ordered == list(range(ordered[0], ordered[0] + len(ordered))) and not 1900 <= ordered[0] <= 2100


def _pairs(one: Keyed, other: Keyed, least: int) -> Iterator[Computed]:
    lefts = [line for line in one.lines if not IDENTIFIERS.search(normalize(line.name))]
    rights = [line for line in other.lines if not IDENTIFIERS.search(normalize(line.name))]
    yield from _codes(one, other)
    ranked = sorted(
        ((alike(left.name, right.name), left, right) for left in lefts for right in rights),
        key=lambda entry: (-entry[0], entry[1].place[2] + entry[2].place[2], entry[1].order, entry[2].order),
    )
    chosen = [entry for entry in ranked if entry[0] >= 0.6][:_MOST_PAIRS]
    if lefts and rights and not chosen:
        # Nothing is called alike: what each table is about first, one against the other.
        chosen = [(0.0, lefts[0], rights[0])]
    for score, left, right in chosen:
        if (made := _ratio(left, right, score, least)) is not None:
            yield made


def _codes(one: Keyed, other: Keyed) -> Iterator[Computed]:
    """Numbers that identify things, the same in both tables for every name."""
    for left in one.lines:
        for right in other.lines:
            name = normalize(left.name)
            if not IDENTIFIERS.search(name) or alike(left.name, right.name) < 1:
                continue
            keys = [key for key in left.terms if key in right.terms]
            if len(keys) < 8 or all(key.isdigit() for key in keys):
                continue
            if all(close(left.terms[key].value, right.terms[key].value) for key in keys) and len(
                {left.terms[key].value for key in keys}
            ) >= 0.5 * len(keys):
                equations = tuple(
                    Equation("equal", "reconcile", (left.terms[key].places, right.terms[key].places), "{0} - {1}", key)
                    for key in keys
                )
                yield Computed("equal", equations, len(keys) + 5, f"{told(left)} and {told(right)} agree for all {len(keys)}")


def _ratio(left: Line, right: Line, score: float, least: int) -> Computed | None:
    keys = [key for key in left.terms if key in right.terms and right.terms[key].value > 0]
    if len(keys) < least or any(left.terms[key].value < 0 for key in keys):
        return None
    same = sum(close(left.terms[key].value, right.terms[key].value) for key in keys)
    if same > 0.5 * len(keys) or len({left.terms[key].value for key in keys}) < 3:
        return None
    years = [max(years_in(f"{line.period or ''} {line.name}") or years_in(f"{line.title} {line.terms[keys[0]].table.origin.model_dump_json()}") or years_in(line.file.name), default=0) for line in (left, right)]
    if score >= 0.99 and normalize(left.unit or "") == normalize(right.unit or "") and years[0] and years[1] and years[0] != years[1]:
        if years[0] < years[1]:
            left, right = right, left
            keys = [key for key in left.terms if key in right.terms and right.terms[key].value > 0]
        kind, template, words = "growth", "100 * ({0} - {1}) / {1}", "over time"
    else:
        kind, template, words = "shared_key", "{0} / {1}", "side by side"
    equations = tuple(
        Equation(kind, "derive", (left.terms[key].places, right.terms[key].places), template, key) for key in keys  # type: ignore[arg-type]
    )
    about = len(content(left.title) & content(right.title))
    quality = min(len(keys), 60) / 10 + 5 * score + min(about, 4) - abs(years[0] - years[1]) / 4 * bool(years[0] and years[1])
    why = f"{told(left)} and {told(right)} {words} for {len(keys)} of {left.key or 'the rows'}"
    return Computed("growth" if kind == "growth" else "shared_key", equations, quality, why)


