"""The grader that executes the criteria. It scores, and never admits.

verdict = ChecksGrader(violations="binary").grade(spec, deliverables, judge="anchored", candidate="a1")
"""

import math
from collections.abc import Sequence
from typing import ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from ..records import Criterion, CriterionVerdict, NegativeCriterion, PenaltyVerdict, TaskSpec, Verdict, score
from .checks import Deliverables, execute
from .member import PoolMember

_UNCHECKED = "it has no check that can be executed"


class Grader(Protocol):
    """Whoever can say how far a candidate's deliverables meet a specification."""

    def grade(self, spec: TaskSpec, deliverables: Deliverables, judge: str, candidate: str) -> Verdict: ...


class ChecksGrader(BaseModel):
    """Grades by executing every check of every criterion: no model, no network, always the same verdict.

    ``violations``: "binary" makes every evidenced violation count in full, as at admission
    (paper section 3.5); "graded" counts the evidenced share of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    uses_model: ClassVar[bool] = False

    violations: Literal["binary", "graded"]

    def open(self, sight: object = None) -> "ChecksGrader":
        """Itself: executing takes nothing but the deliverables."""
        return self

    async def grade_pool(self, spec: TaskSpec, pool: Sequence[PoolMember], judge: str) -> list[Verdict]:
        """As :meth:`grade`, each member by itself: what is executed doesn't depend on the others."""
        return [self.grade(spec, member.deliverables, judge, member.candidate) for member in pool]

    def grade(self, spec: TaskSpec, deliverables: Deliverables, judge: str, candidate: str) -> Verdict:
        """The verdict on one candidate; ``deliverables`` maps names to parsed files (None: unreadable)."""
        criteria = tuple(self._criterion(criterion, deliverables) for criterion in spec.criteria)
        penalties = tuple(self._penalty(penalty, deliverables) for penalty in spec.penalties)
        weights = [
            (criterion.weight, found.fraction)
            for criterion, found in zip(spec.criteria, criteria, strict=True)
            if found.fraction is not None
        ]
        lost = [
            (penalty.penalty, found.degree)
            for penalty, found in zip(spec.penalties, penalties, strict=True)
            if found.degree is not None
        ]
        judged = len(weights) == len(criteria) and len(lost) == len(penalties)
        return Verdict(
            task=spec.id,
            candidate=candidate,
            judge=judge,
            criteria=criteria,
            penalties=penalties,
            score=score(weights, lost) if judged else None,
        )

    def _criterion(self, criterion: Criterion, deliverables: Deliverables) -> CriterionVerdict:
        """The mean of the checks' shares; met where it is 1."""
        findings = [execute(check, deliverables) for check in criterion.checks]
        evidence = "; ".join(finding.evidence for finding in findings)
        shares = [finding.share for finding in findings if finding.share is not None]
        if not findings or len(shares) < len(findings):
            return CriterionVerdict(
                criterion=criterion.id, outcome="unjudged", evidence=evidence or _UNCHECKED
            )
        fraction = math.fsum(shares) / len(shares)
        return CriterionVerdict(
            criterion=criterion.id,
            outcome="met" if fraction == 1 else "not_met",
            fraction=fraction,
            evidence=evidence,
        )

    def _penalty(self, penalty: NegativeCriterion, deliverables: Deliverables) -> PenaltyVerdict:
        """The gravest of the violations; "met" where any is evidenced."""
        findings = [execute(violation, deliverables) for violation in penalty.violations]
        evidence = "; ".join(finding.evidence for finding in findings)
        shares = [finding.share for finding in findings if finding.share is not None]
        if not findings or len(shares) < len(findings):
            return PenaltyVerdict(penalty=penalty.id, outcome="unjudged", evidence=evidence or _UNCHECKED)
        degree = max(shares)
        if self.violations == "binary":
            degree = float(degree > 0)
        return PenaltyVerdict(
            penalty=penalty.id, outcome="met" if degree > 0 else "not_met", degree=degree, evidence=evidence
        )
