"""The documents of a large library, each read from the disk when it is asked for; the last ones stay in memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from ..records import Document

# Documents held in memory. A library that is smaller is read once; a larger one costs time instead of memory.
_HELD = 512


class LazyDocuments(Mapping[str, Document]):
    """Documents by sha256, in the order given; ``read`` gets one that isn't in memory."""

    def __init__(self, names: Sequence[str], read: Callable[[str], Document]):
        self._names = dict.fromkeys(names)
        self._read = lru_cache(maxsize=_HELD)(read)

    def __getitem__(self, sha256: str) -> Document:
        if sha256 not in self._names:
            raise KeyError(sha256)
        return self._read(sha256)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
