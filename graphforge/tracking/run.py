"""One MLflow run: parameters, input datasets, counts, and the tags that lead back to DVC and git."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from .digest import dvc_md5
from .store import connect
from .sweep import PARENT_RUN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DVC_TAGS = ("DVC_STAGE", "DVC_EXP_NAME", "DVC_EXP_BASELINE_REV")


class Run:
    """An open MLflow run."""

    def __init__(self, mlflow: ModuleType, identifier: str, stage: str):
        self._mlflow = mlflow
        self._stage = stage
        self.id = identifier

    def input(self, path: Path) -> None:
        """Log a file or folder as an input dataset. Its digest is the hash that ``dvc.lock`` holds for it."""
        from mlflow.data.code_dataset_source import CodeDatasetSource
        from mlflow.data.meta_dataset import MetaDataset

        source = CodeDatasetSource(tags={"path": path.as_posix()})
        # mlflow marks `profile` as abstract and does not enforce it.
        dataset = MetaDataset(source, name=path.as_posix(), digest=dvc_md5(path))  # type: ignore[abstract]
        self._mlflow.log_input(dataset, context=self._stage)

    def metrics(self, values: Mapping[str, float]) -> None:
        """Log numbers by name."""
        self._mlflow.log_metrics({name: float(value) for name, value in values.items()})

    def table(self, name: str, columns: Mapping[str, list[str | int | float]]) -> None:
        """Log a table, given column by column, as the artifact ``name``.json, which the UI shows and compares."""
        self._mlflow.log_table(dict(columns), f"{name}.json")

    def figure(self, name: str, figure: "Figure") -> None:
        """Log a figure as the artifact ``name``.png."""
        self._mlflow.log_figure(figure, f"{name}.png")

    def span(self, name: str, started: float, seconds: float, values: Mapping[str, object]) -> None:
        """Log a finished call of a model as a trace of one span. ``started`` in seconds since the epoch."""
        begin = int(started * 1e9)
        span = self._mlflow.start_span_no_context(
            name, span_type="LLM", attributes=dict(values), start_time_ns=begin
        )
        span.end(end_time_ns=begin + int(seconds * 1e9))


def _git_revision() -> str | None:
    """The commit that is checked out, or None outside a repository and before its first commit."""
    answer = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", "HEAD"], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip() if answer.returncode == 0 else None


@contextmanager
def record_run(stage: str, params: Mapping[str, str], name: str | None = None) -> Iterator[Run]:
    """Record the block as an MLflow run named after the stage; FAILED where the block raises.

    Under a sweep (:class:`SweepRun`) the run is nested below the sweep's own.
    """
    mlflow = connect()
    tags = {"stage": stage, **{key: os.environ[key] for key in _DVC_TAGS if os.environ.get(key)}}
    if revision := _git_revision():
        tags["git.rev"] = revision
    parent = os.environ.get(PARENT_RUN)
    with mlflow.start_run(
        run_name=name or stage, nested=parent is not None, parent_run_id=parent, tags=tags
    ) as active:
        mlflow.log_params(dict(params))
        yield Run(mlflow, active.info.run_id, stage)
