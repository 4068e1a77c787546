"""A task that a model wrote has no plan: who works from one says so, and its unchecked criteria stay unjudged."""

from pathlib import Path

import pytest

from graphforge.agents import ReferenceAgent
from graphforge.errors import RecordError
from graphforge.judging import ChecksGrader
from graphforge.records import Rejection, TaskSpec
from graphforge.tasks import compile_task
from pipelines._files import work
from tests.made_case import CASES, graph, workspace


@pytest.fixture
def spec() -> TaskSpec:
    pattern = "reconciliation"
    made = compile_task(workspace(pattern, **CASES[pattern]), graph(pattern))
    assert isinstance(made, TaskSpec)
    bare = tuple(item.model_copy(update={"checks": ()}) for item in made.criteria[:1])
    changed = {"solution": None, "criteria": (*bare, *made.criteria[1:])}
    return TaskSpec.model_validate({**made.model_dump(), **changed})


def test_the_reference_agent_needs_a_plan(spec: TaskSpec, tmp_path: Path) -> None:
    agent = ReferenceAgent(name="reference", head_rows=6, artifact_bytes=1_000_000)
    found = work(agent, spec, {}, tmp_path, None, "pilot")
    assert isinstance(found, Rejection)
    assert (found.id, found.stage, found.reason) == (spec.id, "pilot", "no_solution_plan")
    with pytest.raises(RecordError):
        agent.run(spec.public_view(), {}, tmp_path, None, None)


def test_a_criterion_without_a_check_is_unjudged_and_never_a_score(spec: TaskSpec) -> None:
    nothing = {item.file: None for item in spec.deliverables}
    verdict = ChecksGrader(violations="binary").grade(spec, nothing, "anchored", "a")
    assert verdict.criteria[0].outcome == "unjudged"
    assert {item.outcome for item in verdict.criteria[1:]} == {"not_met"}
    assert verdict.score is None


def test_a_task_without_a_plan_survives_its_line(spec: TaskSpec) -> None:
    assert TaskSpec.model_validate_json(spec.line()) == spec
