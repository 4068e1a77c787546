"""What tokens cost, from a yaml or from the price table that comes with litellm."""

import re
from collections.abc import Mapping
from typing import Any

from ..records import Record
from .model import Model
from .provider import library
from .reply import Usage

_KINDS = {
    "input_cost_per_token": "input",
    "cache_read_input_token_cost": "cached",
    "output_cost_per_token": "output",
}
_STEP = re.compile(rf"^({'|'.join(_KINDS)})_above_(\d+)k_tokens$")


class Tariff(Record):
    """US dollars a token, and from how many input tokens on the whole call is charged so."""

    above: int
    input: float
    cached: float
    output: float


Tariffs = tuple[Tariff, ...]


def tariffs(model: Model, table: Mapping[str, Mapping[str, Any]]) -> Tariffs:
    """The tariffs of a model by rising input, empty where no price is known.

    The table holds for the provider's own endpoint alone: what answers at an ``api_base`` costs what its yaml says.
    """
    if model.prices is not None:
        a = 1e6
        given = model.prices
        return (Tariff(above=0, input=given.input / a, cached=given.cached / a, output=given.output / a),)
    if model.api_base is not None or model.serve is not None:
        return ()
    provider, _, bare = model.name.partition("/")
    entry = table.get(model.name)
    if entry is None and (named := table.get(bare)) and named.get("litellm_provider") == provider:
        entry = named
    if (
        entry is None
        or entry.get("input_cost_per_token") is None
        or entry.get("output_cost_per_token") is None
    ):
        return ()
    base: dict[str, Any] = {kind: entry.get(name) for name, kind in _KINDS.items()}
    steps: dict[int, dict[str, Any]] = {0: base}
    for name, value in entry.items():
        if (match := _STEP.match(name)) and value is not None:
            steps.setdefault(int(match[2]) * 1000, {})[_KINDS[match[1]]] = value
    result = []
    for above, step in sorted(steps.items()):
        base = base | step
        # Without a price of its own, cached input costs what other input does.
        cached = base["input"] if base["cached"] is None else base["cached"]
        result.append(Tariff(above=above, input=base["input"], cached=cached, output=base["output"]))
    return tuple(result)


def price_of(model: Model) -> Tariffs:
    """The tariffs of a model, by its yaml or else by litellm's table (whose import takes seconds)."""
    own = model.prices is not None or model.api_base is not None or model.serve is not None
    return tariffs(model, {} if own else library().model_cost)


def cost(tariffs: Tariffs, usage: Usage) -> float | None:
    """US dollars, None where no price is known."""
    if not tariffs:
        return None
    fits = [tariff for tariff in tariffs if usage.input > tariff.above] or [tariffs[0]]
    one = fits[-1]
    cached = min(usage.cached, usage.input)
    return (usage.input - cached) * one.input + cached * one.cached + usage.output * one.output
