"""The manifest of a library: who published each file, under which licence, about what."""

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from ..errors import InputError
from ..records import Source

MANIFEST = "manifest.jsonl"
UNKNOWN = "unknown"


def read_manifest(root: Path) -> dict[str, Mapping[str, Any]] | None:
    """The lines of ``manifest.jsonl`` by path relative to ``root``, or None where there is no manifest.

    Paths may begin with the folder's own name, as a manifest made from outside writes them.
    InputError names the line that is no JSON object, has no path, or whose path leaves the folder.
    """
    path = root / MANIFEST
    if not path.is_file() or path.is_symlink():
        return None
    entries: dict[str, Mapping[str, Any]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(
            f"{path} can't be read ({error})", "Write the manifest as UTF-8, a JSON object a line"
        ) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{path} line {number} is no JSON ({error.msg})", "Mend or delete the line"
            ) from None
        if not isinstance(entry, dict) or not isinstance(entry.get("path"), str) or not entry["path"]:
            raise InputError(f"{path} line {number} has no path", 'Give it a "path" relative to the folder')
        parts = PurePosixPath(entry["path"]).parts
        if parts[0] == "/" or ".." in parts:
            raise InputError(
                f"{path} line {number}: {entry['path']} leaves the folder", "Use paths inside the folder"
            )
        if parts[0] == root.name and len(parts) > 1 and not (root / PurePosixPath(*parts)).exists():
            parts = parts[1:]
        entries[str(PurePosixPath(*parts))] = entry
    return entries


def source_of(relative: str, entry: Mapping[str, Any] | None, title: str) -> Source:
    """Where a file comes from: by its manifest line, or as much as its folder tells.

    ``title`` is the parsed document's, used where the manifest has none.
    """
    entry = entry or {}
    parent = PurePosixPath(relative).parent.name
    return Source(
        publisher=_text(entry, "publisher") or UNKNOWN,
        title=_text(entry, "title") or title or PurePosixPath(relative).stem,
        url=_address(entry) or _repository_url(entry),
        period=_text(entry, "period"),
        date=_text(entry, "date"),
        licence=licence_of(entry),
        topic=_text(entry, "topic") or parent or UNKNOWN,
    )


def licence_of(entry: Mapping[str, Any]) -> str:
    """The licence that a manifest line names, ``unknown`` where it names none."""
    return _text(entry, "licence", "license") or UNKNOWN


def _text(entry: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = entry.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return " ".join(str(value).split())
    return None


def _address(entry: Mapping[str, Any]) -> str | None:
    values = (_text(entry, name) for name in ("url", "original_url", "source"))
    return next((value for value in values if value and re.match(r"(?:https?|ftp)://", value)), None)


def _repository_url(entry: Mapping[str, Any]) -> str | None:
    repository, commit, path = (
        _text(entry, name) for name in ("source_repo", "source_commit", "source_path")
    )
    if not repository:
        return None
    address = repository if re.match(r"https?://", repository) else f"https://{repository}"
    return f"{address}/blob/{commit}/{quote(path)}" if commit and path else address
