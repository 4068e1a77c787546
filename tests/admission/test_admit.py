"""Deterministic checks, the bar, and the whole decision."""

from pathlib import Path

import pytest
from admission_cases import deliverables, document, empty, spec, talk, verdict
from hydra.utils import instantiate
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from graphforge.admission import Admission, BehaviourFilter, ScoreBar, admit
from graphforge.errors import RecordError
from graphforge.records import Admitted, Document, Rejection, StageCount

CONF = Path(__file__).parents[2] / "conf"
ADMISSION: Admission = instantiate(OmegaConf.load(CONF / "admission/default.yaml"), _convert_="all")
BEHAVIOUR: BehaviourFilter = instantiate(OmegaConf.load(CONF / "behaviour/default.yaml"), _convert_="all")
WORK = talk([("ls", "a", 0)])


def decide(**changes: object) -> Admitted | Rejection:
    given_: dict[str, object] = {
        "spec": spec(), "trajectory": WORK, "deliverables": deliverables(), "verdict": verdict(1.0),
        "admission": ADMISSION, "behaviour": BEHAVIOUR,
    }  # fmt: skip
    return admit(**{**given_, **changes})  # type: ignore[arg-type]


def reason(**changes: object) -> str:
    outcome = decide(**changes)
    assert isinstance(outcome, Rejection), outcome
    assert (outcome.id, outcome.stage) == ("task-1", "admit")
    assert outcome.detail
    return outcome.reason


def test_good_work_is_admitted_whole() -> None:
    assert decide() == Admitted(spec=spec(), trajectory=WORK, verdict=verdict(1.0))


def test_a_name_that_was_promised() -> None:
    assert reason(trajectory=talk([], artifacts=("book.xlsx", "Flat.csv"))) == "missing_deliverable"


@pytest.mark.parametrize(
    ("name", "parsed", "word"),
    [
        ("flat.csv", None, "unreadable_deliverable"),
        ("flat.csv", document("flat.csv", "xlsx"), "wrong_format"),
        ("flat.csv", empty("flat.csv", "csv"), "empty_deliverable"),
        ("book.xlsx", document("book.xlsx", "xlsx", ("Data",)), "missing_sheet"),
        ("book.xlsx", document("book.xlsx", "xlsx", formulas=False), "missing_formula"),
    ],
)
def test_what_a_deliverable_must_be(name: str, parsed: Document | None, word: str) -> None:
    assert reason(deliverables={**deliverables(), name: parsed}) == word


def test_sheet_names_are_compared_folded_and_text_of_one_column_is_csv() -> None:
    parsed = {
        "book.xlsx": document("book.xlsx", "xlsx", ("Data", "sources ")),
        "flat.csv": document("flat.csv", "txt", ("",)),
    }
    assert isinstance(decide(deliverables=parsed), Admitted)


def test_formulas_elsewhere_do_not_count() -> None:
    parsed = document("book.xlsx", "xlsx", ("Data", "Sources"), formulas=False)
    moved = parsed.tables[1].model_copy(update={"formulas": {"1,1": "=1"}})
    parsed = parsed.model_copy(update={"tables": (parsed.tables[0], moved)})
    assert reason(deliverables={**deliverables(), "book.xlsx": parsed}) == "missing_formula"


def test_checks_can_be_switched_off() -> None:
    lenient = ADMISSION.model_copy(update={"sheets": False, "formulas": False})
    parsed = {**deliverables(), "book.xlsx": document("book.xlsx", "xlsx", ("Other",), formulas=False)}
    assert isinstance(decide(deliverables=parsed, admission=lenient), Admitted)


@pytest.mark.parametrize("status", ["failed", "max_turns", "llm_error", "timeout", "sandbox_error"])
def test_a_rollout_that_did_not_complete(status: object) -> None:
    assert reason(trajectory=talk([], status=status)) == f"status_{status}"  # type: ignore[arg-type]


def test_unjudged_is_no_zero() -> None:
    assert reason(verdict=verdict(None)) == "unjudged"
    assert reason(verdict=verdict(0.0)) == "low_score"


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_the_score_must_lie_above_the_bar(score: float, bar: float) -> None:
    assert (ScoreBar(exceed=bar).reason(verdict(score)) is None) == (score > bar)


def test_degenerate_work_is_rejected_after_the_score() -> None:
    trajectory = talk([("ls", "a", 0)] * 9)
    assert reason(trajectory=trajectory) == "repeated_calls"
    assert reason(trajectory=trajectory, verdict=verdict(0.1)) == "low_score"


def test_records_of_two_tasks_are_a_fault_of_the_stage() -> None:
    with pytest.raises(RecordError, match="paired"):
        decide(verdict=verdict(1.0, task="task-2"))
    with pytest.raises(RecordError, match="paired"):
        decide(trajectory=WORK.model_copy(update={"task": "task-2"}))


def test_the_books_balance() -> None:
    outcomes = [decide(), decide(verdict=verdict(0.0)), decide(verdict=verdict(None))]
    rejections = [one for one in outcomes if isinstance(one, Rejection)]
    count = StageCount.of("admit", 3, 1, rejections)
    assert count.rejected == {"low_score": 1, "unjudged": 1}
