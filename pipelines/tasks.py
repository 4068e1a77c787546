"""tasks: a specification a graph, validated before it leaves (paper section 3.3)."""

import hydra
from omegaconf import DictConfig

from graphforge.records import EvidenceGraph, Workspace
from graphforge.tasks import compile_tasks
from pipelines._edge import one_line, stage


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "tasks.jsonl") as (_, desk):
        graphs = desk.read("graphs/graphs.jsonl", EvidenceGraph)
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        pairs = desk.track(
            ((workspaces[one.workspace], one) for one in graphs), "compiling tasks", len(graphs)
        )
        tasks, rejections = compile_tasks(pairs)
        desk.write("tasks.jsonl", tasks)
        desk.close(len(graphs), len(tasks), rejections)


if __name__ == "__main__":
    one_line(main)
