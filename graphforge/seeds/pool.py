"""Candidates as integer codes, in the order in which ties are broken.

A pool is read once, from any iterable; nothing of a candidate is kept but its id and an integer a dimension. So a
million candidates need a few hundred megabytes, and can be streamed from a file.

>>> from graphforge.seeds import Candidate
>>> from graphforge.seeds.pool import Pool
>>> pool = Pool([Candidate("a", {"pattern": ("x",)}), Candidate("b", {"pattern": ("x",)})], ["pattern"])
>>> len(pool), pool.columns["pattern"].values
(2, [('x',)])
"""

from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from graphforge.errors import ConfigError, RecordError
from graphforge.records import stable_hash

from .candidate import DEMAND, Candidate

Codes = NDArray[np.int32]


class _Numbers(dict[tuple[str, ...], int]):
    """Numbers for values, given out in the order in which they are first asked for."""

    def __missing__(self, values: tuple[str, ...]) -> int:
        self[values] = number = len(self)
        return number


class Column:
    """One dimension: ``values[code]`` is what a candidate with this code has there, one value, several or none."""

    def __init__(self, table: dict[tuple[str, ...], int], codes: Codes):
        self.values = list(table)
        self.codes = codes
        self._table = table
        # Mostly a candidate has one value, and the table finds it: nothing more is kept for those.
        self._several: dict[str, list[int]] = {}
        for code, values in enumerate(self.values):
            if len(values) > 1:
                for value in dict.fromkeys(values):
                    self._several.setdefault(value, []).append(code)

    def holding(self, value: str) -> list[int]:
        """The codes of all that have a value."""
        alone = self._table.get((value,))
        several = self._several.get(value, [])
        return several if alone is None else [alone, *several]


class Pool:
    """The candidates by **position**: 0 is who wins every tie, by the stable hash of the id (after ``salt``).

    ``places[position]`` is the candidate's place in the input. ``columns`` has the given dimensions and, where any
    candidate has one, the normalized demand. ConfigError where a candidate lacks a dimension, RecordError where two
    share an id: ties could not be broken by it.
    """

    def __init__(
        self, candidates: Iterable[Candidate], dimensions: Sequence[str] = (), salt: Sequence[object] = ()
    ):
        named = [name for name in dict.fromkeys(dimensions) if name != DEMAND]
        tables = {name: _Numbers() for name in [*named, DEMAND]}
        columns = {name: array("i") for name in tables}
        layout = [(name, tables[name], columns[name].append) for name in named]
        demands, add_demand = tables[DEMAND], columns[DEMAND].append
        needed = DEMAND in dimensions
        ids: list[str] = []
        digests = bytearray()
        for candidate in candidates:
            ids.append(candidate.id)
            digests += bytes.fromhex(stable_hash(*salt, candidate.id))
            values = candidate.values
            try:
                for dimension, numbers, add in layout:
                    add(numbers[values[dimension]])
                add_demand(demands[values[DEMAND] if needed else values.get(DEMAND, ())])
            except KeyError as error:
                raise _lacking(candidate, error.args[0]) from None
        words = np.frombuffer(digests, dtype=">u8").reshape(-1, 4).astype(np.uint64)
        order = np.argsort(words[:, 0])
        if (np.diff(words[order, 0]) == 0).any():
            order = np.lexsort(words.T[::-1])
        self.places = order.astype(np.int32)
        words = words[self.places]
        if (same := np.flatnonzero((words[1:] == words[:-1]).all(axis=1))).size:
            raise RecordError(
                f"Two candidates share the id {ids[self.places[same[0]]]}", "Give each item an id of its own"
            )
        self.columns = {
            name: Column(tables[name], np.frombuffer(column, dtype=np.int32)[self.places])
            for name, column in columns.items()
        }

    def __len__(self) -> int:
        return len(self.places)

    def groups(self, dimension: str) -> dict[str, Codes]:
        """Positions by the first value in a dimension, values sorted. One without a value forms the group ""."""
        column = self.columns[dimension]
        names = [next(iter(values), "") for values in column.values]
        number = {name: place for place, name in enumerate(sorted(set(names)))}
        keys = np.array([number[name] for name in names], dtype=np.int32)[column.codes]
        order = np.argsort(keys, kind="stable").astype(np.int32)
        ends = np.searchsorted(keys[order], np.arange(1, len(number)))
        # Without candidates there is one empty part and no name for it.
        return dict(zip(number, np.split(order, ends), strict=False))


class DemandCap:
    """At most ``cap`` selected candidates may share a normalized demand; None sets no limit."""

    def __init__(self, pool: Pool, cap: int | None):
        if cap is not None and cap < 1:
            raise ConfigError(
                f"The cap on repeated demands is {cap}", "Give a whole number from 1 on, or null for none"
            )
        self._cap = cap
        self._column = pool.columns[DEMAND]
        self.demands = pool.columns[DEMAND].codes
        self._taken: dict[str, int] = {}
        self._full = np.zeros(len(self._column.values), dtype=np.bool_)

    def full(self, demands: Codes) -> NDArray[np.bool_]:
        """Whether one of the demands behind each code of ``demands`` is used up. Once true it stays true."""
        return self._full.take(demands)

    def is_full(self, position: int) -> bool:
        """The same of one candidate."""
        return bool(self._full[self.demands[position]])

    def take(self, position: int) -> None:
        """Count the candidate's demands as used once more."""
        if self._cap is None:
            return
        for demand in dict.fromkeys(self._column.values[self.demands[position]]):
            self._taken[demand] = self._taken.get(demand, 0) + 1
            if self._taken[demand] >= self._cap:
                self._full[self._column.holding(demand)] = True


def in_order(pool: Pool, order: Iterable[int], count: int, cap: int | None) -> list[int]:
    """Places of the first ``count`` candidates of an order of positions that the cap lets pass."""
    demands = DemandCap(pool, cap)
    picks: list[int] = []
    for position in order:
        if len(picks) >= count:
            break
        if not demands.is_full(position):
            demands.take(position)
            picks.append(int(pool.places[position]))
    return picks


def _lacking(candidate: Candidate, dimension: str) -> ConfigError:
    return ConfigError(
        f"The balancing strategy names the dimension '{dimension}', which {candidate.id} does not have",
        f"Use one of {', '.join(sorted(candidate.values))}",
    )
