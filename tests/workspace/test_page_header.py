"""Headers on a page: what stands above a table and isn't its columns' own never names one of them."""

import doctest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.workspace import page_header as module
from graphforge.workspace import parse
from graphforge.workspace.page_header import page_header, without_echo

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(module).failed == 0


@given(st.integers(1, 11), st.lists(st.sampled_from(["", "2017", "2018", "2019"]), min_size=12, max_size=12))
def test_the_axis_of_a_chart_names_no_column(shift: int, legend: list[str]) -> None:
    axis = [*MONTHS[shift:], *([""] * shift)]
    assert page_header([["", *axis], ["", *legend], ["", *MONTHS]]).lines == [["", *MONTHS]]


def test_groups_above_periods_stay() -> None:
    lines = [["", "Permits", "Permits", "Staff"], ["District", "Jan", "Feb", "Jan"]]
    assert page_header(lines).lines == lines
    years = [["", "2020", "2020", "2021"], ["District", "Jan", "Feb", "Jan"]]
    assert page_header(years).lines == years


def test_a_remark_on_the_unit_over_the_middle_names_no_column() -> None:
    cut = page_header(
        [["As of June", "", "Amounts in Millions", "Amounts in Millions"], ["", "Jul", "Aug", "Sep"]]
    )
    assert cut.lines[0][1:] == ["", "", ""] and cut.titles == ("Amounts in Millions",)


def test_headings_of_two_columns_in_one_are_not_trusted() -> None:
    assert not page_header([["", "Original Revised"], ["", "Budget Estimate Budget Estimate"]]).trusted
    assert page_header([["", "Budget Estimate"], ["", "2021"]]).trusted


@given(st.lists(st.sampled_from(["growth", "rate", "total", "by"]), max_size=8))
def test_an_echo_is_taken_out_and_nothing_else(words: list[str]) -> None:
    said = without_echo(" ".join(words)).split()
    assert list(dict.fromkeys(said)) == list(dict.fromkeys(words))
    assert without_echo(" ".join(said)) == " ".join(said)


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("finance_philadelphia_tax_collections/wage__2021_12.pdf", "Aug 2021", "Aug"),
        ("finance_philadelphia_tax_collections/wage__2021_12.pdf", "Table 1", "FYTD 2022"),
        ("finance_philadelphia_tax_collections/city__2021_06.pdf", "Budget Estimate Budget", ""),
        ("finance_philadelphia_budget/cash__FY21_Q1.pdf", "Amounts in Millions", "Jan 31"),
    ],
)
def test_real_pages_lend_their_columns_nothing(name: str, wrong: str, right: str) -> None:
    path = CORPUS / name
    if not path.is_file():
        pytest.skip("needs ../shared/corpus: not in this clone")
    names = [column.name for table in parse(path).tables for column in table.columns]
    assert not any(wrong in name for name in names)
    assert right in names
