"""calibrate: does each judge variant pick the golden deliverables, and do mutants lose points (sections 3.5, 5)?"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import hydra
from omegaconf import DictConfig

from graphforge.config import Config
from graphforge.judging import Calibration, Case, Judge, calibrate, calibrate_jointly
from graphforge.records import Admitted
from pipelines._edge import Desk, one_line, stage
from pipelines._files import parsed
from pipelines._judging import bench

COUNTS = ("pools", "picks", "unjudged", "correct", "mutants", "mutants_caught")
FIGURES = (*COUNTS, "accuracy", "expected", "caught_share", "tokens_a_verdict")


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "calibration.json", "pools.jsonl") as (config, desk):
        admitted = desk.read("admit/admitted.jsonl", Admitted)
        handed = desk.input("rollouts/files")
        cases = [
            Case(one.spec, {file.name: handed / file.sha256 for file in one.trajectory.artifacts})
            for one in admitted
        ]
        named: dict[str, Any] = {one.name: one for one in (*config.beside.values(), config.judge)}
        judges = list(named.values())
        with tempfile.TemporaryDirectory(prefix="pools-") as scratch:
            if config.grader.uses_model:
                made = asyncio.run(by_model(config, desk, cases, judges, Path(scratch)))
            else:
                # Executing costs next to nothing, so what a grader that asks nobody says of itself is measured always.
                repeats, grader = max(2, config.calibrate.repeats), config.grader.open(None)
                made = calibrate(cases, judges, grader, parsed, Path(scratch), desk.track, repeats)
        desk.write_json("calibration.json", made, exclude={"pools"})
        desk.write("pools.jsonl", made.pools)
        row = next(row.model_dump() for row in made.rows if row.judge == config.judge.name)
        desk.metrics({name: row[name] for name in FIGURES if row[name] is not None})
        agreed = (row["agreement"] or {}).items()
        desk.metrics({f"agreement.{name}": value for name, value in agreed if value is not None})
        desk.close(len(admitted), len(made.pools), [])


async def by_model(
    config: Config, desk: Desk, cases: list[Case], judges: list[Judge], scratch: Path
) -> Calibration:
    """The calibration of a grader that sees the candidates of a pool together."""
    at_once = config.llm.limits.concurrency
    async with bench(config, desk, len(cases)) as at_work:
        graders = [at_work.grader, *at_work.repeats]
        return await calibrate_jointly(cases, judges, graders, parsed, scratch, at_once, desk.track)


if __name__ == "__main__":
    one_line(main)
