"""Balancing: the lazy greedy equals the naive one, and each strategy keeps its promises."""

import random
from collections import Counter
from math import fsum
from pathlib import Path

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
    MarginalCoverage,
    RandomBalance,
    SectorRoundRobin,
    choose,
)

CONF = Path(__file__).resolve().parents[2] / "conf" / "balance"
DIMENSIONS = ("pattern", "sector", "input_family")
STRATEGIES: list[Balance] = [
    MarginalCoverage(dimensions=DIMENSIONS),
    EqualQuota(dimension="pattern", within=("sector", "input_family")),
    SectorRoundRobin(within=("pattern", "input_family")),
    RandomBalance(seed=7),
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


def naive(candidates: list[Candidate], count: int, dimensions: tuple[str, ...], cap: int | None) -> list[int]:
    """The definition: scan everyone, take the highest gain, ties by the hash of the id."""
    counts: Counter[tuple[str, str]] = Counter()
    used: Counter[str] = Counter()
    picks: list[int] = []

    def gain(candidate: Candidate) -> float:
        parts: list[float] = []
        for dimension in dimensions:
            values = list(dict.fromkeys(candidate.values[dimension]))
            if values:
                parts.append(fsum(1 / (1 + counts[dimension, value]) for value in values) / len(values))
        return fsum(parts)

    while len(picks) < count:
        left = [
            place
            for place, candidate in enumerate(candidates)
            if place not in picks and (cap is None or used[candidate.values["demand"][0]] < cap)
        ]
        if not left:
            break
        best = min(left, key=lambda place: (-gain(candidates[place]), stable_hash(candidates[place].id)))
        picks.append(best)
        used[candidates[best].values["demand"][0]] += 1
        for dimension in dimensions:
            for value in dict.fromkeys(candidates[best].values[dimension]):
                counts[dimension, value] += 1
    return picks


_counts = st.integers(0, 45)
_caps = st.none() | st.integers(1, 4)


@given(pools(), _counts, _caps)
def test_lazy_greedy_equals_naive_greedy(pool: list[Candidate], count: int, cap: int | None) -> None:
    assert MarginalCoverage(dimensions=DIMENSIONS).select(pool, count, cap) == naive(
        pool, count, DIMENSIONS, cap
    )


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
