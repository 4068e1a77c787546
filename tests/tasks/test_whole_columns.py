"""Columns that hang on every row: allocations and classes, by the evidence's arithmetic and by the agent's."""

import math
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from graphforge.agents.toolbox.computing import abc_class, apportioned, balanced, cumulative_shares, sum_equal
from graphforge.evidence import build
from graphforge.records import (
    DerivedColumn,
    EvidenceGraph,
    Keep,
    Output,
    Plan,
    Rejection,
    Summary,
    TotalCell,
    receives,
)
from graphforge.tasks import compile_task, validate
from graphforge.tasks.evaluate import cumulated, derive
from graphforge.tasks.patterns.budgeting_and_allocation import amount_of
from graphforge.tasks.patterns.classification_and_coding import bounds_of
from graphforge.tasks.patterns.quantitative_modeling import rates_of
from graphforge.tasks.patterns.stakeholder_communication import shown_of
from tests.made_case import CASES, DOCUMENTS, LIMITS, graph, reread, workspace

FIGURES = st.lists(st.integers(0, 5_000_000).map(float), min_size=2, max_size=80)


def allocated(values: list[float], amount: float) -> tuple[list[float], list[float]]:
    part = DerivedColumn(alias="p", label="P", operation="apportioned", arguments=("a",), constant=amount)
    given_ = DerivedColumn(
        alias="g", label="G", operation="allocation", arguments=("p", "a"), constant=amount
    )
    parts = [float(cell) for cell in derive(part, [values])]
    return parts, [float(cell) for cell in derive(given_, [parts, values])]


@given(FIGURES, st.integers(1, 10_000_000).map(float))
def test_an_allocation_is_exact_and_in_proportion(values, amount):
    assume(sum(values) > 0)
    parts, allocation = allocated(values, amount)
    total = math.fsum(values)
    largest = values.index(max(values))
    assert math.fsum(allocation) == amount
    assert all(part.is_integer() for part in allocation)
    for place, (value, part) in enumerate(zip(values, allocation, strict=True)):
        if place != largest:
            assert part == parts[place]
            assert abs(part - amount * value / total) <= 0.5 + 1e-6
    assert abs(allocation[largest] - amount * values[largest] / total) <= 0.5 * len(values) + 1e-6


@given(FIGURES, st.integers(1, 10_000_000).map(float))
def test_the_agent_allocates_as_the_evidence_does(values, amount):
    assume(sum(values) > 0)
    total = math.fsum(values)
    rows = [
        {"key": str(at), "a": value, "p": apportioned(value, total, amount)}
        for at, value in enumerate(values)
    ]
    assert ([row["p"] for row in rows], balanced(rows, "p", "a", amount)) == allocated(values, amount)


@given(FIGURES, st.sampled_from([160.0, 6000.0]), st.text(max_size=4))
def test_an_amount_is_fair_or_there_is_none(values, average, salt):
    assume(sum(values) > 0)
    amount = amount_of(values, average, salt)
    assert amount == amount_of(values, average, salt)
    if amount is None:
        return
    parts, allocation = allocated(values, amount)
    total = math.fsum(values)
    # Whoever rounds halves to even, down or up gets the same parts; and there is something to settle.
    assert parts == [float(round(amount * value / total)) for value in values]
    assert math.fsum(parts) != amount
    assert amount not in values and amount != total
    assert allocation.count(max(allocation)) == 1 and allocation.index(max(allocation)) == values.index(
        max(values)
    )
    assert len(f"{amount:.0f}".rstrip("0")) <= 2


@given(FIGURES)
def test_shares_add_up_from_the_largest_down(values):
    assume(sum(values) > 0)
    rows = [{"key": str(at), "a": value} for at, value in enumerate(values)]
    shares = cumulated(values)
    assert cumulative_shares(rows, "a") == shares
    order = sorted(range(len(values)), key=lambda at: -values[at])
    assert all(shares[one] <= shares[other] for one, other in pairwise(order))
    assert shares[order[-1]] == pytest.approx(100)
    for at, value in enumerate(values):
        above = math.fsum(other for other in values if other > value)
        upto = math.fsum(other for other in values if other >= value)
        low, high = (100 * part / math.fsum(values) for part in (above, upto))
        assert low - 1e-6 <= shares[at] <= high + 1e-6


@given(st.lists(st.integers(0, 5_000).map(float), min_size=8, max_size=80), st.text(max_size=4))
def test_bounds_of_classes_are_fair_or_there_are_none(values, salt):
    assume(sum(values) > 0)
    found = bounds_of(values, salt)
    assert found == bounds_of(values, salt)
    if found is None:
        return
    shares = cumulated(values)
    column = DerivedColumn(alias="c", label="C", operation="abc_class", arguments=("s",), bounds=found)
    classes = derive(column, [shares])
    assert classes == [abc_class(share, *found) for share in shares]
    assert set(classes) == {"A", "B", "C"}
    # Whoever rounds to one decimal first finds the same, and so does who takes a bound as below it.
    assert classes == [abc_class(round(share, 1), *found) for share in shares]
    assert classes == [abc_class(share + 1e-9, *found) for share in shares]
    # Along the list a class never comes back.
    order = sorted(range(len(values)), key=lambda at: -values[at])
    assert [classes[at] for at in order] == sorted(str(classes[at]) for at in order)
    rows = [{"v": value, "c": name} for value, name in zip(values, classes, strict=True)]
    assert math.fsum(sum_equal(rows, "c", name, "v") for name in "ABC") == pytest.approx(math.fsum(values))


@given(st.lists(st.floats(-1e6, 1e6), max_size=60))
def test_a_short_list_of_largest_changes_is_cut_by_no_tie(moved):
    shown = shown_of(moved)
    if shown is None:
        return
    sizes = sorted((abs(change) for change in moved), reverse=True)
    assert sizes[shown - 1] > sizes[shown] and sizes[shown - 1] >= 0.1


@given(st.text(max_size=9))
def test_the_cases_of_a_model_are_in_order(salt):
    low, base, high = rates_of(salt)
    assert low < 0 < base < high


def test_parts_that_tie_have_no_amount_and_no_short_list():
    assert amount_of([5.0, 5.0, 1.0], 160.0, "a") is None
    assert amount_of([0.0, 0.0], 160.0, "a") is None
    # Tenths of a round amount are whole: nothing is left over to settle.
    assert amount_of([6.0, 2.0, 1.0, 1.0], 6000.0, "a") is None
    assert shown_of([3.0] * 9) is None
    assert bounds_of([1.0] * 2, "a") is None


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("District", True),
        ("Department Name", True),
        ("State", True),
        ("Corporate Name", False),
        ("Category", False),
        ("Facility type", False),
        ("Row Labels", False),
        ("Statement", False),
    ],
)
def test_rows_that_may_be_given_something(header, told):
    assert receives(header) is told


def test_rows_that_receive_nothing_carry_no_allocation():
    documents = {
        sha: one.model_copy(
            update={
                "tables": tuple(
                    table.model_copy(
                        update={
                            "columns": (
                                table.columns[0].model_copy(update={"name": "Source of income"}),
                                *table.columns[1:],
                            )
                        }
                    )
                    for table in one.tables
                )
            }
        )
        for sha, one in DOCUMENTS.items()
    }
    pattern = "budgeting_and_allocation"
    made = build(workspace(pattern, **CASES[pattern]), documents, reread, LIMITS)
    assert isinstance(made, Rejection) and made.reason == "pattern_not_supported"
    other = "classification_and_coding"
    assert isinstance(build(workspace(other, **CASES[other]), documents, reread, LIMITS), EvidenceGraph)


def test_staff_hours_follow_no_money():
    pattern = "budgeting_and_allocation"
    evidence = graph(pattern)
    money = evidence.model_copy(
        update={
            "series": tuple(one.model_copy(update={"measure": "Budget, 2021 ($)"}) for one in evidence.series)
        }
    )

    def told(evidence: EvidenceGraph) -> set[bool]:
        made = [
            compile_task(workspace(pattern, **CASES[pattern]).model_copy(update={"id": f"ws-{at}"}), evidence)
            for at in range(12)
        ]
        return {not isinstance(spec, Rejection) and "hours of staff time" in spec.statement for spec in made}

    assert told(evidence) == {True, False}
    assert told(money) == {False}


def test_the_amount_that_a_total_must_meet_is_no_leak_and_any_other_total_is():
    pattern = "budgeting_and_allocation"
    made, evidence = workspace(pattern, **CASES[pattern]), graph(pattern)
    spec = compile_task(made, evidence)
    assert not isinstance(spec, Rejection)
    totals = [check for item in spec.criteria for check in item.checks if isinstance(check, TotalCell)]
    (told,) = [check for check in totals if check.open]
    assert told.column.startswith("Allocation") and told.redacted() == told
    assert all(check.redacted().value is None for check in totals if not check.open)
    assert f"{told.value:,.0f}" in spec.statement and validate(spec, made, evidence) == []
    (before,) = [check for check in totals if check.column.startswith("Before")]
    assert before.value != told.value
    leaky = spec.model_copy(update={"statement": f"{spec.statement}\nIt comes to {before.value:,.0f}."})
    assert any(fault.startswith("leak") for fault in validate(leaky, made, evidence))


def test_a_plan_that_leaves_rows_out_computes_nothing_over_all_of_them():
    pattern = "budgeting_and_allocation"
    spec = compile_task(workspace(pattern, **CASES[pattern]), graph(pattern))
    assert not isinstance(spec, Rejection) and spec.solution is not None
    for change in ({"limit": 3}, {"keep": Keep(column="given", equals="yes")}):
        with pytest.raises(ValidationError, match="every row"):
            Plan.model_validate(spec.solution.model_copy(update=change).model_dump())


@pytest.mark.parametrize(
    "wrong",
    [
        {"operation": "scaled", "arguments": ("a",)},
        {"operation": "apportioned", "arguments": ("a",)},
        {"operation": "abc_class", "arguments": ("a",), "bounds": (80.0,)},
    ],
)
def test_a_derived_column_without_its_constants_is_refused(wrong):
    with pytest.raises(ValidationError):
        DerivedColumn(alias="x", label="X", **wrong)


def test_only_a_workbook_has_a_summary_and_only_a_text_a_short_table():
    summary = Summary(sheet="S", by="c", of="a", words=("A", "B"), headings=("Class", "Rows", "Sum", "Part"))
    with pytest.raises(ValidationError, match="no sheets"):
        Output(file="a.docx", family="docx", title="t", summary=summary)
    with pytest.raises(ValidationError, match="some rows"):
        Output(file="a.csv", family="csv", title="t", first=3)
