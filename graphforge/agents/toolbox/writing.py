"""Write the deliverables: a workbook with formulas, a CSV file, a Word memo, a PDF memo."""

import csv
import datetime
import math
from pathlib import Path
from typing import Any

import pymupdf
import xlsxwriter
from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from xlsxwriter.utility import xl_range, xl_range_abs, xl_rowcol_to_cell

from .computing import Row, decimals_of, numbers

Sources = list[tuple[str, str]]

# A fixed date in the file's properties, so that a rerun gives the same file.
CREATED = datetime.datetime(2024, 1, 1)


def write_workbook(
    path: Path,
    title: str,
    sheet_name: str,
    headers: dict[str, str],
    rows: list[Row],
    formulas: dict[str, str],
    totals: list[str],
    parameters: dict[str, tuple[str, float]],
    notes: list[str],
    sources: Sources,
    parameter_sheet: tuple[str, str, str] = ("Parameters", "Parameter", "Value"),
    summary: dict[str, Any] | None = None,
) -> None:
    """A sheet with the table, computed columns and totals as formulas, and a sheet with the sources.

    A formula names other columns of its row in braces; ``{all_NAME}`` is the whole column, ``{first_NAME}`` its first
    cell and ``{at_NAME}`` the cell of a parameter. ``parameter_sheet`` is the sheet of the parameters and its two
    headings; ``summary`` asks for a sheet that counts and adds up the rows by the words of a column.
    """
    book = xlsxwriter.Workbook(path)
    book.set_properties({"title": title, "created": CREATED})
    big = book.add_format({"bold": True, "font_size": 14})
    head = book.add_format(
        {"bold": True, "bg_color": "#D9E2F3", "border": 1, "text_wrap": True, "valign": "top"}
    )
    plain = book.add_format({"text_wrap": True, "valign": "top"})
    bold = book.add_format({"bold": True, "top": 1})

    sheet = book.add_worksheet(sheet_name)
    sheet.write_string(0, 0, title, big)
    header, first = 2, 3
    names = list(headers)
    for x, name in enumerate(names):
        sheet.write_string(header, x, headers[name], head)
    sheet.set_row(header, 45)
    sheet.freeze_panes(first, 1)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(header)

    # The last row of data; an empty table keeps one blank row, so that a total never adds itself.
    last = max(first + len(rows) - 1, first)
    fixed: dict[str, str] = {}
    for x, name in enumerate(names):
        fixed[f"all_{name}"] = xl_range_abs(first, x, last, x)
        fixed[f"first_{name}"] = xl_rowcol_to_cell(first, x, True, True)
    for y, name in enumerate(parameters, start=1):
        fixed[f"at_{name}"] = f"{parameter_sheet[0]}!{xl_rowcol_to_cell(y, 1, True, True)}"

    for x, name in enumerate(names):
        values = [row[name] for row in rows]
        decimals = decimals_of(values)
        pattern = "#,##0." + "0" * decimals if decimals else "#,##0"
        figure = book.add_format({"num_format": pattern})
        if any(isinstance(value, str) for value in values):
            figure = book.add_format({"align": "left" if name == "key" else "center"})
        for y, value in enumerate(values, start=first):
            if name in formulas:
                cells = {other: xl_rowcol_to_cell(y, z) for z, other in enumerate(names)}
                formula = formulas[name].format(**cells, **fixed)
                sheet.write_formula(y, x, formula, figure, "" if value is None else value)
            elif isinstance(value, float):
                sheet.write_number(y, x, value, figure)
            else:
                sheet.write_string(y, x, str(value), figure)
        if name in totals:
            strong = book.add_format({"num_format": pattern, "bold": True, "top": 1})
            formula = f"=SUM({xl_range(first, x, last, x)})"
            sheet.write_formula(last + 1, x, formula, strong, math.fsum(numbers(rows, name)))
        elif totals:
            sheet.write(last + 1, x, "Total" if name == "key" else None, bold)
        longest = max((len(str(value)) for value in values), default=0) if name == "key" else 0
        sheet.set_column(x, x, min(max(longest + 2, len(headers[name]) // 2 + 2, 14), 48))

    if parameters:
        extra = book.add_worksheet(parameter_sheet[0])
        extra.write_row(0, 0, parameter_sheet[1:], head)
        for y, (meaning, value) in enumerate(parameters.values(), start=1):
            extra.write_string(y, 0, meaning, plain)
            extra.write_number(y, 1, value)
        extra.set_column(0, 0, 48)
        extra.set_column(1, 1, 16)
    if summary:
        extra = book.add_worksheet(summary["sheet"])
        extra.write_row(0, 0, summary["headings"], head)
        by, of = (f"'{sheet_name}'!{fixed[f'all_{summary[name]}']}" for name in ("by", "of"))
        words = summary["words"]
        whole = math.fsum(numbers(rows, summary["of"]))
        figure = book.add_format({"num_format": "#,##0.00"})
        groups = [[row for row in rows if row[summary["by"]] == word] for word in words]
        sums = [math.fsum(numbers(group, summary["of"])) for group in groups]
        whole_number = book.add_format({"num_format": "#,##0"})
        places = decimals_of(sums)
        sum_figure = book.add_format({"num_format": "#,##0." + "0" * places if places else "#,##0"})
        for y, (word, group, added) in enumerate(zip(words, groups, sums, strict=True), start=1):
            extra.write_string(y, 0, word, plain)
            extra.write_formula(y, 1, f"=COUNTIF({by},A{y + 1})", whole_number, len(group))
            extra.write_formula(y, 2, f"=SUMIF({by},A{y + 1},{of})", sum_figure, added)
            extra.write_formula(
                y, 3, f"=100*C{y + 1}/SUM(C$2:C${len(words) + 1})", figure, 100 * added / whole
            )
        extra.set_column(0, 3, 20)
    if notes:
        page = book.add_worksheet("Notes")
        for y, text in enumerate(notes):
            page.write_string(y, 0, text, plain)
        page.set_column(0, 0, 100)
    page = book.add_worksheet("Sources")
    page.write_row(0, 0, ["File", "What was taken from it"], head)
    for y, source in enumerate(sources, start=1):
        page.write_string(y, 0, source[0], plain)
        page.write_string(y, 1, source[1], plain)
    page.set_column(0, 0, 40)
    page.set_column(1, 1, 80)
    book.close()


def write_csv(path: Path, headers: dict[str, str], rows: list[Row], totals: list[str]) -> None:
    """The table as values: numbers without separators, blanks empty."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(headers.values())
        for row in rows:
            writer.writerow([plain_number(row[name]) for name in headers])
        if totals:
            sums = {name: plain_number(math.fsum(numbers(rows, name))) for name in totals}
            writer.writerow(["Total" if name == "key" else sums.get(name, "") for name in headers])


def plain_number(value: Any) -> str:
    """A value for a data file: whole numbers without a decimal point, others in full."""
    if isinstance(value, float):
        # 15 digits are what a float holds; the 16th and 17th are noise of the computation.
        return str(int(value)) if value.is_integer() else f"{value:.15g}"
    return "" if value is None else str(value)


def table_of(headers: dict[str, str], rows: list[Row], totals: list[str]) -> list[list[str]]:
    """The table as it is printed: header, rows, and a total row where one is asked for."""
    places = {name: decimals_of([row[name] for row in rows]) for name in headers}
    table = [list(headers.values())]
    for row in rows:
        table.append([printed(row[name], places[name]) for name in headers])
    if totals:
        sums = {name: printed(math.fsum(numbers(rows, name)), places[name]) for name in totals}
        table.append(["Total" if name == "key" else sums.get(name, "") for name in headers])
    return table


def printed(value: Any, decimals: int) -> str:
    """A value of a printed table."""
    if isinstance(value, float):
        return f"{value:,.{decimals}f}"
    return "" if value is None else str(value)


def write_docx(path: Path, title: str, sections: list[Any], table: list[list[str]], sources: Sources) -> None:
    """A memo: title, headed sections, the table where a section asks for it, and the sources."""
    memo = Document()
    memo.styles["Normal"].font.name = "Calibri"
    memo.styles["Normal"].font.size = Pt(11)
    memo.core_properties.title = title
    memo.core_properties.author = ""
    memo.add_heading(title, level=0)
    for heading, paragraphs, with_table in sections:
        memo.add_heading(heading, level=1)
        for text in paragraphs:
            memo.add_paragraph(text)
        if with_table:
            add_docx_table(memo, table)
        if heading.casefold() == "sources":
            for file, used_for in sources:
                memo.add_paragraph(f"{file}: {used_for}", style="List Bullet")
    memo.save(str(path))


def add_docx_table(memo: Any, table: list[list[str]]) -> None:
    """A ruled table whose header row is bold and repeated on every page; figures stand to the right."""
    grid = memo.add_table(rows=len(table), cols=len(table[0]), style="Table Grid")
    for y, row in enumerate(table):
        for x, (cell, text) in enumerate(zip(grid.rows[y].cells, row, strict=True)):
            cell.text = text
            paragraph = cell.paragraphs[0]
            if x > 0:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
            for run in paragraph.runs:
                run.bold = y == 0 or row[0] == "Total"
                run.font.size = Pt(9)
    repeat = OxmlElement("w:tblHeader")
    repeat.set(qn("w:val"), "true")
    grid.rows[0]._tr.get_or_add_trPr().append(repeat)
    memo.add_paragraph()


def write_pdf(path: Path, title: str, sections: list[Any], table: list[list[str]], sources: Sources) -> None:
    """The same memo as a PDF."""
    memo = PdfMemo()
    memo.write(title, size=20, bold=True)
    for heading, paragraphs, with_table in sections:
        memo.write(heading, size=14, bold=True, before=8)
        for text in paragraphs:
            memo.write(text)
        if with_table:
            memo.ruled_table(table)
        if heading.casefold() == "sources":
            for file, used_for in sources:
                memo.write(f"\u2022 {file}: {used_for}")
    memo.document.set_metadata({"title": title})
    memo.document.subset_fonts()
    # no_new_id: without it every save gets a random identifier.
    memo.document.save(path, garbage=3, deflate=True, no_new_id=True)


class PdfMemo:
    """An A4 document filled from top to bottom, with a new page where one is full."""

    width, height, margin = 595, 842, 56

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.fonts = {False: pymupdf.Font("helv"), True: pymupdf.Font("hebo")}
        # Knows the scripts that Helvetica lacks.
        self.wide = pymupdf.Font("cjk")
        self.add_page()

    def add_page(self) -> None:
        """Start a new page."""
        self.page = self.document.new_page(width=self.width, height=self.height)
        self.y = float(self.margin)

    def room_for(self, height: float) -> None:
        """Start a new page where less than the height is left."""
        if self.y + height > self.height - self.margin:
            self.add_page()

    def font_for(self, text: str, bold: bool) -> pymupdf.Font:
        """The font that has every letter of the text."""
        font = self.fonts[bold]
        return font if all(font.has_glyph(ord(letter)) for letter in text) else self.wide

    def wrap(self, text: str, size: float, bold: bool, width: float) -> list[str]:
        """The text in lines that are no wider than the width."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if self.font_for(longer, bold).text_length(longer, size) <= width:
                lines[-1] = longer
                continue
            if lines[-1]:
                lines.append("")
            for letter in word:
                longer = lines[-1] + letter
                if lines[-1] and self.font_for(longer, bold).text_length(longer, size) > width:
                    lines.append("")
                lines[-1] += letter
        return lines

    def put(self, x: float, y: float, text: str, size: float, bold: bool) -> None:
        """One line of text with its baseline at y."""
        if text:
            writer = pymupdf.TextWriter(self.page.rect)
            writer.append((x, y), text, font=self.font_for(text, bold), fontsize=size)
            writer.write_text(self.page)

    def write(self, text: str, size: float = 10.5, bold: bool = False, before: float = 0) -> None:
        """A paragraph over the whole width."""
        self.y += before
        for line in self.wrap(text, size, bold, self.width - 2 * self.margin):
            self.room_for(size * 1.35)
            self.put(self.margin, self.y + size, line, size, bold)
            self.y += size * 1.35
        self.y += size * 0.6

    def ruled_table(self, table: list[list[str]], size: float = 8.5, pad: float = 4) -> None:
        """A table with ruled cells; its header is repeated on every page, figures stand to the right."""
        room = self.width - 2 * self.margin
        measure = self.fonts[True].text_length
        # As wide as the content, then shrunk to the page; no column below the share of an equal split by half.
        natural = [max(measure(row[x], size) for row in table) + 2 * pad + 1 for x in range(len(table[0]))]
        natural = [min(width, room / 2) for width in natural]
        if sum(natural) > room:
            least = room / len(natural) / 2
            natural = [max(width, least) for width in natural]
            natural = [width * room / sum(natural) for width in natural]
        for y, row in enumerate(table):
            bold = y == 0 or row[0] == "Total"
            if self.y + self.row_height(row, natural, size, bold, pad) > self.height - self.margin:
                self.add_page()
                if y > 0:
                    self.ruled_row(table[0], natural, size, True, pad)
            self.ruled_row(row, natural, size, bold, pad)
        self.y += 10

    def row_height(self, row: list[str], widths: list[float], size: float, bold: bool, pad: float) -> float:
        """Height of a row with its longest cell wrapped."""
        cells = zip(row, widths, strict=True)
        lines = max(len(self.wrap(text, size, bold, width - 2 * pad)) for text, width in cells)
        return lines * size * 1.3 + 2 * pad

    def ruled_row(self, row: list[str], widths: list[float], size: float, bold: bool, pad: float) -> None:
        """One row at the cursor."""
        height = self.row_height(row, widths, size, bold, pad)
        left = float(self.margin)
        for x, (text, width) in enumerate(zip(row, widths, strict=True)):
            self.page.draw_rect(pymupdf.Rect(left, self.y, left + width, self.y + height), width=0.5)
            for z, line in enumerate(self.wrap(text, size, bold, width - 2 * pad)):
                length = self.font_for(line, bold).text_length(line, size)
                start = left + pad if x == 0 else left + width - pad - length
                self.put(start, self.y + pad + size * (0.9 + 1.3 * z), line, size, bold)
            left += width
        self.y += height
