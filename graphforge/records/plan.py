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
    "difference",
    "ratio",
    "percent_change",
    "projection",
    "share",
    "agreement",
    "above",
    "below",
    "distance",
    "scaled",
    "apportioned",
    "allocation",
    "cumulative_share",
    "abc_class",
]
FactOperation = Literal[
    "sum",
    "mean",
    "maximum",
    "minimum",
    "count",
    "matched",
    "top",
    "bottom",
    "count_equal",
    "sum_equal",
    "constant",
]


def _unset(value: object) -> bool:
    """A field that few plans have is written only where it says something: records of before stay as they were."""
    return not value


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
    above (below) "yes" where a > (<) ``constant``, otherwise "no";
    distance |a - b|; scaled a * (1 + ``constant`` / 100);
    apportioned ``constant`` * a / sum(a), rounded to whole units, halves up;
    allocation a, and in the row with the largest b what the sum of a lacks of ``constant``;
    cumulative_share the running sum of a in percent of sum(a), from the largest a to the smallest, equal ones in the
    order of the rows;
    abc_class "A" where a is at most the first of ``bounds``, "B" where at most the second, otherwise "C".
    """

    alias: Identifier
    label: str
    operation: DerivedOperation
    arguments: tuple[Identifier, ...] = Field(min_length=1, max_length=2)
    constant: float | None = None
    bounds: tuple[float, ...] = Field(default=(), exclude_if=_unset)

    @model_validator(mode="after")
    def _complete(self) -> "DerivedColumn":
        if self.operation in {"scaled", "apportioned", "allocation"} and self.constant is None:
            raise ValueError(f"{self.operation} needs a constant, {self.alias} has none")
        if self.operation == "abc_class" and len(self.bounds) != 2:
            raise ValueError(f"abc_class needs two bounds, {self.alias} has {len(self.bounds)}")
        return self


ONE_ARGUMENT = frozenset(
    {"share", "above", "below", "scaled", "apportioned", "cumulative_share", "abc_class"}
)
"""The operations on one column; all others take two."""
OF_ALL_ROWS = frozenset({"apportioned", "allocation", "cumulative_share"})
"""The operations whose cells hang on every row, so that a plan with them keeps all rows."""
WORDS = frozenset({"agreement", "above", "below", "abc_class"})
"""The operations that give words and no figures."""


class Keep(Record):
    """Keep only the rows whose derived text column equals a word."""

    column: Identifier
    equals: str


class Fact(Record):
    """A named figure for the running text: an operation over a finished column.

    sum, mean, maximum, minimum give numbers; top and bottom the row name at the extreme; count the number of rows;
    matched the number of rows before ``keep`` and ``limit`` leave any out;
    count_equal the number of rows whose text equals ``word``, sum_equal the sum of the column ``of`` over them;
    constant gives ``number``.
    """

    name: Identifier
    operation: FactOperation
    column: Identifier | None = None
    word: str | None = None
    of: Identifier | None = Field(default=None, exclude_if=_unset)
    number: float | None = None
    decimals: int = Field(default=2, ge=0, le=6)


class Section(Record):
    """A headed part of a memo. Paragraphs may name facts in braces: ``{total}``."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    table: bool = False


class Assumptions(Record):
    """A sheet on which every assumption stands in a cell of its own, under a heading each for names and figures."""

    sheet: str
    name: str
    figure: str


class Summary(Record):
    """A sheet with a line for each of ``words`` of the column ``by``: how many rows hold it, the sum of the column
    ``of`` over them, and that sum in percent of the whole. ``headings``: of words, counts, sums and percentages."""

    sheet: str
    by: Identifier
    of: Identifier
    words: tuple[str, ...] = Field(min_length=2)
    headings: tuple[str, str, str, str]


class Output(Record):
    """One file to hand over.

    xlsx: a sheet ``sheet`` with the table, derived columns and totals as formulas, and a sheet ``Sources``; the
    constants of formulas on a sheet of their own, as ``assumptions`` says where they are asked for; a ``summary``.
    csv: the table as values. docx and pdf: title, sections, the table where a section asks for it, of which only the
    ``first`` rows where that is said.
    """

    file: FileName
    family: Literal["xlsx", "csv", "docx", "pdf"]
    title: str
    sheet: str = ""
    columns: tuple[Identifier, ...] = ()
    totals: tuple[Identifier, ...] = ()
    sections: tuple[Section, ...] = ()
    assumptions: Assumptions | None = Field(default=None, exclude_if=_unset)
    summary: Summary | None = Field(default=None, exclude_if=_unset)
    first: int | None = Field(default=None, ge=1, exclude_if=_unset)

    @model_validator(mode="after")
    def _of_its_family(self) -> "Output":
        if self.family != "xlsx" and (self.assumptions or self.summary):
            raise ValueError(f"{self.file} has no sheets for assumptions or a summary")
        if self.first is not None and (self.family in {"xlsx", "csv"} or self.totals):
            raise ValueError(
                f"{self.file} can't show some rows only: data files show all, and so does a total"
            )
        return self


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
        if (self.keep or self.limit) and any(column.operation in OF_ALL_ROWS for column in self.derived):
            raise ValueError("what hangs on every row can't be computed from some of them")
        named = [fact.column for fact in self.facts if fact.column]
        named += [fact.of for fact in self.facts if fact.of]
        named += [
            name
            for output in self.outputs
            if output.summary
            for name in (output.summary.by, output.summary.of)
        ]
        named += [alias for output in self.outputs for alias in (*output.columns, *output.totals)]
        named += [self.keep.column] if self.keep else []
        named += [self.order_by] if self.order_by else []
        if missing := set(named) - set(known):
            raise ValueError(f"the plan names unknown columns {sorted(missing)}")
        return self
