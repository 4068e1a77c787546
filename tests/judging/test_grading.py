"""The grader, the score, and the one redaction that separates the two judges."""

from collections.abc import Iterator
from typing import Any

import pytest
from golden_case import (
    BOOK,
    CHANGES,
    CONFUSER,
    DATA,
    HARBOURS,
    MEMO,
    NOTE,
    STATEMENT,
    TOP,
    TOTALS,
    make_case,
    readable,
)
from pydantic import ValidationError

from graphforge.judging import ChecksGrader
from graphforge.records import InventedRows, RowSet, SheetPresent, normalize

BINARY, GRADED = ChecksGrader(violations="binary"), ChecksGrader(violations="graded")


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    return make_case(tmp_path_factory.mktemp("golden"), BOOK, DATA, MEMO, NOTE)


@pytest.fixture(scope="module")
def golden(case):
    return {name: readable(path) for name, path in case.golden.items()}


def test_the_golden_deliverables_meet_everything_and_violate_nothing(case, golden):
    verdict = BINARY.grade(case.spec, golden, "anchored", "a")
    assert [one for one in verdict.criteria if one.outcome != "met"] == []
    assert {one.outcome for one in verdict.penalties} == {"not_met"}
    assert verdict.score == pytest.approx(1.0, abs=1e-12)
    assert (verdict.task, verdict.judge, verdict.candidate) == (case.spec.id, "anchored", "a")


def test_nothing_handed_over_scores_nothing(case):
    verdict = BINARY.grade(case.spec, {}, "anchored", "a")
    assert verdict.score == 0
    assert {one.outcome for one in verdict.criteria} == {"not_met"}


def test_a_fraction_is_the_mean_of_its_checks_and_violations_are_binary_or_graded(case, golden):
    criterion = case.spec.criteria[0].model_copy(
        update={
            "weight": 1.0,
            "checks": (
                RowSet(file=DATA, key="Harbour", rows=tuple(HARBOURS)),
                RowSet(file=DATA, key="Harbour", rows=(*HARBOURS, "Nowhere", "Elsewhere")),
            ),
        }
    )
    penalty = case.spec.penalties[0].model_copy(
        update={
            "penalty": 1.0,
            "violations": (
                InventedRows(file=DATA, key="Harbour", rows=tuple(HARBOURS)),
                InventedRows(file=DATA, key="Harbour", rows=tuple(HARBOURS)[2:]),
            ),
        }
    )
    spec = case.spec.model_copy(update={"criteria": (criterion,), "penalties": (penalty,)})
    binary, graded = (grader.grade(spec, golden, "anchored", "a") for grader in (BINARY, GRADED))
    assert binary.criteria[0].fraction == pytest.approx(0.9)
    assert binary.criteria[0].outcome == "not_met"
    assert (binary.penalties[0].degree, graded.penalties[0].degree) == (1.0, 0.25)
    # Raw: it may fall below zero.
    assert binary.score == pytest.approx(0.9 - 1.0)
    assert graded.score == pytest.approx(0.9 - 0.25)


def test_what_cannot_be_judged_has_no_score(case, golden):
    criterion = case.spec.criteria[0].model_copy(update={"checks": (SheetPresent(file=BOOK, sheet=""),)})
    spec = case.spec.model_copy(update={"criteria": (criterion, *case.spec.criteria[1:])})
    verdict = BINARY.grade(spec, golden, "anchored", "a")
    assert (verdict.criteria[0].outcome, verdict.criteria[0].fraction) == ("unjudged", None)
    assert verdict.score is None


def test_the_grader_has_to_say_how_violations_count():
    with pytest.raises(ValidationError):
        ChecksGrader()  # type: ignore[call-arg]
    with pytest.raises(ValidationError):
        ChecksGrader(violations="some")  # type: ignore[arg-type]


def leaves(value: Any) -> Iterator[str | float]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner)
    elif value is not None and not isinstance(value, bool):
        yield value


def test_nothing_that_only_the_evidence_tells_is_left_in_a_redacted_specification(case):
    hidden_texts = [
        *HARBOURS,
        "node-1",
        "ab" * 32,
        "Look up",
        "Compare with",
        "as in the evidence",
        f"{TOP} is the largest",
    ]
    hidden_texts = [one for one in hidden_texts if normalize(one) not in normalize(STATEMENT)]
    hidden_numbers = {*CHANGES.values(), *CONFUSER.values()} - {0.0}
    hidden_numbers |= {value for pair in HARBOURS.values() for value in pair}
    hidden_numbers.add(TOTALS[1])

    def left(spec) -> list[str | float]:
        found = []
        for leaf in leaves(spec.model_dump()):
            if isinstance(leaf, str):
                found += [one for one in hidden_texts if normalize(one) in normalize(leaf)]
            elif leaf in hidden_numbers:
                found.append(leaf)
        return found

    assert set(hidden_texts) | hidden_numbers <= set(left(case.spec)), (
        "the walk itself must see what it looks for"
    )
    assert left(case.spec.redacted()) == []


def test_a_redacted_specification_needs_nothing_hidden_to_be_graded(case, golden):
    verdict = BINARY.grade(case.spec.redacted(), golden, "unanchored", "a")
    assert {one.outcome for one in verdict.criteria} == {"met"}
    assert {one.outcome for one in verdict.penalties} == {"not_met"}
