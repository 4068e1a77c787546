"""A program that is killed in the middle of its work, and what is left of it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def start(code: str, folder: Path) -> subprocess.Popen[bytes]:
    """Python code at work in a folder, with its temporary files in ``folder/tmp`` and ours to import."""
    (folder / "tmp").mkdir(exist_ok=True)
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'agents'}",
        "TMPDIR": str(folder / "tmp"),
    }
    return subprocess.Popen([sys.executable, "-c", code], cwd=folder, env=environment)


def kill(process: subprocess.Popen[bytes]) -> None:
    """It alone, and not its children."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def until(holds: Callable[[], object], seconds: float) -> bool:
    """Whether it holds within so many seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def below(parent: int) -> list[int]:
    """The process ids of all children and children's children."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [parent]
    for one in found:
        found += children.get(one, [])
    return found[1:]


def alive(process: int) -> bool:
    """Whether it still runs; one that is dead and not reaped doesn't."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except OSError:
        return False
