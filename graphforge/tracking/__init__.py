"""Every run of a pipeline is one MLflow run; a sweep is their parent. The only importer of mlflow, and lazily.

The database is ``<root>/mlflow.db`` with artifacts under ``<root>/mlruns``; ``MLFLOW_TRACKING_URI`` wins where set::

    with record_run("seeds", params={"balance": "random"}, name="seeds") as run:
        run.input(Path("data/seeds/seeds.jsonl"))
        run.metrics({"inputs": 120})
"""

from .digest import dvc_md5
from .progress import track
from .run import Run, record_run
from .store import EXPERIMENT, connect, store_root
from .sweep import PARENT_RUN, SweepRun

__all__ = [
    "EXPERIMENT",
    "PARENT_RUN",
    "Run",
    "SweepRun",
    "connect",
    "dvc_md5",
    "record_run",
    "store_root",
    "track",
]
