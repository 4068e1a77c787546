"""Which model answers a role, and how it is spoken to (``conf/llm/``)."""

import os
import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ..errors import ConfigError
from .local import LocalModel

# What only the caller of a provider sets: a yaml that carried it would carry a secret, or undo the client's work.
_NOT_EXTRA = re.compile(
    r"key|token$|secret|password|authorization|credential|headers|messages|stream|retries", re.I
)


class _Setting(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Prices(_Setting):
    """US dollars a million tokens; ``cached`` for input that the provider read from its cache."""

    input: float = Field(ge=0)
    cached: float = Field(ge=0)
    output: float = Field(ge=0)


class Limits(_Setting):
    """How hard an endpoint may be driven, and for how long one call is waited for.

    ``deadline`` is the seconds one attempt may take, and the longest wait that a provider may ask for. ``attempts``
    counts the first one. ``backoff`` is the mean wait in seconds before the first repeat; it doubles with each.
    """

    requests_per_minute: float | None = Field(gt=0)
    tokens_per_minute: float | None = Field(gt=0)
    concurrency: int = Field(ge=1)
    deadline: float = Field(gt=0)
    attempts: int = Field(ge=1)
    backoff: float = Field(ge=0)


class Model(_Setting):
    """A model as litellm names it. ``key_env`` is the *name* of the environment variable that holds the key.

    ``answers``: how a structured answer is had: by the server's JSON schema, by a schema bounded for a server that
    makes a grammar of it, or by asking in words.
    ``tools``: how tools are called, by the server's own way or by a schema (for servers that ignore tools).
    ``sees``: images go along; a model that doesn't is told that there was one.
    ``max_tokens`` bounds an answer, reasoning included, and is what the budget reserves for it. ``prices`` and
    ``limits`` go before litellm's price table and the limits that hold for all. ``serve``: we start the server.
    """

    name: str = Field(pattern=r"^[^\s/]+/\S+$")
    key_env: str | None = Field(pattern=r"^[A-Z_][A-Z0-9_]*$")
    api_base: str | None = Field(pattern=r"^https?://[^@\s]+$")
    answers: Literal["schema", "grammar", "prompt"]
    tools: Literal["native", "schema"]
    sees: bool
    max_tokens: int = Field(ge=1)
    temperature: float | None = Field(ge=0, le=2)
    top_p: float | None = Field(gt=0, le=1)
    seed: int | None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high"] | None
    extra: dict[str, Any]
    repairs: int = Field(ge=0, le=2)
    prices: Prices | None
    limits: Limits | None
    serve: LocalModel | None

    @field_validator("extra")
    @classmethod
    def _nothing_secret(cls, extra: dict[str, Any]) -> dict[str, Any]:
        if wrong := sorted(name for name in extra if _NOT_EXTRA.search(name)):
            raise ValueError(f"{', '.join(wrong)} can't be set here; a key is named in key_env")
        return extra

    def sampling(self) -> dict[str, Any]:
        """The parameters that shape the answer, those left to the provider left out."""
        given = {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed,
            "reasoning_effort": self.reasoning_effort,
        }
        return {name: value for name, value in given.items() if value is not None} | self.extra

    def key(self) -> str | None:
        """The key from the environment; ConfigError where the variable is named and not set."""
        if self.key_env is None:
            return None
        value = os.environ.get(self.key_env, "").strip()
        if not value:
            raise ConfigError(
                f"{self.name} needs a key, and {self.key_env} is not set",
                f"Set {self.key_env}, or replay what is recorded with llm.mode=replay",
            )
        return value


class NoModel(_Setting):
    """Nobody speaks for the role. The rules line needs no model."""
