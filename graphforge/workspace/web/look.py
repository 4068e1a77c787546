"""A look at a fetched file, in a process that may die: what it is, and what it says of itself.

Anybody may have made the file so that whoever opens it falls over. The process is bounded in memory, is ended at a
deadline, and is replaced when it dies; it ends with its parent.
"""

import multiprocessing
import resource
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from ...records import Record
from ..sniff import sniff
from ..unreadable import UnreadableFile
from .provenance import provenance

_MEMORY = 2**30
# Starting the process takes seconds of its own, which are not the file's.
_START = 120.0


class Job(Record):
    """A file, the name it was offered under, the headers that came with it (lower-case names), and where it was."""

    path: Path
    offered: str
    headers: dict[str, str]
    url: str


class Looked(Record):
    """``reason`` is empty where the file can be used."""

    reason: str = ""
    detail: str = ""
    family: str = ""
    title: str | None = None
    publisher: str | None = None
    date: str | None = None
    licence: str | None = None
    reserved: str | None = None


def look(job: Job) -> Looked:
    """What a file is by its content, and what it says of itself; or the reason why it can't be used."""
    try:
        family = sniff(job.path, job.offered)
    except UnreadableFile as error:
        return Looked(reason=error.reason, detail=error.detail)
    found = provenance(job.headers, job.url, job.path.read_bytes(), family)
    return Looked(
        family=family,
        title=found.title,
        publisher=found.publisher,
        date=found.date,
        licence=found.licence,
        reserved=found.reserved,
    )


class Looker:
    """The process, started when it is first needed. One file at a time, from any thread."""

    def __init__(self, looking: Callable[[Job], Looked] = look):
        self._looking = looking
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._line: Connection | None = None

    def start(self) -> None:
        """Start the process, where it isn't running: before a file is waiting for it."""
        with self._lock:
            self._ready()

    def ask(self, path: Path, offered: str, headers: Mapping[str, str], url: str, seconds: float) -> Looked:
        """Reasons of its own: "parser_crashed" (the process died of the file), "parser_timeout" (after ``seconds``)."""
        job = Job(path=path, offered=offered, headers=dict(headers), url=url)
        with self._lock:
            line = self._ready()
            try:
                line.send(job.line())
                if line.poll(seconds):
                    return Looked.model_validate_json(line.recv())
                reason = Looked(
                    reason="parser_timeout", detail=f"a look into it took more than {seconds:g} s"
                )
            except (EOFError, OSError):
                reason = Looked(reason="parser_crashed", detail="a look into it took the process down")
            self.end()
            return reason

    def end(self) -> None:
        """End the process; the next question starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._line is not None:
            self._line.close()
        self._process = self._line = None

    def _ready(self) -> Connection:
        if self._line is None or self._process is None or not self._process.is_alive():
            self.end()
            # spawn: a forked child would inherit the locks of the parent's threads.
            context = multiprocessing.get_context("spawn")
            self._line, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, self._looking), daemon=True)
            self._process.start()
            theirs.close()
            if not self._line.poll(_START):
                raise RuntimeError("the process that looks into fetched files did not start")
            self._line.recv()
        return self._line


def _serve(line: Connection, looking: Callable[[Job], Looked]) -> None:
    """Answer until the parent's end of the line closes, as it does when the parent ends in whatever way."""
    for limit, value in ((resource.RLIMIT_DATA, _MEMORY), (resource.RLIMIT_CORE, 0)):
        # Not every system has the first one.
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))
    # An error of the line means that the parent is gone.
    with suppress(EOFError, OSError):
        line.send("")
        while True:
            line.send(_answer(Job.model_validate_json(line.recv()), looking).line())


def _answer(job: Job, looking: Callable[[Job], Looked]) -> Looked:
    try:
        return looking(job)
    except MemoryError:
        return Looked(reason="too_much_memory", detail="a look into it asked for more than is allowed")
    except Exception as error:  # noqa: BLE001 - the fault of one file must not end the fetching of the others
        return Looked(reason="parser_crashed", detail=f"{type(error).__name__}: {error}"[:300])


# One process serves all fetchers of a run.
LOOKER = Looker()
