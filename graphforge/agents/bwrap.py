"""Commands that a model wrote, in namespaces of their own (bubblewrap): no network, and of the files only their own.

sandbox = BwrapSandbox(cpu_seconds=60, wall_seconds=120, ...)
sandbox.check()                       # ConfigError where it can't work here, and what to install or allow
with sandbox.open() as room:
    result = room.run("python3 analysis.py")

``docs/design/sandbox.md`` tells what holds, and what was measured.
"""

import contextlib
import errno
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from ..errors import ConfigError, SandboxError
from . import syscalls
from .sandbox import Sandbox, SandboxRoom, dress, kill_session

# User ids that nothing else uses (systemd, "Users, Groups, UIDs and GIDs": 60578 to 61183 are unused), one a rollout.
_USERS = range(60578, 61184)
# The user inside where the caller is no root: the caller itself, under this number.
_OWN = 1000
# Of /etc, what programs need and what tells nothing of the machine but what is installed on it.
_ETC = ("ld.so.cache", "alternatives", "fonts", "libreoffice", "mime.types", "magic")
_SHM_BYTES = 64 * 1024**2
# Seconds between two looks at memory, and at least between two at the files; the latter takes at most a twentieth.
_LOOK, _COUNT, _SHARE = 0.2, 1.0, 20
# How much a command that only tidies up may still add where the files are over their bound, in bytes.
_SLACK = 64 * 1024
_GONE_SECONDS = 10
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PROBE = (
    '[ "$(id -u)" != 0 ] && grep -q "^NoNewPrivs:.1$" /proc/self/status '
    '&& grep -q "^CapEff:.0*$" /proc/self/status && python3 -c "import openpyxl, pymupdf"'
)


class BwrapSandbox(Sandbox):
    """Limits, and walls around the commands of a rollout.

    Holds: namespaces for processes, network, IPC, host name and mounts; no capabilities, no way to new ones, no user
    namespaces of its own (:mod:`graphforge.agents.syscalls`); a file system of the machine's /usr, this Python with its
    packages, a few files of /etc, all read-only, and of the rollout's ``/workspace``, ``/home`` and ``/tmp``; inputs
    that can't be written. All lies at the same paths on every machine. As root, commands run under an ordinary user
    of the rollout's own; as an ordinary user, under that user in a user namespace. Whatever a command started is gone
    when it ends or the deadline passes.

    Holds by looking again and again: ``memory_together`` five times a second, ``workspace_bytes`` once a second and
    before each command. In between, many processes or many files may go over them. A command that grows past
    ``workspace_bytes`` is killed, and while the files are above it the next ones may delete but not write.

    Does *not* hold: the number of files, the load on processor and disk within the limits, and secrecy of what the
    kernel tells every user (its version, the processors, where the folders lie on the disk). A fault of the kernel is
    a way out: a virtual machine holds more than this.

    Args:
        memory_together: resident memory of all processes of a command, in bytes.
        workspace_bytes: space of all files that a rollout wrote (workspace, home and /tmp), in bytes.
        processes: of root, all of a rollout; of an ordinary user, what is added to those the user runs.
    """

    isolates: ClassVar[bool] = True

    memory_together: int = Field(ge=64 * 1024**2)
    workspace_bytes: int = Field(ge=1024**2)

    def check(self) -> None:
        """Run a command. ConfigError where bubblewrap is missing or may not make namespaces here."""
        for program, package in (("bwrap", "bubblewrap"), ("setpriv", "util-linux")):
            if shutil.which(program) is None:
                raise ConfigError(
                    f"The sandbox bwrap needs {program}, which is not installed",
                    f"Install it (Debian, Ubuntu: apt-get install {package}), or choose another sandbox",
                )
        if syscalls.program() is None:
            raise ConfigError(
                "The sandbox bwrap knows the system calls of x86_64 and aarch64 only, and this machine is neither",
                "Choose another machine or another sandbox",
            )
        try:
            with self.open() as room:
                result = room.run(_PROBE)
        except SandboxError as error:
            raise ConfigError(
                f"The sandbox bwrap does not work here: {error.what}",
                "Allow user namespaces (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, "
                "kernel.apparmor_restrict_unprivileged_userns); in a container also mounts (CAP_SYS_ADMIN), or choose "
                "another sandbox",
            ) from None
        if result.exit_code != 0:
            said = " ".join(result.output.split()) or "its walls don't stand"
            raise ConfigError(
                f"The sandbox bwrap does not work here: {said}",
                "Install GraphForge with its dependencies into this Python, raise the limits in conf/sandbox, or "
                "choose another sandbox",
            )

    @contextlib.contextmanager
    def _room(self, root: Path) -> Iterator["BwrapRoom"]:
        if os.geteuid() != 0:
            yield BwrapRoom(self, root, None)
            return
        with _own_user() as user:
            yield BwrapRoom(self, root, user)

    def _clear(self, root: Path) -> None:
        # By programs that take any depth and follow no link.
        subprocess.run(["rm", "-rf", "--", root], stderr=subprocess.DEVNULL, check=False)
        if root.exists():
            subprocess.run(["chmod", "-R", "u+rwX", "--", root], stderr=subprocess.DEVNULL, check=False)
            subprocess.run(["rm", "-rf", "--", root], stderr=subprocess.DEVNULL, check=False)


class BwrapRoom(SandboxRoom):
    """The folder of one rollout. ``user`` runs its commands; None: whoever we are."""

    limits: BwrapSandbox

    # Bubblewrap dies with us, and the namespace with bubblewrap.
    _guard: ClassVar[str] = ":"

    def __init__(self, limits: BwrapSandbox, root: Path, user: int | None):
        super().__init__(limits, root)
        # Not where a command could put a link in its place: what lies here is mounted over the workspace's folder.
        self.inputs = root / "inputs"
        self._shown: dict[str, Path] = {}
        self._user = user
        self._used = self._bound = 0
        self._looked = self._counted = self._cost = 0.0
        self._first: int | None = None
        number = _OWN if user is None else user
        files = {
            "passwd": "root:x:0:0::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n"
            f"agent:x:{number}:{number}::/home:/bin/bash\n",
            "group": f"root:x:0:\nagent:x:{number}:\nnobody:x:65534:\n",
            "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
            "hosts": "127.0.0.1 localhost\n",
            "pyvenv.cfg": f"home = /opt/python/bin\ninclude-system-site-packages = {_takes_system_packages()}\n",
        }
        try:
            for folder in (self.inputs, self.workspace / "inputs", root / "etc"):
                folder.mkdir()
                folder.chmod(0o755)
            for name, text in files.items():
                (root / "etc" / name).write_text(text, encoding="utf-8")
                (root / "etc" / name).chmod(0o644)
            (root / "pinned").chmod(0o755)
            (root / "pinned" / "sitecustomize.py").chmod(0o644)
            for folder in (self.workspace, self.tmp, root / "home"):
                self.own(folder)
        except OSError as error:
            raise SandboxError(
                f"The sandbox's folder could not be made ({error})",
                "Check that the temporary folder has space",
            ) from None

    def own(self, path: Path) -> None:
        if self._user is not None:
            os.chown(path, self._user, self._user, follow_symlinks=False)

    def show(self, source: Path, name: str) -> None:
        """Mount the file itself, read-only, over an empty one of that name: no copy, and nothing to write through.

        Where its times or its mode are not ours to set, as in another user's store, a copy is shown.
        """
        try:
            dress(source)
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.EACCES, errno.EROFS}:
                raise
            super().show(source, name)
            return
        place = self.inputs / name
        place.touch(exist_ok=False)
        dress(place)
        self._shown[name] = source.resolve()

    def environment(self) -> dict[str, str]:
        places = {
            "PATH": os.pathsep.join([_python_folder(), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": "/home",
            "TMPDIR": "/tmp",
            "PYTHONPATH": "/pinned",
        }
        if sysconfig.get_config_var("Py_ENABLE_SHARED") and not sys.base_prefix.startswith("/usr"):
            places["LD_LIBRARY_PATH"] = "/opt/python/lib"
        return super().environment() | places

    @contextlib.contextmanager
    def _started(self, launch: list[str], said: int) -> Iterator[subprocess.Popen[bytes]]:
        with contextlib.ExitStack() as ours:
            ours.callback(os.close, said)
            try:
                listen, tell = os.pipe()
                heard = ours.enter_context(os.fdopen(listen, "rb"))
                with contextlib.ExitStack() as theirs:
                    theirs.callback(os.close, tell)
                    rules = theirs.enter_context(_handed(syscalls.program() or b""))
                    options = ["--info-fd", str(tell), "--seccomp", str(rules), *self._walls()]
                    # Through a file: the command line of the first process can be read inside.
                    given = theirs.enter_context(_handed("\0".join(options).encode() + b"\0"))
                    process = subprocess.Popen(
                        ["bwrap", "--args", str(given), "--", *self._dropped(), *launch],
                        executable=shutil.which("bwrap") or "bwrap",
                        cwd="/",
                        env=self.environment(),
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                        pass_fds=(said, tell, rules, given),
                    )
            except (OSError, ValueError) as error:
                raise SandboxError(
                    f"The command could not be started ({error})", "Check that bubblewrap is installed"
                ) from None
            try:
                watched = self._watch(heard.read())
            except BaseException:
                kill_session(process)
                raise
        try:
            yield process
        finally:
            kill_session(process)
            self._first = None
            if watched is not None:
                _await_end(watched)

    def _watch(self, about: bytes) -> int | None:
        """A handle on the first process of the namespace, of which bubblewrap tells; None where there is none."""
        self._looked = time.monotonic()
        try:
            self._first = int(json.loads(about)["child-pid"])
        except (ValueError, KeyError):
            # It said nothing, or not all: it has failed, and its words tell why.
            return None
        try:
            return os.pidfd_open(self._first)
        except ProcessLookupError:
            return None
        except OSError as error:
            raise SandboxError(
                f"The command can't be watched ({error})", "Use Linux 5.3 or newer, or choose another sandbox"
            ) from None

    def _walls(self) -> list[str]:
        """What bubblewrap is told to shut off, and to show."""
        root = self.root
        options = (
            "--die-with-parent --new-session --unshare-ipc --unshare-pid --unshare-net --unshare-uts".split()
        )
        options += ["--unshare-cgroup-try", "--hostname", "sandbox", "--cap-drop", "ALL"]
        if self._user is None:
            options += ["--unshare-user", "--uid", str(_OWN), "--gid", str(_OWN)]
        else:
            # For what drops to the ordinary user, and drops these too.
            for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
                options += ["--cap-add", capability]
        options += ["--ro-bind", "/usr", "/usr"]
        for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
            place = Path("/") / name
            if place.is_symlink():
                options += ["--symlink", os.readlink(place), str(place)]
            elif place.is_dir():
                options += ["--ro-bind", str(place), str(place)]
        for folder in ("/etc", "/opt", "/venv", "/venv/bin", "/venv/lib"):
            options += ["--perms", "0755", "--dir", folder]
        for name in _ETC:
            options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        for name in ("passwd", "group", "nsswitch.conf", "hosts"):
            options += ["--ro-bind", str(root / "etc" / name), f"/etc/{name}"]
        options += self._python()
        options += ["--proc", "/proc", "--dev", "/dev"]
        options += [
            "--size",
            str(_SHM_BYTES),
            "--perms",
            "1777",
            "--tmpfs",
            "/dev/shm",
            "--remount-ro",
            "/dev",
        ]
        for place in (self.workspace, self.tmp, root / "home"):
            options += ["--bind", str(place), f"/{place.name}"]
        options += ["--ro-bind", str(self.inputs), "/workspace/inputs"]
        for name, source in self._shown.items():
            options += ["--ro-bind", str(source), f"/workspace/inputs/{name}"]
        options += ["--ro-bind", str(root / "pinned"), "/pinned"]
        return [*options, "--remount-ro", "/", "--chdir", "/workspace"]

    def _python(self) -> list[str]:
        """This Python below /opt/python; where it is a virtual environment, its packages below /venv."""
        base, program = Path(sys.base_prefix).resolve(), _program()
        if not program.is_relative_to(base):
            raise SandboxError(
                "This Python's program does not lie in its own folder, so it can't be shown in the sandbox",
                "Run GraphForge with another Python",
            )
        options = ["--ro-bind", str(base), "/opt/python"]
        if sys.prefix == sys.base_prefix:
            return options
        options += ["--ro-bind", str(self.root / "etc" / "pyvenv.cfg"), "/venv/pyvenv.cfg"]
        for name in ("python", "python3"):
            options += ["--symlink", f"/opt/python/{program.relative_to(base)}", f"/venv/bin/{name}"]
        for kind in ("purelib", "platlib"):
            place = Path(sysconfig.get_path(kind))
            inside = Path("/venv") / place.relative_to(sys.prefix)
            for folder in reversed(inside.parents[:-2]):
                options += ["--perms", "0755", "--dir", str(folder)]
            # Mostly one and the same folder; the second mount then changes nothing.
            options += ["--ro-bind", str(place), str(inside)]
        return options

    def _dropped(self) -> list[str]:
        """The command that becomes the rollout's user, without any way back."""
        if self._user is None:
            return []
        user = str(self._user)
        return [
            *("/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"),
            *("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"),
        ]

    def _without_paths(self, text: str) -> str:
        # Nothing to replace: what a command can see bears the same name everywhere.
        return text

    def _running(self) -> int | None:
        return super()._running() if self._user is None else 0

    def _file_size(self) -> int:
        self._bound = max(self.limits.workspace_bytes, self._used + _SLACK)
        return max(0, min(self.limits.file_size, self.limits.workspace_bytes - self._used))

    def _remark(self) -> str:
        self._count()
        return (
            f"{self._over()}: delete some, nothing more can be written"
            if self._used > self.limits.workspace_bytes
            else ""
        )

    def _over(self) -> str:
        return f"your files take more than {self.limits.workspace_bytes:,} bytes, or lie where they can't be counted"

    def _fault(self) -> str:
        now = time.monotonic()
        if now - self._looked < _LOOK or self._first is None:
            return ""
        self._looked = now
        if _resident(self._first) > self.limits.memory_together:
            return f"its processes took more than {self.limits.memory_together:,} bytes of memory"
        if now - self._counted > max(_COUNT, _SHARE * self._cost):
            self._count()
            if self._used > self._bound:
                return self._over()
        return ""

    def _count(self) -> None:
        """How much the rollout's files take, by a program that follows no link and takes any depth."""
        began = time.monotonic()
        places = [self.workspace, self.tmp, self.root / "home"]
        try:
            told = subprocess.run(
                ["du", "-s", "-x", "--block-size=1", "--", *places],
                env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise SandboxError(
                f"The files could not be counted ({error})", "Check that du is installed"
            ) from None
        self._counted = time.monotonic()
        self._cost = self._counted - began
        self._used = sum(int(line.split(b"\t")[0]) for line in told.stdout.splitlines())
        if b"Permission denied" in told.stderr:
            # A folder that is locked against us, who are no root here: what can't be counted counts as too much.
            self._used = max(self._used, self.limits.workspace_bytes + 1)


@contextlib.contextmanager
def _own_user() -> Iterator[int]:
    """A user id that no other rollout on this machine has now. The kernel takes the mark back when we end or die."""
    for user in _USERS:
        with socket.socket(socket.AF_UNIX) as mark:
            try:
                mark.bind(f"\0graphforge-user-{user}")
            except OSError:
                continue
            yield user
            return
    raise SandboxError(f"All {len(_USERS)} users for rollouts are taken", "Lower agent.at_once")


@contextlib.contextmanager
def _handed(content: bytes) -> Iterator[int]:
    """A file without a name, to be read from its beginning."""
    handle = os.memfd_create("graphforge")
    try:
        os.write(handle, content)
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


def _await_end(handle: int) -> None:
    """Kill the first process of a namespace, with which all others die, and wait until they are gone."""
    try:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        if not select.select([handle], [], [], _GONE_SECONDS)[0]:
            raise SandboxError(
                f"Processes of a command still ran {_GONE_SECONDS} s after they were killed",
                "Check the machine's disks",
            )
    finally:
        os.close(handle)


def _resident(first: int) -> int:
    """Bytes of memory that a process and all that descend from it hold now; shared ones count for each."""
    parents: dict[int, list[int]] = {}
    pages: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        # A process may end while we look at it.
        with contextlib.suppress(OSError):
            fields = Path("/proc", entry, "stat").read_text(errors="replace").rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(entry))
            pages[int(entry)] = int(fields[21])
    held, waiting = 0, [first]
    while waiting:
        process = waiting.pop()
        held += pages.get(process, 0)
        waiting += parents.get(process, [])
    return held * _PAGE


def _program() -> Path:
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def _python_folder() -> str:
    if sys.prefix != sys.base_prefix:
        return "/venv/bin"
    return f"/opt/python/{_program().parent.relative_to(Path(sys.base_prefix).resolve())}"


def _takes_system_packages() -> str:
    """Whether this virtual environment sees the packages of its base too, as its configuration says."""
    try:
        lines = (Path(sys.prefix) / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "false"
    settings = {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}
    return settings.get("include-system-site-packages", "false")
