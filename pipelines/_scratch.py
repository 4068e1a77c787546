"""Temporary files of a stage in one folder: one that is killed can't remove them, so the next stage does."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "graphforge-"
_LOCK = "lock"


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that ``tempfile`` uses meanwhile, removed at the end, as are those whose process is gone.

    A folder is in use as long as its lock is held, which the system lets go however a process ends.
    """
    earlier = tempfile.tempdir
    place = Path(tempfile.gettempdir())
    _sweep(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    with (folder / "new").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        # Only now does it count: nobody sees a lock that isn't held yet.
        os.rename(folder / "new", folder / _LOCK)
        tempfile.tempdir = str(folder)
        try:
            yield folder
        finally:
            tempfile.tempdir = earlier
            _remove(folder)


def _sweep(place: Path) -> None:
    """Remove the folders of processes that are gone."""
    for folder in place.glob(f"{_PREFIX}*"):
        # Another user's, one that is removed at this moment, one that is no folder of ours: none of our business.
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            with (folder / _LOCK).open("r") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(folder)


def _remove(folder: Path) -> None:
    """With what the commands of an agent have made read-only."""
    for root, names, _ in os.walk(folder):
        for name in names:
            if not (path := Path(root) / name).is_symlink():
                with contextlib.suppress(OSError):
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
