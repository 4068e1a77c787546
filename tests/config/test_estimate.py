"""The estimate: calls follow the configuration, sizes the ledger, and what is paid for is not to come again."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hypothesis import given
from hypothesis import strategies as st
from scripted import Say, ScriptedServer
from speaking import limits, model, question, settings

from graphforge.config import Config, validate
from graphforge.llm import Client, Expected, Ledger, NoModel, forecast
from pipelines._estimate import expected, shown
from pipelines._stages import STAGES

ROOT = Path(__file__).resolve().parents[2]


def configured(*overrides: str) -> Config:
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        return validate(compose("config", overrides=list(overrides)))


def one(**changes: object) -> Expected:
    given = {"stage": "tasks", "role": "judge", "purpose": "count", "calls": 10, "input": 1000, "output": 100}
    return Expected.model_validate(given | changes)


def test_the_line_without_models_asks_nothing() -> None:
    config = configured()
    assert expected(config, STAGES[0]) == []
    assert "costs nothing" in shown((), config.llm.budget)


def test_every_stage_that_asks_a_model_is_in_the_estimate() -> None:
    found = expected(configured("experiment=live"), STAGES[0])
    assert {row.role for row in found} == {"builder", "teacher", "reviser", "judge"}
    assert [row.stage for row in found if row.stage != "judge"] == [
        "seeds", "seeds", "workspaces", "graphs", "graphs", "tasks", "tasks", "pilot", "revise", "rollouts"
    ]  # fmt: skip
    purposes = {row.purpose for row in found}
    assert purposes == {"demands", "patterns", "search", "relate", "write", "mend", "agent", "grade", "patch"}


def test_purposes_and_stages_are_those_that_the_rooms_ask_under() -> None:
    """An estimate by another name would never meet its recorded answers."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "graphforge").rglob("*.py"))
    for grader in ("hybrid", "agent"):
        for row in expected(configured("experiment=live", f"grader={grader}"), STAGES[0]):
            assert f'purpose="{row.purpose}"' in text, row


LIVE = configured("experiment=live")


@given(st.integers(1, 500), st.integers(1, 500))
def test_more_seeds_never_cost_less(few: int, more: int) -> None:
    config = LIVE
    sizes = sorted((few, more))
    tokens = []
    for count in sizes:
        wanted = config.model_copy(
            update={
                "seeds": config.seeds.model_copy(update={"count": count}),
                "rebalance": config.rebalance.model_copy(update={"count": count}),
            }
        )
        tokens.append(sum(row.calls * (row.input + row.output) for row in expected(wanted, STAGES[0])))
    assert tokens[0] <= tokens[1]


def test_a_stage_that_knows_its_items_estimates_those_and_what_follows() -> None:
    config = configured("experiment=live", "seeds.count=50", "rebalance.count=50")
    whole = expected(config, "tasks")
    some = expected(config, "tasks", items=10)
    assert [row.calls for row in some] == pytest.approx([row.calls / 5 for row in whole])
    assert {row.stage for row in some} == {"tasks", "pilot", "judge", "revise", "rollouts"}


def test_a_role_without_a_model_and_one_without_a_price() -> None:
    models = {"judge": model("http://127.0.0.1:9/v1", prices=None), "teacher": NoModel()}
    (row,) = forecast([one(), one(role="teacher")], models, None, "test")
    assert (row.role, row.calls, row.input, row.output, row.cost) == ("judge", 10, 10_000, 1_000, None)
    assert "unknown" in shown((row,), configured().llm.budget)


def test_prices_are_applied_call_by_call() -> None:
    (row,) = forecast([one()], {"judge": model("http://127.0.0.1:9/v1")}, None, "test")
    assert row.cost == pytest.approx((10_000 * 1.0 + 1_000 * 10.0) / 1e6)


def test_recorded_answers_take_the_place_of_typical_sizes(tmp_path: Path) -> None:
    """And what the run has paid for is not to come again."""

    async def ask(base: str, times: int) -> None:
        async with Client({"judge": model(base)}, settings(tmp_path / "l.db", limits=limits())) as client:
            for number in range(times):
                await client.role("judge").say(question(f"How many? {number}"))

    with ScriptedServer(lambda body, number: Say("x" * 40)) as server:
        models = {"judge": model(server.base)}
        for asked, recorded in ((4, 0), (6, 6)):
            asyncio.run(ask(server.base, asked))
            with Ledger.open(tmp_path / "l.db", "replay") as ledger:
                (row,) = forecast([one()], models, ledger, "test")
                (usual,) = ledger.usual("openai/scripted").values()
                (books,) = ledger.spent("test")
            assert usual[0] == asked
            assert row.recorded == recorded
            size = usual[1:] if recorded else (1000, 100)
            assert (row.input, row.output) == (round(10 * size[0]), round(10 * size[1]))
            assert row.spent == pytest.approx(books.cost) and row.spent > 0
            assert row.cost is not None
            assert row.cost_left == pytest.approx(row.cost - books.cost)


def test_the_command_needs_no_key_and_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pipelines.estimate", "experiment=live", "seeds.count=3",
               f"hydra.run.dir={tmp_path}", "hydra.output_subdir=null"]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert "openai/gpt-5.4" in done.stdout and "US$" in done.stdout
    assert not list(tmp_path.iterdir())
