"""What can go wrong between a prompt and its answer."""

from typing import Literal

from ..errors import GraphForgeError

Fault = Literal["truncated", "invalid", "refused"]


class AnswerError(GraphForgeError):
    """The model answered, but not usably. Its words are in the ledger; it is never a score."""

    def __init__(self, kind: Fault, what: str, remedy: str):
        self.kind: Fault = kind
        super().__init__(what, remedy)


class BudgetSpent(GraphForgeError):
    """The next call might pass the budget of the run, so it was not made."""


class ProviderError(GraphForgeError):
    """The provider gave no answer.

    ``transient``: a later attempt may get one. ``too_long``: prompt and answer don't fit into the model's context.
    """

    def __init__(self, what: str, remedy: str, *, transient: bool, too_long: bool = False):
        self.transient = transient
        self.too_long = too_long
        super().__init__(what, remedy)


class NotRecorded(GraphForgeError):
    """Replay was asked for, and the ledger doesn't hold an answer to the request."""
