"""Every place of a document reads the same from the original file again."""

import csv
import io
import random
import tempfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphforge.records import (
    BlockLocator,
    CellLocator,
    Document,
    Family,
    PageLocator,
    PointerLocator,
    SlideLocator,
    TableCellLocator,
    Value,
    normalize,
    parse_number,
)
from graphforge.workspace.parse import parse
from graphforge.workspace.reread import NotRecovered, Rereader
from tests.workspace import samples


def _same(value: Value, raw: str) -> bool:
    if value is None:
        return raw == ""
    number = parse_number(value)
    if number is not None:
        return parse_number(raw) == number
    return normalize(value) == normalize(raw)


def _check(path: Path, document: Document, most: int = 10_000) -> int:
    """Compare blocks and cells with the file; the number of places compared."""
    places: list[tuple[object, Value]] = [(block.locator, block.text) for block in document.blocks]
    for table in document.tables:
        first = table.header if document.family == "json" else 0
        for row in range(first, len(table.grid)):
            places += [
                (table.locate(row, column), table.grid[row][column]) for column in range(len(table.columns))
            ]
    if len(places) > most:
        places = random.Random(0).sample(places, most)
    with Rereader(lambda _: (path, document.family)) as rereader:
        for locator, value in places:
            raw = rereader.read(document.sha256, locator)  # type: ignore[arg-type]
            assert _same(value, raw), (path.name, locator, value, raw)
    return len(places)


@pytest.mark.parametrize("make", samples.EVERY, ids=lambda make: make.__name__)
def test_every_family(tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    path = make(tmp_path)
    assert _check(path, parse(path)) > 2


CORPUS = (
    "social_tanf_caseload/Appendices.xlsx",
    "energy_eia_prices/brent-month.xls",
    "social_tanf_caseload/Appendix B.csv",
    "planning_hud_disaster_housing/heuristics_report.docx",
    "procurement_gsa_smartpay/GSA009_Innovation_in_Payments.pptx",
    "finance_sec_edgar_filings/BuckleInc.8-K.EX99.1.html",
    "procurement_18f_agile_acquisition/QASP.md",
    "health_overdose_deaths/cocaine_10_16_national.txt",
    "energy_eia_prices/datapackage.json",
    "health_zika_surveillance/ca-confirmed-cases-2016-02-19.pdf",
    "tax_irs_forms_soi/taxdata_report_2022-08-17.pdf",
    "finance_philadelphia_budget/adopted__FY18.pdf",
)


@pytest.mark.parametrize("name", CORPUS)
def test_real_files(name: str) -> None:
    root = Path(__file__).parents[3] / "shared" / "corpus"
    if not root.is_dir():
        pytest.skip("needs ../shared/corpus: not in this clone")
    assert _check(root / name, parse(root / name), most=1500) > 0


_cells = st.one_of(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=("Cs", "Cc")), max_size=8
    ),
    st.integers(-10_000, 10_000).map(str),
    st.floats(-1e6, 1e6, allow_nan=False).map(repr),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(_cells, min_size=2, max_size=5), min_size=2, max_size=8))
def test_any_csv(rows: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
        _check(path, parse(path))


_values = st.one_of(
    st.none(),
    st.integers(-(2**40), 2**40),
    st.floats(-1e9, 1e9, allow_nan=False),
    st.booleans(),
    st.text(st.characters(codec="ascii", categories=("L", "N", "P", "Zs")), max_size=8).filter(
        lambda text: not text.startswith("=")
    ),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(_values, min_size=1, max_size=4), min_size=1, max_size=6))
def test_any_xlsx(rows: list[list[Value]]) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.xlsx"
        book.save(path)
        _check(path, parse(path))


MISSING: tuple[tuple[str, Family, object], ...] = (
    ("csv", "csv", CellLocator(row=99, column=0)),
    ("csv", "csv", CellLocator(row=0, column=99)),
    ("xlsx", "xlsx", CellLocator(sheet="No such sheet", row=0, column=0)),
    ("xlsx", "xlsx", CellLocator(sheet="Caseload", row=500, column=0)),
    ("word", "docx", BlockLocator(block=99)),
    ("word", "docx", TableCellLocator(table=9, row=0, column=0)),
    ("deck", "pptx", SlideLocator(slide=9, shape=0)),
    ("page", "html", TableCellLocator(table=0, row=99, column=0)),
    ("objects", "json", PointerLocator(pointer="/rows/0/none")),
    ("objects", "json", PointerLocator(pointer="/rows/-1/state")),
    ("pdf", "pdf", PageLocator(page=9, box=(0, 0, 10, 10))),
    ("pdf", "pdf", TableCellLocator(page=0, table=5, row=0, column=0)),
    ("plain", "txt", CellLocator(row=0, column=0)),
)


@pytest.mark.parametrize(("name", "family", "locator"), MISSING)
def test_a_place_that_is_not_there(tmp_path: Path, name: str, family: Family, locator: object) -> None:
    path = getattr(samples, name)(tmp_path)
    with Rereader(lambda _: (path, family)) as rereader, pytest.raises(NotRecovered) as caught:
        rereader.read("0" * 64, locator)  # type: ignore[arg-type]
    assert locator.show() in str(caught.value)  # type: ignore[attr-defined]


def test_a_file_that_is_gone_or_spoilt(tmp_path: Path) -> None:
    place = CellLocator(sheet="Caseload", row=0, column=0)
    with pytest.raises(NotRecovered):
        Rereader(lambda _: (tmp_path / "none.xlsx", "xlsx")).read("0" * 64, place)
    path = tmp_path / "bad.xlsx"
    path.write_bytes(samples.xlsx(tmp_path).read_bytes()[:500])
    with pytest.raises(NotRecovered):
        Rereader(lambda _: (path, "xlsx")).read("0" * 64, place)


def test_few_files_stay_open(tmp_path: Path) -> None:
    paths = {}
    for number in range(9):
        path = tmp_path / f"{number}.csv"
        path.write_text(f"Name,Count\na,{number}\nb,1\nc,2\n")
        paths[f"{number:064}"] = path
    with Rereader(lambda sha: (paths[sha], "csv")) as rereader:
        for sha in [*paths, *paths]:
            assert rereader.read(sha, CellLocator(row=1, column=1)) == str(int(sha))
            assert len(rereader._open) <= 6
