"""Long tables cut by period, so that the rows of one period have names."""

from pathlib import Path

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
