"""PDF: text blocks with their boxes, headings by font size, tables on pages that look ruled or aligned."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf

from graphforge.records import Block, PageLocator, TableCellLocator, Value

from ..limits import ParseLimits
from ..raw import Merge, RawTable, Reading
from ..unreadable import UnreadableFile
from .ruling import Box, Grid, Ruling, Turn, ruling_of, turned

# MuPDF prints its complaints about damaged files; they are told as warnings of the document instead.
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
_FIGURE = re.compile(r"^[($+\-\u2010-\u2014]*\$?[\d]*(?:[\d,]*\.?\d+)[)%]*$")
_BULLET = re.compile(r"^(?:[•◦▪‣●■□❑–]|\d{1,2}[.)]|[a-z][.)])\s+\S")
_FEW_WORDS = 3


PageBlock = tuple[float, bool, Box, str]
"""A text block of a page: font size, bold, box, text."""


@dataclass(slots=True)
class Word:
    """A word and the box around it on the page as it is shown."""

    box: Box
    text: str
    centre: tuple[float, float]


def open_pdf(path: Path) -> Any:
    """The document. Raises UnreadableFile: password_protected, truncated, corrupt."""
    try:
        document = pymupdf.open(path, filetype="pdf")
    except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError, ValueError) as error:
        raise UnreadableFile("corrupt", f"the pdf can't be opened: {error}") from error
    if document.needs_pass:
        document.close()
        raise UnreadableFile("password_protected", "the pdf asks for a password")
    if not document.page_count:
        document.close()
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 2048))
            ended = b"%%EOF" in file.read()
        if ended:
            raise UnreadableFile("corrupt", "a pdf without pages")
        raise UnreadableFile("truncated", "a pdf without its end and without pages")
    return document


def words_of(page: Any, textpage: Any = None) -> list[Word]:
    """The words of a page in the order of its text."""
    found = (textpage or page.get_textpage(flags=_FLAGS)).extractWORDS()
    if page.rotation:
        turn = tuple(page.rotation_matrix)
        found = [(*turned(word[:4], turn), *word[4:]) for word in found]
    return [
        Word((x0, y0, x1, y1), text, ((x0 + x1) / 2, (y0 + y1) / 2)) for x0, y0, x1, y1, text, *_ in found
    ]


def _inside(word: Word, box: Box, slack: float = 0.0) -> bool:
    x, y = word.centre
    return box[0] - slack <= x <= box[2] + slack and box[1] - slack <= y <= box[3] + slack


def text_in(words: list[Word], box: Box) -> str:
    """The words whose centre lies in a box, in the order of the page's text."""
    return " ".join(word.text for word in words if _inside(word, box))


def cell_text(words: list[Word], box: Box) -> str:
    """The words whose centre lies in a table's cell, line by line from left to right: files often write the sign of
    an amount after its digits."""
    return " ".join(
        word.text for line in _rows([word for word in words if _inside(word, box)]) for word in line
    )


@dataclass
class PageTable:
    """A table on a page: the box of each cell (None where a wider cell covers it), the wider cells, header rows."""

    box: Box
    cells: list[list[Box | None]]
    merges: list[Merge]
    header: int | None = None

    def edges(self) -> tuple[int, ...]:
        """The left edges of the columns, in whole points: what a table on the next page has in common."""
        left: dict[int, float] = {}
        for row in self.cells:
            for column, cell in enumerate(row):
                if cell is not None:
                    left.setdefault(column, cell[0])
        return tuple(round(left[column]) for column in sorted(left))

    def is_regular(self) -> bool:
        """Whether most places of the grid are cells of their own; the boxes of a form leave many gaps."""
        places = [cell for row in self.cells for cell in row]
        return sum(cell is not None for cell in places) >= 0.7 * len(places)

    def texts(self, words: list[Word]) -> list[list[str]]:
        """The words in each cell."""
        rows = []
        for row in self.cells:
            edges = [(cell[1], cell[3]) for cell in row if cell is not None]
            top, bottom = (
                min((edge[0] for edge in edges), default=0.0),
                max((edge[1] for edge in edges), default=0.0),
            )
            line = [word for word in words if top <= word.centre[1] <= bottom]
            rows.append([cell_text(line, cell) if cell is not None else "" for cell in row])
        return rows


def tables_on(page: Any, words: list[Word]) -> list[PageTable]:
    """The tables of a page from top to bottom: ruled ones, then lines of aligned figures outside them.

    On a page without either, shaded rows and columns count as drawn.
    """
    ruling = ruling_of(page) if len(words) >= _FEW_WORDS else Ruling()
    found = ruled_tables(ruling, words)
    outside = (
        [word for word in words if not any(_inside(word, table.box, 1.0) for table in found)]
        if found
        else words
    )
    found += aligned_tables(outside)
    if not found:
        shaded = ruled_tables(ruling, words, shading=True)
        found = [table for table in shaded if len(table.cells) > 2 and table.is_regular()]
    return sorted(found, key=lambda table: (table.box[1], table.box[0]))


def ruled_tables(ruling: Ruling, words: list[Word], shading: bool = False) -> list[PageTable]:
    """The tables that lines or boxes draw on a page, those left out whose cells hold many lines of figures.

    Searched for only where the page draws enough for one.
    """
    if not ruling.may_hold_grid():
        return []
    tables = [
        _ruled(grid)
        for grid in ruling.grids([word.centre for word in words], shading)
        if len(grid) > 1 and len(grid[0]) > 1
    ]
    return [table for table in tables if _is_sound(table, words)]


def _ruled(cells: Grid) -> PageTable:
    """A grid as a table, cells over several columns as merges."""
    real = [cell for row in cells for cell in row if cell]
    edges = sorted({round(cell[0], 1) for cell in real})
    merges: list[Merge] = []
    for number, row in enumerate(cells):
        for column, cell in enumerate(row):
            last = column
            while (
                cell
                and last + 1 < len(row)
                and row[last + 1] is None
                and any(cell[0] + 1 < edge < cell[2] - 1 for edge in edges[last - column :])
            ):
                last += 1
            if last > column:
                merges.append((number, column, number, last))
    box = (
        min(cell[0] for cell in real),
        min(cell[1] for cell in real),
        max(cell[2] for cell in real),
        max(cell[3] for cell in real),
    )
    return PageTable(box, cells, merges)


def _is_sound(table: PageTable, words: list[Word]) -> bool:
    """Whether a ruled table's cells are single entries: many empty ones are a form, stacked figures rows unread."""
    texts = table.texts([word for word in words if _inside(word, table.box, 1.0)])
    real = [
        text
        for row, boxes in zip(texts, table.cells, strict=True)
        for text, box in zip(row, boxes, strict=True)
        if box
    ]
    filled = [text for text in real if text]
    if len(filled) < 4 or len(filled) < 0.5 * len(real):
        return False
    if any(
        sum(1 for word in text.split() if _FIGURE.match(word)) >= 4
        for text in filled
        if len(text.split()) < 60
    ):
        stacked = [
            t for t in filled if sum(1 for w in t.split() if _FIGURE.match(w)) >= max(4, 0.6 * len(t.split()))
        ]
        if stacked:
            return False
    wide = [text for text in filled if len(text) > 400]
    return len(wide) <= 0.2 * len(filled)


@dataclass
class _Line:
    top: float
    bottom: float
    cells: list[list[Word]]

    def box_of(self, index: int) -> tuple[float, float]:
        return min(w.box[0] for w in self.cells[index]), max(w.box[2] for w in self.cells[index])

    def text_of(self, index: int) -> str:
        return " ".join(word.text for word in self.cells[index])


def _lines(words: list[Word]) -> list[_Line]:
    """The words in lines from top to bottom, each cut into cells at gaps wider than a space."""
    upright = [
        word
        for word in words
        if 0 < word.box[3] - word.box[1] < 40
        and (len(word.text) < 4 or word.box[3] - word.box[1] < 1.2 * (word.box[2] - word.box[0]))
    ]
    result = []
    for line in _rows(upright):
        cells = [[line[0]]]
        for word in line[1:]:
            height = word.box[3] - word.box[1]
            before = cells[-1][-1]
            gap = word.box[0] - before.box[2]
            sign = before.text in {"$", "($", "("} or word.text in {"%", ")", ")%"}
            figures = _FIGURE.match(before.text) and _FIGURE.match(word.text)
            if word.text in {"$", "($"}:
                cells.append([word])
            elif (
                before.text in {"$", "($"}
                or (sign and gap < 6 * height)
                or gap < (0.2 if figures else 0.55) * height
            ):
                cells[-1].append(word)
            else:
                cells.append([word])
        result.append(_Line(min(w.box[1] for w in line), max(w.box[3] for w in line), cells))
    return result


def _rows(words: list[Word]) -> list[list[Word]]:
    """The words line by line, each line from left to right."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.centre[1], word.box[0])):
        height = word.box[3] - word.box[1]
        if lines and abs(lines[-1][0].centre[1] - word.centre[1]) < 0.45 * height:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: word.box[0]) for line in lines]


def _is_figure(text: str) -> bool:
    return bool(_FIGURE.match(text.replace(" ", ""))) or text in {
        "-",
        "--",
        "—",
        "–",
        "N/A",
        "NA",
        "n/a",
        "$-",
        "$ -",
        "*",
    }


def _figures(line: _Line) -> list[int]:
    return [index for index in range(len(line.cells)) if _is_figure(line.text_of(index))]


def aligned_tables(words: list[Word]) -> list[PageTable]:
    """Runs of at least three lines whose figures stand under one another in at least two columns beside a label.

    The lines above a run that lie over its columns are its header. A run whose figures can't be told apart into
    columns (two of one line in one column) is no table.
    """
    lines = _lines(words)
    found: list[PageTable] = []
    start = 0
    while start < len(lines):
        if not _is_data(lines[start]):
            start += 1
            continue
        end, last = start + 1, start
        pitch = lines[start].bottom - lines[start].top
        while end < len(lines) and end - last <= 3 and lines[end].top - lines[end - 1].bottom < 2.5 * pitch:
            if _is_data(lines[end]):
                last = end
            elif not _is_label(lines[end]):
                break
            end += 1
        run = lines[start : last + 1]
        if sum(1 for line in run if _is_data(line)) >= 3:
            table = _aligned(lines, start, last)
            if table is not None:
                found.append(table)
        start = last + 1
    return found


def _is_data(line: _Line) -> bool:
    figures = _figures(line)
    return (
        len(figures) >= 2
        and any(any(c.isdigit() for c in line.text_of(i)) for i in figures)
        and len(line.cells) - len(figures) <= 3
    )


def _is_label(line: _Line) -> bool:
    return len(line.cells) == 1 and len(line.text_of(0)) <= 70 and not _figures(line)


def _aligned(lines: list[_Line], start: int, last: int) -> PageTable | None:
    run = lines[start : last + 1]
    spans = sorted(line.box_of(i) for line in run if _is_data(line) for i in _figures(line))
    columns: list[list[float]] = []
    for left, right in spans:
        if columns and left < columns[-1][1] - 0.5:
            columns[-1][1] = max(columns[-1][1], right)
        else:
            columns.append([left, right])
    if len(columns) < 2:
        return None
    for line in run:
        places = (
            [
                next(n for n, c in enumerate(columns) if c[0] - 0.1 <= line.box_of(i)[0] <= c[1] + 0.1)
                for i in _figures(line)
            ]
            if _is_data(line)
            else []
        )
        if len(set(places)) < len(places):
            return None
    counts = [
        sum(1 for line in run if any(c[0] <= sum(line.box_of(i)) / 2 <= c[1] for i in _figures(line)))
        for c in columns
    ]
    columns = [c for c, count in zip(columns, counts, strict=True) if count >= 2]
    if len(columns) < 2:
        return None
    data = [line for line in run if _is_data(line)]
    named = sum(
        1 for line in data if line.box_of(0)[0] < columns[0][0] - 1 and not _is_figure(line.text_of(0))
    )
    labelled = named >= 0.6 * len(data)
    if len(columns) < 2 or (not labelled and len(columns) < 3):
        return None
    left = min(line.box_of(0)[0] for line in run)
    names = [line.box_of(0)[1] for line in data if line.box_of(0)[0] < columns[0][0] - 1]
    widest = min(max(names, default=left), columns[0][0] - 0.5)
    label_right = widest + 0.3 * (columns[0][0] - widest)
    for line in run:
        for index in range(len(line.cells)):
            x0, x1 = line.box_of(index)
            if (
                not _is_figure(line.text_of(index))
                and x0 > columns[0][1]
                and not any(x0 < c[1] and x1 > c[0] for c in columns)
            ):
                # Words between or behind the figures: a layout this reader doesn't know.
                return None
    slots: list[tuple[float, float]] = [(left - 1, label_right)] if labelled else []
    for number, column in enumerate(columns):
        low = slots[-1][1] if slots else column[0] - 1
        # Figures are set flush right, so a label over them may reach far to the left but hardly to the right.
        high = column[1] + (0.3 * (columns[number + 1][0] - column[1]) if number + 1 < len(columns) else 30)
        slots.append((low, high))
    first = _header_start(lines, start, columns, slots)
    cells: list[list[Box | None]] = []
    merges: list[Merge] = []
    for number in range(first, last + 1):
        line = lines[number]
        row: list[Box | None] = [(slot[0], line.top, slot[1], line.bottom) for slot in slots]
        if number < start or not _is_data(line):
            for index in range(len(line.cells)):
                x0, x1 = line.box_of(index)
                over = [
                    s
                    for s, slot in enumerate(slots)
                    if min(x1, slot[1]) - max(x0, slot[0]) > 0.25 * min(slot[1] - slot[0], x1 - x0)
                ]
                if len(over) > 1 and row[over[0]] is not None and row[over[-1]] is not None:
                    row[over[0]] = (
                        min(slots[over[0]][0], x0),
                        line.top,
                        max(slots[over[-1]][1], x1),
                        line.bottom,
                    )
                    for covered in over[1:]:
                        row[covered] = None
                    merges.append((number - first, over[0], number - first, over[-1]))
        cells.append(row)
    box = (
        min(slots[0][0], left),
        lines[first].top,
        max(slots[-1][1], *(line.box_of(len(line.cells) - 1)[1] for line in run)),
        lines[last].bottom,
    )  # fmt: skip
    return PageTable(box, cells, merges)


def _header_start(
    lines: list[_Line], start: int, columns: list[list[float]], slots: list[tuple[float, float]]
) -> int:
    """The first of up to five lines above a run that lie over its columns."""
    first = lowest = start
    while lowest > 0 and start - lowest < 8:
        above, below = lines[lowest - 1], lines[lowest]
        if below.top - above.bottom > 2.2 * (below.bottom - below.top):
            break
        if _is_label(above) and above.box_of(0)[1] < columns[0][0] and first == start:
            # The name of the first group of rows stands between the header and the figures.
            lowest -= 1
            continue
        boxes = [above.box_of(i) for i in range(len(above.cells))]
        over = [box for box in boxes if any(box[0] < c[1] + 8 and box[1] > c[0] - 8 for c in columns)]
        text = " ".join(above.text_of(i) for i in range(len(above.cells)))
        middle = (slots[0][0] + slots[-1][1] - 30) / 2
        if len(boxes) == 1 and len(columns) > 2 and abs(sum(boxes[0]) / 2 - middle) < 45:
            # A line centred over the whole table is its title.
            break
        if (
            not over
            or len(text) > 200
            or (len(above.cells) == 1 and boxes[0][0] < columns[0][0] - 10 and boxes[0][1] > columns[1][0])
        ):
            break
        lowest -= 1
        first = lowest
    return first


def read(path: Path, limits: ParseLimits) -> Reading:
    """Text blocks of every page, ruled tables of the pages that look like having some."""
    document = open_pdf(path)
    try:
        return _read(document, limits)
    finally:
        document.close()


def _read(document: Any, limits: ParseLimits) -> Reading:
    reading = Reading(pages=document.page_count, metadata=_metadata(document))
    if document.is_repaired:
        reading.warnings.append("the pdf is damaged and was repaired while reading")
    if document.page_count > limits.pages:
        reading.warnings.append(f"{document.page_count - limits.pages} pages left out")
    pages: list[tuple[int, list[PageBlock], list[RawTable]]] = []
    sizes: Counter[float] = Counter()
    silent = letters = 0
    for number in range(min(document.page_count, limits.pages)):
        try:
            page = document.load_page(number)
            words, blocks = page_text(page, sizes)
        except (RuntimeError, ValueError) as error:
            reading.warnings.append(f"page {number + 1} can't be read: {error}")
            continue
        if len(words) < _FEW_WORDS:
            silent += 1
        letters += sum(len(word.text) for word in words)
        tables: list[RawTable] = []
        for place, table in enumerate(tables_on(page, words)):
            rows: list[list[Value]] = [[text or None for text in row] for row in table.texts(words)]
            origin = TableCellLocator(page=number, table=place, row=0, column=0)
            title = _title_above(table.box, blocks)
            tables.append(RawTable(rows, origin, title=title, merges=table.merges, edges=table.edges()))
            blocks = [block for block in blocks if not _covers(table.box, block[2])]
        pages.append((number, blocks, tables))
    count = document.page_count
    if not letters or (count > 1 and letters < 10 * count and silent >= 0.9 * count):
        raise UnreadableFile("scanned_no_text", f"{document.page_count} pages without a text layer")
    if silent:
        reading.warnings.append(f"{silent} of {document.page_count} pages have no text layer")
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    for number, blocks, tables in pages:
        for size, bold, box, content in blocks:
            heading = len(content) <= 200 and (
                size > body * 1.15 or (bold and size >= body and len(content) <= 100)
            )
            level = (1 if size > body * 1.6 else 2 if size > body * 1.15 else 3) if heading else 0
            kind = "heading" if heading else "list_item" if _BULLET.match(content) else "paragraph"
            if heading and not reading.title:
                reading.title = content[:200]
            if len(reading.items) < limits.blocks:
                locator = PageLocator(page=number, box=box)
                reading.items.append(Block(kind=kind, text=content, level=level, locator=locator))  # type: ignore[arg-type]
        reading.items += tables
    return reading


def page_text(page: Any, sizes: Counter[float]) -> tuple[list[Word], list[PageBlock]]:
    """A page's words and text blocks. Adds to ``sizes`` how many characters are set in each font size."""
    textpage = page.get_textpage(flags=_FLAGS)
    words = words_of(page, textpage)
    turn = tuple(page.rotation_matrix) if page.rotation else None
    return words, _blocks(textpage.extractDICT(), words, sizes, turn)


_METADATA = {
    "title": "title", "author": "author", "subject": "subject", "keywords": "keywords", "creator": "application",
    "creationDate": "created", "modDate": "modified",
}  # fmt: skip


def _metadata(document: Any) -> dict[str, str]:
    """What the pdf says of itself; dates as it writes them (``D:20191231120000Z``)."""
    found = {
        ours: " ".join(str(document.metadata.get(name) or "").split())[:500]
        for name, ours in _METADATA.items()
    }
    return {name: text.encode("utf-8", "replace").decode() for name, text in sorted(found.items()) if text}


def _covers(outer: Box, inner: Box) -> bool:
    """Whether a table's box holds the middle of a block and most of its height."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    height = min(outer[3], inner[3]) - max(outer[1], inner[1])
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3] and height >= 0.6 * (inner[3] - inner[1])


def _title_above(box: Box, blocks: list[PageBlock]) -> str:
    """The short texts right above a table, at most three."""
    above = [
        (block[2][3], block[3])
        for block in blocks
        if block[2][3] <= box[1] + 4
        and box[1] - block[2][3] < 60
        and block[2][0] < box[2]
        and block[2][2] > box[0]
    ]
    lines = [text for _, text in sorted(above)[-3:] if len(text) <= 160 and not text.endswith(".")]
    return "; ".join(lines)


def _blocks(
    content: dict[str, Any], words: list[Word], sizes: Counter[float], turn: Turn | None
) -> list[PageBlock]:
    """The text blocks of a page; blocks whose boxes share a word are one block."""
    found: list[tuple[float, bool, Box]] = []
    for block in content["blocks"]:
        local: Counter[float] = Counter()
        bold = True
        for line in block.get("lines", ()):
            for span in line["spans"]:
                text = span["text"]
                if text.isspace() or not text:
                    continue
                local[round(span["size"] * 2) / 2] += len(text)
                bold = bold and bool(span["flags"] & 16 or "bold" in span["font"].casefold())
        if not local:
            continue
        sizes.update(local)
        x0, y0, x1, y1 = block["bbox"] if turn is None else turned(block["bbox"], turn)
        box = (round(x0 - 0.05, 1), round(y0 - 0.05, 1), round(x1 + 0.05, 1), round(y1 + 0.05, 1))
        found.append((max(local, key=lambda size: local[size]), bold, box))
    return _apart(found, words)


def _apart(blocks: list[tuple[float, bool, Box]], words: list[Word]) -> list[PageBlock]:
    """The blocks with their text, those put together whose boxes share a word: so a box reads back as its block."""
    order = sorted(range(len(words)), key=lambda number: words[number].centre[1])
    heights = [words[number].centre[1] for number in order]
    across = [words[number].centre[0] for number in order]

    def inside(box: Box) -> list[int]:
        rows = range(bisect_left(heights, box[1]), bisect_right(heights, box[3]))
        return sorted(order[row] for row in rows if box[0] <= across[row] <= box[2])

    held: list[list[int]] = []
    for _ in range(5):
        kept: list[tuple[float, bool, Box]] = []
        held = []
        owner: dict[int, int] = {}
        for size, bold, box in blocks:
            numbers = inside(box)
            other = next((owner[number] for number in numbers if number in owner), None)
            if other is None:
                owner.update(dict.fromkeys(numbers, len(kept)))
                kept.append((size, bold, box))
                held.append(numbers)
                continue
            larger, both, first = kept[other]
            union = (
                min(first[0], box[0]),
                min(first[1], box[1]),
                max(first[2], box[2]),
                max(first[3], box[3]),
            )
            kept[other] = (max(larger, size), both and bold, union)
        if len(kept) == len(blocks):
            break
        blocks = kept
    else:
        held = [inside(box) for _, _, box in blocks]
    return [
        (size, bold, box, " ".join([words[number].text for number in numbers]))
        for (size, bold, box), numbers in zip(blocks, held, strict=True)
        if numbers
    ]
