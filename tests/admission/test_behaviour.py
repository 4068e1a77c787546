"""Each definition of the behaviour filters, on hand-made trajectories."""

import pytest
from admission_cases import talk
from hypothesis import given
from hypothesis import strategies as st

from graphforge.admission import (
    BehaviourFilter,
    ExcessOfCalls,
    RepeatedCalls,
    RepeatedTruncation,
    ToolFailures,
)
from graphforge.admission.behaviour import failed, polling, repeats
from graphforge.records import Message, ToolCall

NEVER_TWICE = RepeatedCalls(most=0)
FILTER = BehaviourFilter(
    repeated_calls=RepeatedCalls(most=1),
    excess_of_calls=ExcessOfCalls(most=5),
    tool_failures=ToolFailures(most=0.5, least_calls=4),
    repeated_truncation=RepeatedTruncation(most=1),
)


def word(filter_: object, trajectory: object) -> str | None:
    found = filter_.reason(trajectory)  # type: ignore[attr-defined]
    return found.word if found else None


# repeats


def test_the_same_call_with_the_same_answer_repeats() -> None:
    assert word(NEVER_TWICE, talk([("ls", "a", 0), ("ls", "a", 0)])) == "repeated_calls"


def test_a_call_between_does_not_make_it_new() -> None:
    assert word(NEVER_TWICE, talk([("ls", "a", 0), ("pwd", "/", 0), ("ls", "a", 0)])) == "repeated_calls"


@pytest.mark.parametrize(
    "second", [("ls", "b", 0), ("ls", "a", 1), ("ls -l", "a", 0), ("ls ", "a", 0), ("LS", "a", 0), "ls"]
)
def test_another_answer_or_another_command_is_new_work(second: tuple[str, str, int]) -> None:
    assert word(NEVER_TWICE, talk([("ls", "a", 0), second])) is None


def test_the_answer_is_compared_with_the_last_identical_call() -> None:
    trajectory = talk([("ls", "a", 0), ("ls", "b", 0), ("ls", "a", 0), ("ls", "a", 0)])
    assert [count for count, _ in repeats(trajectory).values()] == [1]


def test_calls_without_an_answer_repeat_too() -> None:
    assert word(NEVER_TWICE, talk(["ls", "ls"])) == "repeated_calls"


def test_another_tool_is_another_call() -> None:
    trajectory = talk([("ls", "a", 0), ("ls", "a", 0)])
    *rest, last, answer = trajectory.messages
    renamed = last.model_copy(update={"calls": (last.calls[0].model_copy(update={"name": "shell"}),)})
    assert word(NEVER_TWICE, trajectory.model_copy(update={"messages": (*rest, renamed, answer)})) is None


def test_the_order_of_arguments_does_not_count() -> None:
    calls = [
        ToolCall(id="a", name="f", arguments={"x": 1, "y": 2}),
        ToolCall(id="b", name="f", arguments={"y": 2, "x": 1}),
    ]
    messages = tuple(Message(role="assistant", calls=(call,)) for call in calls)
    assert word(NEVER_TWICE, talk([]).model_copy(update={"messages": messages})) == "repeated_calls"


@pytest.mark.parametrize("most", [0, 1, 3])
def test_the_limit_counts_repeats_not_calls(most: int) -> None:
    steps = [("ls", "a", 0)] * (most + 1)
    assert word(RepeatedCalls(most=most), talk(steps)) is None
    assert word(RepeatedCalls(most=most), talk([*steps, ("ls", "a", 0)])) == "repeated_calls"


# polling


@pytest.mark.parametrize(
    "command",
    ["sleep 5", "sleep 5; ls", "ls && sleep 1", "/bin/sleep 1", "wait", "jobs", "ps aux | grep x", "pgrep python",
     "LC_ALL=C sleep 2", "tail -f log", "tail -n 5 -F log", "tail --follow=name log", "cd x\nsleep 3", "(sleep 1)"],
)  # fmt: skip
def test_polling(command: str) -> None:
    assert polling(ToolCall(id="a", name="bash", arguments={"command": command}))
    assert word(NEVER_TWICE, talk([(command, "", 0)] * 9)) is None


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "echo sleep",
        "cat wait",
        "tail -n 5 log",
        "grep -f x y",
        "topology",
        "python3 watch.py",
        "",
        "tail log -- -x",
    ],
)
def test_not_polling(command: str) -> None:
    assert not polling(ToolCall(id="a", name="bash", arguments={"command": command}))


def test_a_written_file_is_never_polling() -> None:
    arguments = {"path": "x.sh", "content": "sleep 5"}
    assert not polling(ToolCall(id="a", name="write_file", arguments=arguments))


# excess


def test_excess_counts_every_call_polling_included() -> None:
    assert word(ExcessOfCalls(most=2), talk([("sleep 1", "", 0)] * 2)) is None
    assert word(ExcessOfCalls(most=2), talk([("sleep 1", "", 0)] * 3)) == "excess_of_calls"


def test_several_calls_of_one_message_count_each() -> None:
    calls = tuple(ToolCall(id=f"a{number}", name="f", arguments={"x": number}) for number in range(3))
    trajectory = talk([]).model_copy(update={"messages": (Message(role="assistant", calls=calls),)})
    assert word(ExcessOfCalls(most=2), trajectory) == "excess_of_calls"


# failures


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Message(role="tool", call="a", exit_code=0), False),
        (Message(role="tool", call="a", exit_code=1), True),
        (Message(role="tool", call="a", exit_code=-9), True),
        (Message(role="tool", call="a", content="Error: no such file"), False),
        (None, True),
    ],
)
def test_what_a_failure_is(answer: Message | None, expected: bool) -> None:
    assert failed(answer) is expected


def test_the_rate_must_lie_above_the_limit_and_needs_enough_calls() -> None:
    rate = ToolFailures(most=0.5, least_calls=4)
    assert word(rate, talk([("a", "", 1), ("b", "", 1), ("c", "", 0), ("d", "", 0)])) is None
    assert word(rate, talk([("a", "", 1), ("b", "", 1), ("c", "", 1), ("d", "", 0)])) == "tool_failures"
    assert word(rate, talk([("a", "", 1), ("b", "", 1), ("c", "", 1)])) is None
    assert word(rate, talk([])) is None


# truncation


def test_truncation_counts_messages_that_were_cut() -> None:
    steps = [("a", "x", 0, True), ("b", "[output truncated]", 0, False), ("c", "x", 0, True)]
    assert word(RepeatedTruncation(most=2), talk(steps)) is None
    assert word(RepeatedTruncation(most=1), talk(steps)) == "repeated_truncation"


def test_a_cut_turn_of_the_model_counts_too() -> None:
    trajectory = talk([]).model_copy(update={"messages": (Message(role="assistant", truncated=True),)})
    assert word(RepeatedTruncation(most=0), trajectory) == "repeated_truncation"


# all together

STEP = st.tuples(
    st.sampled_from(["ls", "cat x", "sleep 1", "b"]),
    st.sampled_from(["", "y"]),
    st.sampled_from([0, 1]),
    st.booleans(),
)


@given(st.lists(STEP, max_size=12))
def test_counts_agree_with_a_plain_recount(steps: list[tuple[str, str, int, bool]]) -> None:
    trajectory = talk(steps)
    plain: dict[str, int] = {}
    last: dict[str, tuple[str, int]] = {}
    for command, text, code, _ in steps:
        if command != "sleep 1":
            plain[command] = plain.get(command, 0) + (last.get(command) == (text, code))
            last[command] = (text, code)
    assert sorted(count for count, _ in repeats(trajectory).values()) == sorted(plain.values())
    for most in range(4):
        assert (word(RepeatedCalls(most=most), trajectory) is None) == (
            max(plain.values(), default=0) <= most
        )
        assert (word(RepeatedTruncation(most=most), trajectory) is None) == (
            sum(step[3] for step in steps) <= most
        )
        assert (word(ExcessOfCalls(most=most + 1), trajectory) is None) == (len(steps) <= most + 1)


@given(st.lists(STEP, max_size=12))
def test_the_first_reason_in_the_order_of_the_fields_counts(steps: list[tuple[str, str, int, bool]]) -> None:
    trajectory = talk(steps)
    parts = [FILTER.repeated_calls, FILTER.excess_of_calls, FILTER.tool_failures, FILTER.repeated_truncation]
    reasons = [found for part in parts if (found := word(part, trajectory))]
    assert word(FILTER, trajectory) == (reasons[0] if reasons else None)
