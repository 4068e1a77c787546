"""The hidden solution of a task: which columns to read, what to compute, what to hand over.

A plan holds no results. Whoever executes it must read the files; the expected values of the criteria come from
the evidence graph, so that an execution that agrees with them is evidence for both.
"""

from typing import Literal

from pydantic import Field, model_validator

from .base import FileName, Identifier, Record
from .document import Family
from .locator import Locator

DerivedOperation = Literal[
    "difference", "ratio", "percent_change", "projection", "share", "agreement", "above", "below"
]
FactOperation = Literal[
    "sum", "mean", "maximum", "minimum", "count", "matched", "top", "bottom", "count_equal", "constant"
]


class ReadColumn(Record):
    """Read one keyed column of an input file.

    ``place`` locates the first value cell, ``rows`` lists the absolute zero-based rows (of the sheet or table;
    of the array for a JSON file) that hold values, ``key_column`` the column that names them. For a JSON file
    ``key_name`` and ``value_name`` are the members of each object. ``names`` are the row names as the file writes
    them, row by row: a table of a PDF that no lines are drawn for can only be found by them.
    """

    alias: Identifier
    file: FileName
    family: Family
    place: Locator
    key_column: int = Field(ge=0)
    key_name: str
    value_name: str
    rows: tuple[int, ...] = Field(min_length=1)
    names: tuple[str, ...] = ()
    label: str


class QuotedFigure(Record):
    """A figure as running text states it (``literal``), and its number in the unit of the table."""

    entity: str
    literal: str
    number: float


class QuotedColumn(Record):
    """Figures read from the running text of an input file, a row name each."""

    alias: Identifier
    file: FileName
    family: Family
    figures: tuple[QuotedFigure, ...] = Field(min_length=1)
    label: str


class DerivedColumn(Record):
    """A column computed from others, row by row.

    difference a - b; ratio a / b; percent_change 100 * (a - b) / b; projection a * a / b (a carried forward once
    more at the rate from b to a); share 100 * a / sum(a);
    agreement "agrees" where a equals b within ``constant``, otherwise "differs";
    above (below) "yes" where a > (<) ``constant``, otherwise "no".
    """

    alias: Identifier
    label: str
    operation: DerivedOperation
    arguments: tuple[Identifier, ...] = Field(min_length=1, max_length=2)
    constant: float | None = None


class Keep(Record):
    """Keep only the rows whose derived text column equals a word."""

    column: Identifier
    equals: str


class Fact(Record):
    """A named figure for the running text: an operation over a finished column.

    sum, mean, maximum, minimum give numbers; top and bottom the row name at the extreme; count the number of rows;
    matched the number of rows before ``keep`` and ``limit`` leave any out;
    count_equal the number of rows whose text equals ``word``; constant gives ``number``.
    """

    name: Identifier
    operation: FactOperation
    column: Identifier | None = None
    word: str | None = None
    number: float | None = None
    decimals: int = Field(default=2, ge=0, le=6)


class Section(Record):
    """A headed part of a memo. Paragraphs may name facts in braces: ``{total}``."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    table: bool = False


class Output(Record):
    """One file to hand over.

    xlsx: a sheet ``sheet`` with the table, derived columns and totals as formulas, and a sheet ``Sources``.
    csv: the table as values. docx and pdf: title, sections, the table where a section asks for it.
    """

    file: FileName
    family: Literal["xlsx", "csv", "docx", "pdf"]
    title: str
    sheet: str = ""
    columns: tuple[Identifier, ...] = ()
    totals: tuple[Identifier, ...] = ()
    sections: tuple[Section, ...] = ()


class Citation(Record):
    """A source named in the deliverables, with what was taken from it."""

    file: FileName
    used_for: str


class Plan(Record):
    """The whole computation. Rows are the keys that every read and quoted column has, in the first one's order."""

    key_label: str
    reads: tuple[ReadColumn, ...] = Field(min_length=1)
    quoted: tuple[QuotedColumn, ...] = ()
    derived: tuple[DerivedColumn, ...] = ()
    keep: Keep | None = None
    order_by: Identifier | None = None
    descending: bool = True
    limit: int | None = Field(default=None, ge=1)
    facts: tuple[Fact, ...] = ()
    outputs: tuple[Output, ...] = Field(min_length=1)
    citations: tuple[Citation, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _references(self) -> "Plan":
        known = [read.alias for read in self.reads] + [quoted.alias for quoted in self.quoted]
        for column in self.derived:
            if missing := set(column.arguments) - set(known):
                raise ValueError(f"derived column {column.alias} uses unknown columns {sorted(missing)}")
            known.append(column.alias)
        if len(set(known)) != len(known) or "key" in known:
            raise ValueError("column aliases must differ from one another and from 'key'")
        named = [fact.column for fact in self.facts if fact.column]
        named += [alias for output in self.outputs for alias in (*output.columns, *output.totals)]
        named += [self.keep.column] if self.keep else []
        named += [self.order_by] if self.order_by else []
        if missing := set(named) - set(known):
            raise ValueError(f"the plan names unknown columns {sorted(missing)}")
        return self
