"""What must come out of a line that was answered by hand, replayed without a key or a network."""

import json
from pathlib import Path

import pytest
from written import HERE, JUDGED, NOWHERE, Line, given, run_line, run_stage

from graphforge.records import (
    Admitted,
    EvidenceGraph,
    Rejection,
    Revision,
    Seed,
    StageCount,
    TaskSpec,
    Trajectory,
    Workspace,
    read_jsonl,
)  # fmt: skip

RECORDS = {
    "seeds/seeds": Seed,
    "workspaces/workspaces": Workspace,
    "rebalance/workspaces": Workspace,
    "graphs/graphs": EvidenceGraph,
    "tasks/tasks": TaskSpec,
    "pilot/pilot": Trajectory,
    "revise/revisions": Revision,
    "verify/revisions": Revision,
    "rollouts/rollouts": Trajectory,
    "admit/admitted": Admitted,
}


def replayed(line: Line, least: int, folder: Path) -> Path:
    """Replay a line and look at all it made; the folder of its data. Skips where its library isn't there."""
    if not line.library.is_dir():
        pytest.skip(
            f"needs {line.library.parent.name}/{line.library.name} beside the repository: not in this clone"
        )
    data = run_line(line, folder, line.answers, NOWHERE, ("llm.mode=replay",))
    found = {name: list(read_jsonl(data / f"{name}.jsonl", kind)) for name, kind in RECORDS.items()}
    for stage in {name.split("/")[0] for name in RECORDS}:
        count = StageCount.model_validate_json((data / stage / "counts.json").read_bytes())
        rejected = list(read_jsonl(data / stage / "rejected.jsonl", Rejection))
        assert count.inputs == count.outputs + len(rejected)
    admitted = found["admit/admitted"]
    assert len(admitted) >= least
    recorded = {json.loads(row)["key"] for row in line.answers.read_text(encoding="utf-8").splitlines()}
    for one in admitted:
        # By the model's own doing: nobody gave the agent a plan, and somebody read what the checks can't.
        assert one.spec.solution is None and not one.trajectory.informed and one.trajectory.agent == "native"
        assert one.trajectory.status == "completed" and one.trajectory.artifacts
        assert one.verdict.answers and set(one.verdict.answers) <= recorded
        assert any(not criterion.checks for criterion in one.spec.criteria)
        assert all(criterion.anchors for criterion in one.spec.criteria if criterion.expected is not None)
    return data


def compare_judges(line: Line, data: Path, folder: Path) -> None:
    """Pools judged by hand, by one who saw the anchored passages and by another who saw every input file.

    Both pick the right candidates everywhere and catch every spoilt one; the anchored ones read much less.
    """
    rows = {}
    for evidence in ("passages", "workspace"):
        settings = (
            "occupations=demo",
            "engine=llm",
            *JUDGED,
            f"grader.evidence={evidence}",
            "llm.mode=replay",
        )
        answers = HERE / f"judged-{evidence}.jsonl"
        run_stage("calibrate", folder / evidence, given(line, data, answers, NOWHERE, settings))
        (rows[evidence],) = json.loads((folder / evidence / "calibration.json").read_bytes())["rows"]
    for row in rows.values():
        assert row["picks"] == row["correct"] == 4
        assert row["mutants_caught"] == row["mutants"] > 30
    assert rows["passages"]["tokens_a_verdict"] < 0.45 * rows["workspace"]["tokens_a_verdict"]
