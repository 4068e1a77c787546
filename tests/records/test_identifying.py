"""Columns that name or date their rows are no measures; what counts or pays is one."""

import datetime
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.records import identifying, numbers_its_rows


def test_the_examples_of_the_docstring_hold() -> None:
    assert doctest.testmod(identifying).failed == 0


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("BRT Number", [881111100, 883423000, 885977500, 886613400]),
        ("Permit No.", [1201, 1377, 2044, 2980]),
        ("account_num", [51234, 51235, 60001, 77120]),
        ("Recording Date", [20210105, 20210201, 20210304, 20210107]),
        ("period", [202101, 202102, 202103, 202104]),
        ("Parcel", [8811111, 8834230, 8859775, 8866134]),
        ("ref", [8811111, 8834230, 8859775, 8866134, 8111111, 8234230, 8359775, 8466134]),
    ],
)
def test_numbers_of_things_and_dates_are_no_measures(name: str, values: list[float]) -> None:
    assert numbers_its_rows(name, values)


@pytest.mark.parametrize(
    ("name", "values", "unit"),
    [
        ("Total number", [1200, 3400, 5600, 7800], None),
        ("Number of institutions", [1200, 3400, 5600, 7800], None),
        ("Cases number", [1200, 3400, 5600, 7800], None),
        ("Population", [1234567, 2234567, 3234567, 4234567, 5234567, 6234567, 7234567, 8234567], None),
        ("Gross", [1234567, 2234567, 3234567, 4234567, 5234567, 6234567, 7234567, 8234567], "USD"),
        ("BRT Number", [881111100, 881111100, 885977500, 886613400], None),
        ("Permit No.", [12, 13.5, 20, 31], None),
        ("Permit No.", [1201, 1377], None),
        ("Spending", [201213, 201300, 200401, 209999], None),
    ],
)
def test_counts_amounts_and_what_repeats_are_measures(
    name: str, values: list[float], unit: str | None
) -> None:
    assert not numbers_its_rows(name, values, unit)


@given(st.lists(st.dates(datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)), min_size=4, max_size=30))
def test_any_dates_written_as_numbers_are_told(days: list[datetime.date]) -> None:
    assert numbers_its_rows("Consideration", [int(f"{day:%Y%m%d}") for day in days])


@given(
    st.sampled_from(["Families", "Total revenue", "Number of deaths", "Budget"]),
    st.lists(st.integers(10**6, 10**7 - 1).filter(lambda one: one // 10**4 < 190), min_size=4, max_size=40),
)
def test_what_is_counted_or_paid_stays_a_measure(name: str, values: list[int]) -> None:
    assert not numbers_its_rows(name, [float(value) for value in values])
