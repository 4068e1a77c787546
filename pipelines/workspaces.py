"""workspaces: real files around each seed, parsed, deduplicated, each with a hidden role (paper section 3.2)."""

import asyncio
from pathlib import Path

import hydra
from omegaconf import DictConfig

from graphforge.config import Config
from graphforge.records import Rejection, Seed, Workspace
from graphforge.workspace import Library, assemble, search_workspaces, store
from pipelines._edge import Desk, client, one_line, stage

# Parsed documents by content and parser: an aid to speed that never changes a result.
CACHE = Path(".cache/documents")


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    outputs = ("workspaces.jsonl", "files", "documents", "library_rejected.jsonl", "library_counts.json")
    with stage(cfg, *outputs) as (config, desk):
        seeds = desk.read("seeds/seeds.jsonl", Seed)
        library = config.search.open(CACHE, desk.track)
        if root := getattr(config.search, "root", None):
            desk.source(root)
        if config.engine.name == "llm":
            workspaces, rejections = asyncio.run(_search(config, desk, library, seeds))
        else:
            workspaces, rejections = assemble(library, seeds, config.assembly)
        store(library, workspaces, desk.folder, desk.track)
        desk.write("workspaces.jsonl", workspaces)
        books = library.count()
        desk.close(books.inputs, books.outputs, library.rejections, "library")
        desk.close(len(seeds), len(workspaces), rejections)


async def _search(
    config: Config, desk: Desk, library: Library, seeds: list[Seed]
) -> tuple[list[Workspace], list[Rejection]]:
    """A search agent a seed."""
    async with client(config, desk, len(seeds)) as models:
        speaker, at_once = models.role("builder"), config.llm.limits.concurrency
        return await search_workspaces(library, seeds, speaker, turns=config.engine.turns, at_once=at_once)


if __name__ == "__main__":
    one_line(main)
