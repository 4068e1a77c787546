"""The one way to a model: asked once, remembered in a ledger, kept within a budget. Alone imports litellm."""

from .client import Client, Heard, Watch
from .closed import closed, ending
from .failures import AnswerError, BudgetSpent, Fault, NotRecorded, ProviderError
from .fence import DATA_RULE, fence, instructions
from .flow import flow
from .forecast import Expected, Forecast, forecast
from .ledger import Ledger, Spent
from .local import LocalModel
from .model import Limits, Model, NoModel, Prices
from .prompt import Call, Prompt, Tool, Turn
from .reply import Finish, Reply, Usage
from .request import IMAGE_TOKENS
from .settings import Budget, LlmSettings
from .speaker import Speaker
from .together import together
from .unanswered import unanswered

__all__ = [
    "DATA_RULE",
    "IMAGE_TOKENS",
    "AnswerError",
    "Budget",
    "BudgetSpent",
    "Call",
    "Client",
    "Expected",
    "Fault",
    "Finish",
    "Forecast",
    "Heard",
    "Ledger",
    "Limits",
    "LlmSettings",
    "LocalModel",
    "Model",
    "NoModel",
    "NotRecorded",
    "Prices",
    "Prompt",
    "ProviderError",
    "Reply",
    "Speaker",
    "Spent",
    "Tool",
    "Turn",
    "Usage",
    "Watch",
    "closed",
    "ending",
    "fence",
    "flow",
    "forecast",
    "instructions",
    "together",
    "unanswered",
]
