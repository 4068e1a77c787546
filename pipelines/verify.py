"""verify: tests of every task's verifier; what fails is repaired, dropped or rejected (docs/design/verifying.md)."""

import tempfile
from pathlib import Path

import hydra
from omegaconf import DictConfig

from graphforge.judging import gather
from graphforge.records import EvidenceGraph, Revision, TaskSpec, Trajectory, Workspace
from pipelines._edge import one_line, sort, stage
from pipelines._verifying import renewed, verified


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "revisions.jsonl", "tests.jsonl", "verification.json") as (config, desk):
        revisions = desk.read("revise/revisions.jsonl", Revision)
        tasks = {one.id: one for one in desk.read("tasks/tasks.jsonl", TaskSpec)}
        pilots = {one.task: one for one in desk.read("pilot/pilot.jsonl", Trajectory)}
        graphs = {one.id: one for one in desk.read("graphs/graphs.jsonl", EvidenceGraph)}
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        with tempfile.TemporaryDirectory(prefix="golden-") as folder:
            found = verified(config, desk, revisions, pilots, graphs, workspaces, Path(folder))
        results = [
            outcome.rejection or renewed(revision, outcome, tasks[revision.spec.id])
            for revision, outcome in zip(revisions, found, strict=True)
        ]
        passed, rejections = sort(results)
        rates = gather([outcome.tests for outcome in found])
        desk.write("revisions.jsonl", passed)
        desk.write("tests.jsonl", [outcome.tests for outcome in found])
        desk.write_json("verification.json", rates)
        desk.metrics(rates.figures())
        desk.close(len(revisions), len(passed), rejections)


if __name__ == "__main__":
    one_line(main)
