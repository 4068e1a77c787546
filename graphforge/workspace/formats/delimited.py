"""Delimited text: delimiter, quotes, decimal commas."""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from graphforge.records import CellLocator, Value

from ..limits import ParseLimits
from ..raw import RawTable, Reading
from .text import decode

_DELIMITERS = (",", "\t", ";", "|")
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),(?:\d{1,2}|\d{4,})$")
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$")
_POINT_NUMBER = re.compile(r"[+-]?\d+\.(?:\d{1,2}|\d{4,})$")
_NUMBER = re.compile(r"[-+(]?[$€£]?\d[\d.,' ]{0,30}[%)]?")
_SAMPLE = 200
# Commas and semicolons are in prose as well.
_OPENERS = ("\t", "|", ";")
_LEAST_ROWS = 4
_STRAY = 0.05


def rows_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """The records of a delimited text; a blank line is an empty record."""
    # The limit is the module's own state; a field can't be longer than the text.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _sampled(text: str, delimiter: str) -> list[list[str]]:
    """The first records that hold something; none where the text can't be cut."""
    rows = []
    try:
        for row in rows_of(text, delimiter):
            if any(cell.strip() for cell in row):
                rows.append(row)
            if len(rows) >= _SAMPLE:
                break
    except csv.Error:
        return []
    return rows


def _opening(text: str) -> str | None:
    """The delimiter of a table that a text opens with, whatever stands below it: exports put pages of notes there.

    The first line names every column, the records below are as wide up to the first that isn't cut at all, one column
    at least holds numbers, and the notes have next to none of the delimiter. Lines of code, logs and columns that were
    aligned by hand have no such line, or go on being cut.
    """
    for delimiter in _OPENERS:
        rows = _sampled(text, delimiter)
        table = list(itertools.takewhile(lambda row: len(row) > 1, rows))
        if len(table) < _LEAST_ROWS or len({len(row) for row in table}) > 1:
            continue
        head, *body = ([cell.strip() for cell in row] for row in table)
        if not all(head) or len(set(head)) < len(head) or any(_NUMBER.fullmatch(cell) for cell in head):
            continue
        if not any(_is_measured(column) for column in zip(*body, strict=True)):
            continue
        notes = rows[len(table) :]
        if sum(len(row) > 1 for row in notes) <= _STRAY * len(notes):
            return delimiter
    return None


def _is_measured(column: Iterable[str]) -> bool:
    """Whether most of what a column holds is numbers."""
    said = [cell for cell in column if cell]
    return (
        len(said) >= _LEAST_ROWS - 1 and sum(bool(_NUMBER.fullmatch(cell)) for cell in said) > len(said) / 2
    )


def delimiter_of(text: str) -> str:
    """The delimiter of the table that a text opens with; else the one that gives the most records of one width of at
    least two, a comma where none does."""
    if (opening := _opening(text)) is not None:
        return opening
    best, chosen = 0.0, ","
    for delimiter in _DELIMITERS:
        widths = [len(row) for row in _sampled(text, delimiter)]
        if not widths:
            continue
        width, count = max(Counter(widths).items(), key=lambda pair: (pair[1] if pair[0] > 1 else 0, pair[0]))
        if width < 2:
            continue
        points = count / len(widths) + min(width, 50) / 1000
        if points > best:
            best, chosen = points, delimiter
    return chosen


def looks_delimited(head: str, lenient: bool) -> bool:
    """Whether a text is a table of delimited fields, or opens with one; ``lenient`` where its name says so."""
    text = head[: head.rfind("\n") + 1] if len(head) > 60_000 and "\n" in head else head
    delimiter = delimiter_of(text)
    rows = _sampled(text, delimiter)
    if not rows:
        return False
    widths = Counter(map(len, rows))
    width, count = widths.most_common(1)[0]
    if lenient:
        return len(rows) > 1 or max(widths) > 1
    if _opening(text) is not None:
        return True
    # Prose has commas too, but hardly ever as many in line after line.
    least = 2 if delimiter == "\t" else 3
    if width < least or len(rows) < 3 or count < 0.8 * len(rows):
        return False
    # A tab before each line indents it: what lies left of it is no column.
    columns = zip(*(row for row in rows if len(row) == width), strict=True)
    return sum(any(cell.strip() for cell in column) for column in columns) >= least


def has_decimal_comma(text: str, delimiter: str) -> bool:
    """Whether the numbers of a text that isn't cut at commas are written with a decimal comma."""
    if delimiter == ",":
        return False
    commas = points = 0
    for number, row in enumerate(rows_of(text, delimiter)):
        commas += sum(1 for cell in row if _DECIMAL_COMMA.match(cell.strip()))
        points += sum(1 for cell in row if _POINT_NUMBER.match(cell.strip()))
        if number > 2000:
            break
    return commas > 0 and points == 0


def with_point(cell: str) -> str:
    """A number with a decimal comma written with a point; other text as it is."""
    stripped = cell.strip()
    return stripped.replace(".", "").replace(",", ".") if _COMMA_NUMBER.match(stripped) else cell


def read(path: Path, limits: ParseLimits) -> Reading:
    """The whole file as one rectangle of text cells.

    Decimal commas of a file that isn't cut at commas are written as points, so that every reader takes the same number.
    """
    text = decode(path.read_bytes())
    delimiter = delimiter_of(text[:1_000_000])
    decimal_comma = has_decimal_comma(text, delimiter)
    rows: list[list[Value]] = []
    cells = 0
    reading = Reading(pages=1)
    truncated = wide = False
    try:
        for row in rows_of(text, delimiter):
            wide = wide or len(row) > limits.columns
            row = row[: limits.columns]
            cells += len(row)
            if len(rows) >= limits.rows or cells > limits.table_cells:
                truncated = True
                break
            rows.append([((with_point(cell) if decimal_comma else cell).strip() or None) for cell in row])
    except csv.Error as error:
        reading.warnings.append(f"row {len(rows) + 1}: {error}; the rest left out")
        truncated = True
    if truncated:
        reading.warnings.append(f"only the first {len(rows)} rows were read")
    if wide:
        reading.warnings.append(f"only the first {limits.columns} columns were read")
    if decimal_comma:
        reading.warnings.append("decimal commas read as decimal points")
    reading.items.append(
        RawTable(rows, CellLocator(row=0, column=0), sheet=True, truncated=truncated or wide)
    )
    return reading
