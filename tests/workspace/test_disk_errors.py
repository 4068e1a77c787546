"""An error of the disk says nothing of the file, whichever reader meets it."""

import builtins
import errno
import io
from pathlib import Path
from typing import Any

import pytest
import samples

from graphforge.workspace.parse import parse
from graphforge.workspace.unreadable import UnreadableFile

ARCHIVES = [samples.xlsx, samples.word, samples.deck]


class _Failing(io.FileIO):
    """A file whose disk fails behind its first bytes."""

    number = errno.EIO

    def readinto(self, buffer: Any) -> int:
        raise OSError(self.number, "the disk failed")

    def read(self, size: int = -1) -> bytes:
        raise OSError(self.number, "the disk failed")


@pytest.mark.parametrize("make", ARCHIVES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EACCES, errno.EMFILE])
@pytest.mark.parametrize("good", range(3))
def test_a_failing_disk_makes_no_corrupt_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Any, number: int, good: int
) -> None:
    path = make(tmp_path)
    really, opened = io.open, 0

    def fail(file: Any, *arguments: Any, **named: Any) -> Any:
        nonlocal opened
        if str(file) == str(path):
            opened += 1
            if opened > good:
                failing = _Failing(path)
                failing.number = number
                return failing
        return really(file, *arguments, **named)

    monkeypatch.setattr(io, "open", fail)
    monkeypatch.setattr(builtins, "open", fail)
    with pytest.raises(OSError, match="the disk failed"):
        parse(path)


@pytest.mark.parametrize("make", ARCHIVES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_broken_archive_still_is_one(tmp_path: Path, make: Any, share: float) -> None:
    path = make(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(UnreadableFile, match="corrupt"):
        parse(path)
