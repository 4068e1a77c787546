"""The files of the workspaces on disk: once each by content, with what was read from them."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import InputError, RecordError
from ..records import EPOCH_SECONDS, Document, Workspace, explain, storage_error, write_bytes
from .catalogue import state
from .library import Library


def store(
    library: Library,
    workspaces: Sequence[Workspace],
    folder: Path,
    track: Callable[[Iterable[Any], str, int], Iterable[Any]] | None = None,
) -> list[str]:
    """Write ``files/<sha256>`` and ``documents/<sha256>.json`` for every file that a workspace uses.

    Returns the hashes, sorted. The files are read-only, and one that is there already with the right bytes is left
    alone. Agents are shown these very files (:mod:`graphforge.agents.layout`); nothing that they do reaches them.
    StorageError where the disk refuses; InputError where a file of the library changed since it was read.
    """
    wanted = sorted({file.sha256 for workspace in workspaces for file in workspace.files})
    for sha256 in track(wanted, "storing files", len(wanted)) if track else wanted:
        target = folder / "files" / sha256
        if not target.is_file() or _hash(target) != sha256:
            origin = library.locate(sha256)
            try:
                content = origin.read_bytes()
            except OSError as error:
                raise InputError(
                    f"{origin} can't be read any more ({error.strerror})", "Run the stage again"
                ) from None
            if hashlib.sha256(content).hexdigest() != sha256:
                raise InputError(f"{origin} changed while the library was in use", "Run the stage again")
            write_bytes(target, content)
        _protect(target)
        write_bytes(
            folder / "documents" / f"{sha256}.json", library.documents[sha256].line().encode() + b"\n"
        )
    return wanted


def load_document(folder: Path, sha256: str) -> Document:
    """A stored document. InputError where the folder has none of that hash; RecordError where it doesn't validate."""
    path = folder / "documents" / f"{sha256}.json"
    try:
        return Document.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{path} does not exist", "Run the workspaces stage first") from None
    except ValidationError as error:
        raise RecordError(
            f"{path} is no valid Document: {explain(error)}", "Run the workspaces stage again"
        ) from None


def stored_file(folder: Path, sha256: str) -> Path:
    """The stored bytes of a hash, looked at once more. InputError where there are none, or others."""
    path = folder / "files" / sha256
    try:
        if _seen(path, state(path)) == sha256:
            return path
    except FileNotFoundError:
        raise InputError(f"{path} does not exist", "Run the workspaces stage first") from None
    except OSError as error:
        raise InputError(
            f"{path} can't be read ({error.strerror})", "Run the workspaces stage again"
        ) from None
    raise InputError(
        f"{path} holds other bytes than its name says: somebody changed it", "Run the workspaces stage again"
    )


def _protect(path: Path) -> None:
    """Read-only, and of an instant that tells nothing."""
    try:
        os.utime(path, (EPOCH_SECONDS, EPOCH_SECONDS))
        path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    except OSError as error:
        raise storage_error(path, error) from None


@lru_cache(maxsize=100_000)
def _seen(path: Path, state_of: str) -> str:
    """The hash of a file in a state: a stage asks for the same one many times."""
    return _hash(path)


def _hash(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
