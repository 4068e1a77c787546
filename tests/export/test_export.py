"""Exported data gives back what went in, in the same bytes every time."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest
import yaml
from admission_cases import spec, talk, verdict
from hypothesis import given
from hypothesis import strategies as st

from graphforge.agents.toolset import described
from graphforge.errors import RecordError
from graphforge.export import (
    TOOLS,
    chat_line,
    dataset_card,
    misfit,
    read_messages,
    sharegpt_line,
    write_chat,
    write_dataset,
    write_sharegpt,
)
from graphforge.export.dataset import PARQUET, SCHEMA
from graphforge.records import Admitted, Message, Passage, Seed, Source, ToolCall, Workspace, WorkspaceFile

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)


def record(*messages: Message) -> Admitted:
    trajectory = talk([("ls 'ä' </tool_call>", "x\n</tool_response>", 0, True), ("false", "", 1)])
    if messages:
        trajectory = trajectory.model_copy(update={"messages": messages, "informed": False})
    return Admitted(spec=spec(), trajectory=trajectory, verdict=verdict(0.97))


def workspace(**source: Any) -> Workspace:
    """Four files, two of one publisher."""
    facts = {
        "publisher": "Bureau | of <b>",
        "title": "Yearbook",
        "url": "https://x.org/y",
        "licence": "CC BY 4.0",
        "topic": "t",
    }
    files = tuple(
        WorkspaceFile(
            sha256=f"{number:064x}", name=f"file{number}.csv", family="csv", bytes=1, role="core", why="w",
            source=Source(**{**facts, **(source if number == 3 else {})}),
        )
        for number in range(4)
    )  # fmt: skip
    seed = Seed(
        id="s", occupation_code="43", occupation="Clerks", sector="43", sector_name="Office Work", subsector="x",
        task_id="t", dwa_id="d", dwa="x", demand="x", demand_key="x", pattern="reconciliation",
        input_family="delimited", output_family="spreadsheet", evidence=(Passage(source="s", text="t"),),
    )  # fmt: skip
    return Workspace(id="w", seed=seed, topic="t", files=files)


LINE = st.integers(1, 10**20)
CALL = st.builds(
    lambda number, use: ToolCall(id=f"call_{number}", name=use[0], arguments=use[1]),
    st.integers(0, 10**6),
    st.one_of(
        st.tuples(st.just("write_file"), st.fixed_dictionaries({"path": TEXT, "content": TEXT})),
        st.tuples(
            st.just("view_file"),
            st.fixed_dictionaries(
                {"path": TEXT}, optional={"first_line": LINE, "last_line": st.one_of(LINE, st.none())}
            ),
        ),
    ),
)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    messages = [Message(role="system", content=draw(TEXT)), Message(role="user", content=draw(TEXT))]
    for calls in draw(st.lists(st.lists(CALL, max_size=3, unique_by=lambda call: call.id), max_size=4)):
        fresh = [call for call in calls if all(call.id != m.call for m in messages)]
        messages.append(
            Message(role="assistant", content=draw(TEXT), calls=tuple(fresh), truncated=draw(st.booleans()))
        )
        for call in fresh:
            code = draw(st.one_of(st.none(), st.integers(0, 255)))
            messages.append(
                Message(
                    role="tool",
                    content=draw(TEXT),
                    call=call.id,
                    exit_code=code,
                    truncated=draw(st.booleans()),
                )
            )
    return tuple(messages)


@given(conversations())
def test_exported_messages_are_the_messages(messages: tuple[Message, ...]) -> None:
    line = json.dumps(chat_line(record(*messages)), ensure_ascii=False)
    assert read_messages(line) == messages


@given(conversations())
def test_sharegpt_keeps_every_text_and_alternates(messages: tuple[Message, ...]) -> None:
    turns = sharegpt_line(record(*messages))["conversations"]
    assert all(first["from"] != second["from"] or first["from"] == "gpt" for first, second in pairwise(turns))
    calls = [call for message in messages for call in message.calls]
    found = [
        json.loads(piece.partition("\n</tool_call>")[0])
        for turn in turns
        if turn["from"] == "gpt"
        for piece in turn["value"].split("<tool_call>\n{")[1:]
        for piece in ["{" + piece]
        if "\n</tool_call>" in piece
    ]
    assert [(one["name"], one["arguments"]) for one in found] == [
        (call.name, call.arguments) for call in calls
    ]
    answers = [message.content for message in messages if message.role == "tool"]
    told = [turn["value"] for turn in turns if turn["from"] == "tool"]
    pieces = [piece for value in told for piece in value.removeprefix("<tool_response>\n").removesuffix("\n</tool_response>").split("\n</tool_response>\n<tool_response>\n")]  # fmt: skip  # noqa: E501
    assert [json.loads(piece)["content"] for piece in pieces] == answers


def test_chat_lines_have_the_form_of_chat_completions(tmp_path: Path) -> None:
    (line,) = write_chat([record()], tmp_path).read_text(encoding="utf-8").splitlines()
    content = json.loads(line)
    assert list(content) == ["id", "messages", "tools", "metadata"]
    call, answer = content["messages"][1], content["messages"][2]
    assert call["role"] == "assistant"
    assert call["tool_calls"][0]["type"] == "function"
    assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {"command": "ls 'ä' </tool_call>"}
    assert answer == {"role": "tool", "content": "x\n</tool_response>", "tool_call_id": "c0"}
    assert content["metadata"]["exit_codes"] == {"c0": 0, "c1": 1}
    assert content["metadata"]["truncated"] == [2]
    assert content["metadata"]["score"] == 0.97


def test_every_call_fits_its_schema() -> None:
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for call, _ in record().trajectory.tool_calls():
        jsonschema.validate(call.arguments, schemas[call.name])


@pytest.mark.parametrize(
    "call",
    [
        ToolCall(id="a", name="browse", arguments={"url": "x"}),
        ToolCall(id="a", name="bash", arguments={"command": "x", "timeout": 3}),
        ToolCall(id="a", name="write_file", arguments={"path": "x"}),
        ToolCall(id="a", name="bash", arguments={"command": 3}),
        ToolCall(id="a", name="view_file", arguments={"path": "x", "first_line": True}),
    ],
)
def test_a_call_without_a_schema_is_refused(call: ToolCall) -> None:
    with pytest.raises(RecordError, match="no schema"):
        chat_line(record(Message(role="assistant", calls=(call,))))


def test_an_answer_to_nothing_is_refused() -> None:
    with pytest.raises(RecordError, match="names no call"):
        chat_line(record(Message(role="tool", content="x")))
    with pytest.raises(RecordError, match="answers no call"):
        sharegpt_line(record(Message(role="tool", content="x", call="zz")))


def test_the_dataset_reads_back(tmp_path: Path) -> None:
    write_dataset([record()], {"w": workspace()}, tmp_path)
    table = pyarrow.parquet.read_table(tmp_path / PARQUET)
    assert table.schema.equals(SCHEMA)
    (row,) = table.to_pylist()
    line = chat_line(record())
    messages = [
        {key: value for key, value in message.items() if value is not None and (key != "tool_calls" or value)}
        for message in row["messages"]
    ]
    assert messages == line["messages"]
    assert json.loads(row["tools"]) == line["tools"]
    assert json.loads(row["exit_codes"]) == line["metadata"]["exit_codes"]
    for name in ("sector", "pattern", "score", "informed", "deliverables", "truncated", "input_files"):
        assert row[name] == line["metadata"][name]


def test_the_card_states_counts_sources_and_licences() -> None:
    other = workspace(
        publisher="[Office](http://x)", title="Gazette", url=None, licence="Public domain", date="2024-03-05"
    )
    card = dataset_card([record()], {"w": other})
    head = yaml.safe_load(card.split("---")[1])
    assert head["license"] == "other"
    assert head["size_categories"] == ["n<1K"]
    assert head["configs"][0]["data_files"] == [{"split": "train", "path": "data/train-*.parquet"}]
    for text in (
        "1 admitted trajectories", "| 43 Office Work | 1 |", "| reconciliation | 1 |", "| csv | 4 |",
        "| CC BY 4.0 | 3 |", "| Public domain | 1 |", "Bureau \\| of &lt;b>", "https://x.org/y", "not recorded",
        "file3.csv (sha256 000000000000)", "\\[Office](http://x)", "| 2024-03-05 |",
    ):  # fmt: skip
        assert text in card, text
    # This trajectory is not informed, so nobody is told about the script.
    assert "not a model" not in card
    mine = record()
    informed = mine.model_copy(update={"trajectory": mine.trajectory.model_copy(update={"informed": True})})
    assert "**not a model**" in dataset_card([informed], {"w": other})


def test_a_missing_workspace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="workspace w"):
        write_dataset([record()], {}, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_same_records_give_the_same_bytes(tmp_path: Path, count: int) -> None:
    records = [record()] * count
    for name in ("one", "two"):
        write_chat(records, tmp_path / name / "chat")
        write_sharegpt(records, tmp_path / name / "sharegpt")
        write_dataset(records, {"w": workspace()}, tmp_path / name / "huggingface")
    found = [{path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()} for name in ("one", "two")]  # fmt: skip  # noqa: E501
    assert found[0] == found[1]
    assert len(found[0]) == 4
    assert pyarrow.parquet.read_table(tmp_path / "one" / "huggingface" / PARQUET).num_rows == count


def test_the_reference_agent_was_told_of_two_tools_and_a_model_of_three() -> None:
    view = Message(role="assistant", calls=(ToolCall(id="v", name="view_file", arguments={"path": "a"}),))
    free = record(view)
    assert misfit(free.trajectory) is None
    assert [tool["function"]["name"] for tool in chat_line(free)["tools"]] == [
        "bash",
        "write_file",
        "view_file",
    ]
    informed = free.trajectory.model_copy(update={"informed": True})
    assert misfit(informed) == "view_file(path)"
    plain = record().model_copy(
        update={"trajectory": record().trajectory.model_copy(update={"informed": True})}
    )
    assert [tool["function"]["name"] for tool in chat_line(plain)["tools"]] == ["bash", "write_file"]
    assert "view_file" in sharegpt_line(record(Message(role="system")))["conversations"][0]["value"]


def test_an_image_that_was_shown_is_told_in_words_and_named(tmp_path: Path) -> None:
    call = ToolCall(id="p", name="view_page", arguments={"path": "a.pdf", "page": 2})
    words = "a.pdf, page 2 of 3, shown as an image of 10 x 20 pixels"
    messages = (
        Message(role="assistant", calls=(call,)),
        Message(role="tool", content=words, call="p", exit_code=0, images=("a" * 64,)),
        Message(role="assistant", content="Done."),
    )
    shown = record(*messages)
    line = chat_line(shown)
    assert [tool["function"]["name"] for tool in line["tools"]][-1] == "view_page"
    assert line["messages"][1]["content"] == words
    assert line["metadata"]["images"] == {"p": ["a" * 64]}
    assert read_messages(json.dumps(line)) == messages
    assert words in sharegpt_line(shown)["conversations"][1]["value"]
    write_dataset([shown], {"w": workspace()}, tmp_path)
    (row,) = pyarrow.parquet.read_table(tmp_path / PARQUET).to_pylist()
    assert row["messages"][1]["content"] == words and "view_page" in row["tools"]
    # Without one there is nothing of it, and a model that only dreamt of the tool was not told of it.
    assert "images" not in chat_line(record())["metadata"]
    dreamt = record(messages[0], Message(role="tool", content="there is no tool", call="p", exit_code=2))
    assert misfit(shown.trajectory) is None and misfit(dreamt.trajectory) == "view_page(path, page)"


def test_the_agent_and_the_export_tell_of_the_same_tools() -> None:
    told = {tool.name: tool for tool in described(sees=True)}
    assert list(told) == [tool["function"]["name"] for tool in TOOLS]
    for function in (tool["function"] for tool in TOOLS):
        own = told[function["name"]]
        assert own.description == function["description"]
        assert own.parameters["required"] == function["parameters"]["required"]
        assert own.parameters["additionalProperties"] is False
        ours, theirs = own.parameters["properties"], function["parameters"]["properties"]
        assert {name: one["description"] for name, one in ours.items()} == {
            name: one["description"] for name, one in theirs.items()
        }
