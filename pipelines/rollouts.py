"""rollouts: the pilot again where the statement stayed the same, a new rollout otherwise (paper section 3.4)."""

import shutil

import hydra
from omegaconf import DictConfig

from graphforge.records import Rejection, Revision, Trajectory, Workspace
from pipelines._edge import one_line, sort, stage
from pipelines._files import inputs, work


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "rollouts.jsonl", "files") as (config, desk):
        revisions = desk.read("revise/revisions.jsonl", Revision)
        pilots = {one.task: one for one in desk.read("pilot/pilot.jsonl", Trajectory)}
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        handed, store = desk.input("pilot/files"), desk.input("workspaces/files").parent
        keep = desk.folder / "files"
        results: list[Trajectory | Rejection] = []
        for revision in desk.track(revisions, "rollouts", len(revisions)):
            spec = revision.spec
            if revision.reuse:
                results.append(pilots[spec.id])
                for artifact in pilots[spec.id].artifacts:
                    shutil.copyfile(handed / artifact.sha256, keep / artifact.sha256)
                continue
            files = inputs(store, workspaces[spec.workspace])
            results.append(work(config.agent, spec, files, keep, config.sandbox, "rollouts"))
        rollouts, rejections = sort(results)
        desk.write("rollouts.jsonl", rollouts)
        desk.metrics({"reused": sum(revision.reuse for revision in revisions)})
        desk.close(len(revisions), len(rollouts), rejections)


if __name__ == "__main__":
    one_line(main)
