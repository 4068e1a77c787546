"""The native agent: a model with tools (bash, write_file, view_file) in the sandbox, in turns until it is done.

    agent = NativeAgent(name="native", at_once=4, steps=60, tokens=1_500_000, ..., unsafe_sandbox=False)
    trajectory = await agent.run(spec.public_view(), {"prices.xlsx": path}, keep, sandbox, client.role("teacher"),
                                 stage="rollouts")

It sees the statement and the files, nothing else: ``informed`` is false. A model that sees images may also look at
rendered pages (view_page); one that doesn't is never told of it. Paper section 3.4 (rollouts).
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from ..errors import ConfigError, SandboxError
from ..llm import IMAGE_TOKENS, AnswerError, Call, Prompt, ProviderError, Reply, Speaker, Turn, instructions
from ..records import Artifact, Message, PublicTask, Status, ToolCall, Trajectory, statement_hash, write_bytes
from . import toolset
from .harvest import harvest
from .layout import lay_out
from .page import PageView
from .sandbox import CommandResult, Sandbox, SandboxRoom

# Tokens a character where no answer has told yet how the model counts.
_FIRST_GUESS = 0.35
# Share of the context that is filled again after old outputs were dropped: dropping at every turn would spoil the
# provider's cache each time.
_REFILL = 0.75
_DROPPED = "[This output was dropped to make room. Run the command again if you need it.]"
_BAD_CALL = 2


class NativeAgent(BaseModel):
    """Settings of the native agent.

    Every limit ends the work and not the record of it: what was done and handed over until then is kept.

    Args:
        name: how the agent is called in its trajectories.
        at_once: rollouts that a stage works on at a time; each runs commands on this machine.
        steps: turns of the model; status "max_turns" where it is not done by then.
        tokens: tokens of all turns together, prompts and answers; "max_turns" where the next turn would pass it.
        wall_seconds: time for the whole work; "timeout" where it is over. A command that runs then is let end, at
            the latest at the sandbox's own deadline.
        context_tokens: tokens that a prompt may have; above it the oldest outputs are dropped, which the model is told
            in a message of the trajectory. The outputs themselves stay in the trajectory.
        output_chars: characters of a tool's output that are shown; the middle of a longer one is left out.
        artifact_bytes: largest deliverable that is harvested, in bytes.
        bad_turns: turns in a row that can't be used (cut off, empty, calls that no tool takes); one more is "failed".
        unsafe_sandbox: whether commands that a model wrote may run in a sandbox that does not isolate.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    needs_plan: ClassVar[bool] = False
    needs_speaker: ClassVar[bool] = True

    name: str
    at_once: int = Field(ge=1)
    steps: int = Field(ge=1)
    tokens: int = Field(ge=1)
    wall_seconds: float = Field(gt=0)
    context_tokens: int = Field(ge=500)
    output_chars: int = Field(ge=200)
    artifact_bytes: int = Field(ge=1)
    bad_turns: int = Field(ge=0)
    unsafe_sandbox: bool

    def check(self, sandbox: Sandbox) -> None:
        """ConfigError where the sandbox does not isolate and the configuration does not say that this is wanted."""
        if not sandbox.isolates and not self.unsafe_sandbox:
            raise ConfigError(
                f"The agent {self.name} runs commands that a model wrote, and {type(sandbox).__name__} keeps them "
                "neither from the files nor from the network of this machine",
                "Choose a sandbox that isolates (sandbox=bwrap), or set agent.unsafe_sandbox=true on a machine with "
                "nothing to lose",
            )

    async def run(
        self,
        task: PublicTask,
        inputs: Mapping[str, Path],
        keep: Path,
        sandbox: Sandbox,
        speaker: Speaker,
        *,
        stage: str,
        sample: int = 0,
    ) -> Trajectory:
        """Let the model work; the promised deliverables and what it was shown as images go into ``keep/<sha256>``.

        "completed" says that the model ended the work, not that the work is right; "llm_error" and "sandbox_error" are
        failures of ours. ``sample`` tells repeated rollouts of one task apart. ConfigError as :meth:`check`;
        BudgetSpent and NotRecorded stop the run and are no trajectory; StorageError where ``keep`` can't be written.
        """
        self.check(sandbox)
        talk = _Talk(task, stage, sample, keep, sees=speaker.sees)
        artifacts: tuple[Artifact, ...] = ()
        try:
            with sandbox.open() as room:
                lay_out(room, task, inputs)
                await self._work(talk, room, speaker)
                artifacts, left_out = harvest(room.outputs, task, keep, self.artifact_bytes)
                talk.notes += left_out
        except SandboxError as error:
            talk.end("sandbox_error", error.what)
        return Trajectory(
            task=task.task,
            agent=self.name,
            informed=False,
            statement_hash=statement_hash(task.request),
            status=talk.status,
            messages=tuple(talk.messages),
            artifacts=artifacts,
            detail="; ".join(talk.notes),
        )

    async def _work(self, talk: "_Talk", room: SandboxRoom, speaker: Speaker) -> None:
        """Turns until the model ends the work or a limit does."""
        deadline = time.monotonic() + self.wall_seconds
        bad = 0
        for _ in range(self.steps):
            if not talk.make_room(self.context_tokens):
                return talk.end("failed", f"the context of {self.context_tokens:,} tokens is full")
            if talk.spent + talk.size() > self.tokens:
                return talk.end("max_turns", f"the next turn would pass {self.tokens:,} tokens")
            try:
                async with asyncio.timeout(deadline - time.monotonic()):
                    reply = await speaker.say(talk.prompt())
            except TimeoutError:
                return talk.end("timeout", f"the work took {self.wall_seconds:g} s")
            except ProviderError as error:
                return talk.end("llm_error", error.what)
            except AnswerError as error:
                if error.kind == "refused":
                    return talk.end("failed", error.what)
                fault: str | None = error.what
            else:
                talk.count(reply)
                if reply.finish == "content_filter":
                    return talk.end("failed", "the provider's filter held the answer back")
                calls = talk.hear(reply)
                fault = None if calls else _unusable(reply)
                if not calls and fault is None:
                    return talk.end("completed")
                if calls:
                    usable = await self._call(talk, calls, room, deadline, cut=reply.finish == "length")
                    if time.monotonic() >= deadline:
                        return talk.end("timeout", f"the work took {self.wall_seconds:g} s")
                    fault = None if usable else "none of the calls could be made"
            bad = 0 if fault is None else bad + 1
            if fault is not None and bad > self.bad_turns:
                return talk.end("failed", f"{bad} turns in a row could not be used; the last one: {fault}")
            if fault is not None and talk.turns[-1].role != "tool":
                talk.tell(
                    f"Your last turn can't be used: {fault}. Call a tool, or end the work with a closing text."
                )
        return talk.end("max_turns", f"{self.steps} turns were used up")

    async def _call(
        self, talk: "_Talk", calls: Sequence[Call], room: SandboxRoom, deadline: float, *, cut: bool
    ) -> bool:
        """Make the calls one after the other until the time is up; whether any was one."""
        usable = False
        for call in calls:
            if time.monotonic() >= deadline:
                break
            try:
                tool = toolset.read_call(call, sees=talk.sees)
            except toolset.BadCall as error:
                why = " (your turn was cut off at its greatest length)" if cut else ""
                result: CommandResult = CommandResult(
                    exit_code=_BAD_CALL, output=f"This call was not made: {error}{why}."
                )
            else:
                usable = True
                result = await _in_thread(tool, room)
            talk.answer(call.id, result, self.output_chars)
        return usable


class _Talk:
    """The conversation, twice: as it is recorded, and as the model is shown it (old outputs dropped)."""

    def __init__(self, task: PublicTask, stage: str, sample: int, keep: Path, *, sees: bool):
        system = instructions(__package__ or "", "native")
        self.messages = [Message(role="system", content=system), Message(role="user", content=task.request)]
        self.turns = [Turn(role="system", content=system), Turn(role="user", content=task.request)]
        self.status: Status = "completed"
        self.notes: list[str] = []
        self.spent = 0
        self.sees = sees
        self._tools = toolset.described(sees=sees)
        self._keep = keep
        self._stage, self._sample = stage, sample
        self._rate = _FIRST_GUESS
        self._calls = 0

    def prompt(self) -> Prompt:
        """What the model is asked next."""
        return Prompt(
            stage=self._stage,
            purpose="agent",
            turns=tuple(self.turns),
            tools=self._tools,
            sample=self._sample,
        )

    def size(self) -> float:
        """Tokens of the next prompt, by what the last one came to."""
        return self._rate * self._characters() + self._images()

    def count(self, reply: Reply) -> None:
        """Add up what a turn used, and learn how the model counts."""
        self.spent += reply.usage.input + reply.usage.output
        if (text := reply.usage.input - self._images()) > 0:
            self._rate = text / self._characters()

    def make_room(self, limit: int) -> bool:
        """Drop the oldest outputs where the next prompt would be too long, and say so; False where that won't do.

        The outputs that the model has not answered to yet are never dropped.
        """
        if self.size() <= limit:
            return True
        last = max((place for place, turn in enumerate(self.turns) if turn.calls), default=0)
        dropped = []
        for place, turn in enumerate(self.turns[:last]):
            if turn.role == "tool" and (turn.images or len(turn.content) > len(_DROPPED)):
                self.turns[place] = turn.model_copy(update={"content": _DROPPED, "images": ()})
                dropped.append(str(turn.call))
                if self.size() <= _REFILL * limit:
                    break
        if dropped:
            self.tell(
                f"To make room, earlier outputs were dropped from this conversation: {', '.join(dropped)}."
            )
            self.notes.append(f"{len(dropped)} outputs dropped to make room before turn {self._turn()}")
        return self.size() <= limit

    def hear(self, reply: Reply) -> tuple[Call, ...]:
        """Take down a turn of the model; its calls under ids of ours, which are unique whatever the provider's are."""
        calls, recorded = [], []
        for call in reply.calls:
            self._calls += 1
            own = call.model_copy(update={"id": f"call_{self._calls}"})
            calls.append(own)
            recorded.append(ToolCall(id=own.id, name=own.name, arguments=toolset.plain_arguments(own)))
        cut = reply.finish == "length"
        self.messages.append(
            Message(role="assistant", content=reply.text, calls=tuple(recorded), truncated=cut),
        )
        # Shown as JSON even where the model's wasn't: a provider may refuse the whole conversation over it.
        shown = tuple(one.model_copy(update={"arguments": toolset.as_json(one)}) for one in calls)
        self.turns.append(Turn(role="assistant", content=reply.text, calls=shown))
        return tuple(calls)

    def answer(self, call: str, result: CommandResult, most: int) -> None:
        """Take down what a tool returned; an image that it shows is kept by its hash. StorageError where it can't."""
        shown, cut = _middle_left_out(result.output, most)
        kept: tuple[str, ...] = ()
        images: tuple[str, ...] = ()
        if isinstance(result, PageView) and result.image:
            kept, images = (result.sha256,), (result.url,)
            if not (self._keep / result.sha256).exists():
                write_bytes(self._keep / result.sha256, result.image)
        self.messages.append(
            Message(
                role="tool",
                content=shown,
                call=call,
                exit_code=result.exit_code,
                truncated=cut or result.truncated,
                images=kept,
            )
        )
        ended = " (killed at the deadline)" if result.timed_out else ""
        told = shown if result.exit_code == 0 else f"{shown}\n[exit code {result.exit_code}{ended}]"
        self.turns.append(Turn(role="tool", content=told, call=call, images=images))

    def tell(self, text: str) -> None:
        """Something that the loop has to say to the model; it is in the record like everything that is said."""
        self.messages.append(Message(role="user", content=text))
        self.turns.append(Turn(role="user", content=text))

    def end(self, status: Status, why: str = "") -> None:
        """The work ends here."""
        self.status = status
        if why:
            self.notes.append(why)

    def _turn(self) -> int:
        return 1 + sum(turn.role == "assistant" for turn in self.turns)

    def _characters(self) -> int:
        said = sum(len(turn.content) + sum(len(call.arguments) for call in turn.calls) for turn in self.turns)
        return said + sum(len(tool.description) + len(str(tool.parameters)) for tool in self._tools)

    def _images(self) -> int:
        """Tokens of the images that the model is shown again with every turn."""
        return IMAGE_TOKENS * sum(len(turn.images) for turn in self.turns)


def _unusable(reply: Reply) -> str | None:
    """Why a turn without calls is not the end of the work, or None where it is."""
    if reply.finish == "length":
        return "it was cut off at its greatest length"
    if not reply.text.strip():
        return "it is empty"
    return None


def _middle_left_out(text: str, most: int) -> tuple[str, bool]:
    """At most about ``most`` characters: the beginning, and the end, where errors stand."""
    if len(text) <= most:
        return text, False
    head, tail = most * 2 // 3, most // 3
    note = f"\n[{len(text) - head - tail:,} characters left out]\n"
    return text[:head] + note + text[-tail:], True


async def _in_thread(tool: toolset.Use, room: SandboxRoom) -> CommandResult:
    """Use the tool without holding up other rollouts."""
    working = asyncio.ensure_future(asyncio.to_thread(tool.use, room))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        # The room is removed when we leave: not under a command that still runs in it.
        await asyncio.wait([working])
        raise
