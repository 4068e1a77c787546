"""A look at a fetched file, in a process that may die: what it is, and what it says of itself.

Anybody may have made the file so that whoever opens it falls over. The process is the one that reads a library's files
(:mod:`graphforge.workspace.worker_pool`): bounded, shut off from other files and hosts, ended with its parent.
"""

from collections.abc import Mapping
from pathlib import Path

from ...records import Record
from ..sniff import sniff
from ..unreadable import UnreadableFile
from ..worker import Answer
from ..worker_pool import WorkerLimits, WorkerPool
from .provenance import provenance

READER = "graphforge.workspace.web.look:look"
_LIMITS = WorkerLimits(memory=2**30)
# Nothing is asked of the hash of a file that is only looked at.
_UNHASHED = "0" * 64


class Offer(Record):
    """The name that a file was offered under, the headers that came with it (lower-case names), and where it was."""

    offered: str
    headers: dict[str, str]
    url: str


class Looked(Answer):
    """``reason`` is empty where the file can be used."""

    family: str = ""
    title: str | None = None
    publisher: str | None = None
    date: str | None = None
    licence: str | None = None
    reserved: str | None = None


def look(path: Path, sha256: str, about: str) -> Looked:
    """What a file is by its content, and what it says of itself; or the reason why it can't be used."""
    offer = Offer.model_validate_json(about)
    try:
        family = sniff(path, offer.offered)
    except UnreadableFile as error:
        return Looked(sha256=sha256, reason=error.reason, detail=error.detail)
    found = provenance(offer.headers, offer.url, path.read_bytes(), family)
    return Looked(
        sha256=sha256,
        family=family,
        title=found.title,
        publisher=found.publisher,
        date=found.date,
        licence=found.licence,
        reserved=found.reserved,
    )


class Looker:
    """The process, started when it is first needed. One file at a time, from any thread. ``reader``: what looks."""

    def __init__(self, reader: str = READER):
        self._pool = WorkerPool(1, _LIMITS, reader, Looked)

    def start(self) -> None:
        """Start the process, where it isn't running: before a file is waiting for it."""
        self._pool.start()

    def ask(self, path: Path, offered: str, headers: Mapping[str, str], url: str, seconds: float) -> Looked:
        """The worker pool's reasons besides those of ``sniff``: "too_slow" after ``seconds``, "parser_crashed"."""
        offer = Offer(offered=offered, headers=dict(headers), url=url)
        return self._pool.ask((path, _UNHASHED), offer.line(), seconds)

    def end(self) -> None:
        """End the process; the next question starts another."""
        self._pool.close()


# One process serves all fetchers of a run.
LOOKER = Looker()
