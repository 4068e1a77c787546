"""Matching of seeds and slots: the best whole, whatever the order."""

from collections.abc import Mapping
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from graphforge.workspace.match import Slot, match, total_worth

Worth = dict[str, dict[str, float]]
SLOTS = {f"slot-{n}": Slot((f"file-{n // 2}",), f"topic-{n // 4}") for n in range(8)}
FILES, TOPIC = 0.15, 0.04

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


def greedy(worth: Worth) -> dict[str, str]:
    """Seed after seed, each the free slot that is worth most to it beside what was given before."""
    given_out: dict[str, str] = {}
    for seed, slots in worth.items():
        before = total_worth(given_out, worth, SLOTS, FILES, TOPIC)
        gains = {
            slot: total_worth({**given_out, seed: slot}, worth, SLOTS, FILES, TOPIC) - before
            for slot in sorted(slots)
            if slot not in given_out.values()
        }
        if gains and max(gains.values()) > 0:
            given_out[seed] = max(gains, key=lambda slot: gains[slot])
    return given_out


def total(matched: Mapping[str, str], worth: Worth) -> float:
    return total_worth(matched, worth, SLOTS, FILES, TOPIC)


@given(offers)
def test_no_slot_is_given_twice_and_none_that_was_not_offered(worth: Worth) -> None:
    matched = match(worth, SLOTS, FILES, TOPIC)
    assert len(set(matched.values())) == len(matched)
    assert all(slot in worth[seed] for seed, slot in matched.items())


@given(offers)
def test_it_is_never_worth_less_than_one_seed_after_the_other(worth: Worth) -> None:
    assert total(match(worth, SLOTS, FILES, TOPIC), worth) >= total(greedy(worth), worth) - 1e-6


@settings(deadline=None)
@given(few_offers)
def test_nothing_is_worth_more(worth: Worth) -> None:
    names = sorted(worth)
    best = max(
        total({seed: slot for seed, slot in zip(names, one, strict=True) if slot is not None}, worth)
        for one in product(*([None, *sorted(worth[seed])] for seed in names))
        if len([slot for slot in one if slot]) == len({slot for slot in one if slot})
    )
    assert abs(total(match(worth, SLOTS, FILES, TOPIC), worth) - best) < 1e-6


@given(offers, st.randoms(use_true_random=False))
def test_the_order_of_seeds_and_slots_is_nothing(worth: Worth, chance: st.DataObject) -> None:
    names = list(worth)
    chance.shuffle(names)  # type: ignore[attr-defined]
    slots = list(SLOTS)
    chance.shuffle(slots)  # type: ignore[attr-defined]
    turned = {name: dict(reversed(worth[name].items())) for name in names}
    assert match(turned, {slot: SLOTS[slot] for slot in slots}, FILES, TOPIC) == match(
        worth, SLOTS, FILES, TOPIC
    )


def test_tasks_spread_where_the_fit_is_equal() -> None:
    worth = {"one": dict.fromkeys(SLOTS, 1.0), "two": dict.fromkeys(SLOTS, 1.0)}
    topics = [SLOTS[slot].topic for slot in match(worth, SLOTS, FILES, TOPIC).values()]
    assert len(set(topics)) == 2


def test_a_crowded_topic_takes_no_more_than_is_worth_it() -> None:
    slots = {f"slot-{n}": Slot((f"file-{n}",), "one topic") for n in range(10)}
    worth = {f"seed-{n}": dict.fromkeys(slots, 0.25) for n in range(10)}
    assert len(match(worth, slots, 0.0, 0.1)) == 3


def test_a_pair_that_is_worth_nothing_and_costs_nothing_is_made() -> None:
    """A bar of 0 means that any case will do; the next use of its files would cost something."""
    slots = {"a": Slot(("1",), "x"), "b": Slot(("1",), "x")}
    assert match({"one": {"a": 0.0}}, slots, 0.1, 0.1) == {"one": "a"}
    assert len(match({"one": {"a": 0.0}, "two": {"b": 0.0}}, slots, 0.1, 0.1)) == 1
