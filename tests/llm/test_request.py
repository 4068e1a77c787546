"""What is sent stays what it was: recorded answers are kept under its hash, and paid ones would be lost."""

from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from speaking import model, question

from graphforge.llm import Call, Tool, Turn
from graphforge.llm.request import Request
from graphforge.llm.structured import form


class Mark(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern=r"^[a-z]\d+$", description="id of the criterion")
    kind: Literal["met", "not met"]
    fraction: float = Field(ge=0, le=1)


class Sheet(BaseModel):
    """All marks."""

    title: str = "untitled"
    marks: list[Mark] = Field(min_length=1, max_length=40)
    note: str | None = None


LOOK = Tool(
    name="look",
    description="Shows lines.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "array", "items": {"type": "integer"}}},
        "required": ["path"],
    },
)
TALK = (
    Turn(role="system", content="You look."),
    Turn(role="user", content="How many?"),
    Turn(role="assistant", calls=(Call(id="call_1", name="look", arguments='{"path": "a.txt"}'),)),
    Turn(role="tool", call="call_1", content="three"),
)


@pytest.mark.parametrize(
    ("answers", "tools", "asked", "used"),
    [
        ("schema", "native", "0be794b100b31c67", "a79b787a37945083"),
        ("schema", "schema", "0be794b100b31c67", "246fe06d525c1c79"),
        ("prompt", "native", "e508d4cc3bfd050c", "a79b787a37945083"),
        ("prompt", "schema", "e508d4cc3bfd050c", "246fe06d525c1c79"),
    ],
)
def test_requests_to_capable_models_keep_their_bytes(answers: str, tools: str, asked: str, used: str) -> None:
    """The hashes were taken when such answers were first recorded."""
    spoken = model(None, answers=answers, tools=tools, max_tokens=1000)
    prompt, schema = form(question(), Sheet, spoken)
    assert Request.of(prompt, spoken, schema, final=True).key[:16] == asked
    assert Request.of(question(turns=TALK, tools=(LOOK,)), spoken, None).key[:16] == used


def test_a_small_model_is_sent_ends_that_its_tokens_allow() -> None:
    def sent(tokens: int) -> str:
        spoken = model(None, answers="grammar", tools="schema", max_tokens=tokens)
        prompt, schema = form(question(), Sheet, spoken)
        return Request.of(prompt, spoken, schema, final=True).body

    assert '"maxLength":48' in sent(4000)
    assert '"maxLength":48' not in sent(100)
