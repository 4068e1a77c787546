"""JSONL files of records: read line by line, written whole or not at all."""

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from ..errors import InputError, RecordError, StorageError
from .base import Record

R = TypeVar("R", bound=Record)


def explain(error: ValidationError) -> str:
    """A validation error as one line: where, what was given, what is allowed."""
    parts = []
    for issue in error.errors(include_url=False):
        where = ".".join(str(step) for step in issue["loc"]) or "record"
        given = repr(issue.get("input"))
        given = given if len(given) <= 60 else given[:57] + "..."
        parts.append(f"{where}: {issue['msg']} (given {given})")
    return "; ".join(parts[:3]) + (f"; and {len(parts) - 3} more" if len(parts) > 3 else "")


def read_jsonl(path: Path, model: type[R]) -> Iterator[R]:
    """The records of a file, in order. RecordError names the file and the line of the first bad one."""
    try:
        handle = path.open(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist", "Run the stage that writes it first, or check the path"
        ) from None
    with handle:
        for number, line in enumerate(handle, start=1):
            try:
                yield model.model_validate_json(line)
            except ValidationError as error:
                raise RecordError(
                    f"{path} line {number} is no valid {model.__name__}: {explain(error)}",
                    "Run the stage that writes this file again",
                ) from None


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically: it appears whole under its name, or not at all (StorageError)."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(partial, path)
    except OSError as error:
        try:
            partial.unlink(missing_ok=True)
        except OSError:
            pass
        raise storage_error(path, error) from None


def write_jsonl(path: Path, records: Iterable[Record]) -> int:
    """Write records a line each, atomically, streaming; returns how many were written."""
    partial = path.with_name(f".{path.name}.partial")
    count = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("w", encoding="utf-8", newline="\n") as handle:
            for record in records:
                handle.write(record.line() + "\n")
                count += 1
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(partial, path)
    except OSError as error:
        try:
            partial.unlink(missing_ok=True)
        except OSError:
            pass
        raise storage_error(path, error) from None
    return count


def storage_error(path: Path, error: OSError) -> StorageError:
    """What went wrong with a write, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageError(f"The disk is full: {path} could not be written", "Free some space and run again")
    return StorageError(
        f"{path} could not be written ({error.strerror})", "Check the folder and its permissions"
    )
