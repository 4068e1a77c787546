"""A JSON schema without loose ends, for servers that turn it into a grammar.

    closed(Answer.model_json_schema())            # no invented keys, nothing left out
    ending(Answer.model_json_schema(), 1024)      # and whatever it allows ends within about 1,024 tokens

Found by trying llama.cpp's: objects left open are filled with invented keys; a pattern with an escape or a negated
class lets a quotation mark through and so breaks the JSON; the bounds of a number are ignored; and in a string or a
list without an end a small model runs on until its tokens are spent, so that its answer is no JSON.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple


class Bounds(NamedTuple):
    """The most characters of a string, and the most items of a list."""

    characters: int
    items: int


# From wide to narrow. The first is for a model of 135 million parameters: with it most answers end within a few hundred
# tokens, and what such a model says at greater length is worth no more.
LADDER = (
    Bounds(48, 4),
    Bounds(48, 3),
    Bounds(48, 2),
    Bounds(32, 2),
    Bounds(48, 1),
    Bounds(32, 1),
    Bounds(24, 1),
    Bounds(16, 1),
    Bounds(8, 1),
)
# What the estimate counts for a place of the answer. Text has 4 characters a token, names and labels fewer.
_CHARACTERS_A_TOKEN = 3
_NUMBER = 10
# Quotation marks, a comma, and what a model puts between them where it writes a line a key.
_MARKS = 4
# The share of the tokens that an answer may take by the estimate. It is an estimate.
_SHARE = 0.8
# A schema that contains itself is followed so far.
_DEEPEST = 16
# What says nothing about the form, or what the grammar gets wrong; the answer is validated in full afterwards.
_DROPPED = {"format", "default", "title", "examples", "discriminator", "description"}
# A pattern that no quotation mark passes and that ends: plain classes, counted.
_PLAIN = re.compile(r"\^(?:[A-Za-z0-9_-]|\[[A-Za-z0-9_-]+\]|\{[0-9,]+\})*\$")
# Keys whose value maps names of the schema's author to schemas: the names are not keywords.
_NAMED = {"properties", "$defs", "definitions"}


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every object closed and all its properties required; the argument is left as it is.

    A map (``additionalProperties`` that is a schema) stays a map. Formats, and all but plain patterns, are dropped:
    whoever sends this validates the answer against the full schema.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED or (key == "pattern" and isinstance(value, str) and not _PLAIN.fullmatch(value)):
            continue
        result[key] = _parts(key, value, closed)
    if result.get("type") == "object" or "properties" in result:
        if not isinstance(result.get("additionalProperties"), dict):
            result["additionalProperties"] = False
        result["required"] = list(result.get("properties", {}))
    return result


def ending(schema: dict[str, Any], tokens: int) -> dict[str, Any]:
    """The closed schema with an end to every string and list, as wide as ``tokens`` allow.

    What the schema demands at least stays possible, so that one of many required parts may still be too long. A number
    between two bounds is one of a few, because a grammar can't bound it.
    """
    whole = closed(schema)
    narrowed = whole
    for bounds in LADDER:
        narrowed = _bounded(whole, bounds)
        if longest(narrowed) <= _SHARE * tokens:
            break
    return narrowed


def longest(schema: dict[str, Any]) -> float:
    """About how many tokens the longest answer under a schema with ends takes."""
    return _longest(schema, schema.get("$defs", {}), 0)


def _longest(schema: dict[str, Any], named: dict[str, Any], depth: int) -> float:
    def inside(part: dict[str, Any]) -> float:
        return _longest(part, named, depth + 1)

    if depth > _DEEPEST:
        return 0
    if "$ref" in schema:
        return inside(named[schema["$ref"].rsplit("/", 1)[-1]])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return max(inside(part) for part in schema[several])
    if values := schema.get("enum", [schema["const"]] if "const" in schema else []):
        return _MARKS + max(len(json.dumps(value)) for value in values) / _CHARACTERS_A_TOKEN
    match schema.get("type"):
        case "object":
            parts = schema.get("properties", {})
            keys = sum(_MARKS + len(name) / _CHARACTERS_A_TOKEN for name in parts)
            return _MARKS + keys + sum(inside(part) for part in parts.values())
        case "array":
            items = schema.get("items")
            return _MARKS + schema.get("maxItems", 1) * (_MARKS + (inside(items) if items else _NUMBER))
        case "string":
            return _MARKS + schema.get("maxLength", 0) / _CHARACTERS_A_TOKEN
    return _NUMBER


def _bounded(schema: dict[str, Any], bounds: Bounds) -> dict[str, Any]:
    """The schema with an early end; what it demands at least stays possible."""
    if {"enum", "const"} & schema.keys():
        return schema
    schema = {key: _parts(key, value, lambda part: _bounded(part, bounds)) for key, value in schema.items()}
    match schema:
        case {"pattern": _}:
            return schema
        case {"type": "string"}:
            return schema | _most(schema, "minLength", "maxLength", bounds.characters)
        case {"type": "array"}:
            return schema | _most(schema, "minItems", "maxItems", bounds.items)
        case {"type": "number" | "integer"}:
            return {"enum": values} if (values := _offered(schema)) else schema
    return schema


def _offered(schema: dict[str, Any]) -> list[float]:
    """Some numbers between two bounds, those included that the schema includes; none where a bound is missing."""
    least = schema.get("minimum", schema.get("exclusiveMinimum"))
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    if least is None or most is None:
        return []
    middle = (least + most) // 2 if schema["type"] == "integer" else (least + most) / 2
    ends = [least] if "minimum" in schema else [], [most] if "maximum" in schema else []
    return [*ends[0], middle, *ends[1]]


def _parts(key: str, value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """The value of a keyword with the schemas in it changed."""
    if key in _NAMED and isinstance(value, dict):
        return {name: change(part) for name, part in value.items()}
    if isinstance(value, dict) and key not in {"const", "enum"}:
        return change(value)
    if isinstance(value, list) and key not in {"enum", "required", "type"}:
        return [change(part) if isinstance(part, dict) else part for part in value]
    return value


def _most(schema: dict[str, Any], low: str, high: str, bound: int) -> dict[str, int]:
    return {high: max(min(schema.get(high, bound), bound), schema.get(low, 0))}
