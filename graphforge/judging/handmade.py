"""Plain files of every family from headings, sentences and tables: for deliverables that no agent made."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docx
import pymupdf
import xlsxwriter

from ..records import Value
from .edits import CannotEdit

_MARGIN, _SIZE, _STEP = 40.0, 9.0, 16.0


@dataclass(frozen=True)
class Grid:
    """A table, the header first; in a workbook it stands in ``sheet``. A text that begins with ``=`` is a formula."""

    sheet: str
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class Page:
    """What a file holds, in this order: titles of sections, sentences, tables. ``sheets`` are there even if empty."""

    headings: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    sheets: tuple[str, ...] = ()


def write(family: str, page: Page, target: Path) -> None:
    """Write the file; CannotEdit where the family can't hold all of it."""
    {"xlsx": _xlsx, "csv": _csv, "docx": _docx, "pdf": _pdf}[family](page, target)


def formula(value: Value) -> str:
    """A formula that gives the value."""
    return '="' + value.replace('"', '""') + '"' if isinstance(value, str) else f"={value!r}"


def _xlsx(page: Page, target: Path) -> None:
    names = list(dict.fromkeys([*page.sheets, *(grid.sheet for grid in page.grids)])) or ["Sheet1"]
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold()[:31], name[:31])
    with xlsxwriter.Workbook(str(target), {"strings_to_formulas": False, "strings_to_urls": False}) as book:
        sheets = {key: book.add_worksheet(_allowed(name)) for key, name in folded.items()}
        ends = dict.fromkeys(sheets, 0)
        for grid in page.grids:
            key = grid.sheet.casefold()[:31] if grid.sheet else next(iter(sheets))
            for row in grid.rows:
                for column, value in enumerate(row):
                    if isinstance(value, str) and value.startswith("="):
                        sheets[key].write_formula(ends[key], column, value, None, _given(value))
                    elif value is not None:
                        sheets[key].write(ends[key], column, value)
                ends[key] += 1
            ends[key] += 2
        for key, sheet in sheets.items():
            lines = [*page.headings, *page.texts] if key == next(reversed(sheets)) else []
            # A sheet without a cell is none to many readers.
            lines = lines or ([" - "] if not ends[key] else [])
            for place, text in enumerate(lines):
                sheet.write_string(ends[key] + place, 0, text)


def _allowed(name: str) -> str:
    if not name or any(letter in "[]:*?/\\" for letter in name) or name[0] == "'" or name[-1] == "'":
        raise CannotEdit(f"no sheet can be called {name!r}")
    return name


def _given(text: str) -> Value:
    bare = text.removeprefix("=")
    return bare.strip('"').replace('""', '"') if bare.startswith('"') else float(bare)


def _csv(page: Page, target: Path) -> None:
    if len(page.grids) > 1:
        raise CannotEdit("a delimited file holds one table")
    rows = [list(row) for grid in page.grids for row in grid.rows]
    texts = [*page.headings, *page.texts]
    if texts and rows:
        width = max(map(len, rows))
        rows += [[] for _ in range(len(texts) + 1 - len(rows))]
        for place, row in enumerate(rows):
            row += [None] * (width - len(row))
            row.append("Remark" if place == 0 else texts[place - 1] if place <= len(texts) else None)
    elif texts:
        rows = [[text] for text in texts]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        ["" if value is None else _bare(value) for value in row] for row in rows
    )
    target.write_text(out.getvalue(), encoding="utf-8")


def _bare(value: Value) -> str:
    if isinstance(value, str) and value.startswith("="):
        value = _given(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _docx(page: Page, target: Path) -> None:
    memo = docx.Document()
    for heading in page.headings:
        memo.add_heading(heading, level=1)
    for text in page.texts:
        memo.add_paragraph(text)
    for grid in page.grids:
        width = max(map(len, grid.rows))
        table = memo.add_table(rows=len(grid.rows), cols=width)
        for row, cells in zip(table.rows, grid.rows, strict=True):
            for cell, value in zip(row.cells, cells, strict=False):
                cell.text = "" if value is None else _bare(value)
        memo.add_paragraph("")
    memo.save(str(target))


def _pdf(page: Page, target: Path) -> None:
    document: Any = pymupdf.open()
    place = _Place(document)
    for heading in page.headings:
        place.line(heading, "hebo", 13.0)
    for text in page.texts:
        for line in _wrapped(text):
            place.line(line, "helv", _SIZE)
        place.y += 6
    for grid in page.grids:
        place.table(grid.rows)
    document.save(target, no_new_id=True)


class _Place:
    """Where the next line goes; a new page where one is full."""

    def __init__(self, document: Any):
        self._document = document
        self.page = document.new_page(width=842, height=595)
        self.y = _MARGIN

    def line(self, text: str, font: str, size: float) -> None:
        self._room(2 * size)
        self.y += 2 * size
        self.page.insert_text((_MARGIN, self.y), text, fontname=font, fontsize=size)

    def table(self, rows: Sequence[Sequence[Value]]) -> None:
        self.y += _STEP
        width = (842 - 2 * _MARGIN) / max(map(len, rows))
        for row in rows:
            self._room(_STEP)
            for column, value in enumerate(row):
                left = _MARGIN + width * column
                box = pymupdf.Rect(left, self.y, left + width, self.y + _STEP)
                self.page.draw_rect(box, width=0.5)
                text = "" if value is None else _bare(value)
                size = _SIZE
                while size > 3 and pymupdf.get_text_length(text, "helv", size) > width - 6:
                    size -= 0.5
                self.page.insert_text((left + 3, self.y + 11), text, fontname="helv", fontsize=size)
            self.y += _STEP

    def _room(self, height: float) -> None:
        if self.y + height > 595 - _MARGIN:
            self.page = self._document.new_page(width=842, height=595)
            self.y = _MARGIN


def _wrapped(text: str, width: int = 140) -> list[str]:
    lines: list[str] = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines
