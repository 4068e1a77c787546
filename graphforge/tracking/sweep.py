"""A Hydra sweep as the parent of its runs."""

import atexit
import os
from collections.abc import Mapping
from typing import Any

from hydra.experimental.callback import Callback

from .store import EXPERIMENT, connect

PARENT_RUN = "GRAPHFORGE_PARENT_RUN"
_MOST = 1000


class SweepRun(Callback):
    """Hydra callback (``hydra.callbacks`` in ``conf/config.yaml``): opens a parent run before the first job.

    Opening the store here, once, also spares the jobs the race for its first connect. The parent's id reaches
    the jobs through the environment, so that launchers with processes of their own find it too.
    """

    def __init__(self) -> None:
        self._run: str | None = None

    def on_multirun_start(self, config: Any, **_: Any) -> None:
        mlflow = connect()
        overrides = " ".join(config.hydra.overrides.task)
        experiment = mlflow.get_experiment_by_name(EXPERIMENT).experiment_id
        stage = config.hydra.job.name
        run = mlflow.MlflowClient().create_run(
            experiment, run_name=f"sweep {stage} {overrides}", tags={"stage": stage, "sweep": overrides}
        )
        self._run = run.info.run_id
        os.environ[PARENT_RUN] = self._run
        # Hydra skips on_multirun_end where a job failed; the parent must not stay "running" for ever.
        atexit.register(self._end, "FAILED")

    def children(self) -> list[tuple[str, Mapping[str, float]]]:
        """Label and metrics of each run below the sweep's own that finished, in the order in which they began."""
        mlflow = connect()
        experiment = mlflow.get_experiment_by_name(EXPERIMENT).experiment_id
        found = mlflow.MlflowClient().search_runs(
            [experiment],
            f"tags.`mlflow.parentRunId` = '{self._run}' and attributes.status = 'FINISHED'",
            max_results=_MOST,
            order_by=["attributes.start_time ASC"],
        )
        return [(_label(run), run.data.metrics) for run in found]

    def table(self, name: str, columns: Mapping[str, list[str | int | float]]) -> None:
        """Log a table on the sweep's own run."""
        connect().MlflowClient().log_table(self._run, dict(columns), f"{name}.json")

    def on_multirun_end(self, config: Any, **_: Any) -> None:
        self._end("FINISHED")

    def _end(self, status: str) -> None:
        if self._run is None:
            return
        connect().MlflowClient().set_terminated(self._run, status=status)
        self._run = None
        os.environ.pop(PARENT_RUN, None)


def _label(run: Any) -> str:
    """A run's name without its stage: what the sweep varied."""
    return str(run.info.run_name).removeprefix(f"{run.data.tags.get('stage', '')} ")
