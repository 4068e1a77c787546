"""The process that reads foreign files: bounded in memory and time, shut off from the rest of the machine.

Readers of file formats are large, partly native, and meet whatever lies in a folder or on the web. So they run in a
process that may die (:mod:`graphforge.workspace.worker_pool` starts it, and kills it at a deadline). This module is
the process's side: it reads one file after the other, a job a line on standard input, an answer a line on standard
output.

What it does *not* cover: native code can't be stopped from opening a file by anything here. The readers below are used
such that they don't (entities unresolved, no network, no relations followed), and a test watches their system calls.
"""

import fcntl
import importlib
import json
import os
import re
import resource
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..records import Document, Record, Sha256
from .formats.archive import of_machine
from .parse import parse
from .slices import with_slices
from .unreadable import UnreadableFile

# What a reader says, or the runtime below it as it dies, when memory runs out: none of them has a type for it.
OUT_OF_MEMORY = re.compile(
    r"memory allocation|allocation failed|cannot allocate|malloc|calloc|out of memory|bad_alloc|MemoryError",
    re.IGNORECASE,
)
# Standard error goes to a file; nothing else is ever written.
_WRITTEN = 2**20
_OCR = "tesseract"
_NETWORK = frozenset(
    "socket.connect socket.bind socket.sendto socket.sendmsg socket.getaddrinfo socket.gethostbyname "
    "socket.gethostbyaddr urllib.Request ftplib.connect http.client.connect smtplib.connect".split()
)
_PROCESS = frozenset("os.system os.fork os.forkpty os.exec os.spawn os.startfile pty.spawn".split())
_CHANGE = frozenset(
    "os.remove os.rename os.rmdir os.mkdir os.link os.symlink os.chmod os.chown os.truncate shutil.rmtree".split()
)
_SYSTEM = ("/proc/self/", "/dev/null", "/dev/urandom", "/usr/share/zoneinfo/", "/etc/localtime")


class Answer(Record):
    """What came of a job: its ``reason`` is empty where it was done. Every kind of answer has these fields."""

    sha256: Sha256
    reason: str = ""
    detail: str = ""


class Attempt(Answer):
    """One attempt to read a file: a document, or the reason why there is none."""

    document: Document | None = None


def read_file(path: Path, sha256: str, about: str = "") -> Attempt:
    """The file parsed under its own name, long tables cut by period; or the reader's reason."""
    try:
        return Attempt(sha256=sha256, document=with_slices(parse(path)))
    except UnreadableFile as error:
        return _refused(sha256, error)


def _refused(sha256: str, error: UnreadableFile) -> Attempt:
    reason = "too_much_memory" if OUT_OF_MEMORY.search(error.detail) else error.reason
    return Attempt(sha256=sha256, reason=reason, detail=error.detail)


def read_named(path: Path, sha256: str, about: str) -> Attempt:
    """The file parsed under the name ``about``, uncut; or the reader's reason."""
    try:
        return Attempt(sha256=sha256, document=parse(path, about))
    except UnreadableFile as error:
        return _refused(sha256, error)


class Fence:
    """Refuses what no reader of a file has to do: other files, hosts, processes. Python code only (an audit hook).

    Python's own folders stay readable, because readers import parts of themselves late; and the OCR program may be
    started. A refusal is remembered in ``refused`` even where a library swallows its exception.
    """

    def __init__(self) -> None:
        self.refused = ""
        self._file = ""
        folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path}
        self._readable = tuple(f"{Path(folder).resolve()}{os.sep}" for folder in folders if folder)

    def allow(self, path: Path) -> None:
        """From now on only this file may be opened."""
        self.refused, self._file = "", os.path.realpath(path)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """The audit hook. PermissionError where the event is refused."""
        if not self._file:
            return
        if event == "open":
            if not self._may_open(*arguments[:3]):
                self._refuse(f"open {arguments[0]!r}")
        elif event in {"subprocess.Popen", "os.posix_spawn"}:
            if os.path.basename(os.fsdecode(arguments[0])) != _OCR:
                self._refuse(f"start {arguments[0]!r}")
        elif event in _NETWORK or event in _PROCESS or event in _CHANGE:
            self._refuse(event)

    def _may_open(self, path: Any, mode: str | None, flags: int) -> bool:
        if isinstance(path, int):
            return True
        place = os.path.realpath(os.fsdecode(path))
        writes = any(letter in mode for letter in "wax+") if mode else bool(flags & (os.O_WRONLY | os.O_RDWR))
        if writes:
            return place == os.devnull
        return place == self._file or place.startswith(self._readable) or place.startswith(_SYSTEM)

    def _refuse(self, what: str) -> None:
        self.refused = self.refused or what
        raise PermissionError(13, f"a reader of foreign files may not {what}")


def main(memory: int, seconds: int, reader: str, alive: int) -> None:
    """Read jobs until standard input ends. ``seconds``: CPU time of one file. ``memory``: bytes of address space beyond
    those of the readers' own code.

    ``reader`` names the function that reads, ``module:function``. ``alive`` is the end of a pipe whose other end only
    the parent holds: when that closes, the kernel ends this process, even inside native code that never returns.
    """
    _end_with(alive)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    module, _, function = reader.partition(":")
    read: Callable[[Path, str, str], Answer] = getattr(importlib.import_module(module), function)
    if sys.platform == "linux":
        # macOS refuses this limit; there the process is only replaced after a file that took half of it.
        # Libraries reserve what they never use (rensa's allocator a gigabyte), which says nothing of a file.
        most = _address_space() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_WRITTEN, _WRITTEN))
    # What native code prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    own = _peak()
    fence = Fence()
    sys.addaudithook(fence)
    answers.write(b"\n")
    answers.flush()
    for line in sys.stdin:
        job = json.loads(line)
        _allow_seconds(seconds)
        path = Path(job["path"])
        fence.allow(path)
        attempt, sound = _attempt(read, path, job["sha256"], job["about"])
        if fence.refused:
            attempt = Answer(sha256=job["sha256"], reason="reached_outside", detail=fence.refused)
        # A heap that once grew large never shrinks again, and the next file would find it full.
        sound = sound and _peak() - own < memory // 2
        answers.write((b"+" if sound else b"-") + attempt.line().encode() + b"\n")
        answers.flush()
        if not sound:
            return


# Linux counts the peak in KiB, macOS in bytes.
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def _attempt(
    read: Callable[[Path, str, str], Answer], path: Path, sha256: str, about: str
) -> tuple[Answer, bool]:
    """The attempt, and whether this process may read on after it."""
    try:
        return read(path, sha256, about), True
    except MemoryError:
        return Answer(
            sha256=sha256, reason="too_much_memory", detail="its reader asked for more than is allowed"
        ), False
    except Exception as error:  # noqa: BLE001 - the fault of one file must not end the reading of the others
        detail = f"{type(error).__name__}: {error}"
        reason = "too_much_memory" if OUT_OF_MEMORY.search(detail) else "parser_crashed"
        if reason == "parser_crashed" and of_machine(error) is not None:
            reason = "read_error"
        return Answer(sha256=sha256, reason=reason, detail=" ".join(detail.split())[:300]), True


def _peak() -> int:
    """The most bytes of memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT


def _address_space() -> int:
    """Bytes of this process's address space (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _allow_seconds(seconds: int) -> None:
    """Let this process use ``seconds`` more of CPU time; the kernel ends it after that."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + seconds, hard))


def _end_with(alive: int) -> None:
    """End this process when the pipe's other end closes, by a signal: a thread could wait for ever for its turn."""
    fcntl.fcntl(alive, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    if select.select([alive], [], [], 0)[0]:
        os._exit(1)
