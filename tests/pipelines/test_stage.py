"""A stage's outputs appear whole or not at all, and the MLflow run says which."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf, open_dict

from graphforge.errors import GraphForgeError
from graphforge.records import Rejection, StageCount
from graphforge.tracking import connect
from pipelines import _edge

ROOT = Path(__file__).resolve().parents[2]
OUTPUTS = ("things.jsonl", "files")


@pytest.fixture
def cfg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DictConfig]:
    """A composed configuration whose stage "things" writes into tmp_path/out."""
    monkeypatch.setenv("DVC_ROOT", str(tmp_path))
    for name in ("MLFLOW_TRACKING_URI", "GRAPHFORGE_PARENT_RUN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_edge, "validate", lambda cfg: SimpleNamespace(data=tmp_path / "data", empty="fail"))
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        composed = compose("config", return_hydra_config=True)
    OmegaConf.set_readonly(composed.hydra, False)
    with open_dict(composed):
        composed.hydra.job.name = "things"
        composed.hydra.job.override_dirname = ""
        composed.hydra.runtime.output_dir = str(tmp_path / "out")
        HydraConfig.instance().set_config(composed)
        del composed["hydra"]
    yield composed
    HydraConfig.instance().cfg = None
    import mlflow

    mlflow.set_tracking_uri(None)


def rejection() -> Rejection:
    return Rejection(id="b", stage="things", reason="too_small")


def last_run() -> object:
    return connect().search_runs(experiment_names=["graphforge"], output_format="list")[0]


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_stage_that_ends_has_all_its_outputs(cfg: DictConfig, tmp_path: Path) -> None:
    with _edge.stage(cfg, *OUTPUTS) as (_, desk):
        desk.write("things.jsonl", [rejection()])
        (desk.folder / "files" / "abc").write_text("abc")
        desk.close(2, 1, [rejection()])
        assert not (tmp_path / "out" / "things.jsonl").exists()
    out = tmp_path / "out"
    assert names(out) == {"things.jsonl", "files/abc", "rejected.jsonl", "counts.json", "run.json"}
    count = StageCount.model_validate_json((out / "counts.json").read_bytes())
    assert count == StageCount(stage="things", inputs=2, outputs=1, rejected={"too_small": 1})
    run = last_run()
    assert run.info.status == "FINISHED"
    assert run.data.metrics == {"inputs": 2, "outputs": 1, "rejected.too_small": 1}
    assert run.info.run_id in (out / "run.json").read_text()


def test_a_stage_that_fails_leaves_nothing_even_of_an_earlier_run(cfg: DictConfig, tmp_path: Path) -> None:
    with _edge.stage(cfg, *OUTPUTS) as (_, desk):
        desk.write("things.jsonl", [rejection()])
        desk.close(1, 1, [])
    (tmp_path / "out" / "other.txt").write_text("not ours")
    with pytest.raises(ValueError, match="half way"), _edge.stage(cfg, *OUTPUTS) as (_, desk):
        desk.write("things.jsonl", [rejection()])
        raise ValueError("half way")
    assert names(tmp_path / "out") == {"other.txt"}
    assert last_run().info.status == "FAILED"


def test_a_stage_that_passes_nothing_on_fails_and_says_why_of_each(cfg: DictConfig, tmp_path: Path) -> None:
    fault = r"things: none of 1 inputs was passed on \(too_small 1\)"
    with pytest.raises(_edge.Stopped, match=fault), _edge.stage(cfg, *OUTPUTS) as (_, desk):
        desk.write("things.jsonl", [])
        desk.close(1, 0, [rejection()])
    assert names(tmp_path / "out") == {"rejected.jsonl"}
    assert last_run().info.status == "FAILED"


def test_unless_the_configuration_lets_it_pass(
    cfg: DictConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_edge, "validate", lambda cfg: SimpleNamespace(data=tmp_path / "data", empty="pass"))
    with _edge.stage(cfg, *OUTPUTS) as (_, desk):
        desk.write("things.jsonl", [])
        desk.close(1, 0, [rejection()])
    out = tmp_path / "out"
    assert names(out) == {"things.jsonl", "rejected.jsonl", "counts.json", "run.json"}
    assert (out / "files").is_dir() and (out / "things.jsonl").read_bytes() == b""
    assert last_run().info.status == "FINISHED"
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("graphforge: WARNING: things: none of 1 inputs was passed on (too_small 1)")


def test_counts_that_do_not_add_up_stop_the_stage(cfg: DictConfig, tmp_path: Path) -> None:
    with (
        pytest.raises(ValueError, match="3 inputs but 1 outputs and 1"),
        _edge.stage(cfg, *OUTPUTS) as (_, desk),
    ):
        desk.write("things.jsonl", [rejection()])
        desk.close(3, 1, [rejection()])
    assert names(tmp_path / "out") == set()


def test_a_stage_that_forgets_its_books_or_an_output_fails(cfg: DictConfig, tmp_path: Path) -> None:
    fault = r"without writing things.jsonl, rejected.jsonl"
    with pytest.raises(RuntimeError, match=fault), _edge.stage(cfg, *OUTPUTS):
        pass
    assert names(tmp_path / "out") == set()


@pytest.mark.parametrize("where", ["write", "copy"])
def test_a_full_disk_is_a_storage_error(
    cfg: DictConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(_edge.Stopped, match="The disk is full"), _edge.stage(cfg, *OUTPUTS) as (_, desk):
        if where == "write":
            monkeypatch.setattr(os, "fsync", full)
            desk.write("things.jsonl", [rejection()])
        else:
            full()
    monkeypatch.undo()
    assert names(tmp_path / "out") == set()


def test_a_second_book_goes_before_the_first(cfg: DictConfig, tmp_path: Path) -> None:
    with _edge.stage(cfg, "shelf_rejected.jsonl", "shelf_counts.json") as (_, desk):
        desk.close(1, 1, [], "shelf")
        desk.close(3, 3, [])
    count = StageCount.model_validate_json((tmp_path / "out" / "shelf_counts.json").read_bytes())
    assert count.stage == "shelf"
    assert last_run().data.metrics["shelf.inputs"] == 1


def test_reading_logs_the_input_and_refuses_what_is_not_valid(cfg: DictConfig, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "good.jsonl").write_text(rejection().line() + "\n")
    (data / "bad.jsonl").write_text('{"id": 3}\n')
    (data / "bad.json").write_text("{}")
    with pytest.raises(_edge.Stopped, match=r"bad\.jsonl line 1"), _edge.stage(cfg, *OUTPUTS) as (_, desk):
        assert desk.read("good.jsonl", Rejection) == [rejection()]
        desk.read("bad.jsonl", Rejection)
    logged = {one.dataset.name for one in last_run().inputs.dataset_inputs}
    assert logged == {str(data / "good.jsonl"), str(data / "bad.jsonl")}
    with pytest.raises(_edge.Stopped, match=r"bad\.json"), _edge.stage(cfg, *OUTPUTS) as (_, desk):
        desk.read_json("bad.json", StageCount)
    with (
        pytest.raises(_edge.Stopped, match=r"gone\.jsonl does not exist"),
        _edge.stage(cfg, *OUTPUTS) as (_, desk),
    ):
        desk.read("gone.jsonl", Rejection)


def test_sort_parts_what_passed_from_what_did_not() -> None:
    count = StageCount(stage="things", inputs=0, outputs=0)
    assert _edge.sort([count, rejection(), count]) == ([count, count], [rejection()])


def test_errors_of_ours_are_one_line() -> None:
    assert "\n" not in str(GraphForgeError("what\nwhere", "do\nthis"))
