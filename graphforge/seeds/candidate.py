"""What a balancing strategy sees of an item: an id and its value(s) in each dimension."""

from collections.abc import Mapping
from dataclasses import dataclass

from graphforge.records import Seed

DEMAND = "demand"


@dataclass(frozen=True, slots=True)
class Candidate:
    """``values`` maps a dimension to the item's value or values, the main one first.

    A strategy balances over the dimensions it is told to. The dimension "demand" holds the normalized demand,
    which the cap on repetition counts.
    """

    id: str
    values: Mapping[str, tuple[str, ...]]


def seed_dimensions(seed: Seed) -> dict[str, tuple[str, ...]]:
    """The dimensions of a seed (paper section 3.1); the families are the expected ones."""
    return {
        "occupation": (seed.occupation_code,),
        "sector": (seed.sector,),
        "subsector": (seed.subsector,),
        "dwa": (seed.dwa_id,),
        "pattern": (seed.pattern,),
        "input_family": (seed.input_family,),
        "output_family": (seed.output_family,),
        DEMAND: (seed.demand_key,),
    }
