"""graphs: an evidence graph a workspace, every node read again from the original file (paper section 3.3)."""

import hydra
from omegaconf import DictConfig

from graphforge.evidence import build
from graphforge.records import Workspace
from pipelines._edge import one_line, sort, stage
from pipelines._files import documents, reader


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "graphs.jsonl") as (config, desk):
        workspaces = desk.read("rebalance/workspaces.jsonl", Workspace)
        desk.input("workspaces/files")
        store = desk.input("workspaces/documents").parent
        results = []
        for one in desk.track(workspaces, "building graphs", len(workspaces)):
            with reader(store, one) as again:
                results.append(build(one, documents(store, one), again.read, config.graphs))
        graphs, rejections = sort(results)
        desk.write("graphs.jsonl", graphs)
        desk.close(len(workspaces), len(graphs), rejections)


if __name__ == "__main__":
    one_line(main)
