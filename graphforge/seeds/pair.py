"""An occupation and one of its activities: what evidence is retrieved for."""

from dataclasses import dataclass

from graphforge.records import Passage

from .tables import Task


@dataclass(frozen=True)
class Pair:
    """An occupation, an activity, and the tasks under it that are asked about."""

    occupation: str
    dwa: str
    tasks: tuple[str, ...]

    @property
    def id(self) -> str:
        """The pair's name in the books."""
        return f"{self.occupation}:{self.dwa}"

    @property
    def sources(self) -> frozenset[str]:
        """The sources of the passages that state the pair's own tasks."""
        return frozenset(task_source(task) for task in self.tasks)


def task_source(task: str) -> str:
    """The source of the passage that states a task."""
    return f"Task Statements:{task}"


def task_passage(task: Task) -> Passage:
    """A task statement as evidence."""
    return Passage(source=task_source(task.id), text=task.text)
