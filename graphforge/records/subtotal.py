"""Figures among others that are the sum of those beside them, whatever they are called."""

from collections.abc import Sequence

# Shorter figures are the sum of some neighbours by chance.
_LEAST_DIGITS = 6


def hides_a_sum(values: Sequence[float]) -> bool:
    """Whether a value of six digits or more is the sum of two or more that stand directly below or above it.

    A heading with its parts indented below it carries no word like "total". Zeros don't count as parts. To the last
    digit: amounts are printed whole where they are meant to add up.

    >>> hides_a_sum([120000, 1302161, 1218083, 84078, 5]), hides_a_sum([120000, 1302161, 1218083, 84079, 5])
    (True, False)
    """
    for place, value in enumerate(values):
        if len(f"{abs(value):.10g}".replace(".", "").strip("0")) < _LEAST_DIGITS and abs(value) < 10**5:
            continue
        for side in (values[place + 1 :], values[:place][::-1]):
            run, parts = 0.0, 0
            for part in side:
                run, parts = run + part, parts + (part != 0)
                if parts > 1 and value and abs(run - value) <= 1e-9 * abs(value):
                    return True
                if min(side) >= 0 and run > value:
                    break
    return False
