"""A question that got no usable answer, in the books: a rejection with a reason, never a score."""

from ..records import Rejection
from .failures import AnswerError, ProviderError


def unanswered(error: AnswerError | ProviderError, identifier: str, stage: str) -> Rejection:
    """Reasons: "answer_truncated", "answer_invalid", "answer_refused", "prompt_too_long" where the question doesn't fit
    into the model's context, or "no_answer" where the provider gave none otherwise.

    A spent budget and a missing record of a replay are no matter of one item: they stop the stage instead.
    """
    if isinstance(error, AnswerError):
        reason = f"answer_{error.kind}"
    else:
        reason = "prompt_too_long" if error.too_long else "no_answer"
    return Rejection(id=identifier, stage=stage, reason=reason, detail=error.what)
