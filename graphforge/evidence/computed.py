"""What computation finds: equations between values at places of files, gathered into relations."""

from collections import Counter
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

    def tables(self) -> frozenset[tuple[str, str]]:
        """The tables that the relation is between, texts as one table of their file."""
        return frozenset(
            (place.file.sha256, place.table.id if place.table is not None else "")
            for one in self.equations
            for part in one.parts
            for place in part
        )

    def size(self) -> int:
        """How many places it takes."""
        return sum(len(part) for one in self.equations for part in one.parts)


def best(found: Sequence[Computed], most: int) -> list[Computed]:
    """The best few of each kind: no two tables more than twice, no two files for more than half, while others wait."""
    kept: dict[RelationKind, list[Computed]] = {}
    waiting: list[Computed] = []
    tables: Counter[tuple[object, ...]] = Counter()
    files: Counter[tuple[object, ...]] = Counter()
    for one in sorted(found, key=Computed.order):
        group = kept.setdefault(one.kind, [])
        between = (one.kind, frozenset(one.files()))
        within = (one.kind, one.tables())
        if len(group) < most and tables[within] < 2 and files[between] < max(1, most // 2):
            group.append(one)
            tables[within] += 1
            files[between] += 1
        else:
            waiting.append(one)
    for one in waiting:
        if len(kept[one.kind]) < most:
            kept[one.kind].append(one)
    return [one for group in kept.values() for one in sorted(group, key=Computed.order)]
