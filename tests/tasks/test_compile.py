"""Specifications compiled from hand-made evidence: complete, anchored, without a leak."""

import math

import pytest

from graphforge.records import EXECUTION_PATTERNS, Rejection, TaskSpec
from graphforge.records.check import ColumnValues, ForeignValues
from graphforge.tasks import compile_task, compile_tasks, validate
from tests.made_case import CASES, FIRST, NAMES, SECOND, graph, workspace


def compiled(pattern: str) -> TaskSpec:
    spec = compile_task(workspace(pattern, **CASES[pattern]), graph(pattern))
    assert isinstance(spec, TaskSpec), spec
    return spec


def test_the_sixteen_patterns_are_named():
    assert len(set(EXECUTION_PATTERNS)) == 16


@pytest.mark.parametrize("pattern", CASES)
def test_a_specification_is_complete_and_sound(pattern):
    spec = compiled(pattern)
    assert validate(spec, workspace(pattern, **CASES[pattern]), graph(pattern)) == []
    assert math.fsum(criterion.weight for criterion in spec.criteria) == pytest.approx(1, abs=1e-9)
    for criterion in spec.criteria:
        assert criterion.checks and criterion.verification and criterion.requirement
        assert criterion.anchors or criterion.expected is None
    for deliverable in spec.deliverables:
        assert deliverable.file in spec.statement
    assert any(criterion.expected for criterion in spec.criteria)


@pytest.mark.parametrize("pattern", CASES)
def test_the_agent_sees_only_statement_deliverables_and_file_names(pattern):
    spec = compiled(pattern)
    seen = spec.public_view().model_dump_json()
    hidden = [node.id for node in graph(pattern).nodes] + [
        node.locator.show() for node in graph(pattern).nodes
    ]
    assert not [text for text in hidden if f'"{text}"' in seen or f" {text} " in seen]
    for criterion in spec.criteria:
        assert criterion.verification not in seen


def test_reconciliation_expects_what_the_two_tables_say():
    spec = compiled("reconciliation")
    checks = [
        check for criterion in spec.criteria for check in criterion.checks if isinstance(check, ColumnValues)
    ]
    difference = next(check for check in checks if check.column == "Difference")
    assert difference.values == {
        name: one - other for name, one, other in zip(NAMES, FIRST, SECOND, strict=True)
    }
    status = next(check for check in checks if check.column == "Status")
    assert [name for name, word in status.values.items() if word == "differs"] == ["Birch", "Elm"]


def test_a_confuser_file_becomes_a_negative_criterion():
    spec = compiled("comparative_evaluation")
    foreign = [
        check for item in spec.penalties for check in item.violations if isinstance(check, ForeignValues)
    ]
    assert len(foreign) == 1
    assert foreign[0].values["Alder"] == 1100.0


def test_exceptions_hold_only_the_rows_beyond_the_bound():
    spec = compiled("monitoring_and_exception_reporting")
    rows = next(check for item in spec.criteria for check in item.checks if check.kind == "row_set")
    assert rows.rows == ("Cedar", "Fir", "Ginkgo", "Alder")


def test_what_several_rows_share_is_not_asked():
    # The smallest difference of the revision case is shared by nobody, that of equal rows by six: see the facts.
    spec = compiled("reconciliation")
    assert {fact.name for fact in spec.solution.facts} >= {"most", "least"}
    for output in spec.solution.outputs:
        for section in output.sections:
            for text in section.paragraphs:
                assert "None" not in text


def test_a_second_task_over_the_same_columns_is_a_duplicate():
    pair = (workspace("reconciliation", **CASES["reconciliation"]), graph("reconciliation"))
    again = (pair[0].model_copy(update={"id": "ws-again"}), pair[1])
    specs, rejections = compile_tasks([pair, again])
    assert len(specs) == 1
    assert [rejection.reason for rejection in rejections] == ["duplicate_task"]


def leaky(spec: TaskSpec, words: str) -> TaskSpec:
    return spec.model_copy(update={"statement": f"{spec.statement}\n{words}"})


@pytest.mark.parametrize(
    "words",
    [
        "See node n3.",
        "The core file is the first one.",
        "One of them is a confuser.",
        "Look at sheet 'Permits' cell C4.",
        "Birch is off by 845.",
        "The total is 11,185.",
    ],
)
def test_a_leak_is_caught(words):
    pattern = "reconciliation"
    faults = validate(leaky(compiled(pattern), words), workspace(pattern, **CASES[pattern]), graph(pattern))
    assert any(fault.startswith("leak") for fault in faults), faults


def test_a_broken_anchor_is_caught():
    pattern = "reconciliation"
    spec = compiled(pattern)
    anchored = next(item for item in spec.criteria if item.anchors)
    wrong = anchored.model_copy(
        update={"anchors": (anchored.anchors[0].model_copy(update={"node": "n999"}),)}
    )
    broken = spec.model_copy(
        update={"criteria": tuple(wrong if item.id == wrong.id else item for item in spec.criteria)}
    )
    faults = validate(broken, workspace(pattern, **CASES[pattern]), graph(pattern))
    assert any("unknown node" in fault for fault in faults)


def test_evidence_of_another_kind_makes_no_task():
    spec = compile_task(
        workspace("reconciliation", **CASES["reconciliation"]), graph("comparative_evaluation")
    )
    assert isinstance(spec, Rejection)
