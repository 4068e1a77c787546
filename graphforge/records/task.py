"""The task specification: what the agent sees, and what only the judge sees (paper section 3.3)."""

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from .base import FileName, Identifier, Record, Sha256
from .check import Check, Violation
from .locator import Locator
from .plan import Plan
from .seed import ExecutionPattern


def scaled(weights: Sequence[float]) -> list[float]:
    """Weights in ten-thousandths that sum to exactly 1, proportions kept; the largest takes the rest."""
    whole = math.fsum(weights)
    parts = [max(1, round(10_000 * weight / whole)) for weight in weights]
    parts[parts.index(max(parts))] += 10_000 - sum(parts)
    return [part / 10_000 for part in parts]


class Deliverable(Record):
    """A file to hand over and what the agent is told of its form."""

    id: Identifier
    file: FileName
    family: Literal["xlsx", "csv", "docx", "pdf"]
    requirement: str
    sheets: tuple[str, ...] = ()


class Anchor(Record):
    """Where the proof of a criterion stands: a node of the graph and its place in a file."""

    node: Identifier
    file: Sha256
    name: FileName
    locator: Locator


class Criterion(Record):
    """A positive criterion: target deliverable, requirement, expected value, weight, anchors, verification, checks.

    Without ``checks`` only a judge that reads can say whether it is met.
    """

    id: Identifier
    deliverable: Identifier
    requirement: str = Field(min_length=1)
    expected: str | None
    weight: float = Field(gt=0, le=1)
    anchors: tuple[Anchor, ...]
    verification: str
    checks: tuple[Check, ...] = ()

    def redacted(self) -> "Criterion":
        """The criterion as the unanchored judge sees it: without anchors, expected values and verification."""
        return self.model_copy(
            update={
                "expected": None,
                "anchors": (),
                "verification": "",
                "checks": tuple(check.redacted() for check in self.checks),
            }
        )


class NegativeCriterion(Record):
    """A concrete prohibited outcome, penalized only where the violation is directly evidenced."""

    id: Identifier
    deliverable: Identifier
    prohibited: str = Field(min_length=1)
    penalty: float = Field(gt=0, le=1)
    anchors: tuple[Anchor, ...]
    verification: str
    violations: tuple[Violation, ...] = ()

    def redacted(self) -> "NegativeCriterion":
        """As :meth:`Criterion.redacted`."""
        return self.model_copy(
            update={
                "anchors": (),
                "verification": "",
                "violations": tuple(violation.redacted() for violation in self.violations),
            }
        )


class PublicTask(Record):
    """All that a working agent may know: the statement, the deliverables and the names of the input files."""

    task: Identifier
    statement: str
    deliverables: tuple[Deliverable, ...]
    files: tuple[FileName, ...]

    @property
    def request(self) -> str:
        """What an agent is told: the statement, and what is required of the deliverables where it doesn't say so.

        Its hash decides whether a pilot still shows what the task asks (section 3.4).
        """
        said = " ".join(self.statement.split())
        if all(" ".join(one.requirement.split()) in said for one in self.deliverables):
            return self.statement
        lines = [f"- {one.file}: {' '.join(one.requirement.split())}" for one in self.deliverables]
        return "\n".join([self.statement.strip(), "", "To hand over:", *lines])


class TaskSpec(Record):
    """Statement, deliverables, positive and negative criteria, and the hidden solution.

    ``solution`` is None where a model wrote the task: only an agent that finds its own way can work on it.
    """

    id: Identifier
    workspace: Identifier
    graph: Identifier
    occupation: str
    sector: str
    topic: str
    pattern: ExecutionPattern
    statement: str = Field(min_length=1)
    deliverables: tuple[Deliverable, ...] = Field(min_length=1)
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    penalties: tuple[NegativeCriterion, ...] = ()
    files: tuple[FileName, ...] = Field(min_length=1)
    solution: Plan | None

    @model_validator(mode="after")
    def _consistent(self) -> "TaskSpec":
        known = {deliverable.id for deliverable in self.deliverables}
        items: list[Criterion | NegativeCriterion] = [*self.criteria, *self.penalties]
        identifiers = [deliverable.id for deliverable in self.deliverables] + [item.id for item in items]
        if len(set(identifiers)) != len(identifiers):
            raise ValueError(f"task {self.id}: an id occurs twice")
        for item in items:
            if item.deliverable not in known:
                raise ValueError(
                    f"task {self.id}: {item.id} names the unknown deliverable {item.deliverable}"
                )
        total = math.fsum(criterion.weight for criterion in self.criteria)
        if not math.isclose(total, 1.0, abs_tol=1e-9):
            raise ValueError(f"task {self.id}: the weights sum to {total:.6f}, not to 1")
        return self

    def public_view(self) -> PublicTask:
        """What goes to the working agent, and nothing else."""
        return PublicTask(
            task=self.id, statement=self.statement, deliverables=self.deliverables, files=self.files
        )

    def redacted(self) -> "TaskSpec":
        """The specification as the unanchored judge sees it."""
        return self.model_copy(
            update={
                "criteria": tuple(criterion.redacted() for criterion in self.criteria),
                "penalties": tuple(penalty.redacted() for penalty in self.penalties),
            }
        )


class Patch(Record):
    """A revision: only the components that change, by id; ``drop`` names criteria to remove."""

    task: Identifier
    statement: str | None = None
    deliverables: tuple[Deliverable, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    penalties: tuple[NegativeCriterion, ...] = ()
    drop: tuple[Identifier, ...] = ()
    reasons: tuple[str, ...] = ()

    def empty(self) -> bool:
        """Whether the patch leaves the specification as it is."""
        return self.statement is None and not (
            self.deliverables or self.criteria or self.penalties or self.drop
        )


class Revision(Record):
    """A revised specification, the patch that made it, and whether the pilot's trajectory may be reused."""

    spec: TaskSpec
    patch: Patch
    statement_hash: Sha256
    pilot_hash: Sha256
    reuse: bool
