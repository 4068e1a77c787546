"""Executable checks: what to look at in a deliverable and what must be found there.

A check is data; ``graphforge/judging/checks.py`` executes it. ``redacted()`` removes what only the evidence
tells (expected values, row names), leaving what the requirement's text tells anyone: that there must be a sheet,
a column, a figure. It is the whole difference between the anchored and the unanchored judge.
"""

import operator
from typing import Annotated, Literal

from pydantic import Field

from .base import FileName, Record


class ReadableFile(Record):
    """The file exists under its name, opens as its format and isn't empty."""

    kind: Literal["readable_file"] = "readable_file"
    file: FileName

    def redacted(self) -> "ReadableFile":
        return self


class SheetPresent(Record):
    """The workbook has the sheet."""

    kind: Literal["sheet_present"] = "sheet_present"
    file: FileName
    sheet: str

    def redacted(self) -> "SheetPresent":
        return self


class RowSet(Record):
    """The key column holds exactly the expected row names; without names, at least one.

    Fraction met: |found and expected| / |found or expected|.
    """

    kind: Literal["row_set"] = "row_set"
    file: FileName
    sheet: str = ""
    key: str
    rows: tuple[str, ...] = ()

    def redacted(self) -> "RowSet":
        return self.model_copy(update={"rows": ()})


class ColumnValues(Record):
    """In the row of each name the column holds the value; without values, every row has one.

    Numbers agree within ``absolute`` or ``relative``; texts agree normalized.
    Fraction met: rows right / rows expected.
    """

    kind: Literal["column_values"] = "column_values"
    file: FileName
    sheet: str = ""
    key: str
    column: str
    values: dict[str, float | str] = Field(default_factory=dict)
    absolute: float = Field(default=0.0, ge=0)
    relative: float = Field(default=1e-6, ge=0)

    def redacted(self) -> "ColumnValues":
        return self.model_copy(update={"values": {}})


class FormulaColumn(Record):
    """The cells of the column are formulas. Fraction met: cells with a formula / cells filled."""

    kind: Literal["formula_column"] = "formula_column"
    file: FileName
    sheet: str
    column: str

    def redacted(self) -> "FormulaColumn":
        return self


class TotalCell(Record):
    """The row labelled ``label`` holds the value in the column; without a value, any number.

    An ``open`` value stands in the task statement itself (an amount to be allocated), so redaction keeps it.
    """

    kind: Literal["total_cell"] = "total_cell"
    file: FileName
    sheet: str = ""
    label: str
    column: str
    value: float | None = None
    absolute: float = Field(default=0.0, ge=0)
    relative: float = Field(default=1e-6, ge=0)
    open: bool = Field(default=False, exclude_if=operator.not_)

    def redacted(self) -> "TotalCell":
        return self if self.open else self.model_copy(update={"value": None})


class Heading(Record):
    """The document has the heading."""

    kind: Literal["heading"] = "heading"
    file: FileName
    heading: str

    def redacted(self) -> "Heading":
        return self


class TextNumber(Record):
    """The running text states the number in a sentence that also holds every term; without a value, any number."""

    kind: Literal["text_number"] = "text_number"
    file: FileName
    terms: tuple[str, ...] = ()
    value: float | None = None
    absolute: float = Field(default=0.0, ge=0)
    relative: float = Field(default=1e-6, ge=0)

    def redacted(self) -> "TextNumber":
        return self.model_copy(update={"value": None, "terms": ()})


class TextMention(Record):
    """The running text (or any cell, for a workbook) holds the phrase, normalized; without one, any text.

    ``open`` phrases stand in the task statement itself, so redaction keeps them.
    """

    kind: Literal["text_mention"] = "text_mention"
    file: FileName
    phrase: str | None
    open: bool = False

    def redacted(self) -> "TextMention":
        return self if self.open else self.model_copy(update={"phrase": None})


class ForeignValues(Record):
    """Prohibited: the column holds a confuser's values where they differ from the right ones.

    Without values nothing can be recognized, and nothing is found.
    """

    kind: Literal["foreign_values"] = "foreign_values"
    file: FileName
    sheet: str = ""
    key: str
    column: str
    values: dict[str, float] = Field(default_factory=dict)
    relative: float = Field(default=1e-6, ge=0)

    def redacted(self) -> "ForeignValues":
        return self.model_copy(update={"values": {}})


class TypedTotal(Record):
    """Prohibited: the cell of the row ``label`` in the column is a typed number instead of a formula."""

    kind: Literal["typed_total"] = "typed_total"
    file: FileName
    sheet: str
    label: str
    column: str

    def redacted(self) -> "TypedTotal":
        return self


class InventedRows(Record):
    """Prohibited: row names that the sources don't have. ``labels`` are the allowed total rows."""

    kind: Literal["invented_rows"] = "invented_rows"
    file: FileName
    sheet: str = ""
    key: str
    rows: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def redacted(self) -> "InventedRows":
        return self.model_copy(update={"rows": ()})


Check = Annotated[
    ReadableFile
    | SheetPresent
    | RowSet
    | ColumnValues
    | FormulaColumn
    | TotalCell
    | Heading
    | TextNumber
    | TextMention,
    Field(discriminator="kind"),
]
Violation = Annotated[ForeignValues | TypedTotal | InventedRows, Field(discriminator="kind")]
