"""What every way to retrieve the evidence of a pair offers (paper section 3.1, config group ``retrieval``).

>>> from graphforge.seeds import Bm25Retrieval, DemoOccupations, Pair
>>> found = Bm25Retrieval(top=8).open(DemoOccupations().load())
"""

from typing import Protocol

from graphforge.records import Passage

from .pair import Pair
from .tables import OccupationTables


class Found(Protocol):
    """A retriever at work on the tables."""

    def of(self, pair: Pair) -> list[Passage]:
        """The passages that are evidence of a pair, best first."""
        ...


class Retrieval(Protocol):
    """A retriever's settings."""

    def open(self, tables: OccupationTables) -> Found:
        """Make ready; InputError where something that the settings name can't be had."""
        ...
