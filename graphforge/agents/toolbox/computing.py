"""Compute columns row by row; a result that doesn't exist (division by zero) is None and stays blank."""

import math
from typing import Any

Row = dict[str, Any]


def difference(a: float | None, b: float | None) -> float | None:
    """a minus b."""
    return None if a is None or b is None else a - b


def ratio(a: float | None, b: float | None) -> float | None:
    """a divided by b; nothing where b is zero."""
    return None if a is None or not b else a / b


def percent_change(a: float | None, b: float | None) -> float | None:
    """Change from b to a in percent of b; nothing where b is zero."""
    return None if a is None or not b else 100 * (a - b) / b


def projection(a: float | None, b: float | None) -> float | None:
    """a carried forward once more at the rate from b to a; nothing where b is zero."""
    return None if a is None or not b else a * a / b


def share(a: float | None, total: float) -> float | None:
    """a in percent of the total; nothing where the total is zero."""
    return None if a is None or not total else 100 * a / total


def agreement(a: float | None, b: float | None, tolerance: float) -> str | None:
    """Whether two figures agree within the tolerance."""
    if a is None or b is None:
        return None
    return "agrees" if abs(a - b) <= tolerance else "differs"


def above(a: float | None, limit: float) -> str | None:
    """Whether a figure lies above the limit."""
    return None if a is None else "yes" if a > limit else "no"


def below(a: float | None, limit: float) -> str | None:
    """Whether a figure lies below the limit."""
    return None if a is None else "yes" if a < limit else "no"


def distance(a: float | None, b: float | None) -> float | None:
    """How far two figures are apart, whichever is larger."""
    return None if a is None or b is None else abs(a - b)


def scaled(a: float | None, percent: float) -> float | None:
    """a changed by so many percent."""
    return None if a is None else a * (1 + percent / 100)


def apportioned(a: float, total: float, amount: float) -> float:
    """The part of an amount that falls to a, in whole units; half a unit is rounded up."""
    return float(math.floor(amount * a / total + 0.5))


def balanced(rows: list[Row], part: str, base: str, amount: float) -> list[float]:
    """The parts of an amount, what rounding left over or took too much settled in the row with the largest base."""
    parts = numbers(rows, part)
    bases = numbers(rows, base)
    largest = bases.index(max(bases))
    parts[largest] += amount - math.fsum(numbers(rows, part))
    return parts


def cumulative_shares(rows: list[Row], name: str) -> list[float]:
    """The running sum of a column in percent of the whole, counted from its largest figure down."""
    values = numbers(rows, name)
    total = math.fsum(values)
    shares = [0.0] * len(values)
    running = 0.0
    # sorted() keeps equal figures in the order of the rows.
    for place in sorted(range(len(values)), key=lambda place: -values[place]):
        running += values[place]
        shares[place] = 100 * running / total
    return shares


def abc_class(a: float, first: float, second: float) -> str:
    """The class by cumulative share: A up to the first bound, B up to the second, C beyond it."""
    return "A" if a <= first else "B" if a <= second else "C"


def numbers(rows: list[Row], name: str) -> list[float]:
    """The numbers of a column, blanks left out."""
    return [row[name] for row in rows if isinstance(row[name], float)]


def mean(values: list[float]) -> float | None:
    """The arithmetic mean; nothing where there are no values."""
    return math.fsum(values) / len(values) if values else None


def ordered(rows: list[Row], name: str, descending: bool) -> list[Row]:
    """The rows by one column, equal ones in their old order, blanks last."""
    filled = [row for row in rows if row[name] is not None]
    blank = [row for row in rows if row[name] is None]
    # sorted() with reverse keeps equal rows in their old order too.
    return sorted(filled, key=lambda row: row[name], reverse=descending) + blank


def extreme(rows: list[Row], name: str, largest: bool) -> str:
    """The name of the row with the largest (or smallest) number; the first one where several share it."""
    filled = [row for row in rows if row[name] is not None]
    if not filled:
        return "not available"
    pick = max if largest else min
    return str(pick(filled, key=lambda row: row[name])["key"])


def show(value: float | None, decimals: int) -> str:
    """A figure for the running text: thousands separated, fixed decimals."""
    return "not available" if value is None else f"{value:,.{decimals}f}"


def decimals_of(values: list[Any]) -> int:
    """Decimals that a column needs in a table: as many as its figures have, but two or four where they go on."""
    figures = [abs(value) for value in values if isinstance(value, float)]
    for decimals in range(5):
        if all(abs(round(figure, decimals) - figure) <= 1e-9 * figure for figure in figures):
            return decimals
    return 2 if max(figures) >= 2 else 4


def count_equal(rows: list[Row], name: str, word: str) -> str:
    """How many rows hold the word in a column."""
    return f"{sum(row[name] == word for row in rows):,}"


def sum_equal(rows: list[Row], name: str, word: str, of: str) -> float:
    """The sum of a column over the rows that hold the word in another."""
    return math.fsum(row[of] for row in rows if row[name] == word)
