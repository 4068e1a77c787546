"""Names of files inside a workspace: safe anywhere, and no two alike."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

# What Windows or a shell would trip over, and control characters. Letters of any script may stay.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
_LONGEST = 120


def safe_name(name: str) -> str:
    """A file name that any file system takes: no separators, no control characters, at most 120 characters.

    The extension is kept. Never empty, never ``.`` or ``..``, never hidden.
    """
    folded = unicodedata.normalize("NFC", name)
    folded = "".join(character for character in folded if unicodedata.category(character)[0] != "C")
    folded = _UNSAFE.sub("_", folded).strip(" .")
    if not folded:
        return "file"
    if _RESERVED.match(folded):
        folded = f"_{folded}"
    if len(folded.encode()) <= _LONGEST:
        return folded
    stem, dot, extension = folded.rpartition(".")
    if not dot or len(extension) > 10:
        stem, dot, extension = folded, "", ""
    room = _LONGEST - len((dot + extension).encode())
    return stem.encode()[:room].decode(errors="ignore").rstrip(" .") + dot + extension


def distinct_names(paths: Sequence[str]) -> list[str]:
    """A name for every path (relative, distinct), in order: its own, or with its folders put before it.

    Names that differ only in case clash too. The first file to ask for a name gets it.
    """
    taken: set[str] = set()
    names: list[str] = []
    for path in paths:
        parts = PurePosixPath(path).parts
        choices = [safe_name(" ".join(parts[-depth:])) for depth in range(1, len(parts) + 1)]
        name = next((choice for choice in choices if choice.casefold() not in taken), None)
        number = 2
        while name is None:
            stem, dot, extension = choices[0].rpartition(".")
            candidate = safe_name(f"{stem or extension} ({number}){dot}{extension if stem else ''}")
            name = candidate if candidate.casefold() not in taken else None
            number += 1
        taken.add(name.casefold())
        names.append(name)
    return names
