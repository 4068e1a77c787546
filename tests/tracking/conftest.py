"""A store of its own for every test that opens one."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that holds the database; mlflow forgets it afterwards."""
    for name in (
        "MLFLOW_TRACKING_URI",
        "GRAPHFORGE_PARENT_RUN",
        "DVC_STAGE",
        "DVC_EXP_NAME",
        "DVC_EXP_BASELINE_REV",
    ):
        # Set first: so monkeypatch knows the state before the test, and takes back what the test's subject sets.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    yield tmp_path
    import mlflow

    mlflow.set_tracking_uri(None)
