"""Stages run inside the test's own process, over a library of five small files, with a store of their own."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf, open_dict

from graphforge.judging import PoolLine
from graphforge.records import (
    Admitted,
    EvidenceGraph,
    Record,
    Rejection,
    Revision,
    Seed,
    StageCount,
    TaskSpec,
    Trajectory,
    Workspace,
    read_jsonl,
)

ROOT = Path(__file__).resolve().parents[2]
# The stages that keep books, in the order of the line; export writes other forms than records.
RECORDS: dict[str, tuple[str, type[Record]] | None] = {
    "seeds": ("seeds.jsonl", Seed),
    "workspaces": ("workspaces.jsonl", Workspace),
    "rebalance": ("workspaces.jsonl", Workspace),
    "graphs": ("graphs.jsonl", EvidenceGraph),
    "tasks": ("tasks.jsonl", TaskSpec),
    "pilot": ("pilot.jsonl", Trajectory),
    "revise": ("revisions.jsonl", Revision),
    "verify": ("revisions.jsonl", Revision),
    "rollouts": ("rollouts.jsonl", Trajectory),
    "admit": ("admitted.jsonl", Admitted),
    "export": None,
    "calibrate": ("pools.jsonl", PoolLine),
}
DISTRICTS = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir")
FILES = {
    "permits_2023.csv": ('"Permits issued, 2023"', (1200, 845, 3310, 978, 451, 2204)),
    "permits_2023_revised.csv": ('"Permits issued, 2023"', (1200, 861, 3310, 978, 430, 2204)),
    "permits_2022.csv": ('"Permits issued, 2022"', (1100, 800, 3000, 950, 500, 2000)),
    "staff.csv": ('"Permit staff, 2023"', (12, 8, 30, 9, 5, 20)),
}
NOTE = "Building permits are counted by district. In 2023 permits issued in Birch came to 845 and in Elm to 451.\n"
# Of which the rules engine makes one workspace, and all that follows from it.
ONE = ("seeds.count=1", "rebalance.count=1", "assembly.relevance=0", "engine.patterns=[reconciliation]")


class Line:
    """Stages that read below ``folder/data`` and write where they are told."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator["Line"]:
        """With the library, and with store, ledger and caches below ``folder``."""
        city = folder / "library" / "city"
        city.mkdir(parents=True)
        for name, (head, values) in FILES.items():
            rows = [f"{district},{value}" for district, value in zip(DISTRICTS, values, strict=True)]
            (city / name).write_text("\n".join([f"District,{head}", *rows, ""]))
        (city / "note.md").write_text(NOTE)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DVC_ROOT", str(folder))
            patch.chdir(folder)
            for name in ("MLFLOW_TRACKING_URI", "GRAPHFORGE_PARENT_RUN"):
                patch.delenv(name, raising=False)
            yield cls(folder)
        import mlflow

        mlflow.set_tracking_uri(None)

    def config(self, *overrides: str) -> DictConfig:
        given = [f"data={self.folder / 'data'}", f"library={self.folder / 'library'}", *overrides]
        with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
            return compose("config", overrides=given, return_hydra_config=True)

    def run(self, stage: str, *overrides: str, out: str | None = None) -> Path:
        """The folder of the outputs. ``Stopped`` where the stage fails."""
        target = self.folder / (out or f"data/{stage}")
        cfg = self.config(*overrides)
        OmegaConf.set_readonly(cfg.hydra, False)
        with open_dict(cfg):
            cfg.hydra.job.name = stage
            cfg.hydra.job.override_dirname = ""
            cfg.hydra.runtime.output_dir = str(target)
            HydraConfig.instance().set_config(cfg)
            del cfg["hydra"]
        try:
            importlib.import_module(f"pipelines.{stage}").main(cfg)
        finally:
            HydraConfig.instance().cfg = None
        return target


def books(stage: str, target: Path) -> StageCount:
    """The counts of a stage, after every record that it wrote was read again and both were found to agree."""
    count = StageCount.model_validate_json((target / "counts.json").read_bytes())
    rejections = list(read_jsonl(target / "rejected.jsonl", Rejection))
    assert count == StageCount.of(stage, count.inputs, count.outputs, rejections)
    if (kind := RECORDS[stage]) is not None:
        assert count.outputs == len(list(read_jsonl(target / kind[0], kind[1])))
    assert not list(target.glob(".partial*"))
    return count
