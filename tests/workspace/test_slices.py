"""Long tables cut by period, so that the rows of one period have names."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from made_library import document, table

from graphforge.workspace import LocalSearch
from graphforge.workspace.slices import with_slices

SECTORS = ["Banking", "Retail", "Mining", "Health", "Law", "Sport"]


def long_table(years: list[int], **changes: object):
    rows: list[list[object]] = [["sector", "total", "tax_year"]]
    rows += [[name, 100 * n + year % 100, year] for year in years for n, name in enumerate(SECTORS)]
    return table(rows, **{"key": None, **changes})


def test_every_year_becomes_a_keyed_table() -> None:
    made = document("birt.csv", (long_table([2019, 2020, 2021]),))
    found = with_slices(made).tables
    assert found[0] == made.tables[0]
    assert [piece.title for piece in found[1:]] == ["2019", "2020", "2021"]
    for piece in found[1:]:
        assert list(piece.keyed_rows()) == [name.casefold() for name in SECTORS]
        [measure] = [one for one in piece.measures() if one.name.startswith("total")]
        assert measure.name == f"total ({piece.title})"
        assert measure.period == piece.title


def test_a_slice_points_at_the_cells_of_the_long_table() -> None:
    made = document("birt.csv", (long_table([2019, 2020]),))
    whole, _, second = with_slices(made).tables
    for row in range(*second.body):
        place = second.locate(row, 1)
        assert whole.grid[place.row][place.column] == second.grid[row][1]  # type: ignore[union-attr]


def test_tables_with_a_key_or_mixed_periods_stay_whole() -> None:
    keyed = document("a.csv", (long_table([2019, 2020], key=0),))
    assert with_slices(keyed) is keyed
    rows: list[list[object]] = [["sector", "total", "tax_year"]]
    rows += [[name, 7 * n, 2019 + n % 2] for n, name in enumerate(SECTORS * 2)]
    mixed = document("b.csv", (table(rows, key=None),))
    assert with_slices(mixed) is mixed


def test_a_year_that_comes_twice_is_left_out() -> None:
    made = document("birt.csv", (long_table([2019, 2020, 2021, 2019]),))
    assert [piece.title for piece in with_slices(made).tables[1:]] == ["2020", "2021"]


def test_a_category_cuts_where_no_period_does() -> None:
    rows: list[list[object]] = [["state", "deaths", "drug"]]
    rows += [
        [name, 10 * n + len(drug), drug] for drug in ("cocaine", "heroin") for n, name in enumerate(SECTORS)
    ]
    made = document("drugs.csv", (table(rows, key=None),))
    assert [[one.name for one in piece.measures()] for piece in with_slices(made).tables[1:]] == [
        ["deaths (cocaine)"],
        ["deaths (heroin)"],
    ]


def test_opening_a_library_cuts_its_long_tables(tmp_path: Path) -> None:
    lines = ["sector,total,tax_year"]
    lines += [
        f"{name},{100 * n + year % 100},{year}" for year in (2019, 2020) for n, name in enumerate(SECTORS)
    ]
    (tmp_path / "birt.csv").write_text("\n".join(lines))
    found = LocalSearch(root=tmp_path, file_bytes=10_000, workers=1).open()
    assert "periods" in {case.kind for case in found.findings.cases} or [
        table.title for document in found.documents.values() for table in document.tables
    ][-1].endswith("2020")


def two_kinds(order: list[tuple[int, str, str]]):
    rows: list[list[object]] = [["year", "drug", "state", "deaths"]]
    rows += [[year, drug, state, 7 * place + 3] for place, (year, drug, state) in enumerate(order)]
    return table(rows, key=None)


PLACES = [
    (year, drug, state)
    for state in ("Ohio", "Iowa", "Utah", "Maine", "Texas", "Idaho")
    for drug in ("cocaine", "heroin")
    for year in (2014, 2015, 2016)
]


def test_rows_that_stand_apart_are_sorted_out_by_what_they_have_in_common() -> None:
    whole = two_kinds(PLACES)
    made = with_slices(document("deaths.csv", (whole,))).tables[1:]
    assert len(made) == 6
    for piece in made:
        fixed = {one.column: one.value for one in piece.where}
        assert set(fixed) == {"drug", "year"}
        assert len(piece.keyed_rows()) == 6
        [measure] = [one for one in piece.measures() if one.header == "deaths"]
        assert measure.name == f"deaths ({fixed['drug']}, {fixed['year']})"
        for row in range(*piece.body):
            place = piece.locate(row, measure.index)
            source = whole.grid[place.row]  # type: ignore[union-attr]
            assert source[measure.index] == piece.grid[row][measure.index]
            assert (str(source[0]), source[1]) == (fixed["year"], fixed["drug"])


@given(st.permutations(PLACES))
def test_the_order_of_the_rows_changes_no_part(order: list[tuple[int, str, str]]) -> None:
    def content(order: list[tuple[int, str, str]]) -> set[tuple[object, ...]]:
        parts = with_slices(document("deaths.csv", (two_kinds(order),))).tables[1:]
        return {
            (tuple((one.column, one.value) for one in piece.where), frozenset(piece.keyed_rows()))
            for piece in parts
            if len(piece.where) == 2
        }

    assert len(content(order)) in (0, 6)


def test_months_are_sorted_by_the_calendar_and_the_latest_are_taken() -> None:
    months = ["January", "February", "March", "April", "May", "June", "July", "August", "September"]
    rows: list[list[object]] = [["month", "kind", "state", "deaths"]]
    rows += [
        [month, kind, state, n * 5 + len(kind)]
        for n, month in enumerate(months)
        for state in ("Ohio", "Iowa", "Utah", "Maine", "Texas")
        for kind in ("aaa", "bbb", "ccc", "ddd")
    ]
    made = table(rows, key=None)
    columns = tuple(
        one.model_copy(update={"kind": "period"}) if one.name == "month" else one for one in made.columns
    )
    parts = with_slices(document("m.csv", (made.model_copy(update={"columns": columns}),))).tables[1:]
    taken = {one.value for piece in parts for one in piece.where if one.column == "month"}
    assert taken == set(months[3:])


def test_a_number_for_each_row_with_a_few_doubles_is_no_name() -> None:
    rows: list[list[object]] = [["case", "state", "workers"]]
    rows += [[f"C-{n // 2 if n < 4 else n}", ("Ohio", "Iowa")[n % 2], 3 * n] for n in range(40)]
    made = document("cases.csv", (table(rows, key=None),))
    assert with_slices(made) is made


def test_a_part_whose_rows_have_nothing_in_common_but_a_blank_is_left_out() -> None:
    rows: list[list[object]] = [["state", "note", "deaths"]]
    rows += [[name, note, n] for note in ("", "late") for n, name in enumerate(SECTORS)]
    rows += [[name, "early", 2 * n] for n, name in enumerate(SECTORS)]
    rows = [rows[0], *rows[1::2], *rows[2::2]]
    parts = with_slices(document("n.csv", (table(rows, key=None),))).tables[1:]
    assert {one.value for piece in parts for one in piece.where} == {"late", "early"}
