"""The native agent through the real client: what goes over the wire, and that a ledger replays it to the byte."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_cases import SANDBOX
from scripted import Say, ScriptedServer
from speaking import model, settings

from graphforge.agents import NativeAgent
from graphforge.llm import Client, LlmSettings, NotRecorded
from graphforge.records import Deliverable, PublicTask, Trajectory

TASK = PublicTask(
    task="task-1",
    statement="Count the lines of data.csv into count.csv.",
    deliverables=(Deliverable(id="d1", file="count.csv", family="csv", requirement="the number"),),
    files=("data.csv",),
)
AGENT = NativeAgent(
    name="native",
    at_once=1,
    steps=9,
    tokens=100_000,
    wall_seconds=60,
    context_tokens=20_000,
    output_chars=4000,
    artifact_bytes=100_000,
    bad_turns=1,
    unsafe_sandbox=True,
)


def script(body: dict[str, Any], number: int) -> Say:
    """Two calls at once (one of them no JSON), the right one, the end; by what it is shown."""
    said = [message["role"] for message in body["messages"]].count("assistant")
    if said == 0:
        return Say(
            finish="tool_calls",
            calls=(("view_file", '{"path": "inputs/data.csv"}'), ("bash", '{"command": ')),
        )
    if said == 1:
        command = json.dumps(
            {"command": "wc -l < inputs/data.csv > outputs/count.csv; cat outputs/count.csv"}
        )
        return Say("I count.", finish="tool_calls", calls=(("bash", command),))
    return Say("count.csv is there.")


def run(base: str, given: LlmSettings, folder: Path, name: str, **changes: Any) -> Trajectory:
    async def work() -> Trajectory:
        async with Client({"teacher": model(base, **changes)}, given) as client:
            files = {"data.csv": folder / "data.csv"}
            return await AGENT.run(TASK, files, folder / name, SANDBOX, client.role("teacher"), stage="pilot")

    return asyncio.run(work())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text("a\nb\nc\n")
    return tmp_path


def test_a_rollout_over_the_wire_and_again_from_the_ledger(folder: Path) -> None:
    ledger = folder / "ledger.db"
    with ScriptedServer(script) as server:
        live = run(server.base, settings(ledger), folder, "live", sees=False)
        base = server.base
        assert len(server.bodies) == 3
        assert {tool["function"]["name"] for tool in server.bodies[0]["tools"]} == {
            "bash",
            "write_file",
            "view_file",
        }
        # Every call is answered, in order, before the next turn; and what was no JSON has become some.
        second = server.bodies[1]["messages"]
        asked = [call["id"] for call in second[2]["tool_calls"]]
        assert [message["tool_call_id"] for message in second[3:]] == asked == ["call_1", "call_2"]
        assert all(json.loads(call["function"]["arguments"]) for call in second[2]["tool_calls"])
    assert (live.status, live.informed) == ("completed", False)
    assert (folder / "live" / live.artifacts[0].sha256).read_text() == "3\n"
    # No server any more.
    again = run(base, settings(ledger, mode="replay"), folder, "again", sees=False)
    assert again.line() == live.line()


def looker(body: dict[str, Any], number: int) -> Say:
    """Draws, looks at it and at the data in one turn, the end."""
    said = [message["role"] for message in body["messages"]].count("assistant")
    if said == 0:
        draw = 'python3 -c \'from PIL import Image; Image.new("RGB", (30, 20)).save("a.png")\''
        return Say(finish="tool_calls", calls=(("bash", json.dumps({"command": draw})),))
    if said == 1:
        calls = (("view_page", '{"path": "a.png"}'), ("view_file", '{"path": "inputs/data.csv"}'))
        return Say(finish="tool_calls", calls=calls)
    return Say("It is black.")


def test_a_model_that_sees_is_sent_the_image_and_again_from_the_ledger(folder: Path) -> None:
    ledger = folder / "ledger.db"
    with ScriptedServer(looker) as server:
        live = run(server.base, settings(ledger), folder, "live")
        base = server.base
        assert [tool["function"]["name"] for tool in server.bodies[0]["tools"]][3:] == ["view_page"]
        messages = server.bodies[2]["messages"]
        assert [message["role"] for message in messages[-3:]] == ["tool", "tool", "user"]
        assert "30 x 20 pixels" in messages[-3]["content"]
        (part,) = messages[-1]["content"]
        assert part["image_url"]["url"].startswith("data:image/png;base64,")
    assert live.status == "completed"
    (sha256,) = live.kept()
    again = run(base, settings(ledger, mode="replay"), folder, "again")
    assert again.line() == live.line() and (folder / "again" / sha256).is_file()


def test_what_was_never_asked_is_not_made_up_in_replay(folder: Path) -> None:
    with ScriptedServer(script) as server:
        run(server.base, settings(folder / "ledger.db"), folder, "live")
    (folder / "data.csv").write_text("a\n")
    with pytest.raises(NotRecorded):
        run(server.base, settings(folder / "ledger.db", mode="replay"), folder, "again")


def test_tools_by_a_schema_give_the_same_work(folder: Path) -> None:
    """For a server that ignores tools: one call a turn, and the closing answer."""

    def plain(body: dict[str, Any], number: int) -> Say:
        assert "tools" not in body
        assert body["response_format"]["json_schema"]["schema"]["anyOf"]
        if [message["role"] for message in body["messages"]].count("assistant") == 0:
            command = "wc -l < inputs/data.csv > outputs/count.csv"
            return Say(json.dumps({"tool": "bash", "arguments": {"command": command}}))
        return Say(json.dumps({"answer": "Done."}))

    with ScriptedServer(plain) as server:
        done = run(server.base, settings(folder / "ledger.db"), folder, "kept", tools="schema")
    assert done.status == "completed"
    assert (folder / "kept" / done.artifacts[0].sha256).read_text() == "3\n"
    assert done.messages[-1].content == "Done."


def test_a_provider_that_fails_is_no_failure_of_the_model(folder: Path) -> None:
    with ScriptedServer(lambda body, number: Say(status=401)) as server:
        done = run(server.base, settings(folder / "ledger.db"), folder, "kept")
    assert done.status == "llm_error" and done.artifacts == ()
