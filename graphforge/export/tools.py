"""The tools of the trajectories as JSON schemas, in the form of chat completions."""

from typing import Any

from ..errors import RecordError
from ..records import Trajectory

_TEXT = {"type": "string"}

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "type": "function",
        "function": {
            "name": "bash",
            "description": "Run a bash command in the working folder; returns what it prints.",
            "parameters": {
                "type": "object",
                "properties": {
                    "command": {**_TEXT, "description": "The command, possibly of several lines."}
                },
                "required": ["command"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Write a text file into the working folder, replacing it where it exists.",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {**_TEXT, "description": "Where to write, relative to the working folder."},
                    "content": {**_TEXT, "description": "The whole content of the file."},
                },
                "required": ["path", "content"],
                "additionalProperties": False,
            },
        },
    },
)


def check_tools(trajectory: Trajectory) -> None:
    """RecordError where the trajectory calls a tool without a schema, or leaves out an argument or adds one."""
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    for call, _ in trajectory.tool_calls():
        if call.name not in schemas or set(call.arguments) != set(schemas[call.name]["required"]):
            raise RecordError(
                f"The trajectory of {trajectory.task} calls {call.name}({', '.join(call.arguments)}), "
                "for which there is no schema",
                "Add the tool to graphforge/export/tools.py",
            )
