"""The tools of the trajectories as JSON schemas, in the form of chat completions."""

from collections.abc import Mapping
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
    {
        "type": "function",
        "function": {
            "name": "view_file",
            "description": (
                "Show numbered lines of a text file, at most 400 at a time, long lines cut. "
                "Other formats need a script."
            ),
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {**_TEXT, "description": "The file, relative to the working folder."},
                    "first_line": {
                        "type": "integer",
                        "minimum": 1,
                        "default": 1,
                        "description": "The first line to show; 1 where left out.",
                    },
                    "last_line": {
                        "type": ["integer", "null"],
                        "minimum": 1,
                        "default": None,
                        "description": "The last line to show.",
                    },
                },
                "required": ["path"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "view_page",
            "description": (
                "Look at a page of a pdf, xlsx, docx or pptx file, or at an image, as it is rendered. "
                "Text needs view_file."
            ),
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {**_TEXT, "description": "The file, relative to the working folder."},
                    "page": {
                        "type": "integer",
                        "minimum": 1,
                        "default": 1,
                        "description": "The page to look at; 1 where left out.",
                    },
                },
                "required": ["path"],
                "additionalProperties": False,
            },
        },
    },
)
# The reference agent, which alone is informed, is told of no other.
_OF_THE_REFERENCE = ("bash", "write_file")
_OF_ONE_THAT_SEES = "view_page"
_TYPES: dict[str, type] = {"string": str, "integer": int, "null": type(None)}


def offered(trajectory: Trajectory) -> list[dict[str, Any]]:
    """The tools that the agent of the trajectory was told of; view_page only where it was taken as one that sees.

    Whether it was stands in no record, but a call of a tool that isn't there is answered with exit code 2.
    """
    saw = any(
        call.name == _OF_ONE_THAT_SEES and answer is not None and answer.exit_code != 2
        for call, answer in trajectory.tool_calls()
    )
    names = {tool["function"]["name"] for tool in TOOLS} - (set() if saw else {_OF_ONE_THAT_SEES})
    if trajectory.informed:
        names = set(_OF_THE_REFERENCE)
    return [tool for tool in TOOLS if tool["function"]["name"] in names]


def misfit(trajectory: Trajectory) -> str | None:
    """The first call that fits no schema of an offered tool, as "name(arguments)", or None where all fit.

    A model makes such calls, is told so, and may well complete its task; but nobody should learn to make them.
    """
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in offered(trajectory)}
    for call, _ in trajectory.tool_calls():
        if call.name not in schemas or not _fits(call.arguments, schemas[call.name]):
            return f"{call.name}({', '.join(call.arguments)})"
    return None


def check_tools(trajectory: Trajectory) -> None:
    """RecordError where a call fits no schema."""
    if call := misfit(trajectory):
        raise RecordError(
            f"The trajectory of {trajectory.task} calls {call}, for which there is no schema",
            "Add the tool to graphforge/export/tools.py, or leave the trajectory out",
        )


def _fits(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    properties = schema["properties"]
    if not set(schema["required"]) <= set(arguments) <= set(properties):
        return False
    return all(_is(value, properties[name]["type"]) for name, value in arguments.items())


def _is(value: Any, kinds: str | list[str]) -> bool:
    allowed = [kinds] if isinstance(kinds, str) else kinds
    return not isinstance(value, bool) and any(isinstance(value, _TYPES[kind]) for kind in allowed)
