"""The one way to a model: asked once, remembered in a ledger, kept within a budget. Alone imports litellm."""

from .failures import AnswerError, BudgetSpent, Fault, NotRecorded, ProviderError
from .prompt import Call, Prompt, Tool, Turn
from .reply import Finish, Reply, Usage
from .speaker import Speaker

__all__ = [
    "AnswerError",
    "BudgetSpent",
    "Call",
    "Fault",
    "Finish",
    "NotRecorded",
    "Prompt",
    "ProviderError",
    "Reply",
    "Speaker",
    "Tool",
    "Turn",
    "Usage",
]
