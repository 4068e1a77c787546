"""A candidate case: what a coherent piece of work could be about, and which patterns could work on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..records import ExecutionPattern

CaseKind = Literal["pair_same_measure", "pair_other_measure", "periods", "shares", "threshold", "quote"]

PATTERNS: Mapping[CaseKind, tuple[ExecutionPattern, ...]] = {
    "pair_same_measure": ("reconciliation", "artifact_revision", "research_and_source_synthesis"),
    "pair_other_measure": (
        "data_cleaning_and_integration",
        "comparative_evaluation",
        "research_and_source_synthesis",
    ),
    "periods": (
        "forecasting_and_planning",
        "monitoring_and_exception_reporting",
        "data_analysis_and_reporting",
        "stakeholder_communication",
        "quantitative_modeling",
    ),
    "shares": ("data_analysis_and_reporting", "budgeting_and_allocation", "classification_and_coding"),
    "threshold": ("monitoring_and_exception_reporting", "compliance_review"),
    "quote": ("research_and_source_synthesis",),
}


@dataclass(frozen=True)
class Piece:
    """A measure that a case is about: a column of a table of a file."""

    sha256: str
    table: str
    column: int
    name: str
    what: str
    period: str


@dataclass(frozen=True)
class Case:
    """Files that belong together, and why.

    ``core`` drive the computation; ``text`` is the document that states the rule or the quoted figures.
    ``quality`` (0 to 1) says how good a piece of work it would make; ``words`` what it is about. ``unfit`` are patterns
    that its kind is offered to and that this one isn't for.
    """

    id: str
    kind: CaseKind
    core: tuple[str, ...]
    pieces: tuple[Piece, ...]
    topic: str
    quality: float
    words: tuple[str, ...]
    why: str
    text: str | None = None
    unfit: tuple[ExecutionPattern, ...] = ()

    @property
    def patterns(self) -> tuple[ExecutionPattern, ...]:
        """The patterns whose work it could be."""
        return tuple(pattern for pattern in PATTERNS[self.kind] if pattern not in self.unfit)
