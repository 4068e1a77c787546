"""The funnel and the coverage as a record (``data/funnel.json``)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..records import Admitted, Record, StageCount


class Coverage(Record):
    """What the admitted tasks cover: how many of each value, values in alphabetical order.

    ``sectors`` and ``cells`` are keyed by the two digits of the sector and its name; ``cells`` holds the
    patterns of each sector.
    """

    admitted: int
    occupations: int
    sectors: dict[str, int]
    patterns: dict[str, int]
    topics: dict[str, int]
    cells: dict[str, dict[str, int]]


class Funnel(Record):
    """The books of every stage, in the order of the line, and the coverage at its end."""

    stages: tuple[StageCount, ...]
    coverage: Coverage


def gather(stages: Sequence[StageCount], admitted: Iterable[Admitted], sectors: Mapping[str, str]) -> Funnel:
    """The funnel of a run. ``sectors`` maps the two digits of a sector to its name."""
    occupations: set[str] = set()
    by_sector: Counter[str] = Counter()
    by_pattern: Counter[str] = Counter()
    by_topic: Counter[str] = Counter()
    cells: dict[str, Counter[str]] = {}
    count = 0
    for one in admitted:
        spec = one.spec
        sector = f"{spec.sector} {sectors.get(spec.sector, '')}".strip()
        count += 1
        occupations.add(spec.occupation)
        by_sector[sector] += 1
        by_pattern[spec.pattern] += 1
        by_topic[spec.topic] += 1
        cells.setdefault(sector, Counter())[spec.pattern] += 1
    coverage = Coverage(
        admitted=count,
        occupations=len(occupations),
        sectors=_sorted(by_sector),
        patterns=_sorted(by_pattern),
        topics=_sorted(by_topic),
        cells={sector: _sorted(cells[sector]) for sector in sorted(cells)},
    )
    return Funnel(stages=tuple(stages), coverage=coverage)


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
