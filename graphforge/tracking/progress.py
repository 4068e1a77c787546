"""Progress on long work, with counts and time left, on stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

LINE_SECONDS = 5.0


def track(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """The items, one by one, while stderr tells how many of ``total`` are done and how long the rest will take."""
    yield from _bar(items, label, total) if sys.stderr.isatty() else _lines(items, label, total)


def _bar(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Left

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        Left(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield from progress.track(items, total=total, description=label)


def _lines(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """A line every few seconds and one at the end. An item counts as done when the next one is asked for."""
    start = last = time.monotonic()
    done = 0
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - last >= LINE_SECONDS and done < total:
            last = now
            left = _span((now - start) / done * (total - done))
            print(f"{label}: {done} of {total}, about {left} left", file=sys.stderr, flush=True)
    print(f"{label}: {done} of {total} in {_span(time.monotonic() - start)}", file=sys.stderr, flush=True)


def _span(seconds: float) -> str:
    """Seconds as a person reads them: ``9 s``, ``2 min 05 s``, ``1 h 02 min``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
