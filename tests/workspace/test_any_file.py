"""Whatever a file of any format holds: every block and cell that parsing gives reads the same at its place again."""

import json
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path

import docx
import openpyxl
import pptx
import pymupdf
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from openpyxl.comments import Comment
from openpyxl.utils import get_column_letter
from pptx.util import Inches

from graphforge.records import Document, Value, normalize, parse_number
from graphforge.workspace.parse import parse
from graphforge.workspace.reread import Rereader
from graphforge.workspace.unreadable import UnreadableFile
from tests.workspace import samples

Piece = tuple[str, str] | list[list[str]]


def check(path: Path, document: Document) -> None:
    """Every place reads back, and people can tell it from the others."""
    places: list[tuple[object, Value, bool]] = [
        (block.locator, block.text, True) for block in document.blocks
    ]
    for table in document.tables:
        first = table.header if document.family == "json" else 0
        for row in range(first, len(table.grid)):
            for column in range(len(table.columns)):
                places.append((table.locate(row, column), table.grid[row][column], False))
    with Rereader(lambda _: (path, document.family)) as rereader:
        for locator, value, exact in places:
            raw = rereader.read(document.sha256, locator)  # type: ignore[arg-type]
            if exact:
                assert " ".join(raw.split()) == value, (locator, value, raw)
            elif value is None:
                assert raw == "", (locator, raw)
            elif parse_number(value) is not None:
                assert parse_number(raw) == parse_number(value), (locator, value, raw)
            else:
                assert normalize(raw) == normalize(value), (locator, value, raw)
    shown = [locator.show() for locator, _, _ in places]  # type: ignore[attr-defined]
    assert len(set(shown)) == len(shown)


_letters = st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"), max_codepoint=0x2FFF)
_words = st.text(_letters, max_size=14).map(lambda text: " ".join(text.split()))
_cells = st.one_of(
    _words,
    st.integers(-(10**7), 10**7).map(str),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: f"{number:.3f}"),
    st.sampled_from(("", "Total", "n/a", "$ 1,200", "(12)", "12 %", "2021", "FY 2019", "=A1", "'x", "a|b")),
)
_tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(_cells, min_size=width, max_size=width), min_size=1, max_size=5)
)
_pieces = st.lists(
    st.one_of(st.tuples(st.sampled_from(("heading", "text", "item", "note")), _words), _tables),
    min_size=1,
    max_size=6,
)


def _docx(path: Path, pieces: list[Piece]) -> None:
    document = docx.Document()
    for piece in pieces:
        if isinstance(piece, list):
            table = document.add_table(len(piece), len(piece[0]))
            for number, row in enumerate(piece):
                for column, cell in enumerate(row):
                    table.cell(number, column).text = cell
            if len(piece) > 1:
                table.cell(0, 0).merge(table.cell(1, 0))
            inner = table.cell(0, len(piece[0]) - 1).add_table(2, 2)
            inner.cell(1, 1).text = "inside"
        elif piece[0] == "heading":
            document.add_heading(piece[1], 2)
        elif piece[0] == "note":
            document.add_comment(document.add_paragraph("x").runs, text=piece[1])
        else:
            document.add_paragraph(piece[1], "List Bullet" if piece[0] == "item" else None)
    document.save(path)


def _html(path: Path, pieces: list[Piece]) -> None:
    parts = []
    for piece in pieces:
        if isinstance(piece, list):
            lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in piece]
            lines.insert(1, f"<td colspan='{len(piece[0])}' rowspan='2'>over all</td>")
            parts.append(f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>")
        else:
            tag = {"heading": "h2", "text": "p", "item": "li", "note": "div"}[piece[0]]
            parts.append(f"<{tag}>{escape(piece[1])}</{tag}>loose <b>words</b>")
    path.write_text(f"<html><body>{''.join(parts)}</body></html>", encoding="utf-8")


def _md(path: Path, pieces: list[Piece]) -> None:
    parts = []
    for piece in pieces:
        if isinstance(piece, list):
            rows = [[cell.replace("|", "\\|") for cell in row] for row in piece]
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            lines.insert(1, "|" + "---|" * len(piece[0]))
            parts.append("\n".join(lines))
        else:
            parts.append({"heading": "## ", "text": "", "item": "- ", "note": "> "}[piece[0]] + piece[1])
    path.write_text("\n\n".join(parts), encoding="utf-8")


def _txt(path: Path, pieces: list[Piece]) -> None:
    texts = ["\n".join("  ".join(row) for row in one) if isinstance(one, list) else one[1] for one in pieces]
    path.write_text("\n\n".join(texts), encoding="utf-8")


def _json(path: Path, pieces: list[Piece]) -> None:
    value = [
        [dict(zip(map(str, one[0]), row, strict=True)) for row in one]
        if isinstance(one, list)
        else {one[0]: one[1]}
        for one in pieces
    ]
    path.write_text(json.dumps({"pieces/~": value}), encoding="utf-8")


def _pptx(path: Path, pieces: list[Piece]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    for piece in pieces:
        if isinstance(piece, list):
            place = (Inches(1), Inches(1), Inches(5), Inches(2))
            table = slide.shapes.add_table(len(piece), len(piece[0]), *place).table
            for number, row in enumerate(piece):
                for column, cell in enumerate(row):
                    table.cell(number, column).text = cell
            if len(piece) > 1:
                table.cell(0, 0).merge(table.cell(1, 0))
        elif piece[0] == "note":
            slide.notes_slide.notes_text_frame.text = piece[1]
        elif piece[0] == "heading":
            slide = deck.slides.add_slide(deck.slide_layouts[5])
            slide.shapes.title.text = piece[1]
        else:
            box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(1))
            box.text_frame.text = piece[1]
    deck.save(path)


def _typed(cell: str) -> str | float | None:
    number = parse_number(cell)
    return number if number is not None else ("'" + cell if cell.startswith("=") else cell) or None


def _xlsx(path: Path, pieces: list[Piece]) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for number, piece in enumerate(pieces):
        row = sheet.max_row + 2
        if isinstance(piece, list):
            for line in piece:
                row += 1
                for column, cell in enumerate(line, 1):
                    sheet.cell(row, column, _typed(cell))
            sheet.cell(row + 1, 1, f"=SUM(A1:A{row})")
            sheet.merge_cells(f"A{row + 2}:{get_column_letter(len(piece[0]) + 1)}{row + 2}")
        elif piece[0] == "note" and piece[1]:
            sheet.cell(row, 2, 1).comment = Comment(piece[1], "Ann")
        elif piece[0] == "item":
            sheet = book.create_sheet(f"Sheet {number}")
            sheet.sheet_state = "hidden"
        else:
            sheet.cell(row, 1, _typed(piece[1]))
            sheet.row_dimensions[row].hidden = True
    book.save(path)


def _ods(path: Path, pieces: list[Piece]) -> None:
    tables, rows = [], []
    for piece in pieces:
        if isinstance(piece, list):
            rows += ["".join(samples.ods_cell(_typed(cell) or "") for cell in line) for line in piece] + [""]
        elif piece[0] == "note":
            note = f"<office:annotation><text:p>{escape(piece[1])}</text:p></office:annotation>"
            rows.append(
                samples.ods_cell("x", note) + samples.ods_cell("y", more='table:number-columns-repeated="3"')
            )
        elif piece[0] == "item":
            tables.append(rows)
            rows = []
        else:
            rows += [
                samples.ods_cell(piece[1], more='table:number-columns-spanned="3"')
                + "<table:covered-table-cell/>"
            ]
    sheets = []
    for number, lines in enumerate([*tables, rows]):
        inside = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
        sheets.append(f'<table:table table:name="S{number}">{inside}</table:table>')
    samples.spreadsheet(path.parent, path.name, "".join(sheets))


def _pdf(path: Path, pieces: list[Piece]) -> None:
    document = pymupdf.open()
    page, y = document.new_page(), 60
    for piece in pieces:
        if isinstance(piece, list):
            for row in piece:
                for column, cell in enumerate(row):
                    box = pymupdf.Rect(50 + 120 * column, y, 170 + 120 * column, y + 18)
                    page.draw_rect(box, width=0.7)
                    page.insert_text((box.x0 + 4, box.y1 - 5), cell, fontsize=9)
                y += 18
        else:
            page.insert_text((50, y + 16), piece[1], fontsize=18 if piece[0] == "heading" else 10)
        y += 40
        if y > 600:
            page, y = document.new_page(), 60
    page.insert_text((50, 800), "the last line of the page", fontsize=8)
    document.save(path)


WRITERS: dict[str, Callable[[Path, list[Piece]], None]] = {
    "docx": _docx, "html": _html, "md": _md, "txt": _txt, "json": _json, "pptx": _pptx, "xlsx": _xlsx, "ods": _ods,
    "pdf": _pdf,
}  # fmt: skip


@pytest.mark.parametrize("suffix", WRITERS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(pieces=_pieces)
@example(
    pieces=[
        ("heading", "Findings"),
        [["State", "Families"], ["Alabama", "1"], ["Alaska", "2"]],
        ("note", "n"),
    ]
)
def test_every_piece_reads_back(suffix: str, pieces: list[Piece]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{suffix}"
        WRITERS[suffix](path, pieces)
        reason, document = "", None
        try:
            document = parse(path)
        except UnreadableFile as error:
            reason = error.reason
        # A text of nothing, or one that begins like another format.
        assert document or reason in {"empty_file", "invalid_json", "unknown_format", "html_error_page"}, (
            reason
        )
        if document:
            check(path, document)
