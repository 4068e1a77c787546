"""A graph answer of which parts could not be taken, back to the model with the reasons."""

from collections.abc import Sequence

from ..llm.fence import fence, instructions
from ..llm.prompt import Prompt, Turn
from .llm_graph import GraphAnswer

_MOST_FAULTS, _LONGEST = 30, 300


def again(question: Prompt, answer: GraphAnswer, faults: Sequence[str]) -> Prompt:
    """The question once more, with what could not be taken of the answer."""
    lines = [" ".join(fault.split()) for fault in faults[:_MOST_FAULTS]]
    listed = "\n".join(f"- {one if len(one) <= _LONGEST else one[: _LONGEST - 1] + '…'}" for one in lines)
    said = instructions(__package__ or "", "llm_again", faults=fence("faults", listed))
    turns = (
        *question.turns,
        Turn(role="assistant", content=answer.model_dump_json()),
        Turn(role="user", content=said),
    )
    return Prompt(stage="graphs", purpose="mend", turns=turns)
