"""A workbook otherwise, and as right as before: moved, formatted, added to, written by another library."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import xlsxwriter
from openpyxl import Workbook
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula
from openpyxl.worksheet.worksheet import Worksheet

from ..records import CellLocator, Document
from .asked import Asked, AskedTable
from .edit_xlsx import opened
from .edits import CannotEdit
from .grid import filled, number
from .looks import restyled, reworded
from .move_xlsx import move

Vary = Callable[[Path, Path, Asked, Document], None]


@contextmanager
def _changed(source: Path, target: Path) -> Iterator[Workbook]:
    book = opened(source)
    yield book
    book.save(target)


def _sheet(book: Workbook, table: AskedTable) -> Worksheet:
    origin = table.table.origin
    if not isinstance(origin, CellLocator):
        raise CannotEdit("the table stands in no sheet")
    return book[origin.sheet]


def _row(table: AskedTable, row: int) -> int:
    """The row of the sheet, from 1, of a grid row."""
    assert isinstance(table.table.origin, CellLocator)
    return table.table.origin.row + row + 1


def _column(table: AskedTable, column: int) -> int:
    assert isinstance(table.table.origin, CellLocator)
    return table.table.origin.column + column + 1


def _need(found: object, what: str) -> None:
    if not found:
        raise CannotEdit(what)


def row_order(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """The named rows the other way round."""
    _need(any(len(table.rows) > 1 for table in asked.tables), "no table has rows to put in another order")
    with _changed(source, target) as book:
        for table in asked.tables:
            places = [_row(table, row) for row in table.rows]
            move(book, _sheet(book, table), dict(zip(places, reversed(places), strict=True)), {})


def column_order(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """The columns after that of the names the other way round."""
    with _changed(source, target) as book:
        moved = 0
        for table in asked.tables:
            width = len(table.table.grid[table.header])
            after = [
                column
                for column in range(table.key + 1, width)
                if filled(table.table.grid[table.header][column])
            ]
            places = [_column(table, column) for column in after]
            moved += len(places) > 1
            move(book, _sheet(book, table), {}, dict(zip(places, reversed(places), strict=True)))
        _need(moved, "no table has columns to put in another order")


def title_rows(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """Two more rows above everything, with a line of text."""
    _need(asked.tables, "no table is asked for")
    with _changed(source, target) as book:
        for sheet in {id(one): one for one in (_sheet(book, table) for table in asked.tables)}.values():
            move(book, sheet, {row: row + 2 for row in range(1, sheet.max_row + 1)}, {})
            sheet.cell(1, 1).value = "Prepared from the files in the folder"


def extra_column(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """One more column, of remarks."""
    with _changed(source, target) as book:
        added = 0
        for table in asked.tables:
            sheet = _sheet(book, table)
            column = _column(table, len(table.table.grid[table.header]))
            lines = [_row(table, row) for row in (table.header, *table.rows)]
            if any(sheet.cell(line, column).value is not None for line in lines):
                continue
            for line in lines:
                sheet.cell(line, column).value = "Remark" if line == lines[0] else "as in the source"
            added += 1
        _need(added, "no table has room beside it")


def extra_sheet(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """One more sheet, before the others, that says what they hold."""
    with _changed(source, target) as book:
        names = list(book.sheetnames)
        sheet = book.create_sheet("Read me", 0)
        sheet.append(["Sheet", "What it holds"])
        for name in names:
            sheet.append([name, "see the headings there"])


def number_format(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """Every figure shown with thousands separated and three decimals; its value stays."""
    with _changed(source, target) as book:
        for table in asked.tables:
            for row, column in table.figures():
                _sheet(book, table).cell(_row(table, row), _column(table, column)).number_format = "#,##0.000"
        _need(any(table.figures() for table in asked.tables), "no figure is asked for")


def percent_format(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """Percentages as fractions that are shown as percentages, as spreadsheets have them."""
    _need(any(table.percents for table in asked.tables), "no column of percentages is asked for")
    with _changed(source, target) as book:
        for table in asked.tables:
            sheet = _sheet(book, table)
            for row, column in table.figures():
                if column not in table.percents:
                    continue
                cell = sheet.cell(_row(table, row), _column(table, column))
                if isinstance(cell.value, ArrayFormula | DataTableFormula):
                    raise CannotEdit("array formulas aren't touched")
                if cell.data_type == "f":
                    # A sum of fractions is one already.
                    if row not in table.totals:
                        cell.value = f"=({str(cell.value).removeprefix('=')})/100"
                elif (held := number(table.table.grid[row][column])) is not None:
                    cell.value = held / 100
                cell.number_format = "0.00%"


def capital_headers(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """The headers of the tables in capital letters."""
    _need(asked.tables, "no table is asked for")
    with _changed(source, target) as book:
        for table in asked.tables:
            for cell in _sheet(book, table)[_row(table, table.header)]:
                if isinstance(cell.value, str) and cell.data_type == "s":
                    cell.value = cell.value.upper()


def other_library(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """All cells written anew by XlsxWriter, formulas with their results."""
    known = {
        (table.origin.sheet, table.origin.row + row, table.origin.column + column): cell
        for table in document.tables
        if isinstance(table.origin, CellLocator)
        for row, cells in enumerate(table.grid)
        for column, cell in enumerate(cells)
    }
    book = opened(source)
    with xlsxwriter.Workbook(str(target)) as out:
        for sheet in book.worksheets:
            written = out.add_worksheet(sheet.title)
            for cell in (cell for line in sheet.iter_rows() for cell in line):
                row, column = int(cell.row or 1) - 1, int(cell.column or 1) - 1
                value = cell.value
                if isinstance(value, ArrayFormula | DataTableFormula):
                    raise CannotEdit("array formulas aren't written anew")
                if cell.data_type == "f":
                    result = known.get((sheet.title, row, column))
                    written.write_formula(row, column, str(value), None, "" if result is None else result)
                elif isinstance(value, bool):
                    written.write_boolean(row, column, value)
                elif isinstance(value, int | float):
                    written.write_number(row, column, value)
                elif isinstance(value, str):
                    written.write_string(row, column, value)
                elif value is not None:
                    raise CannotEdit("dates aren't written anew")


def other_rendering(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """Figures in the text of cells in another look."""
    _texts(source, target, lambda text: restyled(text, asked.stated))


def other_wording(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """Other words around the figures in the text of cells."""
    _texts(source, target, lambda text: reworded(text, asked.stated, asked.phrases))


def _texts(source: Path, target: Path, said: Callable[[str], str]) -> None:
    with _changed(source, target) as book:
        changed = 0
        for cell in (cell for sheet in book.worksheets for line in sheet.iter_rows() for cell in line):
            if (
                cell.data_type == "s"
                and isinstance(cell.value, str)
                and (new := said(cell.value)) != cell.value
            ):
                cell.value = new
                changed += 1
        _need(changed, "no cell's text states a figure that could be put otherwise")


VARIATIONS: Mapping[str, Vary] = {
    one.__name__: one
    for one in (
        row_order, column_order, title_rows, extra_column, extra_sheet, number_format, percent_format,
        capital_headers, other_library, other_rendering, other_wording,
    )
}  # fmt: skip
