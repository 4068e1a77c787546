"""What a model judge hands in, and the sheet on which it is entered: nothing is scored that was not marked."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..llm import Reply
from ..records import (
    CriterionVerdict,
    PenaltyVerdict,
    TaskSpec,
    Verdict,
    score,
)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class CriterionMark(_Answer):
    """The evidence comes before the number, so that a model looks before it marks."""

    id: str = Field(description="id of the criterion")
    evidence: str = Field(description="what stands in the deliverable and in the evidence, in one sentence")
    fraction: float = Field(ge=0, le=1, description="fraction of the requirement met, 0 to 1")


class PenaltyMark(_Answer):
    id: str = Field(description="id of the penalty")
    evidence: str = Field(description="what in the deliverable shows the violation; empty where nothing does")
    degree: float = Field(ge=0, le=1, description="degree of the violation, 0 where none is evidenced")


class CandidateMarks(_Answer):
    candidate: int = Field(description="number of the candidate")
    criteria: list[CriterionMark]
    penalties: list[PenaltyMark]


class Marks(_Answer):
    """The marks of all candidates."""

    candidates: list[CandidateMarks]


Place = tuple[int, str]
"""A candidate's number, from 1, and the id of a criterion or penalty."""


class Sheet:
    """The marks of ``size`` candidates for each criterion and penalty of ``spec``, by number and id.

    ``barred`` are ids that can't be judged, with the reason; no mark is taken for them.
    """

    def __init__(
        self, spec: TaskSpec, size: int, violations: Literal["binary", "graded"], barred: Mapping[str, str]
    ):
        self._spec = spec
        self._size = size
        self._violations = violations
        self._barred = dict(barred)
        self._criteria = {criterion.id for criterion in spec.criteria}
        self._marked: dict[Place, tuple[float, str]] = {}

    def ids(self) -> list[str]:
        """The criteria and penalties to judge, in order."""
        known = [one.id for one in self._spec.criteria] + [one.id for one in self._spec.penalties]
        return [name for name in known if name not in self._barred]

    def missing(self) -> list[Place]:
        """What is not marked yet."""
        wanted = [(number, name) for number in range(1, self._size + 1) for name in self.ids()]
        return [place for place in wanted if place not in self._marked]

    def enter(self, marks: Marks) -> None:
        """Take the marks for what is still missing.

        Unknown numbers and ids are passed over. Two different marks for one thing are no mark, and a violation
        without a word of evidence is none either: negative criteria count only where evidenced (section 3.3).
        """
        given: dict[Place, set[tuple[float, str]]] = {}
        for one in marks.candidates:
            for mark in one.criteria:
                if mark.id in self._criteria:
                    given.setdefault((one.candidate, mark.id), set()).add((mark.fraction, mark.evidence))
            for penalty in one.penalties:
                if penalty.id not in self._criteria and (penalty.degree == 0 or penalty.evidence.strip()):
                    given.setdefault((one.candidate, penalty.id), set()).add(
                        (penalty.degree, penalty.evidence)
                    )
        for place in self.missing():
            values = given.get(place, set())
            if len({value for value, _ in values}) == 1:
                self._marked[place] = min(values)

    def verdict(self, number: int, why: str) -> Verdict:
        """The verdict on a candidate; what is not marked is unjudged, with ``why``. No candidate's name yet."""
        criteria, penalties = [], []
        for criterion in self._spec.criteria:
            mark = self._marked.get((number, criterion.id))
            if mark is None:
                reason = self._barred.get(criterion.id, why)
                criteria.append(
                    CriterionVerdict(
                        criterion=criterion.id, outcome="unjudged", evidence=f"unjudged: {reason}"
                    )
                )
                continue
            criteria.append(
                CriterionVerdict(
                    criterion=criterion.id,
                    outcome="met" if mark[0] == 1 else "not_met",
                    fraction=mark[0],
                    evidence=mark[1],
                )
            )
        for penalty in self._spec.penalties:
            mark = self._marked.get((number, penalty.id))
            if mark is None:
                reason = self._barred.get(penalty.id, why)
                penalties.append(
                    PenaltyVerdict(penalty=penalty.id, outcome="unjudged", evidence=f"unjudged: {reason}")
                )
                continue
            degree = float(mark[0] > 0) if self._violations == "binary" else mark[0]
            penalties.append(
                PenaltyVerdict(
                    penalty=penalty.id,
                    outcome="met" if degree > 0 else "not_met",
                    degree=degree,
                    evidence=mark[1],
                )
            )
        return summed(self._spec, f"candidate-{number}", "", criteria, penalties)


def summed(
    spec: TaskSpec,
    candidate: str,
    judge: str,
    criteria: Sequence[CriterionVerdict],
    penalties: Sequence[PenaltyVerdict],
) -> Verdict:
    """A verdict with its score, None where anything is unjudged. Both run in the order of the specification."""
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
        criteria=tuple(criteria),
        penalties=tuple(penalties),
        score=score(weights, lost) if judged else None,
    )


def handed_in(
    sheet: Sheet, order: Sequence[int], names: Sequence[str], judge: str, replies: Sequence[Reply], why: str
) -> list[Verdict]:
    """The verdicts in the order of the pool.

    ``order[k]`` is the place in the pool of the candidate that was shown as number k + 1. The tokens of the replies
    are shared out among the candidates, to the last one.
    """
    spent = sum(reply.usage.input + reply.usage.output for reply in replies)
    keys = tuple(dict.fromkeys(reply.key for reply in replies))
    shares = (
        [spent // len(order) + (place < spent % len(order)) for place in range(len(order))] if order else []
    )
    verdicts: dict[int, Verdict] = {}
    for shown, index in enumerate(order):
        verdicts[index] = sheet.verdict(shown + 1, why).model_copy(
            update={
                "candidate": names[index],
                "judge": judge,
                "answers": keys,
                "tokens": shares[shown] if replies else None,
            }
        )
    return [verdicts[index] for index in range(len(order))]
