"""Rollouts: the configured agent at work on tasks, one of ours or a model."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphforge.config import Config
from graphforge.llm import together
from graphforge.records import Rejection, TaskSpec, Trajectory
from pipelines._edge import Desk, client
from pipelines._files import work

Job = tuple[TaskSpec, Mapping[str, Path]]


async def rollouts(
    config: Config, desk: Desk, jobs: Sequence[Job], stage: str, sample: int
) -> list[Trajectory | Rejection]:
    """One rollout a job (a task and its files by name), in order; deliverables are kept in the desk's ``files``.

    A model is the ``teacher``. ``sample`` tells the rollouts of one stage from those of another, which would get the
    same answers out of the ledger otherwise.
    """
    agent: Any = config.agent
    keep = desk.folder / "files"
    config.sandbox.check()
    tracked = desk.track(jobs, f"{stage} rollouts", len(jobs))
    if not agent.needs_speaker:
        return [work(agent, spec, files, keep, config.sandbox, stage) for spec, files in tracked]
    agent.check(config.sandbox)
    async with client(config, desk, len(jobs)) as models:
        teacher = models.role("teacher")

        async def one(job: Job) -> Trajectory:
            spec, files = job
            done: Trajectory = await agent.run(
                spec.public_view(), files, keep, config.sandbox, teacher, stage=stage, sample=sample
            )
            return done

        return list(await together(tracked, one, agent.at_once))
