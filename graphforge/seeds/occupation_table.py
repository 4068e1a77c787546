"""Occupations from one table of your own: a line a task, in whatever classification you keep."""

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from graphforge.errors import InputError
from graphforge.records import normalize, stable_hash

from .delimited import delimited_rows
from .tables import Activity, Occupation, OccupationTables, Task

_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


class Columns(BaseModel):
    """What the file calls its columns. None: it has no such column.

    Args:
        occupation: code of the occupation, such as an ESCO or ISCO code.
        title: of the occupation.
        sector: what balance and reports count as a sector.
        task: the task statement. Empty: an occupation without tasks.
        activity: the controlled name of what the task is an instance of (DWA). Empty: the task is mapped to none.
        subsector: None: the sector.
        task_id: None: made from occupation and statement.
        description: of the occupation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    occupation: str
    title: str
    sector: str
    task: str
    activity: str
    subsector: str | None = None
    task_id: str | None = None
    description: str | None = None


class OccupationTable(BaseModel):
    """``file`` is a csv or tsv with a header. A task with several activities has a line for each.

    Such a table has no software and no broader activities: the rules engine then can't tell "no_software", and an
    activity stands for its own group.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: Path
    columns: Columns
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)

    def load(self) -> OccupationTables:
        """The tables (InputError names the first line that doesn't fit)."""
        occupations: dict[str, Occupation] = {}
        tasks: dict[str, Task] = {}
        dwas: dict[str, Activity] = {}
        links: dict[tuple[str, str], None] = {}
        rows = delimited_rows(
            self.file,
            self.columns.model_dump(),
            "occupations.columns",
            self.delimiter,
            "Set occupations.file to your table",
        )
        for where, row in rows:
            occupation = _occupation(where, row)
            if occupations.setdefault(occupation.code, occupation) != occupation:
                raise _bad(where, f"the occupation {occupation.code} stood above with another title or group")
            if not row["task"]:
                continue
            task = _task(where, row)
            if tasks.setdefault(task.id, task) != task:
                raise _bad(where, f"the task id {task.id} occurs twice, for different tasks")
            if not row["activity"]:
                continue
            activity = stable_hash(normalize(row["activity"]))[:10]
            dwas.setdefault(activity, Activity(activity, row["activity"], activity))
            if (task.id, activity) in links:
                raise _bad(where, f"the task {task.id} is mapped to '{row['activity']}' twice")
            links[task.id, activity] = None
        return OccupationTables(
            occupations=occupations,
            tasks=tasks,
            dwas=dwas,
            iwas={name: activity.title for name, activity in dwas.items()},
            links=tuple(links),
            lists_software=False,
            sectors={},
            name=self.file.name,
            origin=self.file,
        )


def _occupation(where: str, row: dict[str, str]) -> Occupation:
    for column in ("occupation", "title", "sector"):
        if not row[column]:
            raise _bad(where, f"the {column} is empty")
    if not _CODE.fullmatch(row["occupation"]):
        raise _bad(
            where, f"'{row['occupation']}' is no code of letters, digits and . _ - (up to 40), such as 2411.1"
        )
    groups = (row["sector"], row["subsector"] or row["sector"])
    return Occupation(row["occupation"], row["title"], row["description"], groups=groups)


def _task(where: str, row: dict[str, str]) -> Task:
    name = row["task_id"] or stable_hash(row["occupation"], normalize(row["task"]))[:10]
    if not _CODE.fullmatch(name):
        raise _bad(where, f"'{name}' is no task id of letters, digits and . _ - (up to 40)")
    return Task(name, row["occupation"], row["task"])


def _bad(where: str, what: str) -> InputError:
    return InputError(f"{where}: {what}", "Mend the line")
