"""A JSON schema without loose ends, for servers that turn it into a grammar.

    closed(Answer.model_json_schema())

Found by trying llama.cpp's: objects left open are filled with invented keys; a pattern with an escape or a negated
class lets a quotation mark through and so breaks the JSON; the bounds of a number are ignored; and in a string or a
list without an end a small model runs on until its tokens are spent.
"""

import re
from typing import Any

# Bounds for a model of 135 million parameters: with them it ends most answers within a few hundred tokens. What it
# says is worth nothing either way.
MOST_CHARACTERS = 48
MOST_ITEMS = 2
# What says nothing about the form, or what the grammar gets wrong; the answer is validated in full afterwards.
_DROPPED = {"format", "default", "title", "examples", "discriminator", "description"}
# A pattern that no quotation mark passes and that ends: plain classes, counted.
_PLAIN = re.compile(r"\^(?:[A-Za-z0-9_-]|\[[A-Za-z0-9_-]+\]|\{[0-9,]+\})*\$")
# Keys whose value maps names of the schema's author to schemas: the names are not keywords.
_NAMED = {"properties", "$defs", "definitions"}


def closed(schema: dict[str, Any], *, bounded: bool = True) -> dict[str, Any]:
    """The schema with every object closed and all its properties required; the argument is left as it is.

    A map (``additionalProperties`` that is a schema) stays a map. Formats, and all but plain patterns, are dropped:
    whoever sends this validates the answer against the full schema. ``bounded`` (for a small model) ends every
    string and list early and offers three values for a number between two bounds.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED or (key == "pattern" and isinstance(value, str) and not _PLAIN.fullmatch(value)):
            continue
        if key in _NAMED and isinstance(value, dict):
            result[key] = {name: closed(part, bounded=bounded) for name, part in value.items()}
        elif isinstance(value, dict) and key not in {"const", "enum"}:
            result[key] = closed(value, bounded=bounded)
        elif isinstance(value, list) and key not in {"enum", "required", "type"}:
            result[key] = [
                closed(part, bounded=bounded) if isinstance(part, dict) else part for part in value
            ]
        else:
            result[key] = value
    if result.get("type") == "object" or "properties" in result:
        if not isinstance(result.get("additionalProperties"), dict):
            result["additionalProperties"] = False
        result["required"] = list(result.get("properties", {}))
    return _bounded(result) if bounded else result


def _bounded(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with an early end; what it demands at least stays possible."""
    if {"enum", "const"} & schema.keys():
        return schema
    match schema:
        case {"pattern": _}:
            return schema
        case {"type": "string"}:
            return schema | _most(schema, "minLength", "maxLength", MOST_CHARACTERS)
        case {"type": "array"}:
            return schema | _most(schema, "minItems", "maxItems", MOST_ITEMS)
        case {"type": "number", "minimum": least, "maximum": most}:
            return {"enum": [least, (least + most) / 2, most]}
    return schema


def _most(schema: dict[str, Any], low: str, high: str, bound: int) -> dict[str, int]:
    return {high: max(min(schema.get(high, bound), bound), schema.get(low, 0))}
