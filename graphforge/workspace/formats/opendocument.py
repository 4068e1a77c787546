"""OpenDocument spreadsheets (ods): values, spans, formulas, comments and hidden sheets, from the one XML part."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from graphforge.records import Block, CellLocator, CommentLocator, Value

from ..limits import ParseLimits
from ..raw import Merge, RawTable, Reading
from ..unreadable import UnreadableFile
from .archive import declares_entities, open_archive, package_metadata, read_member, xml_root
from .docx import child_of, name_of
from .text import clean

_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?")
_MERGED_CAP = 200_000


@dataclass
class Sheet:
    """A sheet's cells from A1 on, ragged; formulas with a leading ``=``; comments by cell (row, column)."""

    name: str
    rows: list[list[Value]] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    formulas: dict[tuple[int, int], str] = field(default_factory=dict)
    comments: dict[tuple[int, int], str] = field(default_factory=dict)
    hidden: bool = False
    hidden_rows: set[int] = field(default_factory=set)
    truncated: bool = False


def _attribute(element: etree._Element, name: str) -> str | None:
    """An attribute by its local name: producers differ in the version of a namespace."""
    return next((str(v) for k, v in element.attrib.items() if str(k).rpartition("}")[2] == name), None)


def _count(element: etree._Element, name: str) -> int:
    text = _attribute(element, name) or ""
    return max(1, int(text)) if text.isdecimal() and len(text) < 10 else 1


def _root(path: Path, limits: ParseLimits) -> etree._Element:
    with open_archive(path, limits) as archive:
        _refuse_encrypted(archive, limits)
        if "content.xml" not in archive.namelist():
            raise UnreadableFile("corrupt", "the package has no content.xml")
        data = read_member(archive, "content.xml", limits)
    if declares_entities(data):
        raise UnreadableFile("xml_entities", "content.xml declares XML entities")
    return xml_root(data, "content.xml")


def _refuse_encrypted(archive: zipfile.ZipFile, limits: ParseLimits) -> None:
    name = "META-INF/manifest.xml"
    if name in archive.namelist() and b"encryption-data" in read_member(archive, name, limits):
        raise UnreadableFile("password_protected", "an encrypted OpenDocument file")


def sheets_of(path: Path, limits: ParseLimits) -> list[Sheet]:
    """Every sheet within bounds. Raises UnreadableFile: corrupt, password_protected, xml_entities, zip_bomb."""
    root = _root(path, limits)
    hidden = {
        _attribute(style, "name")
        for style in root.iter("{*}style")
        if any(
            _attribute(part, "display") == "false" for part in style if name_of(part) == "table-properties"
        )
    }
    body = child_of(root, "body", "spreadsheet")
    if body is None:
        raise UnreadableFile("corrupt", "the document has no spreadsheet")
    tables = [element for element in body if name_of(element) == "table"]
    return [_sheet(table, number, hidden, limits) for number, table in enumerate(tables)]


def _sheet(table: etree._Element, number: int, hidden: set[str | None], limits: ParseLimits) -> Sheet:
    sheet = Sheet(_attribute(table, "name") or f"Sheet{number + 1}")
    sheet.hidden = (_attribute(table, "style-name") or "") in hidden
    cells = area = 0
    for row in _rows(table):
        line: list[Value] = []
        noted = False
        for cell in row:
            if name_of(cell) not in {"table-cell", "covered-table-cell"}:
                continue
            place = (len(sheet.rows), len(line))
            value = None if name_of(cell) == "covered-table-cell" else _value(cell)
            repeat = _count(cell, "number-columns-repeated")
            room = limits.columns - len(line)
            if repeat > room:
                # The last cell of a line is often repeated to the sheet's edge, empty.
                sheet.truncated = sheet.truncated or value is not None
                repeat = max(0, room)
            formula = _attribute(cell, "formula")
            comment = next((clean(_said(part)) for part in cell if name_of(part) == "annotation"), "")
            if room > 0:
                if formula:
                    sheet.formulas[place] = "=" + formula.partition("=")[2]
                if comment:
                    sheet.comments[place] = comment
                noted = noted or bool(formula or comment)
                down, right = _count(cell, "number-rows-spanned"), _count(cell, "number-columns-spanned")
                area += min(down * right, _MERGED_CAP)
                if down * right > 1 and area < _MERGED_CAP:
                    sheet.merges.append((place[0], place[1], place[0] + down - 1, place[1] + right - 1))
            line += [value] * repeat
        while line and line[-1] is None:
            line.pop()
        times = _count(row, "number-rows-repeated")
        unseen = _attribute(row, "visibility") in {"collapse", "filter"}
        for _ in range(times if line or noted else min(times, limits.rows)):
            cells += len(line)
            if len(sheet.rows) >= limits.rows or cells > limits.table_cells:
                sheet.truncated = sheet.truncated or bool(line)
                break
            if unseen:
                sheet.hidden_rows.add(len(sheet.rows))
            sheet.rows.append(list(line))
    while (
        sheet.rows
        and not sheet.rows[-1]
        and not any(place[0] == len(sheet.rows) - 1 for place in (*sheet.formulas, *sheet.comments))
    ):
        sheet.rows.pop()
    return sheet


def _rows(table: etree._Element, depth: int = 0) -> Iterator[etree._Element]:
    for child in table:
        kind = name_of(child)
        if kind == "table-row":
            yield child
        elif kind in {"table-rows", "table-header-rows", "table-row-group"} and depth < 16:
            yield from _rows(child, depth + 1)


def _said(element: etree._Element) -> str:
    return " ".join(_words(part) for part in element if name_of(part) in {"p", "h", "list"})


def _words(element: etree._Element) -> str:
    """The text of a paragraph; spaces and tabs are elements of their own, a comment inside is no part of it."""
    parts = [element.text or ""]
    for child in element:
        kind = name_of(child)
        if kind in {"s", "tab", "line-break"}:
            parts.append(" ")
        elif kind != "annotation":
            parts.append(_words(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _value(cell: etree._Element) -> Value:
    kind = _attribute(cell, "value-type")
    if kind in {"float", "percentage", "currency"}:
        try:
            number = float(_attribute(cell, "value") or "")
        except ValueError:
            return clean(_said(cell)) or None
        if number != number or number in {float("inf"), float("-inf")}:
            return None
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if kind == "date":
        text = _attribute(cell, "date-value") or ""
        return text.removesuffix("T00:00:00").replace("T", " ")[:19] or None
    if kind == "boolean":
        return _attribute(cell, "boolean-value") == "true"
    if kind == "time" and (match := _DURATION.fullmatch(_attribute(cell, "time-value") or "")):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return f"{hours:02}:{minutes:02}:{seconds:02}"
    return clean(_attribute(cell, "string-value") or _said(cell)) or None


def read(path: Path, limits: ParseLimits) -> Reading:
    """Every sheet as one rectangle of cells, hidden ones flagged, its comments after it."""
    sheets = sheets_of(path, limits)
    with open_archive(path, limits) as archive:
        reading = Reading(pages=max(1, len(sheets)), metadata=package_metadata(archive, limits))
    if len(sheets) > limits.sheets:
        reading.warnings.append(f"{len(sheets) - limits.sheets} sheets left out")
    for sheet in sheets[: limits.sheets]:
        origin = CellLocator(sheet=sheet.name, row=0, column=0)
        reading.items.append(
            RawTable(
                sheet.rows,
                origin,
                title=sheet.name,
                sheet=True,
                merges=sheet.merges,
                formulas=sheet.formulas,
                hidden=sheet.hidden,
                hidden_rows=frozenset(sheet.hidden_rows),
                truncated=sheet.truncated,
            )
        )
        for (row, column), text in sorted(sheet.comments.items()):
            place = CommentLocator(sheet=sheet.name, row=row, column=column)
            reading.items.append(Block(kind="note", text=text, locator=place))
        if sheet.truncated:
            reading.warnings.append(f"sheet {sheet.name!r}: only the first {len(sheet.rows)} rows were read")
        if sheet.hidden:
            reading.warnings.append(f"sheet {sheet.name!r} is hidden")
        if sheet.hidden_rows:
            reading.warnings.append(f"sheet {sheet.name!r}: {len(sheet.hidden_rows)} rows are hidden")
    return reading
