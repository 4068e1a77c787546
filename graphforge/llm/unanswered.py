"""A question that got no usable answer, in the books: a rejection with a reason, never a score."""

from ..records import Rejection
from .failures import AnswerError, ProviderError


def unanswered(error: AnswerError | ProviderError, identifier: str, stage: str) -> Rejection:
    """Reasons: "answer_truncated", "answer_invalid", "answer_refused", or "no_answer" where the provider gave none.

    A spent budget and a missing record of a replay are no matter of one item: they stop the stage instead.
    """
    reason = f"answer_{error.kind}" if isinstance(error, AnswerError) else "no_answer"
    return Rejection(id=identifier, stage=stage, reason=reason, detail=error.what)
