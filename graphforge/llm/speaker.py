"""What a room sees of a model: someone who answers."""

from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from .prompt import Prompt
from .reply import Reply

T = TypeVar("T", bound=BaseModel)


@runtime_checkable
class Speaker(Protocol):
    """The model of one role; ``sees``: images go along.

    Both methods raise BudgetSpent, ProviderError and NotRecorded.
    """

    role: str
    sees: bool

    async def say(self, prompt: Prompt) -> Reply:
        """The answer to a prompt, tool calls included."""
        ...

    async def ask(self, prompt: Prompt, answer: type[T], *, hear: Callable[[Reply], None] | None = None) -> T:
        """The answer as a valid ``answer``; a validation error goes back to the model a set number of times.

        ``hear`` is called with every reply on the way, the unusable ones included. AnswerError where there is none to
        be had; that is a failure to answer, never a score.
        """
        ...
