"""How all models of a run are used together (``llm`` in ``conf/config.yaml``)."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .model import Limits

Mode = Literal["live", "record", "replay"]


class Budget(BaseModel):
    """What a run may use up over all its stages, retries and repairs included. None: no limit.

    ``estimate``: whether a stage is begun (``print``) or not (``enforce``) where the estimate of what is ahead passes
    what is left. The limits themselves hold either way.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    money: float | None = Field(ge=0)
    tokens: int | None = Field(ge=0)
    estimate: Literal["enforce", "print"]


class LlmSettings(BaseModel):
    """``live`` asks the ledger, else the provider; ``record`` the same, but never without a file to keep the answers;
    ``replay`` asks the ledger alone.

    ``ledger`` is a SQLite file (in replay also a ``.jsonl`` made by ``Ledger.dump``); null keeps answers for as long
    as the stage runs. ``spans`` is the share of calls that are traced.
    ``run`` names what the budget is counted for: all stages that say the same name share it, resumed ones included.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode
    ledger: Path | None
    run: str = Field(min_length=1)
    spans: float = Field(ge=0, le=1)
    budget: Budget
    limits: Limits
