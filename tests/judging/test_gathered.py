"""What the anchors of a rubric point to, each table once, however many passages show a part of it."""

import pytest

from graphforge.judging.gathered import gather
from graphforge.records import Anchor, CellLocator, Criterion

SHA = "0" * 64


def anchor(row: int, column: int) -> Anchor:
    return Anchor(
        node=f"n{row}_{column}",
        file=SHA,
        name="wide.xlsx",
        locator=CellLocator(sheet="S", row=row, column=column),
    )


def criterion(*anchors: Anchor) -> Criterion:
    return Criterion(
        id="C1",
        deliverable="D1",
        requirement="r",
        expected="e",
        weight=1.0,
        anchors=anchors,
        verification="v",
        checks=(),
    )


def window(one: Anchor) -> str:
    """A wide table's passage: the key and three columns about the cell, header row and row."""
    assert isinstance(one.locator, CellLocator)
    at = one.locator.column
    letters = ["A", *(chr(65 + near) for near in (at - 1, at, at + 1) if near > 0)]
    cells = [f"{letter}{one.locator.row + 1}" for letter in letters]
    head = [f"head {letter}" for letter in letters]
    number = one.locator.row + 1
    return "\n".join(
        [
            "-- sheet 'S' --",
            f"row| {' | '.join(letters)}",
            f"1| {' | '.join(head)}",
            f"{number}| {' | '.join(cells)}",
        ]
    )


def test_windows_on_one_table_are_shown_as_one() -> None:
    found = gather([criterion(anchor(4, 2), anchor(4, 6), anchor(9, 6))], window)
    assert found.files["wide.xlsx"] == [
        "-- sheet 'S' --",
        "row| A | B | C | D | F | G | H",
        "1| head A | head B | head C | head D | head F | head G | head H",
        "5| A5 | B5 | C5 | D5 | F5 | G5 | H5",
        *(f"{row}| A{row} | … | … | … | F{row} | G{row} | H{row}" for row in (6, 7, 8, 9, 10)),
    ]


def test_a_row_of_many_anchors_is_shown_once() -> None:
    many = [anchor(4, column) for column in range(2, 20)]
    (lines,) = gather([criterion(*many)], window).files.values()
    assert [line.split("| ")[0] for line in lines] == ["-- sheet 'S' --", "row", "1", "5"]


@pytest.mark.parametrize("odd", ["5| a", "five| a | b", "just words"])
def test_what_is_no_such_table_is_left_as_it_is(odd: str) -> None:
    texts = {2: f"-- page 1 --\nrow| A | B\n{odd}", 6: "-- page 1 --\nrow| A | G\n5| a | g"}
    found = gather([criterion(anchor(4, 2), anchor(5, 6))], lambda one: texts[one.locator.column])
    assert found.files["wide.xlsx"] == [*texts[2].splitlines(), *texts[6].splitlines()]
