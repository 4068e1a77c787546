"""What the tests of the client share: a model and settings with every field, and a question."""

from pathlib import Path
from typing import Any

from graphforge.llm import Budget, Limits, LlmSettings, Model, Prompt, Turn


def limits(**changes: Any) -> Limits:
    given: dict[str, Any] = {
        "requests_per_minute": None,
        "tokens_per_minute": None,
        "concurrency": 8,
        "deadline": 20.0,
        "attempts": 5,
        "backoff": 0.01,
    }
    return Limits(**(given | changes))


def model(base: str | None, **changes: Any) -> Model:
    given: dict[str, Any] = {
        "name": "openai/scripted",
        "key_env": None,
        "api_base": base,
        "answers": "schema",
        "tools": "native",
        "sees": True,
        "max_tokens": 50,
        "temperature": None,
        "top_p": None,
        "seed": None,
        "reasoning_effort": None,
        "extra": {},
        "repairs": 2,
        "prices": {"input": 1.0, "cached": 0.1, "output": 10.0},
        "limits": None,
        "serve": None,
    }
    return Model(**(given | changes))


def settings(ledger: Path | None, mode: str = "live", **changes: Any) -> LlmSettings:
    given: dict[str, Any] = {
        "mode": mode,
        "ledger": ledger,
        "run": "test",
        "spans": 0.0,
        "budget": Budget(money=None, tokens=None, estimate="enforce"),
        "limits": limits(),
    }
    return LlmSettings(**(given | changes))


def question(text: str = "How many?", **changes: Any) -> Prompt:
    given: dict[str, Any] = {
        "stage": "tasks",
        "purpose": "count",
        "turns": (Turn(role="user", content=text),),
    }
    return Prompt(**(given | changes))
