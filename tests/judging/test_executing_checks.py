"""Every check over what agents really hand over: a right case, a wrong one, and what must not matter."""

import pytest
from golden_case import (
    AFTER,
    BOOK,
    CHANGE,
    CONFUSER,
    DATA,
    HARBOURS,
    MEMO,
    NOTE,
    SHEET,
    SOURCE,
    TOP,
    TOTALS,
    WRITERS,
    readable,
)
from hypothesis import given
from hypothesis import strategies as st

from graphforge.judging import execute
from graphforge.records import (
    Block,
    BlockLocator,
    CellLocator,
    Column,
    ColumnValues,
    Document,
    ForeignValues,
    FormulaColumn,
    Heading,
    InventedRows,
    ReadableFile,
    RowSet,
    SheetPresent,
    Table,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
)

VALUES = {name: after for name, (_, after) in HARBOURS.items()}


def as_table(rows, sheet="S", formulas=None, number=1):
    """A table as a parser leaves it that found neither header nor key."""
    width = max(map(len, rows))
    grid = tuple(tuple(row) + (None,) * (width - len(row)) for row in rows)
    return Table(
        id=f"t{number}", title=sheet, origin=CellLocator(sheet=sheet, row=0, column=0), grid=grid, header=0,
        body=(0, len(grid)), columns=tuple(Column(index=i, name="", kind="text") for i in range(width)),
        formulas=formulas or {},
    )  # fmt: skip


def book(*tables, name="f.xlsx", family="xlsx", texts=()):
    blocks = tuple(
        Block(kind=kind, text=text, locator=BlockLocator(block=place))
        for place, (kind, text) in enumerate(texts)
    )
    return Document(
        sha256="0" * 64, name=name, family=family, title="", pages=1, blocks=blocks, tables=tables
    )


def text(*sentences, kind="paragraph"):
    return book(name="f.docx", family="docx", texts=tuple((kind, sentence) for sentence in sentences))


def share(check, document):
    finding = execute(check, {check.file: document})
    assert "\n" not in finding.evidence
    return finding.share


ROWS = [["State", "Jobs"], ["Aa", 10.0], ["Bb", 20.0], ["Cc", 30.0]]
JOBS = ColumnValues(
    file="f.xlsx", sheet="S", key="State", column="Jobs", values={"Aa": 10, "Bb": 20, "Cc": 30}
)


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    for file, write in WRITERS.items():
        write(folder / file)
    return {file: readable(folder / file) for file in WRITERS}


# every class of check: the real golden file, and one that fails


@pytest.mark.parametrize("file", [BOOK, DATA, MEMO, NOTE])
def test_a_file_that_opens_is_readable_and_a_missing_one_is_not(golden, file):
    check = ReadableFile(file=file)
    assert execute(check, golden).share == 1
    assert execute(check, {}).share == 0
    assert "missing" in execute(check, {file: None}).evidence


def test_a_file_of_another_format_than_its_name_says_is_not_readable(golden):
    assert share(ReadableFile(file="f.xlsx"), golden[DATA]) == 0
    assert share(ReadableFile(file="f.xlsx"), book()) == 0


def test_sheets_are_found_by_name(golden):
    assert execute(SheetPresent(file=BOOK, sheet=SHEET), golden).share == 1
    assert execute(SheetPresent(file=BOOK, sheet=SHEET.upper()), golden).share == 1
    assert execute(SheetPresent(file=BOOK, sheet="Summary"), golden).share == 0


@pytest.mark.parametrize("file", [BOOK, DATA, MEMO, NOTE])
def test_rows_columns_and_totals_of_every_format(golden, file):
    sheet = SHEET if file == BOOK else ""
    rows = RowSet(file=file, sheet=sheet, key="Harbour", rows=tuple(HARBOURS))
    values = ColumnValues(file=file, sheet=sheet, key="Harbour", column=AFTER, values=VALUES)
    total = TotalCell(file=file, sheet=sheet, label="Total", column=AFTER, value=TOTALS[1])
    for check in (rows, values, total):
        assert execute(check, golden).share == 1, execute(check, golden).evidence
        assert execute(check.redacted(), golden).share == 1
    assert execute(rows.model_copy(update={"rows": (*HARBOURS, "Nowhere")}), golden).share == 8 / 9
    assert execute(rows.model_copy(update={"rows": tuple(HARBOURS)[:6]}), golden).share == 6 / 8
    assert execute(values.model_copy(update={"values": VALUES | {"Dunport": 1.0}}), golden).share == 7 / 8
    assert execute(total.model_copy(update={"value": TOTALS[1] + 1}), golden).share == 0


def test_formulas_count_and_typed_values_do_not(golden, tmp_path):
    WRITERS[BOOK](tmp_path / BOOK, typed=True)
    typed = {BOOK: readable(tmp_path / BOOK)}
    column = FormulaColumn(file=BOOK, sheet=SHEET, column=CHANGE)
    total = TypedTotal(file=BOOK, sheet=SHEET, label="Total", column=AFTER)
    assert (execute(column, golden).share, execute(column, typed).share) == (1, 0)
    assert (execute(total, golden).share, execute(total, typed).share) == (0, 1)


@pytest.mark.parametrize("file", [MEMO, NOTE])
def test_headings_numbers_and_phrases_of_running_text(golden, file):
    assert execute(Heading(file=file, heading="findings"), golden).share == 1
    assert execute(Heading(file=file, heading="Outlook"), golden).share == 0
    largest = TextNumber(file=file, terms=(TOP, "largest"), value=HARBOURS[TOP][1])
    assert execute(largest, golden).share == 1
    assert execute(largest.model_copy(update={"value": 7.0}), golden).share == 0
    assert execute(largest.model_copy(update={"terms": ("Fenmouth",)}), golden).share == 0
    assert execute(TextMention(file=file, phrase=SOURCE), golden).share == 1
    assert execute(TextMention(file=file, phrase="another_survey.csv"), golden).share == 0


def test_violations_are_found_and_only_where_they_are(golden):
    foreign = ForeignValues(file=DATA, key="Harbour", column=AFTER, values=CONFUSER)
    assert execute(foreign, golden).share == 0
    mixed = foreign.model_copy(update={"values": CONFUSER | {"Dunport": VALUES["Dunport"]}})
    assert execute(mixed, golden).share == 1 / 8
    invented = InventedRows(file=DATA, key="Harbour", rows=tuple(HARBOURS), labels=("Total",))
    assert execute(invented, golden).share == 0
    assert execute(invented.model_copy(update={"rows": tuple(HARBOURS)[1:]}), golden).share == 1 / 8
    assert execute(foreign, {}).share == execute(invented, {}).share == 0


@pytest.mark.parametrize(
    "check",
    [
        SheetPresent(file="f.xlsx", sheet=" "),
        RowSet(file="f.xlsx", key=""),
        ColumnValues(file="f.xlsx", key="State", column=""),
        FormulaColumn(file="f.xlsx", sheet="S", column=""),
        TotalCell(file="f.xlsx", label="", column="Jobs"),
        Heading(file="f.xlsx", heading=""),
        TextNumber(file="f.xlsx", terms=("",), value=1.0),
        TextMention(file="f.xlsx", phrase=""),
        ForeignValues(file="f.xlsx", key="", column="Jobs"),
        TypedTotal(file="f.xlsx", sheet="S", label="", column="Jobs"),
        InventedRows(file="f.xlsx", key=""),
    ],
    ids=lambda check: check.kind,
)
def test_a_check_that_names_nothing_is_unjudged(check):
    assert execute(check, {"f.xlsx": book(as_table(ROWS))}).share is None
    assert execute(check, {}).share is None


# what agents really do


def test_title_rows_units_column_order_and_extra_columns_do_not_matter():
    rows = [
        ["Jobs by state"],
        [None],
        ["Rank", "Jobs (thousands)", "State "],
        [1.0, "20", "bb"],
        [2.0, "30.0", "CC"],
        [3.0, 10, "Aa"],
        ["Note: provisional"],
    ]
    document = book(as_table([["File"], ["x.csv"]], "Sources"), as_table(rows))
    assert share(JOBS, document) == 1
    assert share(RowSet(file="f.xlsx", sheet="S", key="State", rows=("Aa", "Bb", "Cc")), document) == 1


def test_numbers_stored_as_text_are_numbers():
    rows = [
        ["State", "Jobs"],
        ["Aa", "1,234.5"],
        ["Bb", "$2,000"],
        ["Cc", "(3)"],
        ["Dd", "12.5 kWh"],
        ["Ee", "3 million"],
    ]
    values = {"Aa": 1234.5, "Bb": 2000, "Cc": -3, "Dd": 12.5, "Ee": 3}
    # "3 million" may be three or three million: not counted.
    assert share(JOBS.model_copy(update={"values": values}), book(as_table(rows))) == 4 / 5


def test_a_year_in_a_header_is_never_dropped():
    rows = [["State", "Jobs, 2023"], ["Aa", 10.0], ["Bb", 20.0], ["Cc", 30.0]]
    assert share(JOBS.model_copy(update={"column": "Jobs, 2024"}), book(as_table(rows))) == 0
    years = [["State", 2023.0, 2024.0], ["Aa", 1.0, 10.0], ["Bb", 1.0, 20.0], ["Cc", 1.0, 30.0]]
    assert share(JOBS.model_copy(update={"column": "2024"}), book(as_table(years))) == 1


def test_the_closer_header_wins():
    rows = [["State", "Change", "Change (%)"], ["Aa", 10.0, 1.0], ["Bb", 20.0, 2.0], ["Cc", 30.0, 3.0]]
    document = book(as_table(rows))
    assert share(JOBS.model_copy(update={"column": "Change"}), document) == 1
    percents = {"Aa": 1.0, "Bb": 2.0, "Cc": 3.0}
    assert share(JOBS.model_copy(update={"column": "Change (%)", "values": percents}), document) == 1


def test_percentages_as_fractions_pass_only_where_the_unit_says_percent():
    fractions = [["State", "Growth (%)"], ["Aa", 0.123], ["Bb", 0.2], ["Cc", -0.05]]
    values = {"Aa": 12.3, "Bb": 20.0, "Cc": -5.0}
    asked = JOBS.model_copy(update={"column": "Growth (%)", "values": values})
    assert share(asked, book(as_table(fractions))) == 1
    signs = [["State", "Growth (%)"], ["Aa", "12.3%"], ["Bb", "20 %"], ["Cc", "-5%"]]
    assert share(asked, book(as_table(signs))) == 1
    # No percent in the check: strict.
    plain = [["State", "Growth"], *fractions[1:]]
    assert share(asked.model_copy(update={"column": "Growth"}), book(as_table(plain))) == 0
    # Mixed scales: only what is right as it stands.
    mixed = [["State", "Growth (%)"], ["Aa", 12.3], ["Bb", 0.2], ["Cc", -0.05]]
    assert share(asked, book(as_table(mixed))) == 1 / 3


def test_a_name_that_stands_twice_with_two_values_states_neither():
    assert share(JOBS, book(as_table([*ROWS, ["Bb", 21.0]]))) == 2 / 3
    assert share(JOBS, book(as_table([*ROWS, ["Bb", 20.0]]))) == 1


def test_names_that_differ_only_in_signs_are_told_apart():
    rows = [["Age", "Jobs"], ["65", 1.0], ["65+", 2.0]]
    check = ColumnValues(file="f.xlsx", key="Age", column="Jobs", values={"65": 1.0, "65+": 2.0})
    assert share(check, book(as_table(rows))) == 1
    swapped = [["Age", "Jobs"], ["65+", 1.0], ["65", 2.0]]
    assert share(check, book(as_table(swapped))) == 0


def test_totals_and_notes_are_no_rows_of_their_own():
    rows = [*ROWS, ["Total", 60.0], ["Average", 20.0], ["Source: survey"]]
    check = RowSet(file="f.xlsx", sheet="S", key="State", rows=("Aa", "Bb", "Cc"))
    assert share(check, book(as_table(rows))) == 1
    assert share(InventedRows(file="f.xlsx", key="State", rows=("Aa", "Bb", "Cc")), book(as_table(rows))) == 0
    assert share(check, book(as_table([*rows, ["Zz", 1.0]]))) == 3 / 4


def test_spreadsheet_errors_are_no_values():
    rows = [["State", "Jobs"], ["Aa", "#REF!"], ["Bb", 20.0]]
    assert share(JOBS.redacted(), book(as_table(rows))) == 1 / 2


def test_a_row_left_blank_counts_and_a_note_below_does_not():
    rows = [["State", "Jobs"], ["Aa", None], ["Bb", 20.0], ["Note: provisional"]]
    assert share(JOBS.redacted(), book(as_table(rows))) == 1 / 2


def test_the_wrong_sheet_does_not_count():
    assert share(JOBS.model_copy(update={"sheet": "Other"}), book(as_table(ROWS))) == 0
    assert share(JOBS.model_copy(update={"sheet": ""}), book(as_table(ROWS))) == 1


def test_formula_share_is_of_the_filled_cells():
    formulas = {"1,1": "=A1", "2,1": "=A2"}
    document = book(as_table(ROWS, formulas=formulas))
    assert share(FormulaColumn(file="f.xlsx", sheet="S", column="Jobs"), document) == 2 / 3


def test_true_and_false_stand_for_yes_and_no():
    rows = [["State", "Jobs"], ["Aa", True], ["Bb", "No"], ["Cc", True]]
    check = JOBS.model_copy(update={"values": {"Aa": "yes", "Bb": "no", "Cc": "no"}})
    assert share(check, book(as_table(rows))) == 2 / 3


@pytest.mark.parametrize(
    ("sentence", "value", "met"),
    [
        ("Output rose to 1,234.5 kt.", 1234.5, True),
        ("Output rose to $1.5 million.", 1.5e6, True),
        ("Output rose to 1.5 million dollars.", 1.5, True),
        ("Output fell by 12.3%.", -12.3, True),
        ("Output rose by 12.3%.", -12.3, False),
        ("Output was -5 in the U.S. market.", -5, True),
        ("Output of Q3 and the 7th plant.", 3, False),
        ("Output of Q3 and the 7th plant.", 7, False),
        ("Output covers 2019-2023.", 2023, True),
        ("Output covers 2019-2023.", -2023, False),
        ("Output comes from three plants.", 3, True),
        ("Output is not given. There are 50 plants.", 50, False),
        ("There were, per U.S. law, 50 plants with output.", 50, True),
    ],
)
def test_numbers_in_sentences(sentence, value, met):
    check = TextNumber(file="f.docx", terms=("output",), value=value)
    assert share(check, text(sentence)) == float(met)


def test_a_number_inside_a_term_is_no_statement():
    check = TextNumber(file="f.docx", terms=("Interstate 95",), value=95.0)
    assert share(check, text("Interstate 95 was closed.")) == 0
    assert share(check, text("Interstate 95 was closed for 95 days.")) == 1


def test_redacted_numbers_and_phrases_ask_for_any():
    number = TextNumber(file="f.docx", terms=("output",), value=3.0).redacted()
    assert (share(number, text("It is 9.")), share(number, text("It is one of them."))) == (1, 0)
    phrase = TextMention(file="f.docx", phrase="hidden").redacted()
    assert (share(phrase, text("Anything.")), share(phrase, book(name="f.docx", family="docx"))) == (1, 0)


@pytest.mark.parametrize("line", ["Findings", "1. Findings", "2.1 FINDINGS:", "Section 3: Findings"])
def test_headings_may_be_numbered(line):
    check = Heading(file="f.docx", heading="Findings")
    assert share(check, text(line, kind="heading")) == 1
    assert share(check, text("Findings of last year", kind="heading")) == 0


# properties

NAMES = st.sampled_from(["Aa", "Bb", "Cc", "Total", "65", "65+", "", "Zz", "Ünal & Co"])
CELLS = st.one_of(
    st.none(), st.floats(-1e6, 1e6), st.booleans(), st.sampled_from(["10", "20 %", "n/a", "x 3 y 4"])
)
BODIES = st.lists(st.tuples(NAMES, CELLS, CELLS), max_size=8)
CHECKS = st.sampled_from(
    [
        ReadableFile(file="f.xlsx"),
        SheetPresent(file="f.xlsx", sheet="S"),
        RowSet(file="f.xlsx", sheet="S", key="State", rows=("Aa", "Bb", "65", "65+")),
        JOBS,
        JOBS.model_copy(update={"column": "Share (%)", "values": {"Aa": 10.0, "Ünal & Co": "yes"}}),
        FormulaColumn(file="f.xlsx", sheet="S", column="Jobs"),
        TotalCell(file="f.xlsx", sheet="S", label="Zz", column="Jobs", value=10.0),
        Heading(file="f.xlsx", heading="Aa"),
        TextNumber(file="f.xlsx", terms=("x",), value=3.0),
        TextMention(file="f.xlsx", phrase="Aa"),
        ForeignValues(file="f.xlsx", sheet="S", key="State", column="Jobs", values={"Aa": 10.0, "Bb": 3.0}),
        TypedTotal(file="f.xlsx", sheet="S", label="Zz", column="Jobs"),
        InventedRows(file="f.xlsx", sheet="S", key="State", rows=("Aa", "Bb"), labels=("Total",)),
    ]
)


@given(check=CHECKS, redact=st.booleans(), body=BODIES, data=st.data())
def test_shares_lie_in_0_to_1_and_the_order_of_rows_does_not_matter(check, redact, body, data):
    check = check.redacted() if redact else check
    named = [name for name, *_ in body]
    if isinstance(check, TotalCell | TypedTotal):
        # The first of several rows with the label is meant, so only a label that stands once is free of order.
        body = [row for place, row in enumerate(body) if row[0] != "Zz" or named.index("Zz") == place]
    header = ["State", "Jobs", "Share (%)"]
    order = data.draw(st.permutations(range(len(body))))
    marked = {place for place in range(len(body)) if place % 2}
    plain = as_table([header, *body], formulas={f"{place + 1},1": "=1" for place in marked})
    moved = as_table(
        [header, *(body[place] for place in order)],
        formulas={f"{at + 1},1": "=1" for at, place in enumerate(order) if place in marked},
    )
    first, second = share(check, book(plain)), share(check, book(moved))
    assert first is not None
    assert 0 <= first <= 1
    assert first == second
