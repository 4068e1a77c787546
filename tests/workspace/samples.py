"""Small files of every family, written by the tests themselves."""

import json
from pathlib import Path

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


EVERY = (csv, xlsx, word, deck, page, markdown, plain, objects, pdf)
