"""revise: a patch of each specification on the pilot's outcome, merged and validated (paper section 3.4)."""

import hydra
from omegaconf import DictConfig

from graphforge.records import (
    EvidenceGraph,
    Rejection,
    Revision,
    TaskSpec,
    Trajectory,
    Workspace,
    statement_hash,
)
from graphforge.tasks import merge, validate
from pipelines._edge import one_line, sort, stage
from pipelines._files import deliverables, reader


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "revisions.jsonl") as (config, desk):
        tasks = {one.id: one for one in desk.read("tasks/tasks.jsonl", TaskSpec)}
        graphs = {one.id: one for one in desk.read("graphs/graphs.jsonl", EvidenceGraph)}
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        pilots = desk.read("pilot/pilot.jsonl", Trajectory)
        handed, store = desk.input("pilot/files"), desk.input("workspaces/files").parent
        results: list[Revision | Rejection] = []
        for pilot in desk.track(pilots, "revising tasks", len(pilots)):
            spec = tasks[pilot.task]
            graph, workspace = graphs[spec.graph], workspaces[spec.workspace]
            files = deliverables(spec, pilot.artifacts, handed)
            verdict = config.grader.grade(spec, files, "reviser", pilot.agent)
            with reader(store, workspace) as again:
                patch = config.reviser.propose(spec, graph, workspace, pilot, verdict, again.read)
            if isinstance(patch, Rejection):
                results.append(patch)
                continue
            revised = merge(spec, patch)
            if faults := validate(revised, workspace, graph):
                results.append(
                    Rejection(id=spec.id, stage="revise", reason="invalid_patch", detail=faults[0])
                )
                continue
            before, after = pilot.statement_hash, statement_hash(revised.statement)
            reuse = before == after and pilot.status == "completed"
            results.append(
                Revision(spec=revised, patch=patch, statement_hash=after, pilot_hash=before, reuse=reuse)
            )
        revisions, rejections = sort(results)
        desk.write("revisions.jsonl", revisions)
        desk.close(len(pilots), len(revisions), rejections)


if __name__ == "__main__":
    one_line(main)
