"""Chat messages as JSONL, a trajectory a line, in the form of chat completions.

    {"id": ..., "messages": [{"role": "assistant", "content": ..., "tool_calls": [...]}, ...], "tools": [...],
     "metadata": {...}}

Chat completions have no place for exit codes and for what was cut, so both stand in the metadata:
``exit_codes`` by call, ``truncated`` as positions of messages. Images that were shown are not part of an export: the
answer of the tool says in words that there was one, and ``images`` (only where there are some) names their sha256 by
call. With these, :func:`read_messages` gives the trajectory's messages back exactly.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import RecordError
from ..records import Admitted, Message, ToolCall, Trajectory, write_bytes
from .tools import check_tools, offered

FILE = "messages.jsonl"


def write_chat(records: Sequence[Admitted], folder: Path) -> Path:
    """Write ``folder/messages.jsonl``; returns its path. StorageError where the disk refuses."""
    path = folder / FILE
    lines = [json.dumps(chat_line(record), ensure_ascii=False) + "\n" for record in records]
    write_bytes(path, "".join(lines).encode())
    return path


def chat_line(record: Admitted) -> dict[str, Any]:
    """One record as chat messages. RecordError where a message can't be written in this form."""
    check_tools(record.trajectory)
    return {
        "id": record.spec.id,
        "messages": chat_messages(record.trajectory),
        "tools": offered(record.trajectory),
        "metadata": metadata(record),
    }


def chat_messages(trajectory: Trajectory) -> list[dict[str, Any]]:
    """The messages in the form of chat completions; arguments are JSON text."""
    return [_message(message, trajectory.task) for message in trajectory.messages]


def _message(message: Message, task: str) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        plain["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in message.calls
        ]
    if message.role == "tool":
        if message.call is None:
            raise RecordError(f"A tool message of {task} names no call", "Run the rollouts again")
        plain["tool_call_id"] = message.call
    return plain


def metadata(record: Admitted) -> dict[str, Any]:
    """What is known of the task, the work and the verdict, apart from the messages."""
    spec, trajectory, verdict = record.spec, record.trajectory, record.verdict
    images = {message.call: list(message.images) for message in trajectory.messages if message.images}
    return {
        "workspace": spec.workspace,
        "occupation": spec.occupation,
        "sector": spec.sector,
        "topic": spec.topic,
        "pattern": spec.pattern,
        "input_files": list(spec.files),
        "deliverables": [artifact.model_dump() for artifact in trajectory.artifacts],
        "agent": trajectory.agent,
        "informed": trajectory.informed,
        "status": trajectory.status,
        "judge": verdict.judge,
        "score": verdict.score,
        "exit_codes": {
            message.call: message.exit_code
            for message in trajectory.messages
            if message.call is not None and message.exit_code is not None
        },
        "truncated": [place for place, message in enumerate(trajectory.messages) if message.truncated],
    } | ({"images": images} if images else {})


def read_messages(line: str) -> tuple[Message, ...]:
    """The messages of an exported line, as they were in the trajectory."""
    content = json.loads(line)
    codes, cut = content["metadata"]["exit_codes"], set(content["metadata"]["truncated"])
    images = content["metadata"].get("images", {})
    return tuple(
        Message(
            role=plain["role"],
            content=plain["content"],
            calls=tuple(
                ToolCall(
                    id=call["id"],
                    name=call["function"]["name"],
                    arguments=json.loads(call["function"]["arguments"]),
                )
                for call in plain.get("tool_calls", ())
            ),
            call=plain.get("tool_call_id"),
            exit_code=codes.get(plain.get("tool_call_id")),
            truncated=place in cut,
            images=tuple(images.get(plain.get("tool_call_id"), ())),
        )
        for place, plain in enumerate(content["messages"])
    )
