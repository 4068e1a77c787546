"""Executes a plan over the values of the evidence graph: the expected values of the criteria.

The agent executes the same plan over the files. That both agree is the first thing a pilot shows.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..records import DerivedColumn, EvidenceGraph, Fact, Plan, normalize

Cell = float | str


@dataclass(frozen=True)
class Outcome:
    """The finished table and facts. ``keys`` are row names as the first read column writes them.

    ``columns`` maps aliases to one cell a key; ``facts`` maps names to a number or a row name, and to None where
    an extreme is shared by several rows, so that nothing can be asked about it.
    """

    keys: tuple[str, ...]
    columns: Mapping[str, tuple[Cell, ...]]
    facts: Mapping[str, Cell | None]

    def total(self, alias: str) -> float:
        """The sum of a number column."""
        return math.fsum(cell for cell in self.columns[alias] if isinstance(cell, float))

    def by_key(self, alias: str) -> dict[str, Cell]:
        """Row name to cell."""
        return dict(zip(self.keys, self.columns[alias], strict=True))

    def by_word(self, alias: str, of: str, words: Sequence[str]) -> dict[str, tuple[int, float]]:
        """Of each word of a column how many rows hold it, and the sum of another column over them."""
        found = {}
        for word in words:
            held = [
                float(number)
                for cell, number in zip(self.columns[alias], self.columns[of], strict=True)
                if cell == word
            ]
            found[word] = (len(held), math.fsum(held))
        return found


def evaluate(plan: Plan, graph: EvidenceGraph, series: Mapping[str, str]) -> Outcome:
    """The outcome of a plan. ``series`` maps the aliases of read columns to series ids of the graph.

    ZeroDivisionError where a ratio or rate has no value: such plans aren't compiled.
    """
    values = {node.id: float(node.value) for node in graph.nodes if isinstance(node.value, float)}
    by_id = {one.id: one for one in graph.series}
    read: dict[str, dict[str, float]] = {}
    written: dict[str, str] = {}
    for column in plan.reads:
        one = by_id[series[column.alias]]
        read[column.alias] = {
            normalize(entity): values[node] for entity, node in zip(one.entities, one.nodes, strict=True)
        }
        for entity in one.entities:
            written.setdefault(normalize(entity), entity)
    for quoted in plan.quoted:
        read[quoted.alias] = {normalize(figure.entity): figure.number for figure in quoted.figures}
    keys = [key for key in read[plan.reads[0].alias] if all(key in column for column in read.values())]
    columns: dict[str, list[Cell]] = {alias: [column[key] for key in keys] for alias, column in read.items()}
    for derived in plan.derived:
        arguments = [[float(cell) for cell in columns[alias]] for alias in derived.arguments]
        columns[derived.alias] = derive(derived, arguments)
    order = list(range(len(keys)))
    if plan.keep is not None:
        order = [row for row in order if columns[plan.keep.column][row] == plan.keep.equals]
    if plan.order_by is not None:
        by = columns[plan.order_by]
        order.sort(key=lambda row: float(by[row]), reverse=plan.descending)
    order = order[: plan.limit]
    finished = {alias: tuple(column[row] for row in order) for alias, column in columns.items()}
    names = tuple(written[keys[row]] for row in order)
    facts = {fact.name: _fact(fact, names, finished, len(keys)) for fact in plan.facts}
    return Outcome(names, finished, facts)


def derive(derived: DerivedColumn, arguments: list[list[float]]) -> list[Cell]:
    """The cells of a derived column out of the columns that it takes, row by row. ZeroDivisionError where a ratio, a
    rate or a share of nothing is asked."""
    operation, constant = derived.operation, derived.constant
    first = arguments[0]
    if operation == "share":
        total = math.fsum(first)
        return [100 * value / total for value in first]
    if operation in {"above", "below"}:
        assert constant is not None
        return [
            "yes" if (value > constant if operation == "above" else value < constant) else "no"
            for value in first
        ]
    if operation == "scaled":
        assert constant is not None
        return [value * (1 + constant / 100) for value in first]
    if operation == "apportioned":
        assert constant is not None
        total = math.fsum(first)
        return [float(math.floor(constant * value / total + 0.5)) for value in first]
    if operation == "cumulative_share":
        return [*cumulated(first)]
    if operation == "abc_class":
        low, high = derived.bounds
        return ["A" if value <= low else "B" if value <= high else "C" for value in first]
    second = arguments[1]
    if operation == "allocation":
        assert constant is not None
        given: list[Cell] = [*first]
        given[second.index(max(second))] = first[second.index(max(second))] + constant - math.fsum(first)
        return given
    pairs = list(zip(first, second, strict=True))
    if operation == "distance":
        return [abs(a - b) for a, b in pairs]
    if operation == "difference":
        return [a - b for a, b in pairs]
    if operation == "ratio":
        return [a / b for a, b in pairs]
    if operation == "percent_change":
        return [100 * (a - b) / b for a, b in pairs]
    if operation == "projection":
        return [a * a / b for a, b in pairs]
    if operation == "agreement":
        return ["agrees" if abs(a - b) <= (constant or 0.0) else "differs" for a, b in pairs]
    raise ValueError(f"unknown operation {operation}")


def cumulated(values: Sequence[float]) -> list[float]:
    """The running sum in percent of the whole, from the largest value to the smallest (equal ones in order), each in
    the place of its value."""
    total = math.fsum(values)
    shares = [0.0] * len(values)
    running = 0.0
    for place in sorted(range(len(values)), key=lambda place: -values[place]):
        running += values[place]
        shares[place] = 100 * running / total
    return shares


def _fact(
    fact: Fact, keys: tuple[str, ...], columns: Mapping[str, tuple[Cell, ...]], matched: int
) -> Cell | None:
    if fact.operation == "constant":
        return fact.number
    if fact.operation == "count":
        return float(len(keys))
    if fact.operation == "matched":
        return float(matched)
    assert fact.column is not None
    cells = columns[fact.column]
    if fact.operation == "count_equal":
        return float(sum(cell == fact.word for cell in cells))
    if fact.operation == "sum_equal":
        assert fact.of is not None
        return math.fsum(
            float(number) for cell, number in zip(cells, columns[fact.of], strict=True) if cell == fact.word
        )
    numbers = [float(cell) for cell in cells]
    if not numbers:
        return None
    if fact.operation == "sum":
        return math.fsum(numbers)
    if fact.operation == "mean":
        return math.fsum(numbers) / len(numbers)
    extreme = max(numbers) if fact.operation in {"maximum", "top"} else min(numbers)
    if fact.operation in {"maximum", "minimum"}:
        return extreme
    return keys[numbers.index(extreme)] if numbers.count(extreme) == 1 else None
