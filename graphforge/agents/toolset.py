"""The tools of an agent that is a model: what the model is told of them, and what a call does in the sandbox.

    tool = read_call(Call(id="x", name="bash", arguments='{"command": "ls"}'))     # BadCall where it is none
    result = tool.use(room)

Files are written and viewed by commands in the sandbox too and not by our own process: a link that the model made must
lead no further than a command of the model could go.
"""

import base64
import json
import posixpath
import shlex
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from ..llm import Call, Tool
from ..records import explain
from .page import PageView, show_page
from .sandbox import CommandResult, SandboxRoom

# Linux takes no argument longer than 128 KiB; base64 makes three bytes into four.
_LONGEST = 100_000
_CHUNK = 60_000
# What a view shows at most: lines, and characters of a line.
_LINES = 400
_WIDTH = 400


class BadCall(Exception):
    """The model called a tool that doesn't exist, or with arguments that it doesn't take."""


def _inside(path: str) -> str:
    """The path, relative to the working folder."""
    plain = posixpath.normpath(path)
    if not path or "\0" in path or plain.startswith(("/", "..")) or plain == ".":
        raise ValueError("the path must lie in the working folder, and be written relative to it")
    return plain


Inside = Annotated[str, AfterValidator(_inside)]


class _Call(BaseModel):
    # Strict: what is accepted here fits the schema to the letter, and so can be exported with it.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Bash(_Call):
    """Run a bash command in the working folder; returns what it prints."""

    command: str = Field(description="The command, possibly of several lines.")

    def use(self, room: SandboxRoom) -> CommandResult:
        """Run it. What the system would not even start is the model's fault and not the sandbox's."""
        if "\0" in self.command or len(self.command.encode()) > _LONGEST:
            told = (
                f"a command has at most {_LONGEST:,} bytes, none of them null; write a script with write_file"
            )
            return CommandResult(exit_code=2, output=told)
        return room.run(self.command)


class WriteFile(_Call):
    """Write a text file into the working folder, replacing it where it exists."""

    path: Inside = Field(description="Where to write, relative to the working folder.")
    content: str = Field(description="The whole content of the file.")

    def use(self, room: SandboxRoom) -> CommandResult:
        """Write it piece by piece: a command line has a greatest length."""
        path = shlex.quote(f"./{self.path}")
        raw = self.content.encode("utf-8", errors="replace")
        result = room.run(f"mkdir -p -- {shlex.quote(posixpath.dirname(f'./{self.path}'))} && : > {path}")
        for start in range(0, len(raw), _CHUNK):
            if result.exit_code != 0:
                return result
            piece = base64.b64encode(raw[start : start + _CHUNK]).decode()
            result = room.run(f"printf %s {piece} | base64 -d >> {path}")
        if result.exit_code != 0:
            return result
        lines = len(self.content.splitlines())
        return CommandResult(exit_code=0, output=f"wrote {self.path}, {lines} lines")


class ViewFile(_Call):
    """Show numbered lines of a text file, at most 400 at a time, long lines cut. Other formats need a script."""

    path: Inside = Field(description="The file, relative to the working folder.")
    first_line: int = Field(default=1, ge=1, description="The first line to show; 1 where left out.")
    last_line: int | None = Field(default=None, ge=1, description="The last line to show.")

    def use(self, room: SandboxRoom) -> CommandResult:
        """Show them and say how long the file is."""
        last = self.first_line + _LINES - 1
        if self.last_line is not None:
            last = min(last, max(self.first_line, self.last_line))
        path, name = shlex.quote(f"./{self.path}"), shlex.quote(self.path)
        return room.run(
            f"if [ ! -f {path} ]; then echo there is no file {name} >&2; exit 1; fi\n"
            # A null byte is what text doesn't have.
            f"if [ $(head -c 65536 {path} | tr -d '\\000' | wc -c) -ne $(head -c 65536 {path} | wc -c) ]; then\n"
            f"  echo {name} is no text file, use a script >&2; exit 1; fi\n"
            f"awk -v a={self.first_line} -v b={last} -v w={_WIDTH} '"
            'NR >= a && NR <= b { printf "%6d  %s%s\\n", NR, substr($0, 1, w), (length($0) > w ? " [cut]" : "") } '
            'END { if (NR > b) printf "[%d lines in all]\\n", NR; '
            'else if (NR < a) printf "[the file has %d lines]\\n", NR }\' ' + path
        )


class ViewPage(_Call):
    """Look at a page of a pdf, xlsx, docx or pptx file, or at an image, as it is rendered. Text needs view_file."""

    path: Inside = Field(description="The file, relative to the working folder.")
    page: int = Field(default=1, ge=1, description="The page to look at; 1 where left out.")

    def use(self, room: SandboxRoom) -> PageView:
        """Render it in the sandbox."""
        return show_page(room, self.path, self.page)


Use = Bash | WriteFile | ViewFile | ViewPage

TOOLS: dict[str, type[Bash] | type[WriteFile] | type[ViewFile]] = {
    "bash": Bash,
    "write_file": WriteFile,
    "view_file": ViewFile,
}
# For a model that sees, beside the others.
SEEING: dict[str, type[ViewPage]] = {"view_page": ViewPage}


def described(*, sees: bool) -> tuple[Tool, ...]:
    """The tools as a model is told of them; what shows images only to one that sees."""
    return tuple(
        Tool(name=name, description=(tool.__doc__ or "").strip(), parameters=_plain(tool.model_json_schema()))
        for name, tool in _offered(sees).items()
    )


def read_call(call: Call, *, sees: bool) -> Use:
    """What the model wants done. BadCall says what is wrong in words for the model."""
    offered = _offered(sees)
    tool = offered.get(call.name)
    if tool is None:
        raise BadCall(f"there is no tool {call.name!r}; there are {', '.join(offered)}")
    try:
        return tool.model_validate_json(call.arguments)
    except ValidationError as error:
        raise BadCall(f"the arguments of {call.name} are wrong: {explain(error)}") from None


def plain_arguments(call: Call) -> dict[str, str | int | float | bool | None]:
    """The arguments as a record holds them; what is no flat object stands whole under ``arguments``."""
    try:
        arguments = from_json(call.arguments, allow_inf_nan=False)
    except ValueError:
        return {"arguments": call.arguments}
    if isinstance(arguments, dict):
        if all(value is None or isinstance(value, str | int | float) for value in arguments.values()):
            return arguments
    return {"arguments": call.arguments}


def as_json(call: Call) -> str:
    """The arguments as the model wrote them where they are a JSON object, and wrapped in one otherwise."""
    try:
        wrapped = not isinstance(from_json(call.arguments), dict)
    except ValueError:
        wrapped = True
    return json.dumps({"arguments": call.arguments}, ensure_ascii=False) if wrapped else call.arguments


def _offered(sees: bool) -> Mapping[str, type[Use]]:
    return {**TOOLS, **SEEING} if sees else TOOLS


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without what only says how our class is called."""
    properties = {
        name: {key: value for key, value in part.items() if key not in {"title", "maxLength"}}
        for name, part in schema["properties"].items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": schema["required"],
        "additionalProperties": False,
    }
