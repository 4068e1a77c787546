"""The bar that a judge's score must exceed."""

from pydantic import BaseModel, ConfigDict

from ..records import Verdict
from .reason import Reason


class ScoreBar(BaseModel):
    """Admits a score above ``exceed`` (section 4: 0.95). The score is raw and may be negative.

    A verdict without a score is no verdict of zero: something could not be judged, and that is its own reason.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    exceed: float

    def reason(self, verdict: Verdict) -> Reason | None:
        """``unjudged`` or ``low_score``."""
        if verdict.score is None:
            named = [one.criterion for one in verdict.criteria if one.outcome == "unjudged"]
            named += [one.penalty for one in verdict.penalties if one.outcome == "unjudged"]
            return Reason(
                word="unjudged", detail=f"without a verdict: {', '.join(named) or 'the whole task'}"
            )
        if verdict.score > self.exceed:
            return None
        lost = [one.criterion for one in verdict.criteria if one.fraction is not None and one.fraction < 1]
        lost += [one.penalty for one in verdict.penalties if one.degree]
        detail = f"scored {verdict.score:.4f}, not above {self.exceed:g}; points lost on {', '.join(lost) or 'nothing'}"
        return Reason(word="low_score", detail=detail)
