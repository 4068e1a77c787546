"""pilot: the agent works once on every task, seeing only the public part of it (paper section 3.4)."""

import asyncio

import hydra
from omegaconf import DictConfig

from graphforge.records import TaskSpec, Workspace
from pipelines._edge import one_line, sort, stage
from pipelines._files import inputs
from pipelines._working import rollouts


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "pilot.jsonl", "files") as (config, desk):
        tasks = desk.read("tasks/tasks.jsonl", TaskSpec)
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        store = desk.input("workspaces/files").parent
        jobs = [(spec, inputs(store, workspaces[spec.workspace])) for spec in tasks]
        pilots, rejections = sort(asyncio.run(rollouts(config, desk, jobs, "pilot", sample=0)))
        desk.write("pilot.jsonl", pilots)
        desk.close(len(tasks), len(pilots), rejections)


if __name__ == "__main__":
    one_line(main)
