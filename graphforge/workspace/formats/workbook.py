"""Workbooks (xlsx and xls): values by calamine, formulas and states from the XML, missing results by IronCalc."""

import datetime
import io
import math
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import ironcalc
import python_calamine
from lxml import etree
from openpyxl.formula.translate import Translator, TranslatorError

from graphforge.records import (
    Block,
    CellLocator,
    CommentLocator,
    Family,
    PartLocator,
    Value,
    column_index,
)

from ..limits import ParseLimits
from ..raw import Merge, RawTable, Reading
from ..unreadable import UnreadableFile
from .archive import declares_entities, of_machine, open_archive, package_metadata, read_member, xml_root
from .beside import Beside, read_beside
from .docx import child_of, name_of, value_of

# The columns and the rows of references. Others than a cell's own may match: they only make a sheet look larger.
_COLUMN = re.compile(rb"r=[\"']([A-Z]{1,7})[0-9]")
_ROW = re.compile(rb"r=[\"'][A-Z]{1,7}([0-9]{1,10})")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_ROW_TAG = re.compile(rb"<(?:\w+:)?row\b[^<>]*>")
_COLUMN_TAG = re.compile(rb"<(?:\w+:)?col\b[^<>]*>")
_ROW_PLACE = re.compile(rb"\br=[\"'](\d{1,7})[\"']")
_HIDDEN = re.compile(rb"\bhidden=[\"'](?:1|true)[\"']")
_VOLATILE = re.compile(r"\b(?:NOW|TODAY|RAND|RANDBETWEEN|RANDARRAY)\s*\(", re.IGNORECASE)
_RELATIONS = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    b'Target="xl/workbook.xml"/></Relationships>'
)
_FORMULA_CAP = 100_000
# A formula as a person writes it, in Excel's own bounds; the engine's parser calls itself for every level.
_FORMULA_LENGTH = 8_192
_FORMULA_DEPTH = 128
_SIGNS = re.compile(r"[-+%]{32}")
# Merged ranges are kept up to this many cells in all.
_MERGED_CAP = 200_000
_Result = TypeVar("_Result")


@dataclass
class Formula:
    """A formula with its leading ``=``, and the cached result's text (None where the file holds none)."""

    text: str
    cached: str | None


@dataclass
class Book:
    """An open workbook. ``formulas`` maps a sheet to its cells (row, column); empty for xls."""

    workbook: python_calamine.CalamineWorkbook
    names: list[str]
    hidden: set[str]
    formulas: dict[str, dict[tuple[int, int], Formula]] = field(default_factory=dict)
    computed: dict[str, dict[tuple[int, int], Value]] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    beside: Beside = field(default_factory=Beside)
    hidden_rows: dict[str, frozenset[int]] = field(default_factory=dict)
    hidden_columns: dict[str, frozenset[int]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def guarded(call: Callable[[], _Result], what: str) -> _Result:
    """The result of a call into a Rust reader; its errors and its panics become UnreadableFile."""
    try:
        return call()
    except python_calamine.PasswordError as error:
        raise UnreadableFile("password_protected", "an encrypted workbook") from error
    except (python_calamine.CalamineError, OSError, ValueError, OverflowError, MemoryError) as error:
        if (failure := of_machine(error)) is not None:
            raise failure from None
        raise UnreadableFile("corrupt", f"{what}: {error}") from error
    except BaseException as error:
        # A panic of a Rust library derives from BaseException and its class can't be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise UnreadableFile("corrupt", f"{what}: {error}") from error


def cell_value(cell: Any) -> Value:
    """A calamine cell as a value: whole floats as integers, dates as ISO text, empty text as None."""
    if isinstance(cell, str):
        if not cell.isascii():
            cell = cell.encode("utf-8", "replace").decode("utf-8")
        return cell.strip() or None
    if isinstance(cell, float):
        if cell.is_integer():
            return int(cell) if abs(cell) < 2**53 else cell
        return cell if math.isfinite(cell) else None
    if isinstance(cell, datetime.datetime):
        return cell.date().isoformat() if cell.time() == datetime.time() else cell.isoformat(" ", "seconds")
    if isinstance(cell, datetime.date):
        return cell.isoformat()
    if isinstance(cell, datetime.time):
        return cell.isoformat("seconds")
    if isinstance(cell, datetime.timedelta):
        return f"{cell.total_seconds() / 3600:g} h"
    return cell


def show_value(value: Value) -> str:
    """A value as text: whole floats without a point, None as empty text."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _cell_reference(reference: str) -> tuple[int, int] | None:
    match = re.fullmatch(r"\$?([A-Za-z]{1,7})\$?([0-9]{1,10})", reference)
    return (int(match[2]) - 1, column_index(match[1].upper())) if match else None


def open_book(path: Path, family: Family, limits: ParseLimits) -> Book:
    """The workbook, checked within bounds, its missing formula results computed.

    Raises UnreadableFile: password_protected, corrupt, zip_bomb, xml_entities, too_large.
    """
    # From its bytes: by path calamine goes by the file's extension.
    content = io.BytesIO(path.read_bytes())
    if family == "xls":
        if _is_locked(content.getvalue()):
            raise UnreadableFile("password_protected", "an encrypted workbook")
        return _book(
            guarded(
                lambda: python_calamine.CalamineWorkbook.from_filelike(content),
                "the workbook can't be opened",
            )
        )
    repaired: io.BytesIO | None = None
    with open_archive(path, limits) as archive:
        parts = _checked_parts(archive, limits)
        try:
            workbook = guarded(
                lambda: python_calamine.CalamineWorkbook.from_filelike(content),
                "the workbook can't be opened",
            )
        except UnreadableFile as error:
            if error.reason != "corrupt" or "xl/workbook.xml" not in parts:
                raise
            copy = repaired = _repaired(parts)
            workbook = guarded(lambda: python_calamine.CalamineWorkbook.from_filelike(copy), error.detail)
        book = _book(workbook)
        if repaired is not None:
            book.warnings.append("the package's relations are damaged; the sheets were read without them")
        sheets, calculate = _sheet_parts(parts)
        sheets = dict(islice(sheets.items(), limits.sheets))
        _read_formulas(book, parts, sheets, calculate)
        book.metadata = package_metadata(archive, limits)
        book.beside = read_beside(archive, sheets, limits)
        book.warnings += book.beside.warnings
        for sheet, part in sheets.items():
            book.hidden_rows[sheet] = _hidden_rows(parts[part])
            book.hidden_columns[sheet] = _hidden_columns(parts[part], limits)
    _compute(book, path if repaired is None else None, limits)
    return book


def _is_locked(data: bytes) -> bool:
    """Whether the workbook stream of an xls file begins with the record of an encryption (FILEPASS)."""
    start = data.find(b"\x09\x08\x10\x00\x00\x06\x05\x00")
    if start < 0:
        return False
    place = start + 20
    for _ in range(3):
        if data[place : place + 2] == b"\x2f\x00":
            return True
        place += 4 + int.from_bytes(data[place + 2 : place + 4], "little")
    return False


def _book(workbook: python_calamine.CalamineWorkbook) -> Book:
    sheets = [m for m in workbook.sheets_metadata if m.typ == python_calamine.SheetTypeEnum.WorkSheet]
    hidden = {m.name for m in sheets if m.visible != python_calamine.SheetVisibleEnum.Visible}
    book = Book(workbook, [m.name for m in sheets], hidden)
    if others := len(workbook.sheets_metadata) - len(sheets):
        book.warnings.append(f"{others} chart or macro sheets left out")
    return book


def _checked_parts(archive: zipfile.ZipFile, limits: ParseLimits) -> dict[str, bytes]:
    """The XML parts that the readers open, each within bounds and without entities."""
    parts: dict[str, bytes] = {}
    for name in archive.namelist():
        folder = PurePosixPath(name).parts[:2]
        if not name.endswith((".xml", ".rels")) or (
            len(folder) > 1 and folder[1] in {"media", "drawings", "charts"}
        ):
            continue
        if name.startswith(
            ("xl/pivot", "xl/theme", "docProps/", "customXml/", "xl/printerSettings", "xl/diagrams")
        ):
            continue
        data = read_member(archive, name, limits)
        if declares_entities(data):
            raise UnreadableFile("xml_entities", f"{name} declares XML entities")
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            _check_area(name, data, limits)
        parts[name] = data
    return parts


def _check_area(name: str, data: bytes, limits: ParseLimits) -> None:
    """Reject a sheet whose used cells span more than the limit: readers lay the whole rectangle out in memory."""
    rows = set(_ROW.findall(data))
    columns = set(_COLUMN.findall(data))
    if not rows:
        return
    height = max(map(int, rows))
    width = max(column_index(letters.decode()) for letters in columns) + 1
    if height * width <= limits.cells:
        return
    height = width = 0
    try:
        for _, cell in etree.iterparse(
            io.BytesIO(data),
            tag="{*}c",
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
        ):
            if any(name_of(child) in {"v", "is"} for child in cell):
                place = _cell_reference(cell.get("r") or "")
                if place:
                    height, width = max(height, place[0] + 1), max(width, place[1] + 1)
            cell.clear()
    except etree.XMLSyntaxError as error:
        raise UnreadableFile("corrupt", f"{name} is no well-formed XML: {error}") from error
    if height * width > limits.cells:
        raise UnreadableFile("too_large", f"{name} spans {height} rows and {width} columns")


def _repaired(parts: dict[str, bytes]) -> io.BytesIO:
    """The workbook with only the parts that hold cells, and sound package relations."""
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            if name != "_rels/.rels" and not name.startswith("xl/worksheets/_rels/"):
                archive.writestr(name, data)
        archive.writestr("_rels/.rels", _RELATIONS)
    copy.seek(0)
    return copy


def _sheet_parts(parts: dict[str, bytes]) -> tuple[dict[str, str], bool]:
    """Each sheet's part, and whether the file asks to be calculated again when it is opened."""
    workbook = next((name for name in ("xl/workbook.xml",) if name in parts), None)
    if workbook is None:
        return {}, False
    root = xml_root(parts[workbook], workbook)
    targets: dict[str, str] = {}
    relations = "xl/_rels/workbook.xml.rels"
    if relations in parts:
        for relation in xml_root(parts[relations], relations):
            target = str(relation.get("Target", ""))
            full = target.lstrip("/") if target.startswith("/") else f"xl/{target.removeprefix('./')}"
            targets[str(relation.get("Id", ""))] = full
    found: dict[str, str] = {}
    sheets = child_of(root, "sheets")
    for sheet in sheets if sheets is not None else ():
        identifier = next((v for k, v in sheet.attrib.items() if str(k).endswith("}id")), "")
        if (part := targets.get(str(identifier))) in parts and part is not None:
            found[str(sheet.get("name"))] = part
    calculate = value_of(child_of(root, "calcPr"), "fullCalcOnLoad") in {"1", "true"}
    return found, calculate


def _hidden_rows(data: bytes) -> frozenset[int]:
    """The hidden rows of a sheet, zero-based."""
    if b"hidden=" not in data:
        return frozenset()
    hidden = (tag for tag in _ROW_TAG.findall(data) if _HIDDEN.search(tag))
    return frozenset(int(place[1]) - 1 for tag in hidden if (place := _ROW_PLACE.search(tag)))


def _hidden_columns(data: bytes, limits: ParseLimits) -> frozenset[int]:
    """The hidden columns of a sheet, zero-based."""
    found: set[int] = set()
    for tag in _COLUMN_TAG.findall(data) if b"hidden=" in data else ():
        first, last = re.search(rb"\bmin=[\"'](\d{1,5})", tag), re.search(rb"\bmax=[\"'](\d{1,5})", tag)
        if _HIDDEN.search(tag) and first and last:
            found.update(range(int(first[1]) - 1, min(int(last[1]), limits.columns)))
    return frozenset(found)


def _read_formulas(book: Book, parts: dict[str, bytes], sheets: dict[str, str], calculate: bool) -> None:
    count = 0
    for sheet, part in sheets.items():
        data = parts[part]
        if not ((b"<f" in data or b":f" in data) and _FORMULA.search(data)):
            continue
        found: dict[tuple[int, int], Formula] = {}
        shared: dict[str, tuple[str, str]] = {}
        try:
            for _, cell in etree.iterparse(
                io.BytesIO(data),
                tag="{*}c",
                resolve_entities=False,
                no_network=True,
                load_dtd=False,
                huge_tree=False,
            ):
                formula = next(cell.iterchildren("{*}f"), None)
                reference = (cell.get("r") or "") if formula is not None else ""
                place = _cell_reference(reference)
                if formula is not None and place is not None and count < _FORMULA_CAP:
                    text = _formula_text(formula, reference, shared)
                    if text:
                        value = next((child for child in cell if name_of(child) == "v"), None)
                        cached = value.text if value is not None else None
                        if calculate and cached == "0":
                            # Writers without a calculator store 0 for every result and ask for a calculation.
                            cached = None
                        found[place] = Formula(text, cached)
                        count += 1
                cell.clear()
        except etree.XMLSyntaxError as error:
            raise UnreadableFile("corrupt", f"{part} is no well-formed XML: {error}") from error
        if found:
            book.formulas[sheet] = found
    if count >= _FORMULA_CAP:
        book.warnings.append(f"only the first {_FORMULA_CAP} formulas were kept")


def _formula_text(formula: etree._Element, reference: str, shared: dict[str, tuple[str, str]]) -> str | None:
    text = formula.text
    index = formula.get("si")
    if formula.get("t") == "shared" and index is not None:
        if text:
            shared[index] = (text, reference)
        elif index in shared:
            master, origin = shared[index]
            try:
                return str(Translator("=" + master, origin=origin).translate_formula(reference))
            except TranslatorError:
                return "=" + master
    return "=" + text if text else None


def _compute(book: Book, source: Path | None, limits: ParseLimits) -> None:
    """Fill ``computed`` for the formulas without a cached result; a warning where it can't be done."""
    missing = {
        sheet: [place for place, formula in cells.items() if formula.cached is None]
        for sheet, cells in book.formulas.items()
    }
    total = sum(map(len, missing.values()))
    if not total:
        return
    for sheet, places in missing.items():
        book.computed[sheet] = dict.fromkeys(places)
    if any(_VOLATILE.search(f.text) for cells in book.formulas.values() for f in cells.values()):
        book.warnings.append(
            f"{total} formulas without a result: the workbook depends on the time or on chance"
        )
        return
    if source is None:
        book.warnings.append(f"{total} formulas without a result in a damaged workbook")
        return
    if len(book.names) > limits.sheets:
        book.warnings.append(f"{total} formulas without a result: the workbook has too many sheets")
        return
    if any(not _is_sane(f.text) for cells in book.formulas.values() for f in cells.values()):
        book.warnings.append(f"{total} formulas without a result: one is too long or nested too deeply")
        return

    def evaluate() -> Any:
        model = ironcalc.load_from_xlsx(str(source), "en", "UTC", "en")
        model.evaluate()
        return model

    try:
        model = guarded(evaluate, "the formulas can't be calculated")
    except UnreadableFile as error:
        book.warnings.append(f"{total} formulas without a result: {error.detail}")
        return
    except ironcalc.WorkbookError as error:
        book.warnings.append(f"{total} formulas without a result: {error}")
        return
    numbers = {sheet["name"]: number for number, sheet in enumerate(model.get_worksheets_properties())}
    failed: list[str] = []
    for sheet, places in missing.items():
        for row, column in places:
            value: Value = None
            if sheet in numbers:
                kind = model.get_cell_type(numbers[sheet], row + 1, column + 1)
                if kind != ironcalc.CellType.ErrorValue:
                    value = cell_value(model.get_cell_value(numbers[sheet], row + 1, column + 1))
            if value is None:
                failed.append(CellLocator(sheet=sheet, row=row, column=column).show())
            book.computed[sheet][(row, column)] = value
    if failed:
        book.warnings.append(f"{len(failed)} formulas without a result, the first in {failed[0]}")


def _is_sane(formula: str) -> bool:
    if len(formula) > _FORMULA_LENGTH or _SIGNS.search(formula):
        return False
    depth = 0
    for bracket in re.findall(r"[(){}]", formula):
        depth += 1 if bracket in "({" else -1
        if depth > _FORMULA_DEPTH:
            return False
    return True


def _within(merges: list[Merge], rows: int, columns: int) -> list[Merge]:
    """The merged ranges inside the rows and columns read, sorted; no more than a bounded area."""
    kept: list[Merge] = []
    area = 0
    for top, left, bottom, right in sorted(merges):
        if top >= rows or left >= columns:
            continue
        bottom, right = min(bottom, rows - 1), min(right, columns - 1)
        area += (bottom - top + 1) * (right - left + 1)
        if area > _MERGED_CAP:
            break
        kept.append((top, left, bottom, right))
    return kept


def sheet_rows(book: Book, name: str, limits: ParseLimits) -> tuple[list[list[Value]], list[Merge], bool]:
    """A sheet's values from cell A1 on, its merged ranges, and whether rows or columns were left out."""
    sheet = guarded(lambda: book.workbook.get_sheet_by_name(name), f"sheet {name!r} can't be read")
    if sheet.start is None or sheet.end is None:
        return [], [], False
    height, width = sheet.end[0] + 1, sheet.end[1] + 1
    if height * width > limits.cells:
        raise UnreadableFile("too_large", f"sheet {name!r} spans {height} rows and {width} columns")
    kept_width = min(width, limits.columns)
    kept = min(height, limits.rows, max(1, limits.table_cells // max(1, kept_width)))
    cells = guarded(
        lambda: sheet.to_python(skip_empty_area=False, nrows=kept), f"sheet {name!r} can't be read"
    )
    rows = [[cell_value(cell) for cell in row[:kept_width]] for row in cells[:kept]]
    for (row, column), value in book.computed.get(name, {}).items():
        if row < kept and column < kept_width:
            while row >= len(rows):
                rows.append([])
            rows[row] += [None] * (column + 1 - len(rows[row]))
            rows[row][column] = value
    ranges = sheet.merged_cell_ranges or []
    merges = [(top, left, bottom, right) for (top, left), (bottom, right) in ranges]
    return rows, _within(merges, len(rows), kept_width), height > kept or width > kept_width


def read(path: Path, family: Family, limits: ParseLimits) -> Reading:
    """Every sheet as one rectangle of cells, hidden ones flagged."""
    book = open_book(path, family, limits)
    reading = Reading(pages=max(1, len(book.names)), warnings=book.warnings, metadata=book.metadata)
    if len(book.names) > limits.sheets:
        reading.warnings.append(f"{len(book.names) - limits.sheets} sheets left out")
    for name in book.names[: limits.sheets]:
        rows, merges, truncated = sheet_rows(book, name, limits)
        reading.items.append(
            RawTable(
                rows,
                CellLocator(sheet=name, row=0, column=0),
                title=name,
                sheet=True,
                merges=merges,
                formulas={place: formula.text for place, formula in book.formulas.get(name, {}).items()},
                hidden=name in book.hidden,
                hidden_rows=book.hidden_rows.get(name, frozenset()),
                hidden_columns=book.hidden_columns.get(name, frozenset()),
                truncated=truncated,
            )
        )
        if truncated:
            reading.warnings.append(f"sheet {name!r}: only the first {len(rows)} rows were read")
        if name in book.hidden:
            reading.warnings.append(f"sheet {name!r} is hidden")
        # Authors often hide all columns behind the last one: only those that hold something are told.
        extent = {"rows": len(rows), "columns": max(map(len, rows), default=0)}
        for what, places in (("rows", book.hidden_rows), ("columns", book.hidden_columns)):
            if hidden := sum(1 for place in places.get(name, ()) if place < extent[what]):
                reading.warnings.append(f"sheet {name!r}: {hidden} {what} are hidden")
        for number, line in enumerate(book.beside.charts.get(name, ())):
            chart = PartLocator(part="chart", place=name, index=number)
            reading.items.append(Block(kind="caption", text=line, locator=chart))
        for (row, column), text in sorted(book.beside.comments.get(name, {}).items()):
            comment = CommentLocator(sheet=name, row=row, column=column)
            reading.items.append(Block(kind="note", text=text, locator=comment))
    return reading
