"""A heading's figure above its parts is found without a word for it; unrelated figures seldom look like one."""

import doctest
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.records import hides_a_sum, subtotal

AMOUNTS = st.lists(st.integers(200_000, 90_000_000), min_size=2, max_size=8)


def test_the_examples_of_the_docstring_hold() -> None:
    assert doctest.testmod(subtotal).failed == 0


@given(
    AMOUNTS,
    st.lists(st.integers(0, 10**8), max_size=10),
    st.lists(st.integers(0, 10**8), max_size=10),
    st.booleans(),
)
def test_a_sum_beside_its_parts_is_found_wherever_it_stands(
    parts: list[int], before: list[int], after: list[int], above: bool
) -> None:
    block = [sum(parts), *parts] if above else [*parts, sum(parts)]
    assert hides_a_sum([float(value) for value in [*before, *block, *after]])


@pytest.mark.parametrize(
    "values",
    [[], [5.0], [5.0, 2.0, 3.0], [123456.0, 123456.0, 0.0], [0.0] * 6, [1302161.0, 1218083.0, 84079.0]],
)
def test_short_figures_one_part_and_near_sums_are_none(values: list[float]) -> None:
    assert not hides_a_sum(values)


def test_unrelated_amounts_seldom_look_like_one() -> None:
    draw = random.Random(3)
    tables = [[float(draw.randint(10**5, 10**9)) for _ in range(60)] for _ in range(300)]
    assert sum(hides_a_sum(table) for table in tables) <= 3
