"""Runs a command in a folder of its own, with limits and a clean environment.

sandbox = ProcessSandbox(cpu_seconds=60, wall_seconds=120, ...)
with sandbox.open() as room:
    result = room.run("python3 analysis.py")
    result.exit_code, result.output, result.truncated
"""

import contextlib
import errno
import os
import resource
import selectors
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from ..errors import SandboxError
from ..records import EPOCH_SECONDS

# Exit code of a command that was killed at the wall deadline, as ``timeout`` of coreutils gives it.
TIMED_OUT = 124
# Exit code of a command that was killed for what it used, as a shell gives it for SIGKILL.
KILLED = 137
# Longest stretch that may pass unnoticed between the end of a command and our noticing it.
_TICK_SECONDS = 0.02
# A path of the machine is at most this many times longer than the fixed name which replaces it.
_PATH_STRETCH = 16

# Sets the limits, says so through a pipe that the command itself doesn't get, and becomes the command.
_LAUNCHER = (
    '{limits}\nsaid=$2\necho set >&"$said" || exit 1\n{watch}\n'
    'exec bash --noprofile --norc -c "$1" {{said}}>&- </dev/null'
)


class CommandResult(BaseModel):
    """How a command ended. ``output`` is stdout and stderr as they came, without any path of the machine."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exit_code: int
    output: str
    truncated: bool = False
    timed_out: bool = False


class Sandbox(BaseModel):
    """Limits for the commands of one rollout; the kinds of sandbox differ in what else they keep a command from.

    Args:
        cpu_seconds: processor time of one process of a command.
        wall_seconds: time a command may take.
        memory: address space of one process, in bytes.
        file_size: largest file a command may write, in bytes.
        processes: processes and threads that may be added to those the user already runs.
        open_files: open files of one process.
        output_bytes: captured output of one command, in bytes; more is cut and marked as truncated.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    # Whether a command is kept from the rest of the machine; an agent that is a model asks.
    isolates: ClassVar[bool] = False

    cpu_seconds: int = Field(gt=0)
    wall_seconds: float = Field(gt=0)
    memory: int = Field(ge=64 * 1024**2)
    file_size: int = Field(ge=1024)
    processes: int = Field(gt=0)
    open_files: int = Field(ge=16)
    output_bytes: int = Field(ge=256)

    def check(self) -> None:
        """ConfigError where no command can be run here; asked before any work is paid for."""

    @contextlib.contextmanager
    def open(self) -> Iterator["SandboxRoom"]:
        """A fresh folder for one rollout, removed at the end. SandboxError where it can't be made."""
        try:
            root = Path(tempfile.mkdtemp(prefix="rollout-")).resolve()
        except OSError as error:
            raise _failure("The sandbox's folder could not be made", error) from None
        try:
            with self._room(root) as room:
                yield room
        finally:
            self._clear(root)

    def _clear(self, root: Path) -> None:
        """Remove the folder of a room with everything in it."""
        _unlock(root)
        shutil.rmtree(root, ignore_errors=True)

    @contextlib.contextmanager
    def _room(self, root: Path) -> Iterator["SandboxRoom"]:
        """The room in a folder that is still empty."""
        yield SandboxRoom(self, root)


class ProcessSandbox(Sandbox):
    """Commands as plain processes with limits.

    Each command gets a session of its own that is killed whole when the command ends, the deadline passes, or the
    process that runs it is killed; no stdin; and an environment that holds only PATH (the interpreter's folder first,
    so that ``python3`` is the environment's own), HOME and TMPDIR inside the rollout's folder, LANG, and what makes
    files reproducible: PYTHONPATH (the folder of :mod:`graphforge.agents.pinned`), SOURCE_DATE_EPOCH, PYTHONHASHSEED
    and TIME_STYLE (listings without times, so that an interrupted rollout finds the same words again in the ledger),
    and two that tame libraries: OPENBLAS_NUM_THREADS (numpy claims address space by the number of cores) and
    PYMUPDF_SUGGEST_LAYOUT_ANALYZER (PyMuPDF prints an advertisement). No key, no token, nothing is inherited.

    What it does *not* cover: there is no isolation of the file system or the network, a command that starts
    a session of its own outlives the deadline, the file size limit is per file and not for their sum, and the
    process limit does not bind root. It bounds the honest mistakes of the reference agent, whose commands are
    rendered by this package. It is not fit for commands that a model wrote.
    """


@dataclass(frozen=True)
class _Heard:
    """What a command printed (``longer``: more than is kept), and why it was stopped where it was."""

    raw: bytes
    longer: bool
    timed_out: bool = False
    stopped: str = ""


class SandboxRoom:
    """The folder of one rollout: ``workspace`` (where commands run), ``home``, ``tmp`` and ``pinned``.

    ``inputs`` and ``outputs`` are where the task's files and the deliverables lie. SandboxError where it can't be made.
    """

    # The launcher's stdin is a pipe that only we hold open: where we are killed it ends, and the command's group too.
    _guard: ClassVar[str] = "{ read -r; kill -KILL 0; } <&0 >/dev/null 2>&1 {said}>&- &"

    def __init__(self, limits: Sandbox, root: Path):
        self.limits = limits
        self.root = root
        self.workspace = root / "workspace"
        self.tmp = root / "tmp"
        self.inputs = self.workspace / "inputs"
        self.outputs = self.workspace / "outputs"
        try:
            for folder in (self.workspace, self.tmp, root / "home", root / "pinned"):
                folder.mkdir()
            source = Path(__file__).with_name("pinned") / "sitecustomize.py"
            shutil.copyfile(source, root / "pinned" / "sitecustomize.py")
        except OSError as error:
            raise _failure("The sandbox's folder could not be made", error) from None

    def own(self, path: Path) -> None:
        """Give what we made in the room to whoever runs its commands. OSError where that fails."""

    def show(self, source: Path, name: str) -> None:
        """Put an input file into ``inputs`` under a name, so that no command can reach the file that it comes from.

        Here as a copy, which shares its blocks with the original where the file system can do that. OSError where it
        fails.
        """
        clone(source, self.inputs / name)
        dress(self.inputs / name)
        self.own(self.inputs / name)

    def run(self, command: str) -> CommandResult:
        """Run a bash command in the workspace. SandboxError where the sandbox itself fails."""
        launcher = _LAUNCHER.format(limits="\n".join(self._limit_lines()), watch=self._guard)
        launch = ["bash", "--noprofile", "--norc", "-c", launcher, "bash", command]
        listen, said = os.pipe()
        try:
            with self._started([*launch, str(said)], said) as process:
                heard = self._drain(process)
            os.set_blocking(listen, False)
            try:
                begun = bool(os.read(listen, 1))
            except BlockingIOError:
                begun = False
        finally:
            os.close(listen)
        if not begun:
            words = heard.raw.decode("utf-8", errors="replace")
            raise SandboxError(
                f"The sandbox could not set its limits: {self._without_paths(words).strip()}",
                "Lower the limits in conf/sandbox, or run where bash may set them",
            )
        text = self._without_paths(heard.raw.decode("utf-8", errors="replace"))
        output, cut = _cap(text, self.limits.output_bytes)
        if remark := (f"killed: {heard.stopped}" if heard.stopped else self._remark()):
            output += f"\n[{remark}]\n"
        code = process.returncode
        exit_code = (
            TIMED_OUT if heard.timed_out else KILLED if heard.stopped else 128 - code if code < 0 else code
        )
        return CommandResult(
            exit_code=exit_code, output=output, truncated=cut or heard.longer, timed_out=heard.timed_out
        )

    @contextlib.contextmanager
    def _started(self, launch: list[str], said: int) -> Iterator[subprocess.Popen[bytes]]:
        """The launcher at work; nothing of it is left afterwards. ``said`` is its end of the pipe, closed here."""
        try:
            process = subprocess.Popen(
                launch,
                cwd=self.workspace,
                env=self.environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(said,),
            )
        except (OSError, ValueError) as error:
            raise _failure("The command could not be started", error) from None
        finally:
            os.close(said)
        try:
            yield process
        finally:
            kill_session(process)
            assert process.stdin is not None
            process.stdin.close()

    def environment(self) -> dict[str, str]:
        """The whole environment of a command."""
        path = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "PATH": os.pathsep.join(path),
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(self.root / "pinned"),
            "PYTHONHASHSEED": "0",
            "SOURCE_DATE_EPOCH": str(EPOCH_SECONDS),
            "TIME_STYLE": "+",
            "OPENBLAS_NUM_THREADS": "1",
            "PYMUPDF_SUGGEST_LAYOUT_ANALYZER": "0",
        }

    def _limit_lines(self) -> list[str]:
        """One ``ulimit`` a line: set by bash and not by a hook between fork and exec, which threads make unsafe."""
        limits = self.limits
        wanted = [
            ("c", 0, 1, resource.RLIMIT_CORE),
            ("t", limits.cpu_seconds, 1, resource.RLIMIT_CPU),
            ("v", limits.memory, 1024, resource.RLIMIT_AS),
            ("f", self._file_size(), 1024, resource.RLIMIT_FSIZE),
            ("n", limits.open_files, 1, resource.RLIMIT_NOFILE),
        ]
        if (running := self._running()) is not None:
            # One more for the watch over our own life.
            wanted.append(("u", running + limits.processes + 1, 1, resource.RLIMIT_NPROC))
        lines = []
        for flag, amount, unit, kind in wanted:
            hard = resource.getrlimit(kind)[1]
            allowed = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
            lines.append(f"ulimit -{flag} {allowed // unit} || exit 1")
        return lines

    def _file_size(self) -> int:
        """Largest file that the next command may write, in bytes."""
        return self.limits.file_size

    def _running(self) -> int | None:
        """Threads that count against the process limit before the command starts; None where nobody can tell."""
        return _tasks_of_user()

    def _fault(self) -> str:
        """Why the running command has to be stopped, or nothing. Asked again and again while it runs."""
        return ""

    def _remark(self) -> str:
        """What a command should be told beyond its output, or nothing."""
        return ""

    def _drain(self, process: subprocess.Popen[bytes]) -> _Heard:
        """Read until the command has ended, was stopped, or the deadline passed. Reading never stops before the end,
        so a full pipe blocks nobody."""
        assert process.stdout is not None
        deadline = time.monotonic() + self.limits.wall_seconds
        keep = self.limits.output_bytes * _PATH_STRETCH
        kept = bytearray()
        longer = timed_out = ended = False
        stopped = ""
        os.set_blocking(process.stdout.fileno(), False)
        with selectors.DefaultSelector() as selector, process.stdout:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                ready = selector.select(0 if ended else _TICK_SECONDS)
                chunk = os.read(process.stdout.fileno(), 65536) if ready else None
                if chunk:
                    longer = longer or len(kept) + len(chunk) > keep
                    kept += chunk[: keep - len(kept)]
                elif chunk == b"" and process.poll() is None:
                    # The command closed its output but goes on: wait without spinning.
                    time.sleep(_TICK_SECONDS)
                elif ended:
                    # What was in the pipe when the command ended is read; children it left behind are not heard.
                    break
                if not ended and process.poll() is not None:
                    ended = True
                    kill_session(process)
                elif time.monotonic() > deadline:
                    timed_out = not ended
                    break
                elif not ended and (stopped := self._fault()):
                    break
        return _Heard(bytes(kept), longer, timed_out, stopped)

    def _without_paths(self, text: str) -> str:
        """The text with the folders of the machine replaced by fixed names."""
        places = {
            str(self.root): "",
            str(Path(sys.executable).parent): "/usr/bin",
            sys.prefix: "/usr",
            sys.exec_prefix: "/usr",
            sys.base_prefix: "/usr",
            sys.base_exec_prefix: "/usr",
        }
        for place in sorted(places, key=len, reverse=True):
            text = text.replace(place, places[place])
        return text


def clone(source: Path, target: Path) -> None:
    """Copy a file's content, by reference where the file system shares blocks (Btrfs, XFS). OSError where it fails."""
    with source.open("rb") as origin, target.open("xb") as copy:
        left = os.fstat(origin.fileno()).st_size
        try:
            while left > 0 and (done := os.copy_file_range(origin.fileno(), copy.fileno(), left)):
                left -= done
        except AttributeError:
            # No Linux.
            pass
        except OSError as error:
            if error.errno not in {errno.EXDEV, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP}:
                raise
        origin.seek(os.lseek(copy.fileno(), 0, os.SEEK_CUR))
        shutil.copyfileobj(origin, copy)


def dress(path: Path) -> None:
    """Make a file read-only, and take from it what its times would tell. OSError where that isn't ours to do.

    When a file was last read says whether the stages before made use of it, and so which role it has.
    """
    status = path.stat()
    if stat.S_IMODE(status.st_mode) != 0o444:
        path.chmod(0o444)
    if (status.st_atime_ns, status.st_mtime_ns) != (EPOCH_SECONDS * 10**9, EPOCH_SECONDS * 10**9):
        os.utime(path, (EPOCH_SECONDS, EPOCH_SECONDS))


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the command's process group and reap the command."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _cap(text: str, limit: int) -> tuple[str, bool]:
    """At most ``limit`` bytes of the text, cut between characters, and whether it was cut."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text, False
    return encoded[:limit].decode("utf-8", errors="ignore") + "\n[output truncated]\n", True


def _tasks_of_user() -> int | None:
    """Threads that the user runs now, which the kernel counts against the process limit; None without /proc."""
    processes = Path("/proc")
    if not (processes / "self" / "task").is_dir():
        return None
    count = 0
    for entry in processes.iterdir():
        if not entry.name.isdigit():
            continue
        # A process may end while we look at it.
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == os.getuid():
                count += sum(1 for _ in (entry / "task").iterdir())
    return count


def _unlock(root: Path) -> None:
    """Make the folders below root writable again, so that they can be removed."""
    for folder, names, _ in os.walk(root):
        for name in names:
            path = Path(folder) / name
            if not path.is_symlink():
                with contextlib.suppress(OSError):
                    path.chmod(0o700)


def _failure(what: str, error: Exception) -> SandboxError:
    return SandboxError(
        f"{what} ({error})", "Check that bash is installed and that the temporary folder has space"
    )
