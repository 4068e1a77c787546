"""A file of labels, a task a line, held against the tables: what fits, what is gone, what was worded anew."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graphforge.errors import InputError

from . import onet_taxonomy
from .delimited import delimited_rows
from .digital import task_key
from .tables import OccupationTables


@dataclass(frozen=True)
class Labels:
    """``of`` maps the tasks of the tables that have a line to its values."""

    of: Mapping[str, Mapping[str, str]]
    lines: int
    gone: int
    changed: int | None
    unlabelled: int

    def note(self, name: str) -> str:
        """How file and tables fit."""
        worded = "" if self.changed is None else f", {self.changed:,} for tasks worded otherwise there"
        return (
            f"digital={name}: {self.lines:,} labels, {self.gone:,} for tasks that the source doesn't have{worded}; "
            f"{self.unlabelled:,} tasks of the source have no label"
        )


def read_labels(
    path: Path,
    tables: OccupationTables,
    columns: Mapping[str, str | None],
    key: str,
    delimiter: str | None,
    missing: str,
) -> Labels:
    """The labels of a csv or tsv whose ``columns`` hold "id" and, where the file has them, "occupation" and "text".

    Labels of tasks that the tables don't have are counted and left; those of tasks that are worded otherwise now are
    counted and kept. InputError for a task that occurs twice, and for O*NET-SOC codes of another taxonomy than that of
    the tables.
    """
    of: dict[str, Mapping[str, str]] = {}
    seen: set[str] = set()
    gone = changed = 0
    # Tables of the user's own may have any codes.
    soc = all(occupation.groups is None for occupation in tables.occupations.values())
    for where, row in delimited_rows(path, columns, key, delimiter, missing):
        task = task_key(row["id"])
        if not task:
            raise InputError(f"{where}: the task id is empty", "Mend the line")
        if task in seen:
            raise InputError(f"{where}: the task id {task} occurs twice", "Keep one label a task")
        seen.add(task)
        if soc and row.get("occupation") and (wrong := onet_taxonomy.fault(row["occupation"])) is not None:
            raise InputError(f"{where}: {wrong[0]}", wrong[1])
        if task not in tables.tasks:
            gone += 1
            continue
        changed += bool(row.get("text")) and row["text"].split() != tables.tasks[task].text.split()
        of[task] = row
    unlabelled = len(tables.tasks) - len(of)
    return Labels(of, len(seen), gone, changed if columns.get("text") else None, unlabelled)
