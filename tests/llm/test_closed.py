import json
from enum import Enum

from pydantic import BaseModel, Field

from graphforge.llm.closed import LADDER, closed, ending, longest


class Colour(Enum):
    red = "red"
    blue = "blue"


class Part(BaseModel):
    title: str = "untitled"
    pattern: str = Field(default="x", pattern=r'^[^"\\]+$')
    key: str = Field(default="x", pattern="^[a-z][a-z0-9_]{0,30}$")


class Whole(BaseModel):
    colour: Colour
    parts: list[Part] = Field(default=[], max_length=3)
    amounts: dict[str, float]
    maybe: Part | None = None
    many: list[str] = Field(min_length=20)
    share: float = Field(ge=0, le=1)
    weight: float = Field(gt=0, le=100)
    decimals: int = Field(ge=0, le=6)
    least: int = Field(ge=1)


class Pair(BaseModel):
    a: str
    b: float


class Long(BaseModel):
    text: str
    texts: list[str]
    parts: list[Pair]


class Tree(BaseModel):
    name: str
    below: list["Tree"]


def test_every_object_is_closed_and_its_properties_required() -> None:
    schema = closed(Whole.model_json_schema())
    assert schema["additionalProperties"] is False
    assert schema["required"] == [
        "colour",
        "parts",
        "amounts",
        "maybe",
        "many",
        "share",
        "weight",
        "decimals",
        "least",
    ]
    part = schema["$defs"]["Part"]
    assert part["additionalProperties"] is False
    # Properties that bear the name of a keyword stay, the keywords themselves go.
    assert part["required"] == ["title", "pattern", "key"]
    assert part["properties"]["pattern"] == {"type": "string"}
    assert part["properties"]["key"] == {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,30}$"}
    assert schema["properties"]["maybe"]["anyOf"] == [{"$ref": "#/$defs/Part"}, {"type": "null"}]


def test_a_map_stays_a_map_and_lists_end() -> None:
    schema = ending(Whole.model_json_schema(), 10_000)
    properties, widest = schema["properties"], LADDER[0]
    assert properties["amounts"]["additionalProperties"] == {"type": "number"}
    assert properties["parts"]["maxItems"] == min(3, widest.items)
    # A grammar can't bound a number, so it is offered some.
    assert properties["share"] == {"enum": [0.0, 0.5, 1.0]}
    # A list that must be longer than the bound keeps its own least length, or nothing could satisfy it.
    assert (properties["many"]["minItems"], properties["many"]["maxItems"]) == (20, 20)
    part = schema["$defs"]["Part"]["properties"]
    assert part["title"] == {"type": "string", "maxLength": widest.characters}
    # A plain pattern bounds the string by itself.
    assert part["key"] == {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,30}$"}


def test_fewer_tokens_are_a_narrower_schema() -> None:
    def ends(tokens: int) -> tuple[int, int]:
        properties = ending(Long.model_json_schema(), tokens)["properties"]
        assert longest(ending(Long.model_json_schema(), tokens)) <= tokens or tokens < 100
        return properties["text"]["maxLength"], properties["texts"]["maxItems"]

    assert ends(10_000) == LADDER[0]
    wide, narrow = ends(600), ends(200)
    assert LADDER[0] >= wide > narrow
    # What the schema demands at least is not taken away; where even that is too long the answer may be cut.
    assert ends(1) == LADDER[-1]


def test_the_estimate_holds_for_what_a_schema_allows() -> None:
    """The longest answers of a schema with ends, as JSON written a key a line, at three characters a token."""
    schema = ending(Long.model_json_schema(), 300)
    text, texts = schema["properties"]["text"]["maxLength"], schema["properties"]["texts"]["maxItems"]
    answer = {
        "text": "x" * text,
        "texts": ["x" * text] * texts,
        "parts": [{"a": "x" * text, "b": 1.5}] * texts,
    }
    assert len(json.dumps(answer, indent=2)) / 3 <= longest(schema)


def test_a_schema_that_contains_itself_is_measured_too() -> None:
    assert 0 < longest(ending(Tree.model_json_schema(), 500)) < float("inf")


def test_the_argument_is_left_as_it_is() -> None:
    schema = Whole.model_json_schema()
    before = json.dumps(schema)
    assert closed(schema) == closed(schema)
    assert ending(schema, 100) == ending(schema, 100)
    assert json.dumps(schema) == before


def test_enums_keep_their_values() -> None:
    assert closed(Whole.model_json_schema())["$defs"]["Colour"] == {"enum": ["red", "blue"], "type": "string"}


def test_without_bounds_strings_lists_and_numbers_are_as_they_were() -> None:
    schema = closed(Whole.model_json_schema())
    assert schema["additionalProperties"] is False
    assert schema["properties"]["parts"]["maxItems"] == 3
    assert schema["properties"]["share"] == {"type": "number", "minimum": 0.0, "maximum": 1.0}
    assert schema["$defs"]["Part"]["properties"]["title"] == {"type": "string"}
