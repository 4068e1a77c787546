"""One file in, one document out."""

import csv
import io
from pathlib import Path

import openpyxl
import pytest

from graphforge.records import CellLocator, Document, Table
from graphforge.workspace.limits import ParseLimits
from graphforge.workspace.parse import parse
from tests.workspace import samples


def _table(rows: list[list[object]], folder: Path) -> Document:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    path = folder / "t.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    return parse(path)


def _names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


@pytest.mark.parametrize("make", samples.EVERY, ids=lambda make: make.__name__)
def test_the_same_file_gives_the_same_document(tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    path = make(tmp_path)
    first = parse(path, "given.name")
    assert first.line() == parse(path, "given.name").line()
    assert first.name == "given.name"
    assert first == Document.model_validate_json(first.line())


def test_csv_header_total_unit_and_key(tmp_path: Path) -> None:
    table = parse(samples.csv(tmp_path)).tables[0]
    assert (table.header, table.body, table.totals, table.key) == (1, (1, 5), (5,), 0)
    assert [column.kind for column in table.columns] == ["text", "number", "number"]
    assert table.columns[2].unit == "percent"
    assert table.keyed_rows() == {"alabama": 1, "alaska": 2, "arizona": 3, "arkansas": 4}
    assert table.locate(2, 1) == CellLocator(row=2, column=1)


def test_xlsx_merged_header_formulas_and_hidden_sheet(tmp_path: Path) -> None:
    document = parse(samples.xlsx(tmp_path))
    table, hidden = document.tables
    assert _names(table) == ["State", "Families 2020", "Families 2021"]
    assert [column.period for column in table.columns] == [None, "2020", "2021"]
    assert [column.unit for column in table.columns] == [None, "thousand", "thousand"]
    assert (table.header, table.body, table.totals, table.key) == (2, (2, 6), (6,), 0)
    assert table.formulas == {"6,1": "=SUM(B5:B8)", "6,2": "=SUM(C5:C8)"}
    assert table.grid[6] == ("Total", 4385, 7.5)
    assert table.locate(6, 1) == CellLocator(sheet="Caseload", row=8, column=1)
    assert hidden.hidden and not table.hidden
    assert "fiscal year 2021" in table.title
    assert [block.kind for block in document.blocks] == ["heading", "note"]


def test_docx_tables_nest_and_tracked_changes_are_accepted(tmp_path: Path) -> None:
    document = parse(samples.word(tmp_path))
    assert [(block.kind, block.text) for block in document.blocks] == [
        ("heading", "Findings"),
        ("paragraph", "Alabama had 1,200 families."),
    ]
    assert len(document.tables) == 2
    assert document.tables[0].key == 0
    assert document.tables[1].grid[1] == ("inner 2", "inner 3")


def test_pptx_chart_is_a_table_and_notes_are_kept(tmp_path: Path) -> None:
    document = parse(samples.deck(tmp_path))
    chart = document.tables[0]
    assert chart.grid[0] == (None, "Families")
    assert [row[1] for row in chart.grid[1:]] == [1200, 340, 2750, 95]
    assert chart.key == 0
    assert [block.text for block in document.blocks if block.kind == "note"] == [
        "The figure for Alaska was corrected."
    ]
    assert document.blocks[0].kind == "heading"


def test_html_hides_what_a_reader_does_not_see(tmp_path: Path) -> None:
    document = parse(samples.page(tmp_path))
    assert "ignore" not in document.text() and "var x" not in document.text()
    assert any("hidden" in warning for warning in document.warnings)
    table = document.tables[0]
    assert table.grid[1] == ("Alabama", "$1,200")
    assert table.columns[1].unit == "USD" and table.key == 0


def test_markdown_and_text_blocks(tmp_path: Path) -> None:
    document = parse(samples.markdown(tmp_path))
    kinds = [block.kind for block in document.blocks]
    assert kinds == ["heading", "paragraph", "list_item", "list_item", "paragraph"]
    assert document.blocks[1].text == "Some plain words."
    assert document.tables[0].title == "Notes" and document.tables[0].key == 0
    plain = parse(samples.plain(tmp_path))
    assert [block.text for block in plain.blocks] == [
        "Dear Ann,",
        "Alabama had 1,200 families in all.",
        "Yours",
    ]


def test_json_objects_are_a_table(tmp_path: Path) -> None:
    document = parse(samples.objects(tmp_path))
    table = document.tables[0]
    assert _names(table) == ["state", "families", "a/b~c"]
    assert table.locate(1, 2).pointer == "/rows/0/a~1b~0c"  # type: ignore[union-attr]
    assert {block.text for block in document.blocks} == {"Caseload", "2021"}
    with pytest.raises(ValueError, match="no place"):
        table.locate(0, 0)


def test_pdf_ruled_and_aligned_tables(tmp_path: Path) -> None:
    document = parse(samples.pdf(tmp_path))
    assert document.pages == 2
    assert (document.blocks[0].kind, document.blocks[0].text) == ("heading", "Caseload report")
    assert len(document.tables) == 2
    for table in document.tables:
        assert _names(table) == ["State", "Families", "Share"]
        assert [row[1] for row in table.grid[1:]] == ["1,200", "340", "2,750", "95"]
        assert table.key == 0 and table.columns[2].unit == "percent"
    assert not any("2,750" in block.text for block in document.blocks)


def test_formulas_without_results_are_calculated(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Item", "Count", "Twice"])
    for number, name in enumerate("abc", 2):
        sheet.append([name, number * 10, f"=B{number}*2"])
    sheet.append(["d", 1, "=NOSUCHFUNCTION(B2)"])
    path = tmp_path / "f.xlsx"
    book.save(path)
    document = parse(path)
    assert [row[2] for row in document.tables[0].grid] == ["Twice", 40, 60, 80, None]
    assert document.tables[0].formulas["1,2"] == "=B2*2"
    assert any("C5" in warning for warning in document.warnings)


def test_a_workbook_of_chance_is_not_calculated(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Item", "Draw"])
    for name in "abc":
        book.active.append([name, "=RAND()"])
    path = tmp_path / "r.xlsx"
    book.save(path)
    document = parse(path)
    assert [row[1] for row in document.tables[0].grid[1:]] == [None] * 3
    assert any("chance" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("text", "encoding", "names", "cell"),
    [
        ("Año;Anteil\n2019;0,5\n2020;1.234,75\n2021;7,1\n", "utf-8-sig", ["Año", "Anteil"], "1234.75"),
        ("Año,Población\n2019,5\n2020,6\n2021,7\n", "cp1252", ["Año", "Población"], "6"),
        ("Year\tCount\n2019\t5\n2020\t6\n2021\t7\n", "utf-16", ["Year", "Count"], "6"),
        ("Year,Count\n2019,5\0\n2020,6\n2021,7\n", "utf-8", ["Year", "Count"], "6"),
    ],
)
def test_csv_encodings_and_delimiters(
    tmp_path: Path, text: str, encoding: str, names: list[str], cell: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    table = parse(path).tables[0]
    assert _names(table) == names
    assert table.grid[2][1] == cell
    assert table.columns[0].kind == "period" and table.key == 0


def test_a_wrong_key_is_worse_than_none(tmp_path: Path) -> None:
    body = [
        ["Alabama", "2019", "5"],
        ["Alabama", "2020", "6"],
        ["Alaska", "2019", "7"],
        ["Alaska", "2020", "8"],
    ]
    assert _table([["State", "Year", "Count"], *body], tmp_path).tables[0].key is None
    gap = [["Alabama", "5"], ["", "6"], ["Alaska", "7"], ["Arizona", "9"]]
    assert _table([["State", "Count"], *gap], tmp_path).tables[0].key is None
    folded = [["H-2A", "5"], ["H 2A", "6"], ["H-2B", "7"]]
    assert _table([["Visa", "Count"], *folded], tmp_path).tables[0].key is None
    few = [["Alabama", "5"], ["Alaska", "6"]]
    assert _table([["State", "Count"], *few], tmp_path).tables[0].key is None


def test_a_table_without_a_header_gets_letters_and_no_key(tmp_path: Path) -> None:
    table = _table(
        [["Alabama", 5, 1.5], ["Alaska", 6, 2.5], ["Arizona", 7, 3.5], ["Ohio", 8, 4.5]], tmp_path
    ).tables[0]
    assert (table.header, table.key, _names(table)) == (0, None, ["A", "B", "C"])


def test_codes_are_names_and_not_measures(tmp_path: Path) -> None:
    rows = [["FIPS Code", "Count"], [1101, 5], [2102, 6], [4203, 7]]
    table = _table(rows, tmp_path).tables[0]
    assert [column.kind for column in table.columns] == ["text", "number"]
    assert table.key == 0 and [column.name for column in table.measures()] == ["Count"]


def test_years_as_column_labels(tmp_path: Path) -> None:
    rows = [["State", 2019, 2020, 2021], ["Alabama", 5, 6, 7], ["Alaska", 50, 60, 70], ["Arizona", 8, 9, 10]]
    table = _table(rows, tmp_path).tables[0]
    assert table.header == 1 and [column.period for column in table.columns] == [None, "2019", "2020", "2021"]


def test_leading_total_and_inner_totals(tmp_path: Path) -> None:
    rows = [["State", "Count"], ["U.S. Total", 18], ["Alabama", 5], ["Alaska", 6], ["Arizona", 7]]
    table = _table(rows, tmp_path).tables[0]
    assert (table.body, table.totals) == ((2, 5), (1,))
    long = [["Kind", "Tax", "Amount"], ["a", "x", 1], ["total", "x", 1], ["a", "y", 2], ["total", "y", 2]]
    assert _table(long, tmp_path).tables[0].totals == ()


def test_two_tables_and_a_note_on_one_sheet(tmp_path: Path) -> None:
    rows = [
        ["Families by state"],
        ["State", "Count", "", "Region", "Share"],
        ["Alabama", 5, "", "North", 0.1],
        ["Alaska", 6, "", "South", 0.2],
        ["Arizona", 7, "", "West", 0.3],
        [],
        ["Note: made up."],
        [],
        ["Year", "Count"],
        [2019, 100],
        [2020, 200],
        [2021, 300],
    ]
    document = _table(rows, tmp_path)
    assert [_names(table) for table in document.tables] == [
        ["State", "Count"],
        ["Region", "Share"],
        ["Year", "Count"],
    ]
    assert [table.key for table in document.tables] == [0, 0, 0]
    assert document.tables[1].locate(1, 0) == CellLocator(row=2, column=3)
    assert [block.text for block in document.blocks] == ["Families by state", "Note: made up."]


def test_limits_cut_and_say_so(tmp_path: Path) -> None:
    path = samples.csv(tmp_path)
    table = parse(path, limits=ParseLimits(rows=3)).tables[0]
    assert table.truncated and len(table.grid) == 3 and table.key is None


def test_the_corpus_types_what_it_should() -> None:
    root = Path(__file__).parents[3] / "shared" / "corpus"
    if not root.is_dir():
        pytest.skip("needs ../shared/corpus: not in this clone")
    document = parse(root / "social_tanf_caseload" / "fy2022_tanf_caseload.xlsx")
    table = next(table for table in document.tables if table.locate(0, 0).sheet == "TFam")  # type: ignore[union-attr]
    assert table.columns[table.key or 0].name == "State" and table.columns[1].period == "2021-10"
    assert table.totals == (1,) and len(table.keyed_rows()) == 54
    brent = parse(root / "energy_eia_prices" / "brent-year.csv").tables[0]
    assert brent.columns[brent.key or 0].kind == "period" and len(brent.measures()) == 1
