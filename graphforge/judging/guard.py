"""Shortcuts: an answer that one file holds already, and what stands untouched in the inputs."""

import math
from collections.abc import Mapping, Sequence

from ..records import (
    Block,
    BlockLocator,
    ColumnValues,
    Deliverable,
    Document,
    TaskSpec,
    TextNumber,
    TotalCell,
    Value,
    close,
    parse_number,
)
from .checks import Deliverables, execute
from .grid import Names
from .prose import numbers

_FITS = {"xlsx": {"xlsx", "xls"}, "csv": {"csv"}, "docx": {"docx"}, "pdf": {"pdf"}}
_NO_FILE = "0" * 64


def answered_by(spec: TaskSpec, inputs: Sequence[Document]) -> str | None:
    """The input file that holds the answer as it is asked for, or None.

    That is a file with one table that has every figure the criteria expect in tables, under the columns and in the
    rows that were asked for, and where sentences must state figures, these as well, in a cell or in its text. A task
    that asks for no table has no such file.
    """
    checks = [check for one in spec.criteria for check in one.checks]
    totals = [check for check in checks if isinstance(check, TotalCell)]
    told = [check.value for check in checks if isinstance(check, TextNumber) and check.value is not None]
    columns = [check for check in checks if isinstance(check, ColumnValues) and check.values]
    if not columns:
        return None
    for document in inputs:
        for table in document.tables:
            alone = document.model_copy(update={"tables": (table,), "name": columns[0].file})
            if not _names_rows(columns[0], alone):
                continue
            wanted: list[ColumnValues | TotalCell] = [*columns, *totals]
            held = (
                execute(check.model_copy(update={"sheet": ""}), {check.file: alone}).share == 1
                for check in wanted
            )
            if all(held) and all(_states(document, value) for value in told):
                return document.name
    return None


def _names_rows(check: ColumnValues, document: Document) -> bool:
    """Whether a table names the rows, under any header: most don't, and need not be looked at more closely."""
    wanted = Names(check.values)
    grid = document.tables[0].grid
    width = len(grid[0]) if grid else 0
    return any(
        sum(wanted.match(row[column]) is not None for row in grid) >= len(wanted.names)
        for column in range(width)
    )


def _states(document: Document, value: float) -> bool:
    return any(close(value, one, relative=1e-6) for one in all_numbers(document))


def all_numbers(document: Document) -> list[float]:
    """Every number of a file: those of its cells and those that its text states."""
    cells = [cell for table in document.tables for row in table.grid for cell in row]
    found = [number for cell in cells if (number := parse_number(cell)) is not None]
    texts = [block.text for block in document.blocks] + [
        cell for cell in cells if isinstance(cell, str) and parse_number(cell) is None
    ]
    return found + [value for text in texts for one in numbers(text, words=False) for value in one.values]


def untouched(spec: TaskSpec, inputs: Sequence[Document]) -> Deliverables:
    """The inputs handed over under the deliverables' names, untouched.

    For each deliverable the file of its family that gets most of it, or all text and tables of all inputs where that
    gets more, or no file fits.
    """
    return {one.file: _best(spec, one, inputs) for one in spec.deliverables}


def _best(spec: TaskSpec, deliverable: Deliverable, inputs: Sequence[Document]) -> Document:
    offers = [
        one.model_copy(update={"name": deliverable.file, "family": deliverable.family})
        for one in inputs
        if one.family in _FITS[deliverable.family]
    ]
    offers.append(
        Document(
            sha256=_NO_FILE,
            name=deliverable.file,
            family=deliverable.family,
            title=deliverable.file,
            pages=1,
            blocks=tuple(block for one in inputs for block in one.blocks),
            tables=tuple(
                table.model_copy(update={"id": f"{place}-{table.id}"})
                for place, one in enumerate(inputs)
                for table in one.tables
            ),
        )
    )
    return max(offers, key=lambda one: _gained(spec, one))


def _gained(spec: TaskSpec, document: Document) -> float:
    """The weight that a file would gain where it is the only one."""
    shares: list[float] = []
    for criterion in spec.criteria:
        own = [check for check in criterion.checks if check.file == document.name]
        found = [execute(check, {document.name: document}).share or 0.0 for check in own]
        shares.append(criterion.weight * math.fsum(found) / max(1, len(criterion.checks)))
    return math.fsum(shares)


def blank(spec: TaskSpec) -> Mapping[str, Document]:
    """Files of the right names and families with nothing in them but a title."""
    return {
        one.file: Document(
            sha256=_NO_FILE,
            name=one.file,
            family=one.family,
            title="",
            pages=1,
            blocks=(Block(kind="paragraph", text="-", locator=BlockLocator(block=0)),),
        )
        for one in spec.deliverables
    }


def numeric(value: Value) -> bool:
    """Whether a value is a number; a truth value is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
