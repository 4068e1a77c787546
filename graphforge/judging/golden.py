"""Right deliverables for a task that nobody has a plan for."""

from collections.abc import Callable, Mapping
from pathlib import Path

from ..records import Document, TaskSpec
from .construct import constructed
from .verifier import Golden, grade


def without_plan(
    spec: TaskSpec,
    handed: Mapping[str, Path],
    bar: float,
    parse: Callable[[Path], Document | None],
    folder: Path,
) -> Golden | None:
    """The pilot's deliverables where they exceed the bar, else some built from what the checks expect; None where
    neither exceeds it."""
    if _reaches(spec, handed, bar, parse):
        return Golden("pilot", handed)
    folder.mkdir(parents=True, exist_ok=True)
    made = constructed(spec, folder)
    if isinstance(made, str) or not _reaches(spec, made, bar, parse):
        return None
    return Golden("constructed", made)


def _reaches(
    spec: TaskSpec, files: Mapping[str, Path], bar: float, parse: Callable[[Path], Document | None]
) -> bool:
    verdict = grade(spec, {name: parse(path) for name, path in files.items()})
    return verdict is not None and verdict.score is not None and verdict.score > bar
