"""The paper's score: raw, linear, may be negative."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.records import score

SHARE = st.floats(min_value=0, max_value=1)
PAIRS = st.lists(st.tuples(SHARE, SHARE), max_size=12)


def test_all_met_and_nothing_violated_is_the_sum_of_weights():
    assert score([(0.25, 1.0), (0.75, 1.0)], [(0.5, 0.0)]) == 1.0


def test_a_score_may_be_negative():
    assert score([(1.0, 0.0)], [(0.3, 1.0), (0.2, 1.0)]) == pytest.approx(-0.5)


@given(PAIRS, PAIRS)
def test_bounds(weights, penalties):
    found = score(weights, penalties)
    assert found <= math.fsum(weight for weight, _ in weights) + 1e-9
    assert found >= -math.fsum(penalty for penalty, _ in penalties) - 1e-9


@given(PAIRS, PAIRS, st.data())
def test_meeting_more_never_costs(weights, penalties, data):
    if not weights:
        return
    at = data.draw(st.integers(0, len(weights) - 1))
    better = [(weight, 1.0 if index == at else share) for index, (weight, share) in enumerate(weights)]
    assert score(better, penalties) >= score(weights, penalties) - 1e-12


@given(PAIRS, PAIRS)
def test_order_does_not_matter(weights, penalties):
    assert score(weights[::-1], penalties[::-1]) == score(weights, penalties)
