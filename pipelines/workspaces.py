"""workspaces: real files around each seed, parsed, deduplicated, each with a hidden role (paper section 3.2)."""

from pathlib import Path

import hydra
from omegaconf import DictConfig

from graphforge.records import Seed
from graphforge.workspace import assemble, store
from pipelines._edge import one_line, stage

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
        workspaces, rejections = assemble(library, seeds, config.assembly)
        store(library, workspaces, desk.folder, desk.track)
        desk.write("workspaces.jsonl", workspaces)
        books = library.count()
        desk.close(books.inputs, books.outputs, library.rejections, "library")
        desk.close(len(seeds), len(workspaces), rejections)


if __name__ == "__main__":
    one_line(main)
