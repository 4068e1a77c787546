"""Edits of a delimited file whose rows are not all of one length."""

import csv
from pathlib import Path

import pytest

from graphforge.judging import edit_csv
from graphforge.judging.edits import CannotEdit, Cell, SetCells
from graphforge.records import CellLocator


def written(folder: Path, row: int, column: int) -> list[list[str]]:
    source, target = folder / "source.csv", folder / "target.csv"
    source.write_text("Name,First,Second\nAlder,1,2\nBirch,3\n\nCedar\n", encoding="utf-8")
    place = CellLocator(sheet="", row=row, column=column)
    edit_csv.apply(source, target, SetCells((Cell(place, "Cedar", None, 9.0),)))
    return list(csv.reader(target.read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize(("row", "column"), [(1, 2), (2, 2), (3, 1), (4, 1), (4, 2)])
def test_a_cell_that_a_short_row_leaves_out_can_be_filled(tmp_path: Path, row: int, column: int) -> None:
    assert written(tmp_path, row, column)[row][column] == "9"


@pytest.mark.parametrize(("row", "column"), [(1, 3), (5, 0), (50, 50)])
def test_a_place_outside_the_file_cannot_be_edited(tmp_path: Path, row: int, column: int) -> None:
    with pytest.raises(CannotEdit, match="has no cell"):
        written(tmp_path, row, column)
