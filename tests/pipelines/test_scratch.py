"""Temporary files of a killed stage are removed by the next one, those of a stage at work are not."""

import tempfile
from pathlib import Path

import orphans
import pytest

from pipelines._scratch import scratch

CODE = """
import os, tempfile, time
from pathlib import Path
from pipelines._scratch import scratch
with scratch() as folder:
    room = Path(tempfile.mkdtemp(prefix="rollout-"))
    (room / "inputs").mkdir()
    (room / "inputs" / "a.csv").touch()
    os.symlink("/", room / "link")
    (room / "inputs").chmod(0o555)
    Path("there").touch()
    time.sleep(300)
"""


def test_what_a_killed_process_left_goes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = orphans.start(CODE, tmp_path)
    try:
        assert orphans.until((tmp_path / "there").exists, 30)
        place = tmp_path / "tmp"
        (stays,) = place.iterdir()
        assert (next(stays.glob("rollout-*")) / "inputs" / "a.csv").exists()
        (place / "graphforge-notes").mkdir()
        (place / "graphforge-file").touch()
        (place / "graphforge-link").symlink_to(stays)
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        with scratch() as folder:
            assert tempfile.gettempdir() == str(folder)
            assert stays.exists() and folder.parent == place
        assert tempfile.gettempdir() == str(place) and not folder.exists()
    finally:
        orphans.kill(process)
    with scratch():
        assert not stays.exists()
    assert {one.name for one in place.iterdir()} == {"graphforge-notes", "graphforge-file", "graphforge-link"}
