"""A sheet cut into the rectangles that are tables and the loose text around them."""

import re
from dataclasses import dataclass
from functools import lru_cache

from graphforge.records import Block, CellLocator, Locator, TableCellLocator, Value, parse_number

from . import labels
from .raw import RawTable

_MISSING = frozenset(
    (
        "",
        *"- -- --- — – . .. ... … * ** *** # $- x (x) d (d) s (s) w nr nd nm".split(),
        *"n/a na #n/a nan none null n.a. tbd".split(),
        *("suppressed", "not available", "unreliable", "privacysuppressed", "not applicable", "$ -"),
    )
)
_NOTE = re.compile(
    r"\s*(?:\*|†|‡|\[\d|\(\d+\)\s|\d+/|\d\)\s|notes?\b|source|sources\b|see\b|data as of|prepared|last updated|updated|"
    r"footnote|includes|excludes|for more|disclaimer|copyright|https?:)",
    re.IGNORECASE,
)


def shown(value: Value) -> str:
    """A cell's value as text with single spaces."""
    return "" if value is None else " ".join(str(value).split())


def is_missing(value: Value) -> bool:
    """Whether a cell is empty or says that there is no value."""
    return value is None or (isinstance(value, str) and value.strip().casefold() in _MISSING)


def is_sentence(text: str) -> bool:
    """Whether a text is running prose rather than a title."""
    return text.endswith((".", ".)")) and len(text.split()) > 8


def number_in(value: Value) -> float | None:
    """The number of a cell; zip-code-like text with a leading zero is none."""
    return _number_in_text(value) if isinstance(value, str) else parse_number(value)


@lru_cache(maxsize=1 << 14)
def _number_in_text(text: str) -> float | None:
    # Kept: the cells of a column are looked at several times, and often say the same.
    if len(text) > 40 or (len(text) > 1 and text[0] == "0" and text.isdigit()):
        return None
    return parse_number(text)


@dataclass
class Region:
    """A rectangle inside a raw table (rows and columns half-open), with its title lines."""

    top: int
    bottom: int
    left: int
    right: int
    titles: tuple[str, ...] = ()


class Grid:
    """A raw table made rectangular."""

    def __init__(self, raw: RawTable):
        self.raw = raw
        self._formula_rows = {row for row, _ in raw.formulas}
        width = max((len(row) for row in raw.rows), default=0)
        self.rows: list[list[Value]] = [row + [None] * (width - len(row)) for row in raw.rows]
        self.height, self.width = len(self.rows), width
        self._spans = {(m[0], m[1]): m for m in raw.merges}
        self._covered: dict[tuple[int, int], tuple[int, int]] = {}
        for top, left, bottom, right in raw.merges:
            # Only labels are ever filled over a merged range, and labels stand in small ones.
            if (bottom - top + 1) * (right - left + 1) <= 4096:
                for row in range(top, bottom + 1):
                    for column in range(left, right + 1):
                        self._covered[(row, column)] = (top, left)

    # --- regions

    def filled(self, row: int, left: int = 0, right: int | None = None) -> list[int]:
        """The columns of a row that hold something: a value, or a formula whose result is not known."""
        line = self.rows[row]
        columns = range(left, self.width if right is None else right)
        if row in self._formula_rows:
            return [c for c in columns if line[c] is not None or (row, c) in self.raw.formulas]
        return [c for c in columns if line[c] is not None]

    def _is_blank(self, row: int, left: int, right: int) -> bool:
        if any(cell is not None for cell in self.rows[row][left:right]):
            return False
        return row not in self._formula_rows or not self.filled(row, left, right)

    def pieces(self) -> list[Region | tuple[int, int]]:
        """The sheet's regions and its loose text cells (row, column), in reading order."""
        return self._cut(0, self.height, 0, self.width, (), 0)

    def _cut(
        self, top: int, bottom: int, left: int, right: int, outer: tuple[str, ...], depth: int
    ) -> list[Region | tuple[int, int]]:
        """A part of the sheet cut at blank rows, its bands at blank columns, and so on inside each part."""
        bands: list[tuple[int, int]] = []
        start: int | None = None
        for row in range(top, bottom + 1):
            blank = row == bottom or self._is_blank(row, left, right)
            if blank and start is not None:
                bands.append((start, row))
                start = None
            elif not blank and start is None:
                start = row
        result: list[Region | tuple[int, int]] = []
        titles = list(outer)
        fresh = False
        for first, last in self._joined(bands, left, right):
            for piece in self._band(first, last, left, right, tuple(titles), depth):
                result.append(piece)
                if isinstance(piece, Region):
                    fresh = True
                    continue
                line = shown(self.rows[piece[0]][piece[1]])
                if fresh:
                    # Text after a table is the title of the next one, unless it is a note to the last.
                    titles, fresh = list(outer), False
                if line and len(line) <= 160 and not _NOTE.match(line) and not is_sentence(line):
                    titles.append(line)
        return result

    def _is_label_band(self, top: int, bottom: int, left: int, right: int) -> bool:
        """Whether a short band holds several labels a row and no figures: a header cut off from its table."""
        if bottom - top > 4:
            return False
        widest = 0
        for row in range(top, bottom):
            cells = [self.rows[row][c] for c in self.filled(row, left, right)]
            widest = max(widest, len(cells))
            for cell in cells:
                number = number_in(cell)
                if number is not None and not labels.is_year(number):
                    return False
                if len(shown(cell)) > 80:
                    return False
        return widest >= 3

    def _joined(self, bands: list[tuple[int, int]], left: int, right: int) -> list[tuple[int, int]]:
        """Bands with a header band put together with the figures under it, where at most two blank rows lie between."""
        result: list[tuple[int, int]] = []
        for top, bottom in bands:
            if result:
                above_top, above_bottom = result[-1]
                tail = above_bottom - 1
                while (
                    tail > above_top
                    and above_bottom - tail < 4
                    and len(self.filled(tail - 1, left, right)) >= 2
                ):
                    tail -= 1
                if top - above_bottom <= 2 and self._is_label_band(tail, above_bottom, left, right):
                    named = {c for row in range(tail, above_bottom) for c in self.filled(row, left, right)}
                    lines = [self.filled(row, left, right) for row in range(top, min(top + 3, bottom))]
                    figures = {
                        c
                        for row, line in enumerate(lines, top)
                        for c in line
                        if number_in(self.rows[row][c]) is not None
                    }
                    if figures and figures <= named:
                        result[-1] = (above_top, bottom)
                        continue
            result.append((top, bottom))
        return result

    def _single(self, row: int, left: int, right: int) -> int | None:
        """The column of a row's only text, where the row has just one (or the same merged over the whole width)."""
        cells = self.filled(row, left, right)
        return cells[0] if len(cells) == 1 else None

    def _band(
        self, top: int, bottom: int, left: int, right: int, titles: tuple[str, ...], depth: int
    ) -> list[Region | tuple[int, int]]:
        used = sorted({column for row in range(top, bottom) for column in self.filled(row, left, right)})
        left, right = used[0], used[-1] + 1
        before: list[tuple[int, int]] = []
        after: list[tuple[int, int]] = []
        counts = [len(self.filled(row, left, right)) for row in range(top, bottom)]
        if right - left == 1 and bottom - top >= 4 and self._is_list(top, bottom, left):
            return [Region(top, bottom, left, right, titles)]
        wordy = all(
            number_in(self.rows[row][c]) is None
            for row in range(top, bottom)
            for c in self.filled(row, left, right)
        )
        if (
            right - left == 1
            or max(counts) < 2
            or (wordy and sum(1 for n in counts if n > 1) < 0.4 * len(counts))
        ):
            return [(row, column) for row in range(top, bottom) for column in self.filled(row, left, right)]
        while bottom - top > 1 and (column := self._single(top, left, right)) is not None:
            if not self._is_title(top, column, left, right, bottom):
                break
            before.append((top, column))
            top += 1
        while bottom - top > 1 and (column := self._single(bottom - 1, left, right)) is not None:
            content = shown(self.rows[bottom - 1][column])
            if labels.is_total(content) and len(content) < 40:
                break
            if right - left <= 2 and not (_NOTE.match(content) or len(content) > 60):
                break
            if number_in(self.rows[bottom - 1][column]) is not None and column > left:
                break
            after.insert(0, (bottom - 1, column))
            bottom -= 1
        lines = [shown(self.rows[row][column]) for row, column in before]
        titles += tuple(line for line in lines if len(line) <= 160 and not is_sentence(line))
        return [*before, *self._columns(top, bottom, left, right, titles, depth), *after]

    def _is_list(self, top: int, bottom: int, column: int) -> bool:
        """Whether one column of cells under a short head is a list: all short, or all numbers."""
        cells = [self.rows[row][column] for row in range(top + 1, bottom)]
        numbers = sum(1 for cell in cells if number_in(cell) is not None)
        return numbers >= 0.9 * len(cells) and number_in(self.rows[top][column]) is None

    def _is_title(self, row: int, column: int, left: int, right: int, bottom: int) -> bool:
        """Whether a row's only text is a title above the table rather than a label of some columns."""
        span = self._spans.get((row, column))
        if span is not None:
            if span[2] > row and row + 1 < bottom and len(self.filled(row + 1, left, right)) > 1:
                return False
            if span[1] > left and span[3] + 1 < right:
                return False
            if span[1] <= left and span[3] + 1 >= right:
                return True
        if column == left:
            return True
        content = shown(self.rows[row][column])
        # A centred title runs over its cell; a label of a group of columns is short and stands above filled cells.
        return span is None and (len(content) > 60 or self.rows[row + 1][column] is None)

    def _columns(
        self, top: int, bottom: int, left: int, right: int, titles: tuple[str, ...], depth: int
    ) -> list[Region | tuple[int, int]]:
        """The region cut at blank columns where both sides begin with names of their own, or the right one is notes."""
        used = sorted({column for row in range(top, bottom) for column in self.filled(row, left, right)})
        left, right = used[0], used[-1] + 1
        filled = set(used)
        cuts: list[tuple[int, int]] = []
        start = column = left
        while column < right:
            if column in filled:
                column += 1
                continue
            end = column
            while end not in filled:
                end += 1
            if self._begins_table(top, bottom, end, right, filled) or self._is_margin(
                top, bottom, end, right, column - start
            ):
                cuts.append((start, column))
                start = end
            column = end
        cuts.append((start, right))
        if len(cuts) == 1 or depth >= 6:
            return [Region(top, bottom, left, right, titles[-4:])]
        result: list[Region | tuple[int, int]] = []
        for first, last in cuts:
            result += self._cut(top, bottom, first, last, titles, depth + 1)
        return result

    def _is_margin(self, top: int, bottom: int, left: int, right: int, before: int) -> bool:
        """Whether a lone column right of a blank one holds remarks on the table before it."""
        if right - left != 1 or before < 2:
            return False
        cells = [self.rows[row][left] for row in range(top, bottom) if self.rows[row][left] is not None]
        return all(number_in(cell) is None for cell in cells) and len(cells) <= max(3, 0.3 * (bottom - top))

    def _begins_table(self, top: int, bottom: int, left: int, right: int, filled: set[int]) -> bool:
        end = left
        while end < right and end in filled:
            end += 1
        if end - left < 2:
            return False
        cells = [self.rows[row][left] for row in range(top, bottom) if self.rows[row][left] is not None]
        body = cells[1:]
        if len(body) < 2:
            return False
        words = sum(1 for cell in body if number_in(cell) is None or (labels.is_year(number_in(cell) or 0)))
        return words >= 0.8 * len(body) and len({shown(cell) for cell in body}) > 0.5 * len(body)

    def trimmed(self, region: Region) -> Region:
        """A region without empty outer rows and without title rows on top and notes at the bottom."""
        top, bottom, left, right = region.top, region.bottom, region.left, region.right
        while bottom > top and not self.filled(bottom - 1):
            bottom -= 1
        while top < bottom and not self.filled(top):
            top += 1
        titles = list(region.titles)
        while bottom - top > 2 and (column := self._single(top, left, right)) is not None:
            if not self._is_title(top, column, left, right, bottom):
                break
            if self._spans.get((top, column)) is None and column != left:
                break
            titles.append(shown(self.rows[top][column]))
            top += 1
            while top < bottom - 1 and not self.filled(top):
                top += 1
        return Region(top, bottom, left, right, tuple(titles))

    def text_block(self, row: int, column: int) -> list[Block]:
        """A loose cell as a text block."""
        content = shown(self.rows[row][column])
        if not content:
            return []
        kind = "heading" if row <= 2 and len(content) <= 200 and not _NOTE.match(content) else "paragraph"
        if _NOTE.match(content):
            kind = "note"
        locator = self.place(row, column)
        return [Block(kind=kind, text=content, level=int(kind == "heading"), locator=locator)]  # type: ignore[arg-type]

    def place(self, row: int, column: int) -> Locator:
        """The locator of a cell of the rectangle."""
        origin = self.raw.origin
        if isinstance(origin, CellLocator | TableCellLocator):
            return origin.model_copy(update={"row": origin.row + row, "column": origin.column + column})
        return origin

    def label(self, row: int, column: int) -> str:
        """The text over a column in a header row, a merged range's text in each of its cells."""
        return shown(self.rows[row][column]) or self._merged_label(row, column)

    def _merged_label(self, row: int, column: int) -> str:
        origin = self._covered.get((row, column))
        return shown(self.rows[origin[0]][origin[1]]) if origin is not None else ""
