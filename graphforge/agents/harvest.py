"""Takes the promised deliverables out of a rollout's folder, and nothing else."""

import hashlib
import os
import stat
from pathlib import Path

from ..records import Artifact, PublicTask, write_bytes


def harvest(folder: Path, task: PublicTask, keep: Path, limit: int) -> tuple[tuple[Artifact, ...], list[str]]:
    """Store each promised file by its hash in ``keep``; returns the records and what was left out and why.

    Only plain files directly in ``folder`` under a promised name count. No link is followed, neither the
    folder's nor a file's: a link could point at any file of the machine. StorageError where ``keep`` can't be written.
    """
    artifacts, left_out = [], []
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return (), ["there is no folder outputs"]
    try:
        for deliverable in task.deliverables:
            content = read_plain(deliverable.file, opened, limit)
            if isinstance(content, str):
                left_out.append(f"{deliverable.file} {content}")
                continue
            sha256 = hashlib.sha256(content).hexdigest()
            if not (keep / sha256).exists():
                write_bytes(keep / sha256, content)
            artifacts.append(Artifact(name=deliverable.file, sha256=sha256, bytes=len(content)))
    finally:
        os.close(opened)
    return tuple(artifacts), left_out


def read_plain(name: str, folder: int, limit: int) -> bytes | str:
    """The content of a plain file in an opened folder, or why it is left out. No link is followed."""
    try:
        # O_NONBLOCK: opening a pipe must not wait for someone who writes to it.
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return "was not written"
    except OSError:
        return "is no plain file"
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return "is no plain file"
        if status.st_size > limit:
            return f"is larger than {limit:,} bytes"
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(limit + 1)
        # It may grow while it is read.
        return content if len(content) <= limit else f"is larger than {limit:,} bytes"
    finally:
        os.close(handle)
