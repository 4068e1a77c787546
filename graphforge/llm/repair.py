"""What a model is told of an answer that could not be used."""

from pydantic import ValidationError

from .fence import instructions
from .prompt import Prompt, Turn

_MOST_FAULTS = 12


def again(prompt: Prompt, text: str, error: ValidationError) -> Prompt:
    """The conversation with the unusable answer and its faults."""
    turns = (
        *prompt.turns,
        Turn(role="assistant", content=text or "(nothing)"),
        Turn(role="user", content=instructions(__package__, "repair", faults="\n".join(faults(error)))),
    )
    return prompt.model_copy(update={"turns": turns})


def faults(error: ValidationError) -> list[str]:
    """A line a fault: where, and what."""
    found = error.errors(include_url=False, include_input=False)
    lines = [
        f"- {'.'.join(map(str, one['loc'])) or 'the whole answer'}: {one['msg']}"
        for one in found[:_MOST_FAULTS]
    ]
    return lines if len(found) <= _MOST_FAULTS else [*lines, f"- and {len(found) - _MOST_FAULTS} more"]
