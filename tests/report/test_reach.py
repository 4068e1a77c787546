"""Coverage of a selection: entropy, Gini, counts, the heat map, and strategies side by side."""

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.records import EXECUTION_PATTERNS
from graphforge.report import compare, entropy, gini, heat_map, plural, reach_of, show_columns

COUNTS = st.lists(st.integers(0, 1000), min_size=1, max_size=40)
SOME = COUNTS.filter(any)


@given(SOME)
def test_entropy_lies_between_nothing_and_even_shares(counts: list[int]) -> None:
    assert 0 <= entropy(counts) <= math.log2(len(counts)) + 1e-9


@given(SOME, st.integers(2, 9), st.randoms())
def test_both_look_at_shares_alone(counts: list[int], factor: int, random) -> None:
    other = [factor * count for count in counts]
    random.shuffle(other)
    assert entropy(other) == pytest.approx(entropy(counts))
    assert gini(other) == pytest.approx(gini(counts))


@given(SOME)
def test_gini_is_the_mean_difference_of_all_pairs(counts: list[int]) -> None:
    n, total = len(counts), sum(counts)
    pairs = sum(abs(one - other) for one in counts for other in counts)
    assert gini(counts) == pytest.approx(pairs / (2 * n * total), abs=1e-12)
    assert -1e-12 <= gini(counts) <= 1 - 1 / n + 1e-12


@given(st.integers(1, 60), st.integers(1, 100))
def test_even_shares_and_one_that_has_everything(number: int, each: int) -> None:
    assert entropy([each] * number) == pytest.approx(math.log2(number))
    assert gini([each] * number) == pytest.approx(0, abs=1e-12)
    alone = [0] * (number - 1) + [each]
    assert entropy(alone) == 0
    assert gini(alone) == pytest.approx(1 - 1 / number)


@given(SOME.filter(lambda counts: len(counts) > 1))
def test_two_values_taken_for_one_lower_the_entropy(counts: list[int]) -> None:
    assert entropy([counts[0] + counts[1], *counts[2:]]) <= entropy(counts) + 1e-9


def test_nothing_selected_is_no_fault() -> None:
    assert entropy([0, 0]) == entropy([]) == gini([0, 0]) == gini([]) == 0


def item(sector: str, pattern: str, *families: str) -> dict[str, tuple[str, ...]]:
    return {
        "sector": (sector,),
        "pattern": (pattern,),
        "input_family": families,
        "demand": (f"{sector} {pattern}",),
    }


OFFERED = [
    item("13", "reconciliation", "spreadsheet", "document"),
    item("13", "reconciliation", "document"),
    item("13", "policy_design", "document"),
    item("15", "reconciliation", "delimited"),
]
NAMES = {"sector": {"13": "Business", "15": "Computer"}}

PICKS = st.lists(st.sampled_from(OFFERED), min_size=1, max_size=30)


def test_a_reach_counts_what_was_on_offer_and_what_was_taken() -> None:
    reach = reach_of(OFFERED, [OFFERED[0], OFFERED[2]])
    metrics = reach.metrics()
    assert (metrics["coverage.sectors"], metrics["offered.sectors"]) == (1, 2)
    assert (metrics["coverage.cells"], metrics["offered.cells"]) == (2, 3)
    assert (metrics["coverage.input_families"], metrics["offered.input_families"]) == (2, 3)
    assert (metrics["entropy.pattern"], metrics["gini.pattern"]) == (1, 0)
    assert (metrics["entropy.sector"], metrics["gini.sector"]) == (0, 0.5)
    summary = reach.summary()
    assert summary["dimension"] == ["sector", "pattern", "input_family", "demand", "sector x pattern"]
    assert summary["selected"] == [1, 2, 2, 2, 2]
    rows = list(zip(*reach.by_value(NAMES).values(), strict=True))
    assert ("sector", "15", "Computer", 1, 0) in rows
    assert ("input_family", "document", "document", 3, 2) in rows
    assert not any(row[0] == "demand" for row in rows)
    cells = list(zip(*reach.by_cell(NAMES).values(), strict=True))
    assert ("13", "Business", "reconciliation", 2, 1) in cells


@given(PICKS, st.data())
def test_a_selection_never_reaches_further_than_the_offer(offered, data) -> None:
    selected = data.draw(st.lists(st.sampled_from(offered), max_size=len(offered)))
    reach = reach_of(offered, selected)
    metrics = reach.metrics()
    for name, value in metrics.items():
        if name.startswith("coverage."):
            assert value <= metrics[name.replace("coverage.", "offered.")]
    assert sum(tally.selected for tally in reach.cells.values()) == len(selected)
    assert metrics["coverage.cells"] <= metrics["coverage.sectors"] * metrics["coverage.patterns"]


def test_the_plurals_of_dimensions() -> None:
    assert [plural(name) for name in ("sector", "input_family", "dwa")] == [
        "sectors",
        "input_families",
        "dwas",
    ]


def test_the_heat_map_shows_the_count_of_every_cell_on_offer(tmp_path) -> None:
    before = set(sys.modules)
    figure = heat_map(reach_of(OFFERED, OFFERED[:3]), NAMES["sector"], EXECUTION_PATTERNS, "three seeds")
    axes = figure.axes[0]
    shown = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in axes.texts}
    policy, reconciliation = (EXECUTION_PATTERNS.index(name) for name in ("policy_design", "reconciliation"))
    assert shown == {(0, policy): "1", (0, reconciliation): "2", (1, reconciliation): "0"}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["13 Business", "15 Computer"]
    assert len(axes.get_xticklabels()) == 16
    figure.savefig(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 5000
    assert "matplotlib.pyplot" not in set(sys.modules) - before


def test_a_heat_map_of_nothing_can_be_drawn(tmp_path) -> None:
    heat_map(reach_of(OFFERED, []), {}, EXECUTION_PATTERNS, "none").savefig(tmp_path / "none.png")
    heat_map(reach_of([], []), {}, EXECUTION_PATTERNS, "none on offer").savefig(tmp_path / "empty.png")


def run(label: str, **metrics: float) -> tuple[str, dict[str, float]]:
    return label, {"coverage.cells": 3.0, "entropy.sector": 1.5, "outputs": 1000.0, **metrics}


def test_strategies_stand_side_by_side_named_by_what_differs() -> None:
    table = compare([run("balance=random,seeds.count=9"), run("balance=equal_quota,seeds.count=9")])
    assert table["run"] == ["balance=random", "balance=equal_quota"]
    assert table["selected"] == [1000, 1000]
    assert table["H sector"] == [1.5, 1.5]
    text = show_columns(table)
    assert "balance=random" in text
    assert "1,000" in text


def test_runs_that_say_nothing_of_coverage_are_left_out() -> None:
    assert compare([("judge=random", {"accuracy": 0.5})])["run"] == []
    assert compare([run("balance=random")])["run"] == ["balance=random"]
    assert compare([])["run"] == []
