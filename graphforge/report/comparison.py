"""Runs that select by different strategies, side by side."""

from collections.abc import Mapping, Sequence

from .reach import Columns

# Column of the table to the metric that it shows.
COMPARED: Mapping[str, str] = {
    "selected": "outputs",
    "sectors": "coverage.sectors",
    "sub-sectors": "coverage.subsectors",
    "occupations": "coverage.occupations",
    "DWAs": "coverage.dwas",
    "patterns": "coverage.patterns",
    "cells": "coverage.cells",
    "H sector": "entropy.sector",
    "H pattern": "entropy.pattern",
    "Gini sector": "gini.sector",
    "Gini pattern": "gini.pattern",
}
_FRACTIONS = ("entropy.", "gini.")


def compare(runs: Sequence[tuple[str, Mapping[str, float]]]) -> Columns:
    """A row a run that reports its coverage, in order; none where no run does. ``runs``: label and metrics of each."""
    reporting = [(label, metrics) for label, metrics in runs if "coverage.cells" in metrics]
    table: Columns = {"run": [*_differences([label for label, _ in reporting])]}
    for column, metric in COMPARED.items():
        whole = not metric.startswith(_FRACTIONS)
        values = [metrics.get(metric, float("nan")) for _, metrics in reporting]
        table[column] = [int(value) if whole and value == value else value for value in values]
    return table


def _differences(labels: Sequence[str]) -> list[str]:
    """Labels without the overrides that all of them have (they are joined by commas)."""
    parts = [label.split(",") for label in labels]
    shared = set(parts[0]).intersection(*parts[1:]) if len(parts) > 1 else set()
    return [
        ",".join(part for part in one if part not in shared) or label
        for one, label in zip(parts, labels, strict=True)
    ]
