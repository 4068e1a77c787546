"""Measures: the number columns of typed tables that can be named, keyed and compared."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..records import (
    Column,
    Document,
    Table,
    WorkspaceFile,
    adds_up,
    counts_something,
    doubled,
    is_money,
    level_columns,
    mixes_levels,
    nameable,
    normalize,
    numbers_its_rows,
    rows_named,
    titled_as_rates,
)

_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
PERIOD_WORDS = re.compile(
    rf"\b(?:(?:{_MONTH}) \d\d?(?!\d)|{_MONTH}|(?:fy|cy) ?(?:\d\d){{1,2}}|fy|cy|q[1-4]|(?:19|20)\d\d|"
    r"fiscal|calendar|years?|quarters?|months?)\b"
)
# Numbers under such names identify or order the rows; nobody adds or compares them.
IDENTIFIERS = re.compile(
    r"\b(?:id|ids|code|codes|fips|zip|zipcode|rank|soc|naics|sic|year|month|latitude|longitude|lat|lon|phone|"
    r"row|page|date|version|sort)\b|^(?:no|number|line|key|index|order|day)$"
)


def spaced(name: str) -> str:
    """A header with its words apart where only capitals part them.

    >>> spaced("GeoRank (2021)"), spaced("NAICS")
    ('Geo Rank (2021)', 'NAICS')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)


def identifies(name: str) -> bool:
    """Whether a column of this name numbers or dates its rows instead of measuring them.

    >>> identifies("Fiscal Year"), identifies("Fiscal Year 2019 adopted budget"), identifies("FIPS Code")
    (True, False, True)
    """
    if re.search(r"[a-z]ID$", name.strip()):
        return True
    folded = normalize(spaced(name))
    stem = " ".join(PERIOD_WORDS.sub(" ", folded).split())
    if not stem:
        return not any(letter.isdigit() for letter in folded)
    return IDENTIFIERS.search(stem) is not None


def _undated(title: str) -> str:
    """A title without the parts that only say when: the header beside it does, or they date the printing.

    >>> _undated("TANF: Total Number of Families; Fiscal Year 2022; 2023-03-31")
    'TANF: Total Number of Families'
    """
    parts = re.split(r"\s*;\s*|\s+\|\s+", title)
    told = [
        part for part in parts if any(letter.isalpha() for letter in PERIOD_WORDS.sub(" ", normalize(part)))
    ]
    return "; ".join(told) or title


@dataclass(frozen=True)
class Measure:
    """One number column of one keyed table, ready to be related.

    ``rows`` maps the normalized row name to the grid row; rows without a number are left out.
    """

    file: WorkspaceFile
    document: Document
    table: Table
    column: Column
    rows: Mapping[str, int]

    @cached_property
    def name(self) -> str:
        """What is measured, for a person: the header, or the table's title where the header is only a period."""
        own = " ".join(self.column.name.split())
        if not self._named:
            title = _undated(" ".join((self.table.title or self.document.title).split()))
            return f"{title}, {own}" if own else title
        return own

    @cached_property
    def stem(self) -> str:
        """The normalized header without its period words: equal stems mean the same measure."""
        return " ".join(PERIOD_WORDS.sub(" ", normalize(self.column.name)).split())

    @cached_property
    def _named(self) -> bool:
        """Whether the header says more than a period or a number: "2021-10-01" doesn't."""
        return any(letter.isalpha() for letter in self.stem)

    @cached_property
    def subject(self) -> str:
        """The stem, or the normalized table title where the header is only a period."""
        if self._named:
            return self.stem
        return " ".join(PERIOD_WORDS.sub(" ", normalize(self.table.title or self.document.title)).split())

    @cached_property
    def words(self) -> frozenset[str]:
        """What the file's own header says is measured, without periods, numbers and what the rows have in common."""
        told = normalize(self.column.header or self.column.name) if self._named else self.subject
        return frozenset(word for word in PERIOD_WORDS.sub(" ", told).split() if word.isalpha())

    @cached_property
    def period(self) -> str | None:
        """The period that the header states, as written there."""
        return self.column.period

    @cached_property
    def additive(self) -> bool:
        """Whether a sum over the rows means something, as far as name, unit and values tell."""
        if titled_as_rates(self.column.header or self.column.name, self.table.title):
            return False
        return adds_up(self.name, self.column.unit)

    @cached_property
    def countable(self) -> bool:
        """Whether the header, unit or table title speaks of something that is counted or paid out."""
        if counts_something(self.name, self.column.unit):
            return True
        # A header that is only a period, or a bare place name, leaves the word to the title above it.
        return self.stem in {"", "value", "values"} and counts_something(self.table.title)

    @cached_property
    def amount(self) -> bool:
        """Whether the measure is an amount that may be set against another: additive, and counted or paid out."""
        return self.additive and (self.countable or all(value.is_integer() for value in self.values()))

    @cached_property
    def money(self) -> bool:
        """Whether header, unit or table title speak of money."""
        return is_money(f"{self.name} {self.table.title}", self.column.unit)

    @cached_property
    def partial(self) -> bool:
        """Whether the table is only the part on its page of one that runs over several."""
        return self.document.is_part(self.table)

    @cached_property
    def named(self) -> bool:
        """Whether the measure and its rows can be asked for in words that a colleague would use."""
        table = self.table
        # The title of a part of a longer table is what its rows have in common, and names nothing.
        titles = (self.document.title, self.file.source.title, "" if table.where else table.title)
        if table.key is None or not nameable(self.column.header or self.column.name, titles):
            return False
        names = [table.key_text(row) for row in self.rows.values()]
        return rows_named(table.columns[table.key].name, names, table.title)

    @cached_property
    def levels(self) -> tuple[Column, ...]:
        """The columns of the table that may tell which rows hold others."""
        return level_columns(self.table)

    def mixes_levels(self, keys: Iterable[str]) -> bool:
        """Whether some of these rows hold others of them."""
        return bool(self.levels) and mixes_levels(self.table, (self.rows[key] for key in keys), self.levels)

    @cached_property
    def order(self) -> tuple[str, str, int]:
        """A stable place among all measures."""
        return (self.file.name, self.table.id, self.column.index)

    def value(self, key: str) -> float:
        """The number in the row of a normalized name. KeyError where the measure has no such row."""
        number = self.table.number(self.rows[key], self.column.index)
        if number is None:
            raise KeyError(key)
        return number

    def values(self) -> list[float]:
        """All numbers, in the order of the file."""
        return [self.value(key) for key in self.rows]


def list_measures(
    files: Iterable[WorkspaceFile], documents: Mapping[str, Document], most_rows: int, least_rows: int
) -> list[Measure]:
    """The usable measures of the files, in a stable order.

    Left out: tables that are truncated or have no key, fewer than ``least_rows`` or more than ``most_rows`` rows,
    columns that identify, date or order rows, columns whose numbers are all the same, and columns whose header another
    one in the same place bears.
    """
    found = []
    for file in files:
        document = documents[file.sha256]
        for table in document.tables:
            if table.key is None or table.truncated:
                continue
            keyed = table.keyed_rows()
            if not least_rows <= len(keyed) <= most_rows or "" in keyed:
                continue
            alike = doubled(document, table)
            for column in table.measures():
                if column.index in alike:
                    continue
                rows = {key: row for key, row in keyed.items() if table.number(row, column.index) is not None}
                if len(rows) < least_rows or len(rows) < 0.6 * len(keyed):
                    continue
                if IDENTIFIERS.search(normalize(spaced(column.name))):
                    continue
                measure = Measure(file, document, table, column, rows)
                numbers = measure.values()
                if len(set(numbers)) < min(3, len(rows)) or not measure.subject:
                    continue
                if numbers_its_rows(measure.name, numbers, column.unit):
                    continue
                found.append(measure)
    return found
