"""How fast an endpoint is driven: its limits a minute, and as many calls at once as it bears."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from .model import Limits


class _Bucket:
    """A rate a minute. It may be overdrawn by one taker, so that a call larger than the bucket goes through."""

    def __init__(self, a_minute: float | None):
        self._a_second = None if a_minute is None else a_minute / 60
        # A second's worth at once: over any minute the rate is passed by no more than that.
        self._most = 0.0 if self._a_second is None else max(self._a_second, 1.0)
        self._level = self._most
        self._at = time.monotonic()

    def wait(self) -> float:
        """Seconds until something can be taken."""
        if self._a_second is None:
            return 0.0
        now = time.monotonic()
        self._level = min(self._most, self._level + (now - self._at) * self._a_second)
        self._at = now
        least = min(1.0, self._most)
        return 0.0 if self._level >= least - 1e-9 else (least - self._level) / self._a_second

    def take(self, amount: float) -> None:
        """A negative amount gives back."""
        self._level -= amount


class Pace:
    """One for each endpoint. ``at_once`` is halved by each 429 and grows back by one a round of successes."""

    def __init__(self, limits: Limits):
        self._requests = _Bucket(limits.requests_per_minute)
        self._tokens = _Bucket(limits.tokens_per_minute)
        self._most = float(limits.concurrency)
        self.at_once = self._most
        self._busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._gate = asyncio.Lock()
        self._not_before = 0.0
        self._slowed = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """One of the calls at once, first come first served."""
        if self._waiting or self._busy >= int(self.at_once):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                # Given to us and not taken, or still in the queue.
                if turn.done() and not turn.cancelled():
                    self._busy -= 1
                    self._wake()
                else:
                    with suppress(ValueError):
                        self._waiting.remove(turn)
                raise
        else:
            self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1
            self._wake()

    async def start(self, tokens: int) -> float:
        """Waits until the limits a minute and the provider allow a call; the moment of its start."""
        async with self._gate:
            while (
                wait := max(self._requests.wait(), self._tokens.wait(), self._not_before - time.monotonic())
            ) > 0:
                await asyncio.sleep(wait)
            self._requests.take(1)
            self._tokens.take(tokens)
        return time.monotonic()

    def went_well(self, reserved: int, used: int) -> None:
        """A success: the tokens not used are given back, and the endpoint seems to bear a little more."""
        self._tokens.take(used - reserved)
        if self.at_once < self._most:
            self.at_once = min(self._most, self.at_once + 1 / self.at_once)
            self._wake()

    def came_to_nothing(self, reserved: int) -> None:
        """The call used no tokens."""
        self._tokens.take(-reserved)

    def too_fast(self, started: float, retry_after: float | None) -> None:
        """A 429. Those of calls that started before the last halving say nothing new."""
        now = time.monotonic()
        if retry_after is not None:
            self._not_before = max(self._not_before, now + retry_after)
        if started >= self._slowed:
            self._slowed = now
            self.at_once = max(1.0, self.at_once / 2)

    def _wake(self) -> None:
        while self._waiting and self._busy < int(self.at_once):
            turn = self._waiting.popleft()
            if not turn.done():
                self._busy += 1
                turn.set_result(None)
