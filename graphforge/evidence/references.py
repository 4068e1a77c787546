"""References between documents: the same number of an order or version, a table by name, a column of a sheet."""

import re
from collections.abc import Iterator, Sequence

from ..records import Document, PageLocator, TableCellLocator, WorkspaceFile, column_letters, normalize
from .computed import Computed, Equation
from .keys import content
from .lines import Place, cell_text

Files = Sequence[tuple[WorkspaceFile, Document]]
# Capital letters with at least four digits, a name with underscores, a version after the word.
_CODE = re.compile(
    r"(?<![\w/.-])(?:(?![FC]Y[-#]?\d)[A-Z]{1,6}[-#]?\d{4,}[A-Z0-9-]*|GS-\d\d[A-Z]-[A-Z0-9]+)(?![\w])"
)
_NAME = re.compile(r"(?<![\w/.@-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w/@-])")
_VERSION = re.compile(r"(?<![\w.])\d+\.\d+\.\d+(?![\w.])")
_EXHIBIT = re.compile(r"\bExhibit\s+\d{1,3}\.\d{1,2}\b", re.I)
_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2},\s+\d{4}\b"
)
_COLUMN = re.compile(r"\bcolumns?\s+([A-Z]{1,2})\b")
_SHEET_AFTER = re.compile(r"\b(?:work)?sheet\s+[“\"']?([A-Za-z][\w -]{2,30})", re.I)
_SHEET_BEFORE = re.compile(r"[“\"']?\b([A-Za-z][\w-]{2,30})[”\"']?\s+(?:work)?sheet\b", re.I)
_MOST = 40


def mentions(file: WorkspaceFile, document: Document) -> Iterator[tuple[str, str, Place]]:
    """What a document calls by a number or name of its own: kind, word, and where it is said first or most plainly."""
    for block in document.blocks:
        text = " ".join(block.text.split())
        for kind, pattern in (("code", _CODE), ("name", _NAME), ("exhibit", _EXHIBIT)):
            for match in pattern.finditer(text):
                place = Place(file, block.locator, match.group(), text[:200], kind, literal=match.group())
                yield kind, normalize(match.group()), place
        if "version" in text.casefold() or _version_pointer(block.locator.model_dump_json()):
            for match in _VERSION.finditer(text):
                yield (
                    "version",
                    match.group(),
                    Place(file, block.locator, match.group(), text[:200], "version", literal=match.group()),
                )
    for table in document.tables:
        for row in range(len(table.grid)):
            for column in range(len(table.columns)):
                value = table.grid[row][column]
                if not isinstance(value, str) or len(value) > 300:
                    continue
                try:
                    locator = table.locate(row, column)
                except ValueError:
                    continue
                above = normalize(table.grid[row - 1][column]) if row else ""
                heading = f"{normalize(table.columns[column].name)} {above}"
                for kind, pattern in (("code", _CODE), ("name", _NAME), ("exhibit", _EXHIBIT)):
                    for match in pattern.finditer(value):
                        yield (
                            kind,
                            normalize(match.group()),
                            Place(file, locator, match.group(), value[:200], kind, literal=match.group()),
                        )
                if "version" in heading.split() and (said := _VERSION.search(value)):
                    place = Place(file, locator, said.group(), value[:200], "version", literal=said.group())
                    yield "version", said.group(), place


def _page(place: Place) -> int:
    return (place.locator.page or 0) if isinstance(place.locator, PageLocator | TableCellLocator) else 0


def _version_pointer(locator: str) -> bool:
    return "version" in locator.casefold()


def shared_names(files: Files) -> list[Computed]:
    """Numbers and names that two files carry and few others do: an order, a modification, a table, a version."""
    by_word: dict[tuple[str, str], dict[str, Place]] = {}
    for file, document in files:
        for kind, word, place in mentions(file, document):
            known = by_word.setdefault((kind, word), {})
            if file.sha256 not in known or _page(place) < _page(known[file.sha256]):
                known[file.sha256] = place
    pairs: dict[tuple[str, str, str], list[tuple[str, Place, Place]]] = {}
    for (kind, word), places in sorted(by_word.items()):
        if not 2 <= len(places) <= 3 or kind == "exhibit":
            continue
        ordered = [places[file.sha256] for file, _ in files if file.sha256 in places]
        for at, left in enumerate(ordered):
            for right in ordered[at + 1 :]:
                pairs.setdefault((kind, left.file.sha256, right.file.sha256), []).append((word, left, right))
    found = []
    for (kind, _, _), group in sorted(pairs.items()):
        if kind == "name" and len(group) < 3:
            continue
        if kind == "code" and len(group) < 2 and len(group[0][0]) < 6:
            continue
        equations = tuple(
            Equation("reference", "interpret", ((left,), (right,)), None, word)
            for word, left, right in group[:_MOST]
        )
        left, right = group[0][1], group[0][2]
        words = ", ".join(str(one[1].value) for one in group[:4])
        found.append(
            Computed(
                "reference",
                equations,
                10 + min(len(group), 10),
                f"{left.file.name} and {right.file.name} both carry {words}",
            )
        )
    return found + _exhibits(files)


def _exhibits(files: Files) -> list[Computed]:
    """A file that lists an exhibit of a date, and the file that is that exhibit."""
    found = []
    listed = [(file, document, list(_listed(file, document))) for file, document in files]
    for file, _, entries in listed:
        for number, day, whole in entries:
            for other, document, _ in listed:
                if other.sha256 == file.sha256:
                    continue
                opening = _opening(other, document, str(number.value), str(day.value))
                if opening is None:
                    continue
                own_number, own_day = opening
                equations = (
                    Equation("reference", "interpret", ((number,), (own_number,)), None, str(number.value)),
                    Equation("reference", "interpret", ((day,), (own_day,)), None, str(day.value)),
                )
                found.append(
                    Computed(
                        "reference", equations, 30, f"{file.name} lists “{whole}”, which is {other.name}"
                    )
                )
    return found


def _listed(file: WorkspaceFile, document: Document) -> Iterator[tuple[Place, Place, str]]:
    for block in document.blocks:
        text = " ".join(block.text.split())
        exhibit, day = _EXHIBIT.search(text), _DATE.search(text)
        if exhibit and day and exhibit.start() < day.start() and len(text) < 300:
            yield (
                Place(file, block.locator, exhibit.group(), text[:200], "exhibit", literal=exhibit.group()),
                Place(file, block.locator, day.group(), text[:200], "date", literal=day.group()),
                text[:120],
            )


def _opening(file: WorkspaceFile, document: Document, number: str, day: str) -> tuple[Place, Place] | None:
    """Where the first blocks of a file give its own exhibit number and date."""
    own: Place | None = None
    dated: Place | None = None
    for block in document.blocks[:30]:
        text = " ".join(block.text.split())
        if own is None and normalize(number) in normalize(text[:1500]) and not _DATE.search(text[:80]):
            match = _EXHIBIT.search(text)
            if match and normalize(match.group()) == normalize(number):
                own = Place(file, block.locator, match.group(), text[:200], "exhibit", literal=match.group())
        if dated is None and day in text:
            dated = Place(file, block.locator, day, text[:200], "date", literal=day)
    return (own, dated) if own is not None and dated is not None else None


def columns_named(files: Files) -> list[Computed]:
    """Sentences that send the reader to a column of a sheet by its letter, and the heading that stands there."""
    sheets: dict[str, list[tuple[WorkspaceFile, Document, int]]] = {}
    for file, document in files:
        for number, table in enumerate(document.tables):
            if table.origin.kind == "cell" and table.origin.sheet:
                sheets.setdefault(normalize(table.origin.sheet), []).append((file, document, number))
    found = []
    for file, document in files:
        for block in document.blocks:
            text = " ".join(block.text.split())
            for sentence in re.split(r"(?<=[.;])\s+(?=[A-Z])", text):
                for match in _COLUMN.finditer(sentence):
                    before = sentence[: match.start()]
                    named = [*_SHEET_BEFORE.findall(before)[-1:], *_SHEET_AFTER.findall(before)[-1:]]
                    heads = [
                        (where, place)
                        for sheet in named
                        for where in (normalize(sheet), " ".join(normalize(sheet).split()[:1]))
                        for place in _heading(sheets.get(where, ()), match[1], sentence)
                        if place.file.sha256 != file.sha256
                    ]
                    if not heads:
                        continue
                    source = Place(
                        file, block.locator, match.group(), sentence[:200], "column", literal=match.group()
                    )
                    equation = Equation(
                        "reference", "interpret", ((source,), (heads[0][1],)), None, match.group()
                    )
                    sheet, head = heads[0]
                    why = f"{file.name} sends to {match.group()} of sheet {sheet} of {head.file.name}: “{head.value}”"
                    found.append(Computed("reference", (equation,), 20, why))
    return found


def _heading(
    tables: Sequence[tuple[WorkspaceFile, Document, int]], letters: str, sentence: str
) -> Iterator[Place]:
    """The text at the top of a column of a sheet that the sentence speaks of."""
    said = content(sentence)
    for file, document, number in tables:
        table = document.tables[number]
        assert table.origin.kind == "cell"
        for column in range(len(table.columns)):
            if column_letters(table.origin.column + column) != letters:
                continue
            for row in range(min(len(table.grid), 12)):
                words = cell_text(table, row, column)
                if words and not words.replace(".", "").isdigit() and content(words) & said:
                    yield Place(
                        file, table.locate(row, column), words, f"heading of column {letters}", "heading"
                    )
                    return
