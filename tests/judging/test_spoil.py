"""A mutant for every check: it costs on that check, and without it nothing does."""

import pytest
from golden_case import BOOK, DATA, HARBOURS, MEMO, NOTE, SHEET, SOURCE, make_case, readable

from graphforge.judging import Spoiled, execute, spoil
from graphforge.judging.verifier import items, standing
from graphforge.records import ColumnValues, InventedRows, RowSet, SheetPresent, TextMention, TextNumber

FILES = (BOOK, DATA, MEMO, NOTE)


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    made = make_case(folder, *FILES)
    return made, {name: readable(path) for name, path in made.golden.items()}


def checks_of(*files):
    from golden_case import make_spec

    return [
        pytest.param(check, id=f"{check.file}-{item.id}-{check.kind}")
        for item, checks in items(make_spec(*files))
        for check in checks
    ]


@pytest.mark.parametrize("check", checks_of(*FILES))
def test_the_mutant_of_a_check_costs_on_it(case, check, tmp_path):
    made, documents = case
    spoiled = spoil(made.spec, check, made.golden, documents, tmp_path / check.file)
    assert isinstance(spoiled, Spoiled), spoiled
    after = documents | {check.file: readable(spoiled.file) if spoiled.file else None}
    golden = 0.0 if check.kind in {"foreign_values", "typed_total", "invented_rows"} else 1.0
    assert standing(check, documents) == golden
    assert standing(check, after) < golden, spoiled


def test_ways_that_are_tried_second_work_as_well(case, tmp_path):
    """Where a sheet can't be dropped it is renamed, where no row can be added one is renamed, and so on."""
    from openpyxl import load_workbook

    made, documents = case
    book = load_workbook(made.golden[BOOK])
    for name in book.sheetnames:
        if name != "Sources":
            del book[name]
    book.save(tmp_path / "one.xlsx")
    one = {BOOK: readable(tmp_path / "one.xlsx")}
    check = SheetPresent(file=BOOK, sheet="Sources")
    spoiled = spoil(made.spec, check, {BOOK: tmp_path / "one.xlsx"}, one, tmp_path / "out.xlsx")
    assert spoiled.kind == "renamed_sheet"
    assert execute(check, {BOOK: readable(tmp_path / "out.xlsx")}).share == 0

    rows = InventedRows(file=NOTE, key="Harbour", rows=tuple(HARBOURS), labels=("Total",))
    spoiled = spoil(made.spec, rows, made.golden, documents, tmp_path / NOTE)
    assert spoiled.kind == "renamed_row"
    assert execute(rows, {NOTE: readable(tmp_path / NOTE)}).share > 0


@pytest.mark.parametrize(
    ("check", "why"),
    [
        (TextMention(file=MEMO, phrase=None), "nothing can be spoiled"),
        (ColumnValues(file=BOOK, sheet=SHEET, key="Harbour", column="Other", values={"Dunport": 1.0}), "no row"),
        (RowSet(file=DATA, key="Berth", rows=("A",)), "no row"),
        (TextNumber(file=MEMO, terms=("pilots",), value=3.0), "no paragraph"),
        (TextMention(file="other.docx", phrase=SOURCE), "missing"),
    ],
)  # fmt: skip
def test_what_can_not_be_spoiled_has_a_reason(case, check, why, tmp_path):
    made, documents = case
    reason = spoil(made.spec, check, made.golden, documents, tmp_path / "out")
    assert isinstance(reason, str)
    assert why in reason


def test_a_sheet_under_another_name_takes_its_formulas_along(case, tmp_path):
    from graphforge.judging import edit_xlsx
    from graphforge.judging.edits import RenameSheet

    made, documents = case
    edit_xlsx.apply(made.golden[BOOK], tmp_path / BOOK, RenameSheet("Parameters", "Settings"))
    verdicts = [check for item, checks in items(made.spec) for check in checks if check.file == BOOK]
    after = documents | {BOOK: readable(tmp_path / BOOK)}
    assert all(standing(check, after) == standing(check, documents) for check in verdicts)
