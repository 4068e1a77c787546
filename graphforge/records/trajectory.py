"""What an agent did, as chat messages with tool calls, and what it handed over."""

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from .base import FileName, Identifier, Record, Sha256

Status = Literal["completed", "failed", "max_turns", "llm_error", "timeout", "sandbox_error"]


class ToolCall(Record):
    """A call of a tool with its arguments, in the order it was made."""

    id: Identifier
    name: str
    arguments: dict[str, str | int | float | bool | None]


class Message(Record):
    """A chat message. A tool message answers ``call`` and says whether the tool failed.

    ``images``: what was shown with it, kept as the deliverables are. A message without any has no such field in its
    JSON.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    call: Identifier | None = None
    exit_code: int | None = None
    truncated: bool = False
    images: tuple[Sha256, ...] = ()

    @model_serializer(mode="wrap")
    def _without_nothing(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = plain(self)
        if not self.images:
            content.pop("images", None)
        return content


class Artifact(Record):
    """A harvested deliverable, stored by its hash."""

    name: FileName
    sha256: Sha256
    bytes: int = Field(ge=0)


class Trajectory(Record):
    """One rollout. Wall times are kept out of the record, so that equal work gives equal bytes.

    ``informed`` says that the agent was given the hidden solution (the reference agent), so that nobody
    mistakes it for a model's work.
    """

    task: Identifier
    agent: str
    informed: bool
    statement_hash: Sha256
    status: Status
    messages: tuple[Message, ...] = Field(min_length=1)
    artifacts: tuple[Artifact, ...] = ()
    detail: str = ""

    def kept(self) -> list[str]:
        """The sha256 of every file that belongs to the rollout: deliverables, and images that were shown."""
        shown = [image for message in self.messages for image in message.images]
        return list(dict.fromkeys([*(artifact.sha256 for artifact in self.artifacts), *shown]))

    def tool_calls(self) -> list[tuple[ToolCall, Message | None]]:
        """Every tool call with the message that answered it, or None where none did."""
        answers = {message.call: message for message in self.messages if message.role == "tool"}
        return [(call, answers.get(call.id)) for message in self.messages for call in message.calls]
