"""Lines whose every answer was written by hand, and how they are run: as live, with the ledger in a model's place."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines._stages import LINE

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
STAGES = (*LINE, "funnel")
_ROLES = ("builder", "teacher", "reviser", "judge", "student")
# Nobody listens there: an answer that isn't recorded can't come from anywhere.
NOWHERE = "http://127.0.0.1:9/v1"


def thread(messages: Sequence[dict[str, Any]], sample: int) -> str:
    """What a question is about, whatever else it says: who is asked, the work or the task, and how far the talk has come.

    A written answer belongs to it also after an edit of a prompt. A hash, since it stands in files that are passed on.
    """
    texts = [(one["role"], one.get("content") or "") for one in messages]
    system = next((text for role, text in texts if role == "system"), "")
    user = next(text for role, text in texts if role == "user")
    about = "\n".join(line for line in user.splitlines() if not line.startswith("<<<"))[:400]
    # A judge is asked about some criteria of a task, once before and once after a revision.
    asked = user.rstrip().splitlines()[-1] if user.rstrip().splitlines()[-1].startswith("Mark ") else ""
    turns = sum(role == "assistant" for role, _ in texts)
    whole = json.dumps([system[:60], about, asked, turns, sample], ensure_ascii=False)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Line:
    """``answers`` are its recorded answers, in the order in which a run asks that does one thing at a time."""

    name: str
    library: Path
    settings: tuple[str, ...]

    @property
    def answers(self) -> Path:
        return HERE / f"{self.name}.jsonl"


_BY_MODELS = (
    "occupations=demo", "engine=llm", "reviser=llm", "agent=native", "agent.unsafe_sandbox=true", "sandbox=process"
)  # fmt: skip
CORPUS = Line(
    "corpus",
    ROOT.parent / "shared" / "corpus",
    (*_BY_MODELS, "grader=hybrid", "engine.pairs_per_seed=2", "seeds.count=4", "rebalance.count=4"),
)
EMBEDDED = Line(
    "embedded",
    ROOT / "examples" / "library",
    (*_BY_MODELS, "grader=hybrid", "engine.pairs_per_seed=1", "seeds.count=1", "rebalance.count=1"),
)
LINES = (CORPUS, EMBEDDED)


def run_line(
    line: Line, folder: Path, ledger: Path, base: str, more: Sequence[str], stages: Sequence[str] = STAGES
) -> Path:
    """The stages one after the other, each a process of its own, as a user runs them; the folder of the data.

    AssertionError with all that was said where one fails.
    """
    data = folder / "data"
    given = [
        f"library={line.library}", f"data={data}", f"llm.ledger={ledger}", "hydra.output_subdir=null", *line.settings,
        *(f"llm@models.{role}=server" for role in _ROLES),
        *(f"models.{role}.name=openai/hand" for role in _ROLES),
        *(f"models.{role}.api_base={base}" for role in _ROLES),
        *more,
    ]  # fmt: skip
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DVC_", "MLFLOW_", "GRAPHFORGE_"))
    } | {"PYTHONPATH": str(ROOT), "MLFLOW_TRACKING_URI": f"sqlite:///{folder / 'mlflow.db'}"}
    for stage in stages:
        target = data if stage == "funnel" else data / stage
        command = [sys.executable, "-m", f"pipelines.{stage}", *given, f"hydra.run.dir={target}"]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, f"{stage} gave {done.returncode}\n{done.stdout}\n{done.stderr}"
    return data
