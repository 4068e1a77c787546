"""admit: deterministic checks, the anchored verdict, the behaviour filter: admitted, or one reason (section 3.5)."""

import hydra
from omegaconf import DictConfig

from graphforge.admission import admit
from graphforge.records import Revision, Trajectory
from pipelines._edge import one_line, sort, stage
from pipelines._files import deliverables


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "admitted.jsonl") as (config, desk):
        specs = {one.spec.id: one.spec for one in desk.read("revise/revisions.jsonl", Revision)}
        rollouts = desk.read("rollouts/rollouts.jsonl", Trajectory)
        handed = desk.input("rollouts/files")
        results = []
        for rollout in desk.track(rollouts, "judging rollouts", len(rollouts)):
            spec = specs[rollout.task]
            files = deliverables(spec, rollout.artifacts, handed)
            verdict = config.grader.grade(spec, files, "anchored", rollout.agent)
            results.append(admit(spec, rollout, files, verdict, config.admission, config.behaviour))
        admitted, rejections = sort(results)
        desk.write("admitted.jsonl", admitted)
        desk.close(len(rollouts), len(admitted), rejections)


if __name__ == "__main__":
    one_line(main)
