"""The one place that opens the MLflow store."""

import logging
import os
from pathlib import Path
from types import ModuleType

from ..errors import StorageError

EXPERIMENT = "graphforge"
_LOCK_SECONDS = 120.0


def store_root() -> Path:
    """Where the store lies: the repository, or its parent where DVC's queue runs a copy of it (``DVC_ROOT``)."""
    return Path(os.environ.get("DVC_ROOT") or Path(__file__).resolve().parents[2])


def connect() -> ModuleType:
    """Open the store, make the experiment on the first call, and return the mlflow module.

    The first connect creates the tables. Processes that start together would do it at the same time and most of
    them would die, so that a file lock is held around it. StorageError where the store can't be opened.
    """
    import mlflow
    from filelock import FileLock, Timeout
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    # The tables' migrations are reported at INFO, a line each, on the first connect.
    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    root = store_root()
    uri = os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{root / 'mlflow.db'}"
    mlflow.set_tracking_uri(uri)
    try:
        with FileLock(root / "mlflow.db.lock", timeout=_LOCK_SECONDS):
            if mlflow.get_experiment_by_name(EXPERIMENT) is None:
                mlflow.create_experiment(EXPERIMENT, artifact_location=(root / "mlruns").as_uri())
            mlflow.set_experiment(EXPERIMENT)
    except Timeout:
        raise StorageError(
            f"The tracking store {uri} stayed locked for {_LOCK_SECONDS:.0f} seconds",
            f"See which run holds {root / 'mlflow.db.lock'}, or end it",
        ) from None
    except (MlflowException, SQLAlchemyError, OSError) as error:
        raise StorageError(
            f"The tracking store {uri} can't be opened ({str(error).splitlines()[0]})",
            "Check the disk and the permissions, or set MLFLOW_TRACKING_URI",
        ) from error
    return mlflow
