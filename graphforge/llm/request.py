"""A prompt as it goes to a model, and the key under which its answer is kept."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .emulation import emulate
from .model import Model
from .prompt import Prompt, Turn

# Bytes a token, on the low side, so that estimates are rather too high; and what a turn and an image add.
_BYTES_A_TOKEN = 3.0
_TURN_TOKENS = 8
IMAGE_TOKENS = 1600


@dataclass(frozen=True)
class Request:
    """``body`` is what is sent, as canonical JSON without anything secret, and ``key`` its sha256.

    Where the model answers, and on whose account, is no part of it: a server may move. ``tokens`` estimates the input.
    """

    key: str
    body: str
    parameters: dict[str, Any]
    tokens: int
    emulated: bool

    @classmethod
    def of(
        cls, prompt: Prompt, model: Model, schema: dict[str, Any] | None, final: bool = False
    ) -> "Request":
        """``schema``: of the answer, for the model's own schema mode. ``final``: no tool may be called any more."""
        turns = prompt.turns if model.sees else tuple(map(_told, prompt.turns))
        emulated = bool(prompt.tools) and model.tools == "schema" and not final
        if emulated:
            tokens = model.max_tokens if model.answers == "grammar" else None
            turns, schema = emulate(turns, prompt.tools, tokens=tokens)
        elif model.tools == "schema" and any(turn.calls for turn in turns):
            turns, _ = emulate(turns, prompt.tools)
        parameters: dict[str, Any] = {
            "model": model.name,
            "messages": _conversation(turns),
            **model.sampling(),
        }
        if prompt.tools and model.tools == "native":
            parameters["tools"] = [
                {"type": "function", "function": tool.model_dump()} for tool in prompt.tools
            ]
            if final:
                parameters["tool_choice"] = "none"
        if schema is not None:
            parameters["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            }
        body = json.dumps(
            {**parameters, "sample": prompt.sample}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        images = [url for turn in turns for url in turn.images]
        text = len(body.encode()) - sum(map(len, images))
        return cls(
            key=hashlib.sha256(body.encode()).hexdigest(),
            body=body,
            parameters=parameters,
            tokens=int(text / _BYTES_A_TOKEN) + _TURN_TOKENS * len(turns) + IMAGE_TOKENS * len(images),
            emulated=emulated,
        )


def _told(turn: Turn) -> Turn:
    """The turn for a model that takes no images. Some endpoints drop them without a word; this says so."""
    if not turn.images:
        return turn
    note = f"({len(turn.images)} image(s) that you can't see)"
    return turn.model_copy(update={"content": f"{turn.content}\n{note}".strip(), "images": ()})


def _conversation(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    shown: tuple[str, ...] = ()
    for turn, after in zip(turns, [*turns[1:], None], strict=True):
        messages.append(_message(turn))
        if turn.role != "tool":
            continue
        # The answer of a tool is text; what it shows follows as the user's, after the answers to all calls of a turn.
        shown += turn.images
        if shown and (after is None or after.role != "tool"):
            messages.append({"role": "user", "content": _parts("", shown)})
            shown = ()
    return messages


def _message(turn: Turn) -> dict[str, Any]:
    if turn.role == "tool":
        return {"role": "tool", "tool_call_id": turn.call or "", "content": turn.content}
    message: dict[str, Any] = {"role": turn.role, "content": turn.content}
    if turn.images:
        message["content"] = _parts(turn.content, turn.images)
    if turn.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.calls
        ]
    return message


def _parts(text: str, images: tuple[str, ...]) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    return said + [{"type": "image_url", "image_url": {"url": url}} for url in images]
