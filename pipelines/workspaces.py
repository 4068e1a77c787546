"""workspaces: real files around each seed, parsed, deduplicated, each with a hidden role (paper section 3.2)."""

import asyncio
from pathlib import Path

import hydra
from omegaconf import DictConfig

from graphforge.config import Config
from graphforge.records import Rejection, Seed, Workspace
from graphforge.tracking import store_root
from graphforge.workspace import Library, WebSearch, assemble, search_workspaces, store
from pipelines._edge import Desk, client, one_line, stage

# Parsed documents by content and parser: an aid to speed that never changes a result.
CACHE = Path(".cache/documents")


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    outputs = ("workspaces.jsonl", "files", "documents", "library_rejected.jsonl", "library_counts.json")
    with stage(cfg, *outputs) as (config, desk):
        seeds = desk.read("seeds/seeds.jsonl", Seed)
        library = _library(config, desk, seeds)
        if config.engine.name == "llm":
            workspaces, rejections = asyncio.run(_search(config, desk, library, seeds))
        else:
            workspaces, rejections = assemble(library, seeds, config.assembly)
        store(library, workspaces, desk.folder, desk.track)
        desk.write("workspaces.jsonl", workspaces)
        books = library.count()
        desk.close(books.inputs, books.outputs, library.rejections, "library")
        desk.close(len(seeds), len(workspaces), rejections)


def _library(config: Config, desk: Desk, seeds: list[Seed]) -> Library:
    """The files of a folder; for a search of the web, of a folder with what was found and fetched for the seeds."""
    search = config.search
    if not isinstance(search, WebSearch):
        library: Library = search.open(CACHE, desk.track, config.licence)
        if root := getattr(search, "root", None):
            desk.source(root)
        return library
    base = store_root()
    print(search.plan(seeds, config.fetch, base).line(), flush=True)
    gathered = asyncio.run(search.gather(seeds, config.fetch, config.licence, base, desk.track))
    print(gathered.line(), flush=True)
    desk.metrics(
        {"web.queries": gathered.asked, "web.addresses": gathered.found, "web.files": gathered.fetched}
    )
    found = gathered.search.open(CACHE, desk.track, config.licence)
    desk.source(gathered.search.root)
    return gathered.complete(found, config.fetch.pages)


async def _search(
    config: Config, desk: Desk, library: Library, seeds: list[Seed]
) -> tuple[list[Workspace], list[Rejection]]:
    """A search agent a seed."""
    async with client(config, desk, len(seeds)) as models:
        speaker, at_once = models.role("builder"), config.llm.limits.concurrency
        return await search_workspaces(library, seeds, speaker, turns=config.engine.turns, at_once=at_once)


if __name__ == "__main__":
    one_line(main)
