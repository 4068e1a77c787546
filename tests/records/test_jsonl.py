"""JSONL: whole or not at all, and a bad line is named."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphforge.errors import InputError, RecordError, StorageError
from graphforge.records import (
    CellLocator,
    Locator,
    PageLocator,
    Record,
    Rejection,
    StageCount,
    column_letters,
    read_jsonl,
    write_bytes,
    write_jsonl,
)

REJECTIONS = st.lists(
    st.builds(
        Rejection,
        id=st.text(min_size=1, max_size=20),
        stage=st.just("seeds"),
        reason=st.sampled_from(["a", "b_c", "d1"]),
        detail=st.text(max_size=40),
    ),
    max_size=20,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(REJECTIONS)
def test_what_is_written_is_read(tmp_path, rejections):
    path = tmp_path / "out.jsonl"
    assert write_jsonl(path, rejections) == len(rejections)
    assert list(read_jsonl(path, Rejection)) == rejections


def test_a_bad_line_is_named(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(
        '{"id":"a","stage":"s","reason":"ok","detail":""}\n{"id":"b","stage":"s","reason":"Not OK"}\n'
    )
    with pytest.raises(RecordError, match=r"in\.jsonl line 2 is no valid Rejection: reason"):
        list(read_jsonl(path, Rejection))


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        list(read_jsonl(tmp_path / "none.jsonl", Rejection))


def test_a_failing_source_leaves_the_old_file_and_no_partial_one(tmp_path):
    path = tmp_path / "out.jsonl"
    write_jsonl(path, [Rejection(id="old", stage="s", reason="r")])

    def failing():
        yield Rejection(id="new", stage="s", reason="r")
        raise RuntimeError("the source failed")

    with pytest.raises(RuntimeError):
        write_jsonl(path, failing())
    assert [one.id for one in read_jsonl(path, Rejection)] == ["old"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_clear_line(tmp_path):
    # /dev/full refuses every write with "no space left": the partial file is a link to it.
    target = tmp_path / "out.bin"
    (tmp_path / ".out.bin.partial").symlink_to("/dev/full")
    with pytest.raises(StorageError, match="disk is full"):
        write_bytes(target, b"x" * 10_000)
    assert not target.exists()


@given(st.integers(0, 50), st.lists(st.sampled_from(["a", "b", "c"]), max_size=20))
def test_books_that_do_not_add_up_are_refused(outputs, reasons):
    rejections = [Rejection(id=str(at), stage="s", reason=reason) for at, reason in enumerate(reasons)]
    count = StageCount.of("s", outputs + len(reasons), outputs, rejections)
    assert sum(count.rejected.values()) + count.outputs == count.inputs
    with pytest.raises(ValueError, match="inputs but"):
        StageCount.of("s", outputs + len(reasons) + 1, outputs, rejections)


class Place(Record):
    at: Locator


@given(st.integers(0, 2**20), st.integers(0, 16383), st.text(max_size=10))
def test_locators_survive_the_trip(row, column, sheet):
    place = Place(at=CellLocator(sheet=sheet, row=row, column=column))
    assert Place.model_validate_json(place.line()) == place


def test_locators_of_different_kinds_stay_apart():
    place = Place(at=PageLocator(page=2, box=(1.0, 2.0, 3.5, 4.0)))
    assert Place.model_validate_json(place.line()).at.show() == "page 3 box (1, 2, 3.5, 4)"


@given(st.integers(0, 18_277))
def test_column_letters_count_as_spreadsheets_do(index):
    from openpyxl.utils import get_column_letter

    assert column_letters(index) == get_column_letter(index + 1)
