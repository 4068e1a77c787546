"""Edits of a PDF through PyMuPDF: all words are lifted off the pages and set again in place.

A finished page has no paragraphs to edit. Setting all words again keeps their order in the file, which is the
order in which a reader gets them; drawings stay. The golden file goes through the same with nothing changed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pymupdf

from ..records import Locator, TableCellLocator, TextNumber, Value, normalize, show_number
from .checks import heads
from .edits import (
    AddRow,
    CannotEdit,
    Cell,
    ChangeStated,
    DropRow,
    DropSection,
    Edit,
    ReplaceText,
    Resave,
    SetCells,
    restated,
)
from .grid import fold, label
from .prose import statements

Box = tuple[float, float, float, float]
Rows = list[list[Box | None]]


@dataclass(frozen=True)
class Word:
    """A word with its baseline's start, look, and place in the page's text."""

    text: str
    x: float
    y: float
    width: float
    box: Box
    size: float
    bold: bool
    colour: tuple[float, float, float]
    block: int
    line: int

    def within(self, box: Box) -> bool:
        x, y = (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2
        return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def apply(source: Path, target: Path, edit: Edit) -> None:
    """Write ``target`` as ``source`` with the edit made; CannotEdit where it is none for such a file."""
    # Otherwise looking for tables prints an advertisement.
    pymupdf.no_recommend_layout()
    with _opened(source) as document:
        pages = [_words(page) for page in document]
        tables = _Tables(document)
        match edit:
            case Resave():
                pass
            case SetCells(cells=cells):
                for cell in cells:
                    _set_cell(tables, pages, cell)
            case DropRow(locator=locator, row=row):
                number, boxes = _row(tables, pages, locator, row, None)
                held = [box for box in boxes if box is not None]
                pages[number] = [word for word in pages[number] if not any(map(word.within, held))]
            case DropSection(heading=heading):
                pages = _without_section(pages, heading)
            case ChangeStated(check=check):
                _change_stated(tables, pages, check)
            case ReplaceText():
                if not sum([replace_words(words, edit) for words in pages]):
                    raise CannotEdit(f"no page holds {edit.phrase!r}")
            case AddRow():
                raise CannotEdit("a finished page has no room for another row")
            case _:
                raise CannotEdit("a pdf has neither sheets nor columns of a data file")
        _save(document, pages, target)


def rewrite(source: Path, target: Path, change: Callable[[list[list[Word]]], None]) -> None:
    """Write ``target`` as ``source`` after ``change`` of the words of its pages, in place."""
    with _opened(source) as document:
        pages = [_words(page) for page in document]
        change(pages)
        _save(document, pages, target)


def _opened(source: Path) -> Any:
    try:
        return pymupdf.open(source, filetype="pdf")
    except (RuntimeError, ValueError) as error:
        raise CannotEdit(f"PyMuPDF can't open it: {error}") from error


def _save(document: Any, pages: list[list[Word]], target: Path) -> None:
    for page, words in zip(document, pages, strict=True):
        _set(page, words)
    document.subset_fonts()
    document.save(target, garbage=3, deflate=True, no_new_id=True)


def _words(page: Any) -> list[Word]:
    """The words in the order of the page's text."""
    words: list[Word] = []
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    for number, block in enumerate(page.get_text("rawdict", flags=flags)["blocks"]):
        for place, line in enumerate(block.get("lines", ())):
            if abs(line["dir"][1]) > 0.01:
                raise CannotEdit(f"page {page.number + 1} has turned text")
            for span in line["spans"]:
                bold = bool(span["flags"] & 16) or "bold" in span["font"].casefold()
                colour = tuple(part / 255 for part in pymupdf.sRGB_to_rgb(span["color"]))
                letters: list[dict[str, Any]] = []
                for letter in [*span["chars"], {"c": " "}]:
                    if not letter["c"].isspace():
                        letters.append(letter)
                        continue
                    if letters:
                        box = (
                            letters[0]["bbox"][0],
                            min(one["bbox"][1] for one in letters),
                            letters[-1]["bbox"][2],
                            max(one["bbox"][3] for one in letters),
                        )
                        x, y = letters[0]["origin"]
                        text = "".join(one["c"] for one in letters)
                        width = box[2] - box[0]
                        words.append(Word(text, x, y, width, box, span["size"], bold, colour, number, place))
                    letters = []
    return words


def _set(page: Any, words: list[Word]) -> None:
    """Take all text off the page and set the words instead; lines and pictures stay."""
    page.add_redact_annot(page.rect, fill=False)
    # In PyMuPDF's numbers: leave images (0) and drawings (0), remove text (0).
    page.apply_redactions(images=0, graphics=0, text=0)
    fonts = {False: pymupdf.Font("helv"), True: pymupdf.Font("hebo")}
    wide: Any = None
    index = 0
    while index < len(words):
        colour = words[index].colour
        writer = pymupdf.TextWriter(page.rect)
        while index < len(words) and words[index].colour == colour:
            word = words[index]
            font = fonts[word.bold]
            if not all(font.has_glyph(ord(letter)) for letter in word.text):
                wide = font = wide or pymupdf.Font("cjk")
            size, natural = word.size, font.text_length(word.text, word.size)
            # Another font may run wider than the one it stands for; it must not reach into the next cell.
            if natural > word.width * 1.02:
                size *= word.width / natural
            writer.append((word.x, word.y), word.text, font=font, fontsize=size)
            index += 1
        writer.write_text(page, color=colour)


class _Tables:
    """The ruled tables of each page, looked for once: it takes a while."""

    def __init__(self, document: Any):
        self._document = document
        self._known: dict[int, list[Rows]] = {}

    def on(self, page: int) -> list[Rows]:
        """The cells of each row of each table."""
        if page not in self._known:
            found = self._document[page].find_tables(strategy="lines_strict").tables
            self._known[page] = [[list(row.cells) for row in table.rows] for table in found]
        return self._known[page]


def _text(words: list[Word], box: Box | None) -> str:
    return " ".join(word.text for word in words if box is not None and word.within(box))


def _row(
    tables: _Tables, pages: list[list[Word]], locator: Locator, name: str, old: Value
) -> tuple[int, list[Box | None]]:
    """The page and the cells of the row that bears the name and holds ``old``: the located one, or its like."""
    if not isinstance(locator, TableCellLocator) or locator.page is None:
        raise CannotEdit(f"{locator.show()} is no cell of a table on a page")
    words = pages[locator.page]
    found = tables.on(locator.page)
    rows = [row for table in found for row in table]
    if locator.table < len(found) and locator.row < len(found[locator.table]):
        rows.insert(0, found[locator.table][locator.row])
    for row in rows:
        held = [_text(words, cell) for cell in row]
        if normalize(name) in map(normalize, held) and (old is None or fold(label(old)) in map(fold, held)):
            return locator.page, row
    raise CannotEdit(f"no ruled table on page {locator.page + 1} has the row {name!r}")


def _set_cell(tables: _Tables, pages: list[list[Word]], cell: Cell) -> None:
    number, row = _row(tables, pages, cell.locator, cell.row, cell.old)
    words, old = pages[number], fold(label(cell.old))
    column = cell.locator.column if isinstance(cell.locator, TableCellLocator) else 0
    # The located column first; else from the right, since a row's name may read like one of its figures.
    boxes = [*row[column : column + 1], *reversed(row)]
    box = next(box for box in boxes if box is not None and fold(_text(words, box)) == old)
    inside = [word for word in words if word.within(box)]
    if not inside:
        raise CannotEdit(f"the cell of row {cell.row!r} is empty")
    first = inside[0]
    text = cell.new if isinstance(cell.new, str) else show_number(float(cell.new or 0))
    new = replace(first, text=text, width=max(first.width, box[2] - first.box[0] - 2))
    pages[number] = [new if word is first else word for word in words if word is first or word not in inside]


def _without_section(pages: list[list[Word]], heading: str) -> list[list[Word]]:
    """The pages without the heading's line and all up to the next line that looks like it."""
    kept: list[list[Word]] = []
    look: tuple[float, bool] | None = None
    ended = False
    for words in pages:
        left: list[Word] = []
        blocks = {word.block for word in words}
        whole = {block: " ".join(word.text for word in words if word.block == block) for block in blocks}
        lines: dict[tuple[int, int], list[Word]] = {}
        for word in words:
            lines.setdefault((word.block, word.line), []).append(word)
        begun: int | None = None
        for (block, _), line in lines.items():
            size, bold = max(word.size for word in line), all(word.bold for word in line)
            text = " ".join(word.text for word in line)
            if look is None and (heads(text, heading) or heads(whole[block], heading)):
                look, begun = (size, bold), block
            elif look is not None and block != begun and not ended:
                ended = size > look[0] - 0.1 and bold == look[1]
            if look is None or ended:
                left += line
        kept.append(left)
    if look is None:
        raise CannotEdit(f"no line is the heading {heading!r}")
    return kept


def replace_words(words: list[Word], edit: ReplaceText) -> int:
    """Make the replacement in the words of a page; how often it was made."""
    text, starts = "", []
    for word in words:
        starts.append(len(text) + bool(text))
        text += (" " if text else "") + word.text
    matches = list(edit.pattern().finditer(text))
    for match in reversed(matches):
        held = [
            place
            for place, start in enumerate(starts)
            if start < match.end() and start + len(words[place].text) > match.start()
        ]
        before = text[starts[held[0]] : match.start()]
        end = starts[held[-1]] + len(words[held[-1]].text)
        new = before + edit.by + text[match.end() : end]
        first, last = words[held[0]], words[held[-1]]
        room = last.box[2] - first.box[0] if first.line == last.line else 0.0
        wide = replace(first, text=new, width=max(first.width, room))
        words[held[0] : held[-1] + 1] = [wide] if new else []
    return len(matches)


def _change_stated(tables: _Tables, pages: list[list[Word]], check: TextNumber) -> None:
    changed = 0
    for number, words in enumerate(pages):
        for block in sorted({word.block for word in words}):
            places = [place for place, word in enumerate(words) if word.block == block]
            if not statements(" ".join(words[place].text for place in places), check):
                continue
            cells = [cell for table in tables.on(number) for row in table for cell in row if cell is not None]
            places = [place for place in places if not any(map(words[place].within, cells))]
            text, starts = "", []
            for place in places:
                starts.append(len(text) + bool(text))
                text += (" " if text else "") + words[place].text
            for stated in reversed(statements(text, check)):
                at = max(index for index, start in enumerate(starts) if start <= stated.start)
                word, offset = words[places[at]], stated.start - starts[at]
                end = offset + stated.end - stated.start
                new = word.text[:offset] + restated(word.text[offset:end], check) + word.text[end:]
                words[places[at]] = replace(word, text=new, width=word.width * len(new) / len(word.text))
                changed += 1
    if not changed:
        raise CannotEdit("no paragraph states the number")
