"""Spoiled copies: each is wrong in what it names, right in the rest, and the golden files stay as they are."""

import pytest
from golden_case import (
    AFTER,
    BEFORE,
    BOOK,
    CHANGE,
    CONFUSER,
    DATA,
    HARBOURS,
    MEMO,
    NOTE,
    SHEET,
    make_case,
    make_spec,
    readable,
)
from openpyxl import load_workbook

from graphforge.judging import ChecksGrader, execute, mutate
from graphforge.judging.edit_xlsx import without_row
from graphforge.records import (
    ColumnValues,
    FormulaColumn,
    Heading,
    ReadableFile,
    RowSet,
    TextNumber,
    TotalCell,
)

GRADER = ChecksGrader(violations="binary")
EXPECTED = {
    (BOOK,): {
        "changed_figure", "confuser_value", "dropped_sheet", "constant_for_formula", "dropped_row", "invented_row",
        "missing_file", "empty_file",
    },
    (DATA,): {
        "changed_figure", "confuser_value", "dropped_column", "dropped_row", "invented_row", "missing_file",
        "empty_file",
    },
    (MEMO,): {
        "changed_figure", "confuser_value", "dropped_section", "dropped_row", "invented_row", "missing_file",
        "empty_file",
    },
    (NOTE,): {"changed_figure", "confuser_value", "dropped_section", "dropped_row", "missing_file", "empty_file"},
    (BOOK, DATA, MEMO, NOTE): {
        "changed_figure", "confuser_value", "dropped_sheet", "dropped_section", "dropped_column",
        "constant_for_formula", "dropped_row", "invented_row", "missing_file", "empty_file",
    },
}  # fmt: skip


def pool_of(case, folder):
    documents = {name: readable(path) for name, path in case.golden.items()}
    return mutate(case.spec, case.golden, documents, folder)


def graded(spec, files):
    return GRADER.grade(spec, {name: readable(path) for name, path in files.items()}, "anchored", "a")


@pytest.fixture(scope="module", params=EXPECTED, ids=lambda files: "+".join(files))
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mutants")
    (folder / "golden files").mkdir()
    case = make_case(folder / "golden files", *request.param)
    before = {name: path.read_bytes() for name, path in case.golden.items()}
    return request.param, case, before, pool_of(case, folder / "pool")


def test_every_kind_that_the_task_allows_is_made_and_the_others_have_a_reason(made):
    files, _, _, pool = made
    kinds = {mutant.kind for mutant in pool.mutants}
    assert kinds == EXPECTED[files]
    assert len(pool.mutants) >= 6
    reasons = {one.kind: one.reason for one in pool.not_made}
    assert set(reasons) == {
        "changed_figure", "confuser_value", "dropped_sheet", "dropped_section", "dropped_column",
        "constant_for_formula", "dropped_row", "invented_row", "missing_file", "empty_file",
    } - kinds  # fmt: skip
    assert all(reasons.values())
    assert set(pool.files) == {"golden", *(mutant.name for mutant in pool.mutants)}


def test_the_golden_files_are_not_touched_and_score_the_same_saved_again(made):
    _, case, before, pool = made
    assert {name: path.read_bytes() for name, path in case.golden.items()} == before
    delivered, saved = graded(case.spec, case.golden), graded(case.spec, pool.files["golden"])
    assert delivered.score == saved.score == pytest.approx(1.0)
    assert [one.fraction for one in delivered.criteria] == [one.fraction for one in saved.criteria]


def test_every_mutant_loses_points_and_only_its_own_file_differs(made):
    _, case, _, pool = made
    golden = graded(case.spec, pool.files["golden"]).score
    for mutant in pool.mutants:
        files = pool.files[mutant.name]
        assert graded(case.spec, files).score < golden - 1e-6, mutant
        differing = {
            name
            for name, path in pool.files["golden"].items()
            if name not in files or files[name].read_bytes() != path.read_bytes()
        }
        assert differing == {mutant.file}, mutant


def test_spoiled_files_can_still_be_read(made):
    _, _, _, pool = made
    for mutant in pool.mutants:
        if mutant.kind not in {"missing_file", "empty_file"}:
            assert readable(pool.files[mutant.name][mutant.file]) is not None, mutant


def test_golden_files_kept_under_a_hash_are_saved_again_too(tmp_path):
    case = make_case(tmp_path, BOOK, DATA, MEMO, NOTE)
    kept = {
        name: path.rename(tmp_path / f"{number:064x}")
        for number, (name, path) in enumerate(case.golden.items())
    }
    pool = mutate(case.spec, kept, {name: readable(path) for name, path in kept.items()}, tmp_path / "pool")
    for name, path in pool.files["golden"].items():
        if name in (BOOK, NOTE):  # the others come out byte for byte
            assert path.read_bytes() != kept[name].read_bytes(), name
    assert graded(case.spec, pool.files["golden"]).score == pytest.approx(1.0)


def test_the_choice_depends_on_the_specification_alone(tmp_path):
    pools = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        pools.append(pool_of(make_case(folder, BOOK, MEMO), folder / "pool"))
    assert pools[0].mutants == pools[1].mutants
    assert pools[0].not_made == pools[1].not_made
    other = tmp_path / "other"
    other.mkdir()
    assert pool_of(make_case(other, BOOK, MEMO, task="task-9"), other / "pool").mutants != pools[0].mutants


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    case = make_case(folder, BOOK)
    return pool_of(case, folder / "pool")


def found(pool, name, check):
    return execute(check, {BOOK: readable(pool.files[name][BOOK])}).share


def test_a_dropped_row_leaves_the_other_rows_and_all_formulas_right(book):
    assert (
        found(book, "dropped_row", RowSet(file=BOOK, sheet=SHEET, key="Harbour", rows=tuple(HARBOURS)))
        == 7 / 8
    )
    dropped = next(m for m in book.mutants if m.kind == "dropped_row").detail
    kept = {name: after for name, (_, after) in HARBOURS.items() if repr(name) not in dropped}
    assert len(kept) == 7
    changes = {name: 100 * (after - HARBOURS[name][0]) / HARBOURS[name][0] for name, after in kept.items()}
    column = ColumnValues(file=BOOK, sheet=SHEET, key="Harbour", column=CHANGE, values=changes)
    assert found(book, "dropped_row", column) == 1
    total = TotalCell(file=BOOK, sheet=SHEET, label="Total", column=AFTER, value=sum(kept.values()))
    assert found(book, "dropped_row", total) == 1
    assert found(book, "dropped_row", FormulaColumn(file=BOOK, sheet=SHEET, column=CHANGE)) == 1


def test_constants_hold_the_very_values_of_the_formulas(book):
    changed = next(mutant for mutant in book.mutants if mutant.kind == "constant_for_formula")
    before = load_workbook(book.files["golden"][BOOK])[SHEET]
    after = load_workbook(book.files[changed.name][BOOK])[SHEET]
    cells = [
        (old, new)
        for olds, news in zip(before.iter_rows(), after.iter_rows(), strict=True)
        for old, new in zip(olds, news, strict=True)
        if old.value != new.value
    ]
    assert cells
    assert all(old.data_type == "f" and new.data_type != "f" for old, new in cells)
    values = readable(book.files["golden"][BOOK]).tables[0]
    grid = {
        values.locate(row, column): values.grid[row][column]
        for row in range(len(values.grid))
        for column in range(5)
    }
    held = {(place.row + 1, place.column + 1): value for place, value in grid.items()}
    assert all(held[(new.row, new.column)] == new.value for _, new in cells)


def test_the_confuser_s_values_are_those_of_the_negative_criterion(book):
    foreign = ColumnValues(file=BOOK, sheet=SHEET, key="Harbour", column=AFTER, values=dict(CONFUSER))
    assert found(book, "golden", foreign) == 0
    assert found(book, "confuser_value", foreign) == 1


def test_without_a_confuser_a_neighbour_s_value_is_taken(tmp_path):
    case = make_case(tmp_path, BOOK)
    spec = case.spec.model_copy(update={"penalties": ()})
    documents = {name: readable(path) for name, path in case.golden.items()}
    pool = mutate(spec, case.golden, documents, tmp_path / "pool")
    assert "neighbour_value" in {mutant.kind for mutant in pool.mutants}
    assert "confuser_value" in {one.kind for one in pool.not_made}
    golden = graded(spec, pool.files["golden"]).score
    assert all(graded(spec, pool.files[mutant.name]).score < golden for mutant in pool.mutants)


def test_a_single_sheet_cannot_be_dropped(tmp_path):
    case = make_case(tmp_path, BOOK)
    book = load_workbook(case.golden[BOOK])
    for row in range(4, 12):
        book[SHEET].cell(row, 5).value = f'=IF(C{row}>500,"yes","no")'
    del book["Parameters"], book["Sources"]
    book.save(case.golden[BOOK])
    pool = pool_of(case, tmp_path / "pool")
    assert {one.kind: one.reason for one in pool.not_made}["dropped_sheet"].endswith("is no workbook")


def test_a_golden_file_that_cannot_be_read_makes_no_mutants_and_says_so(tmp_path):
    spec = make_spec(DATA)
    (tmp_path / DATA).write_bytes(b"")
    pool = mutate(spec, {DATA: tmp_path / DATA}, {DATA: None}, tmp_path / "pool")
    assert pool.mutants == ()
    assert {one.kind for one in pool.not_made} >= {
        "changed_figure",
        "missing_file",
        "empty_file",
        "dropped_row",
    }
    assert all(one.reason for one in pool.not_made)


def test_a_memo_of_text_alone_still_gives_six_mutants(tmp_path):
    case = make_case(tmp_path, MEMO)
    kept = [
        one for one in case.spec.criteria if isinstance(one.checks[0], Heading | TextNumber | ReadableFile)
    ]
    criteria = tuple(one.model_copy(update={"weight": 1 / len(kept)}) for one in kept)
    spec = case.spec.model_copy(update={"criteria": criteria, "penalties": ()})
    pool = mutate(spec, case.golden, {MEMO: readable(case.golden[MEMO])}, tmp_path / "pool")
    assert len(pool.mutants) == 6
    assert [mutant.kind for mutant in pool.mutants].count("changed_figure") == 2
    assert len({mutant.name for mutant in pool.mutants}) == 6
    assert "changed_figure" not in {one.kind for one in pool.not_made}
    golden = graded(spec, pool.files["golden"]).score
    assert all(graded(spec, pool.files[mutant.name]).score < golden for mutant in pool.mutants)


@pytest.mark.parametrize("file", [MEMO, NOTE])
def test_the_located_column_is_changed_even_where_two_cells_of_a_row_read_the_same(tmp_path, file):
    # Cold Haven moved the same cargo in both years.
    case = make_case(tmp_path, file)
    asked = [
        ColumnValues(file=file, key="Harbour", column=column, values={"Cold Haven": 96.75})
        for column in (BEFORE, AFTER)
    ]
    criterion = case.spec.criteria[0].model_copy(update={"weight": 1.0, "checks": (asked[1],)})
    spec = case.spec.model_copy(update={"criteria": (criterion,), "penalties": ()})
    pool = mutate(spec, case.golden, {file: readable(case.golden[file])}, tmp_path / "pool")
    spoiled = {file: readable(pool.files["changed_figure"][file])}
    assert [execute(check, spoiled).share for check in asked] == [1, 0]


def test_a_saved_pdf_has_the_same_words_at_the_same_places(tmp_path):
    case = make_case(tmp_path, NOTE)
    pool = pool_of(case, tmp_path / "pool")
    before, after = readable(case.golden[NOTE]), readable(pool.files["golden"][NOTE])
    assert [block.text for block in before.blocks] == [block.text for block in after.blocks]
    assert [table.grid for table in before.tables] == [table.grid for table in after.tables]


@pytest.mark.parametrize(
    ("formula", "own", "result"),
    [
        ("=SUM(C4:C11)", "S", "=SUM(C4:C10)"),
        ("=C5*2", "S", "=#REF!*2"),
        ("=C9-$B$6", "S", "=C8-$B$5"),
        ("=C4", "S", "=C4"),
        ("=S!C9+Other!C9", "Other", "=S!C8+Other!C9"),
        ("='S'!C$4:C$5", "Other", "='S'!C$4:C$4"),
        ("=C5:C9", "S", "=C5:C8"),
        ('=IF(C9>5,"C9",0)', "S", '=IF(C8>5,"C9",0)'),
        ("=A:A", "S", "=A:A"),
    ],
)
def test_formulas_are_mended_when_row_5_is_deleted(formula, own, result):
    assert without_row(formula, own, "S", 5) == result
