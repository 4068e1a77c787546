"""The whole decision: one trajectory of one task in, an admitted record or one reason out."""

from pydantic import BaseModel, ConfigDict

from ..errors import RecordError
from ..records import Admitted, Rejection, TaskSpec, Trajectory, Verdict
from .behaviour import BehaviourFilter
from .deliverables import Deliverables, PromisedFiles, ReadableFormats, RequiredFormulas, RequiredSheets
from .reason import Reason
from .score import ScoreBar

STAGE = "admit"


class Admission(BaseModel):
    """What a trajectory must be, apart from how its work was done (that is ``conf/behaviour``).

    Args:
        score: the bar for the judge's score.
        sheets: whether the sheets that were promised must be there.
        formulas: whether a sheet of which formulas are asked must hold one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: ScoreBar
    sheets: bool
    formulas: bool

    def unfit(self, spec: TaskSpec, trajectory: Trajectory, deliverables: Deliverables) -> Reason | None:
        """The deterministic checks, which need no judge: None, or why the trajectory needn't be judged at all.

        A rollout that did not complete is ``status_<status>``: "status_sandbox_error" is a failure of ours and
        no verdict on the work.
        """
        if trajectory.task != spec.id:
            raise RecordError(
                f"The trajectory of {trajectory.task} was paired with {spec.id}", "Run the stage again"
            )
        if trajectory.status != "completed":
            return Reason(word=f"status_{trajectory.status}", detail=trajectory.detail or trajectory.status)
        checks: list[PromisedFiles | ReadableFormats | RequiredSheets | RequiredFormulas]
        checks = [PromisedFiles(), ReadableFormats()]
        checks += [RequiredSheets()] if self.sheets else []
        checks += [RequiredFormulas()] if self.formulas else []
        for check in checks:
            if found := check.reason(spec, trajectory, deliverables):
                return found
        return None


def admit(
    spec: TaskSpec,
    trajectory: Trajectory,
    deliverables: Deliverables,
    verdict: Verdict,
    admission: Admission,
    behaviour: BehaviourFilter,
) -> Admitted | Rejection:
    """Deterministic checks, then the score, then the behaviour; the first reason found is the rejection's.

    RecordError where trajectory, verdict and specification don't belong to one task.
    """
    if verdict.task != spec.id:
        raise RecordError(f"The verdict on {verdict.task} was paired with {spec.id}", "Run the stage again")
    found = (
        admission.unfit(spec, trajectory, deliverables)
        or admission.score.reason(verdict)
        or behaviour.reason(trajectory)
    )
    if found:
        return Rejection(id=spec.id, stage=STAGE, reason=found.word, detail=found.detail)
    return Admitted(spec=spec, trajectory=trajectory, verdict=verdict)
