"""Planted flaws: each is found, each patch touches only what it names."""

import pytest

from graphforge.errors import InputError
from graphforge.records import (
    Artifact,
    CriterionVerdict,
    Message,
    Patch,
    Rejection,
    TaskSpec,
    Trajectory,
    Verdict,
    statement_hash,
)
from graphforge.revision import RulesReviser
from graphforge.tasks import merge
from tests.made_case import CASES, DOCUMENTS, graph, reread, workspace
from tests.tasks.test_compile import compiled

PATTERN = "reconciliation"
SPEC = compiled(PATTERN)
WORKSPACE = workspace(PATTERN, **CASES[PATTERN])
GRAPH = graph(PATTERN)
REVISER = RulesReviser(least_weight=0.6)


def pilot(
    status: str = "completed", files: tuple[str, ...] = ("reconciliation.xlsx", "reconciliation_memo.docx")
) -> Trajectory:
    return Trajectory(
        task=SPEC.id,
        agent="reference",
        informed=True,
        statement_hash=statement_hash(SPEC.statement),
        status=status,
        messages=(Message(role="user", content=SPEC.statement),),
        artifacts=tuple(Artifact(name=name, sha256="0" * 64, bytes=1) for name in files),
    )


def verdict(spec: TaskSpec, **fractions: float) -> Verdict:
    return Verdict(
        task=spec.id,
        candidate="pilot",
        judge="anchored",
        criteria=tuple(
            CriterionVerdict(
                criterion=item.id,
                outcome="met" if fractions.get(item.id, 1.0) == 1.0 else "not_met",
                fraction=fractions.get(item.id, 1.0),
            )
            for item in spec.criteria
        ),
        score=1.0,
    )


PILOT = pilot()


def propose(spec: TaskSpec = SPEC, run=PILOT, judged=None, read=reread) -> Patch | Rejection:
    return REVISER.propose(spec, GRAPH, WORKSPACE, run, judged or verdict(spec), read)


def replaced(**changes) -> TaskSpec:
    """The specification with its third criterion (a column of figures) changed."""
    criteria = list(SPEC.criteria)
    criteria[2] = criteria[2].model_copy(update=changes)
    return SPEC.model_copy(update={"criteria": tuple(criteria)})


def test_a_sound_task_needs_no_patch():
    patch = propose()
    assert isinstance(patch, Patch)
    assert patch.empty() and patch.reasons == ()


def test_a_wrong_anchor_is_set_right():
    anchor = SPEC.criteria[2].anchors[0]
    wrong = anchor.model_copy(update={"locator": anchor.locator.model_copy(update={"row": 77})})
    patch = propose(replaced(anchors=(wrong, *SPEC.criteria[2].anchors[1:])))
    assert [item.id for item in patch.criteria] == ["C3"]
    assert patch.criteria[0].anchors == SPEC.criteria[2].anchors


def test_an_anchor_to_nothing_takes_its_criterion_along():
    ghost = SPEC.criteria[2].anchors[0].model_copy(update={"node": "n999"})
    patch = propose(replaced(anchors=(ghost,)))
    assert patch.drop == ("C3",)


def test_a_missing_verification_is_written():
    patch = propose(replaced(verification="  "))
    assert [item.id for item in patch.criteria] == ["C3"]
    assert "permits_first.xlsx" in patch.criteria[0].verification


def test_unsupported_evidence_is_dropped_and_the_rest_reweighted():
    place = SPEC.criteria[2].anchors[-1]

    def torn(sha256, locator):
        if sha256 == place.file and locator == place.locator:
            raise InputError("the cell is gone", "Look elsewhere")
        return reread(sha256, locator)

    patch = RulesReviser(least_weight=0.01).propose(SPEC, GRAPH, WORKSPACE, pilot(), verdict(SPEC), torn)
    assert isinstance(patch, Patch)
    assert "C3" in patch.drop
    revised = merge(SPEC, patch)
    assert "C3" not in {item.id for item in revised.criteria}
    assert revised.statement == SPEC.statement


def test_what_an_informed_pilot_cannot_meet_is_dropped():
    patch = propose(judged=verdict(SPEC, C5=0.5))
    assert patch.drop == ("C5",)
    assert sum(item.weight for item in merge(SPEC, patch).criteria) == pytest.approx(1)


def test_too_little_left_is_a_rejection():
    failed = {item.id: 0.0 for item in SPEC.criteria[:9]}
    patch = propose(judged=verdict(SPEC, **failed))
    assert isinstance(patch, Rejection) and patch.reason == "too_little_left"


def test_an_unjudged_criterion_says_nothing_about_the_task():
    judged = verdict(SPEC)
    unjudged = judged.criteria[0].model_copy(update={"outcome": "unjudged", "fraction": None})
    patch = propose(
        judged=judged.model_copy(update={"criteria": (unjudged, *judged.criteria[1:]), "score": None})
    )
    assert isinstance(patch, Patch) and patch.empty()


@pytest.mark.parametrize("run", [pilot(status="timeout"), pilot(files=("reconciliation.xlsx",))])
def test_a_task_that_its_informed_pilot_could_not_finish_is_rejected(run):
    patch = propose(run=run)
    assert isinstance(patch, Rejection) and patch.reason == "not_executable"


def test_a_broken_sandbox_is_not_the_fault_of_the_task():
    patch = propose(run=pilot(status="sandbox_error", files=()), judged=verdict(SPEC))
    assert isinstance(patch, Patch)


def test_a_deliverable_that_the_statement_forgets_is_named_and_the_pilot_is_void():
    silent = SPEC.model_copy(
        update={"statement": SPEC.statement.replace("reconciliation_memo.docx", "a memo")}
    )
    patch = propose(silent)
    revised = merge(silent, patch)
    assert "reconciliation_memo.docx" in revised.statement
    assert statement_hash(revised.statement) != statement_hash(silent.statement)
    assert not patch.criteria and not patch.drop


def test_untouched_parts_stay_byte_for_byte():
    broken = replaced(verification="")
    revised = merge(broken, propose(broken))
    for before, after in zip(broken.criteria, revised.criteria, strict=True):
        if before.id != "C3":
            assert before.line() == after.line()
    assert revised.statement == broken.statement and revised.solution == broken.solution


def test_the_documents_of_the_case_are_not_all_core():
    assert {DOCUMENTS[file.sha256].name for file in WORKSPACE.with_role("core")} == {
        "permits_first.xlsx",
        "permits_second.xlsx",
    }
