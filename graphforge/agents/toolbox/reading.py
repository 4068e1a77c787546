"""Read one table of an original file as rows of cells, and one column of it by row name."""

import csv
import datetime
import io
import json
import math
import re
import unicodedata
from pathlib import Path
from typing import Any

import lxml.html
import pymupdf
from docx import Document
from docx.oxml.ns import qn
from docx.table import Table
from pptx import Presentation
from python_calamine import CalamineWorkbook


def read_sheet(path: Path, sheet: str) -> list[list[Any]]:
    """Every row of a worksheet from A1 on, with the values that the workbook stores."""
    return CalamineWorkbook.from_path(path).get_sheet_by_name(sheet).to_python(skip_empty_area=False)


def decoded(path: Path) -> str:
    """The text of a file: by its byte order mark, else UTF-8, else Windows-1252."""
    raw = path.read_bytes()
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def read_csv(path: Path) -> list[list[str]]:
    """Every row of a delimited text file; the delimiter is the one that cuts most rows into equally many fields."""
    text = decoded(path)
    best, chosen, rows = (0.0, 0), ",", list(csv.reader(io.StringIO(text, newline="")))
    for delimiter in ",\t;|":
        cut = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        widths = [len(row) for row in cut if any(row)]
        width = max(set(widths), key=lambda one: (one > 1, widths.count(one), one), default=0)
        if width > 1 and (widths.count(width) / len(widths), width) > best:
            best, chosen, rows = (widths.count(width) / len(widths), width), delimiter, cut
    # 1.234,5 where the comma isn't the delimiter; 1,234 alone could mean either.
    cells = [cell.strip() for row in rows for cell in row]
    comma = any(re.fullmatch(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),(\d{1,2}|\d{4,})", cell) for cell in cells)
    point = any(re.fullmatch(r"[+-]?\d+\.(\d{1,2}|\d{4,})", cell) for cell in cells)
    if chosen != "," and comma and not point:
        european = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+")
        rows = [
            [
                cell.replace(".", "").replace(",", ".") if european.fullmatch(cell.strip()) else cell
                for cell in row
            ]
            for row in rows
        ]
    return rows


def visible_text(element: Any) -> str:
    """What a reader of the page sees of an element."""
    for hidden in element.xpath(
        ".//script|.//style|.//*[contains(translate(@style, ' ', ''), 'display:none')]"
    ):
        hidden.drop_tree()
    for block in element.iter("br", "p", "div", "li"):
        block.text, block.tail = f" {block.text or ''}", f" {block.tail or ''}"
    return " ".join(element.text_content().split())


def read_html_table(path: Path, index: int) -> list[list[str]]:
    """A table of a web page, without the rows and columns that only make room.

    A cell that spans rows or columns stands in the first place it covers.
    """
    page = lxml.html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*>", "", decoded(path)))
    table = list(page.iter("table"))[index]
    rows: Any = table.xpath("./tr|./thead/tr|./tbody/tr|./tfoot/tr")
    grid: dict[tuple[int, int], str] = {}
    for y, row in enumerate(rows):
        x = 0
        for cell in row.iterchildren("td", "th"):
            while (y, x) in grid:
                x += 1
            for down in range(span(cell, "rowspan")):
                for right in range(span(cell, "colspan")):
                    grid[y + down, x + right] = ""
            grid[y, x] = visible_text(cell)
    width = 1 + max((x for _, x in grid), default=-1)
    lines = [join_signs([grid.get((y, x), "") for x in range(width)]) for y in range(len(rows))]
    used = [x for x in range(width) if any(line[x] for line in lines)]
    return [[line[x] for x in used] for line in lines if any(line)]


def join_signs(line: list[str]) -> list[str]:
    """A row whose currency signs, closing brackets and per cent signs stand with their figures again."""
    line = list(line)
    for behind in (False, True):
        for x in range(len(line) - 1):
            other = next((y for y in range(x + 1, min(x + 3, len(line))) if line[y]), None)
            if other is None:
                continue
            if not behind and line[x] in {"$", "US$", "€", "£", "¥"} and re.match(r"\(?\d", line[other]):
                line[x], line[other] = "", line[x] + line[other]
            if behind and re.search(r"\d\s*$", line[x]) and line[other] in {")", ")%", "%"}:
                if line[other] == "%" or line[x].startswith(("(", "$(")):
                    line[x], line[other] = line[x] + line[other], ""
    return line


def span(cell: Any, name: str) -> int:
    """How many rows or columns a cell of a web page covers."""
    text = (cell.get(name) or "1").strip()
    return min(max(int(text), 1), 200) if text.isdecimal() else 1


def html_text(path: Path) -> str:
    """The running text of a web page."""
    return visible_text(lxml.html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*>", "", decoded(path))))


def read_docx_table(path: Path, index: int) -> list[list[str]]:
    """A table of a Word document, counted with the tables inside other tables."""
    document = Document(str(path))
    table = Table(list(document.element.body.iter(qn("w:tbl")))[index], document)
    return [[cell.text for cell in row.cells] for row in table.rows]


def docx_text(path: Path) -> str:
    """The running text of a Word document."""
    return "\n".join(paragraph.text for paragraph in Document(str(path)).paragraphs)


def read_pptx_table(path: Path, index: int) -> list[list[Any]]:
    """A table of a slide deck, or the data of a chart; both are counted over all slides."""
    frame = [frame for slide in Presentation(str(path)).slides for frame in frames(slide.shapes)][index]
    if frame.has_table:
        return [[cell.text for cell in row.cells] for row in frame.table.rows]
    plots = list(frame.chart.plots)
    series = [one for plot in plots for one in plot.series]
    labels = max((list(plot.categories) for plot in plots), key=len)
    rows = [[label, *(one.values[y] for one in series)] for y, label in enumerate(labels)]
    return [["", *(one.name for one in series)], *rows]


def frames(shapes: Any) -> list[Any]:
    """Tables and charts among shapes, those inside groups included."""
    found = []
    for shape in shapes:
        if hasattr(shape, "shapes"):
            found += frames(shape.shapes)
        elif shape.has_table or shape.has_chart:
            found.append(shape)
    return found


def pptx_text(path: Path) -> str:
    """The text of every slide and its notes."""
    lines = []
    for slide in Presentation(str(path)).slides:
        lines += [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
        if slide.has_notes_slide:
            lines.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(lines)


def read_md_table(path: Path, index: int) -> list[list[str]]:
    """A pipe table of a Markdown file, header first, without the line of dashes."""
    lines = decoded(path).splitlines()
    tables: list[list[list[str]]] = []
    inside = fenced = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        rule = "|" in line and re.fullmatch(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*", line)
        ahead = "|" in following and re.fullmatch(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*", following)
        if re.match(r"\s*(```|~~~)", line):
            fenced, inside = not fenced, False
        elif fenced or "|" not in line:
            inside = False
        elif not rule:
            if ahead and not inside:
                tables.append([])
                inside = True
            if inside:
                cells = re.split(r"(?<!\\)\|", re.sub(r"^\||(?<!\\)\|$", "", line.strip()))
                # Links keep their words, emphasis goes.
                words = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell) for cell in cells]
                tables[-1].append([word.replace("\\|", "|").strip(" *`") for word in words])
    return tables[index]


def read_pdf_table(path: Path, page: int, index: int) -> list[list[str]]:
    """A ruled table of a PDF page."""
    with pymupdf.open(path) as document:
        found = upright(document[page]).find_tables(strategy="lines_strict").tables[index].extract()
    return [[cell or "" for cell in row] for row in found]


def read_pdf_rows(path: Path, page: int, index: int, names: list[str], key: int = 0) -> list[list[str]]:
    """The named rows of a table on a PDF page, in order, whether lines are drawn around its cells or not.

    ``index`` counts the tables of the page; it matters where several have rows of these names.
    """
    wanted = [fold(name) for name in names]
    found = []
    with pymupdf.open(path) as document:
        shown = upright(document[page])
        for table in shown.find_tables(strategy="lines_strict").tables:
            ruled = {fold(row[key]): [cell or "" for cell in row] for row in table.extract()}
            if all(name in ruled for name in wanted):
                found.append([ruled[name] for name in wanted])
        lines = [line for line in text_lines(shown) if len(line) > 1]
    # Without rules a row is a line of text; the named lines follow one another, others may stand between.
    for start in range(len(lines) if not found else 0):
        run: list[list[tuple[float, float, str]]] = []
        for line in lines[start:]:
            named = with_name(line, wanted[len(run)]) if len(run) < len(wanted) else None
            if named:
                run.append(named)
            elif not run:
                break
        if len(run) == len(wanted):
            found.append(by_columns(run))
    if not found:
        raise SystemExit(f"page {page + 1} has no table with the rows {names}")
    return found[min(index, len(found) - 1)]


def with_name(line: list[tuple[float, float, str]], name: str) -> list[tuple[float, float, str]] | None:
    """A line that begins with a folded name, the name in one piece; a footnote's mark may stand apart from it."""
    if fold(line[0][2]) == name:
        return line
    if len(line) > 2 and number(line[0][2]) is None and fold(f"{line[0][2]} {line[1][2]}") == name:
        return [(line[0][0], line[1][1], f"{line[0][2]} {line[1][2]}"), *line[2:]]
    return None


def upright(page: Any) -> Any:
    """A PDF page with its content turned as a reader sees it: landscape sheets are often stored on their side."""
    if page.rotation:
        page.remove_rotation()
    return page


def text_lines(page: Any) -> list[list[tuple[float, float, str]]]:
    """The lines of a PDF page, each cut at wide gaps: left edge, right edge and text of every piece."""
    lines: list[list[Any]] = []
    for word in sorted(page.get_text("words"), key=lambda word: ((word[1] + word[3]) / 2, word[0])):
        middle = (word[1] + word[3]) / 2
        if lines and abs((lines[-1][0][1] + lines[-1][0][3]) / 2 - middle) < 0.45 * (word[3] - word[1]):
            lines[-1].append(word)
        else:
            lines.append([word])
    cut = []
    for line in lines:
        pieces: list[tuple[float, float, str]] = []
        for left, top, right, bottom, text, *_ in sorted(line):
            before = pieces[-1][2].split()[-1] if pieces else ""
            gap = left - pieces[-1][1] if pieces else 0.0
            height = bottom - top
            tight = 0.2 if number(before) is not None and number(text) is not None else 0.55
            sign = before in {"$", "($", "("} or text in {"%", ")", ")%"}
            joined = before in {"$", "($"} or gap < tight * height or (sign and gap < 6 * height)
            if pieces and joined and text not in {"$", "($"}:
                pieces[-1] = (pieces[-1][0], right, f"{pieces[-1][2]} {text}")
            else:
                pieces.append((left, right, text))
        cut.append(pieces)
    return cut


def by_columns(run: list[list[tuple[float, float, str]]]) -> list[list[str]]:
    """Lines as rows of a table: a piece belongs to the column that it stands under.

    What stands under nothing else, as a mark of a footnote does, is no column.
    """
    columns: list[list[float]] = []
    for left, right in sorted((left, right) for line in run for left, right, _ in line[1:]):
        if columns and left < columns[-1][1] - 0.5:
            columns[-1][1:] = [max(columns[-1][1], right), columns[-1][2] + 1]
        else:
            columns.append([left, right, 1])
    columns = [column for column in columns if column[2] > 1]
    rows = []
    for line in run:
        row = [line[0][2]] + [""] * len(columns)
        for left, right, text in line[1:]:
            for x, (low, high, _) in enumerate(columns, start=1):
                if low <= (left + right) / 2 <= high:
                    row[x] = f"{row[x]} {text}".strip()
        rows.append(row)
    return rows


def pdf_text(path: Path) -> str:
    """The text of every page."""
    with pymupdf.open(path) as document:
        return "\n".join(page.get_text() for page in document)


def read_json(path: Path, pointer: str) -> list[Any]:
    """The array that a JSON pointer (RFC 6901) names."""
    text = decoded(path)
    try:
        place = json.loads(text)
    except json.JSONDecodeError:
        # One value a line.
        place = [json.loads(line) for line in text.splitlines() if line.strip()]
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        place = place[int(step)] if isinstance(place, list) else place[step]
    return list(place)


def fold(name: Any) -> str:
    """A row name without what differs between files: case, accents, punctuation and spaces."""
    text = unicodedata.normalize("NFKD", str(name)).casefold()
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[^\W_]+", text))


def row_name(cell: Any) -> str:
    """A cell as a row name: whole numbers without the decimal point, dates without midnight."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return str(cell.date())
    return " ".join(str(cell).split())


def number(cell: Any) -> float | None:
    """The number in a cell, or None. Knows 1,234.5, (12), $7, 7.5 % and the dashes that stand for a minus."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int | float):
        return float(cell) if math.isfinite(cell) else None
    text = str(cell).strip().replace("\u00a0", " ").replace("\u2212", "-").replace("\u2013", "-")
    negative = text.startswith("(") and text.endswith(")")
    text = text.strip("()").strip().rstrip("%").strip()
    negative = negative or text.startswith("-")
    text = re.sub(r"^(US\$|[$€£¥])", "", text.lstrip("+-").strip()).strip()
    if not re.fullmatch(r"(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?([eE][+-]?\d+)?", text) or not re.search(
        r"\d", text
    ):
        return None
    value = float(text.replace(",", ""))
    if not math.isfinite(value):
        return None
    return -value if negative else value


def column(rows: list[Any], key: Any, value: Any, at: Any) -> dict[str, tuple[str, float]]:
    """One column by folded row name: the name as the file writes it, and its number.

    ``at`` lists the data rows; a cell without a number is a missing value and left out.
    """
    found: dict[str, tuple[str, float]] = {}
    for index in at:
        name, amount = row_name(rows[index][key]), number(rows[index][value])
        if amount is None:
            print(f"  no number for {name!r}: {rows[index][value]!r}")
        elif fold(name) in found:
            raise SystemExit(f"{name!r} occurs twice: the rows can't be matched by name")
        else:
            found[fold(name)] = (name, amount)
    return found


def quoted(text: str, figures: dict[str, tuple[str, float]]) -> dict[str, tuple[str, float]]:
    """Figures that a text states, by folded name; each wording must stand in the text."""
    spaced = " ".join(text.split())
    for name, (wording, _) in figures.items():
        if " ".join(wording.split()) not in spaced:
            raise SystemExit(f"the text does not say {wording!r} for {name!r}")
    return {fold(name): (name, amount) for name, (_, amount) in figures.items()}
