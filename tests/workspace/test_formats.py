"""What each format keeps beside its cells and paragraphs, with places that read back and can be shown."""

import datetime
import shutil
import zipfile
from pathlib import Path

import docx
import openpyxl
import pytest
import xlsxwriter
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from PIL import Image, ImageDraw, ImageFont

from graphforge.records import Document
from graphforge.workspace.formats import image
from graphforge.workspace.limits import ParseLimits
from graphforge.workspace.parse import parse
from graphforge.workspace.reread import Rereader
from graphforge.workspace.sniff import sniff
from graphforge.workspace.unreadable import UnreadableFile
from tests.workspace import samples

BADFILES = Path(__file__).parents[3] / "shared" / "badfiles"


def _shown(path: Path, document: Document) -> dict[str, str]:
    """Every block's text by its place as people read it; each reads the same from the file again."""
    with Rereader(lambda _: (path, document.family)) as rereader:
        for block in document.blocks:
            assert rereader.read(document.sha256, block.locator) == block.text, block
    return {block.locator.show(): block.text for block in document.blocks}


# --- workbooks


def test_comments_and_charts_of_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Data"
    for row in (("State", "Families"), ("Alabama", 12), ("Alaska", 3), ("Arizona", 27)):
        sheet.append(row)
    sheet["B3"].comment = Comment("Revised in May.", "Ann")
    chart = BarChart()
    chart.title = "Families by state"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=4), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=4))
    sheet.add_chart(chart, "D2")
    book.properties.creator = "Ann"
    path = tmp_path / "t.xlsx"
    book.save(path)
    document = parse(path)
    shown = _shown(path, document)
    assert shown["comment on sheet 'Data' cell B3"] == "Revised in May."
    line = shown["chart 1 of 'Data'"]
    assert line.startswith("Chart Families by state:") and "'Data'!$B$2:$B$4 by 'Data'!$A$2:$A$4" in line
    assert document.metadata["author"] == "Ann"
    assert len(document.tables) == 1


def test_a_broken_drawing_costs_no_cells(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    book.active["A1"].comment = Comment("lost", "Ann")
    book.save(tmp_path / "s.xlsx")
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(tmp_path / "s.xlsx") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"<broken" if "comment" in name else old.read(name))
    document = parse(path)
    assert document.tables and any("left out" in warning for warning in document.warnings)


def test_hidden_rows_and_columns_are_read_and_told(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ("State", "Code", "Families"),
        ("Alabama", "a", 12),
        ("Alaska", "b", 3),
        ("Arizona", "c", 27),
    ):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["B"].hidden = True
    path = tmp_path / "t.xlsx"
    book.save(path)
    document = parse(path)
    assert document.tables[0].grid[2] == ("Alaska", "b", 3)
    assert document.tables[0].hidden_rows == (2,) and document.tables[0].hidden_columns == (1,)
    assert document.warnings == ("sheet 'Sheet': 1 rows are hidden", "sheet 'Sheet': 1 columns are hidden")


def test_merged_cells_are_kept(tmp_path: Path) -> None:
    for path in (samples.xlsx(tmp_path), samples.calc(tmp_path)):
        assert parse(path).tables[0].merges == ((0, 0, 1, 0), (0, 1, 0, 2)), path


def test_dates_count_from_1904_where_the_file_says_so(tmp_path: Path) -> None:
    for number, epoch in enumerate((None, CALENDAR_MAC_1904)):
        book = openpyxl.Workbook()
        if epoch is not None:
            book.epoch = epoch
        book.active.append(["Day", "Families"])
        for day in (1, 2, 3):
            book.active.append([datetime.date(2021, 5, day), day])
        path = tmp_path / f"{number}.xlsx"
        book.save(path)
        assert [row[0] for row in parse(path).tables[0].grid[1:]] == [
            "2021-05-01",
            "2021-05-02",
            "2021-05-03",
        ]


def test_formulas_with_and_without_their_results(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["State", "Families", "Twice"])
        for row, (name, count, _) in enumerate(samples.STATES, 1):
            sheet.write_row(row, 0, [name, count])
            # The cached result is wrong on purpose: what the file shows is what was read.
            sheet.write_formula(row, 2, f"=B{row + 1}*2", value=7)
    [table] = parse(path).tables
    assert table.formulas["1,2"] == "=B2*2" and table.grid[1][2] == 7
    book = openpyxl.load_workbook(path)
    book.save(tmp_path / "none.xlsx")
    [table] = parse(tmp_path / "none.xlsx").tables
    assert [row[2] for row in table.grid[1:]] == [2400, 680, 5500, 190]


# --- OpenDocument


def test_an_opendocument_spreadsheet(tmp_path: Path) -> None:
    path = samples.calc(tmp_path)
    assert sniff(path) == "ods"
    document = parse(path)
    table, behind = document.tables
    assert [column.name for column in table.columns] == ["State", "Families 2020", "Families 2021"]
    assert table.grid[table.body[0]] == ("Alabama", 1200, 0.5)
    assert table.formulas and next(iter(table.formulas.values())) == "=SUM([.B5:.B8])"
    assert behind.hidden and "sheet 'Behind' is hidden" in document.warnings
    assert _shown(path, document)["comment on sheet 'Caseload' cell B6"] == "Revised in May."


def _row(cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{cells}</table:table-row>"


def test_values_of_every_type(tmp_path: Path) -> None:
    kinds = (
        '<table:table-cell office:value-type="date" office:date-value="2021-05-01"/>'
        '<table:table-cell office:value-type="time" office:time-value="PT01H30M00S"/>'
        '<table:table-cell office:value-type="boolean" office:boolean-value="true"/>'
        '<table:table-cell office:value-type="percentage" office:value="0.25"><text:p>25 %</text:p></table:table-cell>'
    )
    rows = _row("".join(samples.ods_cell(name) for name in "abcd")) + _row(kinds) * 3
    path = samples.spreadsheet(tmp_path, "t.ods", f'<table:table table:name="S">{rows}</table:table>')
    assert parse(path).tables[0].grid[1] == ("2021-05-01", "01:30:00", True, 0.25)


def test_repeated_cells_are_bounded(tmp_path: Path) -> None:
    cell = samples.ods_cell(7, more='table:number-columns-repeated="999999999"')
    rows = _row(cell, 'table:number-rows-repeated="999999999"')
    path = samples.spreadsheet(tmp_path, "t.ods", f'<table:table table:name="S">{rows}</table:table>')
    document = parse(path, limits=ParseLimits(rows=50, columns=20))
    assert document.tables[0].truncated and len(document.tables[0].grid) == 50
    assert len(document.tables[0].columns) == 20


def test_entities_in_an_opendocument_file(tmp_path: Path) -> None:
    path = samples.calc(tmp_path)
    target = tmp_path / "t.ods"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "content.xml":
                data = data.replace(
                    b"<office:document-content", b'<!DOCTYPE a [<!ENTITY x "y">]><office:document-content', 1
                )
            new.writestr(name, data)
    with pytest.raises(UnreadableFile) as caught:
        parse(target)
    assert caught.value.reason == "xml_entities"


# --- documents and decks


def test_comments_of_a_document(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Alabama had 1,200 families.")
    document.add_comment(paragraph.runs, text="Check the source.", author="Ann", initials="A")
    document.core_properties.author = "Ann"
    path = tmp_path / "t.docx"
    document.save(path)
    found = parse(path)
    assert _shown(path, found) == {
        "paragraph 1": "Alabama had 1,200 families.",
        "comment 1": "Check the source.",
    }
    assert found.metadata["author"] == "Ann"


def test_notes_of_a_document(tmp_path: Path) -> None:
    source, path = samples.word(tmp_path), tmp_path / "t.docx"
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        for part in ("footnote", "endnote"):
            body = f"<w:{part}><w:p><w:r><w:t>A {part}.</w:t></w:r></w:p></w:{part}>"
            new.writestr(f"word/{part}s.xml", f"<w:{part}s {space}>{body}</w:{part}s>")
    shown = _shown(path, parse(path))
    assert shown["endnote 1"] == "A endnote."
    assert "A footnote." in shown.values()


def test_comments_of_a_deck(tmp_path: Path) -> None:
    source, path = samples.deck(tmp_path), tmp_path / "t.pptx"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
    relation = f'<Relationship Id="rId99" Type="{kind}" Target="../comments/comment1.xml"/></Relationships>'
    override = (
        '<Override PartName="/ppt/comments/comment1.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.presentationml.comments+xml"/></Types>'
    )
    comment = (
        '<p:cmLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main">'
        '<p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>Is this final?</p:text></p:cm></p:cmLst>'
    )
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name).decode("utf-8", "surrogateescape")
            if name == "ppt/slides/_rels/slide1.xml.rels":
                data = data.replace("</Relationships>", relation)
            if name == "[Content_Types].xml":
                data = data.replace("</Types>", override)
            new.writestr(name, data.encode("utf-8", "surrogateescape"))
        new.writestr("ppt/comments/comment1.xml", comment)
    shown = _shown(path, parse(path))
    assert shown["comment 1 of '1'"] == "Is this final?"
    assert shown["slide 1 notes"] == "The figure for Alaska was corrected."


def test_what_a_page_says_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.html"
    path.write_text(
        '<html><head><meta name="author" content="Ann"><meta property="article:published_time" content="2021-05-01">'
        '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/"></head><body><p>Text.</p></body></html>'
    )
    assert parse(path).metadata == {
        "author": "Ann",
        "created": "2021-05-01",
        "licence": "https://creativecommons.org/licenses/by/4.0/",
    }


# --- pictures


def _picture(folder: Path) -> Path:
    picture = Image.new("RGB", (900, 300), "white")
    font = ImageFont.load_default(48)
    draw = ImageDraw.Draw(picture)
    draw.text((40, 40), "Caseload report", "black", font)
    draw.text((40, 180), "Alabama had 1200 families", "black", font)
    picture.save(folder / "t.png")
    return folder / "t.png"


def test_the_words_of_a_picture(tmp_path: Path) -> None:
    if shutil.which("tesseract") is None:
        pytest.skip("needs the program tesseract")
    path = _picture(tmp_path)
    document = parse(path)
    shown = _shown(path, document)
    assert "Alabama had 1200 families" in document.text()
    assert all(place.startswith("page 1 box") for place in shown)
    assert "900 x 300" in document.warnings[0] and "OCR" in document.warnings[0]


def test_a_picture_without_ocr_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    image.ocr_version.cache_clear()
    document = parse(_picture(tmp_path))
    image.ocr_version.cache_clear()
    assert not document.blocks
    assert document.warnings == (
        "a picture of 900 x 300 pixels, without text: no OCR was done (tesseract is not installed)",
    )


@pytest.mark.skipif(not BADFILES.is_dir(), reason="needs ../shared/badfiles: not in this clone")
def test_scans_are_known_as_such() -> None:
    for name in ("scanned.pdf", "scan_of_real_page.pdf", "image-pdf.pdf"):
        with pytest.raises(UnreadableFile) as caught:
            parse(BADFILES / name)
        assert caught.value.reason == "scanned_no_text"
