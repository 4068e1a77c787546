"""One of the candidates of a task."""

from dataclasses import dataclass

from .checks import Deliverables


@dataclass(frozen=True)
class PoolMember:
    """A candidate: its name and parsed files. ``golden`` is read only to say whether a pick was right."""

    candidate: str
    deliverables: Deliverables
    golden: bool = False
