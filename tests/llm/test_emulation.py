import json

import pytest

from graphforge.llm import AnswerError, Call, Tool, Turn
from graphforge.llm.emulation import emulate, unpack

BASH = Tool(
    name="bash",
    description="Runs a command.",
    parameters={"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
)
LOOK = Tool(name="look", description="Looks.", parameters={"type": "object", "properties": {}})
TALK = (
    Turn(role="system", content="Be careful."),
    Turn(role="user", content="How many files?"),
    Turn(
        role="assistant",
        content="I look.",
        calls=(Call(id="call_1", name="bash", arguments='{"command": "ls"}'),),
    ),
    Turn(role="tool", content="a b", call="call_1"),
)


def test_the_conversation_is_retold_without_calls_and_tool_turns() -> None:
    turns, _ = emulate(TALK, (BASH, LOOK))
    assert [turn.role for turn in turns] == ["system", "user", "assistant", "user"]
    assert not any(turn.calls or turn.call for turn in turns)
    assert turns[0].content.startswith("Be careful.\n\n") and "Runs a command." in turns[0].content
    assert turns[2].content == 'I look.\n{"tool": "bash", "arguments": {"command": "ls"}}'
    assert turns[3].content == "Result of call_1:\na b"


def test_without_a_system_turn_the_tools_become_one() -> None:
    turns, _ = emulate(TALK[1:2], (BASH,))
    assert [turn.role for turn in turns] == ["system", "user"]
    assert '{"tool": NAME, "arguments": {…}}' in turns[0].content


def test_the_schema_knows_every_tool_and_the_answer_and_is_closed() -> None:
    _, schema = emulate(TALK, (BASH, LOOK))
    bash, look, answer = schema["anyOf"]
    assert bash["properties"]["tool"] == {"const": "bash"} and look["properties"]["tool"] == {"const": "look"}
    assert bash["properties"]["arguments"]["additionalProperties"] is False
    assert all(one["additionalProperties"] is False for one in (bash, look, answer))
    # A capable model's commands are as long as they must be; only a small one is held short.
    assert bash["properties"]["arguments"]["properties"]["command"] == {"type": "string"}
    _, short = emulate(TALK, (BASH,), tokens=100)
    assert "maxLength" in short["anyOf"][0]["properties"]["arguments"]["properties"]["command"]


def test_named_parts_of_a_tool_are_found_from_the_root() -> None:
    """A server that can't follow a reference refuses the whole request."""
    parts = {
        "Mark": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Mark"}, "id": {"type": "string"}}}
    }
    marks = {"type": "array", "items": {"$ref": "#/$defs/Mark"}}
    tool = Tool(
        name="mark",
        description="Marks.",
        parameters={"type": "object", "properties": {"marks": marks}, "$defs": parts},
    )
    _, schema = emulate(TALK, (BASH, tool), tokens=500)
    arguments = schema["anyOf"][1]["properties"]["arguments"]
    assert arguments["properties"]["marks"]["items"] == {"$ref": "#/$defs/mark.Mark"}
    assert "$defs" not in arguments
    assert schema["$defs"]["mark.Mark"]["properties"]["next"] == {"$ref": "#/$defs/mark.Mark"}
    assert "maxLength" in schema["$defs"]["mark.Mark"]["properties"]["id"]
    assert tool.parameters["$defs"] == parts


def test_a_call_is_numbered_after_those_before() -> None:
    text, calls = unpack('{"tool": "bash", "arguments": {"command": "wc -l ä"}}', (BASH,), TALK)
    assert text == ""
    assert calls == (Call(id="call_2", name="bash", arguments='{"command": "wc -l ä"}'),)


def test_an_answer_has_no_call() -> None:
    assert unpack('{"answer": "two"}', (BASH,), TALK) == ("two", ())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("two files", "no JSON"),
        ('{"answer": "tw', "no JSON"),
        ('{"tool": "rm", "arguments": {}}', "no tool 'rm'"),
        ('{"tool": "bash", "arguments": "ls"}', "neither"),
        ('{"tool": "bash", "arguments": {}, "answer": "x"}', "neither"),
        ("[]", "neither"),
    ],
)
def test_anything_else_is_invalid_and_never_guessed_at(said: str, why: str) -> None:
    with pytest.raises(AnswerError, match=why) as caught:
        unpack(said, (BASH,), TALK)
    assert caught.value.kind == "invalid"


def test_what_is_retold_of_a_call_is_what_unpack_reads() -> None:
    turns, _ = emulate((TALK[2].model_copy(update={"content": ""}),), (BASH,))
    assert unpack(turns[1].content, (BASH,), ())[1][0].arguments == json.dumps({"command": "ls"})
