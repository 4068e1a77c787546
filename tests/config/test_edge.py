"""At the edge: a wrong override is one line and exit code 2, never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipelines import _edge

ROOT = Path(__file__).resolve().parents[2]


def stage(name: str, *overrides: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"pipelines.{name}", *overrides]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("overrides", "parts"),
    [
        (
            ["balance=nope"],
            ["balance=nope", "equal_quota", "frequency", "marginal_coverage", "random", "sector_round_robin"],
        ),
        (["balanc=random"], ["balanc is no known key", "balance"]),
        (["seeds.counts=3"], ["seeds.counts is no known key", "seeds.count", "seeds.demand_cap"]),
        (["seeds.count=-1"], ["seeds.count", "given -1", "greater than or equal to 1"]),
        (["experiment=nope"], ["experiment=nope", "real", "smoke"]),
        (["seeds.count="], ["seeds.count"]),
        (["-cn", "frozen", "judge=random"], ["-cn frozen", "dvc exp run -S"]),
        (["seed=1,2"], ["seed=1,2", "--multirun"]),
        (["retrieval=nope"], ["retrieval=nope", "all", "bm25", "embeddings"]),
        (
            ["retrieval=bm25", "+retrieval.passages=no/such"],
            ["retrieval.passages: no/such does not exist", "Set retrieval.passages"],
        ),
        (["retrieval=bm25", "retrieval.passages=x"], ["retrieval.passages", "+retrieval.passages="]),
        (["]["], ["]["]),
    ],
)
def test_a_bad_override_is_one_line(overrides: list[str], parts: list[str], tmp_path: Path) -> None:
    done = stage("seeds", *overrides, f"hydra.run.dir={tmp_path}")
    assert done.returncode == 2
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("graphforge: ")
    for part in parts:
        assert part in lines[0]
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_missing_input_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    done = stage("rebalance", f"hydra.run.dir={tmp_path / 'out'}", f"data={tmp_path / 'data'}")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "workspaces.jsonl does not exist" in done.stderr


def test_an_unexpected_exception_keeps_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def main() -> None:
        raise KeyError("a fault of ours")

    with pytest.raises(KeyError):
        _edge.one_line(main)


def test_a_full_disk_that_python_reports_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def main() -> None:
        raise OSError(28, "No space left on device", "data/seeds")

    with pytest.raises(SystemExit) as left:
        _edge.one_line(main)
    assert left.value.code == 2
    error = capsys.readouterr().err
    assert "The disk is full: data/seeds" in error
    assert len(error.splitlines()) == 1
