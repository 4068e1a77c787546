"""Edits of a delimited file: the same delimiter, the other rows as they were."""

import csv
import io
from pathlib import Path

from ..records import CellLocator, Locator, Value
from .delimiter import delimiter_of
from .edits import AddRow, CannotEdit, ChangeStated, DropColumn, DropRow, Edit, ReplaceText, Resave, SetCells


def apply(source: Path, target: Path, edit: Edit) -> None:
    """Write ``target`` as ``source`` with the edit made; CannotEdit where it is none for such a file."""
    try:
        text = source.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotEdit(f"{source.name} isn't UTF-8 text") from None
    delimiter = delimiter_of(text)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    match edit:
        case Resave():
            pass
        case SetCells(cells=cells):
            for cell in cells:
                row, column = _place(cell.locator)
                if row >= len(rows) or column >= max(map(len, rows)):
                    raise CannotEdit(f"{source.name} has no cell {cell.locator.show()}")
                # A row may end before its last columns where these are empty.
                rows[row] += [""] * (column + 1 - len(rows[row]))
                rows[row][column] = _text(cell.new)
        case DropColumn(locator=locator):
            _, column = _place(locator)
            rows = [row[:column] + row[column + 1 :] for row in rows]
        case DropRow(locator=locator):
            del rows[_place(locator)[0]]
        case AddRow(locator=locator, model=model, name=name):
            row, column = _place(model)
            rows.insert(_place(locator)[0] + 1, [*rows[row][:column], name, *rows[row][column + 1 :]])
        case ReplaceText():
            made = [[edit.made(cell) for cell in row] for row in rows]
            if not any(count for row in made for _, count in row):
                raise CannotEdit(f"no cell holds {edit.phrase!r}")
            rows = [[text for text, _ in row] for row in made]
        case ChangeStated():
            raise CannotEdit("a delimited file has no running text")
        case _:
            raise CannotEdit("a delimited file has neither sheets nor sections")
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    target.write_bytes(out.getvalue().encode())


def _place(locator: Locator) -> tuple[int, int]:
    if not isinstance(locator, CellLocator):
        raise CannotEdit(f"{locator.show()} is no cell of a delimited file")
    return locator.row, locator.column


def _text(value: Value) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return "" if value is None else str(value)
