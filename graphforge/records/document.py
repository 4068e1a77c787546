"""One file, read: text blocks and typed tables, every piece with a locator."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Literal

from pydantic import Field, model_validator

from .base import FileName, Record, Sha256, Value
from .locator import CellLocator, Locator, PointerLocator, TableCellLocator
from .numbers import parse_number
from .totals import names_total

_WORD = re.compile(r"[^\W_]+")

Family = Literal["pdf", "xlsx", "xls", "ods", "csv", "docx", "pptx", "html", "txt", "md", "json", "image"]


def normalize(text: object) -> str:
    """Text folded for comparison: case, accents, punctuation and spaces don't count; digits and signs do."""
    whole = str(text)
    return _known(whole) if len(whole) <= _SHORT else _folded(whole)


# Names and headers come again and again; a whole document would only take up room.
_SHORT = 120


@lru_cache(maxsize=1 << 15)
def _known(text: str) -> str:
    return _folded(text)


def _folded(text: str) -> str:
    folded = text.casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFKD", text).casefold()
        folded = "".join(character for character in folded if not unicodedata.combining(character))
    return " ".join(_WORD.findall(folded))


def _empty(value: str | tuple[object, ...]) -> bool:
    """What isn't there isn't written."""
    return not value


class Where(Record):
    """What the rows of a part of a table have in common: a ``column``, as the file calls it, and its value."""

    column: str
    value: str


class Block(Record):
    """A piece of running text in reading order."""

    kind: Literal["heading", "paragraph", "list_item", "note", "caption"]
    text: str
    level: int = 0
    locator: Locator


class Column(Record):
    """A typed column of a table. ``name`` joins multi-level headers with a space.

    ``header`` is what the file itself calls the column, where ``name`` says more than that.
    """

    index: int = Field(ge=0)
    name: str
    header: str = Field(default="", exclude_if=_empty)
    kind: Literal["text", "number", "period", "empty"]
    unit: str | None = None
    period: str | None = None


class Table(Record):
    """A rectangular table with its header found and its columns typed.

    ``grid`` holds every row of the region, header rows included, as values (numbers typed where the format
    types them, otherwise text). ``header`` counts the header rows at the top of ``grid``; ``body`` is the half-open
    range of data rows without the total rows before and after them, which ``totals`` lists. ``key`` is the column that
    names the rows: unique and filled in every body row. ``formulas`` maps a grid cell, written ``"row,column"`` (both
    zero-based in ``grid``), to its formula with the leading ``=``. ``merges`` are the merged ranges inside ``grid``
    (first row, first column, last row, last column; inclusive), whose value stands in their first cell. ``hidden``
    says that the whole sheet is hidden, ``hidden_rows`` and ``hidden_columns`` which rows and columns of ``grid`` are.

    A part of a longer table says in ``where`` which of its rows it has, and in ``lines``, where these aren't
    neighbours, how many rows below ``origin`` each row of ``grid`` stands.
    """

    id: str
    title: str
    origin: Locator
    grid: tuple[tuple[Value, ...], ...]
    header: int = Field(ge=0)
    body: tuple[int, int]
    totals: tuple[int, ...] = ()
    columns: tuple[Column, ...]
    key: int | None = None
    formulas: dict[str, str] = Field(default_factory=dict)
    merges: tuple[tuple[int, int, int, int], ...] = ()
    hidden: bool = False
    hidden_rows: tuple[int, ...] = ()
    hidden_columns: tuple[int, ...] = ()
    truncated: bool = False
    where: tuple[Where, ...] = Field(default=(), exclude_if=_empty)
    lines: tuple[int, ...] = Field(default=(), exclude_if=_empty)

    @model_validator(mode="after")
    def _shape(self) -> "Table":
        width = len(self.columns)
        if any(len(row) != width for row in self.grid):
            raise ValueError(
                f"table {self.id}: every row must have {width} cells, as many as there are columns"
            )
        if not self.header <= self.body[0] <= self.body[1] <= len(self.grid):
            raise ValueError(f"table {self.id}: body {self.body} lies outside the {len(self.grid)} rows")
        if self.key is not None and not 0 <= self.key < width:
            raise ValueError(f"table {self.id}: key column {self.key} lies outside the {width} columns")
        if self.lines and len(self.lines) != len(self.grid):
            raise ValueError(f"table {self.id}: {len(self.lines)} lines for {len(self.grid)} rows")
        return self

    def locate(self, row: int, column: int) -> Locator:
        """The locator of a grid cell in the original file."""
        if self.lines:
            row = self.lines[row]
        if isinstance(self.origin, CellLocator):
            return CellLocator(
                sheet=self.origin.sheet, row=self.origin.row + row, column=self.origin.column + column
            )
        if isinstance(self.origin, TableCellLocator):
            return self.origin.model_copy(
                update={"row": self.origin.row + row, "column": self.origin.column + column}
            )
        if isinstance(self.origin, PointerLocator):
            if row < self.header:
                raise ValueError(
                    f"table {self.id}: the names of a JSON object's members have no place of their own"
                )
            name = str(self.columns[column].name).replace("~", "~0").replace("/", "~1")
            return PointerLocator(pointer=f"{self.origin.pointer}/{row - self.header}/{name}")
        raise ValueError(f"table {self.id} starts at {self.origin.kind}, which holds no cells")

    def number(self, row: int, column: int) -> float | None:
        """The number in a grid cell, or None."""
        return parse_number(self.grid[row][column])

    def keyed_rows(self) -> dict[str, int]:
        """Normalized key to grid row, in the order of the file, without rows that are called a total and without
        names that several rows bear. Empty where the table has no key."""
        if self.key is None:
            return {}
        names = [normalize(self.grid[row][self.key]) for row in range(*self.body)]
        counts = Counter(names)
        return {
            name: row
            for row, name in zip(range(*self.body), names, strict=True)
            if counts[name] == 1 and not names_total(name, counts)
        }

    def inner_totals(self) -> tuple[int, ...]:
        """The grid rows between the others that are called a total: of groups, or of what isn't listed."""
        if self.key is None:
            return ()
        names = {row: normalize(self.grid[row][self.key]) for row in range(*self.body)}
        among = frozenset(names.values())
        return tuple(row for row, name in names.items() if names_total(name, among))

    def key_text(self, row: int) -> str:
        """The key of a row as the file writes it."""
        if self.key is None:
            raise ValueError(f"table {self.id} has no key column")
        value = self.grid[row][self.key]
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()

    def measures(self) -> list[Column]:
        """The number columns other than the key, those with an unnamed header left out."""
        return [
            column
            for column in self.columns
            if column.kind == "number" and column.index != self.key and normalize(column.name)
        ]


class Document(Record):
    """A parsed file: what it is by content, not by name.

    ``metadata`` is what the file says of itself (``author``, ``created``, ``modified``, ``subject``, ``keywords``, …),
    as it says it: nobody has checked it.
    """

    sha256: Sha256
    name: FileName
    family: Family
    title: str
    pages: int = Field(ge=0)
    blocks: tuple[Block, ...] = ()
    tables: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
    metadata: dict[str, str] = Field(default_factory=dict)

    def text(self) -> str:
        """All running text in reading order, a block a line."""
        return "\n".join(block.text for block in self.blocks)

    def is_part(self, table: Table) -> bool:
        """Whether a table is only the part on its page of one that runs over several.

        A table of as many columns, half of them called alike, stands on the page after or before. A total row ends a
        table: one that has it is a part only where the one before has none. A table of as many columns without a header
        on the same page is printed under this one's, and goes on with it.
        """
        page = _page(table)
        if page is None:
            return False
        names = [normalize(column.name) for column in table.columns]
        for other in self.tables:
            beside = _page(other)
            if beside is None or abs(beside - page) > 1 or len(other.columns) != len(names) or other is table:
                continue
            if beside == page:
                # What has no header of its own stands under this one's.
                if table.header and not other.header and not table.totals:
                    return True
                continue
            if table.totals and (beside > page or other.totals):
                continue
            same = sum(normalize(one.name) == name for one, name in zip(other.columns, names, strict=True))
            if 2 * same >= len(names):
                return True
        return False


def _page(table: Table) -> int | None:
    return table.origin.page if isinstance(table.origin, TableCellLocator) else None
