"""Nothing is lost silently: every input of a stage ends as an output or as a rejection with a reason."""

from collections import Counter
from collections.abc import Iterable

from pydantic import Field, model_validator

from .base import Record


def _none(count: int) -> bool:
    """A count that is nothing isn't written."""
    return count == 0


class Rejection(Record):
    """An input that a stage did not pass on. ``reason`` is a short stable word, ``detail`` one line for a person."""

    id: str
    stage: str
    reason: str = Field(pattern=r"^[a-z0-9_]+$")
    detail: str = ""


class StageCount(Record):
    """A stage's books: inputs + repeats = outputs + rejections by reason, or the record is refused.

    ``repeats`` are the outputs beyond the first of an input, where one input may give several.
    """

    stage: str
    inputs: int = Field(ge=0)
    outputs: int = Field(ge=0)
    repeats: int = Field(default=0, ge=0, exclude_if=_none)
    rejected: dict[str, int] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _balanced(self) -> "StageCount":
        total = self.outputs + sum(self.rejected.values())
        if total != self.inputs + self.repeats or self.repeats > self.outputs:
            again = f" ({self.repeats} of them repeats)" if self.repeats else ""
            raise ValueError(
                f"stage {self.stage}: {self.inputs} inputs but {self.outputs} outputs{again} and "
                f"{sum(self.rejected.values())} rejections"
            )
        return self

    @classmethod
    def of(
        cls, stage: str, inputs: int, outputs: int, rejections: Iterable[Rejection], repeats: int = 0
    ) -> "StageCount":
        """The books of a stage from its rejections, reasons in alphabetical order."""
        counts = Counter(rejection.reason for rejection in rejections)
        rejected = dict(sorted(counts.items()))
        return cls(stage=stage, inputs=inputs, outputs=outputs, repeats=repeats, rejected=rejected)
