"""The stages of a run one after the other, each a process of its own, to be killed and started again.

    python line.py          (in a copy of the checkout, with a JSON list of [stage, overrides...] on each line of stdin)

What takes long to import is imported once; each line forks a run, whose process id is printed and then how it ended,
and each run forks its stages. A run leads a process group of its own, so that it can be killed whole. A stage whose
main output is there is done already and is passed over, as DVC or make would.
"""

import importlib
import json
import os
import runpy
import sys
import traceback
from pathlib import Path

MAIN = {
    "seeds": "seeds.jsonl",
    "workspaces": "workspaces.jsonl",
    "rebalance": "workspaces.jsonl",
    "graphs": "graphs.jsonl",
    "tasks": "tasks.jsonl",
    "pilot": "pilot.jsonl",
    "revise": "revisions.jsonl",
    "verify": "revisions.jsonl",
    "rollouts": "rollouts.jsonl",
    "admit": "admitted.jsonl",
    "export": "chat",
    "calibrate": "calibration.json",
    "funnel": "funnel.json",
}

SLOW = (
    "pipelines._edge",
    "pipelines._judging",
    "pipelines._revising",
    "pipelines._working",
    "graphforge.agents",
    "graphforge.evidence",
    "graphforge.export",
    "graphforge.llm.provider",
    "graphforge.seeds",
    "graphforge.tasks",
    "mlflow",
    "mlflow.data.meta_dataset",
    "mlflow.store.tracking.sqlalchemy_store",
    "openai.resources.chat",
    "sqlalchemy.orm",
)


def stage(name: str, overrides: list[str]) -> int:
    """Run a stage as ``python -m`` would; its exit code."""
    folder = Path("data") if name == "funnel" else Path("data", name)
    sys.argv = [name, f"hydra.run.dir={folder}", "hydra.output_subdir=null", *overrides]
    try:
        runpy.run_module(f"pipelines.{name}", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  the end of this process, whatever it was
        traceback.print_exc()
        return 1
    return 0


def run(stages: list[list[str]]) -> int:
    """All stages that aren't done; the exit code of the first that fails."""
    for name, *overrides in stages:
        if (Path("data", "" if name == "funnel" else name) / MAIN[name]).exists():
            continue
        child = os.fork()
        if not child:
            leave(stage(name, overrides))
        _, status = os.waitpid(child, 0)
        if code := os.waitstatus_to_exitcode(status):
            print(f"{name} ended with {code}", file=sys.stderr)
            return 1
    return 0


def leave(code: int) -> None:
    """End a forked process at once: what the first process has to do at its end is not its business."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def prepare() -> None:
    """Import what the stages import, where that takes long. No thread is started, and no file is opened."""
    for name in SLOW:
        importlib.import_module(name)
    sys.modules["sqlalchemy.orm"].configure_mappers()
    sys.modules["graphforge.llm.provider"].library()


def main() -> None:
    prepare()
    answers = os.dup(1)
    os.dup2(2, 1)
    os.write(answers, b"ready\n")
    for line in sys.stdin:
        child = os.fork()
        if not child:
            os.setsid()
            leave(run(json.loads(line)))
        os.write(answers, f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        os.write(answers, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    leave(0)


if __name__ == "__main__":
    main()
