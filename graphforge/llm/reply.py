"""What a model answered, and what that used up."""

from typing import Literal

from pydantic import Field

from ..records import Record, Sha256
from .prompt import Call

Finish = Literal["stop", "length", "tool_calls", "content_filter"]


class Usage(Record):
    """Tokens. ``cached`` is the part of ``input`` read from the provider's cache; ``output`` includes ``reasoning``."""

    input: int = Field(ge=0)
    cached: int = Field(ge=0)
    output: int = Field(ge=0)
    reasoning: int = Field(default=0, ge=0)


class Reply(Record):
    """One answer. ``cost`` is in US dollars, None where no price is known; ``key`` is its key in the ledger."""

    text: str
    calls: tuple[Call, ...]
    finish: Finish
    usage: Usage
    cost: float | None
    key: Sha256
    from_ledger: bool
