"""admit: deterministic checks, the anchored verdict, the behaviour filter: admitted, or one reason (section 3.5)."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import hydra
from omegaconf import DictConfig

from graphforge.admission import admit
from graphforge.config import Config
from graphforge.judging import PoolMember
from graphforge.llm import together
from graphforge.records import Admitted, Rejection, Revision, TaskSpec, Trajectory
from pipelines._edge import Desk, one_line, sort, stage
from pipelines._files import deliverables
from pipelines._judging import bench


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "admitted.jsonl") as (config, desk):
        specs = {one.spec.id: one.spec for one in desk.read("verify/revisions.jsonl", Revision)}
        rollouts = desk.read("rollouts/rollouts.jsonl", Trajectory)
        results = asyncio.run(judged(config, desk, specs, rollouts, desk.input("rollouts/files")))
        admitted, rejections = sort(results)
        desk.write("admitted.jsonl", admitted)
        desk.close(len(rollouts), len(admitted), rejections)


async def judged(
    config: Config, desk: Desk, specs: Mapping[str, TaskSpec], rollouts: list[Trajectory], handed: Path
) -> list[Admitted | Rejection]:
    """The decision on every rollout, in order. No model is asked about what the deterministic checks turn down."""
    async with bench(config, desk, len(rollouts)) as at_work:

        async def one(rollout: Trajectory) -> Admitted | Rejection:
            spec = specs[rollout.task]
            # In a thread: while one file hangs to its deadline, the others and their questions go on.
            files = await asyncio.to_thread(deliverables, spec, rollout.artifacts, handed)
            if config.grader.uses_model and (found := config.admission.unfit(spec, rollout, files)):
                return Rejection(id=spec.id, stage="admit", reason=found.word, detail=found.detail)
            (verdict,) = await at_work.grader.grade_pool(spec, [PoolMember(rollout.agent, files)], "anchored")
            return admit(spec, rollout, files, verdict, config.admission, config.behaviour)

        tracked = desk.track(rollouts, "judging rollouts", len(rollouts))
        return await together(tracked, one, config.llm.limits.concurrency)


if __name__ == "__main__":
    one_line(main)
