"""Where in a file a piece stands, exactly enough to read it again from the original."""

from typing import Annotated, Literal

from pydantic import Field

from .base import Record


def column_letters(index: int) -> str:
    """The spreadsheet name of a zero-based column: 0 is A, 26 is AA."""
    letters = ""
    index += 1
    while index:
        index, remainder = divmod(index - 1, 26)
        letters = chr(65 + remainder) + letters
    return letters


def column_index(letters: str) -> int:
    """The zero-based index of a column name: A is 0, AA is 26."""
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - 64
    return index - 1


class CellLocator(Record):
    """One cell of a workbook sheet or of a delimited file (zero-based row and column of the whole sheet).

    ``sheet`` is empty for a delimited file.
    """

    kind: Literal["cell"] = "cell"
    sheet: str = ""
    row: int = Field(ge=0)
    column: int = Field(ge=0)

    def show(self) -> str:
        cell = f"{column_letters(self.column)}{self.row + 1}"
        return (
            f"sheet {self.sheet!r} cell {cell}"
            if self.sheet
            else f"row {self.row + 1} column {self.column + 1}"
        )


class TableCellLocator(Record):
    """One cell of the n-th table of a text document, page or slide deck (all zero-based).

    ``table`` counts the tables of the whole document in reading order (docx, html, md, pptx) or of ``page`` (pdf).
    """

    kind: Literal["table_cell"] = "table_cell"
    page: int | None = Field(default=None, ge=0)
    table: int = Field(ge=0)
    row: int = Field(ge=0)
    column: int = Field(ge=0)

    def show(self) -> str:
        page = "" if self.page is None else f"page {self.page + 1} "
        return f"{page}table {self.table + 1} row {self.row + 1} column {self.column + 1}"


class PageLocator(Record):
    """A box on a page of a pdf, in points from the top left corner; on a picture, which is one page, in pixels."""

    kind: Literal["page"] = "page"
    page: int = Field(ge=0)
    box: tuple[float, float, float, float]

    def show(self) -> str:
        return f"page {self.page + 1} box ({', '.join(f'{edge:g}' for edge in self.box)})"


class BlockLocator(Record):
    """The n-th text block (zero-based) of a docx, html, md or txt file: paragraph, heading or list item."""

    kind: Literal["block"] = "block"
    block: int = Field(ge=0)

    def show(self) -> str:
        return f"paragraph {self.block + 1}"


class SlideLocator(Record):
    """A shape of a slide (zero-based), or the slide's notes where ``shape`` is -1."""

    kind: Literal["slide"] = "slide"
    slide: int = Field(ge=0)
    shape: int = Field(ge=-1)

    def show(self) -> str:
        return f"slide {self.slide + 1} " + ("notes" if self.shape < 0 else f"shape {self.shape + 1}")


class PointerLocator(Record):
    """A place in a JSON document, as a JSON pointer (RFC 6901)."""

    kind: Literal["pointer"] = "pointer"
    pointer: str

    def show(self) -> str:
        return f"pointer {self.pointer or '/'}"


class CommentLocator(Record):
    """The comment on a cell of a workbook (zero-based row and column)."""

    kind: Literal["comment"] = "comment"
    sheet: str
    row: int = Field(ge=0)
    column: int = Field(ge=0)

    def show(self) -> str:
        return f"comment on sheet {self.sheet!r} cell {column_letters(self.column)}{self.row + 1}"


class PartLocator(Record):
    """The n-th (zero-based) piece of a kind that stands beside the running content: of a sheet, a slide or the file.

    ``place`` is the sheet's name or the slide's number as people count it; empty where the whole file is counted.
    """

    kind: Literal["part"] = "part"
    part: Literal["chart", "comment", "endnote"]
    place: str = ""
    index: int = Field(ge=0)

    def show(self) -> str:
        return f"{self.part} {self.index + 1}" + (f" of {self.place!r}" if self.place else "")


Locator = Annotated[
    CellLocator
    | TableCellLocator
    | PageLocator
    | BlockLocator
    | SlideLocator
    | PointerLocator
    | CommentLocator
    | PartLocator,
    Field(discriminator="kind"),
]
