"""Rectangles of cells made into typed tables: regions, headers, column kinds, units, periods, totals, keys.

Nothing is guessed: a header that can't be told from the data is no header, and a column that isn't unique and filled
is no key. What a person reads as a title or a note around a table becomes text.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from graphforge.records import (
    Block,
    CellLocator,
    Column,
    PointerLocator,
    Table,
    TableCellLocator,
    Value,
    column_letters,
    normalize,
)

from . import labels
from .page_header import PageHeader, page_header, without_echo
from .raw import RawTable
from .regions import Grid, Region, is_missing, number_in, shown

_HEADER_ROWS = 8
_SAMPLE = 600
_KEY_TEXT = 90
_SYMBOLS = {"$", "%", ")", "(", "US$", "€", "£", ")%", "#"}
_PURE = re.compile(r"\b(?:rate|rates|ratio|percent|percentage|pct|share|index|median age|number of)\b")
_YEAR_MONTH = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-3]\d)?")


def _states_unit(text: str) -> bool:
    """Whether a title or corner states the unit of the figures: a scale anywhere, any unit in brackets."""
    if re.search(r"\b(?:thousand|million|billion)s?\b|\(\$\)|\$000", text, re.IGNORECASE):
        return labels.unit_of(text) is not None
    return any(
        labels.unit_of(inner) is not None and len(inner) <= 40 for inner in re.findall(r"\(([^()]*)\)", text)
    )


class TypedTables:
    """Collects the typed tables of a document, at most ``limit`` of them."""

    def __init__(self, limit: int):
        self._limit = limit
        self.tables: list[Table] = []
        self.left_out = 0
        self._page: tuple[RawTable, Region, Table] | None = None

    def add(self, raw: RawTable) -> list[Block]:
        """Type the tables in a rectangle; the text around them comes back as blocks."""
        grid = _TypedGrid(raw)
        if not grid.height or not grid.width:
            return []
        if (
            not raw.sheet
            and not isinstance(raw.origin, PointerLocator)
            and (grid.width == 1 or grid.height == 1)
        ):
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
            if (
                table is not None
                and raw.edges
                and (table.header or not (before and _same_columns(before[0], raw)))
            ):
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

    def _keep(self, grid: "_TypedGrid", region: Region, above: tuple[Region, Table] | None) -> Table | None:
        if len(self.tables) >= self._limit:
            self.left_out += 1
            return None
        table = grid.typed(region, f"t{len(self.tables) + 1}", above)
        self.tables.append(table)
        return table


def _on_page(raw: RawTable) -> bool:
    return isinstance(raw.origin, TableCellLocator) and raw.origin.page is not None


def _between(places: frozenset[int], first: int, end: int) -> tuple[int, ...]:
    return tuple(sorted(place - first for place in places if first <= place < end))


def _same_columns(above: RawTable, below: RawTable) -> bool:
    """Whether a table on a page may go on with the one before: on the next page, its columns at the same edges."""
    first, second = above.origin, below.origin
    if not isinstance(first, TableCellLocator) or not isinstance(second, TableCellLocator):
        return False
    if first.page is None or second.page != first.page + 1 or second.table != 0 or not above.edges:
        return False
    return len(above.edges) == len(below.edges) and all(
        abs(a - b) <= 2 for a, b in zip(above.edges, below.edges, strict=True)
    )


class _TypedGrid(Grid):
    """A rectangle whose regions are made into tables."""

    def typed(self, region: Region, identifier: str, above: tuple[Region, Table] | None) -> Table:
        """The region as a table."""
        rows = [self.rows[row][region.left : region.right] for row in range(region.top, region.bottom)]
        width = region.right - region.left
        view = _View(rows)
        header = self._header(region, view)
        names = [""] * width
        inherited = False
        among: tuple[str, ...] = ()
        if header:
            names, among = self._names(region, header, view)
        elif above is not None and self._continues(region, view, above):
            names = [column.name for column in above[1].columns]
            inherited = True
        titles = ("; ".join(dict.fromkeys(region.titles)) or self.raw.title, *among)
        title = "; ".join(filter(None, titles))
        raw_names = isinstance(self.raw.origin, PointerLocator)
        if raw_names:
            names = [str(value) for value in rows[0]]
        first, last, totals = self._body(view, header)
        # Where every row is a total, the totals tell what the columns hold.
        kinds = (
            (first, last)
            if last > first
            else (min([first, *totals]), max([last, *(row + 1 for row in totals)]))
        )
        columns = [view.column(index, names[index], *kinds) for index in range(width)]
        self._corner_unit(columns, title)
        columns = _with_table_period(columns, title)
        columns = [
            column.model_copy(update={"name": "", "period": None})
            if column.kind == "text"
            and _is_symbols([row[column.index] for row in rows[first:last] if row[column.index]])
            and any(row[column.index] for row in rows[first:last])
            else column
            for column in columns
        ]
        key = None
        if (header or inherited) and not self.raw.truncated:
            key = _key_column(view, columns, first, last)
        if not header and not inherited:
            columns = [
                column.model_copy(
                    update={"name": column_letters(region.left + column.index), "unit": column.unit}
                )
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
            merges=self._merges(region),
            hidden=self.raw.hidden,
            hidden_rows=_between(self.raw.hidden_rows, region.top, region.bottom),
            hidden_columns=_between(self.raw.hidden_columns, region.left, region.right),
            truncated=self.raw.truncated,
        )

    def _merges(self, region: Region) -> tuple[tuple[int, int, int, int], ...]:
        """The merged ranges of more than one cell inside the region, by its own rows and columns."""
        top, left = region.top, region.left
        return tuple(
            (m[0] - top, m[1] - left, min(m[2], region.bottom - 1) - top, min(m[3], region.right - 1) - left)
            for m in sorted(self.raw.merges)
            if top <= m[0] < region.bottom and left <= m[1] < region.right and (m[0], m[1]) != (m[2], m[3])
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
            free = column.unit is None or (
                column.unit == "USD" and unit is not None and unit.endswith(" USD")
            )
            if column.kind == "number" and free and not _PURE.search(normalize(column.name)):
                columns[number] = column.model_copy(update={"unit": unit})

    def _continues(self, region: Region, view: "_View", above: tuple[Region, Table]) -> bool:
        """Whether a region without a header goes on with the columns of the table above it."""
        upper, table = above
        if (upper.left, upper.right) != (region.left, region.right) or not table.header:
            return False
        kinds = [
            view.column(index, "", 0, len(view.rows)).kind for index in range(region.right - region.left)
        ]
        pairs = [
            (a, b.kind)
            for a, b in zip(kinds, table.columns, strict=True)
            if a != "empty" and b.kind != "empty"
        ]
        return len(pairs) >= 2 and all(a == b for a, b in pairs) and any(a == "number" for a, _ in pairs)

    def _header(self, region: Region, view: "_View") -> int:
        """How many rows at the top are header rows; 0 where none can be told from the data."""
        height = region.bottom - region.top
        hint = self.raw.header
        if hint is not None and (
            isinstance(self.raw.origin, PointerLocator) or (region.top == 0 and hint >= height)
        ):
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
            return (
                distinct
                and bool(numbers)
                and years <= 0.3 * len(numbers)
                and values == sorted(values, reverse=values[0] > values[-1])
            )
        counted = [abs(value) for value in values]
        return (
            row > 0
            and len(counted) >= 3
            and counted == [float(n) for n in range(int(counted[0]), int(counted[0]) + len(counted))]
            and counted[0] in {1, 2}
        )

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
        if any(
            len(text) > 60
            or (text.endswith((".", ";", ":")) and len(text) > 25)
            or number_in(text) is not None
            for text in filled
        ):
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

    def _names(self, region: Region, header: int, view: "_View") -> tuple[list[str], tuple[str, ...]]:
        """The columns' names, and titles that stand among the header lines of a page."""
        width = region.right - region.left
        lines = [
            [self.label(region.top + row, region.left + column) for column in range(width)]
            for row in range(header)
        ]
        if not self.raw.merges:
            for row in range(header - 1):
                lines[row] = _spread(lines[row], lines[row + 1])
            lines = _without_preamble(
                lines, delimited=isinstance(self.raw.origin, CellLocator) and not self.raw.origin.sheet
            )
        lines = _without_pivot_marks(lines)
        page = page_header(lines) if _on_page(self.raw) else PageHeader(lines, (), True)
        names = []
        for column in range(width):
            parts: list[str] = []
            for line in page.lines:
                if line[column] and line[column] not in parts:
                    parts.append(line[column])
            name = " ".join(parts)
            if _on_page(self.raw):
                name = without_echo(name) if page.trusted or not column else ""
            names.append(
                "" if name in _SYMBOLS and len(parts) == 1 and name not in {"%", "#"} else name[:300]
            )
        return names, page.titles

    def _body(self, view: "_View", header: int) -> tuple[int, int, list[int]]:
        """The body rows (half-open) and the total rows before and after it."""
        rows = view.rows
        last = len(rows)
        while last > header and all(cell is None for cell in rows[last - 1]):
            last -= 1
        numeric = view.numeric_columns()

        @cache
        def names() -> frozenset[str]:
            return frozenset(
                normalize(cell)
                for row in rows[header:last]
                for cell in row[:3]
                if isinstance(cell, str) and len(cell) < 40
            )

        @cache
        def counts() -> Counter[str]:
            texts = Counter(
                cell for row in rows[header:last] for cell in row if isinstance(cell, str) and len(cell) <= 60
            )
            folded: Counter[str] = Counter()
            for text, number in texts.items():
                folded[normalize(text)] += number
            return folded

        def total(row: Sequence[Value]) -> bool:
            texts = [shown(cell) for cell in row[: max(4, len(row) // 2)] if isinstance(cell, str)]
            if not texts or len(texts[0]) > 60 or not labels.is_total(texts[0], names):
                return False
            # A label that comes again belongs to the data: each group of a long table has its own total.
            if counts()[normalize(texts[0])] > 1:
                return False
            return (
                any(number_in(row[c]) is not None for c in numeric)
                or sum(cell is not None for cell in row) == 1
            )

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
        return (
            [last]
            if not any(len(set(filter(None, line))) < len(list(filter(None, line))) for line in lines[:-1])
            else lines
        )
    return lines


def _without_pivot_marks(lines: list[list[str]]) -> list[list[str]]:
    """The header lines without the words that a pivot table puts beside its labels."""
    if not any(text == "Row Labels" for line in lines for text in line) or len(lines) < 2:
        return lines
    if not any(text == "Column Labels" for line in lines for text in line):
        return lines
    return [
        [line[0] if line[0] == "Row Labels" else "", *("" if t == "Column Labels" else t for t in line[1:])]
        for line in lines
    ]


def _spread(line: list[str], below: list[str]) -> list[str]:
    """Group labels filled to the right where the labels below repeat group by group, so that the groups are certain."""
    starts = [c for c, text in enumerate(line) if text and c > 0]
    if len(starts) < 2:
        return line
    steps = {b - a for a, b in pairwise(starts)}
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
                1
                for position, cell in enumerate(cells)
                if number_in(cell) is None and position >= _HEADER_ROWS
            )
            if numbers and (
                numbers >= 0.6 * len(cells) or (numbers >= 2 and numbers >= 0.5 * len(cells) and not words)
            ):
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
        if all(labels.is_year(number) for number in numbers) and not any(
            isinstance(c, str) and ("," in c or "$" in c) for c in present
        ):
            if period_name or (index == 0 and len(numbers) >= 3):
                return "period"
        if (
            period_name
            and re.search(r"\b(?:month|quarter|qtr)\b", normalize(name))
            and all(number.is_integer() and 1 <= number <= 12 for number in numbers)
        ):
            return "period"
        return "number"
    texts = [shown(cell) for cell in present[:_SAMPLE]]
    if sum(1 for text in texts if labels.is_period(text)) >= 0.9 * len(texts):
        return "period"
    return "text"


def _with_table_period(columns: list[Column], title: str) -> list[Column]:
    """Month starts become months where every dated column is one; the title's period holds where a column has none."""
    dated = [
        column for column in columns if column.period and re.fullmatch(r"\d{4}-\d\d-\d\d", column.period)
    ]
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
    found = [
        period
        for line in title.split("; ")
        if len(periods := labels.periods_of(line)) == 1
        for period in periods
    ]
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
        if (
            any(cell is None for row in body for cell in row[: column.index] if columns[0].kind == "text")
            and column.index > 1
        ):
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
