"""calibrate: does each judge variant pick the golden deliverables, and do mutants lose points (sections 3.5, 5)?"""

import tempfile
from pathlib import Path

import hydra
from omegaconf import DictConfig

from graphforge.judging import Case, calibrate
from graphforge.records import Admitted
from pipelines._edge import one_line, stage
from pipelines._files import parsed

FIGURES = (
    "pools",
    "picks",
    "unjudged",
    "correct",
    "accuracy",
    "expected",
    "mutants",
    "mutants_caught",
    "caught_share",
)


@hydra.main(version_base="1.3", config_path="../conf", config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "calibration.json", "pools.jsonl") as (config, desk):
        admitted = desk.read("admit/admitted.jsonl", Admitted)
        handed = desk.input("rollouts/files")
        cases = [
            Case(one.spec, {file.name: handed / file.sha256 for file in one.trajectory.artifacts})
            for one in admitted
        ]
        chosen = config.judge
        judges = list({**{one.name: one for one in config.beside.values()}, chosen.name: chosen}.values())
        with tempfile.TemporaryDirectory(prefix="pools-") as scratch:
            made = calibrate(cases, judges, config.grader, parsed, Path(scratch), desk.track)
        desk.write_json("calibration.json", made, exclude={"pools"})
        desk.write("pools.jsonl", made.pools)
        row = next(row.model_dump() for row in made.rows if row.judge == chosen.name)
        desk.metrics({name: row[name] for name in FIGURES if row[name] is not None})
        desk.close(len(admitted), len(made.pools), [])


if __name__ == "__main__":
    one_line(main)
