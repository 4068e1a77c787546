"""The tests of a verifier, end to end on a small task: what is kept, repaired, dropped and rejected, and why."""

import math

import pytest
from golden_case import (
    AFTER,
    BEFORE,
    BOOK,
    DATA,
    HARBOURS,
    MEMO,
    NOTE,
    SHEET,
    SOURCE,
    TOTALS,
    make_case,
    make_spec,
    readable,
)  # fmt: skip
from hypothesis import given
from hypothesis import strategies as st

from graphforge.judging import (
    ChecksGrader,
    Golden,
    NumberTrace,
    VerifierTests,
    blind,
    constructed,
    gather,
    traced,
    verify,
    without_plan,
)
from graphforge.judging.guard import answered_by
from graphforge.judging.verifier import _renewed, _repaired
from graphforge.records import (
    CellLocator,
    Column,
    ColumnValues,
    Criterion,
    Document,
    Heading,
    ReadableFile,
    RowSet,
    Table,
    TextMention,
    TextNumber,
    TotalCell,
)

SETTINGS = VerifierTests(least_criteria=3, least_weight=0.5, most_blind=0.5, workers=1)
BAR = 0.95


def criterion(name, *checks, weight=0.1, deliverable="d0", requirement="What the task asks for."):
    return Criterion(
        id=name, deliverable=deliverable, requirement=requirement, expected=None, weight=weight, anchors=(),
        verification="Look.", checks=checks,
    )  # fmt: skip


def with_criteria(spec, *criteria):
    weights = [one.weight / math.fsum(one.weight for one in criteria) for one in criteria]
    renewed = tuple(
        one.model_copy(update={"weight": weight}) for one, weight in zip(criteria, weights, strict=True)
    )
    return spec.model_copy(update={"criteria": renewed})


def columns(spec):
    """The criteria of the two columns that stand in files."""
    asked = [(one, one.checks[0]) for one in spec.criteria]
    return [
        one for one, check in asked if isinstance(check, ColumnValues) and check.column in (BEFORE, AFTER)
    ]


def source(columns=(BEFORE,), rows=HARBOURS, name=SOURCE, family="csv"):
    """An input file with a table of the harbours."""
    values = {BEFORE: 0, AFTER: 1}
    grid = [("Harbour", *columns), *((row, *(HARBOURS[row][values[one]] for one in columns)) for row in rows)]
    table = Table(
        id="t1", title="", origin=CellLocator(row=0, column=0), grid=tuple(grid), header=1, body=(1, len(grid)),
        columns=tuple(Column(index=at, name=one, kind="number" if at else "text") for at, one in enumerate(grid[0])),
        key=0,
    )  # fmt: skip
    return Document(sha256="a" * 64, name=name, family=family, title="", pages=1, tables=(table,))


def run(case, folder, spec=None, settings=SETTINGS, inputs=None, golden="reference", bar=BAR):
    return verify(
        spec or case.spec, Golden(golden, case.golden), [source()] if inputs is None else inputs, settings, bar,
        readable, folder / "scratch",
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    case = make_case(folder, BOOK, DATA, MEMO)
    return case, run(case, folder)


def test_a_sound_task_goes_on_with_all_that_is_sound(whole):
    case, found = whole
    assert found.rejection is None
    assert found.tests.golden_score == 1.0
    assert all(one.caught for one in found.tests.mutants)
    assert {one.item for one in found.tests.mutants} == {
        one.id for one in (*case.spec.criteria, *case.spec.penalties)
    }
    # The one that asks for a sentence to the letter minds other words, and goes.
    (gone,) = {one.id for one in case.spec.criteria} - {one.id for one in found.spec.criteria}
    (check,) = next(one.checks for one in case.spec.criteria if one.id == gone)
    assert check == TextMention(file=MEMO, phrase="Dunport is the largest harbour")
    assert [(one.item, one.how) for one in found.tests.repairs] == [(gone, "dropped")]
    assert "other_wording" in found.tests.repairs[0].why
    assert math.fsum(one.weight for one in found.spec.criteria) == pytest.approx(1.0, abs=1e-9)
    type(found.spec).model_validate(found.spec.model_dump())


def test_nothing_and_the_inputs_stay_below_the_bar(whole):
    _, found = whole
    assert 0 <= found.tests.empty_score < 0.2
    assert found.tests.empty_score <= found.tests.inputs_score < BAR
    assert found.tests.blind_share < 0.5 and found.tests.blind_score < 0.5


def test_what_an_agent_sees_stays_as_it_was(whole):
    case, found = whole
    assert found.spec.public_view() == case.spec.public_view()
    assert found.spec.solution == case.spec.solution


def test_equal_input_gives_equal_records(tmp_path):
    case = make_case(tmp_path, DATA)
    assert run(case, tmp_path).tests == run(case, tmp_path).tests


def test_the_rates_add_up(whole):
    _, found = whole
    rates = gather([found.tests, found.tests])
    assert rates.mutants == 2 * len(found.tests.mutants) and rates.caught_share == 1.0
    assert rates.costing == 2 and rates.costing_share == pytest.approx(2 / rates.harmless)
    assert rates.by_change["other_wording"].failed == 2
    assert sum(one.tests for one in rates.by_check.values()) == rates.mutants
    assert rates.repairs == {"dropped": 2} and rates.golden == {"reference": 2}
    assert {"caught_share", "costing_share", "blind_share", "numbers.computed"} <= set(rates.figures())
    assert gather([]).caught_share is None


VACUOUS = TextMention(file=MEMO, phrase=None)
SOUND = [
    criterion("s1", Heading(file=MEMO, heading="Findings")),
    criterion("s2", Heading(file=MEMO, heading="Sources")),
    criterion("s3", TextNumber(file=MEMO, terms=("harbours",), value=TOTALS[1], absolute=0.005)),
]


def test_a_check_that_accepts_anything_is_found_and_only_it_goes(tmp_path):
    case = make_case(tmp_path, MEMO)
    blind_one = criterion("v", VACUOUS, weight=0.2)
    mixed = criterion(
        "m", Heading(file=MEMO, heading="Method"), TextNumber(file=MEMO, terms=("pilots",), value=7.0)
    )
    found = run(case, tmp_path, with_criteria(case.spec, *SOUND, blind_one, mixed))
    assert found.rejection is None
    assert [(one.item, one.how) for one in found.tests.repairs] == [("v", "dropped"), ("m", "check_removed")]
    assert "no mutant can be made" in found.tests.repairs[0].why
    assert "don't meet it" in found.tests.repairs[1].why
    left = {one.id: one for one in found.spec.criteria}
    assert left["m"].checks == (Heading(file=MEMO, heading="Method"),)
    assert left["m"].weight == pytest.approx(0.25)


def test_a_mutant_that_is_not_seen_drops_its_criterion(tmp_path, monkeypatch):
    from graphforge.judging import verifier

    case = make_case(tmp_path, MEMO)
    real = verifier.standing

    def lenient(check, documents):
        return 1.0 if check == Heading(file=MEMO, heading="Method") else real(check, documents)

    monkeypatch.setattr(verifier, "standing", lenient)
    found = run(
        case, tmp_path, with_criteria(case.spec, *SOUND, criterion("h", Heading(file=MEMO, heading="Method")))
    )
    assert [(one.item, one.caught) for one in found.tests.mutants if one.item == "h"] == [("h", False)]
    assert "did not see its mutant (dropped_section" in found.tests.repairs[0].why
    assert {one.id for one in found.spec.criteria} == {"s1", "s2", "s3"}


def test_a_model_may_fall_short_of_what_is_right(tmp_path):
    case = make_case(tmp_path, MEMO)
    hard = criterion("h", TextMention(file=MEMO, phrase="pilots"), weight=0.01)
    spec = with_criteria(case.spec, *SOUND, hard)
    # Nothing can be taken away that isn't there, so it can't be tested on these deliverables and goes all the same.
    found = run(case, tmp_path, spec, golden="pilot")
    assert "no mutant can be made" in found.tests.repairs[0].why


def test_what_only_a_reader_can_judge_is_listed_and_kept(tmp_path):
    case = make_case(tmp_path, MEMO)
    found = run(case, tmp_path, with_criteria(case.spec, *SOUND, criterion("r", weight=0.3)))
    assert found.tests.untested == ("r",) and found.tests.golden_score == 1.0
    assert [one.id for one in found.spec.criteria] == ["s1", "s2", "s3", "r"]
    nothing = with_criteria(case.spec, criterion("r")).model_copy(update={"penalties": ()})
    found = verify(nothing, None, [source()], SETTINGS, BAR, readable, tmp_path)
    assert found.rejection is None and found.tests.golden is None and not found.tests.mutants


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("too_little_left", {"settings": SETTINGS.model_copy(update={"least_criteria": 30})}),
        ("golden_below_bar", {"bar": 1.0}),
        ("guessable", {"settings": SETTINGS.model_copy(update={"most_blind": 0.05})}),
        ("inputs_reach_bar", {"bar": 0.5}),
        ("empty_reaches_bar", {"bar": 0.0}),
        ("answer_in_one_file", {"inputs": [source((BEFORE, AFTER))]}),
    ],
)
def test_a_task_is_rejected_with_its_reason(reason, changes, tmp_path):
    case = make_case(tmp_path, DATA)
    spec = with_criteria(
        case.spec,
        criterion("o", ReadableFile(file=DATA)),
        *(one for one in case.spec.criteria if isinstance(one.checks[0], RowSet)),
        *columns(case.spec),
    )
    found = run(case, tmp_path, spec, **changes)
    assert (found.rejection.id, found.rejection.stage, found.rejection.reason) == (spec.id, "verify", reason)
    assert found.rejection.detail
    assert found.spec == spec or reason not in {"answer_in_one_file", "too_little_left"}


def test_no_golden_deliverables(tmp_path):
    found = verify(make_spec(MEMO), None, [source()], SETTINGS, BAR, readable, tmp_path)
    assert found.rejection.reason == "no_golden"


# an answer in one file


def test_one_file_must_hold_all_columns_in_one_table(tmp_path):
    spec = with_criteria(make_spec(DATA), *columns(make_spec(DATA)))
    both, left, right = source((BEFORE, AFTER)), source((BEFORE,)), source((AFTER,))
    assert answered_by(spec, [left, right]) is None
    assert answered_by(spec, [left, both]) == SOURCE
    apart = left.model_copy(
        update={"tables": (*left.tables, right.tables[0].model_copy(update={"id": "t2"}))}
    )
    assert answered_by(spec, [apart]) is None
    assert answered_by(spec, [source((BEFORE, AFTER), list(HARBOURS)[1:])]) is None
    told = with_criteria(spec, *spec.criteria, criterion("t", TextNumber(file=DATA, value=5.125)))
    assert answered_by(told, [both]) is None
    assert answered_by(with_criteria(make_spec(MEMO), *SOUND), [both]) is None


# golden and blind deliverables that nobody made


@pytest.mark.parametrize("files", [(BOOK,), (DATA,), (MEMO,), (NOTE,), (BOOK, DATA, MEMO, NOTE)])
def test_deliverables_out_of_the_checks_meet_them(files, tmp_path):
    spec = make_spec(*files)
    made = constructed(spec, tmp_path)
    verdict = ChecksGrader(violations="binary").grade(
        spec, {name: readable(path) for name, path in made.items()}, "verifier", "made"
    )
    assert verdict.score == pytest.approx(1.0), [one for one in verdict.criteria if one.outcome != "met"]
    golden = without_plan(spec, {}, BAR, readable, tmp_path / "again")
    assert golden is not None and golden.source == "constructed" and golden.exact


def test_a_pilot_above_the_bar_is_golden_and_another_is_not(tmp_path):
    case = make_case(tmp_path, MEMO)
    good = without_plan(case.spec, case.golden, BAR, readable, tmp_path / "made")
    assert good is not None and good.source == "pilot" and dict(good.files) == dict(case.golden)
    impossible = with_criteria(
        case.spec,
        criterion("a", RowSet(file=MEMO, key="Harbour", rows=("X", "Y"))),
        criterion("b", RowSet(file=MEMO, key="Harbour", rows=("Z",))),
    )
    assert without_plan(impossible, {}, BAR, readable, tmp_path / "other") is None


def test_who_opens_no_file_meets_what_the_request_tells(tmp_path):
    spec = make_spec(BOOK)
    asked = spec.deliverables[0].model_copy(
        update={"requirement": f"a sheet “{SHEET}” with the columns “Harbour”, “{AFTER}” and a row “Total”"}
    )
    spec = spec.model_copy(update={"deliverables": (asked,)})
    made = {name: readable(path) for name, path in blind(spec.public_view(), tmp_path).items()}
    verdict = ChecksGrader(violations="binary").grade(spec, made, "verifier", "blind")
    met = {
        one.checks[0].kind
        for one, mark in zip(spec.criteria, verdict.criteria, strict=True)
        if mark.outcome == "met"
    }
    assert {"readable_file", "sheet_present", "text_mention"} <= met
    assert not met & {"column_values", "total_cell", "row_set"}


# where numbers come from


def test_numbers_are_traced_to_the_instruction_the_attachments_or_neither(tmp_path):
    spec = with_criteria(
        make_spec(DATA),
        criterion("a", ColumnValues(file=DATA, key="Harbour", column=BEFORE, values={"A": 2310.0, "B": 78.25})),
        criterion("b", TotalCell(file=DATA, label="Total", column=BEFORE, value=TOTALS[0])),
        criterion("c", TextNumber(file=DATA, value=1.0), requirement="All above 500 kt in 2023 are named."),
    )  # fmt: skip
    # In the request stand 2022, 2023 and 500; in the file the figures of 2022; computed are the sum and the one.
    assert traced(spec, [source()]) == NumberTrace(instruction=2, attachments=2, computed=2)
    assert traced(spec, []) == NumberTrace(instruction=2, attachments=0, computed=4)


@given(st.data())
def test_what_is_left_keeps_its_order_its_proportions_and_a_sum_of_one(data):
    spec = make_spec(BOOK, MEMO)
    places = [(one.id, 0) for one in (*spec.criteria, *spec.penalties)]
    failed = data.draw(st.sets(st.sampled_from(places), max_size=len(places) - 1))
    left, repairs = _repaired(spec, dict.fromkeys(failed, "failed"))
    assert {one.item for one in repairs} == {item for item, _ in failed}
    if not any(one in spec.criteria for one in left):
        return
    new = _renewed(spec, left)
    type(spec).model_validate(new.model_dump())
    kept = [one.id for one in new.criteria]
    assert kept == [one.id for one in spec.criteria if (one.id, 0) not in failed]
    assert [one.id for one in new.penalties] == [
        one.id for one in spec.penalties if (one.id, 0) not in failed
    ]
    assert new.public_view() == spec.public_view()
