"""What a digital filter leaves of the occupational tables, and what it says of the rest (paper section 3.1).

::

    left = config.digital.apply(tables)
    left.tables       # the tasks that count as digital, and the occupations that have some
    left.rejections   # a task a line: "not_digital", with the filter and why
    left.notes        # lines for whoever runs it
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from graphforge.errors import InputError
from graphforge.records import Rejection

from .tables import OccupationTables


@dataclass(frozen=True)
class Digital:
    """The outcome of a filter. Tables and rejections add up to the tables it was given."""

    tables: OccupationTables
    rejections: tuple[Rejection, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()


def task_key(text: str) -> str:
    """A task id as the tables write it: what a spreadsheet made of 8823 is "8823.0"."""
    return re.sub(r"^(\d+)\.0+$", r"\1", text)


def split(
    tables: OccupationTables,
    against: Mapping[str, str],
    name: str,
    decides: bool,
    notes: tuple[str, ...],
    source: Path,
) -> Digital:
    """Leave out the tasks of ``against`` (task id to why). InputError where that leaves no task at all.

    ``decides``: what is left counts as digital, whatever the words of a statement make an engine think.
    """
    kept = replace(tables.only([task for task in tables.tasks if task not in against]), labelled=decides)
    if not kept.tasks:
        whys = sorted({why.split(":")[0] for why in against.values()})
        raise InputError(
            f"digital={name} leaves none of {len(tables.tasks):,} tasks ({'; '.join(whys[:3])})",
            f"See that {source} labels the tasks of this source, widen the filter, or set digital=none",
        )
    rejections = tuple(
        Rejection(
            id=f"{task.occupation}:{task.id}",
            stage="seeds",
            reason="not_digital",
            detail=f"digital={name}: {against[task.id]}: {task.text}",
        )
        for task in tables.tasks.values()
        if task.id in against
    )
    return Digital(kept, rejections, notes, (source,))
