"""What a call costs, by the yaml or by litellm's table; and what the yamls name is in that table."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from speaking import model

from graphforge.llm import Usage
from graphforge.llm.prices import cost, tariffs

ROOT = Path(__file__).resolve().parents[2]
TABLE = {
    "big": {
        "litellm_provider": "openai",
        "input_cost_per_token": 2e-6,
        "cache_read_input_token_cost": 1e-6,
        "output_cost_per_token": 4e-6,
        "input_cost_per_token_above_200k_tokens": 8e-6,
        "input_cost_per_token_above_200k_tokens_flex": 1e-9,
        "output_cost_per_token_batches": 1e-9,
    },
    "free": {"litellm_provider": "openai", "input_cost_per_token": 0, "output_cost_per_token": 0},
    "audio": {"litellm_provider": "openai", "input_cost_per_token": 1e-6},
}


def usage(given: int, cached: int, output: int) -> Usage:
    return Usage(input=given, cached=cached, output=output)


def test_cached_input_and_long_inputs_have_prices_of_their_own() -> None:
    found = tariffs(model(None, name="openai/big", prices=None), TABLE)
    assert cost(found, usage(1000, 400, 10)) == pytest.approx(600 * 2e-6 + 400 * 1e-6 + 10 * 4e-6)
    assert cost(found, usage(200_000, 0, 0)) == pytest.approx(200_000 * 2e-6)
    # Beyond the step the whole call costs more; what has no step of its own keeps its price.
    assert cost(found, usage(200_001, 1, 10)) == pytest.approx(200_000 * 8e-6 + 1e-6 + 10 * 4e-6)


def test_a_price_of_nothing_is_a_price_and_an_unknown_one_is_not() -> None:
    assert cost(tariffs(model(None, name="openai/free", prices=None), TABLE), usage(9, 0, 9)) == 0.0
    for name in ("openai/audio", "openai/unheard-of", "anthropic/big"):
        assert cost(tariffs(model(None, name=name, prices=None), TABLE), usage(9, 0, 9)) is None


def test_what_answers_elsewhere_costs_what_its_yaml_says() -> None:
    there = "http://127.0.0.1:1/v1"
    assert tariffs(model(there, name="openai/big", prices=None), TABLE) == ()
    found = tariffs(model(there, name="openai/big"), TABLE)
    assert cost(found, usage(1_000_000, 0, 1_000_000)) == pytest.approx(1.0 + 10.0)


def test_litellm_is_quiet_and_knows_what_the_yamls_name(tmp_path: Path) -> None:
    """In a process of its own: what litellm is before anything of ours has touched it."""
    script = """
import sys, threading
from pathlib import Path
import yaml
import graphforge.llm
assert "litellm" not in sys.modules, "importing the room must not import litellm"
import socket
def refuse(*given, **named): raise AssertionError(f"a connection: {given}")
socket.socket.connect = socket.getaddrinfo = refuse
from graphforge.llm.provider import library
litellm = library()
assert not (litellm.callbacks or litellm.success_callback or litellm.failure_callback or litellm.cache)
assert litellm.telemetry is False and litellm.num_retries is None
import os
assert os.environ.get("FROM_A_DOTENV") is None
for path in sorted(Path(sys.argv[1], "conf/llm").glob("*.yaml")):
    model = yaml.safe_load(path.read_text())
    if path.stem in {"none", "server", "local"}:
        continue
    provider, _, bare = model["name"].partition("/")
    entry = litellm.model_cost.get(model["name"]) or litellm.model_cost[bare]
    assert entry["litellm_provider"] == provider, path
    assert entry["input_cost_per_token"] > 0 and entry["output_cost_per_token"] > 0, path
    assert entry["max_output_tokens"] >= model["max_tokens"], path
    names = litellm.get_supported_openai_params(bare, provider)
    wanted = {"max_tokens", "tools", "tool_choice"} | ({"response_format"} if model["answers"] == "schema" else set())
    assert wanted <= set(names), (path, wanted - set(names))
print("quiet")
"""
    (tmp_path / ".env").write_text("FROM_A_DOTENV=1\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LITELLM")} | {
        "PYTHONPATH": str(ROOT)
    }
    done = subprocess.run(
        [sys.executable, "-c", script, str(ROOT)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip().endswith("quiet"), done.stdout + done.stderr
    assert not done.stderr.strip(), done.stderr
