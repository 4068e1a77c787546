"""A table seen as keyed measures: what two tables must have in common to be worth comparing."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ..records import (
    Column,
    Document,
    Table,
    doubled,
    hides_a_sum,
    level_columns,
    mixed_units,
    mixes_levels,
    nameable,
    normalize,
    numbers_its_rows,
    rows_named,
    uncertain,
)
from .words import measure_of, period_of, without_period

MIN_ROWS, MAX_ROWS = 5, 400
_MIN_FILLED = 0.6

# Columns of numbers that count or measure nothing: codes, places, dates, order.
_CODES = frozenset(
    """id ids code codes fips geoid zip zipcode postal phone fax lat latitude lon long lng longitude year month day
    date quarter no nr num order rank index idx page row line sort seq naics sic soc cik ein duns key objectid
    x y version""".split()
)
_NOT_PARTS = re.compile(
    r"\b(?:percent|percentage|pct|rate|rates|ratio|average|avg|mean|median|index|price|prices|per|share|score|age|"
    r"factors?|intensity|change|growth|wages?|salary|hourly|efficiency|temperature|proportion|probability|risk|"
    r"quotient|minimum|maximum|min|max|percentile|std|error|difference|net|level|density|width|height|depth|speed|"
    r"distance|length|cumulative|lower|upper|interval|int|ef|coefficient|weight)\b"
)
# Whole things that are counted, or money that is paid: only such numbers are parts of a whole.
_COUNTED = re.compile(
    r"\b(?:total|totals|number|count|counts|amount|amounts|cases|deaths|recipients|families|persons|people|population|"
    r"employees|employment|workers|jobs|positions|students|enrollment|graduates|households|units|homes|returns|"
    r"accounts|receipts|revenue|revenues|spending|expenditures?|obligations?|collections?|payments?|disbursements?|"
    r"royalties|sales|costs?|awards?|grants?|funds?|budget|refunds?|transactions|trips|accidents|fatalities|incidents|"
    r"production|volume|consumption|generation|capacity|emissions|tons|barrels|dollars|usd|visas|notices|layoffs|"
    r"children|adults|seats|income|taxes|tax|class)\b"
)
_LEFTOVER_HEADER = re.compile(r"(?:column|unnamed|field|col)? ?\d*$")


@dataclass(frozen=True)
class Measure:
    """A number column: what it measures, for which period, and its value for every key that has one.

    ``stated_period`` is what the column's own header says; ``period`` falls back on the table's and the file's.
    ``named``: the measure and its rows can be asked for in words.
    """

    column: int
    name: str
    what: str
    unit: str
    period: str
    stated_period: str
    values: Mapping[str, float]
    named: bool = True

    @cached_property
    def keys(self) -> frozenset[str]:
        """The rows that have a value."""
        return frozenset(self.values)

    def counted(self, subject: str) -> bool:
        """Whether header, unit or, for a header that is only a period, the table's ``subject`` name a countable."""
        told = f"{normalize(self.name)} {self.unit}"
        return bool(_COUNTED.search(told)) or (
            not without_period(self.name) and bool(_COUNTED.search(normalize(subject)))
        )

    @cached_property
    def holds_subtotals(self) -> bool:
        """Whether a row is the sum of those beside it, whatever it is called."""
        return self.adds_up and hides_a_sum(tuple(self.values.values()))

    @cached_property
    def lowest(self) -> float:
        """The smallest value."""
        return min(self.values.values())

    @cached_property
    def adds_up(self) -> bool:
        """Whether a sum over the rows means something, as far as name and unit tell: no rate, price or average."""
        return (
            not _NOT_PARTS.search(normalize(self.name))
            and "%" not in self.name
            and not (_NOT_PARTS.search(self.unit))
        )


@dataclass(frozen=True)
class Panel:
    """A usable table of a file: complete, keyed, with 5 to 400 rows and at least one measure.

    ``keys`` are normalized, in the order of the file. ``temporal``: they are years, months or dates. ``partial``: it
    is the part on its page of a table that runs over several. ``called``: the file's name and its source's title.
    """

    sha256: str
    topic: str
    table: Table
    subject: str
    period: str
    keys: tuple[str, ...]
    key_name: str
    temporal: bool
    measures: tuple[Measure, ...]
    called: tuple[str, str] = ("", "")
    partial: bool = False

    @cached_property
    def mixed(self) -> bool:
        """Whether rows of several units stand under one another."""
        return mixed_units(self.keys)

    @cached_property
    def levels(self) -> tuple[Column, ...]:
        """The columns that may tell which rows hold others."""
        return level_columns(self.table)

    def mixes_levels(self, keys: Iterable[str]) -> bool:
        """Whether some of the rows of these names hold others of them."""
        if not self.levels:
            return False
        rows = self.table.keyed_rows()
        return mixes_levels(self.table, (rows[key] for key in keys), self.levels)

    @property
    def id(self) -> tuple[str, str]:
        return self.sha256, self.table.id


def panels_of(document: Document, topic: str, title: str, period: str) -> Iterator[Panel]:
    """The usable tables of a document. ``title`` and ``period`` are the source's, for what the file leaves unsaid."""
    file_period = period_of(period) or period_of(document.name.rsplit(".", 1)[0]) or period_of(title)
    for table in document.tables:
        if panel := _panel(document, table, topic, title, file_period):
            yield panel


def _panel(document: Document, table: Table, topic: str, title: str, file_period: str) -> Panel | None:
    rows = table.body[1] - table.body[0]
    if table.truncated or table.hidden or table.key is None or not MIN_ROWS <= rows <= MAX_ROWS:
        return None
    keyed = {key: row for key, row in table.keyed_rows().items() if key}
    if len(keyed) < MIN_ROWS or _row_numbers(keyed):
        return None
    subject = table.title if without_period(table.title) else title
    period = period_of(table.title) or file_period
    alike = doubled(document, table)
    spoken = rows_named(
        table.columns[table.key].name, [table.key_text(row) for row in keyed.values()], table.title
    )
    measures = tuple(
        replace(one, named=spoken and _nameable(document, table, one, title))
        for one in _measures(table, keyed, subject, period)
        if one.column not in alike
    )
    if not measures:
        return None
    keys = tuple(keyed)
    return Panel(
        sha256=document.sha256,
        topic=topic,
        table=table,
        subject=subject,
        period=period,
        keys=keys,
        key_name=table.columns[table.key].name,
        temporal=sum(bool(period_of(key)) and not without_period(key) for key in keys) >= 0.8 * len(keys),
        measures=measures,
        called=(document.name, title),
        partial=document.is_part(table),
    )


def _nameable(document: Document, table: Table, one: Measure, title: str) -> bool:
    column = table.columns[one.column]
    # The title of a part of a longer table is what its rows have in common, and names nothing.
    titles = (document.title, title, "" if table.where else table.title)
    return nameable(column.header or column.name, titles)


def _measures(table: Table, keyed: Mapping[str, int], subject: str, period: str) -> Iterator[Measure]:
    for column in table.measures():
        if _is_code(column):
            continue
        found = ((key, table.number(row, column.index)) for key, row in keyed.items())
        values = {key: number for key, number in found if number is not None}
        if len(values) < max(MIN_ROWS, _MIN_FILLED * len(keyed)) or len(set(values.values())) < 3:
            continue
        numbers = list(values.values())
        if (
            uncertain(column.name)
            or _counts_up(numbers)
            or numbers_its_rows(column.name, numbers, column.unit)
        ):
            continue
        stated = period_of(column.period or "") or period_of(column.name)
        yield Measure(
            column=column.index,
            name=column.name,
            what=measure_of(column.name, subject),
            unit=normalize(column.unit or ""),
            period=stated or period,
            stated_period=stated,
            values=values,
        )


def _is_code(column: Column) -> bool:
    # A rank stays one whatever year it is of, and where only a capital tells the word apart.
    words = normalize(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name)).split()
    if len(words) > 1 and words[-1].isdigit():
        words = without_period(" ".join(words)).split() or words
    return (bool(_LEFTOVER_HEADER.fullmatch(" ".join(words))) and not period_of(column.name)) or (
        bool(words) and (words[-1] in _CODES or words[0] in {"id", "fips", "zip", "lat", "lon"})
    )


def _row_numbers(keys: Mapping[str, int]) -> bool:
    """Whether the keys are only a running count, which two tables share by accident."""
    return (
        all(key.isdigit() for key in keys)
        and _counts_up([float(key) for key in keys])
        and not all(1900 <= int(key) <= 2100 for key in keys)
    )


def _counts_up(values: list[float]) -> bool:
    """Whether the numbers run up by one, row by row."""
    return len(values) >= 3 and all(after - before == 1 for before, after in pairwise(values))
