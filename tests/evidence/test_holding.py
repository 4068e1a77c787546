"""What holds a pattern up is what its graph is built from, of the very columns."""

import pytest

from graphforge.evidence import holds
from graphforge.evidence.build import RELATION_OF_PATTERN, column_of
from graphforge.evidence.find import find, measures_of
from tests.made_case import CASES, DOCUMENTS, LIMITS, workspace

TEXTS = frozenset(("docx", "pdf", "md", "txt", "html"))


def parts(pattern):
    made = workspace(pattern, **CASES[pattern])
    text = next((file for file in made.with_role("core", "supporting") if file.family in TEXTS), None)
    core = [file for file in made.with_role("core") if file is not text]
    return made, core, text


def columns(pattern):
    """What the graph would be built on: the best finding's columns."""
    made, _, _ = parts(pattern)
    found = find(made, DOCUMENTS, LIMITS)
    kind = RELATION_OF_PATTERN[pattern]
    if kind == "quote":
        best = found.quoted[0]
    elif kind == "threshold":
        best = found.bounds[0]
    else:
        best = found.findings[kind][0]
    return tuple(column_of(measure) for measure in measures_of(best))


@pytest.mark.parametrize("pattern", CASES)
def test_a_pattern_is_held_up_by_the_columns_of_its_relation(pattern):
    _, core, text = parts(pattern)
    assert holds(pattern, core, text, columns(pattern), DOCUMENTS, LIMITS)


@pytest.mark.parametrize("pattern", CASES)
def test_other_columns_hold_nothing_up(pattern):
    _, core, text = parts(pattern)
    elsewhere = tuple((sha256, table, column + 90) for sha256, table, column in columns(pattern))
    assert not holds(pattern, core, text, elsewhere, DOCUMENTS, LIMITS)


def test_a_pattern_that_is_left_to_a_model_is_not_held_up():
    _, core, text = parts("reconciliation")
    assert not holds("policy_design", core, text, columns("reconciliation"), DOCUMENTS, LIMITS)
