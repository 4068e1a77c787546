"""Marginal coverage: what a candidate adds to what is already selected (paper section 3.1).

The gain of a candidate is the sum over the dimensions of 1 / (1 + n), where n counts how often its value is
already selected. A dimension with several values gives the mean over them, so that an item isn't preferred
merely for having many. Gains only ever fall while items are taken, which is what makes the lazy queue exact.
"""

from collections import Counter
from collections.abc import Sequence
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphforge.errors import ConfigError

from .pool import Codes, DemandCap, Pool

Parts = NDArray[np.complex128]

MOST_DIMENSIONS = 64
# Candidates in a block, the most blocks refreshed at once, and how fast a search goes from one of them to that many.
WIDTH, AT_ONCE, GROWTH = 64, 512, 8
# Combinations of values that are counted to find the cells, for each candidate.
DENSE = 16
# More than all rounding of a bound together (gains are at most 64). Too much would only cost time.
SLACK = 1e-12


class Coverage:
    """Counts of the selected values, and what they leave of each dimension's part in a gain.

    ``parts[codes[position]]``, added up over ``columns``, is a gain in two floats: a multiple of 2**-30 as the real
    and the remainder as the imaginary one. Both add up without rounding (up to 64 dimensions and 2**23 picks), so
    :func:`gains` rounds once, as ``math.fsum`` does, and equals it to the last bit. Sums that round at each step
    would depend on the order of the dimensions, and break ties differently.
    """

    def __init__(self, pool: Pool, dimensions: Sequence[str]):
        if len(dimensions) > MOST_DIMENSIONS:
            raise ConfigError(
                f"The balancing strategy names {len(dimensions)} dimensions",
                f"Name at most {MOST_DIMENSIONS}",
            )
        # The codes of a dimension begin at its start, so that one table holds the parts of all.
        self._starts: dict[str, int] = {}
        size = 0
        for dimension in dimensions:
            if dimension not in self._starts:
                self._starts[dimension] = size
                size += len(pool.columns[dimension].values)
        self.parts: Parts = np.zeros(size, dtype=np.complex128)
        for dimension, start in self._starts.items():
            values = pool.columns[dimension].values
            self.parts[start : start + len(values)] = [bool(some) for some in values]
        self.taken = 0
        self._dimensions = [(name, pool.columns[name]) for name in dimensions]
        self._counts: Counter[tuple[str, str]] = Counter()
        self.columns: list[Codes] = [
            column.codes + np.int32(self._starts[name]) for name, column in self._dimensions
        ]

    def take(self, position: int) -> None:
        """Count the candidate's values as selected."""
        self.taken += 1
        for dimension, column in self._dimensions:
            values = set(column.values[column.codes[position]])
            self._counts.update((dimension, value) for value in values)
            for code in {code for value in values for code in column.holding(value)}:
                counts = [self._counts[dimension, value] for value in set(column.values[code])]
                self.parts[self._starts[dimension] + code] = part(counts)

    def sums(self, columns: Sequence[Codes], shape: tuple[int, ...]) -> Parts:
        """The parts of some columns, each of this shape, added up."""
        if not columns:
            return np.zeros(shape, dtype=np.complex128)
        total = self.parts.take(columns[0])
        for codes in columns[1:]:
            total += self.parts.take(codes)
        return total


def part(counts: Sequence[int]) -> complex:
    """What a dimension adds to a gain, by how often each of the candidate's values there is selected; in two floats."""
    whole = fsum(1 / (1 + count) for count in counts) / len(counts)
    coarse = int(whole * 2**30) / 2**30
    return complex(coarse, whole - coarse)


def gains(sums: Parts) -> NDArray[np.float64]:
    """Sums of parts as gains, rounded once; between 0 and the number of dimensions."""
    return sums.real + sums.imag


class CoverageQueue:
    """A lazy priority queue: candidates by falling gain, ties by position; a gain is refreshed only at the top.

    What waits in the queue are blocks: candidates with the same values in the dimensions of few values (sector,
    pattern, families, ...), the **shared** ones. A pick lowers the gains of nearly everyone by those, but of whole
    blocks alike, so a block's bound follows for one addition, and only the dimensions of many values (DWA, demand)
    make a bound stale. A bound is never below the best gain in its block: a top block whose bound is true holds the
    best of all, and the picks are exactly those of scanning every candidate each time.
    """

    def __init__(self, coverage: Coverage, cap: DemandCap, positions: Codes):
        self._coverage = coverage
        self._cap = cap
        shared, rest, cells = _split(coverage, positions)
        # A row a block, filled up with places that nobody is left at. Inside a block positions rise, so the first
        # of the best wins the tie.
        self._positions, self._left = _rows(positions, cells)
        heads = self._positions[:, 0]
        self._shared = [codes[heads] for codes in shared]
        self._rest = [codes[self._positions] for codes in rest]
        self._demands = cap.demands[self._positions]
        # A block as it was when last gone through: its best gain, who had it, the shared parts and the most of the
        # rest. What it starts with is never below the truth.
        size = len(heads)
        self._gain = np.full(size, float(len(coverage.columns)))
        self._best = heads.copy()
        self._then = coverage.sums(self._shared, (size,))
        self._most = np.full(size, float(len(rest)))
        self._when = np.full(size, -1, dtype=np.int64)
        self._top = -1

    def top(self) -> tuple[float, int] | None:
        """(minus the gain, position) of the best candidate left, or None; smaller is better."""
        size = len(self._gain)
        if not size:
            return None
        now = self._coverage.sums(self._shared, (size,))
        same = now == self._then
        bounds = np.where(same, self._gain, gains(now) + self._most + SLACK)
        first = np.where(same, self._best, -1)
        taken, floor, at_once = self._coverage.taken, -np.inf, 1
        while True:
            highest = bounds.max()
            if highest == -np.inf:
                return None
            ties = np.flatnonzero(bounds == highest)
            block = int(ties[first[ties].argmin()])
            if self._when[block] == taken:
                self._top = block
                return -float(highest), int(first[block])
            # Few at first: often the top block is the true one, and each refresh says which others may matter.
            rows = np.array([block])
            if at_once > 1:
                rows = np.flatnonzero(bounds >= floor)
                rows = rows[self._when[rows] != taken]
                if len(rows) > at_once:
                    rows = rows[np.argpartition(-bounds[rows], at_once)[:at_once]]
            self._refresh(rows, now[rows])
            bounds[rows], first[rows] = self._gain[rows], self._best[rows]
            floor, at_once = max(floor, self._gain[rows].max()), min(at_once * GROWTH, AT_ONCE)

    def pop(self) -> int:
        """Take the best candidate (call ``top`` first), count it, and return its position."""
        position = int(self._best[self._top])
        self._left[self._top, self._positions[self._top] == position] = False
        self._coverage.take(position)
        self._cap.take(position)
        return position

    def _refresh(self, rows: NDArray[np.int64], shared: Parts) -> None:
        """Go through some blocks, whose shared parts add up to ``shared`` now."""
        sums = self._coverage.sums([codes.take(rows, axis=0) for codes in self._rest], (len(rows), WIDTH))
        sums[~self._left.take(rows, axis=0) | self._cap.full(self._demands.take(rows, axis=0))] = -np.inf
        found = gains(sums + shared[:, None])
        best = found.argmax(axis=1)
        self._gain[rows] = found[np.arange(len(rows)), best]
        self._best[rows] = self._positions[rows, best]
        self._then[rows], self._most[rows] = shared, gains(sums).max(axis=1)
        self._when[rows] = self._coverage.taken


def _split(coverage: Coverage, positions: Codes) -> tuple[list[Codes], list[Codes], NDArray[np.int64]]:
    """The columns that blocks share, the other columns, and each candidate's cell: those of equal shared values.

    Cells are numbered from 0 and so few that on the whole a quarter of the blocks' places is filled.
    """
    columns = coverage.columns
    cells, many = np.zeros(len(positions), dtype=np.int64), 1
    here = [_dense(codes[positions], len(coverage.parts)) for codes in columns]
    shared: list[int] = []
    for which in sorted(range(len(columns)), key=lambda which: (here[which][1], which)):
        codes, number = here[which]
        if many * number > DENSE * len(positions):
            break
        finer, found = _dense(cells * number + codes, many * number)
        if found > max(1, 3 * len(positions) // WIDTH):
            break
        cells, many = finer, found
        shared.append(which)
    rest = [codes for which, codes in enumerate(columns) if which not in shared]
    return [columns[which] for which in shared], rest, cells


def _dense(codes: NDArray[Any], size: int) -> tuple[NDArray[np.int64], int]:
    """Codes below ``size`` renumbered without gaps, and how many there are."""
    there = np.bincount(codes, minlength=size) > 0
    return (np.cumsum(there) - 1)[codes], int(there.sum())


def _rows(positions: Codes, cells: NDArray[np.int64]) -> tuple[Codes, NDArray[np.bool_]]:
    """The candidates in rows of ``WIDTH``, no row with those of two cells, and which places of a row are filled."""
    order = np.argsort(cells, kind="stable")
    sizes = np.bincount(cells)
    blocks = -(-sizes // WIDTH)
    before = (np.cumsum(blocks) - blocks) * WIDTH - (np.cumsum(sizes) - sizes)
    flat = np.arange(len(positions)) + before[cells[order]]
    laid = np.zeros(int(blocks.sum()) * WIDTH, dtype=np.int32)
    filled = np.zeros(len(laid), dtype=np.bool_)
    laid[flat], filled[flat] = positions[order], True
    return laid.reshape(-1, WIDTH), filled.reshape(-1, WIDTH)
