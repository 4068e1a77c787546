"""What a run will ask and cost, before it asks.

    rows = forecast(expected, config.models, ledger, "default")
    total(rows).cost

Calls and their sizes are expected by the caller. Where the ledger holds enough answers of the same model to the same
kind of question, their mean sizes take the place of the expected ones: a line estimates itself better the longer it
is used. It is an estimate and no bound: the bound is the budget.
"""

from collections.abc import Mapping, Sequence

from pydantic import Field

from ..records import Record
from .ledger import Ledger
from .model import Model, NoModel
from .prices import cost, price_of
from .reply import Usage

# So many answers tell more than the size that was expected.
ENOUGH = 5


class Expected(Record):
    """Calls of one purpose in one stage, and the tokens of one call: what it reads and what it writes."""

    stage: str
    role: str
    purpose: str
    calls: float = Field(ge=0)
    input: float = Field(ge=0)
    output: float = Field(ge=0)


class Forecast(Record):
    """What a role is expected to use in a stage: calls, tokens, US dollars (None: no price is known).

    ``recorded`` counts the answers in the ledger that the sizes rest on; 0 where they are the expected ones alone.
    ``spent`` and ``spent_tokens`` are what the run has used there already, whatever it was asked then.
    """

    stage: str
    role: str
    model: str
    calls: int
    input: int
    output: int
    cost: float | None
    recorded: int
    spent: float
    spent_tokens: int

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.input + self.output

    @property
    def cost_left(self) -> float:
        """US dollars still to come: of what a resumed run has paid for, nothing is paid again."""
        return max(0.0, (self.cost or 0.0) - self.spent)

    @property
    def tokens_left(self) -> int:
        """Tokens still to come, likewise."""
        return max(0, self.tokens - self.spent_tokens)


def forecast(
    expected: Sequence[Expected], models: Mapping[str, Model | NoModel], ledger: Ledger | None, run: str
) -> tuple[Forecast, ...]:
    """A row a stage and role that has a model, in the order in which they are expected first."""
    used = {(one.stage, one.role): one for one in (ledger.spent(run) if ledger else ())}
    groups: dict[tuple[str, str], list[Expected]] = {}
    for one in expected:
        if isinstance(models.get(one.role), Model):
            groups.setdefault((one.stage, one.role), []).append(one)
    rows = []
    for (stage, role), group in groups.items():
        model = models[role]
        assert isinstance(model, Model)
        usual = ledger.usual(model.name) if ledger else {}
        tariffs = price_of(model)
        calls = given = written = dollars = 0.0
        recorded = 0
        for one in group:
            count, input_mean, output_mean = usual.get((stage, one.purpose), (0, 0.0, 0.0))
            if count < ENOUGH:
                count, input_mean, output_mean = 0, one.input, one.output
            recorded += count
            calls += one.calls
            given += one.calls * input_mean
            written += one.calls * output_mean
            each = cost(tariffs, Usage(input=round(input_mean), cached=0, output=round(output_mean)))
            dollars += one.calls * (each or 0.0)
        spent = used.get((stage, role))
        rows.append(
            Forecast(
                stage=stage,
                role=role,
                model=model.name,
                calls=round(calls),
                input=round(given),
                output=round(written),
                cost=dollars if tariffs else None,
                recorded=recorded,
                spent=spent.cost if spent else 0.0,
                spent_tokens=spent.input + spent.output + spent.assumed_tokens if spent else 0,
            )
        )
    return tuple(rows)
