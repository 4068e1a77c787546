"""What a pattern needs of a relation beside its kind: the same parts of a whole aren't right for every work on them."""

import math
import re

from ..records import ExecutionPattern, close, normalize, receives
from .draft import Evidence
from .measures import PERIOD_WORDS, Measure
from .relations import Finding, stated_total

_TO_CLASSIFY = 8
_TOTALLED = frozenset({"stakeholder_communication", "quantitative_modeling"})
_YEAR = re.compile(r"(?:19|20)\d\d")
# Words that say of a measure neither what is counted nor what is paid.
_EMPTY = frozenset(
    """total totals number numbers count counts value values amount amounts figure figures current actual ended ending
    class code data table item sum other estimate estimated""".split()
)
_MOST_CODED = 0.1


def suits(pattern: ExecutionPattern, one: Evidence) -> bool:
    """Whether a relation of the right kind is also right for the pattern.

    An allocation follows a count or amount by places or bodies that may be given something, one of which has the
    largest figure: it takes what rounding leaves over. Classes by cumulative share need some rows, and no time series.
    A letter and a model state totals, so that a table that goes on over the page is none for them.
    What goes out to people who won't see the files needs a measure and rows that are called by words.
    """
    if not isinstance(one, Finding):
        return True
    if pattern in _TOTALLED and not all(_is_whole(part) for part in one.measures):
        return False
    if pattern == "stakeholder_communication":
        return all(_in_words(measure) for measure in one.measures)
    if one.kind != "share":
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


def _is_whole(measure: Measure) -> bool:
    """Whether the rows are all there are, as far as pages and a stated total tell: the total of a table over several
    pages stands on the last one."""
    if measure.document.is_part(measure.table):
        return False
    stated = stated_total(measure) if measure.additive else None
    return stated is None or close(stated, math.fsum(measure.values()), relative=1e-3)


def _in_words(measure: Measure) -> bool:
    """Whether header and row names are words that people outside understand: "Employment", and not "class_100"."""
    told = PERIOD_WORDS.sub(" ", normalize(measure.name))
    words = [word for word in told.split() if len(word) > 3 and word.isalpha() and word not in _EMPTY]
    raw = PERIOD_WORDS.sub(" ", measure.name.casefold())
    names = [measure.table.grid[row][measure.table.key or 0] for row in measure.rows.values()]
    coded = sum(_is_code(str(name)) for name in names)
    return bool(words) and "_" not in raw and not re.search(r"\d", raw) and coded <= _MOST_CODED * len(names)


def _is_code(name: str) -> bool:
    """Whether a row name is a code: "WAGE_10", "birt", "CGNS"; two capitals are a state, and a year is a year."""
    bare = name.strip()
    if re.fullmatch(r"[A-Z]{2}|(?:19|20)\d\d", bare):
        return False
    return "_" in bare or (" " not in bare and bare in {bare.upper(), bare.lower()})
