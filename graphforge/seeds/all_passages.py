"""No retrieval: the passages that the release itself maps to a pair, all of them, in a fixed order."""

from pydantic import BaseModel, ConfigDict

from graphforge.records import Passage

from .pair import Pair, task_passage
from .software import OFFICE
from .tables import OccupationTables


class AllPassages(BaseModel):
    """The pair's tasks, the activity and the one above it, what the occupation is, and its office software."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def open(self, tables: OccupationTables) -> "MappedPassages":
        """Nothing has to be made ready."""
        return MappedPassages(tables)


class MappedPassages:
    """The evidence by the release's own relations."""

    def __init__(self, tables: OccupationTables):
        self._tables = tables

    def of(self, pair: Pair) -> list[Passage]:
        """The tasks first, then the activities and what the occupation works with."""
        tables = self._tables
        occupation, activity = tables.occupations[pair.occupation], tables.dwas[pair.dwa]
        found = [task_passage(tables.tasks[task]) for task in pair.tasks]
        found.append(Passage(source=f"DWA Reference:{pair.dwa}", text=activity.title))
        found.append(Passage(source=f"IWA Reference:{activity.iwa_id}", text=tables.iwas[activity.iwa_id]))
        if occupation.description.strip():
            found.append(Passage(source=f"Occupation Data:{occupation.code}", text=occupation.description))
        first: dict[str, str] = {}
        for technology in occupation.technologies:
            if technology.commodity in OFFICE:
                first.setdefault(technology.commodity, technology.example)
        source = f"Technology Skills:{occupation.code}"
        found += [
            Passage(source=source, text=f"{name}: {example}") for name, example in sorted(first.items())
        ]
        return found
