"""Choose items by a balancing strategy, and say of every other item why it was left out."""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

from graphforge.errors import ConfigError, RecordError
from graphforge.records import Rejection

from .candidate import DEMAND, Candidate

T = TypeVar("T")


class Balance(Protocol):
    """What every strategy offers."""

    def select(self, candidates: Sequence[Candidate], count: int, cap: int | None = None) -> list[int]:
        """Places of up to ``count`` picks in the order they were picked."""
        ...


def choose(
    items: Sequence[T],
    candidates: Sequence[Candidate],
    balance: Balance,
    count: int,
    cap: int | None,
    stage: str = "seeds",
) -> tuple[list[T], list[Rejection]]:
    """The picked items in the order of picking, and a Rejection for each other one in the order of the input.

    ``candidates[i]`` describes ``items[i]``. ``cap`` limits how many picks may share a normalized demand
    (None: no limit); an item whose demand was used up has the reason "demand_cap", any other "not_selected".
    """
    if len(items) != len(candidates):
        raise RecordError(
            f"{len(items)} items came with {len(candidates)} candidates",
            "Give one candidate for each item, in order",
        )
    if count < 0:
        raise ConfigError(f"The number of items to choose is {count}", "Give a whole number from 0 on")
    picks = balance.select(candidates, count, cap)
    chosen = set(picks)
    used = Counter(demand for place in picks for demand in candidates[place].values.get(DEMAND, ()))
    rejections: list[Rejection] = []
    for place, candidate in enumerate(candidates):
        if place in chosen:
            continue
        full = [
            demand for demand in candidate.values.get(DEMAND, ()) if cap is not None and used[demand] >= cap
        ]
        if full:
            reason, detail = "demand_cap", f"{cap} selected items already have this demand"
        else:
            reason, detail = "not_selected", f"{len(picks)} of {len(items)} were selected, this one wasn't"
        rejections.append(Rejection(id=candidate.id, stage=stage, reason=reason, detail=detail))
    return [items[place] for place in picks], rejections


def shortage(count: int, chosen: int, left: Sequence[Rejection]) -> str | None:
    """One line for a person where ``choose`` found fewer items than were asked for, or None.

    ``chosen`` and ``left`` are what it returned: every strategy picks as long as a candidate may be picked, so
    whatever is left over then was kept out by the demand cap.
    """
    if chosen >= count:
        return None
    if not left:
        return f"{count} were asked for and there were only {chosen}: all were taken"
    return (
        f"{count} were asked for and only {chosen} of {chosen + len(left)} could be taken: the demands of the "
        f"other {len(left)} are used up (demand_cap)"
    )
