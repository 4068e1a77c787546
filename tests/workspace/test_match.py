"""Matching of seeds and slots: the best whole, whatever the order."""

from collections.abc import Mapping
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from graphforge.workspace.match import Costs, Slot, match, total_worth

Worth = dict[str, dict[str, float]]
SLOTS = {f"slot-{n}": Slot((f"file-{n // 2}",), f"topic-{n // 4}") for n in range(8)}
COSTS = Costs(files=0.15, topic=0.04, seed=0.1)

offers = st.dictionaries(
    st.sampled_from([f"seed-{n}" for n in range(8)]),
    st.dictionaries(st.sampled_from(sorted(SLOTS)), st.integers(1, 200).map(lambda n: n / 100), max_size=6),
    max_size=8,
)
few_offers = st.dictionaries(
    st.sampled_from(["seed-1", "seed-2", "seed-3", "seed-4"]),
    st.dictionaries(
        st.sampled_from(sorted(SLOTS)[:5]), st.integers(1, 200).map(lambda n: n / 100), max_size=5
    ),
    max_size=4,
)


def greedy(worth: Worth) -> dict[str, tuple[str, ...]]:
    """Seed after seed, each the free slot that is worth most to it beside what was given before."""
    given_out: dict[str, tuple[str, ...]] = {}
    for seed, slots in worth.items():
        before = total_worth(given_out, worth, SLOTS, COSTS)
        gains = {
            slot: total_worth({**given_out, seed: (slot,)}, worth, SLOTS, COSTS) - before
            for slot in sorted(slots)
            if (slot,) not in given_out.values()
        }
        if gains and max(gains.values()) > 0:
            given_out[seed] = (max(gains, key=lambda slot: gains[slot]),)
    return given_out


def total(matched: Mapping[str, tuple[str, ...]], worth: Worth) -> float:
    return total_worth(matched, worth, SLOTS, COSTS)


@given(offers, st.integers(1, 3))
def test_no_slot_is_given_twice_and_none_that_was_not_offered(worth: Worth, most: int) -> None:
    matched = match(worth, SLOTS, COSTS, most)
    taken = [slot for found in matched.values() for slot in found]
    assert len(set(taken)) == len(taken)
    assert all(1 <= len(found) <= most for found in matched.values())
    assert all(slot in worth[seed] for seed, found in matched.items() for slot in found)


@given(offers)
def test_it_is_never_worth_less_than_one_seed_after_the_other(worth: Worth) -> None:
    assert total(match(worth, SLOTS, COSTS), worth) >= total(greedy(worth), worth) - 1e-6


@settings(deadline=None)
@given(few_offers, st.integers(1, 2))
def test_nothing_is_worth_more(worth: Worth, most: int) -> None:
    names = sorted(worth)
    choices = [
        [chosen for size in range(most + 1) for chosen in combinations(sorted(worth[seed]), size)]
        for seed in names
    ]
    best = max(
        total(dict(zip(names, one, strict=True)), worth)
        for one in product(*choices)
        if len(sum(one, ())) == len(set(sum(one, ())))
    )
    assert abs(total(match(worth, SLOTS, COSTS, most), worth) - best) < 1e-6


@given(offers, st.randoms(use_true_random=False))
def test_the_order_of_seeds_and_slots_is_nothing(worth: Worth, chance: st.DataObject) -> None:
    names = list(worth)
    chance.shuffle(names)  # type: ignore[attr-defined]
    slots = list(SLOTS)
    chance.shuffle(slots)  # type: ignore[attr-defined]
    turned = {name: dict(reversed(worth[name].items())) for name in names}
    assert match(turned, {slot: SLOTS[slot] for slot in slots}, COSTS) == match(worth, SLOTS, COSTS)


def test_tasks_spread_where_the_fit_is_equal() -> None:
    worth = {"one": dict.fromkeys(SLOTS, 1.0), "two": dict.fromkeys(SLOTS, 1.0)}
    topics = [SLOTS[slot].topic for (slot,) in match(worth, SLOTS, COSTS).values()]
    assert len(set(topics)) == 2


def test_a_crowded_topic_takes_no_more_than_is_worth_it() -> None:
    slots = {f"slot-{n}": Slot((f"file-{n}",), "one topic") for n in range(10)}
    worth = {f"seed-{n}": dict.fromkeys(slots, 0.25) for n in range(10)}
    assert len(match(worth, slots, Costs(0.0, 0.1))) == 3


def test_a_pair_that_is_worth_nothing_and_costs_nothing_is_made() -> None:
    """A bar of 0 means that any case will do; the next use of its files would cost something."""
    slots = {"a": Slot(("1",), "x"), "b": Slot(("1",), "x")}
    assert match({"one": {"a": 0.0}}, slots, Costs(0.1, 0.1)) == {"one": ("a",)}
    assert len(match({"one": {"a": 0.0}, "two": {"b": 0.0}}, slots, Costs(0.1, 0.1))) == 1


def test_a_seed_gets_more_than_one_case_only_where_that_pays() -> None:
    slots = {f"slot-{n}": Slot((f"file-{n}",), f"topic-{n}") for n in range(4)}
    worth = {"one": {"slot-0": 1.0, "slot-1": 0.9, "slot-2": 0.15, "slot-3": 0.8}}
    assert match(worth, slots, Costs(0.1, 0.1, seed=0.1), most=4) == {"one": ("slot-0", "slot-1", "slot-3")}
    assert match(worth, slots, Costs(0.1, 0.1, seed=0.1), most=1) == {"one": ("slot-0",)}


def test_another_seed_that_fits_as_well_goes_before_a_second_case_for_one() -> None:
    slots = {"slot-0": SLOTS["slot-0"], "slot-4": SLOTS["slot-4"]}
    worth = {"one": dict.fromkeys(slots, 1.0), "two": dict.fromkeys(slots, 1.0)}
    matched = match(worth, slots, COSTS, most=2)
    assert {seed: len(found) for seed, found in matched.items()} == {"one": 1, "two": 1}
