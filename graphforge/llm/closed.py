"""A JSON schema without loose ends, for servers that turn it into a grammar.

    closed(Answer.model_json_schema())

Three things a grammar can't be trusted with were found by trying llama.cpp's: objects left open are filled with
invented keys, a pattern with an escape or a negated class lets a quotation mark through and so breaks the JSON, and in
a string or a list without an end a small model runs on until its tokens are spent.
"""

from typing import Any

MOST_CHARACTERS = 240
MOST_ITEMS = 8
# What says nothing about the form, or what the grammar gets wrong; the answer is validated in full afterwards.
_DROPPED = {"pattern", "format", "default", "title", "examples", "discriminator", "description"}
# Keys whose value maps names of the schema's author to schemas: the names are not keywords.
_NAMED = {"properties", "$defs", "definitions"}


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every object closed and all its properties required, every string and list bounded.

    A map (``additionalProperties`` that is a schema) stays a map. Patterns and formats are dropped: whoever sends
    this validates the answer against the full schema. The argument is left as it is.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED:
            continue
        if key in _NAMED and isinstance(value, dict):
            result[key] = {name: closed(part) for name, part in value.items()}
        elif isinstance(value, dict) and key not in {"const", "enum"}:
            result[key] = closed(value)
        elif isinstance(value, list) and key not in {"enum", "required", "type"}:
            result[key] = [closed(part) if isinstance(part, dict) else part for part in value]
        else:
            result[key] = value
    kind = result.get("type")
    if kind == "object" or "properties" in result:
        if not isinstance(result.get("additionalProperties"), dict):
            result["additionalProperties"] = False
        result["required"] = list(result.get("properties", {}))
    elif kind == "string" and not {"enum", "const"} & result.keys():
        result["maxLength"] = max(
            min(result.get("maxLength", MOST_CHARACTERS), MOST_CHARACTERS), result.get("minLength", 0)
        )
    elif kind == "array":
        result["maxItems"] = max(
            min(result.get("maxItems", MOST_ITEMS), MOST_ITEMS), result.get("minItems", 0)
        )
    return result
