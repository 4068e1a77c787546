"""The hashes that DVC writes into ``dvc.lock``, so that a run's inputs and the lock join."""

import hashlib
import json
from pathlib import Path

from ..errors import InputError

_CHUNK = 1 << 20


def _file_md5(path: Path) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    with path.open("rb") as handle:
        while chunk := handle.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def dvc_md5(path: Path) -> str:
    """DVC's hash of a file (32 hex digits) or of a folder (32 hex digits and ``.dir``).

    A folder's hash is the md5 of the JSON list of its files' hashes and relative paths, in the order of the paths.
    InputError where the path does not exist.
    """
    if path.is_file():
        return _file_md5(path)
    if not path.is_dir():
        raise InputError(f"{path} does not exist", "Run the stage that writes it first, or check the path")
    files = {file.relative_to(path).as_posix(): file for file in path.rglob("*") if file.is_file()}
    listing = [{"md5": _file_md5(files[name]), "relpath": name} for name in sorted(files)]
    text = json.dumps(listing, sort_keys=True)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest() + ".dir"
