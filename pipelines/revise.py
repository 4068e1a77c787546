"""revise: a patch of each specification on the pilot's outcome, merged and validated (paper section 3.4)."""

import asyncio

import hydra
from omegaconf import DictConfig

from graphforge.records import EvidenceGraph, TaskSpec, Trajectory, Workspace
from pipelines._edge import one_line, sort, stage
from pipelines._revising import revised


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "revisions.jsonl") as (config, desk):
        tasks = {one.id: one for one in desk.read("tasks/tasks.jsonl", TaskSpec)}
        graphs = {one.id: one for one in desk.read("graphs/graphs.jsonl", EvidenceGraph)}
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        pilots = desk.read("pilot/pilot.jsonl", Trajectory)
        handed = desk.input("pilot/files")
        results = asyncio.run(revised(config, desk, pilots, tasks, graphs, workspaces, handed))
        revisions, rejections = sort(results)
        desk.write("revisions.jsonl", revisions)
        desk.close(len(pilots), len(revisions), rejections)


if __name__ == "__main__":
    one_line(main)
