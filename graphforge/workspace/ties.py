"""What two files of a topic have to do with one another beyond their words: names, figures, and mentions in common.

A column of one file that holds the names of a column of another can be joined with it; the same unusual figures in two
files say that one rests on the other; a text that bears another file's name or title refers to it. Ties say which files
belong into one folder (paper section 3.2); that a computation over them is worth asking for is what cases say.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..records import Document, Table, normalize, parse_number
from .words import without_period

TieKind = Literal["names", "figures", "mention"]

# A column needs so many different names to be joined by, and shares at least this part of the shorter one's.
_NAMES, _SHARED = 5, 0.5
# More names than this identify single records (people, permits) in bulk; the first ones tell enough.
_MOST_NAMES = 5_000
# Figures of so many digits hardly stand in two files by accident, and not at all so many of them; in long tables some
# do, so that they have to be a part of the shorter file's.
_DIGITS, _FIGURES, _PART = 5, 4, 0.02
# A figure in more files of a topic than this is a constant of the field.
_USUAL = 6
_MOST_FIGURES = 20_000
_LONGEST_NAME = 80
_FIGURE = re.compile(r"(?<![\w.,-])[$€£]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d{4,})(?![\w])")


@dataclass(frozen=True)
class Tie:
    """How two files hang together: the kind, how strongly (0 to 1), and one line that says it."""

    kind: TieKind
    strength: float
    why: str


@dataclass(frozen=True)
class TiedFile:
    """A file as ties see it: its document, and the name and title by which others may speak of it."""

    document: Document
    name: str
    title: str


def find_ties(files: Mapping[str, TiedFile]) -> dict[str, dict[str, Tie]]:
    """The strongest tie of every two files (by sha256, both ways) of those given. Deterministic."""
    found: dict[str, dict[str, Tie]] = {sha256: {} for sha256 in sorted(files)}

    def tie(one: str, two: str, tied: Tie) -> None:
        for here, there in ((one, two), (two, one)):
            known = found[here].get(there)
            if known is None or (tied.strength, tied.why) > (known.strength, known.why):
                found[here][there] = tied

    order = sorted(files)
    for number, other, shared, least, name in _joins([(one, files[one].document) for one in order]):
        strength = min(1.0, 0.5 * shared / least + shared / 100)
        tie(number, other, Tie("names", round(strength, 6), f"{shared} names of {name!r} stand in both"))
    for one, two, count in _common([_figures(files[sha256].document) for sha256 in order], order):
        strength = min(1.0, 0.4 + count / 25)
        tie(one, two, Tie("figures", round(strength, 6), f"{count} unusual figures stand in both"))
    for one, two in _mentions(files, order):
        tie(one, two, Tie("mention", 0.8, f"{files[one].name} speaks of {files[two].name}"))
    return {one: dict(sorted(ties.items())) for one, ties in found.items()}


def _joins(documents: Sequence[tuple[str, Document]]) -> Iterator[tuple[str, str, int, int, str]]:
    """Two files, the names that a column of each shares, the shorter column's names, and what it is called."""
    columns: list[tuple[str, str, frozenset[str]]] = []
    for sha256, document in documents:
        for table in document.tables:
            # A slice holds rows of the table that it is cut from, whose id it continues.
            if "." not in table.id and not table.hidden:
                columns += [(sha256, name, names) for name, names in _named(table)]
    postings: dict[str, list[int]] = defaultdict(list)
    for number, (_, _, names) in enumerate(columns):
        for name in names:
            postings[name].append(number)
    for number, (sha256, called, names) in enumerate(columns):
        shared: Counter[int] = Counter()
        for name in names:
            shared.update(other for other in postings[name] if other > number)
        for other, count in sorted(shared.items()):
            there, _, others = columns[other]
            least = min(len(names), len(others))
            if there != sha256 and count >= _NAMES and count >= _SHARED * least:
                yield sha256, there, count, least, called


def _named(table: Table) -> Iterator[tuple[str, frozenset[str]]]:
    """The columns of a table that name things, and what they name."""
    for column in table.columns:
        if column.kind != "text":
            continue
        raw: dict[str, None] = {}
        for row in range(*table.body):
            value = table.grid[row][column.index]
            if isinstance(value, str) and 2 < len(value) <= _LONGEST_NAME:
                raw[value] = None
                if len(raw) >= _MOST_NAMES:
                    break
        names = frozenset(
            name
            for value in raw
            if len(name := normalize(value)) > 2 and without_period(value) and not name.isdigit()
        )
        if len(names) >= _NAMES:
            yield column.name or table.title, names


def _figures(document: Document) -> frozenset[str]:
    """The unusual figures of a file, in cells and in running text, as they are compared."""
    found: set[str] = set()
    for table in document.tables:
        if "." in table.id:
            continue
        for row in range(*table.body):
            for column in table.columns:
                if column.kind == "number" and (number := table.number(row, column.index)) is not None:
                    found.add(f"{abs(number):.10g}")
            if len(found) >= _MOST_FIGURES:
                break
    for block in document.blocks:
        for match in _FIGURE.finditer(block.text):
            number = parse_number(match[1])
            if number is not None:
                found.add(f"{number:.10g}")
    return frozenset(one for one in found if _unusual(one))


def _unusual(figure: str) -> bool:
    digits = figure.replace(".", "").lstrip("0").rstrip("0")
    year = figure.isdigit() and len(figure) == 4 and figure[:2] in {"19", "20"}
    return "e" not in figure and len(digits) >= _DIGITS and not year


def _common(sets: Sequence[frozenset[str]], order: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    postings: dict[str, list[int]] = defaultdict(list)
    for number, members in enumerate(sets):
        for member in members:
            postings[member].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for numbers in postings.values():
        if len(numbers) <= _USUAL:
            shared.update((one, two) for place, one in enumerate(numbers) for two in numbers[place + 1 :])
    for (one, two), count in sorted(shared.items()):
        if count >= max(_FIGURES, _PART * min(len(sets[one]), len(sets[two]))):
            yield order[one], order[two], count


def _mentions(files: Mapping[str, TiedFile], order: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of a file that speaks of another by name or title, and the other."""
    texts = {
        sha256: " ".join(("", *(normalize(block.text) for block in files[sha256].document.blocks), ""))
        for sha256 in order
    }
    called = {sha256: _called(files[sha256]) for sha256 in order}
    common = Counter(name for names in called.values() for name in names)
    for one in order:
        for two in order:
            # What two files are both called says nothing of which is meant.
            if one != two and any(common[name] == 1 and f" {name} " in texts[one] for name in called[two]):
                yield one, two


def _called(file: TiedFile) -> set[str]:
    """What a text must say to mean this file: its name or its title, where these are telling."""
    names = {normalize(file.name.rpartition(".")[0]), normalize(file.title)}
    return {
        name
        for name in names
        # A period, however long, is no name; a short word is one of many.
        if without_period(name)
        and ((len(name) >= 12 and len(name.split()) >= 3) or (len(name) >= 8 and _coded(name)))
    }


def _coded(name: str) -> bool:
    return any(character.isdigit() for character in without_period(name))
