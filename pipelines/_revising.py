"""The revision of every task, by rules or by a model."""

import asyncio
from functools import partial
from pathlib import Path

from graphforge.config import Config
from graphforge.judging import PoolMember
from graphforge.llm import together
from graphforge.records import (
    EvidenceGraph,
    Patch,
    Rejection,
    Revision,
    TaskSpec,
    Trajectory,
    Verdict,
    Workspace,
    statement_hash,
)
from graphforge.revision import Means
from graphforge.tasks import merge, validate
from pipelines._edge import Desk
from pipelines._files import deliverables
from pipelines._judging import Bench, Evidence, bench, evidence


async def revised(
    config: Config,
    desk: Desk,
    pilots: list[Trajectory],
    tasks: dict[str, TaskSpec],
    graphs: dict[str, EvidenceGraph],
    workspaces: dict[str, Workspace],
    handed: Path,
) -> list[Revision | Rejection]:
    """In the order of the pilots. The grader's verdict on the pilot is what the reviser learns from."""
    with evidence(desk, list(workspaces.values())) as found:
        async with bench(config, desk, len(pilots), found, config.reviser.uses_model) as at_work:

            async def one(pilot: Trajectory) -> Revision | Rejection:
                spec = tasks[pilot.task]
                graph, workspace = graphs[spec.graph], workspaces[spec.workspace]
                # In a thread: while one file hangs to its deadline, the others and their questions go on.
                files = await asyncio.to_thread(deliverables, spec, pilot.artifacts, handed)
                member = PoolMember(pilot.agent, files)
                (verdict,) = await at_work.grader.grade_pool(spec, [member], "reviser")
                patch = await _patch(config, at_work, found, spec, graph, workspace, pilot, verdict)
                return (
                    patch if isinstance(patch, Rejection) else _merged(spec, patch, graph, workspace, pilot)
                )

            tracked = desk.track(pilots, "revising tasks", len(pilots))
            return await together(tracked, one, config.llm.limits.concurrency)


async def _patch(
    config: Config,
    at_work: Bench,
    found: Evidence,
    spec: TaskSpec,
    graph: EvidenceGraph,
    workspace: Workspace,
    pilot: Trajectory,
    verdict: Verdict,
) -> Patch | Rejection:
    reviser = config.reviser
    if at_work.models is None or not reviser.uses_model:
        return reviser.propose(spec, graph, workspace, pilot, verdict, found.reread)
    faults = partial(validate, workspace=workspace, graph=graph)
    means = Means(at_work.models.role("reviser"), found.reread, found.passage, merge, faults)
    return await reviser.propose_with(means, spec, graph, workspace, pilot, verdict)


def _merged(
    spec: TaskSpec, patch: Patch, graph: EvidenceGraph, workspace: Workspace, pilot: Trajectory
) -> Revision | Rejection:
    """The specification under the patch, validated; the pilot may be reused where the request stayed."""
    new = merge(spec, patch)
    if faults := validate(new, workspace, graph):
        return Rejection(id=spec.id, stage="revise", reason="invalid_patch", detail=faults[0])
    before, after = pilot.statement_hash, statement_hash(new.public_view().request)
    reuse = before == after and pilot.status == "completed"
    return Revision(spec=new, patch=patch, statement_hash=after, pilot_hash=before, reuse=reuse)
