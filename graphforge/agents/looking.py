"""Commands by which the reference agent looks at an input file before it computes, and at a deliverable after."""

import shlex

from ..records import CellLocator, Output, PointerLocator, QuotedColumn, ReadColumn, TableCellLocator
from .script import array_pointer, text_literal

# Width of a printed row: enough to see the columns, short enough not to flood the transcript.
_WIDTH = 200


def look(reads: list[ReadColumn], rows: int) -> str:
    """A command that shows the head of the table which the reads take columns from, with row numbers."""
    read = reads[0]
    file = f"inputs/{read.file}"
    first, last = min(min(one.rows) for one in reads), max(max(one.rows) for one in reads)
    place = read.place
    source = text_literal(file)
    if isinstance(place, CellLocator) and read.family in ("xlsx", "xls", "ods"):
        return _python(
            "from python_calamine import CalamineWorkbook",
            f"book = CalamineWorkbook.from_path({source})",
            "for name in book.sheet_names:",
            "    table = book.get_sheet_by_name(name).to_python(skip_empty_area=False)",
            "    print(name, len(table), 'rows', max(map(len, table), default=0), 'columns')",
            f"table = book.get_sheet_by_name({text_literal(place.sheet)}).to_python(skip_empty_area=False)",
            *_print_rows(first, last, rows),
        )
    if isinstance(place, CellLocator):
        return _python(
            "import csv",
            f"with open({source}, encoding='utf-8-sig', errors='replace', newline='') as handle:",
            "    table = list(csv.reader(handle))",
            "print(len(table), 'rows')",
            *_print_rows(first, last, rows),
        )
    if isinstance(place, TableCellLocator) and read.family == "pdf":
        return _python(
            "import pymupdf",
            f"document = pymupdf.open({source})",
            "print(len(document), 'pages')",
            f"page = document[{place.page}]",
            "tables = page.find_tables(strategy='lines_strict').tables",
            f"print(len(tables), 'ruled tables on page {(place.page or 0) + 1}')",
            # The text shows a table whether lines are drawn around its cells or not.
            f"for line in page.get_text(sort=True).splitlines()[:{8 * rows}]:",
            f"    print(line[:{_WIDTH}])",
        )
    if isinstance(place, TableCellLocator) and read.family == "docx":
        return _python(
            "from docx import Document",
            f"document = Document({source})",
            "for paragraph in document.paragraphs[:12]:",
            f"    print(paragraph.text[:{_WIDTH}])",
            "print(len(document.tables), 'tables')",
            f"table = [[cell.text for cell in row.cells] for row in document.tables[{place.table}].rows]",
            *_print_rows(first, last, rows),
        )
    if isinstance(place, TableCellLocator) and read.family == "pptx":
        return _python(
            "from pptx import Presentation",
            f"slides = Presentation({source}).slides",
            "for number, slide in enumerate(slides, start=1):",
            "    for shape in slide.shapes:",
            f"        print(number, shape.shape_type, shape.has_text_frame and shape.text_frame.text[:{_WIDTH}])",
            "        if shape.has_table:",
            "            for row in shape.table.rows:",
            f"                print('   ', str([cell.text for cell in row.cells])[:{_WIDTH}])",
        )
    if isinstance(place, TableCellLocator) and read.family == "html":
        return _python(
            "import lxml.html",
            f"tables = lxml.html.parse({source}).xpath('//table')",
            "print(len(tables), 'tables')",
            "table = [",
            "    [' '.join(cell.text_content().split()) for cell in row.xpath('./th|./td')]",
            f"    for row in tables[{place.table}].iter('tr')",
            "]",
            *_print_rows(first, last, rows),
        )
    if isinstance(place, PointerLocator):
        return _python(
            "import json",
            f"content = json.load(open({source}, encoding='utf-8-sig'))",
            f"for step in {text_literal(array_pointer(read, place))}.split('/')[1:]:",
            "    content = content[int(step)] if isinstance(content, list) else content[step]",
            "table = content",
            *_print_rows(first, last, rows),
        )
    return _python(
        f"table = open({source}, encoding='utf-8-sig', errors='replace').read().splitlines()",
        "for number, line in enumerate(table):",
        "    if '|' in line:",
        f"        print(number, line[:{_WIDTH}])",
    )


def look_up(quoted: QuotedColumn) -> str:
    """A command that shows the passages of a text which state the quoted figures."""
    wordings = [figure.literal for figure in quoted.figures]
    listed = ["wanted = [", *(f"    {text_literal(wording)}," for wording in dict.fromkeys(wordings)), "]"]
    return _python(
        *_passages(quoted.file, quoted.family),
        *listed,
        "for passage in passages:",
        "    if any(wording in passage for wording in wanted):",
        "        print('-', passage[:600])",
    )


def glance(file: str) -> str:
    """A command that shows the beginning of a file which is cited but from which no column is read."""
    family = file.rsplit(".", 1)[-1].casefold()
    if family in ("xlsx", "xls", "ods"):
        return _python(
            "from python_calamine import CalamineWorkbook",
            f"book = CalamineWorkbook.from_path({text_literal(f'inputs/{file}')})",
            "for name in book.sheet_names:",
            "    print(name)",
            "    for row in book.get_sheet_by_name(name).to_python(nrows=10):",
            f"        print(' ', str(row)[:{_WIDTH}])",
        )
    return _python(
        *_passages(file, family),
        "for passage in passages[:40]:",
        "    print('-', passage[:400])",
    )


def _passages(file: str, family: str) -> list[str]:
    """Source lines that gather the paragraphs of a text file in ``passages``."""
    source = text_literal(f"inputs/{file}")
    match family:
        case "docx":
            lines = [
                "from docx import Document",
                f"texts = [one.text for one in Document({source}).paragraphs]",
            ]
        case "pdf":
            lines = [
                "import pymupdf",
                f"texts = [block[4] for page in pymupdf.open({source}) for block in page.get_text('blocks')]",
            ]
        case "pptx":
            lines = [
                "from pptx import Presentation",
                f"slides = Presentation({source}).slides",
                "texts = [one.text_frame.text for slide in slides for one in slide.shapes if one.has_text_frame]",
                "texts += [slide.notes_slide.notes_text_frame.text for slide in slides if slide.has_notes_slide]",
            ]
        case "html" | "htm":
            lines = [
                "import lxml.html",
                f"body = lxml.html.parse({source}).getroot().body",
                "texts = [one.text_content() for one in body.iter('h1', 'h2', 'h3', 'p', 'li', 'td', 'th')]",
            ]
        case _:
            lines = [f"texts = open({source}, encoding='utf-8-sig', errors='replace').read().split('\\n')"]
    return [*lines, "passages = [' '.join(text.split()) for text in texts if text.strip()]"]


def check(output: Output) -> str:
    """A command that opens a deliverable again and says what is in it."""
    source = text_literal(f"outputs/{output.file}")
    match output.family:
        case "xlsx":
            return _python(
                "import openpyxl",
                f"formulas = openpyxl.load_workbook({source})",
                f"values = openpyxl.load_workbook({source}, data_only=True)",
                "for sheet in formulas:",
                "    count = sum(cell.data_type == 'f' for row in sheet.iter_rows() for cell in row)",
                "    print(f'{sheet.title}: {sheet.dimensions}, {count} formulas')",
                "    shown = values[sheet.title]",
                "    for row in sorted({1, 2, 3, 4, 5, sheet.max_row - 1, sheet.max_row}):",
                "        if 0 < row <= sheet.max_row:",
                f"            print(row, str([cell.value for cell in shown[row]])[:{_WIDTH}])",
                "    errors = [cell.coordinate for row in shown.iter_rows() for cell in row if cell.data_type == 'e']",
                "    assert not errors, errors",
            )
        case "csv":
            name = shlex.quote(f"outputs/{output.file}")
            return f"wc -l {name} && head -n 4 {name} && tail -n 2 {name}"
        case "docx":
            return _python(
                "from docx import Document",
                f"memo = Document({source})",
                "for paragraph in memo.paragraphs:",
                "    if paragraph.text:",
                f"        print(f'{{paragraph.style.name}}: {{paragraph.text}}'[:{_WIDTH}])",
                "for table in memo.tables:",
                "    print(len(table.rows), 'rows:', [cell.text for cell in table.rows[0].cells])",
                "    print('last row:', [cell.text for cell in table.rows[-1].cells])",
            )
        case "pdf":
            return _python(
                "import pymupdf",
                f"memo = pymupdf.open({source})",
                "for page in memo:",
                "    sizes = [(table.row_count, table.col_count) for table in page.find_tables().tables]",
                "    print(f'page {page.number + 1}: tables of', sizes)",
                f"print(memo[0].get_text()[:{3 * _WIDTH}])",
            )


def _print_rows(first: int, last: int, rows: int) -> list[str]:
    """Print the rows around the start of the data and around its end, each with its number."""
    start = max(0, first - rows)
    middle, end = first + rows, last + 3
    if middle >= last - 1:
        picked = f"range({start}, {end})"
    else:
        picked = f"[*range({start}, {middle}), *range({last - 1}, {end})]"
    return [
        f"for number in {picked}:",
        "    if number < len(table):",
        f"        print(number, str(table[number])[:{_WIDTH}])",
    ]


def _python(*lines: str) -> str:
    return "\n".join(["python3 - <<'EOF'", *lines, "EOF"])
