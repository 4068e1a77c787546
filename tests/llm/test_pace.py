"""Limits of an endpoint, and rows in flat memory."""

import asyncio
import gc
import time

import pytest
from speaking import limits

from graphforge.llm import flow
from graphforge.llm.pace import Pace


def test_at_once_is_halved_once_a_round_and_grows_by_one_a_round() -> None:
    pace = Pace(limits(concurrency=16))
    early = time.monotonic()
    pace.too_fast(early, None)
    # These started before the halving: they say nothing new.
    pace.too_fast(early, None)
    pace.too_fast(early, None)
    assert pace.at_once == 8
    pace.too_fast(time.monotonic(), None)
    assert pace.at_once == 4
    for _ in range(4):
        pace.went_well(0, 0)
    assert 4.8 < pace.at_once <= 5
    for _ in range(1000):
        pace.went_well(0, 0)
    assert pace.at_once == 16
    for _ in range(20):
        pace.too_fast(time.monotonic(), None)
    assert pace.at_once == 1


def test_slots_are_given_in_turn_and_back_after_a_cancellation() -> None:
    async def main() -> list[int]:
        pace = Pace(limits(concurrency=2))
        order: list[int] = []
        most = 0
        busy = 0

        async def one(number: int) -> None:
            nonlocal busy, most
            async with pace.slot():
                busy += 1
                most = max(most, busy)
                order.append(number)
                try:
                    await asyncio.sleep(0.01)
                finally:
                    busy -= 1

        tasks = [asyncio.create_task(one(number)) for number in range(10)]
        await asyncio.sleep(0.005)
        tasks[4].cancel()
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert most == 2
        await asyncio.wait_for(one(99), 1)
        return order

    assert asyncio.run(main()) == [0, 1, 2, 3, 5, 6, 7, 8, 9, 99]


@pytest.mark.parametrize(("a_minute", "calls", "least"), [(1200, 30, 0.45), (6000, 60, 0.0)])
def test_tokens_a_minute_are_kept_and_what_was_not_used_is_given_back(
    a_minute: float, calls: int, least: float
) -> None:
    async def main(used: int) -> float:
        pace = Pace(limits(tokens_per_minute=a_minute, concurrency=100))
        began = time.monotonic()
        for _ in range(calls):
            await pace.start(1)
            pace.went_well(1, used)
        return time.monotonic() - began

    assert asyncio.run(main(1)) >= least
    # Calls that turn out to use nothing wait for nothing.
    assert asyncio.run(main(0)) < 0.3


def test_a_call_larger_than_the_limit_goes_through() -> None:
    async def main() -> None:
        await asyncio.wait_for(Pace(limits(tokens_per_minute=60)).start(5000), 1)

    asyncio.run(main())


def test_rows_come_in_order_and_no_more_are_taken_than_are_at_work() -> None:
    taken = 0
    most = 0

    def rows(count: int) -> "object":
        nonlocal taken
        for number in range(count):
            taken += 1
            yield number

    async def work(number: int) -> bytes:
        await asyncio.sleep(0.02 if number % 50 == 0 else 0)
        return bytes(1000) + str(number).encode()

    async def main() -> list[int]:
        nonlocal most
        got = []
        async for result in flow(rows(2000), work, 5):  # type: ignore[arg-type]
            got.append(int(result[1000:]))
            most = max(most, taken - len(got))
        return got

    assert asyncio.run(main()) == list(range(2000))
    assert most <= 5 * 8


def test_a_fault_of_one_row_stops_the_others_and_is_raised() -> None:
    cancelled = 0

    async def work(number: int) -> int:
        nonlocal cancelled
        try:
            await asyncio.sleep(0 if number == 3 else 0.3)
        except asyncio.CancelledError:
            cancelled += 1
            raise
        if number == 3:
            raise KeyError(number)
        return number

    async def main() -> None:
        async for _ in flow([3, 0, 1, 2], work, 4):
            pass

    with pytest.raises(KeyError):
        asyncio.run(main())
    assert cancelled == 3
    gc.collect()
