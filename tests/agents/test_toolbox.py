"""The functions that scripts are made of, against the records that the rest of the line uses."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from agent_cases import write_table
from hypothesis import given
from hypothesis import strategies as st

from graphforge.agents.toolbox.computing import (
    decimals_of,
    extreme,
    mean,
    ordered,
    percent_change,
    projection,
    ratio,
)
from graphforge.agents.toolbox.reading import (
    column,
    decoded,
    fold,
    join_signs,
    number,
    quoted,
    read_csv,
    read_docx_table,
    read_html_table,
    read_json,
    read_md_table,
    read_pdf_rows,
    read_pdf_table,
    read_pptx_table,
    read_sheet,
    row_name,
)
from graphforge.agents.toolbox.writing import PdfMemo, plain_number
from graphforge.records import normalize, parse_number


@given(st.text(max_size=30))
def test_names_fold_as_everywhere_in_the_line(text: str) -> None:
    assert fold(text) == normalize(text)


WRITTEN = ["1,234.5", "(12)", "-7.5 %", "$7", "US$ 1,000", "\u22123", "\u20134", "1e3", ".5", "n/a", "-", "", "x1",
           "1,23", "12 345", "+4", "(1,000.25)", "€5", "7%", "2020", "…"]  # fmt: skip


@given(st.one_of(st.sampled_from(WRITTEN), st.floats(), st.integers(), st.booleans(), st.none()))
def test_numbers_are_read_as_everywhere_in_the_line(value: Any) -> None:
    assert number(value) == parse_number(value)


@given(st.floats(-1e12, 1e12), st.integers(0, 6))
def test_a_printed_figure_is_read_back(value: float, decimals: int) -> None:
    assert number(f"{value:,.{decimals}f}") == float(f"{value:.{decimals}f}")


def test_signs_in_cells_of_their_own_stand_with_their_figures_again() -> None:
    assert join_signs(["a", "$", "", "7", "(12", ")", "3", "%", "x", ")"]) == [
        "a",
        "",
        "",
        "$7",
        "(12)",
        "",
        "3%",
        "",
        "x",
        ")",
    ]


def test_web_tables_lose_rows_and_columns_that_only_make_room(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<table><tr><td><td><td><tr><td>A<td><td>$<td>7<tr><td>B<td><td><td>8</table>")
    assert read_html_table(path, 0) == [["A", "$7"], ["B", "8"]]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b"a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        (b"a;b\nx;1,5\ny;1.234,25\n", [["a", "b"], ["x", "1.5"], ["y", "1234.25"]]),
        (b"a;b\nx;1,234\n", [["a", "b"], ["x", "1,234"]]),
        ("Name\tWert\nKöln\t3\n".encode("utf-16"), [["Name", "Wert"], ["Köln", "3"]]),
        ("Name,n\nKöln,3\n".encode("cp1252"), [["Name", "n"], ["Köln", "3"]]),
        (b"\xef\xbb\xbfa|b\n1|2\n", [["a", "b"], ["1", "2"]]),
        (b'a,b\n"x, y",2\n\n"two\nlines",3\n', [["a", "b"], ["x, y", "2"], [], ["two\nlines", "3"]]),
        (b"only\none\n", [["only"], ["one"]]),
        (b"", []),
    ],
)
def test_delimited_text(tmp_path: Path, content: bytes, rows: list[list[str]]) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    assert read_csv(path) == rows


def test_web_tables_keep_their_columns_and_hide_what_is_hidden(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<?xml version='1.0' encoding='utf-8'?><html><table><tr><td><table><tr><td>inner</table></table>"
        "<table><thead><tr><th rowspan=2>Name<th colspan=2>Year<tr><th>2022<th>2023</thead>"
        "<tr><td>A<br>B<td><span style='display: none'>9</span>1<td>2<script>3</script></table></html>",
        encoding="utf-8",
    )
    assert read_html_table(path, 1) == [["inner"]]
    assert read_html_table(path, 2) == [["Name", "Year", ""], ["", "2022", "2023"], ["A B", "1", "2"]]


def test_markdown_tables_without_outer_pipes_in_links_and_fences(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(
        "a | b\n\n```\nx | y\n--|--\n1 | 2\n```\n\nName | n\n:--|--:\n[Oslo](http://x) | **3**\na\\|b | 4\n\nText\n"
    )
    assert read_md_table(path, 0) == [["Name", "n"], ["Oslo", "3"], ["a|b", "4"]]


def test_json_lines_and_pointers(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text('{"a/b": {"~": [{"n": 1}]}}')
    assert read_json(path, "/a~1b/~0") == [{"n": 1}]
    path.write_text('{"n": 1}\n{"n": 2}\n')
    assert read_json(path, "") == [{"n": 1}, {"n": 2}]


ROWS = [("Oslo", 1.5), ('O\'Brien & Sons "Ltd"', -2), ("Łódź", 1234)]


@pytest.mark.parametrize(
    ("family", "reader"),
    [
        ("xlsx", lambda path: read_sheet(path, "Data 'A'")[2:]),
        ("csv", read_csv),
        ("html", lambda path: read_html_table(path, 1)),
        ("md", lambda path: read_md_table(path, 0)),
        ("docx", lambda path: read_docx_table(path, 0)),
        ("pptx", lambda path: read_pptx_table(path, 0)),
        ("pdf", lambda path: read_pdf_table(path, 0, 0)),
    ],
)
def test_every_family_gives_the_same_table(tmp_path: Path, family: Any, reader: Any) -> None:
    rows = reader(write_table(tmp_path, "table", family, ROWS))
    assert rows[0][:2] == ["Name", "Code"]
    assert list(column(rows, 0, 2, range(1, 4)).values()) == ROWS


def test_a_missing_value_is_left_out_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert column([["a", "n/a"], ["b", "2"]], 0, 1, range(2)) == {"b": ("b", 2.0)}
    assert "no number for 'a'" in capsys.readouterr().out


def test_two_rows_of_one_name_stop_the_script() -> None:
    with pytest.raises(SystemExit, match="occurs twice"):
        column([["A b", "1"], ["a-B", "2"]], 0, 1, range(2))


def test_a_quotation_must_stand_in_the_text() -> None:
    assert quoted("It rose to 4.2\n million.", {"Oslo": ("4.2 million", 4200.0)}) == {
        "oslo": ("Oslo", 4200.0)
    }
    with pytest.raises(SystemExit, match="does not say"):
        quoted("It rose.", {"Oslo": ("4.2 million", 4200.0)})


def test_row_names_lose_the_decimal_point_of_whole_numbers() -> None:
    assert [row_name(cell) for cell in (2020.0, 2020, " a  b ", None, 1.5)] == [
        "2020",
        "2020",
        "a b",
        "",
        "1.5",
    ]


def test_division_by_zero_is_blank() -> None:
    assert [ratio(1, 0), percent_change(1, 0), projection(1, 0), ratio(None, 1)] == [None] * 4


@given(st.lists(st.floats(-1e6, 1e6), max_size=8), st.booleans())
def test_ordering_is_stable_and_leaves_blanks_last(values: list[float], descending: bool) -> None:
    rows = [{"key": str(place), "x": value} for place, value in enumerate([*values, None])]
    result = ordered(rows, "x", descending)
    assert result[-1]["x"] is None
    for first, second in pairwise(result[:-1]):
        assert first["x"] >= second["x"] if descending else first["x"] <= second["x"]
        assert first["x"] != second["x"] or int(first["key"]) < int(second["key"])


def test_extremes_of_nothing_are_not_available() -> None:
    assert extreme([{"key": "a", "x": None}], "x", largest=True) == "not available"
    assert mean([]) is None


@given(st.lists(st.decimals(-(10**6), 10**6, places=3).map(float), min_size=1, max_size=9))
def test_printed_decimals_lose_nothing_of_figures_that_have_few(values: list[float]) -> None:
    places = decimals_of(values)
    assert all(math.isclose(round(value, places), value, rel_tol=1e-8) for value in values)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_plain_numbers_read_back(value: float) -> None:
    assert math.isclose(float(plain_number(value)), value, rel_tol=1e-14)


@given(st.text(alphabet="ab漢 é.", max_size=80))
def test_wrapped_lines_fit_and_lose_nothing(text: str) -> None:
    memo = PdfMemo()
    lines = memo.wrap(text, 10, False, 60)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(memo.font_for(line, False).text_length(line, 10) <= 60 for line in lines)


def test_undecodable_text_is_windows_text(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("naïve – “x”".encode("cp1252"))
    assert decoded(tmp_path / "f") == "naïve – “x”"


def lines_pdf(path: Path, blocks: list[list[tuple[str, ...]]]) -> Path:
    """A PDF page with tables that are only aligned: a label, then figures flush right under one another."""
    document = pymupdf.open()
    page = document.new_page()
    font = pymupdf.Font("helv")
    y = 60.0
    for block in blocks:
        for row in block:
            for x, text in enumerate(row):
                writer = pymupdf.TextWriter(page.rect)
                writer.append(
                    (50 if x == 0 else 250 + 80 * x - font.text_length(text, 9), y),
                    text,
                    font=font,
                    fontsize=9,
                )
                if text:
                    writer.write_text(page)
            y += 14
        y += 60
    document.save(path)
    return path


def test_rows_without_rules_are_found_by_name_and_read_by_column(tmp_path: Path) -> None:
    block = [
        ("Town", "2022", "2023"),
        ("Oslo (1)", "1,200", "$ 7.5"),
        ("All of it", "", ""),
        ("Łódź", "", "(12)"),
        ("Bergen", "3", "4"),
    ]
    path = lines_pdf(tmp_path / "a.pdf", [block])
    rows = read_pdf_rows(path, 0, 0, ["Oslo (1)", "Łódź", "Bergen"])
    assert column(rows, 0, 1, range(3)) == {"oslo 1": ("Oslo (1)", 1200.0), "bergen": ("Bergen", 3.0)}
    assert column(rows, 0, 2, range(3)) == {
        "oslo 1": ("Oslo (1)", 7.5),
        fold("Łódź"): ("Łódź", -12.0),
        "bergen": ("Bergen", 4.0),
    }
    with pytest.raises(SystemExit, match="page 1 has no table"):
        read_pdf_rows(path, 0, 0, ["Oslo (1)", "Bergen", "Łódź"])


@pytest.mark.parametrize("turn", [90, 180, 270])
@pytest.mark.parametrize("ruled", [False, True])
def test_a_sheet_stored_on_its_side_is_read_as_it_is_shown(tmp_path: Path, turn: int, ruled: bool) -> None:
    names = [name for name, _ in ROWS]
    if ruled:
        path, value = write_table(tmp_path, "table", "pdf", ROWS), 2
    else:
        block = [("Town", "2022"), *((name, f"{number:,}") for name, number in ROWS)]
        path, value = lines_pdf(tmp_path / "a.pdf", [block]), 1
    shown = [column(read_pdf_rows(path, 0, 0, names), 0, value, range(len(names)))]
    with pymupdf.open(path) as document:
        # The content turned one way, the page the other way: what a reader sees stays as it was.
        page = document[0]
        page.set_rotation(turn)
        page.remove_rotation()
        page.set_rotation(360 - turn)
        document.save(tmp_path / "turned.pdf")
    turned = tmp_path / "turned.pdf"
    shown.append(column(read_pdf_rows(turned, 0, 0, names), 0, value, range(len(names))))
    assert shown[0] == shown[1]
    assert list(shown[0].values()) == [(name, float(number)) for name, number in ROWS]


def test_a_footnote_mark_may_stand_apart_from_its_name(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for y, (name, mark, figure) in enumerate(
        [("Planning", "(1)", "12"), ("Law", "", "7"), ("3", "Fire", "9")]
    ):
        for x, text in ((50, name), (120, mark), (300, figure)):
            page.insert_text((x, 60 + 14 * y), text, fontsize=9)
    document.save(tmp_path / "a.pdf")
    rows = read_pdf_rows(tmp_path / "a.pdf", 0, 0, ["Planning (1)", "Law"])
    assert rows == [["Planning (1)", "12"], ["Law", "7"]]
    # A page's number in the margin is no part of a name.
    with pytest.raises(SystemExit, match="no table"):
        read_pdf_rows(tmp_path / "a.pdf", 0, 0, ["Planning (1)", "Law", "3 Fire"])


def test_of_two_tables_with_the_same_rows_the_index_picks_one(tmp_path: Path) -> None:
    one, two = [("a", "1", "2"), ("b", "3", "4")], [("a", "5", "6"), ("b", "7", "8")]
    path = lines_pdf(tmp_path / "a.pdf", [one, two])
    assert read_pdf_rows(path, 0, 0, ["a", "b"]) == [["a", "1", "2"], ["b", "3", "4"]]
    assert read_pdf_rows(path, 0, 1, ["a", "b"]) == [["a", "5", "6"], ["b", "7", "8"]]


def test_ruled_rows_are_found_by_name_too(tmp_path: Path) -> None:
    path = write_table(tmp_path, "table", "pdf", ROWS)
    names = [name for name, _ in ROWS]
    assert list(column(read_pdf_rows(path, 0, 0, names), 0, 2, range(3)).values()) == ROWS
