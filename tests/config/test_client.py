"""A stage with models: what they use up goes to its MLflow run, sampled calls become spans, and nothing secret does."""

import os
import subprocess
import sys
from pathlib import Path

from scripted import Say, ScriptedServer

ROOT = Path(__file__).resolve().parents[2]
STAGE = """
import asyncio
import hydra
from omegaconf import DictConfig
from graphforge.llm import Prompt, Turn
from graphforge.records import Rejection
from pipelines._edge import client, one_line, stage

async def work(config, desk):
    async with client(config, desk) as models:
        for role in ("judge", "builder"):
            for number in range(3):
                turn = Turn(role="user", content=f"{role} {number}")
                await models.role(role).say(Prompt(stage="seeds", purpose="test", turns=(turn,)))

@hydra.main(version_base="1.3", config_path=CONF, config_name="config")
def main(cfg: DictConfig) -> None:
    with stage(cfg, "out.jsonl") as (config, desk):
        try:
            asyncio.run(work(config, desk))
        finally:
            desk.write("out.jsonl", [])
        desk.write("out.jsonl", [Rejection(id="a", stage="seeds", reason="r")])
        desk.close(1, 1, [])

one_line(main)
"""
LOOK = """
import os, mlflow
from mlflow import MlflowClient
mlflow.set_tracking_uri(os.environ["MLFLOW_TRACKING_URI"])
client = MlflowClient()
experiment = client.get_experiment_by_name("graphforge").experiment_id
for run in client.search_runs([experiment]):
    for name, value in sorted(run.data.metrics.items()):
        print(run.info.status, name, value)
for trace in mlflow.search_traces(locations=[experiment], return_type="list"):
    (span,) = trace.data.spans
    run = trace.info.request_metadata.get("mlflow.sourceRun")
    print("span", span.name, span.attributes["role"], span.attributes["input"], run)
"""
KEY = "sk-not-to-be-seen-0123456789"


def run(folder: Path, base: str, *overrides: str) -> subprocess.CompletedProcess[str]:
    script = folder / "stage.py"
    script.write_text(STAGE.replace("CONF", repr(str(ROOT / "conf"))))
    # A sweep elsewhere in this process must not become this stage's parent.
    environment = {name: value for name, value in os.environ.items() if name != "GRAPHFORGE_PARENT_RUN"} | {
        "PYTHONPATH": str(ROOT), "DVC_ROOT": str(folder), "OPENAI_API_KEY": KEY,
        "MLFLOW_TRACKING_URI": f"sqlite:///{folder / 'mlflow.db'}",
    }  # fmt: skip
    command = [
        sys.executable, str(script), f"hydra.run.dir={folder / 'out'}", "hydra.job.name=seeds",
        "llm@models.judge=openai",
        f"models.judge.api_base={base}", "models.judge.prices={input: 1.0, cached: 1.0, output: 1.0}",
        "llm.spans=1.0", *overrides,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180)
    assert KEY not in done.stdout + done.stderr
    return done


def test_a_stage_with_models_keeps_its_books(tmp_path: Path) -> None:
    def script(body: dict[str, object], number: int) -> Say:
        # The last call of the six is refused for good: what went before is booked all the same.
        return Say(status=400) if number == 5 else Say("x")

    with ScriptedServer(script) as server:
        done = run(
            tmp_path, server.base, "llm@models.builder=openai", f"models.builder.api_base={server.base}"
        )
        assert done.returncode == 2, done.stderr
        assert "gave no answer" in done.stderr and len(done.stderr.strip().splitlines()) == 1
    environment = os.environ | {"MLFLOW_TRACKING_URI": f"sqlite:///{tmp_path / 'mlflow.db'}"}
    look = [sys.executable, "-c", LOOK]
    found = subprocess.run(
        look, env=environment, capture_output=True, text=True, timeout=120, check=True
    ).stdout
    lines = found.splitlines()
    for line in (
        "FAILED llm.judge.calls 3.0",
        "FAILED llm.judge.input 300.0",
        "FAILED llm.judge.cost 0.00033",
        "FAILED llm.builder.calls 3.0",
        "FAILED llm.builder.failures 1.0",
        "FAILED llm.builder.unpriced 2.0",
        "FAILED llm.run.calls 6.0",
        "FAILED llm.run.failures 1.0",
        "FAILED llm.run.assumed 0.0",
    ):
        assert line in lines, found
    spans = [line.split() for line in lines if line.startswith("span")]
    assert len(spans) == 6 and all(span[1:3] == ["seeds", "test"] and span[-1] != "None" for span in spans)
    assert (tmp_path / "ledger" / "llm.db").is_file()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_a_role_without_a_model_is_one_line(tmp_path: Path) -> None:
    with ScriptedServer(lambda body, number: Say("x")) as server:
        done = run(tmp_path, server.base)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("graphforge: models.builder is none") and "llm@models.builder=openai" in line


def test_an_estimate_above_the_budget_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with ScriptedServer(lambda body, number: Say("x")) as server:
        asked = (
            "llm@models.builder=openai",
            f"models.builder.api_base={server.base}",
            "engine=llm",
            "seeds.count=7",
        )
        done = run(tmp_path, server.base, *asked, "llm.budget.tokens=1000")
        assert done.returncode == 2 and not server.bodies
        (line,) = done.stderr.strip().splitlines()
        assert "1,000 tokens left of 1,000 tokens" in line and "llm.budget.tokens" in line
        assert "seeds" in done.stdout and "openai/gpt-5.4" in done.stdout
        begun = run(tmp_path, server.base, *asked, "llm.budget.tokens=1000", "llm.budget.estimate=print")
        # The budget itself holds all the same: what a call may use up is more than is left.
        assert begun.returncode == 2 and "has used" in begun.stderr and not server.bodies
