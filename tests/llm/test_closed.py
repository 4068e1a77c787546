import json
from enum import Enum

from pydantic import BaseModel, Field

from graphforge.llm.closed import MOST_CHARACTERS, MOST_ITEMS, closed


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


def test_every_object_is_closed_and_its_properties_required() -> None:
    schema = closed(Whole.model_json_schema())
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["colour", "parts", "amounts", "maybe", "many", "share"]
    part = schema["$defs"]["Part"]
    assert part["additionalProperties"] is False
    # Properties that bear the name of a keyword stay, the keywords themselves go.
    assert part["required"] == ["title", "pattern", "key"]
    assert part["properties"]["pattern"] == {"type": "string", "maxLength": MOST_CHARACTERS}
    # A plain pattern bounds the string by itself.
    assert part["properties"]["key"] == {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,30}$"}
    assert schema["properties"]["maybe"]["anyOf"] == [{"$ref": "#/$defs/Part"}, {"type": "null"}]


def test_a_map_stays_a_map_and_lists_end() -> None:
    properties = closed(Whole.model_json_schema())["properties"]
    assert properties["amounts"]["additionalProperties"] == {"type": "number"}
    assert properties["parts"]["maxItems"] == min(3, MOST_ITEMS)
    # A grammar can't bound a number, so it is offered some.
    assert properties["share"] == {"enum": [0.0, 0.5, 1.0]}
    # A list that must be longer than the bound keeps its own least length, or nothing could satisfy it.
    assert (properties["many"]["minItems"], properties["many"]["maxItems"]) == (20, max(20, MOST_ITEMS))


def test_the_argument_is_left_as_it_is() -> None:
    schema = Whole.model_json_schema()
    before = json.dumps(schema)
    assert closed(schema) == closed(schema)
    assert json.dumps(schema) == before


def test_enums_keep_their_values() -> None:
    assert closed(Whole.model_json_schema())["$defs"]["Colour"] == {"enum": ["red", "blue"], "type": "string"}


def test_without_bounds_strings_lists_and_numbers_are_as_they_were() -> None:
    schema = closed(Whole.model_json_schema(), bounded=False)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["parts"]["maxItems"] == 3
    assert schema["properties"]["share"] == {"type": "number", "minimum": 0.0, "maximum": 1.0}
    assert schema["$defs"]["Part"]["properties"]["title"] == {"type": "string"}
