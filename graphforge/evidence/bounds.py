"""Bounds that a text sets: the same one in two documents, the rows of a table that a definition flags, or splits."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..records import Document, Table, WorkspaceFile, normalize, parse_number
from .computed import Computed, Equation
from .keys import content, singular
from .lines import Place, cell_text, number_columns, place_of

Files = Sequence[tuple[WorkspaceFile, Document]]
_NUMBER = r"(?P<number>\$?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
_BOUNDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.I), sign)
    for pattern, sign in (
        (rf"\b(?:fewer|less|lower) than\s+{_NUMBER}\b(?:\s+(?P<noun>[a-z]+))?", "<"),
        (rf"\b(?P<noun>[a-z]+)\s?<\s?{_NUMBER}\b", "<"),
        (rf"\b(?:more|greater|higher) than\s+{_NUMBER}\b(?:\s+(?P<noun>[a-z]+))?", ">"),
        (rf"\b(?P<noun>[a-z]+)\s?>\s?{_NUMBER}\b", ">"),
        (rf"\b(?:at least|no fewer than|a minimum of)\s+{_NUMBER}\b(?:\s+(?P<noun>[a-z]+))?", ">="),
        (rf"(?<![\w$.,]){_NUMBER}\s+or\s+(?:more|greater)\b(?:\s+(?P<noun>[a-z]+))?", ">="),
        (rf"(?<![\w$.,]){_NUMBER}\s+or\s+(?:fewer|less)\b(?:\s+(?P<noun>[a-z]+))?", "<="),
    )
)
_MOST = 1_000
# What every pattern above needs: a cheap look before the patterns are tried.
_HINT = re.compile(r"\bthan\b|[<>]|\bleast\b|\bminimum\b|\bor (?:more|greater|fewer|less)\b", re.I)


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound as written: its number, which side is meant, of what, and the sentence around it."""

    place: Place
    number: float
    sign: str
    noun: str
    sentence: str
    block: str


def bounds(file: WorkspaceFile, document: Document) -> Iterator[Bound]:
    """The bounds of the running text and of long cells."""
    for block in document.blocks:
        text = " ".join(block.text.split())
        if any(letter.isdigit() for letter in text):
            for match, sign in _matches(text):
                yield _bound(file, block.locator.model_copy(), text, match, sign)
    for table in document.tables:
        for row in range(len(table.grid)):
            for column in range(len(table.columns)):
                value = table.grid[row][column]
                if not isinstance(value, str) or not 6 <= len(value) <= 600 or not re.search(r"\d", value):
                    continue
                for match, sign in _matches(" ".join(value.split())):
                    try:
                        locator = table.locate(row, column)
                    except ValueError:
                        continue
                    yield _bound(file, locator, " ".join(value.split()), match, sign)


def _matches(text: str) -> Iterator[tuple[re.Match[str], str]]:
    if not _HINT.search(text):
        return
    for pattern, sign in _BOUNDS:
        for match in pattern.finditer(text):
            number = parse_number(match["number"])
            if number is not None and not re.search(r"\b(?:no|not)\s+$", text[: match.start()], re.I):
                yield match, sign


def _bound(file: WorkspaceFile, locator: object, text: str, match: re.Match[str], sign: str) -> Bound:
    start = max(text.rfind(". ", 0, match.start()) + 1, 0)
    end = text.find(". ", match.end())
    sentence = text[start : end if end > 0 else None].strip()
    number = parse_number(match["number"])
    assert number is not None  # _matches leaves out what is no number
    noun = singular((match["noun"] or "").casefold())
    place = Place(file, locator, number, sentence[:200], sentence[:80], literal=match["number"])  # type: ignore[arg-type]
    return Bound(place, number, sign, noun, sentence, text)


def same_bounds(found: Sequence[Bound]) -> list[Computed]:
    """The same bound, in the same direction and about the same thing, in two files."""
    by_bound: dict[tuple[float, str], list[Bound]] = {}
    for one in found:
        if one.number >= 10 and not 1900 <= one.number <= 2100:
            by_bound.setdefault((one.number, one.sign), []).append(one)
    made: dict[tuple[str, str, float, str], list[tuple[int, Bound, Bound]]] = {}
    for (number, sign), group in by_bound.items():
        for at, left in enumerate(group[:_MOST]):
            for right in group[at + 1 : _MOST]:
                if left.place.file.sha256 == right.place.file.sha256:
                    continue
                shared = _stems(left.sentence) & _stems(right.sentence)
                if len(shared) >= 2 or any(len(stem) >= 7 for stem in shared):
                    mark = (left.place.file.sha256, right.place.file.sha256, number, sign)
                    made.setdefault(mark, []).append((len(shared), left, right))
    result = []
    for (_, _, number, sign), pairs in made.items():
        pairs.sort(key=lambda pair: -pair[0])
        # Each mention once: beside the mention in the other file that is most like it.
        told: set[int] = set()
        chosen = []
        for _, left, right in pairs:
            if {id(left), id(right)} - told:
                told |= {id(left), id(right)}
                chosen.append((left, right))
        equations = tuple(
            Equation("equal", "reconcile", ((left.place,), (right.place,)), "{0} - {1}", f"{sign} {number:g}")
            for left, right in chosen[:_MOST]
        )
        names = " and ".join(one.place.file.name for one in chosen[0])
        why = f"{names} set the same bound: {sign} {number:g}"
        result.append(Computed("equal", equations, 3 + pairs[0][0], why))
    return result


def _stems(text: str) -> set[str]:
    return {word[:8] for word in content(text) if len(word) >= 5 and not word.isdigit()}


def split_rows(found: Sequence[Bound], files: Files, least: int) -> list[Computed]:
    """Rows of another file's tables that a bound flags or parts: its noun is the header of a column."""
    result = []
    columns = [
        (file, headers, tables, index, content(tables[0].columns[index].name))
        for file, document in files
        for headers in (
            content(" ".join(column.name for table in document.tables for column in table.columns)),
        )
        for tables in _pages(document)
        for index in number_columns(tables[0])
    ]
    seen: set[tuple[object, ...]] = set()
    for one in found:
        # A document that repeats a bound in the same block says it once.
        mark = (one.place.file.sha256, one.number, one.sign, one.noun, one.block)
        if len(one.noun) < 4 or mark in seen:
            continue
        seen.add(mark)
        for file, headers, tables, index, name in columns:
            if file.sha256 == one.place.file.sha256:
                continue
            # "No. of", its noun on a second line of the header: another table of the file must have the word.
            cut = name <= {"no", "number"} and bool(name) and one.noun in headers
            if not cut and (one.noun not in name or len(name) > 4):
                continue
            if (made := _split(one, file, tables, index, least)) is not None:
                result.append(made)
    kept: dict[tuple[object, ...], Computed] = {}
    for made in sorted(result, key=Computed.order):
        rule, row = (part[0] for part in made.equations[0].parts)
        kept.setdefault((rule.file.sha256, rule.value, row.locator, made.equations[1].template), made)
    return list(kept.values())


def _pages(document: Document) -> list[list[Table]]:
    """Tables by header: one that runs over several pages is one."""
    groups: dict[tuple[str, ...], list[Table]] = {}
    for table in document.tables:
        groups.setdefault(tuple(normalize(column.name) for column in table.columns), []).append(table)
    return list(groups.values())


def _split(
    one: Bound, file: WorkspaceFile, tables: Sequence[Table], index: int, least: int
) -> Computed | None:
    rows = [
        (table, row) for table in tables for row in range(*table.body) if table.number(row, index) is not None
    ]
    if not least <= len(rows) <= _MOST:
        return None
    meant = [_holds(float(table.number(row, index) or 0.0), one.sign, one.number) for table, row in rows]
    beyond = sum(meant)
    table = tables[0]
    if beyond < 1 or beyond == len(rows):
        return None
    flag = _flag(one, rows, meant)
    about = content(one.block) & content(
        f"{table.title} {file.name} {' '.join(column.name for column in table.columns)}"
    )
    if flag is None and (len(about - {one.noun}) < 2 or not 2 <= beyond <= 0.9 * len(rows)):
        return None
    if flag is None and not _is_rule(one, table.columns[index].name):
        return None
    equations = []
    for part, row in rows:
        place = place_of(file, part, row, index, "")
        assert place is not None  # rows hold numbers
        equations.append(
            Equation(
                "threshold", "interpret", ((place,), (one.place,)), f"{{0}} {one.sign} {{1}}", place.label
            )
        )
    # The text first: it is the rule.
    equations.insert(0, Equation("applies", "interpret", ((one.place,), equations[0].parts[0]), None, "rule"))
    words = f", which are flagged “{flag}”" if flag else ""
    bound = f"{one.place.file.name} sets a bound ({one.sign} {one.number:g} {one.noun})"
    why = f"{bound}; {beyond} of {len(rows)} rows of {file.name} meet it{words}"
    return Computed("threshold", tuple(equations), 5 + (20 if flag else 0) + min(len(about), 5), why)


# A sentence that sets a bound for all, and nouns that are units: any number may be one of percent.
_RULES = re.compile(
    r"\b(?:must|shall|requires?d?|covers?|covered|subject to|exempt(?:ed)?|defined?|means|considered|eligible|"
    r"suppress(?:ed)?|flag(?:ged)?|excluded?s?|includes? only|limit(?:ed)?|threshold|if|when|unless|only|not)\b",
    re.I,
)
_UNITS = frozenset(
    "percent percentage point year month week day hour minute dollar mile time number case row".split()
)


def _is_rule(one: Bound, header: str) -> bool:
    """Whether the sentence of a bound is about all, not about one case, and the column is meant."""
    if _RULES.search(one.sentence) is None:
        return False
    named = content(header)
    return one.noun not in _UNITS or (named - {one.noun} <= content(one.sentence) and len(named) > 1)


def _holds(value: float, sign: str, bound: float) -> bool:
    return {"<": value < bound, ">": value > bound, ">=": value >= bound, "<=": value <= bound}[sign]


def _flag(one: Bound, rows: Sequence[tuple[Table, int]], meant: Sequence[bool]) -> str | None:
    """A word of the text that stands in the rows beyond the bound, and in no others."""
    said = set(normalize(one.block).split())
    for column in rows[0][0].columns:
        words = [normalize(cell_text(table, row, column.index)) for table, row in rows]
        for word in sorted({text for text in words if text and len(text) >= 4 and not text.isdigit()}):
            if word in said and all(
                (text == word) == is_meant for text, is_meant in zip(words, meant, strict=True)
            ):
                return word
    return None
