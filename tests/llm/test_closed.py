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


class Whole(BaseModel):
    colour: Colour
    parts: list[Part] = Field(default=[], max_length=3)
    amounts: dict[str, float]
    maybe: Part | None = None
    many: list[str] = Field(min_length=20)


def test_every_object_is_closed_and_its_properties_required() -> None:
    schema = closed(Whole.model_json_schema())
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["colour", "parts", "amounts", "maybe", "many"]
    part = schema["$defs"]["Part"]
    assert part["additionalProperties"] is False
    # Properties that bear the name of a keyword stay, the keywords themselves go.
    assert part["required"] == ["title", "pattern"]
    assert part["properties"]["pattern"] == {"type": "string", "maxLength": MOST_CHARACTERS}
    assert schema["properties"]["maybe"]["anyOf"] == [{"$ref": "#/$defs/Part"}, {"type": "null"}]


def test_a_map_stays_a_map_and_lists_end() -> None:
    properties = closed(Whole.model_json_schema())["properties"]
    assert properties["amounts"]["additionalProperties"] == {"type": "number"}
    assert properties["parts"]["maxItems"] == 3
    # A list that must be longer than the bound keeps its own least length, or nothing could satisfy it.
    assert (properties["many"]["minItems"], properties["many"]["maxItems"]) == (20, max(20, MOST_ITEMS))


def test_the_argument_is_left_as_it_is() -> None:
    schema = Whole.model_json_schema()
    before = json.dumps(schema)
    assert closed(schema) == closed(schema)
    assert json.dumps(schema) == before


def test_enums_keep_their_values() -> None:
    assert closed(Whole.model_json_schema())["$defs"]["Colour"] == {"enum": ["red", "blue"], "type": "string"}
