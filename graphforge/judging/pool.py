"""The candidates of one task, and how one of them is picked without a hint which is the golden one."""

import random
from collections.abc import Sequence

from ..records import Record, TaskSpec, Verdict, stable_hash
from .grader import Grader
from .joint import JointGrader
from .member import PoolMember


class Pick(Record):
    """What a judge picked. ``scores`` by candidate; empty for a judge that never grades.

    ``chosen`` and ``correct`` are None where a candidate could not be judged: such a pool has no ranking.
    ``correct`` is None as well where the pool holds no golden candidate.
    """

    task: str
    judge: str
    chosen: str | None
    correct: bool | None
    scores: dict[str, float | None]
    verdicts: tuple[Verdict, ...] = ()


def arrange(task: str, size: int) -> list[int]:
    """The members' indices in the order in which a judge is shown them: a shuffle by the task's id alone."""
    order = list(range(size))
    random.Random(stable_hash("arrange", task, size)).shuffle(order)
    return order


def rank(judge: str, spec: TaskSpec, shown: TaskSpec, pool: Sequence[PoolMember], grader: Grader) -> Pick:
    """Grade the members jointly against ``shown`` and pick the highest score.

    The grader sees a member's shown position instead of its name; equal scores are settled by a hash of the
    task and that position. So neither the name nor the place in ``pool`` of the golden candidate decides a tie.
    """
    order = arrange(spec.id, len(pool))
    verdicts = [
        grader.grade(shown, pool[index].deliverables, judge, f"candidate-{position + 1}")
        for position, index in enumerate(order)
    ]
    return _best(judge, spec, pool, order, verdicts)


async def rank_jointly(
    judge: str, spec: TaskSpec, shown: TaskSpec, pool: Sequence[PoolMember], grader: JointGrader
) -> Pick:
    """As :func:`rank`, with a grader that sees all members at once: by position, and without the golden mark."""
    order = arrange(spec.id, len(pool))
    anonymous = [
        PoolMember(f"candidate-{position + 1}", pool[index].deliverables)
        for position, index in enumerate(order)
    ]
    return _best(judge, spec, pool, order, await grader.grade_pool(shown, anonymous, judge))


def _best(
    judge: str, spec: TaskSpec, pool: Sequence[PoolMember], order: Sequence[int], verdicts: Sequence[Verdict]
) -> Pick:
    """The highest score of verdicts that are in the shown order; none where one of them has no score."""
    scored = [(verdict.score, position) for position, verdict in enumerate(verdicts)]
    judged = [(score, position) for score, position in scored if score is not None]
    chosen: int | None = None
    if judged and len(judged) == len(pool):
        best = max(score for score, _ in judged)
        tied = [position for score, position in judged if score == best]
        chosen = order[min(tied, key=lambda position: stable_hash("tie", spec.id, position))]
    named = {
        index: verdict.model_copy(update={"candidate": pool[index].candidate})
        for index, verdict in zip(order, verdicts, strict=True)
    }
    return settle(judge, spec, pool, chosen, tuple(named[index] for index in range(len(pool))))


def settle(
    judge: str, spec: TaskSpec, pool: Sequence[PoolMember], chosen: int | None, verdicts: tuple[Verdict, ...]
) -> Pick:
    """The pick as a record, compared with the golden candidate."""
    known = chosen is not None and any(member.golden for member in pool)
    return Pick(
        task=spec.id,
        judge=judge,
        chosen=None if chosen is None else pool[chosen].candidate,
        correct=pool[chosen].golden if chosen is not None and known else None,
        scores={verdict.candidate: verdict.score for verdict in verdicts},
        verdicts=verdicts,
    )
