"""The JSON schema of an answer, and the answer found in what the model wrote."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

# Strict modes refuse these, or take them for something else; the answer is validated in full afterwards.
_DROPPED = {"default", "title", "examples", "discriminator"}
_NAMED = {"properties", "$defs"}
_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)```", re.S)
_THOUGHT = re.compile(r"^\s*<think>.*?</think>", re.S)


def strict(answer: type[BaseModel]) -> dict[str, Any] | None:
    """The schema with every object closed and all properties required; None where it has a map, which can't be."""
    schema = _close(answer.model_json_schema())
    return None if schema is None else schema


def _close(schema: dict[str, Any]) -> dict[str, Any] | None:
    closed: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DROPPED:
            continue
        if key in _NAMED:
            parts = {name: _close(part) for name, part in value.items()}
            if None in parts.values():
                return None
            closed[key] = parts
        elif key == "oneOf" or (isinstance(value, list) and value and isinstance(value[0], dict)):
            options = [_close(part) for part in value]
            if None in options:
                return None
            closed["anyOf" if key == "oneOf" else key] = options
        elif isinstance(value, dict) and key not in {"const", "enum"}:
            inner = _close(value)
            if inner is None:
                return None
            closed[key] = inner
        else:
            closed[key] = value
    if closed.get("type") == "object":
        if "properties" not in closed and closed.get("additionalProperties") is not False:
            return None
        if isinstance(closed.get("additionalProperties"), dict):
            return None
        closed["additionalProperties"] = False
        closed["required"] = list(closed.get("properties", {}))
    return closed


def candidates(text: str) -> Iterator[str]:
    """What in a text may be the JSON that was asked for, the likeliest first."""
    text = _THOUGHT.sub("", text).strip()
    yield text
    for fenced in reversed(_FENCE.findall(text)):
        yield fenced.strip()
    decoder = json.JSONDecoder()
    start = 0
    found: list[str] = []
    while (start := _next(text, start)) >= 0:
        try:
            _, end = decoder.raw_decode(text, start)
        except ValueError:
            start += 1
            continue
        found.append(text[start:end])
        start = end
    yield from sorted(found, key=len, reverse=True)


def _next(text: str, start: int) -> int:
    places = [place for mark in "{[" if (place := text.find(mark, start)) >= 0]
    return min(places, default=-1)
