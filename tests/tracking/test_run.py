"""What one MLflow run holds."""

import hashlib
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from graphforge.tracking import PARENT_RUN, SweepRun, connect, record_run


def test_a_run_holds_parameters_metrics_tags_and_inputs(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DVC_STAGE", "seeds")
    monkeypatch.setenv("DVC_EXP_NAME", "odd-name")
    path = store / "seeds.jsonl"
    path.write_text("{}\n")
    with record_run("seeds", {"balance.seed": "0"}, "seeds balance=random") as run:
        run.input(path)
        run.metrics({"inputs": 3, "rejected.no_dwa": 1})
    kept = connect().get_run(run.id)
    assert kept.info.status == "FINISHED"
    assert kept.info.run_name == "seeds balance=random"
    assert kept.data.params == {"balance.seed": "0"}
    assert kept.data.metrics == {"inputs": 3.0, "rejected.no_dwa": 1.0}
    assert kept.data.tags["stage"] == "seeds"
    assert kept.data.tags["DVC_STAGE"] == "seeds"
    assert kept.data.tags["DVC_EXP_NAME"] == "odd-name"
    assert "DVC_EXP_BASELINE_REV" not in kept.data.tags
    (dataset,) = kept.inputs.dataset_inputs
    assert dataset.dataset.digest == hashlib.md5(b"{}\n").hexdigest()
    assert dataset.dataset.name == path.as_posix()


def test_a_run_that_raises_is_failed(store: Path) -> None:
    with pytest.raises(ValueError, match="broken"), record_run("seeds", {}) as run:
        raise ValueError("broken")
    assert connect().get_run(run.id).info.status == "FAILED"


def sweep(name: str) -> tuple[SweepRun, object]:
    config = OmegaConf.create(
        {"hydra": {"job": {"name": name}, "overrides": {"task": ["judge=anchored,random"]}}}
    )
    return SweepRun(), config


def test_the_runs_of_a_sweep_are_nested_below_it(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    callback, config = sweep("calibrate")
    callback.on_multirun_start(config)
    monkeypatch.setenv(PARENT_RUN, callback._run or "")
    with record_run("calibrate", {}) as one:
        pass
    parent = callback._run
    callback.on_multirun_end(config)
    mlflow = connect()
    assert mlflow.get_run(one.id).data.tags["mlflow.parentRunId"] == parent
    assert mlflow.get_run(parent).info.status == "FINISHED"
    assert mlflow.get_run(parent).data.tags["sweep"] == "judge=anchored,random"


def test_a_sweep_that_breaks_is_failed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    callback, config = sweep("calibrate")
    callback.on_multirun_start(config)
    parent = callback._run
    callback._end("FAILED")  # what runs at exit where Hydra never came to on_multirun_end
    callback._end("FINISHED")
    assert connect().get_run(parent).info.status == "FAILED"


def test_a_run_holds_tables_and_figures(store: Path) -> None:
    from matplotlib.figure import Figure

    with record_run("seeds", {}) as run:
        run.table("coverage", {"dimension": ["sector", "pattern"], "selected": [2, 8]})
        run.figure("map", Figure())
    mlflow = connect()
    assert {one.path for one in mlflow.artifacts.list_artifacts(run_id=run.id)} == {
        "coverage.json",
        "map.png",
    }
    table = mlflow.artifacts.load_dict(f"runs:/{run.id}/coverage.json")
    assert table["columns"] == ["dimension", "selected"]
    assert table["data"] == [["sector", 2], ["pattern", 8]]


def test_a_sweep_knows_what_its_finished_runs_measured(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    callback, config = sweep("seeds")
    callback.on_multirun_start(config)
    for name, cells in (("balance=random", 3), ("balance=frequency", 2)):
        with record_run("seeds", {}, f"seeds {name}") as run:
            run.metrics({"coverage.cells": cells})
    with pytest.raises(ValueError, match="broken"), record_run("seeds", {}, "seeds balance=bad"):
        raise ValueError("broken")
    found = [(label, dict(metrics)) for label, metrics in callback.children()]
    callback.table("comparison", {"run": [label for label, _ in found]})
    parent = callback._run
    callback.on_multirun_end(config)
    assert found == [
        ("balance=random", {"coverage.cells": 3.0}),
        ("balance=frequency", {"coverage.cells": 2.0}),
    ]
    table = connect().artifacts.load_dict(f"runs:/{parent}/comparison.json")
    assert table["data"] == [["balance=random"], ["balance=frequency"]]
