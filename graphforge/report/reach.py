"""What a selection covers of what was on offer (paper section 3.1, figure 2a).

>>> offered = [{"sector": ("13",), "pattern": ("reconciliation",)}, {"sector": ("15",), "pattern": ("reconciliation",)}]
>>> reach = reach_of(offered, offered[:1])
>>> reach.metrics()["coverage.sectors"], reach.metrics()["gini.sector"]
(1.0, 0.5)
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from .evenness import entropy, gini

# Dimension to an item's value or values in it.
Values = Mapping[str, tuple[str, ...]]
# Column to its cells, top to bottom.
Columns = dict[str, list[str | int | float]]

K = TypeVar("K", bound=Hashable)

# Values of these are whole sentences, too many to list one by one.
_UNLISTED = frozenset({"demand"})


@dataclass(frozen=True)
class Tally:
    """How many items on offer, and how many selected, have one value."""

    offered: int
    selected: int


@dataclass(frozen=True)
class Reach:
    """``values``: dimension to value to tally; ``cells``: sector and pattern to tally.

    All that was on offer is named. An item with several values in a dimension counts for each of them.
    """

    offered: int
    selected: int
    values: Mapping[str, Mapping[str, Tally]]
    cells: Mapping[tuple[str, str], Tally]

    def realized(self, dimension: str) -> int:
        """How many values of a dimension the selection has."""
        return sum(tally.selected > 0 for tally in self.values[dimension].values())

    def metrics(self) -> dict[str, float]:
        """``coverage.<values>``, ``entropy.<dimension>`` (bits), ``gini.<dimension>`` (0 to 1, over all on offer)."""
        found = {
            "coverage.cells": float(sum(tally.selected > 0 for tally in self.cells.values())),
            "offered.cells": float(len(self.cells)),
        }
        for dimension, tallies in self.values.items():
            counts = [tally.selected for tally in tallies.values()]
            found[f"coverage.{plural(dimension)}"] = float(self.realized(dimension))
            found[f"offered.{plural(dimension)}"] = float(len(tallies))
            found[f"entropy.{dimension}"] = round(entropy(counts), 6)
            found[f"gini.{dimension}"] = round(gini(counts), 6)
        return found

    def summary(self) -> Columns:
        """A row a dimension, and one for the cells: values on offer, values selected, entropy, Gini."""
        rows: list[tuple[str, list[int], int]] = [
            (dimension, [tally.selected for tally in tallies.values()], len(tallies))
            for dimension, tallies in self.values.items()
        ]
        rows.append(("sector x pattern", [tally.selected for tally in self.cells.values()], len(self.cells)))
        return {
            "dimension": [name for name, _, _ in rows],
            "offered": [offered for _, _, offered in rows],
            "selected": [sum(count > 0 for count in counts) for _, counts, _ in rows],
            "entropy": [round(entropy(counts), 6) for _, counts, _ in rows],
            "gini": [round(gini(counts), 6) for _, counts, _ in rows],
        }

    def by_value(self, names: Mapping[str, Mapping[str, str]]) -> Columns:
        """A row a value of each dimension. ``names``: dimension to value to what people call it."""
        table: Columns = {"dimension": [], "value": [], "name": [], "offered": [], "selected": []}
        for dimension, tallies in self.values.items():
            if dimension in _UNLISTED:
                continue
            called = names.get(dimension, {})
            table["dimension"] += [dimension] * len(tallies)
            table["value"] += tallies
            table["name"] += [called.get(value, value) for value in tallies]
            table["offered"] += [tally.offered for tally in tallies.values()]
            table["selected"] += [tally.selected for tally in tallies.values()]
        return table

    def by_cell(self, names: Mapping[str, Mapping[str, str]]) -> Columns:
        """A row a sector and pattern that are on offer together."""
        sectors = names.get("sector", {})
        return {
            "sector": [sector for sector, _ in self.cells],
            "name": [sectors.get(sector, sector) for sector, _ in self.cells],
            "pattern": [pattern for _, pattern in self.cells],
            "offered": [tally.offered for tally in self.cells.values()],
            "selected": [tally.selected for tally in self.cells.values()],
        }


def reach_of(offered: Sequence[Values], selected: Sequence[Values]) -> Reach:
    """The reach of a selection. Every item has the same dimensions; what is selected was on offer."""
    dimensions = list(dict.fromkeys(dimension for one in offered for dimension in one))
    return Reach(
        offered=len(offered),
        selected=len(selected),
        values={
            dimension: _tallies(_values(offered, dimension), _values(selected, dimension))
            for dimension in dimensions
        },
        cells=_tallies(_cells(offered), _cells(selected)),
    )


def plural(dimension: str) -> str:
    """``sector`` to ``sectors``, ``input_family`` to ``input_families``."""
    return f"{dimension[:-1]}ies" if dimension.endswith("y") else f"{dimension}s"


def _values(items: Iterable[Values], dimension: str) -> Iterable[str]:
    return (value for one in items for value in one.get(dimension, ()))


def _cells(items: Iterable[Values]) -> Iterable[tuple[str, str]]:
    return (
        (sector, pattern)
        for one in items
        for sector in one.get("sector", ())
        for pattern in one.get("pattern", ())
    )


def _tallies(offered: Iterable[K], selected: Iterable[K]) -> dict[K, Tally]:
    counts, taken = Counter(offered), Counter(selected)
    values: list[Any] = sorted({*counts, *taken})
    return {value: Tally(counts[value], taken[value]) for value in values}
