"""What every judge variant is: a name, and a pick from a pool."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from ..records import TaskSpec
from .grader import Grader
from .joint import JointGrader
from .member import PoolMember
from .pool import Pick


class Judge(Protocol):
    """A judge variant. ``grades`` is false for one that never looks at the deliverables."""

    name: ClassVar[str]
    grades: ClassVar[bool]

    def pick(self, spec: TaskSpec, pool: Sequence[PoolMember], grader: Grader) -> Pick: ...

    async def pick_jointly(self, spec: TaskSpec, pool: Sequence[PoolMember], grader: JointGrader) -> Pick: ...
