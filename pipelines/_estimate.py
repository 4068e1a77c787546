"""What the rest of the line is expected to ask of models, printed before anything is asked.

The sizes are those of the hand-written runs over public files and of a mean model's reasoning on top; how they came
about, and how far they may be off, says ``docs/design/client.md``. The ledger's own means replace them as it fills.
"""

from collections.abc import Sequence
from typing import Any

from graphforge.config import Config
from graphforge.errors import ConfigError
from graphforge.llm import Budget, Client, Expected, Forecast
from graphforge.report import text_table
from pipelines._stages import STAGES

# A search and a rollout end before their limits as a rule.
_SEARCH_TURNS, _AGENT_TURNS = 12, 12
# Tasks that go back once; statements that change, so that the pilot can't be reused; invalid answers that go back.
_SENT_BACK, _CHANGED, _REPAIRS = 0.5, 0.5, 1.1
# Candidates of a pool in calibrate: what they hand over is read side by side.
_POOL = 10


def expected(config: Config, stage: str, items: int | None = None) -> list[Expected]:
    """The calls of ``stage`` and of all later ones. ``items``: what the stage works on, where that is known by now.

    Nothing is taken off for what will be rejected on the way.
    """
    found: list[Expected] = []
    for name in STAGES[STAGES.index(stage) :]:
        count = _items(config, name) if items is None else min(items, _items(config, name))
        found += [
            one.model_copy(update={"calls": one.calls * count * _REPAIRS}) for one in _of_one(config, name)
        ]
    return found


def _items(config: Config, stage: str) -> int:
    wanted = config.seeds.count
    if stage == "seeds":
        return wanted * config.engine.pairs_per_seed
    return wanted if stage in {"workspaces", "rebalance"} else min(wanted, config.rebalance.count)


def _of_one(config: Config, stage: str) -> list[Expected]:
    """What one item of a stage is worth in calls. A judge's calls are booked as its own stage, wherever it is asked."""
    built = config.engine.name == "llm"
    agent: Any = config.agent
    match stage:
        case "seeds" if built:
            demands = _call(stage, "builder", "demands", 1, 900, 500)
            return [demands, _call(stage, "builder", "patterns", 1, 900, 400)]
        case "workspaces" if built:
            return [_call(stage, "builder", "search", min(config.engine.turns, _SEARCH_TURNS), 4_500, 500)]
        case "graphs" if built:
            mended = _call(stage, "builder", "mend", _SENT_BACK, 25_000, 9_000)
            return [_call(stage, "builder", "relate", 1, 15_000, 9_000), mended]
        case "tasks" if built:
            mended = _call(stage, "builder", "mend", _SENT_BACK, 20_000, 8_000)
            return [_call(stage, "builder", "write", 1, 8_000, 8_000), mended]
        case "pilot" | "rollouts" if agent.needs_speaker:
            share = 1.0 if stage == "pilot" else _CHANGED
            return [_call(stage, "teacher", "agent", share * min(agent.steps, _AGENT_TURNS), 9_000, 1_000)]
        case "revise":
            asked = config.reviser.uses_model
            patch = [_call(stage, "reviser", "patch", 1, 18_000, 3_000)] if asked else []
            return [*_judged(config, 1), *patch]
        case "admit":
            return _judged(config, 1)
        case "calibrate":
            graded = {one.name for one in (*config.beside.values(), config.judge) if one.grades}
            return [
                one for _ in graded for _ in range(config.calibrate.repeats) for one in _judged(config, _POOL)
            ]
    return []


def _judged(config: Config, candidates: int) -> list[Expected]:
    """One pool of candidates before the judge: what is read and written grows with them."""
    if not config.grader.uses_model:
        return []
    steps = getattr(config.grader, "steps", 0)
    if steps:
        return [_call("judge", "judge", "look", min(steps, _AGENT_TURNS), 9_000 + 600 * candidates, 800)]
    return [_call("judge", "judge", "grade", 1, 6_000 + 2_000 * candidates, 1_500 + 800 * candidates)]


def _call(stage: str, role: str, purpose: str, calls: float, given: float, written: float) -> Expected:
    return Expected(stage=stage, role=role, purpose=purpose, calls=calls, input=given, output=written)


def shown(rows: Sequence[Forecast], budget: Budget) -> str:
    """The estimate as a table, with what it rests on and what the budget leaves."""
    if not rows:
        return "No step of this configuration asks a model: it costs nothing."
    lines: list[list[str | int | float]] = [
        [
            row.stage,
            row.role,
            row.model,
            row.calls,
            row.input,
            row.output,
            "unknown" if row.cost is None else f"{row.cost:.2f}",
        ]
        for row in rows
    ]
    priced = sum(row.cost or 0.0 for row in rows)
    unknown = " and what has no known price" if any(row.cost is None for row in rows) else ""
    sums = [sum(getattr(row, name) for row in rows) for name in ("calls", "input", "output")]
    lines.append(["in all", "", "", *sums, f"{priced:.2f}"])
    head = ("stage", "role", "model", "calls", "tokens read", "tokens written", "US$")
    recorded = sum(row.recorded for row in rows)
    rests = f"the means of {recorded:,} recorded answers and typical sizes" if recorded else "typical sizes"
    spent = sum(row.spent for row in rows)
    notes = [
        f"Estimate of what is ahead, from {rests}; nothing is taken off for what gets rejected on the way.",
        f"Spent on these stages already: {spent:.2f} US$. Still to come: about {_money_left(rows):.2f} US${unknown}, "
        f"{_tokens_left(rows):,} tokens. Budget: {_of(budget)}.",
    ]
    return "\n".join([notes[0], text_table(head, lines), notes[1]])


def check(rows: Sequence[Forecast], client: Client, run: str, budget: Budget) -> None:
    """ConfigError where the estimate passes what is left of an enforced budget: nothing has been spent on it yet."""
    if budget.estimate == "print":
        return
    books = client.spent()
    money = sum(one.cost for one in books)
    tokens = sum(one.input + one.output + one.assumed_tokens for one in books)
    for name, most, used, more, unit in (
        ("money", budget.money, money, _money_left(rows), "{:,.2f} US dollars"),
        ("tokens", budget.tokens, tokens, _tokens_left(rows), "{:,.0f} tokens"),
    ):
        if most is not None and used + more > most:
            raise ConfigError(
                f"What is ahead is estimated at {unit.format(more)}; the run {run!r} has "
                f"{unit.format(max(0.0, most - used))} left of {unit.format(most)}",
                f"Raise llm.budget.{name}, ask for less, name a new budget (llm.run=...), or begin all the same "
                "(llm.budget.estimate=print)",
            )


def _money_left(rows: Sequence[Forecast]) -> float:
    return sum(row.cost_left for row in rows)


def _tokens_left(rows: Sequence[Forecast]) -> int:
    return sum(row.tokens_left for row in rows)


def _of(budget: Budget) -> str:
    parts = [f"{budget.money:,.2f} US$"] if budget.money is not None else []
    parts += [f"{budget.tokens:,} tokens"] if budget.tokens is not None else []
    return " and ".join(parts) or "none"
