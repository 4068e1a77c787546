"""What computation finds: equations between values at places of files, gathered into relations."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..records import Operation, RelationKind
from .lines import How, Place


@dataclass(frozen=True, eq=False)
class Equation:
    """A computation over parts. ``template`` names the parts ``{0}``, ``{1}`` …; a part of several places is their sum,
    or what ``how`` says of it.

    Without a template the parts only belong together (a reference).
    """

    kind: RelationKind
    operation: Operation
    parts: tuple[tuple[Place, ...], ...]
    template: str | None
    key: str = ""
    how: tuple[How, ...] = ()


@dataclass(frozen=True, eq=False)
class Computed:
    """A relation in the making. ``quality`` ranks those of a kind; ``why`` says in words what was found."""

    kind: RelationKind
    equations: tuple[Equation, ...]
    quality: float
    why: str

    def order(self) -> tuple[float, str, list[tuple[str, str]]]:
        """The best first, then by words and place: a stable order."""
        first = self.equations[0]
        places = [(part[0].file.name, part[0].locator.model_dump_json()) for part in first.parts if part]
        return (-self.quality, self.why, places)

    def files(self) -> set[str]:
        """The files that the relation is between."""
        return {place.file.sha256 for one in self.equations for part in one.parts for place in part}

    def size(self) -> int:
        """How many places it takes."""
        return sum(len(part) for one in self.equations for part in one.parts)


def best(found: Sequence[Computed], most: int) -> list[Computed]:
    """The best few of each kind."""
    kept: dict[RelationKind, list[Computed]] = {}
    for one in sorted(found, key=Computed.order):
        group = kept.setdefault(one.kind, [])
        if len(group) < most:
            group.append(one)
    return [one for group in kept.values() for one in group]
