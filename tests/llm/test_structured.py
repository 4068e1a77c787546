"""Answers in the form of a model: by schema, by words, repaired, cut off, refused; and calls of tools."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from scripted import Say, ScriptedServer
from speaking import limits, model, question, settings

from graphforge.llm import AnswerError, Call, Client, Model, Prompt, ProviderError, Reply, Tool, Turn
from graphforge.llm.schema import candidates, strict
from graphforge.llm.structured import parse


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["a", "b"] = "a"
    note: str | None = None


class Count(BaseModel):
    model_config = ConfigDict(extra="forbid")

    value: int = Field(ge=0, description="how many")
    parts: tuple[Inner, ...] = ()


class Mapped(BaseModel):
    values: dict[str, int]


GOOD = '{"value": 7, "parts": [{"kind": "b", "note": null}]}'


def ask(
    one: Callable[[str], Model], *answers: Say, kind: type[BaseModel] = Count
) -> tuple[Any, list[dict[str, Any]], list[Reply]]:
    """What the question came to (an answer or an error), the requests, the replies that were heard."""
    heard: list[Reply] = []

    async def main(base: str) -> Any:
        async with Client({"judge": one(base)}, settings(None, limits=limits(attempts=2))) as client:
            try:
                return await client.role("judge").ask(question(), kind, hear=heard.append)
            except (AnswerError, ProviderError) as error:
                return error

    with ScriptedServer(lambda body, number: answers[min(number, len(answers) - 1)]) as server:
        return asyncio.run(main(server.base)), server.bodies, heard


def objects(schema: Any) -> list[dict[str, Any]]:
    found = []
    if isinstance(schema, dict):
        found = [schema] if schema.get("type") == "object" else []
        found += [one for value in schema.values() for one in objects(value)]
    elif isinstance(schema, list):
        found = [one for value in schema for one in objects(value)]
    return found


def test_the_schema_goes_along_closed_and_with_all_required() -> None:
    found, (body,), _ = ask(model, Say(GOOD))
    assert found == Count(value=7, parts=(Inner(kind="b"),))
    sent = body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert len(objects(sent["schema"])) == 2
    for one in objects(sent["schema"]):
        assert one["additionalProperties"] is False
        assert set(one["required"]) == set(one["properties"])
    assert "default" not in json.dumps(sent["schema"])
    assert "how many" in json.dumps(sent["schema"])
    assert body["messages"] == [{"role": "user", "content": "How many?"}]


def test_a_map_cannot_be_closed_and_is_asked_for_in_words() -> None:
    assert strict(Mapped) is None
    found, (body,), _ = ask(model, Say('{"values": {"a": 1}}'), kind=Mapped)
    assert found == Mapped(values={"a": 1})
    assert "response_format" not in body


def test_a_union_is_sent_as_any_of() -> None:
    class Either(BaseModel):
        one: Inner | Count = Field(discriminator=None)

    text = json.dumps(strict(Either))
    assert "oneOf" not in text and "anyOf" in text


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Let me think: {{not json}}.\n\nHere you are:\n```\n{GOOD}\n```\nAnything else?",
        f"<think>maybe {{'value': 3}} or {{\"value\": 3}}?</think>\n{GOOD}",
        f"The answer is {GOOD}, I believe.",
    ],
)
def test_without_a_schema_mode_the_answer_is_found_in_the_text(text: str) -> None:
    found, (body,), _ = ask(lambda base: model(base, answers="prompt"), Say(text))
    assert found == Count(value=7, parts=(Inner(kind="b"),))
    assert "response_format" not in body
    assert '"value"' in body["messages"][-1]["content"] and "How many?" in body["messages"][-1]["content"]


def test_of_several_pieces_the_one_that_fits_is_taken() -> None:
    assert parse(
        f'[1, 2] and {{"other": "a long piece of json that is none of ours {"x" * 99}"}} {GOOD}', Count
    ) == Count(value=7, parts=(Inner(kind="b"),))
    assert list(candidates("no json here")) == ["no json here"]


def test_a_fault_goes_back_with_its_place_and_the_answer_is_taken() -> None:
    found, bodies, heard = ask(model, Say('{"value": -1, "parts": []}'), Say(GOOD))
    assert isinstance(found, Count)
    first, second = bodies
    assert second["messages"][:1] == first["messages"]
    assert second["messages"][1] == {"role": "assistant", "content": '{"value": -1, "parts": []}'}
    assert "value: Input should be greater than or equal to 0" in second["messages"][2]["content"]
    assert [reply.text for reply in heard] == ['{"value": -1, "parts": []}', GOOD]


@pytest.mark.parametrize("repairs", [0, 1, 2])
def test_faults_go_back_a_set_number_of_times(repairs: int) -> None:
    found, bodies, heard = ask(lambda base: model(base, repairs=repairs), Say("I can't say."))
    assert isinstance(found, AnswerError) and found.kind == "invalid"
    assert "Count" in str(found) and "JSON" in str(found)
    # Equal words are one request each: every round holds what went before.
    assert len(bodies) == len(heard) == repairs + 1


def test_a_cut_off_answer_is_named_so_and_not_sent_back() -> None:
    found, bodies, heard = ask(model, Say('{"value": 7, "par', finish="length"))
    assert isinstance(found, AnswerError) and found.kind == "truncated"
    assert "max_tokens" in str(found)
    assert len(bodies) == len(heard) == 1


def test_a_refusal_is_named_so() -> None:
    said = {"role": "assistant", "content": None, "refusal": "I won't."}
    body = json.loads(Say().body(0))
    body["choices"][0]["message"] = said
    found, bodies, (reply,) = ask(model, Say(raw=json.dumps(body)))
    assert isinstance(found, AnswerError) and found.kind == "refused"
    assert len(bodies) == 1
    assert (reply.finish, reply.text) == ("content_filter", "I won't.")


def test_no_answer_at_all_is_not_an_invalid_one() -> None:
    found, _, heard = ask(model, Say(status=500))
    assert isinstance(found, ProviderError)
    assert not heard


LOOK = Tool(
    name="look",
    description="Looks at a cell.",
    parameters={"type": "object", "properties": {"cell": {"type": "string"}}, "required": ["cell"]},
)


def say(one: Callable[[str], Model], prompt: Prompt, answer: Say) -> tuple[Any, dict[str, Any]]:
    async def main(base: str) -> Any:
        async with Client({"judge": one(base)}, settings(None)) as client:
            try:
                return await client.role("judge").say(prompt)
            except AnswerError as error:
                return error

    with ScriptedServer(lambda body, number: answer) as server:
        return asyncio.run(main(server.base)), server.bodies[0]


TURNS = (
    Turn(role="system", content="Be brief."),
    Turn(role="user", content="Look at A1.", images=("data:image/png;base64,AAAA",)),
    Turn(role="assistant", calls=(Call(id="call_1", name="look", arguments='{"cell": "A1"}'),)),
    Turn(role="tool", call="call_1", content="42", images=("data:image/png;base64,BBBB",)),
)


def test_tools_go_along_in_the_servers_own_way() -> None:
    answer = Say(calls=(("look", '{"cell": "B2"}'),), finish="tool_calls")
    reply, body = say(model, question(turns=TURNS, tools=(LOOK,)), answer)
    assert reply.finish == "tool_calls"
    assert [(call.name, call.arguments) for call in reply.calls] == [("look", '{"cell": "B2"}')]
    assert body["tools"] == [{"type": "function", "function": LOOK.model_dump()}]
    system, user, assistant, tool, shown = body["messages"]
    assert system == {"role": "system", "content": "Be brief."}
    assert [part["type"] for part in user["content"]] == ["text", "image_url"]
    assert assistant["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"cell": "A1"}'}
    assert (tool["role"], tool["tool_call_id"], tool["content"]) == ("tool", "call_1", "42")
    assert shown["content"][0]["image_url"]["url"].endswith("BBBB")


def test_images_wait_for_the_answers_to_all_calls_of_a_turn() -> None:
    """A provider takes nothing between the answers to calls of one turn."""
    answers = [
        Turn(role="tool", call=f"call_{n}", content=str(n), images=(f"data:image/png;base64,{n}",))
        for n in (1, 2)
    ]
    after = Turn(role="user", content="And now?")
    calls = tuple(Call(id=f"call_{n}", name="look", arguments="{}") for n in (1, 2))
    turns = (*TURNS[:2], Turn(role="assistant", calls=calls), *answers, after)
    _, body = say(model, question(turns=turns, tools=(LOOK,)), Say("x"))
    assert [message["role"] for message in body["messages"][3:]] == ["tool", "tool", "user", "user"]
    urls = [part["image_url"]["url"] for part in body["messages"][5]["content"]]
    assert urls == ["data:image/png;base64,1", "data:image/png;base64,2"]


def test_who_cannot_see_is_told_of_the_images() -> None:
    _, body = say(lambda base: model(base, sees=False), question(turns=TURNS, tools=(LOOK,)), Say("x"))
    assert "image_url" not in json.dumps(body)
    contents = [message["content"] for message in body["messages"]]
    assert contents == [
        "Be brief.",
        "Look at A1.\n(1 image(s) that you can't see)",
        "",
        "42\n(1 image(s) that you can't see)",
    ]


def test_tools_are_emulated_where_a_server_ignores_them() -> None:
    one = lambda base: model(base, tools="schema")  # noqa: E731
    prompt = question(turns=TURNS, tools=(LOOK,))
    reply, body = say(one, prompt, Say('{"tool": "look", "arguments": {"cell": "B2"}}'))
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [("look", {"cell": "B2"})]
    assert reply.finish == "tool_calls" and reply.text == ""
    assert "tools" not in body and body["response_format"]["type"] == "json_schema"
    assert {message["role"] for message in body["messages"]} == {"system", "user", "assistant"}
    reply, _ = say(one, prompt, Say('{"answer": "It is 42."}'))
    assert (reply.text, reply.calls, reply.finish) == ("It is 42.", (), "stop")
    error, _ = say(one, prompt, Say("nonsense"))
    assert isinstance(error, AnswerError) and error.kind == "invalid"
    reply, _ = say(one, prompt, Say('{"tool": "lo', finish="length"))
    assert reply.finish == "length"


def test_the_last_word_after_tools_calls_none() -> None:
    heard: list[Reply] = []

    async def main(base: str) -> Any:
        async with Client({"judge": model(base)}, settings(None)) as client:
            return await client.role("judge").ask(
                question(turns=TURNS, tools=(LOOK,)), Count, hear=heard.append
            )

    with ScriptedServer(lambda body, number: Say(GOOD)) as server:
        assert asyncio.run(main(server.base)).value == 7
        assert server.bodies[0]["tool_choice"] == "none"
