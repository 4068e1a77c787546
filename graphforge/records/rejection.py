"""Nothing is lost silently: every input of a stage ends as an output or as a rejection with a reason."""

from collections import Counter
from collections.abc import Iterable

from pydantic import Field, model_validator

from .base import Record


class Rejection(Record):
    """An input that a stage did not pass on. ``reason`` is a short stable word, ``detail`` one line for a person."""

    id: str
    stage: str
    reason: str = Field(pattern=r"^[a-z0-9_]+$")
    detail: str = ""


class StageCount(Record):
    """A stage's books: inputs = outputs + rejections by reason, or the record is refused."""

    stage: str
    inputs: int = Field(ge=0)
    outputs: int = Field(ge=0)
    rejected: dict[str, int] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _balanced(self) -> "StageCount":
        total = self.outputs + sum(self.rejected.values())
        if total != self.inputs:
            raise ValueError(
                f"stage {self.stage}: {self.inputs} inputs but {self.outputs} outputs and "
                f"{sum(self.rejected.values())} rejections"
            )
        return self

    @classmethod
    def of(cls, stage: str, inputs: int, outputs: int, rejections: Iterable[Rejection]) -> "StageCount":
        """The books of a stage from its rejections, reasons in alphabetical order."""
        counts = Counter(rejection.reason for rejection in rejections)
        return cls(stage=stage, inputs=inputs, outputs=outputs, rejected=dict(sorted(counts.items())))
