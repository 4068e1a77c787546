"""Work on many items at once, as many as allowed, with the results in the order of the items."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")


async def together(
    items: Iterable[Item], work: Callable[[Item], Awaitable[Done]], at_once: int
) -> list[Done]:
    """``await work(item)`` for every item, ``at_once`` of them at a time; results in the order of the items.

    ``items`` is consumed as workers get free, so a long stream of them is never held whole. The first exception
    stops the others and is raised as it is.
    """
    if at_once < 1:
        raise ValueError(f"at least one item must be worked on at a time, not {at_once}")
    results: dict[int, Done] = {}
    stream = enumerate(items)

    async def worker() -> None:
        for place, item in stream:
            results[place] = await work(item)

    workers = [asyncio.create_task(worker()) for _ in range(at_once)]
    try:
        await asyncio.gather(*workers)
    finally:
        for one in workers:
            one.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[place] for place in sorted(results)]
