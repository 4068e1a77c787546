"""The heat map of sectors by execution patterns (the paper's figure 2a)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .reach import Reach

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def heat_map(reach: Reach, sectors: Mapping[str, str], patterns: Sequence[str], title: str) -> "Figure":
    """How many items were selected of each sector and pattern. White: none was on offer; 0: none of those was taken.

    Rows are the sectors on offer, named by ``sectors``; columns all of ``patterns``. It is drawn without pyplot, whose
    state all threads share, and with the backend that needs no screen.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from numpy import full, ma, nan

    rows = sorted(reach.values.get("sector", {}))
    counts = full((max(1, len(rows)), len(patterns)), nan)
    for (sector, pattern), tally in reach.cells.items():
        if pattern in patterns:
            counts[rows.index(sector), patterns.index(pattern)] = tally.selected
    figure = Figure(figsize=(11, 2.6 + 0.32 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    image = axes.imshow(ma.masked_invalid(counts), aspect="auto", cmap="YlGnBu", vmin=0)
    highest = max((tally.selected for tally in reach.cells.values()), default=0)
    for (row, column), count in _filled(counts):
        colour = "white" if count > 0.6 * highest else "black" if count else "grey"
        axes.text(column, row, f"{count:.0f}", ha="center", va="center", fontsize=7, color=colour)
    axes.set_xticks(
        range(len(patterns)), [name.replace("_", " ") for name in patterns], rotation=40, ha="right"
    )
    axes.set_yticks(range(len(rows)), [f"{code} {sectors.get(code, '')}".strip() for code in rows])
    axes.tick_params(labelsize=8)
    axes.set_title(title, fontsize=10)
    figure.colorbar(image, ax=axes, pad=0.01)
    return figure


def _filled(counts: object) -> list[tuple[tuple[int, int], float]]:
    from numpy import asarray, isnan, ndenumerate

    found = ndenumerate(asarray(counts, dtype=float))
    return [((place[0], place[1]), float(count)) for place, count in found if not isnan(count)]
