"""The first connect, alone and in a crowd."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphforge.errors import StorageError
from graphforge.tracking import connect, store_root

ROOT = Path(__file__).resolve().parents[2]


def test_six_processes_connect_to_a_cold_store(store: Path) -> None:
    """Without the lock most of them died on tables that another one was just making."""
    code = (
        "from graphforge.tracking import record_run\n"
        "with record_run('crowd', {'a': '1'}) as run: print(run.id)"
    )
    jobs = [
        subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(6)
    ]
    answers = [job.communicate(timeout=240) for job in jobs]
    assert [job.returncode for job in jobs] == [0] * 6, answers
    mlflow = connect()
    runs = mlflow.search_runs(experiment_names=["graphforge"], output_format="list")
    assert {run.info.run_id for run in runs} == {out.decode().split()[-1] for out, _ in answers}
    assert {run.info.status for run in runs} == {"FINISHED"}
    assert (store / "mlflow.db").is_file()


def test_an_explicit_uri_wins(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = store / "other"
    other.mkdir()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{other / 'mine.db'}")
    connect()
    assert (other / "mine.db").is_file()
    assert not (store / "mlflow.db").exists()


def test_a_store_that_cannot_be_opened_is_one_clear_error(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (store / "mlflow.db").write_bytes(
        b"this is no database, and long enough to be told from an empty one" * 9
    )
    with pytest.raises(StorageError, match=r"mlflow\.db can't be opened"):
        connect()


def test_the_store_follows_dvc(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store_root() == store
    monkeypatch.delenv("DVC_ROOT")
    assert store_root() == ROOT


def test_importing_tracking_does_not_import_mlflow() -> None:
    code = "import sys, graphforge.tracking; sys.exit('mlflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ, check=False).returncode == 0
