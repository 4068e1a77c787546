"""Lines of figures: the columns, rows and sums of typed tables and the figures of texts, ready to be compared.

A ``Line`` maps cleaned keys to ``Term`` values: the rows of a column, the periods of a row, the groups of a sum. Each
term knows the places in the file that it comes from, so that whatever is found can be read again.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..records import (
    Block,
    Document,
    Locator,
    PageLocator,
    SlideLocator,
    Table,
    TableCellLocator,
    WorkspaceFile,
    adds_up,
    parse_number,
    parse_scaled,
)
from .keys import are_states, canonical_period, clean_key, content, two_digit_years, years_in
from .measures import identifies

SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mm": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
_FIGURE = re.compile(
    r"(?<![\w.,/-])(?P<number>[$€£]?\s?\(?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\)?)"
    r"(?P<scale>[KMB](?![\w])|\s?(?:thousand|million|billion)s?(?!\w))?(?![\w]|[.,/:-]\d)"
)

# What several cells stand for: one number made of them, or the column itself.
How = Literal["sum", "mean", "max", "min", "count", "column"]


@dataclass(frozen=True, eq=False)
class Place:
    """One value in a file: a cell of a table, or a figure or word of a text block (then ``literal`` is its wording)."""

    file: WorkspaceFile
    locator: Locator
    value: float | str
    label: str
    measure: str
    period: str | None = None
    unit: str | None = None
    literal: str | None = None
    table: Table | None = None
    row: int = -1
    column: int = -1


@dataclass(frozen=True, eq=False)
class Term:
    """A value read from one cell of a table, or the sum (or mean) of the cells of one column in several rows."""

    value: float
    file: WorkspaceFile
    table: Table
    column: int
    rows: tuple[int, ...]
    label: str
    how: How = "sum"

    @property
    def summed(self) -> bool:
        return len(self.rows) > 1

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the value, or its parts, stand."""
        label = self.label if not self.summed else ""
        found = (place_of(self.file, self.table, row, self.column, label) for row in self.rows)
        return tuple(place for place in found if place is not None)


@dataclass(frozen=True, eq=False)
class Line:
    """Figures by cleaned key. ``name`` says what is measured, ``fixed`` which rows a sum is over."""

    file: WorkspaceFile
    document: Document
    kind: str
    place: tuple[str, str, int]
    name: str
    title: str
    terms: Mapping[str, Term]
    period: str | None = None
    unit: str | None = None
    fixed: tuple[tuple[str, str], ...] = ()
    key: str = ""

    @cached_property
    def words(self) -> frozenset[str]:
        """What the line is about: its own name, the table's title and what is fixed."""
        return content(f"{self.name} {self.title} {' '.join(value for _, value in self.fixed)}")

    @property
    def order(self) -> tuple[str, tuple[str, str, int], str]:
        return (self.file.name, self.place, " ".join(f"{name}={value}" for name, value in self.fixed))


def digits(value: float) -> int:
    """Significant digits of a number as a person would print it: trailing zeros don't count."""
    text = f"{abs(value):.10g}"
    text = text.split("e")[0].replace(".", "").lstrip("0")
    return len(text.rstrip("0"))


def cell_text(table: Table, row: int, column: int) -> str:
    """The text of a grid cell, empty where there is none; whole numbers without a decimal point."""
    value = table.grid[row][column]
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def place_of(file: WorkspaceFile, table: Table, row: int, column: int, label: str) -> Place | None:
    """The number of a grid cell at its place, None where it holds none."""
    number, literal = number_at(table, row, column), None
    if number is None:
        return None
    scaled = parse_scaled(cell_text(table, row, column))
    about = table.columns[column]
    name = " ".join(about.name.split()) or table.title
    if not label:
        label = ", ".join(
            text
            for one in table.columns
            if one.kind != "number" and (text := cell_text(table, row, one.index))
        )[:200]
    return Place(
        file=file,
        locator=table.locate(row, column),
        value=number,
        label=label or name,
        measure=name,
        period=about.period,
        unit=_SCALE_NAMES[scaled[2]] if scaled else about.unit,
        literal=scaled[0] if scaled else literal,
        table=table,
        row=row,
        column=column,
    )


_SCALE_NAMES = {1e3: "thousand", 1e6: "million", 1e9: "billion", 1e12: "trillion"}


def number_at(table: Table, row: int, column: int) -> float | None:
    """The number of a grid cell; of one with a scale behind it ($110.7B) the digits before it."""
    number = table.number(row, column)
    if number is None and isinstance(table.grid[row][column], str):
        scaled = parse_scaled(str(table.grid[row][column]))
        return scaled[1] if scaled else None
    return number


def holds_numbers(table: Table, column: int) -> bool:
    """Whether a column is of figures: typed so, or text that is mostly figures (with notes or scales among them)."""
    about = table.columns[column]
    if about.kind != "text":
        return about.kind == "number"
    rows = rows_of(table)
    figures = words = 0
    for row in rows:
        if table.grid[row][column] is None:
            continue
        if number_at(table, row, column) is not None:
            figures += 1
        elif (words := words + 1) > 0.4 * len(rows):
            return False
    return figures + words >= 3 and figures >= 0.6 * (figures + words)


def rows_of(table: Table) -> list[int]:
    """Body and total rows of a table."""
    return sorted({*range(*table.body), *table.totals})


def key_columns(table: Table) -> list[int]:
    """The columns that name the rows, each on its own: filled, and different in nearly every row; the best first."""
    rows = rows_of(table)
    if len(rows) < 3:
        return []
    found = []
    for column in table.columns:
        cells = [cell_text(table, row, column.index) for row in rows]
        filled = [cell for cell in cells if cell]
        if holds_numbers(table, column.index) and not identifies(column.name):
            continue
        if len(filled) < 0.8 * len(rows) or len({clean_key(cell) for cell in filled}) < 0.95 * len(filled):
            continue
        found.append(column.index)
    return sorted(found, key=lambda index: index != table.key)[:3]


def keys_of(table: Table, column: int, rows: Sequence[int]) -> dict[str, int]:
    """Cleaned key to row; a key that occurs twice names no row."""
    cells = {row: cell_text(table, row, column) for row in rows}
    years = two_digit_years(table.columns[column].name, [cell for cell in cells.values() if cell])
    states = are_states(cells.values())
    found: dict[str, int] = {}
    twice = set()
    for row, cell in cells.items():
        if not cell:
            continue
        bare = cell.strip("* ").removesuffix(".0")
        key = str((1900 if int(bare) >= 70 else 2000) + int(bare)) if years else clean_key(cell, states)
        if key in found:
            twice.add(key)
        found[key] = row
    return {key: row for key, row in found.items() if key and key not in twice}


def number_columns(table: Table, codes: bool = False) -> list[int]:
    """The columns that hold figures; with ``codes`` also those that only number or identify things."""
    return [
        column.index
        for column in table.columns
        if holds_numbers(table, column.index)
        and (codes or column.index != table.key)
        and (codes or not identifies(column.name))
    ]


def column_lines(file: WorkspaceFile, document: Document, least: int, most: int) -> Iterator[Line]:
    """A line a number column and key column, and a line a row over at least ``least`` periods."""
    for table in document.tables:
        rows = rows_of(table)
        if table.truncated or not 2 <= len(rows) <= most:
            continue
        keys = key_columns(table)
        named: list[tuple[int, dict[str, int], tuple[tuple[str, str], ...]]] = [
            (key, keys_of(table, key, rows), ()) for key in keys
        ]
        if not keys:
            named += _within(table, rows)
        for key, by_key, fixed in named:
            if len(by_key) < 2:
                continue
            for index in number_columns(table, codes=True):
                column = table.columns[index]
                if index == key:
                    continue
                terms = {
                    name: Term(found, file, table, index, (row,), cell_text(table, row, key))
                    for name, row in by_key.items()
                    if (found := number_at(table, row, index)) is not None
                }
                if len(terms) >= 2:
                    yield Line(
                        file,
                        document,
                        "column",
                        (table.id, f"c{key}", index),
                        " ".join(column.name.split()),
                        table.title or document.title,
                        terms,
                        column.period,
                        column.unit,
                        fixed,
                        table.columns[key].name,
                    )
        yield from _row_lines(file, document, table, rows, least)


def _within(
    table: Table, rows: Sequence[int]
) -> list[tuple[int, dict[str, int], tuple[tuple[str, str], ...]]]:
    """Key columns that name the rows only among those of one kind, where another column says of which kind they are."""
    found: list[tuple[int, dict[str, int], tuple[tuple[str, str], ...]]] = []
    for kind in table.columns:
        kinds: dict[str, list[int]] = {}
        if kind.kind == "number":
            continue
        for row in rows:
            kinds.setdefault(cell_text(table, row, kind.index), []).append(row)
        if not 2 <= len(kinds) <= 12:
            continue
        for column in table.columns:
            if column.kind == "number" or column.index == kind.index:
                continue
            for value, chosen in kinds.items():
                by_key = keys_of(table, column.index, chosen)
                if value and len(by_key) >= 4 and len(by_key) >= 0.95 * len(chosen):
                    found.append((column.index, by_key, ((kind.name, value),)))
    return found[:12]


def _row_lines(
    file: WorkspaceFile, document: Document, table: Table, rows: Sequence[int], least: int
) -> Iterator[Line]:
    dated: dict[str, int] = {}
    for column in table.columns:
        if column.kind == "number" and (period := canonical_period(" ".join(column.name.split()))):
            dated.setdefault(period, column.index)
    if len(dated) < least or table.key is None:
        return
    for row in rows:
        label = cell_text(table, row, table.key)
        terms = {
            period: Term(found, file, table, index, (row,), label)
            for period, index in dated.items()
            if (found := table.number(row, index)) is not None
        }
        if label and len(terms) >= least:
            yield Line(
                file,
                document,
                "row",
                (table.id, "r", row),
                label,
                table.title or document.title,
                terms,
                unit=table.columns[next(iter(dated.values()))].unit,
                key="period",
            )


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of a text with what stands before it, and the power of ten that its wording says."""

    place: Place
    scale: float | None
    step: float
    before: str
    sentence: str
    around: str


def text_figures(file: WorkspaceFile, document: Document) -> Iterator[Figure]:
    """The figures of the running text, each with the words in front of it as its label."""
    scaled = _stated_scale(document)
    pages: dict[int, list[str]] = {}
    for block in document.blocks:
        if (page := _page(block.locator)) is not None:
            pages.setdefault(page, []).append(block.text)
    # A last row that was read as text has its heads in the table above it.
    for table in document.tables:
        if isinstance(table.origin, TableCellLocator) and table.origin.page is not None:
            names = " ".join(dict.fromkeys(column.name for column in table.columns))
            pages.setdefault(table.origin.page, []).insert(0, names[:2000])
    around = {page: " ".join(texts)[:6000] for page, texts in pages.items()}
    for block in document.blocks:
        if not any(letter.isdigit() for letter in block.text):
            continue
        context = around.get(_page(block.locator) or 0, "") if _page(block.locator) is not None else ""
        yield from _block_figures(file, document, block, scaled, context)


def _page(locator: Locator) -> int | None:
    if isinstance(locator, PageLocator):
        return locator.page
    return locator.slide if isinstance(locator, SlideLocator) else None


def _block_figures(
    file: WorkspaceFile, document: Document, block: Block, scaled: float | None, around: str
) -> Iterator[Figure]:
    text = " ".join(block.text.split())
    last, label = 0, ""
    for match in _FIGURE.finditer(text):
        literal = match["number"].strip()
        if literal.count("(") != literal.count(")"):
            literal = literal.strip("()")
        number = parse_number(literal)
        if number is None or text[match.end() : match.end() + 1] == "%":
            continue
        words = text[last : match.start()]
        last = match.end()
        if re.search(r"[A-Za-z]{3}", words):
            label = re.split(r"(?<=[.;:•])\s", words.strip())[-1].strip(" $:=•-–")[-120:]
        said = (match["scale"] or "").strip().casefold()
        if said not in {"k", "m", "b"}:
            said = said.rstrip("s")
        scale = SCALES.get(said) if said else scaled
        decimals = len(literal.partition(".")[2].rstrip(")")) if "." in literal else 0
        place = Place(
            file=file,
            locator=block.locator,
            value=number,
            label=label or document.title,
            measure=label or document.title,
            literal=literal,
        )
        yield Figure(place, scale, 0.5 * 10.0**-decimals, label, text[:600], around)


_SCALE_SAID = re.compile(r"\b(?:amounts?|dollars|figures|\$)\s*in\s+(thousand|million|billion)s?\b", re.I)


def _stated_scale(document: Document) -> float | None:
    """The scale that a document states for all its figures ("amounts in millions"), None where it states none."""
    for block in document.blocks:
        if match := _SCALE_SAID.search(block.text):
            return SCALES[match[1].casefold()]
    return None


def scale_over(table: Table) -> float | None:
    """The scale that a table states for all its figures in its title or its first rows, None where it states none."""
    heads = (str(cell) for row in table.grid[: max(6, table.header)] for cell in row if isinstance(cell, str))
    for text in (table.title, *heads):
        if match := _SCALE_SAID.search(text):
            return SCALES[match[1].casefold()]
    return None


def spelt_number(table: Table, row: int, column: int) -> bool:
    """Whether a cell of a column of texts is a figure beyond doubt: written with commas or a currency sign."""
    value = table.grid[row][column]
    return (
        isinstance(value, str)
        and re.search(r"\d,\d{3}|[$€£]", value) is not None
        and number_at(table, row, column) is not None
    )


def context_of(place: Place, document: Document) -> frozenset[str]:
    """The words around a value: its row, its header, the titles above it."""
    table = place.table
    texts = [place.label, place.measure, document.title, place.file.name]
    if table is not None:
        texts.append(table.title)
        texts += [
            cell_text(table, place.row, column.index) for column in table.columns if column.kind != "number"
        ]
    return content(" ".join(texts)[:2000])


def years_around(place: Place, document: Document) -> frozenset[int]:
    """The years that a value is said to be of: by its header or row, otherwise by the titles."""
    near = years_in(f"{place.period or ''} {place.measure}")
    if near:
        return near
    if place.table is not None:
        row = years_in(
            " ".join(
                cell_text(place.table, place.row, column.index)
                for column in place.table.columns
                if column.kind != "number"
            )
        )
        if row:
            return row
        return years_in(f"{document.title} {place.file.name} {place.table.title}")
    titles = " ".join(table.title for table in document.tables)
    heads = " ".join(block.text for block in document.blocks[:60] if block.kind == "heading")
    return years_in(f"{document.title} {place.file.name} {titles} {heads}")


def summable(table: Table, column: int) -> bool:
    """Whether a sum over rows of a column may mean something."""
    about = table.columns[column]
    return adds_up(f"{about.name}", about.unit) and not identifies(about.name)
