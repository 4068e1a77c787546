"""The reference agent: a careful analyst's way through a task, by real commands.

It is given the task's hidden solution (a :class:`~graphforge.records.Plan`: which columns to read and what to
compute, no results) and says so in its record: ``informed`` is true. It is no model. What it shows is that the
task can be done from the original files alone, and what a good trajectory of it looks like: it lists the
files, looks at the ones it needs, writes a script, runs it, and opens what it wrote once more.

    trajectory = ReferenceAgent(name="reference", head_rows=6, artifact_bytes=20_000_000).run(
        spec.public_view(), {"prices.xlsx": path}, Path("data/pilot/files"), sandbox, spec.solution
    )

Paper section 3.4 (rollouts).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from ..errors import RecordError, SandboxError
from ..records import (
    Artifact,
    Message,
    Plan,
    PublicTask,
    ReadColumn,
    Status,
    ToolCall,
    Trajectory,
    statement_hash,
)
from . import looking, script
from .harvest import harvest
from .layout import lay_out
from .sandbox import Sandbox, SandboxRoom

SYSTEM = (
    "You are a careful analyst working in a folder with the input files of your task in inputs/ (read-only). "
    "Hand over the deliverables in outputs/, under exactly the names asked for. You have two tools: bash runs "
    "a command in the folder, write_file writes a text file there. Work from the original files, compute with a "
    "script instead of by hand, keep formulas live in spreadsheets, name your sources, and check what you wrote."
)
SCRIPT_NAME = "analysis.py"


class ReferenceAgent(BaseModel):
    """Settings of the reference agent.

    Args:
        name: how the agent is called in its trajectories.
        head_rows: rows of a table it looks at before and after the first data row.
        artifact_bytes: largest deliverable that is harvested, in bytes; a larger one is left behind.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    needs_plan: ClassVar[bool] = True
    needs_speaker: ClassVar[bool] = False

    name: str
    head_rows: int = Field(ge=1)
    artifact_bytes: int = Field(ge=1)

    def run(
        self,
        task: PublicTask,
        inputs: Mapping[str, Path],
        keep: Path,
        sandbox: Sandbox,
        solution: Plan | None,
    ) -> Trajectory:
        """Execute the plan and harvest the promised deliverables into ``keep/<sha256>``.

        ``inputs`` maps each file name of the task to the stored file, which is copied and never touched. The
        status is "completed" only where every command succeeded; "failed" where one did not, "timeout" where
        one was killed at the deadline, "sandbox_error" where the sandbox itself broke down.
        RecordError where there is no plan or it can't be executed as it stands, StorageError where ``keep`` can't be
        written.
        """
        if solution is None:
            raise RecordError(
                f"Task {task.task} has no plan, and the reference agent finds none on its own",
                "Give the task to an agent that a model drives",
            )
        # Rendered first: a plan that can't be executed is an error of the task, not an attempt at it.
        source = script.render(solution)
        talk = _Talk(task)
        artifacts: tuple[Artifact, ...] = ()
        try:
            with sandbox.open() as room:
                lay_out(room, task, inputs)
                talk.enter(room)
                self._work(talk, solution, source)
                artifacts, left_out = harvest(room.outputs, task, keep, self.artifact_bytes)
                talk.detail = "; ".join([*filter(None, [talk.detail]), *left_out])
        except SandboxError as error:
            talk.status, talk.detail = "sandbox_error", error.what
        return Trajectory(
            task=task.task,
            agent=self.name,
            informed=True,
            statement_hash=statement_hash(task.request),
            status=talk.status,
            messages=tuple(talk.messages),
            artifacts=artifacts,
            detail=talk.detail,
        )

    def _work(self, talk: "_Talk", plan: Plan, source: str) -> None:
        """The analyst's turns. Stops at the first command that fails and says so."""
        deliverables = ", ".join(output.file for output in plan.outputs)
        try:
            talk.bash("I'll see first which files there are.", "wc -c inputs/*")
            for place, reads in enumerate(_by_table(plan)):
                labels = " and ".join(f"“{read.label}”" for read in reads)
                why = (
                    "Before I read it by position I look where its header and its rows are and what stands around them."
                    if place == 0
                    else "The same look at its layout first."
                )
                talk.bash(f"I need {labels} from {reads[0].file}. {why}", looking.look(reads, self.head_rows))
            for quoted in plan.quoted:
                talk.bash(
                    f"“{quoted.label}” stands in the text of {quoted.file}. I read the sentences that state it.",
                    looking.look_up(quoted),
                )
            for name in _only_cited(plan):
                talk.bash(f"{name} belongs to the picture too: I read what it says.", looking.glance(name))
            talk.write(_intention(plan), SCRIPT_NAME, source)
            talk.bash("Now I run it.", f"python3 {SCRIPT_NAME}")
            found = talk.last_output
            for output in plan.outputs:
                talk.bash(
                    f"I open {output.file} again to check what a reader will find.", looking.check(output)
                )
        except _Stopped as stop:
            talk.say(f"{stop} I stop here: {deliverables} can't be handed over as asked.")
            return
        talk.say(_closing(plan, found))


class _Stopped(Exception):
    """A command failed or ran out of time: the work ends."""


class _Talk:
    """The conversation as it grows: every turn of the assistant and every answer of a tool."""

    def __init__(self, task: PublicTask):
        self.messages = [Message(role="system", content=SYSTEM), Message(role="user", content=task.request)]
        self.status: Status = "completed"
        self.detail = ""
        self.last_output = ""
        self._room: SandboxRoom | None = None
        self._calls = 0

    def enter(self, room: SandboxRoom) -> None:
        """Commands run in this room from now on."""
        self._room = room

    def say(self, text: str) -> None:
        """A turn without a tool call, which ends the work."""
        self.messages.append(Message(role="assistant", content=text))

    def bash(self, text: str, command: str) -> None:
        """Say why, run a command, record what it gave. Raises _Stopped where it failed."""
        assert self._room is not None
        call = self._call(text, "bash", {"command": command})
        result = self._room.run(command)
        self.last_output = result.output
        self._answer(call, result.output, result.exit_code, result.truncated)
        if result.timed_out:
            self.status, self.detail = "timeout", f"{call} was killed at the deadline"
            raise _Stopped("The command took too long and was stopped.")
        if result.exit_code != 0:
            self.status, self.detail = "failed", f"{call} ended with exit code {result.exit_code}"
            raise _Stopped(f"The command failed with exit code {result.exit_code}.")

    def write(self, text: str, path: str, content: str) -> None:
        """Say why and write a text file into the workspace. SandboxError where that is impossible."""
        assert self._room is not None
        call = self._call(text, "write_file", {"path": path, "content": content})
        try:
            (self._room.workspace / path).write_text(content, encoding="utf-8")
            self._room.own(self._room.workspace / path)
        except OSError as error:
            raise SandboxError(
                f"{path} could not be written into the sandbox ({error})",
                "Check that the temporary folder has space",
            ) from None
        self._answer(call, f"wrote {path}, {len(content.splitlines())} lines", 0, False)

    def _call(self, text: str, name: str, arguments: dict[str, str | int | float | bool | None]) -> str:
        self._calls += 1
        call = ToolCall(id=f"call_{self._calls}", name=name, arguments=arguments)
        self.messages.append(Message(role="assistant", content=text, calls=(call,)))
        return call.id

    def _answer(self, call: str, content: str, exit_code: int, truncated: bool) -> None:
        self.messages.append(
            Message(role="tool", content=content, call=call, exit_code=exit_code, truncated=truncated)
        )


def _by_table(plan: Plan) -> list[list[ReadColumn]]:
    """The reads grouped by the table they come from, in order."""
    groups: dict[str, list[ReadColumn]] = {}
    for read in plan.reads:
        groups.setdefault(script.reader(read), []).append(read)
    return list(groups.values())


def _only_cited(plan: Plan) -> list[str]:
    """Files that are cited without a column or a quotation read from them: rules, notes."""
    read = {one.file for one in plan.reads} | {one.file for one in plan.quoted}
    return [name for name in dict.fromkeys(citation.file for citation in plan.citations) if name not in read]


def _intention(plan: Plan) -> str:
    """What the script will do and why, for the turn that writes it."""
    columns = [*plan.reads, *plan.quoted]
    sentences = []
    if len(columns) > 1:
        sentences.append(
            "The columns come from different places, so I match their rows by name, without regard to case, accents "
            "and punctuation, and keep the rows that every column has."
        )
    if plan.derived:
        sentences.append("Then I compute " + ", ".join(f"“{column.label}”" for column in plan.derived) + ".")
    if plan.keep or plan.limit:
        sentences.append("Only the rows that were asked for go into the results.")
    if any(output.family == "xlsx" for output in plan.outputs):
        sentences.append("Computed cells and totals go into the workbook as formulas, so that it stays live.")
    sentences.append("A script does this from the original files, so that every figure can be traced.")
    return " ".join(sentences)


def _closing(plan: Plan, found: str) -> str:
    """The last turn: what was handed over, and the figures the script printed."""
    lines = ["Done. In outputs/:"]
    lines += [f"- {output.file}: {output.title}" for output in plan.outputs]
    names = {fact.name for fact in plan.facts}
    figures = [line for line in found.splitlines() if line.partition(": ")[0] in names]
    if figures:
        lines += ["", "Key figures, as computed from the files:"]
        for line in figures:
            name, _, figure = line.partition(": ")
            lines.append(f"- {name.replace('_', ' ')}: {figure}")
    lines += ["", "Sources: " + ", ".join(dict.fromkeys(citation.file for citation in plan.citations)) + "."]
    return "\n".join(lines)
