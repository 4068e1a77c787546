"""One measure of two periods: which columns they are, how far apart they lie, and which rows can't be told."""

from ...records import Series, normalize
from ..compose import View, headed, nouns, titled
from ..phrases import sentence

DECIMALS = ("no", "one", "two", "three", "four", "five", "six")
"""Numbers of decimals in words."""


def changes(view: View, newer: Series, older: Series) -> list[tuple[float, float]]:
    """Of every row that both have the change (newer less older) and the same in percent of the older figure."""
    before = {
        normalize(name): float(view.nodes[node].value)
        for name, node in zip(older.entities, older.nodes, strict=True)
    }
    after = {
        normalize(name): float(view.nodes[node].value)
        for name, node in zip(newer.entities, newer.nodes, strict=True)
    }
    return [
        (after[name] - before[name], 100 * (after[name] - before[name]) / before[name])
        for name in after
        if before.get(name)
    ]


def both_periods(view: View, newer: Series, older: Series, heads: tuple[str, str]) -> str:
    """Which column is the older one, which the newer, and where they are. ``heads``: the newer one's comes first."""
    late, early = headed(newer, heads[0]), headed(older, heads[1])
    here, there = titled(view, view.file(newer)), titled(view, view.file(older))
    if view.file(newer) == view.file(older):
        return view.pick(
            "periods",
            f"In {here} take {early} as the older figure and {late} as the newer.",
            f"You need two columns of {here}: {early}, which is the older, and {late}, the newer.",
            f"The older column is {early}, the newer {late}, and both stand in {here}.",
        )
    return view.pick(
        "periods",
        f"Take {early} from {there} as the older figure and {late} from {here} as the newer.",
        f"You need a column from each of two files: {early} in {there}, which is the older, and {late} in {here}, the "
        "newer.",
        f"The older column is {early} in {there}, the newer {late} in {here}.",
    )


def left_out(view: View, series: Series) -> str:
    """The rows that no percentage can be formed for."""
    rows = nouns(series)
    return view.pick(
        "left out",
        f"{sentence(rows)} that lack either figure, or whose older figure is zero, stay out.",
        f"Leave out {rows} with a figure missing and those with an older figure of zero.",
        f"Where a figure is missing or the older one is zero there is nothing to compare, so such {rows} drop out.",
    )
