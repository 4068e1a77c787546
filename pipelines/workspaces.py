"""workspaces: real files around each seed, parsed, deduplicated, each with a hidden role (paper section 3.2)."""

import asyncio
from collections.abc import Sequence
from functools import partial

import hydra
from omegaconf import DictConfig

from graphforge.config import Config
from graphforge.evidence import holds
from graphforge.records import Rejection, Seed, Workspace
from graphforge.workspace import Library, assemble, search_workspaces, store
from pipelines._edge import Desk, client, one_line, stage
from pipelines._library import library


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    outputs = ("workspaces.jsonl", "files", "documents", "library_rejected.jsonl", "library_counts.json")
    with stage(cfg, *outputs) as (config, desk):
        seeds = desk.read("seeds/seeds.jsonl", Seed)
        found = library(config, desk, seeds)
        if config.engine.name == "llm":
            workspaces, rejections = asyncio.run(_search(config, desk, found, seeds))
            repeats = 0
        else:
            bar = partial(holds, documents=found.documents, limits=config.graphs)
            made = assemble(found, seeds, config.assembly, bar, desk.track)
            workspaces, rejections, repeats = made.workspaces, made.rejections, made.repeats
        store(found, workspaces, desk.folder, desk.track)
        desk.write("workspaces.jsonl", workspaces)
        books = found.count()
        desk.close(books.inputs, books.outputs, found.rejections, "library")
        desk.close(len(seeds), len(workspaces), rejections, repeats=repeats)


async def _search(
    config: Config, desk: Desk, found: Library, seeds: list[Seed]
) -> tuple[Sequence[Workspace], Sequence[Rejection]]:
    """A search agent a seed."""
    async with client(config, desk, len(seeds)) as models:
        speaker, at_once = models.role("builder"), config.llm.limits.concurrency
        return await search_workspaces(found, seeds, speaker, turns=config.engine.turns, at_once=at_once)


if __name__ == "__main__":
    one_line(main)
