"""The reply in a recorded answer. Recorded answers outlive this file: when it changes, they are read anew."""

import json
from collections.abc import Sequence
from typing import Any

from .emulation import unpack
from .failures import AnswerError
from .ledger import Answer
from .prompt import Call, Prompt
from .reply import Finish, Reply

_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}


def read(answer: Answer, key: str, prompt: Prompt, emulated: bool, from_ledger: bool) -> Reply:
    """The reply. AnswerError ("invalid") where an emulated call of a tool can't be read."""
    choice = json.loads(answer.raw)["choices"][0]
    message = choice.get("message") or {}
    text = _text(message.get("content"))
    calls = _calls(message.get("tool_calls") or ())
    finish = _FINISHES.get(choice.get("finish_reason") or "stop", "stop")
    if refusal := message.get("refusal"):
        text, finish = str(refusal), "content_filter"
    if emulated and finish == "stop":
        text, calls = unpack(text, prompt.tools, prompt.turns)
    if calls and finish == "stop":
        finish = "tool_calls"
    return Reply(
        text=text,
        calls=calls,
        finish=finish,
        usage=answer.usage,
        cost=answer.cost,
        key=key,
        from_ledger=from_ledger,
    )


def usable(reply: Reply) -> None:
    """AnswerError where the model was cut off or refused."""
    if reply.finish == "length":
        raise AnswerError(
            "truncated",
            f"The answer was cut off after {reply.usage.output} tokens (request {reply.key[:12]})",
            "Raise max_tokens of the model, or ask for less at once",
        )
    if reply.finish == "content_filter":
        raise AnswerError(
            "refused", f"The model refused to answer (request {reply.key[:12]})", "Choose another model"
        )


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def _calls(said: Sequence[dict[str, Any]]) -> tuple[Call, ...]:
    calls = []
    for number, one in enumerate(said, 1):
        function = one.get("function") or {}
        arguments = function.get("arguments")
        calls.append(
            Call(
                id=str(one.get("id") or f"call_{number}"),
                name=str(function.get("name") or ""),
                arguments=arguments if isinstance(arguments, str) else json.dumps(arguments or {}),
            )
        )
    return tuple(calls)
