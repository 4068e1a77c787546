"""Graders at work, and the stored evidence that they and the reviser may look at."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from graphforge.config import Config
from graphforge.errors import InputError
from graphforge.judging import JointGrader, Sight, lines, passage
from graphforge.llm import Client
from graphforge.records import Anchor, Document, TaskSpec, Workspace
from graphforge.workspace import Rereader, load_document, stored_file
from pipelines._edge import Desk, client

_DOCUMENTS = 32


class Evidence:
    """The stored files of the workspaces: passages at anchors, whole files as lines, raw text at a locator."""

    def __init__(self, store: Path, workspaces: Iterable[Workspace], again: Rereader):
        self.reread = again.read
        self._workspaces = {one.id: one for one in workspaces}
        self._document = lru_cache(maxsize=_DOCUMENTS)(partial(load_document, store))

    def passage(self, anchor: Anchor) -> str:
        """The text at an anchor with a row's header; the bare text where the parsed file has no such row."""
        try:
            return passage(self._document(anchor.file), anchor.locator)
        except InputError:
            return f"{anchor.locator.show()}: {self.reread(anchor.file, anchor.locator)}"

    def sources(self, spec: TaskSpec) -> Mapping[str, partial[Sequence[str]]]:
        """The input files of a task by name, each read when it is asked for."""
        files = self._workspaces[spec.workspace].files
        return {file.name: partial(self._lines, file.sha256) for file in files}

    def _lines(self, sha256: str) -> Sequence[str]:
        document: Document = self._document(sha256)
        return lines(document)


@contextmanager
def evidence(desk: Desk, workspaces: Sequence[Workspace]) -> Iterator[Evidence]:
    """What the stages before have stored of the workspaces' files."""
    store = desk.input("workspaces/files").parent
    families = {file.sha256: file.family for one in workspaces for file in one.files}
    with Rereader(lambda sha256: (stored_file(store, sha256), families[sha256])) as again:
        yield Evidence(store, workspaces, again)


@dataclass(frozen=True)
class Bench:
    """A grader at work, and the models of the run where any are used."""

    grader: JointGrader
    models: Client | None
    repeats: tuple[JointGrader, ...] = ()


@asynccontextmanager
async def bench(
    config: Config, desk: Desk, items: int, found: Evidence | None = None, models: bool = False
) -> AsyncIterator[Bench]:
    """The configured grader. One that asks no model reads nothing but deliverables, and no client is opened for it.

    ``items`` is the number of tasks it is opened for; ``found`` is evidence that is open already; ``models`` asks for
    the models also where the grader needs none.
    """
    if not (config.grader.uses_model or models):
        yield Bench(config.grader.open(None), None)
        return
    async with client(config, desk, items) as opened:
        if not config.grader.uses_model:
            yield Bench(config.grader.open(None), opened)
        elif found is not None:
            yield _at_work(config, Sight(opened.role("judge"), found.passage, found.sources), opened)
        else:
            with evidence(desk, desk.read("rebalance/workspaces.jsonl", Workspace)) as own:
                yield _at_work(config, Sight(opened.role("judge"), own.passage, own.sources), opened)


def _at_work(config: Config, sight: Sight, models: Client) -> Bench:
    again = [config.grader.repeated(number) for number in range(1, config.calibrate.repeats)]
    return Bench(config.grader.open(sight), models, tuple(one.open(sight) for one in again))
