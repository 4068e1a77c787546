"""An answer in the form of a pydantic model: asked for, found, validated."""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from .closed import ending
from .fence import instructions
from .model import Model
from .prompt import Prompt, Turn
from .schema import candidates, strict

T = TypeVar("T", bound=BaseModel)


def form(prompt: Prompt, answer: type[BaseModel], model: Model) -> tuple[Prompt, dict[str, Any] | None]:
    """The prompt and the schema to send with it; without a schema, the prompt itself asks for the form."""
    if model.answers == "grammar":
        return prompt, ending(answer.model_json_schema(), model.max_tokens)
    schema = strict(answer) if model.answers == "schema" else None
    if schema is not None:
        return prompt, schema
    schema_text = json.dumps(answer.model_json_schema(), ensure_ascii=False)
    return _with_words(prompt, instructions(__package__, "structured", schema=schema_text)), None


def parse(text: str, answer: type[T]) -> T | ValidationError:
    """The answer in a text, or what is wrong with the likeliest candidate for it."""
    fault: ValidationError | None = None
    for candidate in candidates(text):
        try:
            return answer.model_validate_json(candidate)
        except ValidationError as error:
            # A fault of content tells more than that the whole text is no JSON.
            if fault is None or (_is_syntax(fault) and not _is_syntax(error)):
                fault = error
    assert fault is not None
    return fault


def _is_syntax(error: ValidationError) -> bool:
    return error.errors(include_url=False)[0]["type"] == "json_invalid"


def _with_words(prompt: Prompt, words: str) -> Prompt:
    last = prompt.turns[-1]
    if last.role == "user":
        turns = (*prompt.turns[:-1], last.model_copy(update={"content": f"{last.content}\n\n{words}"}))
    else:
        turns = (*prompt.turns, Turn(role="user", content=words))
    return prompt.model_copy(update={"turns": turns})
