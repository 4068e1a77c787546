"""What the tests of all verifiers of a run found, in rates."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from ..records import Record
from .traced import NumberTrace
from .verifier import TaskTests


class Tally(Record):
    """Tests of a kind, and how many of them failed: mutants that were not caught, harmless changes that cost."""

    tests: int
    failed: int


class Verification(Record):
    """The rates before anything was repaired or dropped.

    ``mutants`` of criteria and penalties, ``caught_share`` of them cost points on their own one; one that can't have a
    mutant counts as one that was not caught. ``harmless`` changes, ``costing_share`` of them cost any. ``by_check`` and
    ``by_change`` say it by kind. ``blind_share`` is the mean share of the criteria met without a file, ``blind_most``
    the largest. ``numbers`` of the criteria, and their shares.
    """

    tasks: int
    golden: dict[str, int]
    mutants: int
    caught: int
    caught_share: float | None
    harmless: int
    costing: int
    costing_share: float | None
    by_check: dict[str, Tally]
    by_change: dict[str, Tally]
    repairs: dict[str, int]
    untested: int
    blind_share: float | None
    blind_most: float | None
    inputs_most: float | None
    numbers: NumberTrace
    number_shares: dict[str, float]

    def figures(self) -> dict[str, float]:
        """The figures for the run's metrics."""
        values: dict[str, float | None] = {
            **{
                name: getattr(self, name)
                for name in ("mutants", "caught", "caught_share", "harmless", "costing")
            },
            **{
                name: getattr(self, name)
                for name in ("costing_share", "untested", "blind_share", "blind_most")
            },
            "inputs_most": self.inputs_most,
            **{f"repairs.{how}": float(count) for how, count in self.repairs.items()},
            **{f"numbers.{where}": share for where, share in self.number_shares.items()},
        }
        return {name: float(value) for name, value in values.items() if value is not None}


def gather(tests: Sequence[TaskTests]) -> Verification:
    """The rates over the tests of all tasks, also of those that were rejected."""
    mutants = [one for task in tests for one in task.mutants]
    changes = [one for task in tests for one in task.harmless]
    caught, costing = sum(one.caught for one in mutants), sum(bool(one.cost) for one in changes)
    blind = [task.blind_share for task in tests if task.blind_share is not None]
    inputs = [task.inputs_score for task in tests if task.inputs_score is not None]
    traces = [task.numbers for task in tests if task.numbers is not None]
    numbers = {where: sum(getattr(one, where) for one in traces) for where in NumberTrace.model_fields}
    whole = sum(numbers.values())
    return Verification(
        tasks=len(tests),
        golden=_sorted(task.golden or "none" for task in tests),
        mutants=len(mutants),
        caught=caught,
        caught_share=caught / len(mutants) if mutants else None,
        harmless=len(changes),
        costing=costing,
        costing_share=costing / len(changes) if changes else None,
        by_check=_tallies((one.check, not one.caught) for one in mutants),
        by_change=_tallies((one.kind, bool(one.cost)) for one in changes),
        repairs=_sorted(one.how for task in tests for one in task.repairs),
        untested=sum(len(task.untested) for task in tests),
        blind_share=math.fsum(blind) / len(blind) if blind else None,
        blind_most=max(blind, default=None),
        inputs_most=max(inputs, default=None),
        numbers=NumberTrace(**numbers),
        number_shares={where: count / whole for where, count in numbers.items()} if whole else {},
    )


def _sorted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _tallies(tests: Iterable[tuple[str, bool]]) -> dict[str, Tally]:
    kinds: dict[str, list[bool]] = {}
    for kind, failed in tests:
        kinds.setdefault(kind, []).append(failed)
    return {kind: Tally(tests=len(flags), failed=sum(flags)) for kind, flags in sorted(kinds.items())}
