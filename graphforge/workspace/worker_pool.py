"""Files read in processes that may die: one that hangs, crashes or swells costs its own file and no other.

    pool = shared_pool(workers=2, limits=WorkerLimits())
    for attempt in pool.read([(path, sha256), ...]):
        ...

Processes are used again, because one takes about a second to start. They end with this process, however it ends.
"""

import atexit
import functools
import hashlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ..errors import GraphForgeError
from .worker import OUT_OF_MEMORY, Answer, Attempt

Job = tuple[Path, str]
"""A file's path and its sha256."""

A = TypeVar("A", bound=Answer)

READER = "graphforge.workspace.worker:read_file"
_NAMED = "graphforge.workspace.worker:read_named"
# What a worker's end says of a file depends on the machine as well, so such attempts are not to be kept for good.
PASSING = frozenset(("parser_crashed", "read_error", "too_slow", "too_much_memory"))
_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from graphforge.workspace.worker import main; "
    "main(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))"
)
# No key and no proxy of this process's environment reaches a reader.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TESSDATA_PREFIX")
_START_SECONDS = 120.0
_CHUNK = 2**20
# Answers wait in memory until those before them are taken.
_AHEAD = 4


class WorkerLimits(BaseModel):
    """What reading one file may cost.

    ``seconds``: from handing the file over to the whole answer, after which the process is killed (``too_slow``).
    ``cpu_seconds``: of CPU time (``too_slow``). ``memory``: bytes of address space beyond those of the readers'
    own code, which holds about 150 MB (``too_much_memory``). ``answer``: bytes of the document as JSON
    (``too_much_memory``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: float = Field(default=300.0, gt=0)
    cpu_seconds: int = Field(default=120, ge=1)
    memory: int = Field(default=768 * 2**20, ge=64 * 2**20)
    answer: int = Field(default=256 * 2**20, gt=0)


class WorkerFailure(GraphForgeError):
    """No worker can be started on this machine."""


class _Died(Exception):
    """The worker is gone, or had to be killed; says why."""

    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class Worker(Generic[A]):
    """One reading process. WorkerFailure where it doesn't start."""

    def __init__(self, limits: WorkerLimits, reader: str, kind: type[A]):
        self._limits = limits
        self._kind = kind
        # Read after the process has ended, so no context manager fits.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        kept, self._alive = os.pipe()
        arguments = [json.dumps(sys.path), str(limits.memory), str(limits.cpu_seconds), reader, str(kept)]
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _BOOT, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment
                | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"},
                pass_fds=(kept,),
                # A group of its own: what it started dies with it, and a key pressed in the terminal is ours alone.
                start_new_session=True,
                bufsize=0,
            )
        finally:
            os.close(kept)
        try:
            self._line(_START_SECONDS)
        except _Died as death:
            self.kill()
            raise WorkerFailure(
                f"A worker that reads files could not start: {death.detail}",
                "Raise search.limits.memory, or see why Python can't start here",
            ) from None

    @property
    def pid(self) -> int:
        return self._process.pid

    def read(self, job: Job, about: str, seconds: float) -> tuple[A, bool]:
        """The attempt to read a file, and whether the worker can read another one after it."""
        path, sha256 = job
        # The process writes at the same place of the same open file: what it said of another file is gone.
        self._errors.seek(0)
        self._errors.truncate()
        try:
            line = {"path": os.path.abspath(path), "sha256": sha256, "about": about}
            self._send(json.dumps(line).encode() + b"\n")
            answer = self._line(seconds)
            return self._kind.model_validate_json(answer[1:]), answer[:1] == b"+"
        except _Died as death:
            self.kill()
            return self._kind(sha256=sha256, reason=death.reason, detail=death.detail), False

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process and what it started, now; from any thread."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def kill(self) -> None:
        """As :meth:`stop`, and give back what it held; from the thread that reads. Again, it does nothing."""
        if self._alive < 0:
            return
        os.close(self._alive)
        self._alive = -1
        if self.is_alive():
            self.stop()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                pipe.close()

    def _send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
        except (BrokenPipeError, ValueError):
            raise _Died(*self._end()) from None

    def _line(self, seconds: float) -> bytes:
        """The next line of the worker's output, without its end. _Died where it doesn't come in time."""
        assert self._process.stdout is not None
        number = self._process.stdout.fileno()
        waiting = select.poll()
        waiting.register(number, select.POLLIN)
        deadline = time.monotonic() + seconds
        chunks: list[bytes] = []
        size = 0
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not waiting.poll(left * 1000):
                raise _Died("too_slow", f"not read within {seconds:g} seconds")
            chunk = os.read(number, _CHUNK)
            if not chunk:
                raise _Died(*self._end())
            chunks.append(chunk)
            size += len(chunk)
            if chunk.endswith(b"\n"):
                return b"".join(chunks)[:-1]
            if size > self._limits.answer:
                raise _Died("too_much_memory", f"its document takes more than {self._limits.answer} bytes")

    def _end(self) -> tuple[str, str]:
        """Why the process is gone: a reason and a detail."""
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "parser_crashed", "its reader closed the way back"
        if code == -signal.SIGXCPU:
            return "too_slow", f"not read within {self._limits.cpu_seconds} seconds of CPU time"
        if code == -signal.SIGKILL:
            # Not by us: whoever kills asks no more. The kernel does so when the machine's memory is full.
            return "too_much_memory", "the system ended its reader"
        self._errors.seek(0)
        said = self._errors.read()[-4000:].decode("utf-8", "replace")
        if OUT_OF_MEMORY.search(said):
            return "too_much_memory", "its reader asked for more than is allowed"
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with status {code}"
        last = next((line for line in reversed(said.splitlines()) if line.strip()), "")
        return "parser_crashed", re.sub(r"\s+", " ", f"its reader ended {how} {last[:200]}").strip()


class WorkerPool(Generic[A]):
    """At most ``workers`` reading processes, started when first needed and used again.

    ``reader`` names the function in the worker that reads a file, ``module:function``; ``kind`` is what it answers.
    """

    def __init__(self, workers: int, limits: WorkerLimits, reader: str, kind: type[A]):
        self._workers = workers
        self._limits = limits
        self._reader = reader
        self._kind = kind
        self._idle: LifoQueue[Worker[A]] = LifoQueue()
        self._busy: set[Worker[A]] = set()
        # Whoever asks for one file may do so from any thread.
        self._places = threading.BoundedSemaphore(workers)

    def read(self, jobs: Iterable[Job]) -> Iterator[A]:
        """The attempt to read every file, in order. WorkerFailure where no process can be started."""
        waiting: deque[Future[A]] = deque()
        threads = ThreadPoolExecutor(self._workers, thread_name_prefix="reading")
        given_up = threading.Event()
        done = False
        try:
            for job in jobs:
                waiting.append(threads.submit(self._one, job, "", self._limits.seconds, given_up))
                if len(waiting) >= self._workers * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
            done = True
        finally:
            if not done:
                # Nobody waits for the answers any more: those who read must not keep us.
                given_up.set()
                for worker in list(self._busy):
                    worker.stop()
            threads.shutdown()

    def ask(self, job: Job, about: str, seconds: float | None = None) -> A:
        """What one file gives. ``about``: what the reader has to know besides; ``seconds``: a deadline of its own."""
        return self._one(job, about, self._limits.seconds if seconds is None else seconds, threading.Event())

    def start(self) -> None:
        """Start a process where none waits: before a file is waiting for it."""
        with self._places:
            self._idle.put(self._free() or Worker(self._limits, self._reader, self._kind))

    def close(self) -> None:
        """End every process."""
        while True:
            try:
                self._idle.get_nowait().kill()
            except Empty:
                return

    def __enter__(self) -> "WorkerPool[A]":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _one(self, job: Job, about: str, seconds: float, given_up: threading.Event) -> A:
        with self._places:
            return self._placed(job, about, seconds, given_up)

    def _placed(self, job: Job, about: str, seconds: float, given_up: threading.Event) -> A:
        if given_up.is_set():
            return self._not_read(job)
        worker = self._free() or Worker(self._limits, self._reader, self._kind)
        self._busy.add(worker)
        try:
            # Asked after the worker has become known as busy, so that whoever gives up stops it or is heard here.
            attempt, sound = (
                (self._not_read(job), True) if given_up.is_set() else worker.read(job, about, seconds)
            )
        finally:
            self._busy.discard(worker)
        if sound:
            self._idle.put(worker)
        else:
            worker.kill()
        return attempt

    def _not_read(self, job: Job) -> A:
        """What nobody waits for any more."""
        return self._kind(sha256=job[1], reason="parser_crashed", detail="given up before it was read")

    def _free(self) -> Worker[A] | None:
        """A worker that waits, those left out that died meanwhile."""
        while True:
            try:
                worker = self._idle.get_nowait()
            except Empty:
                return None
            if worker.is_alive():
                return worker
            worker.kill()


def shared_pool(workers: int, limits: WorkerLimits, reader: str = READER) -> WorkerPool[Attempt]:
    """The pool of this process: the same one for the same numbers, so that its workers are used again."""
    return _pool_of(os.getpid(), workers, limits, reader)


def parse_apart(path: Path, name: str, limits: WorkerLimits) -> Attempt:
    """The file parsed under ``name`` in a process that may die, as :func:`graphforge.workspace.parse` would here."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return shared_pool(1, limits, _NAMED).ask((path, sha256), name)


@functools.cache
def _pool_of(process: int, workers: int, limits: WorkerLimits, reader: str) -> WorkerPool[Attempt]:
    # A forked child must not talk to its parent's workers, hence the process among the keys.
    pool = WorkerPool(workers, limits, reader, Attempt)
    atexit.register(pool.close)
    return pool
