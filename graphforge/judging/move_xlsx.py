"""Rows and columns of a sheet moved as by cut and paste: every formula of the workbook follows what it refers to."""

import copy
import re
from collections.abc import Mapping
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.formula import Tokenizer
from openpyxl.utils import column_index_from_string, get_column_letter
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula
from openpyxl.worksheet.worksheet import Worksheet

from .edits import CannotEdit
from .grid import fold

_CELLS = re.compile(r"(\$?)([A-Za-z]{1,3})(\$?)(\d+)(?::(\$?)([A-Za-z]{1,3})(\$?)(\d+))?")


def move(book: Workbook, sheet: Worksheet, rows: Mapping[int, int], columns: Mapping[int, int]) -> None:
    """Move whole rows and columns, numbered from 1, to new places; both maps must be one to one.

    CannotEdit where something refers to a range that would no longer be one, or can't be followed.
    """
    if book.defined_names or sheet.defined_names or sheet.tables:
        raise CannotEdit("named ranges and tables can't be followed")
    for span in sheet.merged_cells.ranges:
        across = range(span.min_col, span.max_col + 1)
        if span.min_row in rows or span.max_row in rows or not columns.keys().isdisjoint(across):
            raise CannotEdit("merged cells stand where something would move")
    taken: dict[tuple[int, int], tuple[Any, Any]] = {}
    cells: list[Any] = [cell for row in sheet.iter_rows() for cell in row if isinstance(cell, Cell)]
    for cell in cells:
        if cell.value is not None or cell.has_style:
            taken[cell.row, cell.column] = (cell.value, copy.copy(cell._style))
            cell.value = None
    for (row, column), (value, style) in taken.items():
        new: Any = sheet.cell(rows.get(row, row), columns.get(column, column))
        new.value = value
        new._style = style
    for each in book.worksheets:
        for found in (cell for line in each.iter_rows() for cell in line):
            if isinstance(found.value, ArrayFormula | DataTableFormula):
                raise CannotEdit("array formulas can't be moved")
            if found.data_type == "f":
                found.value = _followed(str(found.value), each.title, sheet.title, rows, columns)


def _followed(formula: str, own: str, sheet: str, rows: Mapping[int, int], columns: Mapping[int, int]) -> str:
    tokenizer = Tokenizer(formula)
    for token in tokenizer.items:
        if token.type != "OPERAND" or token.subtype != "RANGE":
            continue
        name, mark, cells = token.value.rpartition("!")
        where = name.strip("'").replace("''", "'") if mark else own
        if fold(where) != fold(sheet):
            continue
        match = _CELLS.fullmatch(cells)
        if match is None:
            raise CannotEdit(f"the reference {token.value} can't be followed")
        token.value = name + mark + _moved(match, rows, columns)
    return "=" + "".join(token.value for token in tokenizer.items)


def _moved(match: re.Match[str], rows: Mapping[int, int], columns: Mapping[int, int]) -> str:
    first = (column_index_from_string(match[2]), int(match[4]))
    if match[8] is None:
        column, row = columns.get(first[0], first[0]), rows.get(first[1], first[1])
        return f"{match[1]}{get_column_letter(column)}{match[3]}{row}"
    last = (column_index_from_string(match[6]), int(match[8]))
    left, right = _image(first[0], last[0], columns)
    top, bottom = _image(first[1], last[1], rows)
    return (
        f"{match[1]}{get_column_letter(left)}{match[3]}{top}:"
        f"{match[5]}{get_column_letter(right)}{match[7]}{bottom}"
    )


def _image(first: int, last: int, moved: Mapping[int, int]) -> tuple[int, int]:
    """The ends of a range after the move."""
    places = [moved.get(one, one) for one in range(first, last + 1)]
    low, high = min(places), max(places)
    if high - low != len(places) - 1:
        raise CannotEdit("a range would fall apart")
    return low, high
