"""Edits of a workbook through openpyxl, formulas kept as formulas.

openpyxl writes no computed values, so whoever reads the file has to compute them: the golden workbook is
saved again in the same way before it is compared with a mutant.
"""

import re
from pathlib import Path
from zipfile import BadZipFile

from openpyxl import Workbook, load_workbook
from openpyxl.formula import Tokenizer
from openpyxl.formula.translate import Translator
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula
from openpyxl.worksheet.worksheet import Worksheet

from ..records import CellLocator, Locator, TextNumber
from .edits import (
    AddRow,
    CannotEdit,
    ChangeStated,
    DropRow,
    DropSheet,
    Edit,
    RenameSheet,
    ReplaceText,
    Resave,
    SetCells,
    restated,
)
from .grid import fold
from .prose import statements

_REFERENCE = re.compile(r"(\$?[A-Za-z]{1,3}\$?)(\d+)(?::(\$?[A-Za-z]{1,3}\$?)(\d+))?")


def opened(source: Path) -> Workbook:
    """The workbook; CannotEdit where openpyxl can't open it."""
    try:
        # A handle, since openpyxl refuses paths without its suffixes, and files are kept under their hashes.
        with source.open("rb") as handle:
            return load_workbook(handle)
    except (InvalidFileException, BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        raise CannotEdit(f"openpyxl can't open it: {error}") from error


def apply(source: Path, target: Path, edit: Edit) -> None:
    """Write ``target`` as ``source`` with the edit made; CannotEdit where it is none for such a file."""
    book = opened(source)
    match edit:
        case Resave():
            pass
        case SetCells(cells=cells):
            for one in cells:
                sheet, row, column = _place(book, one.locator)
                sheet.cell(row, column).value = one.new
        case DropSheet(sheet=name):
            if len(book.sheetnames) < 2:
                raise CannotEdit("the workbook has a single sheet, and a workbook without one is no workbook")
            book.remove(_sheet(book, name))
        case DropRow(locator=locator):
            sheet, row, _ = _place(book, locator)
            _delete_row(book, sheet, row)
        case AddRow(locator=locator, model=model, name=name):
            _add_row(book, locator, model, name)
        case ChangeStated(check=check):
            _change_stated(book, check)
        case RenameSheet(sheet=old, name=new):
            _rename_sheet(book, _sheet(book, old), new)
        case ReplaceText():
            _replace_text(book, edit)
        case _:
            raise CannotEdit(
                "a workbook has no headed sections, and a dropped column would break its formulas"
            )
    book.save(target)


def _sheet(book: Workbook, name: str) -> Worksheet:
    for sheet in book.worksheets:
        if fold(sheet.title) == fold(name):
            return sheet
    raise CannotEdit(f"the workbook has no sheet {name!r}")


def _place(book: Workbook, locator: Locator) -> tuple[Worksheet, int, int]:
    """Sheet, row and column (from 1) of a located cell."""
    if not isinstance(locator, CellLocator):
        raise CannotEdit(f"{locator.show()} is no cell of a workbook")
    return _sheet(book, locator.sheet), locator.row + 1, locator.column + 1


def _change_stated(book: Workbook, check: TextNumber) -> None:
    changed = 0
    cells = (cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row)
    for cell in cells:
        if cell.data_type != "s" or not isinstance(cell.value, str):
            continue
        text = cell.value
        for stated in reversed(statements(text, check)):
            new = restated(text[stated.start : stated.end], check)
            text = text[: stated.start] + new + text[stated.end :]
            changed += 1
        cell.value = text
    if not changed:
        raise CannotEdit("no cell's text states the number")


def _replace_text(book: Workbook, edit: ReplaceText) -> None:
    changed = 0
    for cell in (cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row):
        if cell.data_type == "s" and isinstance(cell.value, str):
            cell.value, count = edit.made(cell.value)
            changed += count
    if not changed:
        raise CannotEdit(f"no cell holds {edit.phrase!r}")


def _rename_sheet(book: Workbook, sheet: Worksheet, name: str) -> None:
    """Rename a sheet, and its name in every formula."""
    old, sheet.title = sheet.title, name
    for cell in (cell for each in book.worksheets for row in each.iter_rows() for cell in row):
        if cell.data_type != "f" or not isinstance(cell.value, str):
            continue
        tokenizer = Tokenizer(cell.value)
        for token in tokenizer.items:
            owner, mark, cells = token.value.rpartition("!")
            if token.type == "OPERAND" and mark and fold(owner.strip("'").replace("''", "'")) == fold(old):
                token.value = f"'{name}'!{cells}"
        cell.value = "=" + "".join(token.value for token in tokenizer.items)


def _delete_row(book: Workbook, sheet: Worksheet, row: int) -> None:
    """Delete a row and mend every formula and table range that points at or below it."""
    if any(span.min_row < row <= span.max_row or row < span.min_row for span in sheet.merged_cells.ranges):
        raise CannotEdit("merged cells stand in or below the row")
    for each in book.worksheets:
        for cells in each.iter_rows():
            for cell in cells:
                if isinstance(cell.value, ArrayFormula | DataTableFormula):
                    raise CannotEdit("array formulas can't be moved")
                if cell.data_type == "f":
                    cell.value = without_row(str(cell.value), each.title, sheet.title, row)
    heights = {index: dimension.height for index, dimension in sheet.row_dimensions.items()}
    sheet.delete_rows(row)
    for index in heights:
        if index >= row:
            sheet.row_dimensions[index].height = heights.get(index + 1)
    for table in sheet.tables.values():
        ends = _REFERENCE.fullmatch(table.ref)
        if ends is not None and ends[4] and int(ends[2]) <= row <= int(ends[4]):
            table.ref = _moved(ends, row)
            if table.autoFilter is not None:
                table.autoFilter.ref = table.ref


def without_row(formula: str, own: str, sheet: str, row: int) -> str:
    """A formula of the sheet ``own`` after row ``row`` (from 1) of ``sheet`` has been deleted."""
    tokenizer = Tokenizer(formula)
    for token in tokenizer.items:
        if token.type != "OPERAND" or token.subtype != "RANGE":
            continue
        name, mark, cells = token.value.rpartition("!")
        where = name.strip("'").replace("''", "'") if mark else own
        if fold(where) == fold(sheet):
            token.value = name + mark + _REFERENCE.sub(lambda match: _moved(match, row), cells)
    return "=" + "".join(token.value for token in tokenizer.items)


def _moved(match: re.Match[str], row: int) -> str:
    first, last = int(match[2]), int(match[4]) if match[4] else None
    if last is None:
        return "#REF!" if first == row else f"{match[1]}{first - (first > row)}"
    if first == last == row:
        return "#REF!"
    return f"{match[1]}{first - (first > row)}:{match[3]}{last - (last >= row)}"


def _add_row(book: Workbook, locator: Locator, model: Locator, name: str) -> None:
    """A row below the table, filled like the model row: formulas moved along, styles copied."""
    sheet, last, named = _place(book, locator)
    _, pattern, _ = _place(book, model)
    row = last + 1
    if any(cell.value is not None for cell in sheet[row]):
        raise CannotEdit("something stands right below the table")
    for cell in list(sheet[pattern]):
        twin = sheet.cell(row, int(cell.column or 0))
        if cell.column == named:
            twin.value = name
        elif cell.data_type == "f":
            twin.value = Translator(str(cell.value), origin=cell.coordinate).translate_formula(
                twin.coordinate
            )
        else:
            twin.value = cell.value
        twin.number_format = cell.number_format
