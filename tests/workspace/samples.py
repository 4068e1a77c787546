"""Small files of every family, written by the tests themselves."""

import json
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import docx
import openpyxl
import pptx
import pymupdf
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

STATES = (("Alabama", 1200, 0.5), ("Alaska", 340, 1.25), ("Arizona", 2750, 2.0), ("Arkansas", 95, 3.75))


def csv(folder: Path) -> Path:
    path = folder / "states.csv"
    rows = "\n".join(f"{name},{count},{share}" for name, count, share in STATES)
    path.write_text(f"State,Families,Share (%)\n{rows}\nTotal,4385,7.5\n")
    return path


def xlsx(folder: Path) -> Path:
    """A merged two-row header under a title, a total row of formulas, a note, and a hidden sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Caseload"
    sheet["A1"] = "Caseload, fiscal year 2021 (in thousands)"
    sheet["A3"], sheet["B3"] = "State", "Families"
    sheet["B4"], sheet["C4"] = 2020, 2021
    sheet.merge_cells("A3:A4")
    sheet.merge_cells("B3:C3")
    for row, (name, count, share) in enumerate(STATES, 5):
        sheet.cell(row, 1, name)
        sheet.cell(row, 2, count)
        sheet.cell(row, 3, share)
    sheet["A9"], sheet["B9"], sheet["C9"] = "Total", "=SUM(B5:B8)", "=SUM(C5:C8)"
    sheet["A11"] = "Note: figures are made up."
    hidden = book.create_sheet("Behind")
    hidden.append(["Code", "Weight"])
    hidden.append(["a", 1])
    hidden.append(["b", 2])
    hidden.append(["c", 3])
    hidden.sheet_state = "hidden"
    path = folder / "caseload.xlsx"
    book.save(path)
    return path


def word(folder: Path) -> Path:
    document = docx.Document()
    document.add_heading("Findings", 1)
    document.add_paragraph("Alabama had 1,200 families.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "State", "Families"
    for name, count, _ in STATES:
        cells = table.add_row().cells
        cells[0].text, cells[1].text = name, f"{count:,}"
    inner = table.rows[4].cells[0].add_table(rows=2, cols=2)
    for number, cell in enumerate(inner._cells):
        cell.text = f"inner {number}"
    path = folder / "findings.docx"
    document.save(path)
    return path


def deck(folder: Path) -> Path:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "Caseload by state"
    chart = CategoryChartData()
    chart.categories = [name for name, _, _ in STATES]
    chart.add_series("Families", [count for _, count, _ in STATES])
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(5), Inches(3), chart)
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for number, text in enumerate(("State", "Share", "Alabama", "0.5 %")):
        table.cell(number // 2, number % 2).text = text
    slide.notes_slide.notes_text_frame.text = "The figure for Alaska was corrected."
    path = folder / "deck.pptx"
    slides.save(path)
    return path


def page(folder: Path) -> Path:
    path = folder / "page.html"
    rows = "".join(f"<tr><td>{name}</td><td>$</td><td>{count:,}</td></tr>" for name, count, _ in STATES)
    path.write_text(
        "<html><head><title>Caseload</title><script>var x = 1;</script></head><body><h1>Caseload</h1>"
        "<p>Alabama had 1,200 families.</p><p style='display: none'>ignore all of this</p>"
        f"<table><tr><th>State</th><th colspan='2'>Families</th></tr>{rows}</table></body></html>"
    )
    return path


def markdown(folder: Path) -> Path:
    path = folder / "notes.md"
    rows = "\n".join(f"| {name} | {count:,} |" for name, count, _ in STATES)
    path.write_text(
        f"# Notes\n\nSome *plain* words.\n\n- one\n- two\n\n| State | Families |\n|---|---:|\n{rows}\n\nEnd.\n"
    )
    return path


def plain(folder: Path) -> Path:
    path = folder / "letter.txt"
    path.write_text("Dear Ann,\n\nAlabama had 1,200 families\nin all.\n\nYours\n")
    return path


def objects(folder: Path) -> Path:
    path = folder / "data.json"
    rows = [{"state": name, "families": count, "a/b~c": share} for name, count, share in STATES]
    del rows[2]["a/b~c"]
    path.write_text(json.dumps({"title": "Caseload", "source": {"year": 2021}, "rows": rows}))
    return path


def pdf(folder: Path) -> Path:
    """A heading, a sentence, a ruled table and, on the second page, aligned figures without rules."""
    document = pymupdf.open()
    first = document.new_page()
    first.insert_text((72, 72), "Caseload report", fontsize=20)
    first.insert_text((72, 110), "Alabama had 1,200 families in fiscal year 2021.", fontsize=11)
    lines = [("State", "Families", "Share"), *((n, f"{c:,}", f"{s}%") for n, c, s in STATES)]
    for number, line in enumerate(lines):
        for column, text in enumerate(line):
            box = pymupdf.Rect(72 + 120 * column, 150 + 24 * number, 192 + 120 * column, 174 + 24 * number)
            first.draw_rect(box, width=0.7)
            first.insert_text((box.x0 + 6, box.y1 - 8), text, fontsize=11)
    second = document.new_page()
    second.insert_text((72, 72), "Families and share by state", fontsize=11)
    for number, line in enumerate(lines):
        y = 110 + 16 * number
        second.insert_text((72, y), line[0], fontsize=10)
        for column, text in enumerate(line[1:], 1):
            width = pymupdf.get_text_length(text, fontsize=10)
            second.insert_text((180 + 120 * column - width, y), text, fontsize=10)
    path = folder / "report.pdf"
    document.save(path)
    document.close()
    return path


def spreadsheet(folder: Path, name: str, tables: str, styles: str = "") -> Path:
    """An OpenDocument spreadsheet of the given XML, names as in the standard (``table:``, ``office:``, ``text:``)."""
    base = "urn:oasis:names:tc:opendocument:xmlns:"
    spaces = " ".join(f'xmlns:{short}="{base}{short}:1.0"' for short in ("office", "table", "text", "style"))
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} office:version="1.3">'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = f'<manifest:manifest xmlns:manifest="{base}manifest:1.0"/>'
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return path


def ods_cell(value: object, inside: str = "", more: str = "") -> str:
    """A cell with a number or a text, further elements in it and further attributes."""
    if isinstance(value, int | float):
        kind, shown = f'office:value-type="float" office:value="{value}"', str(value)
    else:
        kind, shown = 'office:value-type="string"', escape(str(value))
    return f"<table:table-cell {kind} {more}>{inside}<text:p>{shown}</text:p></table:table-cell>"


def calc(folder: Path) -> Path:
    """As ``xlsx``: a merged two-row header under a title, a total row of formulas, a comment, and a hidden sheet."""
    covered, empty = "<table:covered-table-cell/>", "<table:table-cell/>"
    note = "<office:annotation><text:p>Revised in May.</text:p></office:annotation>"
    rows = [
        ods_cell("Caseload, fiscal year 2021 (in thousands)"),
        empty,
        ods_cell("State", more='table:number-rows-spanned="2"')
        + ods_cell("Families", more='table:number-columns-spanned="2"')
        + covered,
        covered + ods_cell(2020) + ods_cell(2021),
    ]
    rows += [
        ods_cell(name) + ods_cell(count, note * (name == "Alaska")) + ods_cell(s) for name, count, s in STATES
    ]
    rows.append(ods_cell("Total") + ods_cell(4385, more='table:formula="of:=SUM([.B5:.B8])"') + ods_cell(7.5))
    wide = '<table:table-cell table:number-columns-repeated="16384"/>'
    last = f'<table:table-row table:number-rows-repeated="1048560">{wide}</table:table-row>'
    shown = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows) + last
    codes = (("Code", "Weight"), ("a", 1), ("b", 2), ("c", 3))
    behind = "".join(f"<table:table-row>{ods_cell(a)}{ods_cell(b)}</table:table-row>" for a, b in codes)
    unseen = '<style:table-properties table:display="false"/>'
    style = f'<style:style style:name="ta2" style:family="table">{unseen}</style:style>'
    tables = (
        f'<table:table table:name="Caseload">{shown}</table:table>'
        f'<table:table table:name="Behind" table:style-name="ta2">{behind}</table:table>'
    )
    return spreadsheet(folder, "caseload.ods", tables, style)


EVERY = (csv, xlsx, calc, word, deck, page, markdown, plain, objects, pdf)
