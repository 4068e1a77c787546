"""The occupational tables in memory: who does what, in the form of the O*NET database.

>>> from graphforge.seeds import DemoOccupations
>>> tables = DemoOccupations().load()
>>> tables.sector_name("13-2011.00")
'Business and Financial Operations'
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """An O*NET-SOC occupation. ``job_zone`` (1 to 5) is None where the release doesn't rate it."""

    code: str
    title: str
    description: str
    job_zone: int | None = None
    technologies: tuple[Technology, ...] = ()

    @property
    def sector(self) -> str:
        """The SOC major group, as two digits."""
        return self.code[:2]

    @property
    def subsector(self) -> str:
        """The SOC minor group, as the first four characters of the code."""
        return self.code[:4]


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
    checked it.
    """

    occupations: Mapping[str, Occupation]
    tasks: Mapping[str, Task]
    dwas: Mapping[str, Activity]
    iwas: Mapping[str, str]
    links: tuple[tuple[str, str], ...]
    alternate_titles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
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
        """The name of the SOC major group of an occupation code."""
        return SECTORS[code[:2]]

    def pairs(self) -> set[tuple[str, str]]:
        """The distinct (occupation, DWA) pairs."""
        return {(self.tasks[task].occupation, dwa) for task, dwa in self.links}
