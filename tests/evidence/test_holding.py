"""What holds a pattern up is what its graph is built from, of the very columns."""

import pytest

from graphforge.evidence import holds
from graphforge.evidence.build import RELATIONS_OF_PATTERN, column_of
from graphforge.evidence.find import find, measures_of
from tests.made_case import CASES, DOCUMENTS, LIMITS, workspace

TEXTS = frozenset(("docx", "pdf", "md", "txt", "html"))


def parts(case):
    made = workspace(case, **CASES[case])
    text = next((file for file in made.with_role("core", "supporting") if file.family in TEXTS), None)
    core = [file for file in made.with_role("core") if file is not text]
    return made.seed.pattern, made, core, text


def columns(case):
    """What the graph would be built on: the best finding's columns."""
    pattern, made, _, _ = parts(case)
    found = find(made, DOCUMENTS, LIMITS)
    kind = case.partition(".")[2] or RELATIONS_OF_PATTERN[pattern][0]
    offers = {**found.findings, "quote": found.quoted, "threshold": found.bounds}
    return tuple(column_of(measure) for measure in measures_of(offers[kind][0]))


@pytest.mark.parametrize("case", CASES)
def test_a_pattern_is_held_up_by_the_columns_of_its_relation(case):
    pattern, _, core, text = parts(case)
    assert holds(pattern, core, text, columns(case), DOCUMENTS, LIMITS)


@pytest.mark.parametrize("case", CASES)
def test_other_columns_hold_nothing_up(case):
    pattern, _, core, text = parts(case)
    elsewhere = tuple((sha256, table, column + 90) for sha256, table, column in columns(case))
    assert not holds(pattern, core, text, elsewhere, DOCUMENTS, LIMITS)


def test_a_pattern_that_is_left_to_a_model_is_not_held_up():
    _, _, core, text = parts("reconciliation")
    assert not holds("policy_design", core, text, columns("reconciliation"), DOCUMENTS, LIMITS)
