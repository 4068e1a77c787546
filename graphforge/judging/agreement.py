"""How far a grader agrees with itself when it judges the same pool again.

A mark is what one repeat says of one criterion or penalty of one candidate. Graders that execute checks repeat
themselves to the letter, so of them all figures are 1: that is what makes them worth comparing with.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from ..records import Record
from .pool import Pick


class Agreement(Record):
    """How far repeats of one judge agree.

    ``exact``: the share of the marks on which all repeats say the same. ``alpha``: Krippendorff's alpha of the marks
    for interval data (K. Krippendorff, 2004), 1 for perfect agreement, 0 for chance. ``rank``: the mean Spearman
    correlation of the candidates' scores over pools and pairs of repeats. None where it is undefined: no two marks to
    compare, no difference among them.
    """

    repeats: int = Field(ge=2)
    marks: int = Field(ge=0)
    exact: float | None
    alpha: float | None
    rank: float | None


@dataclass
class Repeats:
    """The marks of the pools so far, and the correlations of their scores."""

    units: list[tuple[float | None, ...]] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)

    def add(self, picks: Sequence[Pick]) -> None:
        """The repeats of one judge on one pool."""
        tables = [_marks(pick) for pick in picks]
        for place in sorted(set().union(*tables)):
            self.units.append(tuple(table.get(place) for table in tables))
        for one, two in itertools.combinations(picks, 2):
            pairs = [(one.scores.get(name), two.scores.get(name)) for name in one.scores]
            judged = [(a, b) for a, b in pairs if a is not None and b is not None]
            found = spearman([a for a, _ in judged], [b for _, b in judged])
            self.ranks += [] if found is None else [found]

    def agreement(self, repeats: int) -> Agreement | None:
        """The figures over all pools; None where nothing was repeated, or the judge never marks."""
        if repeats < 2 or not self.units:
            return None
        whole = [unit for unit in self.units if None not in unit]
        return Agreement(
            repeats=repeats,
            marks=len(self.units),
            exact=sum(len(set(unit)) == 1 for unit in whole) / len(whole) if whole else None,
            alpha=krippendorff(self.units),
            rank=math.fsum(self.ranks) / len(self.ranks) if self.ranks else None,
        )


def _marks(pick: Pick) -> dict[tuple[str, str], float | None]:
    return {
        (verdict.candidate, name): value
        for verdict in pick.verdicts
        for name, value in [
            *((one.criterion, one.fraction) for one in verdict.criteria),
            *((one.penalty, one.degree) for one in verdict.penalties),
        ]
    }


def krippendorff(units: Sequence[Sequence[float | None]]) -> float | None:
    """Krippendorff's alpha for interval data; a unit holds the values that it was given, None where there is none.

    One less the mean squared difference within units by that among all values; None without two values in any unit, or
    where all values are the same.
    """
    paired = [held for unit in units if len(held := [value for value in unit if value is not None]) > 1]
    values = [value for unit in paired for value in unit]
    if not paired:
        return None
    expected = _differences(values) / (len(values) - 1)
    if expected <= 0:
        return None
    observed = math.fsum(_differences(unit) / (len(unit) - 1) for unit in paired)
    return 1 - observed / expected


def _differences(values: Sequence[float]) -> float:
    """The sum of squared differences over all ordered pairs."""
    mean = math.fsum(values) / len(values)
    return 2 * len(values) * math.fsum((value - mean) ** 2 for value in values)


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Spearman's rank correlation, equal values with their mean rank; None where a side does not differ at all."""
    one, two = _ranks(left), _ranks(right)
    size = len(one)
    if size < 2:
        return None
    middle = (size - 1) / 2
    spread = math.fsum((a - middle) ** 2 for a in one) * math.fsum((b - middle) ** 2 for b in two)
    if spread <= 0:
        return None
    return math.fsum((a - middle) * (b - middle) for a, b in zip(one, two, strict=True)) / math.sqrt(spread)


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda place: values[place])
    ranks = [0.0] * len(values)
    for _, group in itertools.groupby(enumerate(order), key=lambda pair: values[pair[1]]):
        tied = list(group)
        for _, place in tied:
            ranks[place] = math.fsum(rank for rank, _ in tied) / len(tied)
    return ranks
