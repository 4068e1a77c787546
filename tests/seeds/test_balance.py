"""Balancing: the lazy greedy equals the naive one, and each strategy keeps its promises."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import fsum
from pathlib import Path

import numpy as np
import pytest
from hydra.utils import instantiate
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from graphforge.errors import ConfigError, RecordError
from graphforge.records import StageCount, stable_hash
from graphforge.seeds import (
    Balance,
    Candidate,
    EqualQuota,
    Frequency,
    MarginalCoverage,
    RandomBalance,
    SectorRoundRobin,
    choose,
    coverage,
    shortage,
)

CONF = Path(__file__).resolve().parents[2] / "conf" / "balance"
DIMENSIONS = ("pattern", "sector", "input_family")
STRATEGIES: list[Balance] = [
    MarginalCoverage(dimensions=DIMENSIONS),
    EqualQuota(dimension="pattern", within=("sector", "input_family")),
    SectorRoundRobin(within=("pattern", "input_family")),
    RandomBalance(seed=7),
    Frequency(dimensions=("pattern", "sector")),
]

_few = st.sampled_from("abcd")


@st.composite
def pools(draw: st.DrawFn) -> list[Candidate]:
    rows = draw(
        st.lists(
            st.tuples(_few, st.sampled_from("123"), st.lists(_few, max_size=3), st.sampled_from("xyzuvw")),
            max_size=40,
        )
    )
    return [
        Candidate(
            f"c{number}",
            {"pattern": (p,), "sector": (s,), "input_family": tuple(families), "demand": (demand,)},
        )
        for number, (p, s, families, demand) in enumerate(rows)
    ]


class Naive:
    """The definition, in plain Python: gains by counting, everyone scanned for each pick, ties by the hash."""

    def __init__(self, candidates: list[Candidate], dimensions: tuple[str, ...], cap: int | None):
        self.candidates = candidates
        self.dimensions = dimensions
        self.cap = cap
        self.counts: Counter[tuple[str, str]] = Counter()
        self.used: Counter[str] = Counter()
        self.picks: list[int] = []

    def gain(self, place: int) -> float:
        parts: list[float] = []
        for dimension in self.dimensions:
            values = list(dict.fromkeys(self.candidates[place].values[dimension]))
            if values:
                parts.append(fsum(1 / (1 + self.counts[dimension, value]) for value in values) / len(values))
        return fsum(parts)

    def free(self, place: int) -> bool:
        demands = self.candidates[place].values["demand"]
        return place not in self.picks and (
            self.cap is None or all(self.used[one] < self.cap for one in demands)
        )

    def key(self, place: int) -> tuple[float, str]:
        return -self.gain(place), stable_hash(self.candidates[place].id)

    def take(self, place: int) -> None:
        self.picks.append(place)
        values = self.candidates[place].values
        self.used.update(set(values["demand"]))
        self.counts.update(
            (dimension, value) for dimension in self.dimensions for value in set(values[dimension])
        )


def naive(candidates: list[Candidate], count: int, dimensions: tuple[str, ...], cap: int | None) -> list[int]:
    state = Naive(candidates, dimensions, cap)
    while len(state.picks) < count:
        free = [place for place in range(len(candidates)) if state.free(place)]
        if not free:
            break
        state.take(min(free, key=state.key))
    return state.picks


def naive_quota(
    candidates: list[Candidate], count: int, dimension: str, within: tuple[str, ...], cap: int | None
) -> list[int]:
    """Each pick goes to the value with the fewest picks that still has someone; then the best of all."""
    state = Naive(candidates, within, cap)
    group = [next(iter(one.values[dimension]), "") for one in candidates]
    while len(state.picks) < count:
        free = [place for place in range(len(candidates)) if state.free(place)]
        if not free:
            break
        filled = Counter(group[place] for place in state.picks)
        state.take(min(free, key=lambda place: (filled[group[place]], state.key(place))))
    return state.picks


def naive_rounds(
    candidates: list[Candidate], count: int, within: tuple[str, ...], cap: int | None
) -> list[int]:
    """Round after round, the best of each sector in the order of their codes."""
    state = Naive(candidates, within, cap)
    sectors = sorted({next(iter(one.values["sector"]), "") for one in candidates})
    before = -1
    while before < len(state.picks) < count:
        before = len(state.picks)
        for sector in sectors:
            free = [
                place
                for place, one in enumerate(candidates)
                if next(iter(one.values["sector"]), "") == sector and state.free(place)
            ]
            if free and len(state.picks) < count:
                state.take(min(free, key=state.key))
    return state.picks


def naive_frequency(
    candidates: list[Candidate], count: int, dimensions: tuple[str, ...], cap: int | None
) -> list[int]:
    state = Naive(candidates, dimensions, cap)
    for one in candidates:
        state.counts.update((name, value) for name in dimensions for value in set(one.values[name]))

    def frequency(place: int) -> float:
        total = 0.0
        for name in dimensions:
            values = set(candidates[place].values[name])
            if values:
                total += sum(state.counts[name, value] for value in values) / len(values)
        return total

    fixed = {
        place: (-frequency(place), stable_hash(candidates[place].id)) for place in range(len(candidates))
    }
    state.dimensions = ()
    for place in sorted(fixed, key=lambda place: fixed[place]):
        if len(state.picks) < count and state.free(place):
            state.take(place)
    return state.picks


_counts = st.integers(0, 45)
_caps = st.none() | st.integers(1, 4)


ALL = ("sector", "subsector", "occupation", "dwa", "pattern", "demand", "input_family", "output_family")
WITHIN = ("occupation", "dwa", "pattern", "input_family")
_some = st.lists(st.sampled_from("abcdef"), max_size=3).map(tuple)
# Blocks of 2 to 4 candidates and few at once, so that small pools have many; and what is used.
_shapes = st.sampled_from([(2, 2, 2), (4, 3, 8), (64, 512, 8)])


@contextmanager
def shape(width: int, at_once: int, growth: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage, "WIDTH", width)
        patch.setattr(coverage, "AT_ONCE", at_once)
        patch.setattr(coverage, "GROWTH", growth)
        yield


@st.composite
def workspaces(draw: st.DrawFn) -> list[Candidate]:
    """Pools in all the dimensions: few and many values, several actual families or none, several demands or none."""
    number = draw(st.integers(0, 40))
    few = draw(st.sampled_from(["ab", "abcdefgh"]))
    return [
        Candidate(
            f"w{n}",
            {
                "sector": (sector := draw(st.sampled_from(few)),),
                "subsector": (sector + draw(st.sampled_from("12")),),
                "occupation": (f"{sector}{draw(st.integers(0, 9))}",),
                "dwa": (str(draw(st.integers(0, 15))),),
                "pattern": draw(st.sampled_from([("p",), ("q",), ("r",), ("q", "p"), ()])),
                "demand": draw(st.sampled_from([("x",), ("y",), ("z",), ("x", "z"), (f"own{n}",), ()])),
                "input_family": draw(_some),
                "output_family": draw(_some),
            },
        )
        for n in range(number)
    ]


@given(pools(), _counts, _caps)
def test_lazy_greedy_equals_naive_greedy(pool: list[Candidate], count: int, cap: int | None) -> None:
    assert MarginalCoverage(dimensions=DIMENSIONS).select(pool, count, cap) == naive(
        pool, count, DIMENSIONS, cap
    )


@given(workspaces(), _counts, _caps, _shapes, st.permutations(ALL), st.integers(1, 8))
def test_lazy_greedy_equals_naive_greedy_in_all_dimensions(
    pool: list[Candidate],
    count: int,
    cap: int | None,
    blocks: tuple[int, int, int],
    names: list[str],
    many: int,
) -> None:
    dimensions = tuple(names[:many])
    with shape(*blocks):
        picks = MarginalCoverage(dimensions=dimensions).select(pool, count, cap)
    assert picks == naive(pool, count, dimensions, cap)


@given(workspaces(), _counts, _caps, _shapes, st.sampled_from(["pattern", "sector", "input_family"]))
def test_equal_quotas_equal_the_naive_ones(
    pool: list[Candidate], count: int, cap: int | None, blocks: tuple[int, int, int], dimension: str
) -> None:
    with shape(*blocks):
        picks = EqualQuota(dimension=dimension, within=WITHIN).select(pool, count, cap)
    assert picks == naive_quota(pool, count, dimension, WITHIN, cap)


@given(workspaces(), _counts, _caps, _shapes)
def test_sectors_in_turn_equal_the_naive_ones(
    pool: list[Candidate], count: int, cap: int | None, blocks: tuple[int, int, int]
) -> None:
    with shape(*blocks):
        picks = SectorRoundRobin(within=WITHIN).select(pool, count, cap)
    assert picks == naive_rounds(pool, count, WITHIN, cap)


@given(workspaces(), _counts, _caps, st.permutations(ALL), st.integers(1, 8))
def test_frequency_equals_the_naive_one(
    pool: list[Candidate], count: int, cap: int | None, names: list[str], many: int
) -> None:
    dimensions = tuple(names[:many])
    picks = Frequency(dimensions=dimensions).select(pool, count, cap)
    assert picks == naive_frequency(pool, count, dimensions, cap)


@pytest.mark.parametrize("skew", [1.0, 2.5])
def test_lazy_greedy_equals_naive_greedy_on_a_larger_pool(skew: float) -> None:
    draw = random.Random(int(skew * 10))

    def one(most: int) -> tuple[str, ...]:
        return (str(int(most * draw.random() ** skew)),)

    sizes = {"sector": 8, "pattern": 16, "input_family": 6, "occupation": 60, "dwa": 150, "demand": 900}
    pool = [Candidate(f"c{n}", {name: one(size) for name, size in sizes.items()}) for n in range(1500)]
    assert MarginalCoverage(dimensions=tuple(sizes)).select(pool, 120, 2) == naive(pool, 120, tuple(sizes), 2)


@given(st.lists(st.lists(st.integers(0, 2**20), min_size=1, max_size=4), min_size=1, max_size=64))
def test_gains_are_those_of_fsum_to_the_last_bit(counts: list[list[int]]) -> None:
    parts = np.zeros(1, dtype=np.complex128)
    for some in counts:
        parts += coverage.part(some)
    assert coverage.gains(parts)[0] == fsum(fsum(1 / (1 + n) for n in some) / len(some) for some in counts)


@given(workspaces(), _caps, _shapes, st.integers(0, 12))
def test_candidates_that_add_nothing_change_nothing(
    pool: list[Candidate], cap: int | None, blocks: tuple[int, int, int], more: int
) -> None:
    """They stand in the groups of the others, and have no value in the dimensions that are covered."""
    for balance, group in (
        (MarginalCoverage(dimensions=("sector", "dwa")), None),
        (EqualQuota(dimension="pattern", within=("sector", "dwa")), "pattern"),
        (SectorRoundRobin(within=("occupation", "dwa")), "sector"),
        (Frequency(dimensions=("sector", "dwa")), None),
        (RandomBalance(seed=1), None),
    ):
        idle = [
            Candidate(f"idle{n}", dict.fromkeys(ALL, ()) | {"demand": (f"idle{n}",)}) for n in range(more)
        ]
        if group is not None and pool:
            idle = [
                Candidate(one.id, {**one.values, group: pool[n % len(pool)].values[group]})
                for n, one in enumerate(idle)
            ]
        with shape(*blocks):
            alone = [pool[place].id for place in balance.select(pool, 99, cap)]
            both = [*idle, *pool]
            among = [both[place].id for place in balance.select(both, 99, cap)]
        assert [name for name in among if not name.startswith("idle")] == alone


@given(workspaces(), _caps, _shapes, st.integers(1, 12))
def test_unrelated_candidates_of_lower_gain_change_nothing(
    pool: list[Candidate], cap: int | None, blocks: tuple[int, int, int], more: int
) -> None:
    """A newcomer with values of its own adds 1: as long as the picks add more than that, it isn't seen."""
    dimensions = ("sector", "occupation", "dwa", "pattern")
    state = Naive(pool, dimensions, cap)
    for place in naive(pool, len(pool), dimensions, cap):
        if state.gain(place) <= 1:
            break
        state.take(place)
    ours = list(state.picks)
    newcomers = [Candidate(f"new{n}", dict.fromkeys(ALL, ()) | {"dwa": (f"new{n}",)}) for n in range(more)]
    with shape(*blocks):
        picks = MarginalCoverage(dimensions=dimensions).select([*pool, *newcomers], len(ours), cap)
    assert picks == ours


@pytest.mark.parametrize("balance", STRATEGIES, ids=lambda one: type(one).__name__)
def test_a_stream_is_read_once(balance: Balance) -> None:
    pool = [
        Candidate(f"c{n}", {"pattern": (f"p{n % 3}",), "sector": (f"s{n % 4}",), "input_family": ()})
        for n in range(30)
    ]
    assert balance.select(iter(pool), 12) == balance.select(pool, 12)


def test_frequency_takes_what_is_common() -> None:
    pool = [Candidate(f"rare{n}", {"occupation": (f"r{n}",), "dwa": ("d",)}) for n in range(5)]
    pool += [Candidate(f"common{n}", {"occupation": ("c",), "dwa": ("d",)}) for n in range(3)]
    picks = Frequency(dimensions=("occupation", "dwa")).select(pool, 4)
    assert [pool[place].id[:6] for place in picks[:3]] == ["common"] * 3


def test_too_few_to_choose_from_is_said_plainly() -> None:
    pool = [Candidate(f"c{n}", {"pattern": ("a",), "demand": (f"d{n // 3}",)}) for n in range(9)]
    names = [one.id for one in pool]
    for balance in (MarginalCoverage(dimensions=("pattern",)), RandomBalance(seed=0)):
        chosen, left = choose(names, pool, balance, 12, None)
        assert shortage(12, len(chosen), left) == "12 were asked for and there were only 9: all were taken"
        chosen, left = choose(names, pool, balance, 9, 2)
        said = shortage(9, len(chosen), left)
        assert said == (
            "9 were asked for and only 6 of 9 could be taken: the demands of the other 3 are used up (demand_cap)"
        )
        chosen, left = choose(names, pool, balance, 6, 2)
        assert shortage(6, len(chosen), left) is None
    assert shortage(3, 0, []) == "3 were asked for and there were only 0: all were taken"


@pytest.mark.parametrize("balance", STRATEGIES, ids=lambda one: type(one).__name__)
@given(pool=pools(), count=_counts, cap=_caps, order=st.randoms(use_true_random=False))
def test_every_strategy(
    balance: Balance, pool: list[Candidate], count: int, cap: int | None, order: random.Random
) -> None:
    chosen, rejections = choose([one.id for one in pool], pool, balance, count, cap)
    # Nothing twice, nothing lost, and as many as were asked for and allowed.
    assert len(set(chosen)) == len(chosen) <= count
    assert sorted([*chosen, *(item.id for item in rejections)]) == sorted(one.id for one in pool)
    StageCount.of("seeds", len(pool), len(chosen), rejections)
    demands = {one.id: one.values["demand"][0] for one in pool}
    used = Counter(demands[name] for name in chosen)
    supply = Counter(demands.values())
    most = sum(supply.values()) if cap is None else sum(min(cap, number) for number in supply.values())
    assert len(chosen) == min(count, most)
    for rejection in rejections:
        full = cap is not None and used[demands[rejection.id]] >= cap
        assert rejection.reason == ("demand_cap" if full else "not_selected")
    if cap is not None:
        assert all(number <= cap for number in used.values())
    # The order of the input doesn't count.
    shuffled = list(pool)
    order.shuffle(shuffled)
    assert choose([one.id for one in shuffled], shuffled, balance, count, cap)[0] == chosen


@given(pools(), _counts)
def test_quotas_differ_by_at_most_one_where_supply_allows(pool: list[Candidate], count: int) -> None:
    picks = EqualQuota(dimension="pattern", within=("sector",)).select(pool, count)
    supply = Counter(one.values["pattern"][0] for one in pool)
    quota = Counter(pool[place].values["pattern"][0] for place in picks)
    for value in supply:
        if quota[value] < supply[value]:
            assert quota[value] >= max(quota.values(), default=0) - 1


@given(pools(), _counts)
def test_sectors_take_turns(pool: list[Candidate], count: int) -> None:
    picks = SectorRoundRobin(within=("pattern",)).select(pool, count)
    left = Counter(one.values["sector"][0] for one in pool)
    expected: list[str] = []
    while sum(left.values()) and len(expected) < count:
        for sector in sorted(left):
            if left[sector]:
                left[sector] -= 1
                expected.append(sector)
    assert [pool[place].values["sector"][0] for place in picks] == expected[:count]


def test_coverage_takes_what_is_rare() -> None:
    pool = [Candidate(f"common{n}", {"pattern": ("a",)}) for n in range(30)]
    pool.append(Candidate("rare", {"pattern": ("b",)}))
    picks = MarginalCoverage(dimensions=("pattern",)).select(pool, 2)
    assert "rare" in {pool[place].id for place in picks}


def test_many_values_are_no_advantage() -> None:
    many = Candidate("many", {"input_family": ("a", "b", "c")})
    one = Candidate("one", {"input_family": ("d",)})
    picks = MarginalCoverage(dimensions=("input_family",)).select([many, one], 1)
    first = min(("many", "one"), key=stable_hash)
    assert [many, one][picks[0]].id == first


def test_random_depends_on_its_seed() -> None:
    pool = [Candidate(f"c{number}", {}) for number in range(50)]
    assert RandomBalance(seed=1).select(pool, 50) != RandomBalance(seed=2).select(pool, 50)


def test_faults_name_what_to_do() -> None:
    pool = [Candidate("a", {"pattern": ("x",)})]
    with pytest.raises(ConfigError, match=r"dimension 'sector'.*Use one of pattern"):
        SectorRoundRobin(within=("pattern",)).select(pool, 1)
    with pytest.raises(RecordError, match="share the id a"):
        MarginalCoverage(dimensions=("pattern",)).select(pool * 2, 1)
    with pytest.raises(ConfigError, match="cap on repeated demands is 0"):
        choose(["a"], pool, RandomBalance(seed=0), 1, 0)
    with pytest.raises(ConfigError, match="choose is -1"):
        choose(["a"], pool, RandomBalance(seed=0), -1, None)
    with pytest.raises(RecordError, match="0 items came with 1"):
        choose([], pool, RandomBalance(seed=0), 1, None)


@pytest.mark.parametrize("path", sorted(CONF.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_configured_strategy_can_be_made(path: Path) -> None:
    whole = OmegaConf.create({"seed": 3, "balance": OmegaConf.load(path)})
    plain = OmegaConf.to_container(whole, resolve=True, throw_on_missing=True)
    assert isinstance(plain, dict)
    made = instantiate(plain["balance"], _convert_="all")
    assert made.select([], 3) == []
