"""ShareGPT as JSONL, in the dialect of function-calling data: turns of system, human, gpt and tool.

A call stands in its gpt turn as ``<tool_call>`` with JSON, an answer in the following tool turn as
``<tool_response>`` with JSON; several answers share a turn, so that gpt and others alternate. The tools are named
in the system turn. ``</`` is written ``<\\/`` inside the JSON, so that no content can close a tag.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import RecordError
from ..records import Admitted, Message, Trajectory, write_bytes
from .chat import metadata
from .tools import check_tools, offered

FILE = "conversations.jsonl"

_NAMES = {"system": "system", "user": "human", "assistant": "gpt", "tool": "tool"}


def write_sharegpt(records: Sequence[Admitted], folder: Path) -> Path:
    """Write ``folder/conversations.jsonl``; returns its path. StorageError where the disk refuses."""
    path = folder / FILE
    lines = [json.dumps(sharegpt_line(record), ensure_ascii=False) + "\n" for record in records]
    write_bytes(path, "".join(lines).encode())
    return path


def sharegpt_line(record: Admitted) -> dict[str, Any]:
    """One record as a ShareGPT conversation. RecordError where an answer names a call that nobody made."""
    check_tools(record.trajectory)
    called = {call.id: call.name for call, _ in record.trajectory.tool_calls()}
    turns: list[dict[str, str]] = []
    for message in record.trajectory.messages:
        value = _value(message, called, record.trajectory)
        if message.role == "tool" and turns and turns[-1]["from"] == "tool":
            turns[-1]["value"] += "\n" + value
        else:
            turns.append({"from": _NAMES[message.role], "value": value})
    return {"id": record.spec.id, "conversations": turns, "metadata": metadata(record)}


def _value(message: Message, called: dict[str, str], trajectory: Trajectory) -> str:
    if message.role == "system":
        tools = _json([tool["function"] for tool in offered(trajectory)])
        return f"{message.content}\n\n<tools>\n{tools}\n</tools>"
    if message.role == "tool":
        if message.call is None or message.call not in called:
            raise RecordError(
                f"A tool message of {trajectory.task} answers no call", "Run the rollouts again"
            )
        answer = {"name": called[message.call], "content": message.content}
        return f"<tool_response>\n{_json(answer)}\n</tool_response>"
    calls = [
        f"<tool_call>\n{_json({'name': call.name, 'arguments': call.arguments})}\n</tool_call>"
        for call in message.calls
    ]
    return "\n".join([*filter(None, [message.content]), *calls])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")
