"""A Hydra sweep as the parent of its runs."""

import atexit
import os
from typing import Any

from hydra.experimental.callback import Callback

from .store import EXPERIMENT, connect

PARENT_RUN = "GRAPHFORGE_PARENT_RUN"


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

    def on_multirun_end(self, config: Any, **_: Any) -> None:
        self._end("FINISHED")

    def _end(self, status: str) -> None:
        if self._run is None:
            return
        connect().MlflowClient().set_terminated(self._run, status=status)
        self._run = None
        os.environ.pop(PARENT_RUN, None)
