"""Rectangles of cells made into typed tables: regions, headers, column kinds, units, periods, totals, keys.

Nothing is guessed: a header that can't be told from the data is no header, and a column that isn't unique and filled
is no key. What a person reads as a title or a note around a table becomes text.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from graphforge.records import (
    Block,
    CellLocator,
    Column,
    Locator,
    PointerLocator,
    Table,
    TableCellLocator,
    Value,
    column_letters,
    normalize,
    parse_number,
)

from . import labels
from .raw import RawTable

_HEADER_ROWS = 8
_SAMPLE = 600
_KEY_TEXT = 90
_SYMBOLS = {"$", "%", ")", "(", "US$", "€", "£", ")%", "#"}
_MISSING = {
    "", "-", "--", "---", "n/a", "na", "#n/a", "nan", "none", "null", "…", "...", "*", "**", "***", "x", "(x)", "d", "(d)", "s",
    "(s)", "w", "nr", "nd", "n.a.", "tbd", "—", "–", ".", "..", "suppressed", "not available", "unreliable", "#", "nm",
    "privacysuppressed", "not applicable", "$-", "$ -",
}  # fmt: skip
_PURE = re.compile(r"\b(?:rate|rates|ratio|percent|percentage|pct|share|index|median age|number of)\b")
_YEAR_MONTH = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-3]\d)?")
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


def _states_unit(text: str) -> bool:
    """Whether a title or corner states the unit of the figures: a scale anywhere, any unit in brackets."""
    if re.search(r"\b(?:thousand|million|billion)s?\b|\(\$\)|\$000", text, re.IGNORECASE):
        return labels.unit_of(text) is not None
    return any(labels.unit_of(inner) is not None and len(inner) <= 40 for inner in re.findall(r"\(([^()]*)\)", text))


def _is_sentence(text: str) -> bool:
    return text.endswith((".", ".)")) and len(text.split()) > 8


def number_in(value: Value) -> float | None:
    """The number of a cell; zip-code-like text with a leading zero is none."""
    if isinstance(value, str) and len(value) > 40:
        return None
    if isinstance(value, str) and len(value) > 1 and value[0] == "0" and value.isdigit():
        return None
    return parse_number(value)


@dataclass
class Region:
    """A rectangle inside a raw table (rows and columns half-open), with its title lines."""

    top: int
    bottom: int
    left: int
    right: int
    titles: tuple[str, ...] = ()


class TypedTables:
    """Collects the typed tables of a document, at most ``limit`` of them."""

    def __init__(self, limit: int):
        self._limit = limit
        self.tables: list[Table] = []
        self.left_out = 0
        self._page: tuple[RawTable, Region, Table] | None = None

    def add(self, raw: RawTable) -> list[Block]:
        """Type the tables in a rectangle; the text around them comes back as blocks."""
        grid = _Grid(raw)
        if not grid.height or not grid.width:
            return []
        if not raw.sheet and not isinstance(raw.origin, PointerLocator) and (grid.width == 1 or grid.height == 1):
            # A box drawn around text is no table.
            cells = [(row, column) for row in range(grid.height) for column in grid.filled(row)]
            return [block for row, column in cells for block in grid.text_block(row, column)]
        if not raw.sheet:
            region = grid.trimmed(Region(0, grid.height, 0, grid.width)) if raw.header is None else None
            region = region or Region(0, grid.height, 0, grid.width)
            if isinstance(raw.origin, PointerLocator):
                region = Region(0, grid.height, 0, grid.width)
            before = self._page
            table = self._keep(grid, region, before[1:] if before and _same_columns(before[0], raw) else None)
            if table is not None and raw.edges and (table.header or not (before and _same_columns(before[0], raw))):
                self._page = (raw, region, table)
            elif before and _same_columns(before[0], raw):
                self._page = (raw, *before[1:])
            return []
        blocks: list[Block] = []
        above: tuple[Region, Table] | None = None
        for piece in grid.pieces():
            if isinstance(piece, tuple):
                blocks += grid.text_block(*piece)
                continue
            table = self._keep(grid, piece, above)
            if table is not None:
                above = (piece, table) if table.header or above is None else above
        return blocks

    def _keep(self, grid: "_Grid", region: Region, above: tuple[Region, Table] | None) -> Table | None:
        if len(self.tables) >= self._limit:
            self.left_out += 1
            return None
        table = grid.typed(region, f"t{len(self.tables) + 1}", above)
        self.tables.append(table)
        return table


def _same_columns(above: RawTable, below: RawTable) -> bool:
    """Whether a table on a page may go on with the one before: on the next page, its columns at the same edges."""
    first, second = above.origin, below.origin
    if not isinstance(first, TableCellLocator) or not isinstance(second, TableCellLocator):
        return False
    if first.page is None or second.page != first.page + 1 or second.table != 0 or not above.edges:
        return False
    return len(above.edges) == len(below.edges) and all(abs(a - b) <= 2 for a, b in zip(above.edges, below.edges, strict=True))


class _Grid:
    """A raw table made rectangular."""

    def __init__(self, raw: RawTable):
        self.raw = raw
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
        """The columns of a row that hold something."""
        line = self.rows[row]
        return [c for c in range(left, self.width if right is None else right) if line[c] is not None]

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
            blank = row == bottom or all(cell is None for cell in self.rows[row][left:right])
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
                if line and len(line) <= 160 and not _NOTE.match(line) and not _is_sentence(line):
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
                while tail > above_top and above_bottom - tail < 4 and len(self.filled(tail - 1, left, right)) >= 2:
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
            number_in(self.rows[row][c]) is None for row in range(top, bottom) for c in self.filled(row, left, right)
        )
        if right - left == 1 or max(counts) < 2 or (wordy and sum(1 for n in counts if n > 1) < 0.4 * len(counts)):
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
        titles += tuple(line for line in lines if len(line) <= 160 and not _is_sentence(line))
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
            if self._begins_table(top, bottom, end, right, filled) or self._is_margin(top, bottom, end, right, column - start):
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

    # --- typing

    def label(self, row: int, column: int) -> str:
        """The text over a column in a header row, a merged range's text in each of its cells."""
        return shown(self.rows[row][column]) or self._merged_label(row, column)

    def _merged_label(self, row: int, column: int) -> str:
        origin = self._covered.get((row, column))
        return shown(self.rows[origin[0]][origin[1]]) if origin is not None else ""

    def typed(self, region: Region, identifier: str, above: tuple[Region, Table] | None) -> Table:
        """The region as a table."""
        rows = [self.rows[row][region.left : region.right] for row in range(region.top, region.bottom)]
        width = region.right - region.left
        view = _View(rows)
        header = self._header(region, view)
        names = [""] * width
        inherited = False
        if header:
            names = self._names(region, header, view)
        elif above is not None and self._continues(region, view, above):
            names = [column.name for column in above[1].columns]
            inherited = True
        titles = list(region.titles)
        title = "; ".join(dict.fromkeys(titles)) or self.raw.title
        raw_names = isinstance(self.raw.origin, PointerLocator)
        if raw_names:
            names = [str(value) for value in rows[0]]
        first, last, totals = self._body(view, header)
        # Where every row is a total, the totals tell what the columns hold.
        kinds = (first, last) if last > first else (min([first, *totals]), max([last, *(row + 1 for row in totals)]))
        columns = [view.column(index, names[index], *kinds) for index in range(width)]
        self._corner_unit(columns, title)
        columns = _with_table_period(columns, title)
        columns = [
            column.model_copy(update={"name": "", "period": None})
            if column.kind == "text" and _is_symbols([row[column.index] for row in rows[first:last] if row[column.index]])
            and any(row[column.index] for row in rows[first:last])
            else column
            for column in columns
        ]
        key = None
        if (header or inherited) and not self.raw.truncated:
            key = _key_column(view, columns, first, last)
        if not header and not inherited:
            columns = [
                column.model_copy(update={"name": column_letters(region.left + column.index), "unit": column.unit})
                for column in columns
            ]
        formulas = {
            f"{row - region.top},{column - region.left}": text
            for (row, column), text in sorted(self.raw.formulas.items())
            if region.top <= row < region.bottom and region.left <= column < region.right
        }
        return Table(
            id=identifier,
            title=title[:500],
            origin=self.place(region.top, region.left),
            grid=tuple(tuple(row) for row in rows),
            header=header,
            body=(first, last),
            totals=tuple(totals),
            columns=tuple(columns),
            key=key,
            formulas=formulas,
            hidden=self.raw.hidden,
            truncated=self.raw.truncated,
        )

    def _corner_unit(self, columns: list[Column], title: str) -> None:
        """A remark on the unit in the corner or the title holds for every number column that states none."""
        corner = columns[0].name if columns and columns[0].kind != "number" else ""
        remark = next((text for text in (corner, *reversed(title.split("; "))) if _states_unit(text)), None)
        if remark is None:
            return
        unit = labels.unit_of(remark)
        if corner and remark == corner and labels.is_unit_only(corner):
            columns[0] = columns[0].model_copy(update={"name": ""})
        for number, column in enumerate(columns):
            free = column.unit is None or (column.unit == "USD" and unit is not None and unit.endswith(" USD"))
            if column.kind == "number" and free and not _PURE.search(normalize(column.name)):
                columns[number] = column.model_copy(update={"unit": unit})

    def _continues(self, region: Region, view: "_View", above: tuple[Region, Table]) -> bool:
        """Whether a region without a header goes on with the columns of the table above it."""
        upper, table = above
        if (upper.left, upper.right) != (region.left, region.right) or not table.header:
            return False
        kinds = [view.column(index, "", 0, len(view.rows)).kind for index in range(region.right - region.left)]
        pairs = [(a, b.kind) for a, b in zip(kinds, table.columns, strict=True) if a != "empty" and b.kind != "empty"]
        return len(pairs) >= 2 and all(a == b for a, b in pairs) and any(a == "number" for a, _ in pairs)

    def _header(self, region: Region, view: "_View") -> int:
        """How many rows at the top are header rows; 0 where none can be told from the data."""
        height = region.bottom - region.top
        hint = self.raw.header
        if hint is not None and (isinstance(self.raw.origin, PointerLocator) or region.top == 0 and hint >= height):
            return min(hint, height)
        found = self._found_header(region, view)
        return max(found, min(hint, height)) if hint is not None and region.top == 0 else found

    def _found_header(self, region: Region, view: "_View") -> int:
        height, width = region.bottom - region.top, region.right - region.left
        if height < 2:
            return 0
        numeric = view.numeric_columns()
        if not numeric:
            return self._text_header(region, view)
        named: set[int] = set()
        row = 0
        while row < min(_HEADER_ROWS, height - 1):
            line = view.rows[row]
            cells = [(c, self.label(region.top + row, region.left + c)) for c in range(width)]
            over = [(c, text) for c, text in cells if text and c in numeric]
            own = [c for c in range(width) if line[c] is not None]
            if own == [0] and 0 not in numeric and named:
                # The name of a group of rows may run over the first figures' column.
                break
            figures = [c for c, _ in over if number_in(line[c]) is not None]
            if not own:
                # A blank row between header and data belongs to neither; it counts as header once there is one.
                if not named:
                    break
                row += 1
                continue
            if figures and not self._labels_columns(view, row, figures, numeric):
                break
            if not over:
                if named:
                    break
                row += 1
                continue
            texts = [text for c, text in over if c not in figures]
            if not figures and named and all(is_missing(text) for text in texts):
                break
            if not figures and named >= set(numeric) and self._looks_like_data(view, row, numeric):
                break
            named.update(c for c, _ in over)
            row += 1
        if not named or row >= height:
            # Numbers that only count the rows carry no label; the words beside them may.
            loose = all(view.rows[0][c] is None for c in numeric)
            return self._text_header(region, view) if loose and not named else 0
        while row > 0 and not any(cell is not None for cell in view.rows[row - 1]) and row < 2:
            row -= 1
        return row

    @staticmethod
    def _looks_like_data(view: "_View", row: int, numeric: set[int]) -> bool:
        """Whether a row under a complete header is a data row without figures (all suppressed, or flags)."""
        texts = [shown(view.rows[row][c]) for c in numeric if view.rows[row][c] is not None]
        return len(texts) > 0 and len(set(texts)) == 1 and len(texts[0]) <= 3

    @staticmethod
    def _labels_columns(view: "_View", row: int, figures: list[int], numeric: set[int]) -> bool:
        """Whether the numbers of a row are labels: years over figures that are none, or the columns counted."""
        line = view.rows[row]
        values = [number_in(line[c]) or 0.0 for c in figures]
        others = [line[c] for c in numeric if c not in figures and line[c] is not None]
        if any(len(shown(cell)) > 80 for cell in others):
            return False
        if all(labels.is_year(value) for value in values):
            below = [
                number_in(lower[c])
                for lower in view.rows[row + 1 : row + 1 + _SAMPLE]
                for c in figures
                if lower[c] is not None
            ]
            numbers = [value for value in below if value is not None]
            years = sum(1 for value in numbers if labels.is_year(value))
            distinct = len(set(values)) == len(values) or len(values) > 1
            return distinct and bool(numbers) and years <= 0.3 * len(numbers) and values == sorted(values, reverse=values[0] > values[-1])
        counted = [abs(value) for value in values]
        return row > 0 and len(counted) >= 3 and counted == [float(n) for n in range(int(counted[0]), int(counted[0]) + len(counted))] and counted[0] in {1, 2}

    def _text_header(self, region: Region, view: "_View") -> int:
        """1 where the first row of a table of words is a header: short, distinct, filled, unlike what is below."""
        rows, width = view.rows, region.right - region.left
        used = [c for c in range(width) if any(row[c] is not None for row in rows)]
        first = [shown(rows[0][c]) for c in used]
        filled = [text for text in first if text]
        if len(rows) < 2 or len(used) < 2 or len(filled) < max(2, 0.75 * len(used)):
            return 0
        if len({normalize(text) for text in filled}) < len(filled):
            return 0
        if any(len(text) > 60 or text.endswith((".", ";", ":")) and len(text) > 25 or number_in(text) is not None for text in filled):
            return 0
        if any(labels.is_period(text) for text in filled) and len(filled) < 3:
            return 0
        for position, c in enumerate(used):
            if first[position] and any(shown(row[c]) == first[position] for row in rows[1:200]):
                return 0
        below = [shown(row[c]) for row in rows[1:200] for c in used if row[c] is not None]
        # A label merged over several rows says how deep the header is.
        spans = [self._spans.get((region.top, region.left + c)) for c in used]
        depth = max((span[2] - span[0] + 1 for span in spans if span is not None), default=1)
        if 1 < depth < min(len(rows), 4):
            return depth
        if len(rows) < 3 and self.raw.header is None and not self.raw.sheet:
            return 0
        return 1 if below else 0

    def _names(self, region: Region, header: int, view: "_View") -> list[str]:
        width = region.right - region.left
        lines = [
            [self.label(region.top + row, region.left + column) for column in range(width)] for row in range(header)
        ]
        if not self.raw.merges:
            for row in range(header - 1):
                lines[row] = _spread(lines[row], lines[row + 1])
            lines = _without_preamble(lines, delimited=isinstance(self.raw.origin, CellLocator) and not self.raw.origin.sheet)
        lines = _without_pivot_marks(lines)
        names = []
        for column in range(width):
            parts: list[str] = []
            for line in lines:
                if line[column] and line[column] not in parts:
                    parts.append(line[column])
            name = " ".join(parts)
            names.append("" if name in _SYMBOLS and len(parts) == 1 and name not in {"%", "#"} else name[:300])
        return names

    def _body(self, view: "_View", header: int) -> tuple[int, int, list[int]]:
        """The body rows (half-open) and the total rows before and after it."""
        rows = view.rows
        last = len(rows)
        while last > header and all(cell is None for cell in rows[last - 1]):
            last -= 1
        column = frozenset(
            normalize(cell) for row in rows[header:last] for cell in row[:3] if isinstance(cell, str) and len(cell) < 40
        )

        numeric = view.numeric_columns()
        counts = Counter(
            normalize(cell) for row in rows[header:last] for cell in row if isinstance(cell, str) and len(cell) <= 60
        )

        def total(row: Sequence[Value]) -> bool:
            texts = [shown(cell) for cell in row[: max(4, len(row) // 2)] if isinstance(cell, str)]
            if not texts or len(texts[0]) > 60 or not labels.is_total(texts[0], column):
                return False
            # A label that comes again belongs to the data: each group of a long table has its own total.
            if counts[normalize(texts[0])] > 1:
                return False
            return any(number_in(row[c]) is not None for c in numeric) or sum(cell is not None for cell in row) == 1

        first = header
        totals: list[int] = []
        if not header:
            return first, last, totals
        while first < last and total(rows[first]):
            totals.append(first)
            first += 1
        end = last
        while end > first and (total(rows[end - 1]) or all(cell is None for cell in rows[end - 1])):
            end -= 1
        totals += [row for row in range(end, last) if any(cell is not None for cell in rows[row])]
        return first, end, totals


def _without_preamble(lines: list[list[str]], delimited: bool) -> list[list[str]]:
    """The header lines without lines of another table's making above a complete last line of labels.

    In delimited text a line of settings (``version: 3``) or of another record often precedes the real header; it
    tells nothing about the columns unless it groups them, which ``_spread`` has settled.
    """
    last = lines[-1]
    filled = [text for text in last if text]
    if len(lines) < 2 or len(filled) < 0.9 * len(last) or len(set(filled)) < len(filled):
        return lines
    if delimited or any(text.endswith(":") for line in lines[:-1] for text in line):
        return [last] if not any(len(set(filter(None, line))) < len(list(filter(None, line))) for line in lines[:-1]) else lines
    return lines


def _without_pivot_marks(lines: list[list[str]]) -> list[list[str]]:
    """The header lines without the words that a pivot table puts beside its labels."""
    if not any(text == "Row Labels" for line in lines for text in line) or len(lines) < 2:
        return lines
    if not any(text == "Column Labels" for line in lines for text in line):
        return lines
    return [[line[0] if line[0] == "Row Labels" else "", *("" if t == "Column Labels" else t for t in line[1:])] for line in lines]


def _spread(line: list[str], below: list[str]) -> list[str]:
    """Group labels filled to the right where the labels below repeat group by group, so that the groups are certain."""
    starts = [c for c, text in enumerate(line) if text and c > 0]
    if len(starts) < 2:
        return line
    steps = {b - a for a, b in zip(starts, starts[1:], strict=False)}
    if len(steps) != 1 or (step := steps.pop()) < 2:
        return line
    groups = [tuple(below[start : start + step]) for start in starts]
    if len(set(groups)) != 1 or not all(groups[0]):
        return line
    result = list(line)
    for start in starts:
        for c in range(start, min(start + step, len(line))):
            result[c] = line[start]
    return result


class _View:
    """The rows of a region, with what its columns hold."""

    def __init__(self, rows: list[list[Value]]):
        self.rows = rows
        self.width = len(rows[0]) if rows else 0

    def numeric_columns(self) -> set[int]:
        """The columns that mostly hold numbers below their first rows."""
        found = set()
        step = max(1, len(self.rows) // _SAMPLE)
        for column in range(self.width):
            cells = [row[column] for row in self.rows[1::step] if not is_missing(row[column])]
            numbers = sum(1 for cell in cells if number_in(cell) is not None)
            words = sum(
                1 for position, cell in enumerate(cells) if number_in(cell) is None and position >= _HEADER_ROWS
            )
            if numbers and (numbers >= 0.6 * len(cells) or (numbers >= 2 and numbers >= 0.5 * len(cells) and not words)):
                found.add(column)
        return found

    def column(self, index: int, name: str, first: int, last: int) -> Column:
        """The column's kind, unit and period, from its name and its body cells."""
        cells = [row[index] for row in self.rows[first:last]]
        kind = _kind(cells, name, index)
        unit = None
        if kind == "number":
            unit = labels.unit_of(name) or self._cell_unit(cells) or self._neighbour_unit(index, first, last)
        return Column(index=index, name=name, kind=kind, unit=unit, period=labels.period_of(name))  # type: ignore[arg-type]

    @staticmethod
    def _cell_unit(cells: list[Value]) -> str | None:
        texts = [cell.strip() for cell in cells if isinstance(cell, str) and number_in(cell) is not None]
        if not texts:
            return None
        if sum(1 for text in texts if text.rstrip(")").endswith("%")) > 0.5 * len(texts):
            return "percent"
        if sum(1 for text in texts if "$" in text) > 0.5 * len(texts):
            return "USD"
        return None

    def _neighbour_unit(self, index: int, first: int, last: int) -> str | None:
        if index == 0:
            return None
        texts = {shown(row[index - 1]) for row in self.rows[first:last] if row[index - 1] is not None}
        return "USD" if texts and texts <= {"$", "US$"} else None


def _kind(cells: list[Value], name: str, index: int) -> str:
    present = [cell for cell in cells if not is_missing(cell)]
    if not present:
        return "empty" if all(cell is None for cell in cells) else "text"
    numbers = [number for cell in present if (number := number_in(cell)) is not None]
    if len(numbers) >= 0.9 * len(present) and numbers:
        period_name = labels.names_period(name)
        if labels.names_identifier(name) and all(number.is_integer() for number in numbers):
            # A code written in digits is a name: nothing is ever added up over it.
            return "text"
        if period_name and all(_YEAR_MONTH.fullmatch(shown(cell)) for cell in present):
            return "period"
        if all(labels.is_year(number) for number in numbers) and not any(isinstance(c, str) and ("," in c or "$" in c) for c in present):
            if period_name or (index == 0 and len(numbers) >= 3):
                return "period"
        if period_name and re.search(r"\b(?:month|quarter|qtr)\b", normalize(name)) and all(
            number.is_integer() and 1 <= number <= 12 for number in numbers
        ):
            return "period"
        return "number"
    texts = [shown(cell) for cell in present[:_SAMPLE]]
    if sum(1 for text in texts if labels.is_period(text)) >= 0.9 * len(texts):
        return "period"
    return "text"


def _with_table_period(columns: list[Column], title: str) -> list[Column]:
    """Month starts become months where every dated column is one; the title's period holds where a column has none."""
    dated = [column for column in columns if column.period and re.fullmatch(r"\d{4}-\d\d-\d\d", column.period)]
    result = list(columns)
    if len(dated) >= 3 and all(column.period and column.period.endswith("-01") for column in dated):
        for column in dated:
            result[column.index] = column.model_copy(update={"period": (column.period or "")[:7]})
    if any(column.kind == "period" for column in columns):
        return result
    general = _title_period(title)
    if general is not None:
        for position, column in enumerate(result):
            if column.kind == "number" and column.period is None:
                result[position] = column.model_copy(update={"period": general})
    return result


def _title_period(title: str) -> str | None:
    found = [period for line in title.split("; ") if len(periods := labels.periods_of(line)) == 1 for period in periods]
    several = any(len(labels.periods_of(line)) > 1 for line in title.split("; "))
    fiscal = list(dict.fromkeys(period for period in found if period.startswith("FY")))
    if len(fiscal) == 1 and not several:
        return fiscal[0]
    # A lone date in a title is when it was printed as often as what it tells about.
    longer = list(dict.fromkeys(period for period in found if not re.fullmatch(r"\d{4}-\d\d-\d\d", period)))
    return longer[0] if len(longer) == 1 and not several else None


def _key_column(view: _View, columns: list[Column], first: int, last: int) -> int | None:
    """The leftmost text or period column before the measures that is unique and filled; else such a column of codes."""
    body = view.rows[first:last]
    if len(body) < 3:
        return None
    codes: list[int] = []
    passed = 0
    for column in columns:
        if passed >= 3:
            break
        cells = [row[column.index] for row in body]
        if column.kind == "empty":
            continue
        if column.kind == "number":
            if _is_count(cells) or len({shown(cell) for cell in cells}) == 1:
                continue
            break
        if len({shown(cell) for cell in cells}) > 1:
            # What names a row stands at its start; columns that are the same in every row don't count.
            passed += 1
        if not _is_unique(cells) or _is_symbols(cells) or any("://" in shown(cell) for cell in cells):
            continue
        if any(cell is None for row in body for cell in row[: column.index] if columns[0].kind == "text") and column.index > 1:
            continue
        if column.kind == "text" and all(number_in(cell) is not None for cell in cells):
            codes.append(column.index)
            continue
        lengths = sorted(len(shown(cell)) for cell in cells)
        if lengths[len(lengths) // 2] <= _KEY_TEXT and lengths[-1] <= 4 * _KEY_TEXT:
            return column.index
    return codes[0] if codes else None


def _is_unique(cells: list[Value]) -> bool:
    seen: Counter[str] = Counter()
    for cell in cells:
        text = normalize(cell) if cell is not None else ""
        if not text:
            return False
        seen[text] += 1
        if seen[text] > 1:
            return False
    return True


def _is_symbols(cells: list[Value]) -> bool:
    return all(shown(cell) in _SYMBOLS for cell in cells)


def _is_count(cells: list[Value]) -> bool:
    """Whether the cells only number the rows: 0, 1, 2, … or 1, 2, 3, …"""
    numbers = [number_in(cell) for cell in cells]
    if not numbers or numbers[0] not in {0.0, 1.0}:
        return False
    return all(number == numbers[0] + step for step, number in enumerate(numbers))
