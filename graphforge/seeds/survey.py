"""What occupational tables hold, counted."""

from dataclasses import asdict, dataclass

from .tables import OccupationTables


@dataclass(frozen=True, slots=True)
class Survey:
    """Counts over tables. Sectors, sub-sectors and ``working`` are of the occupations that have a task."""

    occupations: int
    working: int
    tasks: int
    unmapped: int
    dwas: int
    dwas_used: int
    links: int
    pairs: int
    sectors: int
    subsectors: int

    @classmethod
    def of(cls, tables: OccupationTables) -> "Survey":
        """Count."""
        working = [tables.occupations[code] for code, tasks in tables.tasks_of.items() if tasks]
        return cls(
            occupations=len(tables.occupations),
            working=len(working),
            tasks=len(tables.tasks),
            unmapped=sum(not dwas for dwas in tables.dwas_of.values()),
            dwas=len(tables.dwas),
            dwas_used=len({dwa for _, dwa in tables.links}),
            links=len(tables.links),
            pairs=len(tables.pairs()),
            sectors=len({occupation.sector for occupation in working}),
            subsectors=len({occupation.subsector for occupation in working}),
        )

    def metrics(self, prefix: str) -> dict[str, float]:
        """The counts by dotted name."""
        return {f"{prefix}.{name}": float(value) for name, value in asdict(self).items()}

    def whole(self) -> str:
        """What a source holds, as a line."""
        return (
            f"{self.occupations:,} occupations ({self.working:,} with tasks) in {self.sectors} sectors and "
            f"{self.subsectors} sub-sectors; {self.tasks:,} tasks ({self.unmapped:,} mapped to no activity); "
            f"{self.dwas:,} activities ({self.dwas_used:,} used), {self.links:,} links, {self.pairs:,} pairs of "
            "occupation and activity"
        )

    def left(self) -> str:
        """What a filter leaves, as a line."""
        return (
            f"{self.working:,} occupations in {self.sectors} sectors and {self.subsectors} sub-sectors, "
            f"{self.tasks:,} tasks, {self.dwas_used:,} activities, {self.pairs:,} pairs"
        )
