"""A delimited file otherwise, and as right as before."""

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path

from ..records import CellLocator, Document
from .asked import Asked, AskedTable
from .delimiter import delimiter_of
from .edits import CannotEdit
from .looks import other_look

Rows = list[list[str]]


def _origin(table: AskedTable) -> tuple[int, int]:
    origin = table.table.origin
    if not isinstance(origin, CellLocator):
        raise CannotEdit("the table stands in no delimited file")
    return origin.row, origin.column


def row_order(rows: Rows, asked: Asked) -> int:
    """The named rows the other way round."""
    changed = 0
    for table in asked.tables:
        places = [_origin(table)[0] + row for row in table.rows]
        held = [rows[place] for place in places]
        for place, row in zip(reversed(places), held, strict=True):
            rows[place] = row
        changed += len(places) > 1
    return changed


def column_order(rows: Rows, asked: Asked) -> int:
    """The columns after that of the names the other way round."""
    changed = 0
    for table in asked.tables:
        first, left = _origin(table)
        start = left + table.key + 1
        for place in range(first + table.header, len(rows)):
            rows[place] = rows[place][:start] + rows[place][start:][::-1]
        changed += len(rows[first + table.header]) > start + 1
    return changed


def other_rendering(rows: Rows, asked: Asked) -> int:
    """The figures that are asked for in another look."""
    changed = 0
    for table in asked.tables:
        first, left = _origin(table)
        for row, column in table.figures():
            old = rows[first + row][left + column]
            rows[first + row][left + column] = other_look(old)
            changed += rows[first + row][left + column] != old
    return changed


def extra_column(rows: Rows, asked: Asked) -> int:
    """One more column, of remarks."""
    for table in asked.tables[:1]:
        header = _origin(table)[0] + table.header
        for place in range(header, len(rows)):
            rows[place] = [*rows[place], "Remark" if place == header else "as in the source"]
    return len(asked.tables)


def capital_headers(rows: Rows, asked: Asked) -> int:
    """The headers in capital letters."""
    for table in asked.tables:
        place = _origin(table)[0] + table.header
        rows[place] = [cell.upper() for cell in rows[place]]
    return len(asked.tables)


def _vary(change: Callable[[Rows, Asked], int]) -> Callable[[Path, Path, Asked, Document], None]:
    def vary(source: Path, target: Path, asked: Asked, document: Document) -> None:
        rows, delimiter = _read(source)
        if not change(rows, asked):
            raise CannotEdit("nothing of the file can be put otherwise")
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
        target.write_bytes(out.getvalue().encode())

    return vary


def other_library(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """As office programs write it: a byte order mark, all cells quoted, lines that end in CR and LF."""
    rows, delimiter = _read(source)
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL).writerows(rows)
    target.write_bytes(b"\xef\xbb\xbf" + out.getvalue().encode())


def _read(source: Path) -> tuple[Rows, str]:
    try:
        text = source.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotEdit("the file isn't UTF-8 text") from None
    delimiter = delimiter_of(text)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)), delimiter


VARIATIONS: Mapping[str, Callable[[Path, Path, Asked, Document], None]] = {
    **{
        one.__name__: _vary(one)
        for one in (row_order, column_order, other_rendering, extra_column, capital_headers)
    },
    "other_library": other_library,
}
