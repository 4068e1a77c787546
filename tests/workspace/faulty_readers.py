"""Readers that fail in every way a real one can, for the tests of the worker pool: the file's name says how."""

import ctypes
import os
import re
import resource
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

from graphforge.workspace.web.look import Looked, look
from graphforge.workspace.worker import Attempt, read_file


def read(path: Path, sha256: str, about: str = "") -> Attempt:
    """As its name says; a file with any other name is read rightly, and the attempt's detail is the process's id."""
    fault = FAULTS.get(path.stem)
    if fault is not None:
        fault(path)
    return read_file(path, sha256).model_copy(update={"detail": str(os.getpid())})


def peak(path: Path, sha256: str, about: str = "") -> Attempt:
    """The file read; the attempt's detail is the process's peak of memory in KiB."""
    attempt = read_file(path, sha256)
    usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return attempt.model_copy(update={"detail": f"{usage} {attempt.detail}"})


def look_and_die(path: Path, sha256: str, about: str) -> Looked:
    """A look that kills its process over a file with the word poison in it, as the next ones are other faults."""
    if b"poison" in path.read_bytes():
        os.kill(os.getpid(), signal.SIGSEGV)
    return look(path, sha256, about)


def look_and_dawdle(path: Path, sha256: str, about: str) -> Looked:
    if b"poison" in path.read_bytes():
        time.sleep(60)
    return look(path, sha256, about)


def look_and_swell(path: Path, sha256: str, about: str) -> Looked:
    if b"poison" in path.read_bytes():
        bytearray(2**31)
    return look(path, sha256, about)


def look_elsewhere(path: Path, sha256: str, about: str) -> Looked:
    if b"poison" in path.read_bytes():
        Path("/etc/hostname").read_bytes()
    return look(path, sha256, about)


def _spin(_: Path) -> None:
    # In native code that holds the interpreter's lock: no thread and no handler of this process gets a turn.
    re.fullmatch(r"(a+)+$", "a" * 64 + "b")


def _grow(_: Path) -> None:
    held = []
    while True:
        held.append(bytearray(32 * 2**20))


def _swallow(path: Path) -> None:
    """Reaches outside, and hides that it was refused."""
    for attempt in (
        lambda: Path("/etc/hostname").read_bytes(),
        lambda: socket.create_connection(("127.0.0.1", 9)),
    ):
        try:
            attempt()
        except OSError:
            continue


def _native_abort(_: Path) -> None:
    os.write(2, b"memory allocation of 8589934592 bytes failed\n")
    os.abort()


FAULTS = {
    "hang": lambda _: time.sleep(3600),
    "spin": _spin,
    "grow": _grow,
    "crash": lambda _: ctypes.string_at(0),
    "abort": lambda _: os.abort(),
    "abort_memory": _native_abort,
    "exit": lambda _: os._exit(3),
    "raise": lambda _: SimpleNamespace().missing,
    "deep": lambda path: FAULTS["deep"](path),
    "outside": _swallow,
    "write": lambda path: path.with_suffix(".new").write_text("x"),
    "start": lambda _: subprocess.run(["true"], check=True),
    "noise": lambda _: [os.write(1, b"+{} nonsense\n") for _ in range(9000)],
    "killed": lambda _: os.kill(os.getpid(), signal.SIGKILL),
}
