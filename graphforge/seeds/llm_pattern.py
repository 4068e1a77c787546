"""The labels of work demands: how each is mainly carried out, and the files it starts from and ends in."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from graphforge.llm.fence import fence, instructions
from graphforge.llm.prompt import Prompt, Turn
from graphforge.records import ExecutionPattern, InputFamily


class Label(BaseModel):
    """The label of one demand, by its number. No pattern: none of them is what the work mainly is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    demand: int
    why: str = Field(min_length=1)
    pattern: ExecutionPattern | None
    input_family: InputFamily
    output_family: InputFamily


class LabelAnswer(BaseModel):
    """The model's whole answer: a label a demand."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: tuple[Label, ...] = ()


def prompt(occupation: str, activity: str, demands: Sequence[str]) -> Prompt:
    """The question about the demands of one occupation and activity."""
    who = f"Occupation: {occupation}\nWork activity: {activity}"
    numbered = "\n".join(f"[{number}] {demand}" for number, demand in enumerate(demands, start=1))
    asked = (
        f"{fence('occupation and activity', who)}\n\n{fence('work demands', numbered)}\n\n"
        "Label each of them. Answer with the JSON object described above and nothing else."
    )
    return Prompt(
        stage="seeds",
        purpose="patterns",
        turns=(
            Turn(role="system", content=instructions(__package__ or "", "llm_pattern")),
            Turn(role="user", content=asked),
        ),
    )
