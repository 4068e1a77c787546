"""Read one place of an original file again, by code that knows nothing of typed tables (paper section 3.3).

The rereader confirms what the graph says a file holds: it opens the original, goes to the locator and gives the raw
text there. It shares with the parser only how a format lays out its cells, never what the parser made of them.
"""

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphforge.errors import GraphForgeError
from graphforge.records import (
    BlockLocator,
    CellLocator,
    CommentLocator,
    Family,
    Locator,
    PageLocator,
    PartLocator,
    PointerLocator,
    SlideLocator,
    TableCellLocator,
)

from .formats import delimited, docx, html, image, opendocument, pdf, slides, text, workbook
from .limits import ParseLimits
from .unreadable import UnreadableFile

_OPEN_FILES = 6
_DEFAULT = ParseLimits()


class NotRecovered(GraphForgeError):
    """The file holds nothing at the place."""

    def __init__(self, place: str, detail: str):
        super().__init__(
            f"nothing to read at {place}: {detail}", "Drop the evidence, or parse the file again"
        )


@dataclass
class _Opened:
    """A file kept open, and what was already taken from it by name."""

    path: Path
    family: Family
    limits: ParseLimits
    parts: dict[Any, Any] = field(default_factory=dict)

    def part(self, name: Any, make: Callable[[], Any]) -> Any:
        if name not in self.parts:
            self.parts[name] = make()
        return self.parts[name]

    def close(self) -> None:
        document = self.parts.get("pdf")
        if document is not None:
            document.close()


class Rereader:
    """Raw text at locators of original files.

    ``locate`` gives the path and family of a file by its sha256. At most a few files stay open, the least recently
    used closed first.
    """

    def __init__(self, locate: Callable[[str], tuple[Path, Family]], limits: ParseLimits = _DEFAULT):
        self._locate = locate
        self._limits = limits
        self._open: OrderedDict[str, _Opened] = OrderedDict()

    def read(self, sha256: str, locator: Locator) -> str:
        """The text at ``locator``: a cell's value, a block's text; empty for an empty cell.

        A number of a delimited file with decimal commas comes with a decimal point. Raises NotRecovered where the
        file has no such place or can't be opened.
        """
        try:
            opened = self._opened(sha256)
            found = self._at(opened, locator)
        except UnreadableFile as error:
            raise NotRecovered(locator.show(), str(error)) from error
        except OSError as error:
            raise NotRecovered(
                locator.show(), f"the file can't be opened: {error.strerror or error}"
            ) from error
        if found is None:
            raise NotRecovered(locator.show(), f"the {opened.family} file has no such place")
        return found

    def close(self) -> None:
        """Close every file."""
        while self._open:
            self._open.popitem()[1].close()

    def __enter__(self) -> "Rereader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self, sha256: str) -> _Opened:
        if sha256 in self._open:
            self._open.move_to_end(sha256)
            return self._open[sha256]
        path, family = self._locate(sha256)
        while len(self._open) >= _OPEN_FILES:
            self._open.popitem(last=False)[1].close()
        opened = _Opened(Path(path), family, self._limits)
        if not opened.path.is_file():
            raise FileNotFoundError(2, "no such file", str(path))
        self._open[sha256] = opened
        return opened

    def _at(self, opened: _Opened, locator: Locator) -> str | None:
        if isinstance(locator, CellLocator):
            return _sheet_cell(opened, locator)
        if isinstance(locator, PageLocator):
            return _page_box(opened, locator)
        if isinstance(locator, BlockLocator):
            return _item(_blocks(opened), locator.block)
        if isinstance(locator, SlideLocator):
            return _slide_shape(opened, locator)
        if isinstance(locator, CommentLocator):
            return _comment(opened, locator)
        if isinstance(locator, PartLocator):
            return _part(opened, locator)
        if isinstance(locator, PointerLocator):
            return _pointed(opened, locator)
        return _table_cell(opened, locator)


def _item(items: list[Any], index: int) -> Any:
    return items[index] if 0 <= index < len(items) else None


def _cell(rows: list[list[Any]], row: int, column: int) -> str | None:
    """A cell of ragged rows: empty where a short row ends before the widest one does."""
    line = _item(rows, row)
    if line is None or column >= max(map(len, rows)):
        return None
    return workbook.show_value(_item(line, column)).strip()


def _sheet_cell(opened: _Opened, locator: CellLocator) -> str | None:
    if opened.family == "csv":
        return _cell(opened.part("rows", lambda: _delimited_rows(opened.path)), locator.row, locator.column)
    if opened.family == "ods":
        sheet = _ods_sheet(opened, locator.sheet)
        return _cell(sheet.rows, locator.row, locator.column) if sheet is not None else None
    if opened.family not in {"xlsx", "xls"}:
        return None
    book = _book(opened)
    if locator.sheet not in book.names:
        return None
    rows = opened.part(
        ("sheet", locator.sheet), lambda: workbook.sheet_rows(book, locator.sheet, opened.limits)[0]
    )
    return _cell(rows, locator.row, locator.column)


def _book(opened: _Opened) -> workbook.Book:
    found: workbook.Book = opened.part(
        "book", lambda: workbook.open_book(opened.path, opened.family, opened.limits)
    )
    return found


def _ods_sheet(opened: _Opened, name: str) -> opendocument.Sheet | None:
    sheets = opened.part("sheets", lambda: opendocument.sheets_of(opened.path, opened.limits))
    return next((sheet for sheet in sheets if sheet.name == name), None)


def _comment(opened: _Opened, locator: CommentLocator) -> str | None:
    place = (locator.row, locator.column)
    if opened.family == "ods":
        sheet = _ods_sheet(opened, locator.sheet)
        return sheet.comments.get(place) if sheet is not None else None
    if opened.family != "xlsx":
        return None
    return _book(opened).beside.comments.get(locator.sheet, {}).get(place)


def _part(opened: _Opened, locator: PartLocator) -> str | None:
    texts: list[str] = []
    if opened.family == "xlsx" and locator.part == "chart":
        texts = _book(opened).beside.charts.get(locator.place, [])
    elif opened.family == "docx":
        texts = opened.part("docx", lambda: docx.body_of(opened.path, opened.limits)).beside.get(
            locator.part, []
        )
    elif opened.family == "pptx" and locator.part == "comment":
        deck = opened.part("deck", lambda: slides.open_deck(opened.path, opened.limits))
        slide = _item(list(deck.slides), int(locator.place) - 1) if locator.place.isdecimal() else None
        texts = slides.comments_of(slide) if slide is not None else []
    found: str | None = _item(texts, locator.index)
    return found


def _delimited_rows(path: Path) -> list[list[str]]:
    content = text.decode(path.read_bytes())
    delimiter = delimited.delimiter_of(content[:1_000_000])
    rows = list(delimited.rows_of(content, delimiter))
    if delimited.has_decimal_comma(content, delimiter):
        rows = [[delimited.with_point(cell) for cell in row] for row in rows]
    return rows


def _page(opened: _Opened, number: int) -> Any:
    """The page and its words, or None where the document has no such page."""
    document = opened.part("pdf", lambda: pdf.open_pdf(opened.path))
    if not 0 <= number < document.page_count:
        return None

    def load() -> Any:
        page = document.load_page(number)
        return page, pdf.words_of(page)

    return opened.part(("page", number), load)


def _page_box(opened: _Opened, locator: PageLocator) -> str | None:
    if opened.family == "image":
        words = opened.part("words", lambda: image.words_of(opened.path))
        return (image.text_in(words, locator.box) or None) if words is not None and not locator.page else None
    if opened.family != "pdf":
        return None
    found = _page(opened, locator.page)
    return (pdf.text_in(found[1], locator.box) or None) if found is not None else None


def _blocks(opened: _Opened) -> list[str]:
    def make() -> list[str]:
        if opened.family == "txt":
            return text.paragraphs(text.decode(opened.path.read_bytes()))
        if opened.family == "md":
            pieces = text.markdown_pieces(text.decode(opened.path.read_bytes()))
            return [piece[2] for piece in pieces if isinstance(piece, tuple)]
        if opened.family == "html":
            found = html.pieces_of(html.root_of(opened.path), opened.limits.depth)
            return [piece[2] for piece in found if len(piece) == 3]
        if opened.family == "docx":
            word = opened.part("docx", lambda: docx.body_of(opened.path, opened.limits))
            return [docx.run_text(one) for one in docx.all_paragraphs(word.body)] + word.footnotes
        return []

    return opened.part("blocks", make)


def _slide_shape(opened: _Opened, locator: SlideLocator) -> str | None:
    if opened.family != "pptx":
        return None
    deck = opened.part("deck", lambda: slides.open_deck(opened.path, opened.limits))
    slide = _item(list(deck.slides), locator.slide)
    if slide is None:
        return None
    if locator.shape < 0:
        return slides.notes_of(slide) or None
    shape = _item(list(slide.shapes), locator.shape)
    return (slides.shape_text(shape) or None) if shape is not None else None


def _pointed(opened: _Opened, locator: PointerLocator) -> str | None:
    if opened.family != "json":
        return None
    value = opened.part("json", lambda: _json(opened.path))
    parent: Any = None
    steps = locator.pointer.split("/")[1:] if locator.pointer else []
    for position, step in enumerate(steps):
        name = step.replace("~1", "/").replace("~0", "~")
        parent = value
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and position == len(steps) - 1 and _sibling_has(opened, steps, name):
            # One object of an array may lack a member that the others have: an empty cell.
            return ""
        else:
            return None
    del parent
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return workbook.show_value(text.json_value(value))


def _json(path: Path) -> Any:
    try:
        return text.load_json(text.decode(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise UnreadableFile("invalid_json", str(error)) from error


def _sibling_has(opened: _Opened, steps: list[str], name: str) -> bool:
    value = opened.parts["json"]
    for step in steps[:-2]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return isinstance(value, list) and any(isinstance(item, dict) and name in item for item in value)


def _table_cell(opened: _Opened, locator: TableCellLocator) -> str | None:
    if opened.family == "pdf":
        return _pdf_table_cell(opened, locator)
    if opened.family == "docx":
        word = opened.part("docx", lambda: docx.body_of(opened.path, opened.limits))
        tables = opened.part("tables", lambda: docx.all_tables(word.body))
        read: Callable[[Any], Any] | None = docx.cells_of
    elif opened.family == "html":
        root = opened.part("html", lambda: html.root_of(opened.path))
        tables = opened.part("tables", lambda: html.tables_of(root))
        read = html.cells_of
    elif opened.family == "pptx":
        deck = opened.part("deck", lambda: slides.open_deck(opened.path, opened.limits))
        tables = opened.part("tables", lambda: slides.all_frames(deck))
        read = slides.cells_of
    elif opened.family == "md":
        pieces = opened.part("pieces", lambda: text.markdown_pieces(text.decode(opened.path.read_bytes())))
        tables = [piece for piece in pieces if isinstance(piece, list)]
        read = None
    else:
        return None
    table = _item(tables, locator.table)
    if table is None:
        return None
    rows = opened.part(("cells", locator.table), lambda: read(table)[0]) if read is not None else table
    return _cell(rows, locator.row, locator.column)


def _pdf_table_cell(opened: _Opened, locator: TableCellLocator) -> str | None:
    found = _page(opened, locator.page) if locator.page is not None else None
    if found is None:
        return None
    page, words = found
    tables = opened.part(("tables", locator.page), lambda: pdf.tables_on(page, words))
    table = _item(tables, locator.table)
    row = _item(table.cells, locator.row) if table is not None else None
    if row is None or locator.column >= len(row):
        return None
    box = row[locator.column]
    return pdf.cell_text(words, box) if box is not None else ""
