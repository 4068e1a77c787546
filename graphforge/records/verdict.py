"""What a judge found, criterion by criterion, and the score."""

import math
from typing import Literal

from pydantic import Field

from .base import Identifier, Record, Sha256

Outcome = Literal["met", "not_met", "unjudged"]


class CriterionVerdict(Record):
    """``fraction`` of the requirement met (0 to 1); None exactly where the outcome is unjudged."""

    criterion: Identifier
    outcome: Outcome
    fraction: float | None = Field(default=None, ge=0, le=1)
    evidence: str = ""


class PenaltyVerdict(Record):
    """``degree`` of the violation (0 to 1); None exactly where the outcome is unjudged. "met" means violated."""

    penalty: Identifier
    outcome: Outcome
    degree: float | None = Field(default=None, ge=0, le=1)
    evidence: str = ""


def _no_model(value: object) -> bool:
    """Left out of the line of a verdict that no model gave."""
    return value is None or value == ()


class Verdict(Record):
    """A judge's whole answer. ``score`` is raw and may be negative; None where something could not be judged.

    ``answers`` are the ledger keys of the raw answers that it rests on, ``tokens`` its share of what these calls
    read and wrote; empty and None where no model judged.
    """

    task: Identifier
    candidate: str
    judge: str
    criteria: tuple[CriterionVerdict, ...]
    penalties: tuple[PenaltyVerdict, ...] = ()
    score: float | None
    answers: tuple[Sha256, ...] = Field(default=(), exclude_if=_no_model)
    tokens: int | None = Field(default=None, ge=0, exclude_if=_no_model)


def score(weights: list[tuple[float, float]], penalties: list[tuple[float, float]]) -> float:
    """The paper's score (section 3.5): sum of weight x fraction met - sum of penalty x degree of violation."""
    gained = math.fsum(weight * fraction for weight, fraction in weights)
    lost = math.fsum(penalty * degree for penalty, degree in penalties)
    return gained - lost
