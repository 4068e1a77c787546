"""Tables found from what a page draws: on made pages, shown upright and turned."""

from pathlib import Path

import pymupdf
import pytest

from graphforge.records import TableCellLocator
from graphforge.workspace import Rereader, parse
from graphforge.workspace.formats import pdf, ruling

WORDS = (("Place", "Cases"), ("Napa", "1"), ("Yolo", "2"), ("Marin", "3"))


def page_of(folder: Path, draw: str, rotation: int = 0, frame: bool = True) -> Path:
    """A page with a table of 4 rows and 2 columns; ``draw``: lines, boxes, thin boxes or shading."""
    document = pymupdf.open()
    page = document.new_page(width=612, height=792)
    page.insert_text((72, 60), "Cases by place, as read on Friday")
    xs, ys = (72.0, 200.0, 320.0), tuple(100.0 + 30 * row for row in range(5))
    inner_x, inner_y = xs, ys if frame else ys[1:-1]
    if draw == "lines":
        for y in inner_y:
            page.draw_line((xs[0], y), (xs[-1], y))
        for x in inner_x:
            page.draw_line((x, ys[0]), (x, ys[-1]))
    elif draw == "thin boxes":
        for y in inner_y:
            page.draw_rect((xs[0], y, xs[-1], y + 0.5), fill=(0, 0, 0), color=None, width=0)
        for x in inner_x:
            page.draw_rect((x, ys[0], x + 0.5, ys[-1]), fill=(0, 0, 0), color=None, width=0)
    else:
        for row in range(4):
            for column in range(2):
                box = (xs[column], ys[row], xs[column + 1], ys[row + 1])
                if draw == "boxes":
                    page.draw_rect(box)
                else:
                    page.draw_rect(box, fill=(0.9, 0.9, 1 - 0.1 * (row % 2)), color=None, width=0)
    for row, line in enumerate(WORDS):
        for column, text in enumerate(line):
            page.insert_text((xs[column] + 8, ys[row] + 20), text)
    if rotation:
        # The page is set sideways and shown turned back, as office programs print landscape sheets.
        turned = pymupdf.open()
        target = turned.new_page(width=792, height=612)
        target.show_pdf_page(target.rect, document, 0, rotate=rotation)
        target.set_rotation(rotation)
        document = turned
    path = folder / "cases.pdf"
    document.save(path)
    return path


@pytest.mark.parametrize("draw", ["lines", "boxes", "thin boxes", "shading"])
def test_drawn_grids_are_tables(tmp_path: Path, draw: str) -> None:
    (table,) = parse(page_of(tmp_path, draw)).tables
    assert table.grid == WORDS
    assert table.header == 1
    assert table.title == "Cases by place, as read on Friday"


def test_a_grid_without_its_top_and_bottom_lines_is_whole(tmp_path: Path) -> None:
    (table,) = parse(page_of(tmp_path, "lines", frame=False)).tables
    assert len(table.grid) == 4 and len(table.columns) == 2


@pytest.mark.parametrize("rotation", [90, 270])
def test_a_turned_page_is_read_as_it_is_shown(tmp_path: Path, rotation: int) -> None:
    path = page_of(tmp_path, "lines", rotation)
    document = parse(path)
    with pymupdf.open(path) as opened:
        width, height = opened[0].rect.width, opened[0].rect.height
        shown = {(word.text, word.box[3] - word.box[1] < word.box[2] - word.box[0] + 20)
                 for word in pdf.words_of(opened[0])}  # fmt: skip
    assert {text for text, _ in shown} >= {"Place", "Cases", "Napa", "Yolo", "Marin"}
    assert len(document.tables) == 1
    assert sorted(map(sorted, document.tables[0].grid)) == sorted(map(sorted, WORDS))
    for block in document.blocks:
        x0, y0, x1, y1 = block.locator.box  # type: ignore[union-attr]
        assert 0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height


def test_cells_of_a_turned_page_are_read_again(tmp_path: Path) -> None:
    path = page_of(tmp_path, "lines", 90)
    (table,) = parse(path).tables
    rereader = Rereader(lambda _: (path, "pdf"))
    for row, line in enumerate(table.grid):
        for column, value in enumerate(line):
            place = table.locate(row, column)
            assert isinstance(place, TableCellLocator)
            assert rereader.read("0" * 64, place) == value


def test_merged_cells_leave_gaps() -> None:
    # A label over two columns, then two rows of two cells.
    drawn = ruling.Ruling(
        across=[(0, 0, 100), (20, 0, 100), (40, 0, 100), (60, 0, 100)],
        down=[(0, 0, 60), (50, 20, 60), (100, 0, 60)],
    )
    (grid,) = drawn.grids([])
    assert grid[0] == [(0, 0, 100, 20), None]
    assert grid[1] == [(0, 20, 50, 40), (50, 20, 100, 40)]
    assert len(grid) == 3


def test_strokes_apart_by_less_than_a_line_are_one() -> None:
    drawn = ruling.Ruling(
        across=[(0, 0, 48), (0.8, 50, 100), (30, 2, 99), (60, 0, 100)],
        down=[(0, 0, 61), (50, 1, 60), (100, 0, 29), (100, 31, 60)],
    )
    (grid,) = drawn.grids([])
    assert [sum(cell is not None for cell in row) for row in grid] == [2, 2]


def test_two_grids_are_two() -> None:
    def square(left: float, top: float) -> tuple[list[ruling.Stroke], list[ruling.Stroke]]:
        return (
            [(top + 20 * n, left, left + 40) for n in range(3)],
            [(left + 20 * n, top, top + 40) for n in range(3)],
        )

    first, second = square(0, 0), square(0, 200)
    drawn = ruling.Ruling(across=first[0] + second[0], down=first[1] + second[1])
    assert [grid[0][0] for grid in drawn.grids([])] == [(0, 0, 20, 20), (0, 200, 20, 220)]


def test_a_chart_is_not_searched(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    shape = page.new_shape()
    for n in range(4_100):
        shape.draw_line((n % 500, 50 + n % 37), (n % 500, 90 + n % 41))
    shape.finish()
    shape.commit()
    path = tmp_path / "chart.pdf"
    document.save(path)
    with pymupdf.open(path) as opened:
        found = ruling.ruling_of(opened[0])
    assert found.crowded and not found.may_hold_grid()
