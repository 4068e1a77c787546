"""Delimited text: delimiter, quotes, decimal commas."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from graphforge.records import CellLocator, Value

from ..limits import ParseLimits
from ..raw import RawTable, Reading
from .text import decode

_DELIMITERS = (",", "\t", ";", "|")
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),(?:\d{1,2}|\d{4,})$")
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$")
_POINT_NUMBER = re.compile(r"[+-]?\d+\.(?:\d{1,2}|\d{4,})$")
_SAMPLE = 200


def rows_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """The records of a delimited text; a blank line is an empty record."""
    # The limit is the module's own state; a field can't be longer than the text.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _widths(text: str, delimiter: str) -> list[int]:
    widths = []
    try:
        for row in rows_of(text, delimiter):
            if any(cell.strip() for cell in row):
                widths.append(len(row))
            if len(widths) >= _SAMPLE:
                break
    except csv.Error:
        return []
    return widths


def delimiter_of(text: str) -> str:
    """The delimiter that gives the most records of one width of at least two, a comma where none does."""
    best, chosen = 0.0, ","
    for delimiter in _DELIMITERS:
        widths = _widths(text, delimiter)
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
    """Whether a text is a table of delimited fields; ``lenient`` where its name says so."""
    text = head[: head.rfind("\n") + 1] if len(head) > 60_000 and "\n" in head else head
    delimiter = delimiter_of(text)
    widths = _widths(text, delimiter)
    if not widths:
        return False
    width, count = Counter(widths).most_common(1)[0]
    if lenient:
        return len(widths) > 1 or max(widths) > 1
    # Prose has commas too, but hardly ever as many in line after line.
    least = 2 if delimiter == "\t" else 3
    return width >= least and len(widths) >= 3 and count >= 0.8 * len(widths)


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
