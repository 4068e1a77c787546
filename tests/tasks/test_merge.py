"""Merging patches: what a patch names changes, everything else stays byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.errors import RecordError
from graphforge.records import Patch, statement_hash
from graphforge.tasks import merge
from tests.tasks.test_compile import compiled

SPEC = compiled("reconciliation")


@given(st.sets(st.sampled_from([item.id for item in SPEC.criteria])), st.text(min_size=1, max_size=40))
def test_only_named_components_change(chosen, words):
    changed = tuple(
        item.model_copy(update={"requirement": words}) for item in SPEC.criteria if item.id in chosen
    )
    revised = merge(SPEC, Patch(task=SPEC.id, criteria=changed))
    assert revised.statement == SPEC.statement
    assert [item.id for item in revised.criteria] == [item.id for item in SPEC.criteria]
    for before, after in zip(SPEC.criteria, revised.criteria, strict=True):
        if before.id in chosen:
            assert after.requirement == words
        else:
            assert after.line() == before.line()
    for name in ("deliverables", "penalties", "solution", "files", "pattern"):
        assert getattr(revised, name) == getattr(SPEC, name)


def test_an_empty_patch_changes_nothing():
    assert merge(SPEC, Patch(task=SPEC.id)).line() == SPEC.line()
    assert Patch(task=SPEC.id).empty()


@pytest.mark.parametrize(
    "patch",
    [
        Patch(task="another"),
        Patch(task=SPEC.id, drop=("C99",)),
        Patch(task=SPEC.id, drop=("C1",)),
        Patch(task=SPEC.id, criteria=(SPEC.criteria[0].model_copy(update={"weight": 0.9}),)),
        Patch(task=SPEC.id, criteria=(SPEC.criteria[0].model_copy(update={"deliverable": "D9"}),)),
    ],
)
def test_a_patch_that_leaves_nothing_valid_is_refused(patch):
    with pytest.raises(RecordError):
        merge(SPEC, patch)


@given(st.text(max_size=200), st.sampled_from([" ", "\n", "\t  "]))
def test_the_statement_hash_forgets_space_and_case_only(text, space):
    assert statement_hash(text) == statement_hash(f"{space}{text}{space}")
    assert statement_hash(text + " x") != statement_hash(text + " y")


def test_the_statement_hash_minds_every_word():
    assert statement_hash("Total of 12") != statement_hash("Total of 13")
    assert statement_hash("Total  of\n12") == statement_hash("total OF 12")
