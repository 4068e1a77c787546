"""The occupational tables in memory: who does what, in the form of the O*NET database.

>>> from graphforge.seeds import DemoOccupations
>>> tables = DemoOccupations().load()
>>> tables.sector_name("13-2011.00")
'Business and Financial Operations'
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

# The major groups of the 2018 Standard Occupational Classification, by the first two characters of a code.
SECTORS: Mapping[str, str] = {
    "11": "Management",
    "13": "Business and Financial Operations",
    "15": "Computer and Mathematical",
    "17": "Architecture and Engineering",
    "19": "Life, Physical, and Social Science",
    "21": "Community and Social Service",
    "23": "Legal",
    "25": "Educational Instruction and Library",
    "27": "Arts, Design, Entertainment, Sports, and Media",
    "29": "Healthcare Practitioners and Technical",
    "31": "Healthcare Support",
    "33": "Protective Service",
    "35": "Food Preparation and Serving Related",
    "37": "Building and Grounds Cleaning and Maintenance",
    "39": "Personal Care and Service",
    "41": "Sales and Related",
    "43": "Office and Administrative Support",
    "45": "Farming, Fishing, and Forestry",
    "47": "Construction and Extraction",
    "49": "Installation, Maintenance, and Repair",
    "51": "Production",
    "53": "Transportation and Material Moving",
    "55": "Military Specific",
}


@dataclass(frozen=True, slots=True)
class Technology:
    """A piece of software or equipment that an occupation uses, and the commodity it belongs to."""

    example: str
    commodity: str


@dataclass(frozen=True, slots=True)
class Occupation:
    """An occupation. ``job_zone`` (1 to 5) is None where the source doesn't rate it.

    ``groups`` are (sector, sub-sector) where the source names its own; empty with an O*NET-SOC code, which tells them.
    """

    code: str
    title: str
    description: str
    job_zone: int | None = None
    technologies: tuple[Technology, ...] = ()
    groups: tuple[str, str] | None = None

    @property
    def sector(self) -> str:
        """The SOC major group, as two digits, or the source's own sector."""
        return self.groups[0] if self.groups else self.code[:2]

    @property
    def subsector(self) -> str:
        """The SOC minor group, as the first four characters of the code, or the source's own sub-sector."""
        return self.groups[1] if self.groups else self.code[:4]


@dataclass(frozen=True, slots=True)
class Task:
    """A task statement of one occupation. ``kind`` is Core or Supplemental, None where not rated."""

    id: str
    occupation: str
    text: str
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """A detailed work activity (DWA) and the intermediate one (IWA) above it."""

    id: str
    title: str
    iwa_id: str


@dataclass(frozen=True)
class OccupationTables:
    """The tables joined by their ids, each in the order of its file.

    ``links`` are the task-to-DWA rows as (task id, DWA id). Every id named in a row exists: the loader has
    checked it. ``sectors`` names the sectors that have more of a name than their code.

    ``lists_software`` is False where the source says nothing of software, for any occupation: an empty
    ``technologies`` then tells nothing. ``labelled``: a filter has told that all tasks are digital, so that no engine
    needs to tell it by their words. ``name`` is what the source calls itself, ``origin`` the file or folder read.
    """

    occupations: Mapping[str, Occupation]
    tasks: Mapping[str, Task]
    dwas: Mapping[str, Activity]
    iwas: Mapping[str, str]
    links: tuple[tuple[str, str], ...]
    alternate_titles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lists_software: bool = True
    labelled: bool = False
    sectors: Mapping[str, str] = field(default_factory=lambda: SECTORS)
    name: str = ""
    origin: Path | None = field(default=None, compare=False)
    dwas_of: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    tasks_of: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        dwas: dict[str, list[str]] = {task: [] for task in self.tasks}
        for task, dwa in self.links:
            dwas[task].append(dwa)
        tasks: dict[str, list[str]] = {code: [] for code in self.occupations}
        for task_id, statement in self.tasks.items():
            tasks[statement.occupation].append(task_id)
        object.__setattr__(self, "dwas_of", {task: tuple(ids) for task, ids in dwas.items()})
        object.__setattr__(self, "tasks_of", {code: tuple(ids) for code, ids in tasks.items()})

    def sector_name(self, code: str) -> str:
        """The name of an occupation's sector; empty where the sector has no other name than its own."""
        return self.sectors.get(self.occupations[code].sector, "")

    def pairs(self) -> set[tuple[str, str]]:
        """The distinct (occupation, DWA) pairs."""
        return {(self.tasks[task].occupation, dwa) for task, dwa in self.links}

    def only(self, tasks: Collection[str]) -> "OccupationTables":
        """The same tables with these tasks alone. Occupations that lose all of theirs go; those without any stay."""
        kept = {name: task for name, task in self.tasks.items() if name in tasks}
        working = {task.occupation for task in kept.values()}
        return replace(
            self,
            occupations={
                code: occupation
                for code, occupation in self.occupations.items()
                if code in working or not self.tasks_of[code]
            },
            tasks=kept,
            links=tuple(link for link in self.links if link[0] in kept),
        )
