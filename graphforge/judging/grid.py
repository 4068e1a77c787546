"""Finding a column by its header and a row by its name in tables that somebody else laid out.

Nothing here relies on the parser having found the header or the key: every row of a table's grid may be the
header row, so that extra title rows, added units and a changed order of columns or rows do no harm.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..records import CellLocator, Document, Table, TableCellLocator, Value, normalize, parse_number

_ERRORS = {"#ref!", "#div/0!", "#name?", "#value!", "#n/a", "#num!", "#null!", "#spill!"}
_AGGREGATES = {
    "sum", "average", "mean", "median", "minimum", "maximum", "min", "max", "count", "overall", "all",
    "subtotal", "grand total", "sub total", "net total", "overall total", "standard deviation", "range",
}  # fmt: skip
_PERCENT = re.compile(r"%|\bper\s?cents?\b|\bpct\b|\bpercentage\b", re.IGNORECASE)
_NOTE = re.compile(
    r"\s*(?:\*|†|\(?\d\)|notes?\b|sources?\b|see\b|footnote|https?:)|.*[.:]\s*$", re.IGNORECASE
)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_ONE_NUMBER = re.compile(r"[-+\u2212\u2013]?(?:US\$|[$€£¥])?\s?\d[\d,]*(?:\.\d+)?")
_LONE = 100
_SCALES = re.compile(r"thousand|million|billion|trillion|\b(?:k|m|mn|bn|mm)\b", re.IGNORECASE)


def fold(text: object) -> str:
    """Text with case and runs of spaces folded, and nothing else: finer than ``normalize``."""
    return " ".join(str(text).casefold().split())


def label(value: Value) -> str:
    """A cell as a name: 2024.0 is "2024", an empty cell is ""."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return " ".join(str(value).split())


def filled(value: Value) -> bool:
    """Whether a cell says something; a spreadsheet error says nothing."""
    text = label(value)
    return bool(text) and text.casefold() not in _ERRORS


def number(value: Value) -> float | None:
    """The number of a cell, also where it is text with one number and a unit (``12.3 kWh``).

    A scale word ("million") makes the text ambiguous, so it gives None.
    """
    found = parse_number(value)
    if found is not None or not isinstance(value, str) or _SCALES.search(value):
        return found
    matches = _ONE_NUMBER.findall(value)
    if len(matches) != 1 or len(re.findall(r"\d+(?:[.,]\d+)*", value)) != 1:
        return None
    return parse_number(matches[0])


def percent(text: str) -> bool:
    """Whether a header says that its figures are percentages."""
    return bool(_PERCENT.search(text))


def aggregate(name: str) -> bool:
    """Whether a row name is a total or another summary of the rows, not a row of its own."""
    words = normalize(name)
    return words in _AGGREGATES or words.split(" ", 1)[0] in {"total", "totals"}


def note(text: str) -> bool:
    """Whether a text that stands alone in its row is a remark on the table rather than the name of a row."""
    return len(text) > 60 or bool(_NOTE.match(text))


def _bare(text: str) -> str:
    """A header without its unit: brackets and what follows the last comma."""
    bare = _BRACKETS.sub(" ", text)
    return normalize(bare.rsplit(",", 1)[0] if normalize(bare.rsplit(",", 1)[0]) else bare)


def _digits(text: str) -> set[str]:
    return {word for word in normalize(text).split() if any(character.isdigit() for character in word)}


@lru_cache(maxsize=1 << 16)
def fit(name: str, header: str) -> int | None:
    """How well a header stands for a name: 0 to the letter, then looser; None where it doesn't.

    Years and other figures in a header are never dropped: "Output, 2023" doesn't stand for "Output, 2024".
    """
    if not header:
        return None
    if fold(name) == fold(header):
        return 0
    wanted, given = normalize(name), normalize(header)
    if not wanted or not given:
        return None
    off = int(percent(name) != percent(header))
    if wanted == given:
        return 1 + off
    if _digits(name) == _digits(header) and _bare(header) in (wanted, _bare(name)):
        return 3 + off
    if given.startswith(wanted + " "):
        return 5 + off
    return None


class Names:
    """Row names to look cells up in: normalized, but to the letter where normalizing would merge two."""

    def __init__(self, names: Iterable[str]):
        self.names = tuple(dict.fromkeys(names))
        loose = Counter(normalize(name) for name in self.names)
        self._strict = {fold(label(name)): name for name in self.names}
        self._loose = {
            normalize(name): name for name in self.names if normalize(name) and loose[normalize(name)] == 1
        }

    def match(self, value: Value) -> str | None:
        """The name that a cell holds, or None."""
        text = label(value)
        if not text:
            return None
        return self._strict.get(fold(text)) or self._loose.get(normalize(text))


@dataclass(frozen=True)
class Frame:
    """A table with the columns asked for, in the order asked, and the rows below the header."""

    table: Table
    columns: tuple[int, ...]
    rows: tuple[int, ...]

    def at(self, row: int, which: int) -> Value:
        """The cell of a row in the n-th column asked for."""
        return self.table.grid[row][self.columns[which]]

    def formula(self, row: int, which: int) -> bool:
        """Whether that cell is a formula."""
        return f"{row},{self.columns[which]}" in self.table.formulas

    def alone(self, row: int, which: int) -> bool:
        """Whether the cell is the only one that says anything in a row that has more: a note, or a row left blank."""
        cells = self.table.grid[row]
        return len(cells) > 1 and not any(
            label(cell) for index, cell in enumerate(cells) if index != self.columns[which]
        )


def sheet_names(document: Document) -> list[str]:
    """The sheets of a workbook that hold anything, in order."""
    names: list[str] = []
    for table in document.tables:
        names += [table.origin.sheet] if isinstance(table.origin, CellLocator) and table.origin.sheet else []
        names.append(table.title)
    names += [
        block.locator.sheet
        for block in document.blocks
        if isinstance(block.locator, CellLocator) and block.locator.sheet
    ]
    return list(dict.fromkeys(name for name in names if name))


def in_sheet(table: Table, sheet: str) -> bool:
    """Whether the table stands in the sheet; every table does where no sheet is named."""
    if not sheet:
        return True
    own = table.origin.sheet if isinstance(table.origin, CellLocator) else ""
    return any(fold(name) == fold(sheet) or (normalize(name) and normalize(name) == normalize(sheet))
               for name in (own, table.title) if name)  # fmt: skip


def _assign(names: Sequence[str], headers: Sequence[str]) -> tuple[tuple[int, ...], int] | None:
    """The column of each name in a header row and how loose the worst fit is; None where one is missing."""
    taken: dict[int, int] = {}
    chosen: list[int | None] = [None] * len(names)
    offers = sorted(
        (grade, which, column)
        for which, name in enumerate(names)
        for column, header in enumerate(headers)
        if (grade := fit(name, header)) is not None
    )
    worst = 0
    for grade, which, column in offers:
        if chosen[which] is None and column not in taken:
            chosen[which], taken[column] = column, which
            worst = max(worst, grade)
    # A data frame written with its index leaves the header of the row names empty.
    if (
        len(names) > 1
        and chosen[0] is None
        and None not in chosen[1:]
        and headers
        and not normalize(headers[0])
    ):
        chosen[0], worst = 0, max(worst, 7)
    if None in chosen:
        return None
    return tuple(column for column in chosen if column is not None), worst


def _frame(table: Table, names: Sequence[str]) -> Frame | None:
    best: tuple[int, int, tuple[int, ...]] | None = None
    for index, row in enumerate(table.grid):
        if found := _assign(names, [label(cell) if isinstance(cell, str) else _year(cell) for cell in row]):
            columns, worst = found
            # A title may repeat the name of a column, but it stands alone in its row.
            worst += _LONE if len(row) > 1 and sum(map(filled, row)) < 2 else 0
            if best is None or worst < best[0]:
                best = (worst, index, columns)
            if worst == 0:
                break
    if table.header and (best is None or best[0] > 0):
        joined = _assign(names, [column.name for column in table.columns])
        if joined and (best is None or joined[1] < best[0]):
            best = (joined[1], table.header - 1, joined[0])
    if best is None:
        return None
    _, header, columns = best
    rows = tuple(
        row
        for row in range(header + 1, len(table.grid))
        if not all(
            fold(label(table.grid[row][column])) == fold(label(table.grid[header][column]))
            for column in columns
        )
    )
    return Frame(table, columns, rows)


def _year(cell: Value) -> str:
    """A number as a header: only years head columns; any other figure is data."""
    text = label(cell)
    return text if re.fullmatch(r"(?:1[89]|20|21)\d\d", text) else ""


def find(document: Document, sheet: str, names: Sequence[str]) -> list[Frame]:
    """Every table of the sheet (of the file, where none is named) whose header holds all the names.

    A table that a page break continues without repeating its header belongs to the one before.
    """
    frames: list[Frame] = []
    previous: Frame | None = None
    for table in document.tables:
        if not in_sheet(table, sheet):
            previous = None
            continue
        frame = _frame(table, names)
        if frame is None and previous is not None and _continues(previous.table, table):
            frame = Frame(table, previous.columns, tuple(range(len(table.grid))))
        if frame is not None:
            frames.append(frame)
        previous = frame
    return frames


def _continues(before: Table, after: Table) -> bool:
    if not isinstance(before.origin, TableCellLocator) or not isinstance(after.origin, TableCellLocator):
        return False
    if before.origin.page is None or after.origin.page is None:
        return False
    return after.origin.page == before.origin.page + 1 and len(after.columns) == len(before.columns)
