"""rollouts: the pilot again where the statement stayed the same, a new rollout otherwise (paper section 3.4)."""

import asyncio
import shutil

import hydra
from omegaconf import DictConfig

from graphforge.records import Rejection, Revision, Trajectory, Workspace
from pipelines._edge import one_line, sort, stage
from pipelines._files import inputs
from pipelines._working import rollouts


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "rollouts.jsonl", "files") as (config, desk):
        revisions = desk.read("verify/revisions.jsonl", Revision)
        pilots = {one.task: one for one in desk.read("pilot/pilot.jsonl", Trajectory)}
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        handed, store = desk.input("pilot/files"), desk.input("workspaces/files").parent
        specs = [one.spec for one in revisions if not one.reuse]
        jobs = [(spec, inputs(store, workspaces[spec.workspace])) for spec in specs]
        # A new rollout is a new draw, also where the pilot was asked with the very same words.
        done = iter(asyncio.run(rollouts(config, desk, jobs, "rollouts", sample=1)))
        results: list[Trajectory | Rejection] = []
        for revision in revisions:
            results.append(pilots[revision.spec.id] if revision.reuse else next(done))
            for sha256 in pilots[revision.spec.id].kept() if revision.reuse else ():
                shutil.copyfile(handed / sha256, desk.folder / "files" / sha256)
        made, rejections = sort(results)
        desk.write("rollouts.jsonl", made)
        desk.metrics({"reused": sum(revision.reuse for revision in revisions)})
        desk.close(len(revisions), len(made), rejections)


if __name__ == "__main__":
    one_line(main)
