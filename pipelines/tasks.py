"""tasks: a specification a graph, validated before it leaves (paper section 3.3)."""

import asyncio

import hydra
from omegaconf import DictConfig

from graphforge.config import Config
from graphforge.llm import together
from graphforge.records import EvidenceGraph, Rejection, TaskSpec, Workspace
from graphforge.tasks import alike, compile_task, distinct, figures, told, write
from pipelines._edge import Desk, client, one_line, stage

Pair = tuple[Workspace, EvidenceGraph]


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "tasks.jsonl", "statements.json") as (config, desk):
        graphs = desk.read("graphs/graphs.jsonl", EvidenceGraph)
        workspaces = {one.id: one for one in desk.read("rebalance/workspaces.jsonl", Workspace)}
        pairs = [(workspaces[one.workspace], one) for one in graphs]
        if config.engine.name == "llm":
            results = asyncio.run(_write(config, desk, pairs))
        else:
            results = [compile_task(*pair) for pair in desk.track(pairs, "compiling tasks", len(pairs))]
        tasks, rejections = distinct(results)
        desk.write("tasks.jsonl", tasks)
        found = alike(tasks)
        desk.write_json("statements.json", found)
        desk.metrics(figures(found))
        print(told(found), flush=True)
        desk.close(len(graphs), len(tasks), rejections)


async def _write(config: Config, desk: Desk, pairs: list[Pair]) -> list[TaskSpec | Rejection]:
    """Tasks by a model."""
    async with client(config, desk, len(pairs)) as models:
        speaker = models.role("builder")

        async def work(pair: Pair) -> TaskSpec | Rejection:
            return await write(*pair, speaker)

        tracked = desk.track(pairs, "writing tasks", len(pairs))
        return await together(tracked, work, config.llm.limits.concurrency)


if __name__ == "__main__":
    one_line(main)
