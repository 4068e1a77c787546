"""Rows and columns moved by cut and paste: every formula gives what it gave."""

from pathlib import Path

import pytest
from golden_case import BOOK, HARBOURS, SHEET, readable, write_book
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from graphforge.judging.edits import CannotEdit
from graphforge.judging.move_xlsx import move

ROWS = range(4, 4 + len(HARBOURS))


def by_name(path: Path) -> dict[str, dict[str, object]]:
    """The named rows of the table: header to value."""
    (table,) = [table for table in readable(path).tables if table.origin.sheet == SHEET]
    head = next(row for row in table.grid if "Harbour" in row)
    key = head.index("Harbour")
    return {
        str(row[key]): dict(zip(head, row, strict=True)) for row in table.grid if row[key] and row is not head
    }


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.permutations(ROWS), columns=st.permutations(range(2, 6)))
def test_any_order_of_rows_and_columns_gives_the_same_figures(tmp_path, rows, columns):
    write_book(tmp_path / BOOK)
    before = by_name(tmp_path / BOOK)
    book = load_workbook(tmp_path / BOOK)
    move(book, book[SHEET], dict(zip(ROWS, rows, strict=True)), dict(zip(range(2, 6), columns, strict=True)))
    book.save(tmp_path / "moved.xlsx")
    after = by_name(tmp_path / "moved.xlsx")
    assert after.keys() == before.keys()
    for name, cells in before.items():
        assert {
            key: pytest.approx(value) if isinstance(value, float) else value for key, value in cells.items()
        } == after[name]


def test_a_range_that_would_fall_apart_is_not_moved():
    book = Workbook()
    sheet = book.active
    for row in range(1, 6):
        sheet.cell(row, 1).value = row
    sheet["B1"] = "=SUM(A1:A3)"
    with pytest.raises(CannotEdit, match="fall apart"):
        move(book, sheet, {3: 5, 5: 3}, {})


@pytest.mark.parametrize("formula", ["=SUM(A:A)", "=SUM(Sales)", "=SUM(2:2)"])
def test_a_reference_that_can_not_be_followed_is_not_moved(formula):
    book = Workbook()
    book.active["B1"] = formula
    with pytest.raises(CannotEdit):
        move(book, book.active, {1: 2, 2: 1}, {})
