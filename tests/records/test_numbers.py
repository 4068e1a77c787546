"""Numbers as people write them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.records import close, parse_number, show_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234.5", 1234.5),
        ("(12)", -12.0),
        ("$1,000", 1000.0),
        ("-$3.50", -3.5),
        ("7.5 %", 7.5),
        ("\u22124", -4.0),
        ("1e3", 1000.0),
        (" 12 ", 12.0),
        (3, 3.0),
        (0.1, 0.1),
    ],
)
def test_what_states_a_number(text, number):
    assert parse_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "n/a",
        "-",
        "2020-01-01",
        "12 May",
        "1,23,4",
        "1.2.3",
        "Q1",
        True,
        None,
        math.nan,
        math.inf,
        "1e999",
    ],
)
def test_what_states_none(text):
    assert parse_number(text) is None


@given(st.floats(min_value=-1e12, max_value=1e12).map(lambda number: round(number, 6)))
def test_what_is_shown_is_read_again(number):
    assert parse_number(show_number(number)) == pytest.approx(number, abs=1e-6)


@given(st.integers(min_value=-(10**14), max_value=10**14))
def test_whole_numbers_are_exact(number):
    assert parse_number(show_number(float(number))) == number
    assert parse_number(f"{number:,}") == number


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_close_is_symmetric_and_reflexive(left, right):
    assert close(left, left)
    assert close(left, right) == close(right, left)
