"""The tests of every task's verifier, in processes of their own: a few seconds of work on files for each."""

import multiprocessing
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from graphforge.config import Config
from graphforge.judging import Golden, TaskTests, Verified, VerifierTests, leaks, verify, without_plan
from graphforge.records import (
    Criterion,
    EvidenceGraph,
    NegativeCriterion,
    Patch,
    Rejection,
    Revision,
    TaskSpec,
    Trajectory,
    Workspace,
)
from graphforge.tasks import merge
from pipelines._edge import Desk
from pipelines._files import documents, inputs, parsed, work

# Fewer are done before a second process has started.
_FEW = 4


@dataclass(frozen=True)
class Job:
    """One task, its files, and the deliverables of an agent: right ones where ``exact``."""

    spec: TaskSpec
    workspace: Workspace
    graph: EvidenceGraph
    store: Path
    handed: Mapping[str, Path]
    exact: bool
    settings: VerifierTests
    bar: float


def verified(
    config: Config,
    desk: Desk,
    revisions: Sequence[Revision],
    pilots: Mapping[str, Trajectory],
    graphs: Mapping[str, EvidenceGraph],
    workspaces: Mapping[str, Workspace],
    folder: Path,
) -> list[Verified]:
    """In the order of the revisions. ``folder`` is for deliverables that are made here."""
    store, handed = desk.input("workspaces/files").parent, desk.input("pilot/files")
    desk.input("workspaces/documents")
    jobs = []
    for revision in revisions:
        spec = revision.spec
        workspace = workspaces[spec.workspace]
        files = _handed(config, spec, pilots[spec.id], handed, inputs(store, workspace), folder)
        exact = spec.solution is not None
        bar = config.admission.score.exceed
        jobs.append(Job(spec, workspace, graphs[spec.graph], store, files, exact, config.verify, bar))
    return list(desk.track(_tested(jobs, config.verify.workers), "testing verifiers", len(jobs)))


def _handed(
    config: Config, spec: TaskSpec, pilot: Trajectory, folder: Path, files: Mapping[str, Path], keep: Path
) -> dict[str, Path]:
    """What the pilot handed over; for a task with a plan, what the reference agent does."""
    if spec.solution is not None and not pilot.informed:
        config.sandbox.check()
        done = work(config.golden, spec, files, keep, config.sandbox, "verify")
        if isinstance(done, Rejection):
            return {}
        pilot, folder = done, keep
    return {one.name: folder / one.sha256 for one in pilot.artifacts}


def _tested(jobs: Sequence[Job], workers: int) -> Iterator[Verified]:
    """The outcomes in order. A job that takes its process down is a task whose verifier can't be trusted."""
    if workers == 1 or len(jobs) < _FEW:
        yield from map(_test, jobs)
        return
    # spawn: a forked child would inherit the locks of the parent's threads.
    context = multiprocessing.get_context("spawn")
    done = 0
    try:
        with ProcessPoolExecutor(workers, context, _begin, (tempfile.gettempdir(),)) as pool:
            for outcome in pool.map(_test, jobs, chunksize=1):
                yield outcome
                done += 1
    except BrokenProcessPool:
        for job in jobs[done:]:
            try:
                with ProcessPoolExecutor(1, context, _begin, (tempfile.gettempdir(),)) as pool:
                    yield pool.submit(_test, job).result()
            except BrokenProcessPool:
                detail = "a library took the process down that tested it"
                rejection = Rejection(id=job.spec.id, stage="verify", reason="test_crashed", detail=detail)
                yield Verified(job.spec, TaskTests(task=job.spec.id, golden=None), rejection)


def _begin(scratch: str) -> None:
    """A worker writes where the stage does, and ends with it."""
    tempfile.tempdir = scratch
    parent = multiprocessing.parent_process()
    assert parent is not None, "no worker of a pool"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _test(job: Job) -> Verified:
    spec = job.spec
    held = list(documents(job.store, job.workspace).values())
    if faults := leaks(spec, job.workspace, job.graph, held):
        rejection = Rejection(id=spec.id, stage="verify", reason="leak", detail="; ".join(faults[:3]))
        return Verified(spec, TaskTests(task=spec.id, golden=None), rejection)
    with tempfile.TemporaryDirectory(prefix="verify-") as scratch:
        folder = Path(scratch)
        if job.exact:
            golden = Golden("reference", job.handed) if job.handed else None
        else:
            golden = without_plan(spec, job.handed, job.bar, parsed, folder / "golden")
        return verify(spec, golden, held, job.settings, job.bar, parsed, folder)


def renewed(revision: Revision, outcome: Verified, task: TaskSpec) -> Revision:
    """The revision with what is left of its criteria, as one patch of the task. Nothing that an agent sees has changed,
    so whether the pilot may be reused stands."""
    spec = outcome.spec
    if spec == revision.spec:
        return revision
    patch = revision.patch
    before = _items(revision.spec)
    left, asked = _items(spec), _items(task)
    criteria = {one.id: one for one in patch.criteria if one.id in left}
    criteria |= {one.id: one for one in spec.criteria if one != before[one.id]}
    penalties = {one.id: one for one in patch.penalties if one.id in left}
    penalties |= {one.id: one for one in spec.penalties if one != before[one.id]}
    gone = [one for one in before if one not in left and one in asked]
    reasons = [f"{one.item} {one.how.replace('_', ' ')}: {one.why}" for one in outcome.tests.repairs]
    both = Patch(
        task=patch.task,
        statement=patch.statement,
        deliverables=patch.deliverables,
        criteria=tuple(criteria.values()),
        penalties=tuple(penalties.values()),
        drop=tuple(dict.fromkeys([*patch.drop, *gone])),
        reasons=(*patch.reasons, *reasons),
    )
    return revision.model_copy(update={"spec": merge(task, both), "patch": both})


def _items(spec: TaskSpec) -> dict[str, Criterion | NegativeCriterion]:
    return {**{one.id: one for one in spec.criteria}, **{one.id: one for one in spec.penalties}}
