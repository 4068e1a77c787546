"""An admitted trajectory: a task, its execution and the verdict that let it in."""

from .base import Record
from .task import TaskSpec
from .trajectory import Trajectory
from .verdict import Verdict


class Admitted(Record):
    """What export reads: everything of one admitted task."""

    spec: TaskSpec
    trajectory: Trajectory
    verdict: Verdict
