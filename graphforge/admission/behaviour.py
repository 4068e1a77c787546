"""Degenerate ways of using tools, which no trajectory to learn from should show (paper section 3.5).

Terms, for all filters of this file:

- A *call* is a tool call of an assistant message. Its *answer* is the tool message with its id.
- Two calls are *identical* where tool and arguments are equal, to the letter.
- A call *repeats* where the last identical call before it got the same answer: same text, same exit code. Where
  the answer differs, something had changed in between (a script was mended, a file appeared), so it is new work.
- A call is *polling* where its shell command (the argument ``command`` or ``cmd``) waits or asks how a running
  process is doing: it is made of simple commands, separated by ``; | & ( )`` or a line break, and the first word of
  one of them is in ``POLLING``, or one follows a file (``tail -f``). Such a call may repeat without getting anywhere.
- A call *failed* where its answer has an exit code other than 0, or where it got no answer. An answer without an
  exit code is no failure: the text of an answer is never searched for the word "error".
- A message is *truncated* where the tool or the model's output limit cut it, which its record says.
"""

import re
from collections import Counter

from pydantic import BaseModel, ConfigDict, Field

from ..records import Message, ToolCall, Trajectory
from .reason import Reason

POLLING = frozenset({"sleep", "wait", "jobs", "ps", "pgrep", "top", "watch", "nvidia-smi"})

_SEPARATOR = re.compile(r"[;|&()\n]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_FOLLOW = re.compile(r"-[a-zA-Z]*[fF]|--follow(?:=.*)?")


class _Filter(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RepeatedCalls(_Filter):
    """One call may repeat at most ``most`` times (made most + 1 times, with the same answer), polling aside."""

    most: int = Field(ge=0)

    def reason(self, trajectory: Trajectory) -> Reason | None:
        """``repeated_calls``."""
        count, call = max(repeats(trajectory).values(), key=lambda item: item[0], default=(0, None))
        if call is None or count <= self.most:
            return None
        shown = " ".join(str(value) for value in call.arguments.values())[:80]
        detail = f"{call.name} {shown!r} repeated {count} times, at most {self.most}"
        return Reason(word="repeated_calls", detail=detail)


class ExcessOfCalls(_Filter):
    """A trajectory may hold at most ``most`` calls, polling included."""

    most: int = Field(ge=1)

    def reason(self, trajectory: Trajectory) -> Reason | None:
        """``excess_of_calls``."""
        count = len(trajectory.tool_calls())
        if count <= self.most:
            return None
        return Reason(word="excess_of_calls", detail=f"{count} calls, at most {self.most}")


class ToolFailures(_Filter):
    """At most the share ``most`` of the calls may fail. Fewer than ``least_calls`` calls are too few for a rate."""

    most: float = Field(ge=0, le=1)
    least_calls: int = Field(ge=1)

    def reason(self, trajectory: Trajectory) -> Reason | None:
        """``tool_failures``."""
        calls = trajectory.tool_calls()
        count = sum(failed(answer) for _, answer in calls)
        if len(calls) < self.least_calls or count <= self.most * len(calls):
            return None
        return Reason(
            word="tool_failures",
            detail=f"{count} of {len(calls)} calls failed, at most {100 * self.most:g} %",
        )


class RepeatedTruncation(_Filter):
    """At most ``most`` messages may be truncated: whoever is cut again and again doesn't read what comes back."""

    most: int = Field(ge=0)

    def reason(self, trajectory: Trajectory) -> Reason | None:
        """``repeated_truncation``."""
        count = sum(message.truncated for message in trajectory.messages)
        if count <= self.most:
            return None
        return Reason(word="repeated_truncation", detail=f"{count} messages were cut, at most {self.most}")


class BehaviourFilter(_Filter):
    """All filters on how the work was done; the first reason counts, in the order of the fields."""

    repeated_calls: RepeatedCalls
    excess_of_calls: ExcessOfCalls
    tool_failures: ToolFailures
    repeated_truncation: RepeatedTruncation

    def reason(self, trajectory: Trajectory) -> Reason | None:
        """The first filter's reason, or None."""
        filters = (self.repeated_calls, self.excess_of_calls, self.tool_failures, self.repeated_truncation)
        for one in filters:
            if found := one.reason(trajectory):
                return found
        return None


def failed(answer: Message | None) -> bool:
    """Whether the call with this answer failed."""
    return answer is None or (answer.exit_code is not None and answer.exit_code != 0)


def polling(call: ToolCall) -> bool:
    """Whether a call waits or asks how a running process is doing."""
    command = call.arguments.get("command", call.arguments.get("cmd"))
    if not isinstance(command, str):
        return False
    for simple in _SEPARATOR.split(command):
        words = [word for word in simple.split() if not _ASSIGNMENT.match(word)]
        if not words:
            continue
        program = words[0].rsplit("/", 1)[-1]
        if program in POLLING or (program == "tail" and any(_FOLLOW.fullmatch(word) for word in words[1:])):
            return True
    return False


def repeats(trajectory: Trajectory) -> dict[str, tuple[int, ToolCall]]:
    """For each distinct call that isn't polling: how often it repeats, and the call."""
    last: dict[str, tuple[str, int | None] | None] = {}
    counts: Counter[str] = Counter()
    calls: dict[str, ToolCall] = {}
    for call, message in trajectory.tool_calls():
        if polling(call):
            continue
        identity = call.model_copy(
            update={"id": "x", "arguments": dict(sorted(call.arguments.items()))}
        ).line()
        answer = None if message is None else (message.content, message.exit_code)
        counts[identity] += identity in last and last[identity] == answer
        last[identity] = answer
        calls[identity] = call
    return {identity: (counts[identity], call) for identity, call in calls.items()}
