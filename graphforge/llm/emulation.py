"""Tool calls for a model whose server ignores ``tools``: described in words, answered under a schema.

    turns, schema = emulate(prompt.turns, prompt.tools)      # schema: for response_format
    text, calls = unpack(answer, prompt.tools, prompt.turns)

One call a turn, or a closing answer. What was called before and what came back is retold in plain turns.
"""

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from .closed import closed, ending
from .failures import AnswerError
from .prompt import Call, Tool, Turn


def emulate(
    turns: Sequence[Turn], tools: Sequence[Tool], *, tokens: int | None = None
) -> tuple[tuple[Turn, ...], dict[str, Any]]:
    """The conversation without calls and tool turns, and the schema of the next turn of the assistant.

    The description of the tools joins the first system turn, or becomes one. ``tokens``: the turn ends within these,
    see :func:`~graphforge.llm.closed.ending`.
    """
    text = resources.files(__package__).joinpath("emulation.md").read_text(encoding="utf-8")
    rules = text.format(tools="\n\n".join(_described(tool) for tool in tools)).strip()
    plain = [_plain(turn) for turn in turns]
    place = next((i for i, turn in enumerate(plain) if turn.role == "system"), None)
    if place is None:
        plain.insert(0, Turn(role="system", content=rules))
    else:
        first = plain[place]
        plain[place] = first.model_copy(update={"content": f"{first.content}\n\n{rules}"})
    answer = _object(answer={"type": "string"})
    if tokens is None:
        uses = [_object(tool={"const": tool.name}, arguments=closed(tool.parameters)) for tool in tools]
        return tuple(plain), {"anyOf": [*uses, answer]}
    named: dict[str, Any] = {}
    uses = [_object(tool={"const": tool.name}, arguments=_lifted(tool, named)) for tool in tools]
    whole = {"anyOf": [*uses, answer]} | ({"$defs": named} if named else {})
    return tuple(plain), ending(whole, tokens)


def _lifted(tool: Tool, named: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a tool with their named parts moved to ``named``: references start at the root of a schema."""

    def renamed(part: Any) -> Any:
        if isinstance(part, list):
            return [renamed(one) for one in part]
        if not isinstance(part, dict):
            return part
        return {
            key: value.replace("#/$defs/", f"#/$defs/{tool.name}.") if key == "$ref" else renamed(value)
            for key, value in part.items()
        }

    parameters = renamed(tool.parameters)
    for name, part in parameters.pop("$defs", {}).items():
        named[f"{tool.name}.{name}"] = part
    return parameters


def unpack(text: str, tools: Sequence[Tool], turns: Sequence[Turn]) -> tuple[str, tuple[Call, ...]]:
    """What the model said and the calls it made. ``turns`` are those it answered: they number the next call.

    AnswerError ("invalid") where it is neither; whether the text was cut off is known only to the caller.
    """
    try:
        said = json.loads(text)
    except ValueError as error:
        raise _invalid(f"it is no JSON ({error})") from None
    match said:
        case {"answer": str(answer), **rest} if not rest:
            return answer, ()
        case {"tool": str(name), "arguments": dict(arguments), **rest} if not rest:
            if name not in {tool.name for tool in tools}:
                raise _invalid(f"there is no tool {name!r}")
            number = 1 + sum(len(turn.calls) for turn in turns)
            call = Call(id=f"call_{number}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
            return "", (call,)
    raise _invalid("it is neither a call of a tool nor an answer")


def _described(tool: Tool) -> str:
    return (
        f"{tool.name}: {tool.description}\nIts arguments: {json.dumps(tool.parameters, ensure_ascii=False)}"
    )


def _plain(turn: Turn) -> Turn:
    """The turn as one that any chat template knows."""
    if turn.role == "tool":
        return Turn(role="user", content=f"Result of {turn.call}:\n{turn.content}", images=turn.images)
    if not turn.calls:
        return turn
    calls = [f'{{"tool": {json.dumps(call.name)}, "arguments": {call.arguments}}}' for call in turn.calls]
    return turn.model_copy(update={"content": "\n".join(filter(None, [turn.content, *calls])), "calls": ()})


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _invalid(why: str) -> AnswerError:
    return AnswerError(
        "invalid", f"The model's turn can't be read: {why}", "Its words are in the ledger; ask again"
    )
