"""The files that a run works with: a folder's, or for a search of the web those found and fetched for its seeds."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from graphforge.config import Config
from graphforge.records import Seed
from graphforge.tracking import store_root
from graphforge.workspace import Library, WebSearch
from pipelines._edge import Desk

# Parsed documents by content and parser: an aid to speed that never changes a result.
CACHE = Path(".cache/documents")


def library(config: Config, desk: Desk, seeds: Sequence[Seed]) -> Library:
    """Opened, with the files that the licence gate lets pass.

    Of the web, a line says what is going to be asked before anything is, and a line what came of it. The folder is
    logged as an input.
    """
    search = config.search
    if not isinstance(search, WebSearch):
        found: Library = search.open(CACHE, desk.track, config.licence)
        if root := getattr(search, "root", None):
            desk.source(root)
        return found
    # Below the repository also where DVC's queue runs a copy of it: what was answered is paid for.
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
