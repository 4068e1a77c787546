"""What is said to a model: the turns of a conversation, and the tools it may call."""

from typing import Any, Literal

from pydantic import Field

from ..records import Record


class Tool(Record):
    """A function that the model may call; ``parameters`` is the JSON schema of its arguments."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    description: str
    parameters: dict[str, Any]


class Call(Record):
    """A call of a tool; ``arguments`` is the JSON text as the model wrote it, which need not be valid."""

    id: str
    name: str
    arguments: str


class Turn(Record):
    """One turn. ``call`` is the id that a tool's answer belongs to; ``images`` are ``data:`` URLs."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: tuple[Call, ...] = ()
    call: str | None = None
    images: tuple[str, ...] = ()


class Prompt(Record):
    """A question to a model. ``stage`` and ``purpose`` are what usage is summed by.

    Equal prompts to the same model get the answer that the ledger holds; ``sample`` tells repeated draws apart.
    """

    stage: str
    purpose: str
    turns: tuple[Turn, ...] = Field(min_length=1)
    tools: tuple[Tool, ...] = ()
    sample: int = Field(default=0, ge=0)
