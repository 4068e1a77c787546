"""How evenly things are spread over values: entropy and Gini coefficient of counts."""

from collections.abc import Collection, Sequence
from itertools import accumulate
from math import fsum, log2


def entropy(counts: Collection[int]) -> float:
    """Shannon's entropy in bits: log2 of n where n values share evenly, 0 where one has everything."""
    total = sum(counts)
    return max(0.0, fsum(-count / total * log2(count / total) for count in counts if count))


def gini(counts: Sequence[int]) -> float:
    """Gini coefficient, 0 (even) to 1 - 1/n (one of n values has everything); 0 where there is nothing.

    A value without anything counts: give a 0 for it.
    """
    total, number = sum(counts), len(counts)
    if not total:
        return 0.0
    # Twice the area between the Lorenz curve and the line of even shares.
    below = sum(accumulate(sorted(counts)))
    return (number + 1 - 2 * below / total) / number
