"""Word documents: paragraphs, headings and tables, tracked changes read as accepted."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lxml import etree

from graphforge.records import Block, BlockLocator, PartLocator, TableCellLocator, Value

from ..limits import ParseLimits
from ..raw import Merge, RawTable, Reading
from ..unreadable import UnreadableFile
from .archive import declares_entities, open_archive, package_metadata, read_member, xml_root
from .text import clean

_SKIPPED = {
    "del",
    "moveFrom",
    "Fallback",
    "instrText",
    "delText",
    "pPr",
    "rPr",
    "tblPr",
    "tcPr",
    "trPr",
    "sectPr",
}
_INNER = {"sdt", "sdtContent", "ins", "moveTo", "smartTag", "customXml", "AlternateContent", "Choice"}


def name_of(element: etree._Element) -> str:
    """The tag without its namespace: strict and transitional files differ in it."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def value_of(element: etree._Element | None, attribute: str = "val") -> str | None:
    """An attribute by its local name."""
    if element is None:
        return None
    return next(
        (str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == attribute),
        None,
    )


def child_of(element: etree._Element | None, *path: str) -> etree._Element | None:
    """The first descendant along a path of local names."""
    for step in path:
        if element is None:
            return None
        element = next((child for child in element if name_of(child) == step), None)
    return element


def is_removed(element: etree._Element) -> bool:
    """Whether a tracked change took the row or paragraph mark away."""
    kind = name_of(element)
    return kind == "tr" and child_of(element, "trPr", "del") is not None


def run_text(element: etree._Element) -> str:
    """The text of a paragraph or a part of it, deletions left out; tables and boxes in it are no part of it."""
    parts: list[str] = []

    def walk(node: etree._Element) -> None:
        kind = name_of(node)
        if kind in _SKIPPED or kind in {"tbl", "txbxContent"}:
            return
        if kind == "t":
            # An entity left unresolved is a node of its own, with the rest of the text behind it.
            parts.append((node.text or "") + "".join(child.tail or "" for child in node))
        elif kind in {"tab", "br", "cr", "ptab"}:
            parts.append(" ")
        elif kind == "noBreakHyphen":
            parts.append("-")
        for child in node:
            walk(child)

    walk(element)
    return clean("".join(parts))


def flow(container: etree._Element, depth: int = 0) -> Iterator[etree._Element]:
    """The paragraphs and tables of a body or cell in order, also those inside content controls and text boxes."""
    if depth > 40:
        return
    for child in container:
        kind = name_of(child)
        if kind == "p":
            yield child
            yield from _boxes(child, depth)
        elif kind == "tbl":
            yield child
        elif kind in _INNER:
            yield from flow(child, depth + 1)


def _boxes(paragraph: etree._Element, depth: int) -> Iterator[etree._Element]:
    stack = list(paragraph)[::-1]
    while stack:
        node = stack.pop()
        kind = name_of(node)
        if kind == "txbxContent":
            yield from flow(node, depth + 1)
        elif kind not in _SKIPPED:
            stack.extend(list(node)[::-1])


def rows_of(table: etree._Element) -> Iterator[etree._Element]:
    """A table's own rows, also those inside content controls, without rows that a tracked change took away."""
    for child in table:
        kind = name_of(child)
        if kind == "tr":
            if not is_removed(child):
                yield child
        elif kind in _INNER:
            yield from rows_of(child)


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    for child in row:
        kind = name_of(child)
        if kind == "tc":
            yield child
        elif kind in _INNER:
            yield from _cells(child)


def _number(text: str | None) -> int:
    return min(int(text), 200) if text and text.isdecimal() else 0


def cells_of(table: etree._Element) -> tuple[list[list[str]], list[Merge], int]:
    """The text of each cell with spans laid out, the spans, and the leading rows marked as header."""
    grid: list[list[str]] = []
    merges: list[Merge] = []
    header, leading = 0, True
    open_spans: dict[int, tuple[int, int]] = {}
    for number, row in enumerate(rows_of(table)):
        before = child_of(row, "trPr", "gridBefore")
        line: list[str] = [""] * _number(value_of(before))
        mark = child_of(row, "trPr", "tblHeader")
        leading = leading and mark is not None and value_of(mark) not in {"0", "false"}
        header += leading
        continued: set[int] = set()
        for cell in _cells(row):
            column = len(line)
            width = max(1, _number(value_of(child_of(cell, "tcPr", "gridSpan"))))
            vertical = child_of(cell, "tcPr", "vMerge")
            if vertical is not None and value_of(vertical) != "restart" and column in open_spans:
                top, _ = open_spans[column]
                merges = [m for m in merges if not (m[0] == top and m[1] == column)]
                merges.append((top, column, number, column + width - 1))
                continued.add(column)
                line += [""] * width
                continue
            texts = [run_text(part) for part in flow(cell) if name_of(part) == "p"]
            line += [clean(" ".join(texts))] + [""] * (width - 1)
            if width > 1:
                merges.append((number, column, number, column + width - 1))
            if vertical is not None:
                open_spans[column] = (number, width)
                continued.add(column)
        open_spans = {column: span for column, span in open_spans.items() if column in continued}
        grid.append(line)
    return grid, merges, header


def nested(table: etree._Element) -> Iterator[etree._Element]:
    """The tables inside a table's cells, in order."""
    for row in rows_of(table):
        for cell in _cells(row):
            yield from (part for part in flow(cell) if name_of(part) == "tbl")


def all_tables(body: etree._Element) -> list[etree._Element]:
    """Every table in reading order, each followed by those inside it."""
    found: list[etree._Element] = []

    def walk(table: etree._Element, depth: int) -> None:
        found.append(table)
        if depth < 20:
            for inner in nested(table):
                walk(inner, depth + 1)

    for part in flow(body):
        if name_of(part) == "tbl":
            walk(part, 0)
    return found


def all_paragraphs(body: etree._Element) -> list[etree._Element]:
    """Every paragraph with text outside tables, in reading order."""
    return [part for part in flow(body) if name_of(part) == "p" and run_text(part)]


def main_part(archive: zipfile.ZipFile, limits: ParseLimits) -> str:
    """The name of the part that the package's relations call the document."""
    if "_rels/.rels" in archive.namelist():
        for relation in xml_root(read_member(archive, "_rels/.rels", limits), "_rels/.rels"):
            if str(relation.get("Type", "")).endswith("/officeDocument"):
                target = str(relation.get("Target", "")).lstrip("/")
                if target in archive.namelist():
                    return target
    if "word/document.xml" in archive.namelist():
        return "word/document.xml"
    raise UnreadableFile("corrupt", "the package has no document part")


@dataclass
class Word:
    """The parts of a document that hold text: the body, the heading level of each paragraph style, whether entities
    are declared, the footnotes, and what else stands beside the text (``endnote``, ``comment``)."""

    body: etree._Element
    levels: dict[str, int]
    entities: bool
    footnotes: list[str]
    beside: dict[str, list[str]]
    metadata: dict[str, str]


def body_of(path: Path, limits: ParseLimits) -> Word:
    """The document, read within bounds. Raises UnreadableFile: corrupt, password_protected, zip_bomb, xml_entities."""
    with open_archive(path, limits) as archive:
        part = main_part(archive, limits)
        data = read_member(archive, part, limits)
        body = child_of(xml_root(data, part), "body")
        folder = PurePosixPath(part).parent
        styles: dict[str, int] = {}
        if (name := str(folder / "styles.xml")) in archive.namelist():
            styles = _levels(xml_root(read_member(archive, name, limits), name))
        footnotes = _notes(archive, str(folder / "footnotes.xml"), limits)
        beside = {
            "endnote": _notes(archive, str(folder / "endnotes.xml"), limits),
            "comment": _notes(archive, str(folder / "comments.xml"), limits),
        }
        metadata = package_metadata(archive, limits)
    if body is None:
        raise UnreadableFile("corrupt", "the document has no body")
    return Word(body, styles, declares_entities(data), footnotes, beside, metadata)


def _notes(archive: zipfile.ZipFile, name: str, limits: ParseLimits) -> list[str]:
    """The text of each note of a part that has any."""
    if name not in archive.namelist():
        return []
    notes = [
        clean(" ".join(run_text(piece) for piece in flow(note) if name_of(piece) == "p"))
        for note in xml_root(read_member(archive, name, limits), name)
    ]
    return [note for note in notes if note]


def _levels(styles: etree._Element) -> dict[str, int]:
    levels: dict[str, int] = {}
    bases: dict[str, str] = {}
    for style in styles:
        identifier = value_of(style, "styleId")
        if name_of(style) != "style" or identifier is None:
            continue
        name = (value_of(child_of(style, "name")) or "").casefold()
        outline = value_of(child_of(style, "pPr", "outlineLvl"))
        if match := re.fullmatch(r"heading (\d)", name):
            levels[identifier] = int(match[1])
        elif name == "title":
            levels[identifier] = 1
        elif outline and outline.isdecimal() and int(outline) < 9:
            levels[identifier] = int(outline) + 1
        if base := value_of(child_of(style, "basedOn")):
            bases[identifier] = base
    for identifier in list(bases):
        seen, base = {identifier}, bases.get(identifier)
        while base and base not in seen and identifier not in levels:
            if base in levels:
                levels[identifier] = levels[base]
            seen.add(base)
            base = bases.get(base)
    return levels


def read(path: Path, limits: ParseLimits) -> Reading:
    """Paragraphs as blocks, every table (nested ones after the one around them), footnotes as notes at the end."""
    word = body_of(path, limits)
    body, styles, notes = word.body, word.levels, word.footnotes
    reading = Reading(pages=1, metadata=word.metadata)
    if word.entities:
        reading.warnings.append("the document declares XML entities; they were left unresolved")
    block = table = 0
    last = ""

    def add_table(element: etree._Element, depth: int, title: str) -> None:
        nonlocal table
        cells, merges, header = cells_of(element)
        rows: list[list[Value]] = [
            [cell or None for cell in row[: limits.columns]] for row in cells[: limits.rows]
        ]
        origin = TableCellLocator(table=table, row=0, column=0)
        reading.items.append(
            RawTable(
                rows,
                origin,
                title=title,
                header=header or None,
                merges=merges,
                truncated=len(cells) > limits.rows,
            )
        )
        table += 1
        if depth < 20:
            for inner in nested(element):
                add_table(inner, depth + 1, title)

    for part in flow(body):
        if name_of(part) == "tbl":
            add_table(part, 0, last)
            continue
        content = run_text(part)
        if not content:
            continue
        style = value_of(child_of(part, "pPr", "pStyle")) or ""
        outline = value_of(child_of(part, "pPr", "outlineLvl"))
        level = (
            int(outline) + 1 if outline and outline.isdecimal() and int(outline) < 9 else styles.get(style, 0)
        )
        if level:
            kind = "heading"
            reading.title = reading.title or content[:200]
        else:
            kind = "list_item" if child_of(part, "pPr", "numPr") is not None else "paragraph"
        if block < limits.blocks:
            locator = BlockLocator(block=block)
            reading.items.append(Block(kind=kind, text=content, level=level, locator=locator))  # type: ignore[arg-type]
        block += 1
        last = content if len(content) <= 200 else ""
    for note in notes:
        if block < limits.blocks:
            reading.items.append(Block(kind="note", text=note, locator=BlockLocator(block=block)))
        block += 1
    for beside, texts in word.beside.items():
        for number, note in enumerate(texts):
            place = PartLocator(part=beside, index=number)  # type: ignore[arg-type]
            reading.items.append(Block(kind="note", text=note, locator=place))
    if block > limits.blocks:
        reading.warnings.append(f"{block - limits.blocks} blocks left out")
    return reading
