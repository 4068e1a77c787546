"""Every harmless change of every family costs nothing; the same change with one thing spoiled costs, and is seen."""

from typing import get_args

import pytest
from golden_case import BOOK, DATA, MEMO, NOTE, SHEET, TOP, make_case, readable
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from graphforge.judging import HarmlessKind, changed, harmless
from graphforge.judging.edits import ReplaceText
from graphforge.judging.looks import other_look, restyled, reworded
from graphforge.judging.mutants import EDITORS
from graphforge.judging.verifier import items, standing
from graphforge.records import TextNumber, parse_number

MADE = {
    BOOK: {
        "row_order", "column_order", "title_rows", "extra_column", "extra_sheet", "number_format", "percent_format",
        "capital_headers", "other_library",
    },
    DATA: {"row_order", "column_order", "extra_column", "capital_headers", "other_rendering", "other_library"},
    MEMO: {
        "row_order", "column_order", "extra_column", "extra_section", "other_rendering", "other_wording",
        "heading_level", "numbered_headings", "other_library",
    },
    NOTE: {"other_rendering", "other_wording", "numbered_headings", "other_library"},
}  # fmt: skip


def costs(case, folder):
    """Kind by kind, the checks that find less than on the golden file."""
    documents = {name: readable(path) for name, path in case.golden.items()}
    checks = [check for _, checks in items(case.spec) for check in checks]
    found = {}
    for one in changed(case.spec, case.golden, documents, readable, folder / "changed"):
        after = documents | {one.file: one.document}
        found[one.kind] = [check for check in checks if standing(check, after) < standing(check, documents)]
    return found


@pytest.mark.parametrize("file", MADE)
def test_nothing_harmless_costs(file, tmp_path):
    found = costs(make_case(tmp_path, file), tmp_path)
    assert set(found) == MADE[file]
    # Whoever asks for a sentence to the letter minds other words; that is what the test is there to find.
    literal = {"other_wording"} if file in (MEMO, NOTE) else set()
    costly = {kind: checks for kind, checks in found.items() if checks}
    assert set(costly) == literal
    assert all(
        check.phrase == f"{TOP} is the largest harbour" for checks in costly.values() for check in checks
    )


def test_every_kind_is_made_of_some_file():
    assert set().union(*MADE.values()) == set(get_args(HarmlessKind))


@pytest.mark.parametrize("file", MADE)
def test_the_same_changes_with_a_name_spoiled_cost(file, tmp_path, monkeypatch):
    case = make_case(tmp_path, file)
    family = case.spec.deliverables[0].family

    def spoilt(vary):
        def both(source, target, asked, document):
            vary(source, tmp_path / "between", asked, document)
            EDITORS[family](tmp_path / "between", target, ReplaceText(TOP, "Elsewhere"))

        return both

    variations = {kind: spoilt(vary) for kind, vary in harmless._VARIATIONS[family].items()}
    monkeypatch.setitem(harmless._VARIATIONS, family, variations)
    found = costs(case, tmp_path)
    assert set(found) == MADE[file]
    assert all(found.values()), found


def test_a_change_that_alters_figures_is_none_of_these(tmp_path, monkeypatch):
    case = make_case(tmp_path, BOOK)

    def lossy(source, target, asked, document):
        book = load_workbook(source)
        book[SHEET].cell(5, 2).value = 1.0
        book.save(target)

    monkeypatch.setitem(harmless._VARIATIONS, "xlsx", {"row_order": lossy})
    assert costs(case, tmp_path) == {}


@pytest.mark.parametrize(
    ("printed", "other"),
    [
        ("1234.5", "1,234.50"), ("1,234.50", "1234.5"), ("3,628.00", "3628"), ("12", "12.0"), ("-0.25", "-0.250"),
        ("$1,200", "$1200"), ("1e-7", "1e-7"), ("007", "007"), ("n/a", "n/a"), ("", ""),
    ],
)  # fmt: skip
def test_another_look_of_a_figure(printed, other):
    assert other_look(printed) == other


@given(st.decimals(-(10**12), 10**12, places=3), st.booleans(), st.booleans())
def test_another_look_is_the_same_number(number, grouped, prose):
    printed = f"{number:,}" if grouped else f"{number}"
    assert parse_number(other_look(printed, prose)) == parse_number(printed)


def test_a_sentence_keeps_its_figure_in_other_words():
    check = TextNumber(file=MEMO, terms=("agree",), value=3.0)
    text = "Both were compared. 3 of the 14 rows agree, the others don't."
    assert restyled(text, [check]) == "Both were compared. three of the 14 rows agree, the others don't."
    said = reworded(text, [check])
    assert said.startswith("Both were compared. As far as the files show: 3 of the 14 rows match")
    assert (
        restyled("It is 18.5 percent of all.", [TextNumber(file=MEMO, value=18.5)]) == "It is 18.50% of all."
    )
    assert reworded("Nothing of the kind.", [check]) == "Nothing of the kind."


def test_a_full_stop_within_a_name_ends_no_sentence():
    text = "Pers. Svcs.-Emp.Benefits has the largest part, 40.17 percent."
    share = TextNumber(file=MEMO, terms=("Pers. Svcs.-Emp.Benefits",), value=40.17)
    assert reworded(text, [share]) == f"As far as the files show: {text}"
    assert reworded(text, [TextNumber(file=MEMO, value=40.17)], ["Pers. Svcs.-Emp.Benefits"]).startswith(
        "As far"
    )
