"""Which rows and columns a relation may rest on: no totals, no parents beside their parts, no header borne twice."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.records import (
    CellLocator,
    Column,
    Document,
    Table,
    TableCellLocator,
    doubled,
    editions,
    level_columns,
    levels,
    mixes_levels,
    names_total,
    totals,
)

NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir")


def table(
    columns: dict[str, tuple[object, ...]],
    names: tuple[str, ...] = NAMES,
    title: str = "Permits",
    origin: CellLocator | TableCellLocator | None = None,
    identifier: str = "t1",
) -> Table:
    grid = [("District", *columns), *zip(names, *columns.values(), strict=True)]
    kinds = ["text" if any(isinstance(v, str) for v in values) else "number" for values in columns.values()]
    return Table(
        id=identifier,
        title=title,
        origin=origin or CellLocator(sheet="Sheet", row=0, column=0),
        grid=tuple(grid),
        header=1,
        body=(1, 1 + len(names)),
        columns=(
            Column(index=0, name="District", kind="text"),
            *(
                Column(index=at + 1, name=name.strip("'"), kind=kind)
                for at, (name, kind) in enumerate(zip(columns, kinds, strict=True))
            ),
        ),
        key=0,
    )


def document(*tables: Table) -> Document:
    return Document(sha256="a" * 64, name="a.xlsx", family="xlsx", title="a", pages=1, tables=tables)


FIGURES = (10.0, 20.0, 30.0, 45.0, 50.0, 61.0)


@pytest.mark.parametrize("module", [editions, totals, levels])
def test_the_examples_of_the_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["TOTAL OPERATING FUNDS", "Grand Total", "Revenue, total", "All Funds", "Sub-total", "Citywide"]
)
@given(place=st.integers(0, 5))
def test_a_row_called_a_total_is_no_row_wherever_it_stands(name: str, place: int) -> None:
    names = (*NAMES[:place], name, *NAMES[place + 1 :])
    one = table({"Permits": FIGURES}, names)
    assert len(one.keyed_rows()) == 5 and one.inner_totals() == (place + 1,)


@given(st.text(alphabet="abcdefghijklmnopqrsuvwxyz ", max_size=30))
def test_what_is_not_called_a_total_stays(name: str) -> None:
    told = " ".join(name.split())
    if not told.startswith(("all", "sum", "citywide", "nation", "us")):
        assert not names_total(told)


def test_names_that_several_rows_bear_name_none() -> None:
    one = table({"Permits": FIGURES}, ("Alder", "Birch", "ALDER", "Dogwood", "Elm", "Fir"))
    assert list(one.keyed_rows()) == ["birch", "dogwood", "elm", "fir"]


@pytest.mark.parametrize(
    ("header", "cells", "mixed"),
    [
        ("parent_sector", ("", "Alder", "Alder", "", "Dogwood", "Dogwood"), True),
        ("group", ("Alder", "Alder", "Alder", "Dogwood", "Dogwood", "Dogwood"), True),
        ("parent", ("X1", "", "X1", "X1", "", "X1"), True),
        ("GeoType", ("City", "Borough", "Borough", "Borough", "Borough", "Borough"), True),
        ("GeoType", ("Borough",) * 6, False),
        ("group", ("North", "North", "South", "South", "North", "South"), False),
        ("group", NAMES, False),
        ("Two parent families", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), False),
        ("Education level", ("none", "degree", "none", "none", "degree", "none"), False),
        ("Capital", ("Alder", "x", "Alder", "y", "z", "w"), False),
    ],
)
def test_parents_beside_their_parts_are_told_by_another_column(
    header: str, cells: tuple[object, ...], mixed: bool
) -> None:
    one = table({header: cells, "Permits": FIGURES})
    rows = one.keyed_rows()
    assert mixes_levels(one, rows.values(), level_columns(one)) is mixed


def test_the_parts_alone_may_be_added_up() -> None:
    one = table({"parent": ("", "Alder", "Alder", "", "Dogwood", "Dogwood"), "Permits": FIGURES})
    assert not mixes_levels(one, (2, 3, 5, 6), level_columns(one))


def test_a_header_that_two_blocks_of_a_sheet_bear_names_no_column() -> None:
    first = table({"Permits": FIGURES, "Staff": FIGURES})
    below = table({"Permits": FIGURES}, origin=CellLocator(sheet="Sheet", row=20, column=0), identifier="t2")
    elsewhere = table(
        {"Permits": FIGURES}, origin=CellLocator(sheet="Other", row=0, column=0), identifier="t3"
    )
    whole = document(first, below, elsewhere)
    assert doubled(whole, first) == {1} and doubled(whole, below) == {1} and not doubled(whole, elsewhere)


def test_a_header_twice_in_one_table_names_no_column() -> None:
    one = table({"Total": FIGURES, "Total'": FIGURES, "# Proficient": FIGURES, "% Proficient": FIGURES})
    assert doubled(document(one), one) == {1, 2}


def test_where_there_are_no_sheets_or_pages_a_title_tells_tables_apart() -> None:
    def placed(title: str, number: int, page: int | None = None) -> Table:
        origin = TableCellLocator(table=number, row=0, column=0, page=page)
        return table({"2024": FIGURES}, title=title, origin=origin, identifier=f"t{number}")

    sales, costs, bare = placed("Sales", 0), placed("Costs", 1), placed("", 2)
    whole = document(sales, costs, bare)
    assert not doubled(whole, sales) and not doubled(whole, costs) and doubled(whole, bare) == {1}
    paged = document(placed("Sales", 0, 3), placed("Costs", 1, 3))
    assert doubled(paged, paged.tables[0]) == {1}
