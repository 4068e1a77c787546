"""graphs: an evidence graph a workspace, every node read again from the original file (paper section 3.3)."""

import asyncio
from pathlib import Path

import hydra
from omegaconf import DictConfig

from graphforge.config import Config
from graphforge.evidence import build, relate
from graphforge.llm import together
from graphforge.records import EvidenceGraph, Rejection, Workspace
from pipelines._edge import Desk, client, one_line, sort, stage
from pipelines._files import documents, reader


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "graphs.jsonl") as (config, desk):
        workspaces = desk.read("rebalance/workspaces.jsonl", Workspace)
        desk.input("workspaces/files")
        store = desk.input("workspaces/documents").parent
        results: list[EvidenceGraph | Rejection] = []
        if config.engine.name == "llm":
            results = asyncio.run(_relate(config, desk, workspaces, store))
        else:
            for one in desk.track(workspaces, "building graphs", len(workspaces)):
                with reader(store, one) as again:
                    results.append(build(one, documents(store, one), again.read, config.graphs))
        graphs, rejections = sort(results)
        desk.write("graphs.jsonl", graphs)
        desk.close(len(workspaces), len(graphs), rejections)


async def _relate(
    config: Config, desk: Desk, workspaces: list[Workspace], store: Path
) -> list[EvidenceGraph | Rejection]:
    """Graphs by a model; the files of a workspace are open only while its graph is made."""
    async with client(config, desk, len(workspaces)) as models:
        speaker = models.role("builder")

        async def work(one: Workspace) -> EvidenceGraph | Rejection:
            with reader(store, one) as again:
                return await relate(one, documents(store, one), again.read, config.graphs, speaker)

        tracked = desk.track(workspaces, "relating files", len(workspaces))
        return await together(tracked, work, config.llm.limits.concurrency)


if __name__ == "__main__":
    one_line(main)
