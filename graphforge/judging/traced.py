"""Where the numbers of a rubric come from, as Agent-R2 traces them (appendix E.5)."""

import bisect
from collections.abc import Iterable, Sequence

from pydantic import Field

from ..records import ColumnValues, Criterion, Document, Record, TaskSpec, TextNumber, TotalCell
from .guard import all_numbers, numeric
from .prose import numbers


class NumberTrace(Record):
    """Distinct numbers of each criterion: in its words, and the values that its checks expect.

    ``instruction``: the request states it; ``attachments``: only an input file does; ``computed``: neither does.
    """

    instruction: int = Field(ge=0)
    attachments: int = Field(ge=0)
    computed: int = Field(ge=0)


def traced(spec: TaskSpec, inputs: Sequence[Document]) -> NumberTrace:
    """Trace every number of the criteria; penalties name what must not be there and are left out."""
    told = _Known(value for one in numbers(spec.public_view().request) for value in one.values)
    held = _Known(value for document in inputs for value in all_numbers(document))
    counts = {"instruction": 0, "attachments": 0, "computed": 0}
    for criterion in spec.criteria:
        for value in sorted(set(_of(criterion))):
            where = "instruction" if value in told else "attachments" if value in held else "computed"
            counts[where] += 1
    return NumberTrace(**counts)


def _of(criterion: Criterion) -> Iterable[float]:
    """The numbers of a criterion, to twelve digits. Names of files and rows are no numbers of it."""
    said = f"{criterion.requirement}\n{criterion.expected or ''}"
    found = [value for one in numbers(said, words=False) for value in one.values[:1]]
    for check in criterion.checks:
        if isinstance(check, ColumnValues):
            found += [float(value) for value in check.values.values() if not isinstance(value, str)]
        elif isinstance(check, TotalCell | TextNumber) and check.value is not None:
            found.append(check.value)
    return (float(f"{value:.12g}") for value in found if numeric(value))


class _Known:
    """Numbers to look others up in, equal within a millionth."""

    def __init__(self, values: Iterable[float]):
        self._sorted = sorted(set(values))

    def __contains__(self, value: float) -> bool:
        room = 1e-6 * abs(value)
        place = bisect.bisect_left(self._sorted, value - room)
        return place < len(self._sorted) and self._sorted[place] <= value + room
