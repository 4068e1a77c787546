"""The files of the workspaces on disk: once each by content, with what was read from them."""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import InputError, RecordError
from ..records import Document, Workspace, explain, storage_error, write_bytes
from .library import Library


def store(
    library: Library,
    workspaces: Sequence[Workspace],
    folder: Path,
    track: Callable[[Iterable[Any], str, int], Iterable[Any]] | None = None,
) -> list[str]:
    """Write ``files/<sha256>`` and ``documents/<sha256>.json`` for every file that a workspace uses.

    Returns the hashes, sorted. A file that is there already is left alone: its name is its content.
    StorageError where the disk refuses; InputError where a file of the library changed since it was read.
    """
    wanted = sorted({file.sha256 for workspace in workspaces for file in workspace.files})
    for sha256 in track(wanted, "storing files", len(wanted)) if track else wanted:
        target = folder / "files" / sha256
        if not target.exists():
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
    """The stored bytes of a hash. InputError where there are none."""
    path = folder / "files" / sha256
    if not path.is_file():
        raise InputError(f"{path} does not exist", "Run the workspaces stage first")
    return path


def materialize(folder: Path, workspace: Workspace, target: Path) -> dict[str, Path]:
    """Lay out a workspace's files by name under ``target``, read-only; returns the path of every name.

    Copies, never links: a link shares its bytes and its permissions with the store, so a working agent that makes
    its input writable and edits it would edit everybody's.
    """
    paths: dict[str, Path] = {}
    for file in workspace.files:
        origin = stored_file(folder, file.sha256)
        path = target / file.name
        try:
            target.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            shutil.copyfile(origin, path)
            os.chmod(path, stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
        except OSError as error:
            raise storage_error(path, error) from None
        paths[file.name] = path
    return paths
