"""The stage verify on a small line: what goes on, what a repair leaves as it was, and what an agent can read."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from inside import ONE, Line, books

from graphforge.agents import BwrapSandbox, ProcessSandbox
from graphforge.agents.layout import lay_out
from graphforge.errors import ConfigError
from graphforge.judging import VerifierTests, computed, hidden, leaks, shows
from graphforge.judging.verifier import Repair, TaskTests, Verified, _renewed
from graphforge.records import (
    Admitted,
    EvidenceGraph,
    Patch,
    Revision,
    TaskSpec,
    Trajectory,
    Workspace,
    read_jsonl,
    statement_hash,
)
from graphforge.tasks import merge
from pipelines import show
from pipelines._files import documents, inputs
from pipelines._stages import LINE
from pipelines._verifying import Job, _test, renewed


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    with Line.open(tmp_path_factory.mktemp("verify")) as made:
        for stage in LINE:
            made.run(stage, *ONE, "verify.workers=1")
        made.run("funnel", *ONE, out="data")
        yield made


def one(line: Line, name: str, kind: type) -> object:
    (record,) = read_jsonl(line.folder / "data" / name, kind)
    return record


@pytest.fixture(scope="module")
def task(line: Line) -> tuple[Revision, Workspace, EvidenceGraph, Path]:
    revision = one(line, "revise/revisions.jsonl", Revision)
    workspace = one(line, "rebalance/workspaces.jsonl", Workspace)
    graph = one(line, "graphs/graphs.jsonl", EvidenceGraph)
    return revision, workspace, graph, line.folder / "data" / "workspaces"  # type: ignore[return-value]


def test_a_sound_task_goes_through_untouched_and_its_pilot_is_reused(line: Line) -> None:
    count = books("verify", line.folder / "data/verify")
    assert (count.inputs, count.outputs) == (1, 1)
    tests = one(line, "verify/tests.jsonl", TaskTests)
    assert tests.golden == "reference" and tests.golden_score == 1.0
    assert tests.mutants and all(test.caught for test in tests.mutants)
    assert tests.harmless and not any(test.cost for test in tests.harmless)
    assert one(line, "verify/revisions.jsonl", Revision) == one(line, "revise/revisions.jsonl", Revision)
    assert one(line, "rollouts/rollouts.jsonl", Trajectory) == one(line, "pilot/pilot.jsonl", Trajectory)
    assert (
        one(line, "admit/admitted.jsonl", Admitted).spec == one(line, "verify/revisions.jsonl", Revision).spec
    )


def test_the_rates_are_printed(line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    show.main(line.folder / "data")
    printed = capsys.readouterr().out
    for part in (
        "Verifier tests", "mutants that cost points on their criterion", "100.0 %", "harmless changes that cost any",
        "numbers of the criteria in the instruction", "only in attachments", "in neither: computed",
        "Golden deliverables: reference 1", "Met without opening a file",
    ):  # fmt: skip
        assert part in printed


def test_the_same_twice_gives_the_same_bytes(line: Line) -> None:
    again = line.run("verify", *ONE, "verify.workers=2", out="again")
    for name in ("revisions.jsonl", "tests.jsonl", "verification.json", "rejected.jsonl", "counts.json"):
        assert (again / name).read_bytes() == (line.folder / "data/verify" / name).read_bytes(), name


def test_a_task_with_too_little_left_ends_here(line: Line) -> None:
    target = line.run("verify", *ONE, "verify.least_criteria=90", "empty=pass", out="strict")
    assert books("verify", target).rejected == {"too_little_left": 1}
    assert json.loads((target / "verification.json").read_text())["tasks"] == 1


def test_another_agents_pilot_is_not_taken_for_the_golden_one(line: Line) -> None:
    """The task has a plan, but the pilot was somebody else's: the reference agent works once more, for the test."""
    folder = line.folder / "data" / "pilot"
    kept = (folder / "pilot.jsonl").read_text()
    pilot = one(line, "pilot/pilot.jsonl", Trajectory)
    try:
        other = pilot.model_copy(update={"agent": "native", "informed": False, "artifacts": ()})
        (folder / "pilot.jsonl").write_text(other.line() + "\n")
        target = line.run("verify", *ONE, out="native")
    finally:
        (folder / "pilot.jsonl").write_text(kept)
    (tests,) = read_jsonl(target / "tests.jsonl", TaskTests)
    assert tests == one(line, "verify/tests.jsonl", TaskTests)


def job(task: tuple[Revision, Workspace, EvidenceGraph, Path], spec: TaskSpec, **changes: object) -> Job:
    _, workspace, graph, store = task
    settings = VerifierTests(least_criteria=1, least_weight=0.1, most_blind=0.9, workers=1)
    made = Job(spec, workspace, graph, store, {}, False, settings, 0.95)
    return made.__class__(**{**made.__dict__, **changes})


def test_a_task_without_plan_and_pilot_is_tested_on_deliverables_made_from_its_checks(task) -> None:
    spec = task[0].spec.model_copy(update={"solution": None})
    found = _test(job(task, spec))
    assert found.rejection is None and found.tests.golden == "constructed"
    assert found.tests.golden_score == 1.0 and all(test.caught for test in found.tests.mutants)


@pytest.mark.parametrize(
    "secret", ["node", "locator", "why", "role", "value", "hash", "order"]
)  # fmt: skip
def test_a_request_that_tells_what_is_hidden_is_rejected(task, secret: str) -> None:
    revision, workspace, graph, store = task
    spec = revision.spec
    held = list(documents(store, workspace).values())
    assert leaks(spec, workspace, graph, held) == []
    if secret == "order":
        public = spec.model_copy(update={"files": tuple(reversed(spec.files))})
    else:
        told = {
            "node": graph.nodes[0].id,
            "locator": next(one.verification for one in spec.criteria if len(one.verification.split()) > 2),
            "why": workspace.files[0].why,
            "role": "Mind the confuser.",
            "value": f"It comes to {computed(spec, held)[0]:,.2f}." if computed(spec, held) else "",
            "hash": workspace.files[0].sha256,
        }[secret]
        if not told:
            pytest.skip("every value of this task stands in a file")
        public = spec.model_copy(update={"statement": f"{spec.statement} {told}"})
    found = _test(job(task, public))
    assert found.rejection is not None and found.rejection.reason == "leak"


# what an agent can read


SANDBOX = {
    "cpu_seconds": 20, "wall_seconds": 60.0, "memory": 4 * 1024**3, "file_size": 50_000_000, "processes": 256,
    "open_files": 256, "output_bytes": 4_000_000,
}  # fmt: skip
LOOK = r"""
env; pwd; id; date -r inputs +%s; cat /proc/self/cmdline /proc/self/environ | tr '\0' '\n'
find . "$HOME" "${TMPDIR:-/tmp}" -printf '%p %s %T@ %u %m\n' 2>/dev/null
find . "$HOME" "${TMPDIR:-/tmp}" -type f -not -path './inputs/*' -size -2000k -exec cat {} + 2>/dev/null
ls -laU --full-time inputs; ls -la . ..
"""


def rooms() -> list[object]:
    made = []
    for kind in (ProcessSandbox, BwrapSandbox):
        fields = kind.model_fields
        extra = {"memory_together": 2 * 1024**3, "workspace_bytes": 64 * 1024**2}
        given = {name: value for name, value in {**SANDBOX, **extra}.items() if name in fields}
        try:
            sandbox = kind(**given)
            sandbox.check()
        except ConfigError:
            continue
        made.append(pytest.param(sandbox, id=kind.__name__))
    return made


@pytest.mark.parametrize("sandbox", rooms())
def test_nothing_hidden_stands_in_what_a_working_agent_can_read(task, sandbox) -> None:
    """Its request and files by name, times and order, its environment, its home: all but the inputs' own content."""
    revision, workspace, graph, store = task
    spec = revision.spec
    public = spec.public_view()
    held = list(documents(store, workspace).values())
    with sandbox.open() as room:
        lay_out(room, public, inputs(store, workspace))
        seen = room.run(LOOK).output
        times = {path.stat().st_mtime for path in room.inputs.iterdir()}
        modes = {stat.S_IMODE(path.stat().st_mode) for path in room.inputs.iterdir()}
        names = sorted(os.listdir(room.inputs))
    assert all(name in seen for name in spec.files)
    secrets = hidden(spec, workspace, graph)
    items = (*spec.criteria, *spec.penalties)
    asked = [one.requirement if hasattr(one, "requirement") else one.prohibited for one in items]
    secrets["criterion"] = [text for text in asked if text not in public.request]
    told = seen + "\n" + public.model_copy(update={"task": "t"}).model_dump_json()
    assert shows(told, secrets, computed(spec, held)) == []
    # One instant and one mode for all: neither tells a core file from a confuser.
    assert len(times) == len(modes) == 1
    assert names == sorted(spec.files)
    # And what the looking would find, had anything been there.
    assert shows(f"{told} {graph.nodes[0].id}", secrets, ())
    assert shows(f"{told} {items[1].verification}", secrets, ())


# after a repair


def test_a_repair_is_one_patch_of_the_task_and_leaves_the_reuse_of_its_pilot(line: Line, task) -> None:
    revision = task[0]
    original = one(line, "tasks/tasks.jsonl", TaskSpec)
    spec = revision.spec
    left = [*spec.criteria[1:], *spec.penalties[:-1]]
    outcome = Verified(
        _renewed(spec, left),
        TaskTests(
            task=spec.id,
            golden="reference",
            repairs=(Repair(item=spec.criteria[0].id, how="dropped", why="it failed"),),
        ),
        None,
    )
    after = renewed(revision, outcome, original)
    assert after.spec == outcome.spec == merge(original, after.patch)
    assert after.patch.reasons == (*revision.patch.reasons, f"{spec.criteria[0].id} dropped: it failed")
    assert (after.reuse, after.statement_hash, after.pilot_hash) == (
        revision.reuse, revision.statement_hash, revision.pilot_hash,
    )  # fmt: skip
    assert statement_hash(after.spec.public_view().request) == after.statement_hash
    assert renewed(revision, Verified(spec, outcome.tests, None), original) is revision


def test_what_the_reviser_added_and_the_tests_dropped_is_in_neither(line: Line, task) -> None:
    original = one(line, "tasks/tasks.jsonl", TaskSpec)
    added = original.criteria[0].model_copy(update={"id": "C99", "weight": original.criteria[0].weight / 2})
    halved = original.criteria[0].model_copy(update={"weight": original.criteria[0].weight / 2})
    patch = Patch(task=original.id, criteria=(halved, added), drop=(original.penalties[0].id,))
    revision = task[0].model_copy(update={"spec": merge(original, patch), "patch": patch})
    left = [
        item
        for item in (*revision.spec.criteria, *revision.spec.penalties)
        if item.id not in {"C99", original.criteria[1].id}
    ]
    tests = TaskTests(task=original.id, golden="reference")
    after = renewed(revision, Verified(_renewed(revision.spec, left), tests, None), original)
    assert "C99" not in {item.id for item in (*after.patch.criteria, *after.spec.criteria)}
    assert set(after.patch.drop) == {original.penalties[0].id, original.criteria[1].id}
    assert merge(original, after.patch) == after.spec
