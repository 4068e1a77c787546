"""The sign between cells is told by all rows, whatever stands inside the cells."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.judging.delimiter import SIGNS, delimiter_of

CELLS = st.text(st.sampled_from('abc ,;|\t"\n1'), max_size=8)


def test_a_header_in_quotes_may_hold_more_of_another_sign() -> None:
    assert (
        delimiter_of('State,"SSP: Families; Fiscal Year 2023; 2023-12-27, Oct-22"\nOhio,1\nUtah,2\n') == ","
    )


@pytest.mark.parametrize("text", ["", "one\ntwo\n", "\n\n"])
def test_a_text_without_columns_is_parted_by_commas(text: str) -> None:
    assert delimiter_of(text) == ","


@given(
    st.sampled_from(SIGNS),
    st.lists(CELLS, min_size=3, max_size=3),
    st.lists(st.lists(st.integers(0, 9999).map(str), min_size=3, max_size=3), min_size=3, max_size=12),
)
def test_a_table_of_figures_under_any_header_is_read_as_it_was_written(
    sign: str, header: list[str], figures: list[list[str]]
) -> None:
    out = io.StringIO()
    csv.writer(out, delimiter=sign, lineterminator="\n").writerows([header, *figures])
    assert delimiter_of(out.getvalue()) == sign
