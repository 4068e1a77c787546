"""What a pattern needs of a relation beside its kind: the same parts of a whole aren't right for every work on them."""

import re

from ..records import ExecutionPattern, receives
from .draft import Evidence
from .relations import Finding

_TO_CLASSIFY = 8
_YEAR = re.compile(r"(?:19|20)\d\d")


def suits(pattern: ExecutionPattern, one: Evidence) -> bool:
    """Whether a relation of the right kind is also right for the pattern.

    An allocation follows a count or amount by places or bodies that may be given something, one of which has the
    largest figure: it takes what rounding leaves over. Classes by cumulative share need some rows, and no time series.
    """
    if not isinstance(one, Finding) or one.kind != "share":
        return True
    (measure,) = one.measures
    if pattern == "budgeting_and_allocation":
        key = measure.table.key
        values = measure.values()
        return (
            key is not None
            and receives(measure.table.columns[key].name)
            and measure.countable
            and values.count(max(values)) == 1
        )
    if pattern == "classification_and_coding":
        return len(one.keys) >= _TO_CLASSIFY and not all(_YEAR.search(key) for key in one.keys)
    return True
