"""The evidence of a rubric, gathered: each anchored passage once, by file, and which criterion rests on which."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import GraphForgeError
from ..records import (
    Anchor,
    CellLocator,
    Criterion,
    Locator,
    NegativeCriterion,
    PointerLocator,
    TableCellLocator,
    column_letters,
)

_MOST_ROWS = 300
_POINTER = re.compile(r"^(.*)/(\d+)((?:/[^/]*)?)$")


@dataclass
class Gathered:
    """``files``: lines by file name. ``places``: by criterion or penalty id, where its proof stands.

    ``lost``: by id, why an anchored passage can't be read. Such a one can't be judged.
    """

    files: dict[str, list[str]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)


def gather(items: Sequence[Criterion | NegativeCriterion], passage: Callable[[Anchor], str]) -> Gathered:
    """Read every anchor's passage, and those of the rows between anchors that mark the ends of a column."""
    found = Gathered()
    sections: dict[str, dict[tuple[str, ...], dict[str, None]]] = {}
    for item in items:
        ends = set(item.anchors)
        for anchor in spanned(item.anchors):
            try:
                text = passage(anchor)
            except GraphForgeError as error:
                if anchor in ends:
                    found.lost[item.id] = error.what
                continue
            heading, rest = _parted(text.splitlines())
            section = sections.setdefault(anchor.name, {}).setdefault(heading, {})
            section.update(dict.fromkeys(rest))
        if item.anchors:
            found.places[item.id] = places(item.anchors)
    for name, parts in sections.items():
        found.files[name] = [line for heading, rest in _merged(parts) for line in (*heading, *rest)]
    return found


def spanned(anchors: Sequence[Anchor]) -> list[Anchor]:
    """The anchors, and the cells between two that stand alone in one column of one table: they mark its ends."""
    columns: dict[tuple[object, ...], list[tuple[int, Anchor]]] = {}
    for number, anchor in enumerate(anchors):
        at = _column(anchor.locator)
        key: tuple[object, ...] = (anchor.file, number) if at is None else (anchor.file, *at[0])
        columns.setdefault(key, []).append((0 if at is None else at[1], anchor))
    found = []
    for members in columns.values():
        known = dict(sorted(members, key=lambda member: member[0]))
        first, last = min(known), max(known)
        ends = len(known) == 2 and last - first <= _MOST_ROWS
        for row in range(first, last + 1) if ends else known:
            start = known[first]
            found.append(known.get(row) or start.model_copy(update={"locator": _at(start.locator, row)}))
    return found


def places(anchors: Sequence[Anchor]) -> str:
    """Where anchors stand, in few words: ``port.csv: row 2 column 4 to row 18 column 4``."""
    columns: dict[tuple[object, ...], list[tuple[int, Anchor]]] = {}
    for number, anchor in enumerate(anchors):
        at = _column(anchor.locator)
        key: tuple[object, ...] = (anchor.name, number) if at is None else (anchor.name, *at[0])
        columns.setdefault(key, []).append((0 if at is None else at[1], anchor))
    said: dict[str, list[str]] = {}
    for members in columns.values():
        ordered = [anchor for _, anchor in sorted(members, key=lambda member: member[0])]
        text = ordered[0].locator.show()
        rest = list(dict.fromkeys(_end(anchor.locator) for anchor in ordered[1:]))
        text += (" to " if len(rest) == 1 else ", ") + ", ".join(rest) if rest else ""
        said.setdefault(ordered[0].name, []).append(text)
    return "; ".join(f"{name}: {', '.join(dict.fromkeys(texts))}" for name, texts in said.items())


def _parted(lines: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """The heading lines at the beginning of a passage, and the rest."""
    at = 0
    while at < len(lines) and (lines[at].startswith("-- ") or lines[at].startswith("row| ")):
        at += 1
    return tuple(lines[:at]), list(lines[at:])


def _merged(
    parts: Mapping[tuple[str, ...], Mapping[str, None]],
) -> list[tuple[tuple[str, ...], list[str]]]:
    """The sections, those of one table made one: of a wide table each passage shows other columns of the same rows."""
    tables: dict[str, list[tuple[list[str], dict[str, list[str]]]]] = {}
    for heading, rest in parts.items():
        if (window := _window(heading, rest)) is not None:
            tables.setdefault(heading[0], []).append(window)
        else:
            tables.setdefault(heading[0] if heading else "", []).append(([], {}))
    sections: list[tuple[tuple[str, ...], list[str]]] = []
    done: set[str] = set()
    for heading, rest in parts.items():
        place = heading[0] if heading else ""
        windows = tables[place]
        if len(windows) == 1 or not all(columns for columns, _ in windows):
            sections.append((heading, list(rest)))
        elif place not in done:
            done.add(place)
            sections.append(_joined(place, windows))
    return sections


def _window(heading: Sequence[str], rest: Iterable[str]) -> tuple[list[str], dict[str, list[str]]] | None:
    """Columns, and cells by row, of a passage of a table whose rows have numbers; None for anything else."""
    if len(heading) != 2 or not heading[1].startswith("row| "):
        return None
    columns = heading[1].removeprefix("row| ").split(" | ")
    rows: dict[str, list[str]] = {}
    for line in rest:
        number, mark, cells = line.partition("| ")
        parted = cells.split(" | ")
        if not (mark and number.isdigit() and len(parted) == len(columns)) or number in rows:
            return None
        rows[number] = parted
    return columns, rows


def _joined(
    place: str, windows: Sequence[tuple[list[str], dict[str, list[str]]]]
) -> tuple[tuple[str, ...], list[str]]:
    """One table of several windows on it, its columns by name; a cell that none of them showed is an ellipsis."""
    columns = sorted({name for names, _ in windows for name in names}, key=lambda name: (len(name), name))
    cells: dict[str, dict[str, str]] = {}
    for names, rows in windows:
        for number, parted in rows.items():
            cells.setdefault(number, {}).update(zip(names, parted, strict=True))
    lines = [
        f"{number}| " + " | ".join(cells[number].get(name, "…") for name in columns)
        for number in sorted(cells, key=int)
    ]
    return (place, "row| " + " | ".join(columns)), lines


def _column(locator: Locator) -> tuple[tuple[object, ...], int] | None:
    """What the cells of one column share, and the row; None for a locator that has no rows."""
    if isinstance(locator, CellLocator):
        return (locator.kind, locator.sheet, locator.column), locator.row
    if isinstance(locator, TableCellLocator):
        return (locator.kind, locator.page, locator.table, locator.column), locator.row
    if isinstance(locator, PointerLocator) and (match := _POINTER.match(locator.pointer)):
        return (locator.kind, match[1], match[3]), int(match[2])
    return None


def _at(locator: Locator, row: int) -> Locator:
    if isinstance(locator, PointerLocator):
        match = _POINTER.match(locator.pointer)
        assert match is not None
        return PointerLocator(pointer=f"{match[1]}/{row}{match[3]}")
    assert isinstance(locator, CellLocator | TableCellLocator)
    return locator.model_copy(update={"row": row})


def _end(locator: Locator) -> str:
    if isinstance(locator, CellLocator) and locator.sheet:
        return f"{column_letters(locator.column)}{locator.row + 1}"
    if isinstance(locator, CellLocator | TableCellLocator):
        return f"row {locator.row + 1}"
    return locator.show()
