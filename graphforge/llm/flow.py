"""Many rows at once, in flat memory."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741

# Finished rows that may wait for a slow one ahead of them, as a multiple of those at work.
_WINDOW = 8


async def flow(items: Iterable[I], work: Callable[[I], Awaitable[O]], at_once: int) -> AsyncIterator[O]:
    """``work`` over the items, at most ``at_once`` at a time; results in the order of the items.

    Takes from ``items`` only what it is about to work on. The first exception cancels what is at work and is raised.
    """
    slots = asyncio.Semaphore(at_once)
    pending: deque[asyncio.Task[O]] = deque()

    async def one(item: I) -> O:
        async with slots:
            return await work(item)

    try:
        for item in items:
            pending.append(asyncio.create_task(one(item)))
            if len(pending) >= at_once * _WINDOW:
                yield await pending.popleft()
        while pending:
            yield await pending.popleft()
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
