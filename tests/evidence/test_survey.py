"""What computation finds between made-up files, whatever they are called: and what it must not take for a relation."""

from itertools import product

import pytest

from graphforge.evidence.computed import Computed
from graphforge.evidence.draft import Draft
from graphforge.evidence.keys import alike, canonical_period, clean_key, years_in
from graphforge.evidence.survey import between
from graphforge.records import (
    CellLocator,
    Column,
    Document,
    Source,
    Table,
    Workspace,
    WorkspaceFile,
    parse_number,
    parse_scaled,
)
from graphforge.records.arithmetic import evaluate
from tests.made_case import LIMITS, document, seed, sha

MONTHS = "January February March April May June July August September October November December".split()


def kind_of(cells: list[object]) -> str:
    filled = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, int | float) for cell in filled):
        return "number"
    return "text"


def sheet(
    header: tuple[str, ...],
    rows: list[tuple[object, ...]],
    title: str = "Sheet",
    key: int | None = 0,
    periods: dict[str, str] | None = None,
) -> Table:
    """A table with one header row; columns of years are periods, as the parser types them."""
    columns = []
    for at, name in enumerate(header):
        cells = [row[at] for row in rows]
        dated = name.casefold() in {"year", "calendar year", "fiscal year", "month", "quarter"}
        kind = "period" if dated else kind_of(cells)
        columns.append(Column(index=at, name=name, kind=kind, period=(periods or {}).get(name)))
    return Table(
        id=f"t-{title}",
        title=title,
        origin=CellLocator(sheet=title, row=0, column=0),
        grid=(header, *rows),
        header=1,
        body=(1, 1 + len(rows)),
        columns=tuple(columns),
        key=key,
    )


def file(one: Document) -> tuple[WorkspaceFile, Document]:
    source = Source(publisher="p", title=one.title, licence="CC0-1.0", topic="made")
    return (
        WorkspaceFile(
            sha256=one.sha256,
            name=one.name,
            family=one.family,
            bytes=1,
            role="core",
            why="made",
            source=source,
        ),
        one,
    )


def found(*documents: Document) -> list[Computed]:
    return between([file(one) for one in documents], LIMITS)


def of_kind(computed: list[Computed], kind: str) -> list[Computed]:
    return [one for one in computed if one.kind == kind]


def totals(one: Computed) -> list[list[float]]:
    """The value of each part of each equation: sums where it has several places."""
    return [
        [sum(float(place.value) for place in part) for part in equation.parts] for equation in one.equations
    ]


# --- names and periods ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("FY 1999", "fy1999"),
        ("fy99", "fy1999"),
        ("1998-99", "fy1999"),
        ("Fiscal Year 2021", "fy2021"),
        ("2021", "2021"),
        ("Oct-22", "2022-10"),
        ("October 2022", "2022-10"),
        ("2022-10-01", "2022-10"),
        ("Sep. 30, 2023", "2023-09-30"),
        ("September 30, 2023", "2023-09-30"),
        ("2020 Q3", "2020-q3"),
        ("2,022", None),
        ("Total", None),
        ("1,450", None),
    ],
)
def test_periods_in_one_form(text, period):
    assert canonical_period(text) == period


def test_states_are_read_only_where_the_column_is_of_states():
    assert clean_key("TX", states=True) == clean_key("Texas")
    assert clean_key("MD") == "md"


def test_names_that_abbreviate_one_another_are_alike():
    assert alike("A_MEDIAN", "Median annual wage, 2022") == 1
    assert alike("Recipients", "Median annual wage") == 0
    assert years_in("FY21 and 1998-99, of 2019") == {2021, 2019, 1998}


@pytest.mark.parametrize(
    ("text", "number", "scale"),
    [
        ("$110.7B", 110.7, 1e9),
        ("297.2M", 297.2, 1e6),
        ("3 million", 3.0, 1e6),
        ("(4.5K)", None, None),
        ("12", None, None),
    ],
)
def test_suffixes_are_scales(text, number, scale):
    parsed = parse_scaled(text)
    assert (parsed and parsed[1:]) == (None if number is None else (number, scale))
    # What has no scale stays with the plain reader, which knows nothing of suffixes.
    assert parse_number("$110.7B") is None


# --- sums -------------------------------------------------------------------------------------------------------------


def monthly(years: tuple[int, ...] = (2018, 2019, 2020)) -> tuple[Document, dict[int, float]]:
    """A long table of monthly amounts of two kinds, and the sums of fiscal years from October."""
    rows, fiscal = [], {}
    for number, (year, month, kind) in enumerate(product(years, range(12), ("Onshore", "Offshore"))):
        amount = 10_000.37 + 173.11 * number
        rows.append((MONTHS[month], year, kind, amount))
        ends = year + (month >= 9)
        fiscal[ends] = fiscal.get(ends, 0.0) + amount
    table = sheet(("Month", "Calendar Year", "Kind", "Amount"), rows, "Monthly", key=None)
    return document("monthly.xlsx", "xlsx", (table,)), fiscal


def test_twelve_months_from_october_are_a_fiscal_year_elsewhere():
    months, fiscal = monthly()
    years = sheet(("Fiscal Year", "Amount"), [(str(year), fiscal[year]) for year in (2019, 2020)], "Years")
    computed = of_kind(found(months, document("years.csv", "csv", (years,))), "aggregate")
    assert any(
        {round(one, 2) for one in parts} == {round(fiscal[2020], 2)}
        and len(equation.parts[1]) + len(equation.parts[0]) == 25
        for made in computed
        for equation, parts in zip(made.equations, totals(made), strict=True)
    )


def test_sums_by_kind_and_year_are_the_rows_of_another_table():
    months, _ = monthly()
    sums: dict[tuple[int, str], float] = {}
    for row in months.tables[0].grid[1:]:
        sums[row[1], row[2]] = sums.get((row[1], row[2]), 0.0) + row[3]
    offshore = [(str(year), sums[year, "Offshore"]) for year in (2018, 2019, 2020)]
    other = document("other.csv", "csv", (sheet(("Year", "Offshore amount"), offshore),))
    made = of_kind(found(months, other), "aggregate")
    assert any(len(one.equations) == 3 and all(round(a - b, 4) == 0 for a, b in totals(one)) for one in made)


def test_a_sum_stated_in_a_text_is_found_by_its_digits():
    months, _ = monthly()
    whole = sum(row[3] for row in months.tables[0].grid[1:])
    text = document("report.docx", "docx", texts=(f"Total disclosed ${whole:,.2f} over three years.",))
    made = of_kind(found(months, text), "aggregate")
    assert any(len(one.equations[0].parts[1]) == 72 for one in made)


def test_a_sum_that_nobody_states_is_no_relation():
    months, _ = monthly()
    text = document("report.docx", "docx", texts=("Total disclosed $12,345,678.90 over three years.",))
    assert not of_kind(found(months, text), "aggregate")


# --- the same figure --------------------------------------------------------------------------------------------------


def test_a_rounded_figure_is_found_by_name_scale_and_year():
    table = sheet(
        ("name", "FY21 total"),
        [("realty transfer", 315_763_463.0), ("wage", 1_465_696_151.0), ("sales", 12_345_678.0)],
    )
    text = document(
        "FY2021 cash.pdf",
        "pdf",
        texts=("Amounts in millions", "Realty transfer 36.4 315.8", "Sales 99.1 104.2"),
    )
    made = of_kind(found(document("taxes.csv", "csv", (table,)), text), "equal")
    assert [[part[0].value for part in equation.parts] for one in made for equation in one.equations] == [
        [315.8, 315_763_463.0]
    ]
    assert made[0].equations[0].template == "1000000 * {0} - {1}"


def test_a_rounded_figure_of_another_name_or_year_is_not():
    table = sheet(
        ("name", "FY21 total"),
        [("parking", 315_763_463.0), ("wage", 1_465_696_151.0), ("sales", 12_345_678.0)],
    )
    text = document("FY2021 cash.pdf", "pdf", texts=("Amounts in millions", "Realty transfer 36.4 315.8"))
    assert not found(document("taxes.csv", "csv", (table,)), text)
    named = sheet(
        ("name", "FY18 total"),
        [("realty transfer", 315_763_463.0), ("wage", 1_465_696_151.0), ("sales", 12_345.0)],
    )
    assert not found(document("taxes 2018.csv", "csv", (named,)), text)


def test_long_figures_that_nearly_agree_under_one_name_are_a_conflict():
    one = document("adopted 2020.docx", "docx", texts=("Total, General Fund 5,036,533,283 in 2020",))
    table = sheet(
        ("Fund", "2020 actual"),
        [("TOTAL GENERAL FUND", 5_036_533_622.0), ("Water", 78.0), ("Aviation", 41.0)],
    )
    made = of_kind(found(one, document("report.csv", "csv", (table,))), "conflict")
    assert len(made) == 1
    assert made[0].equations[0].template == "{0} - {1}"


def test_short_figures_that_happen_to_agree_are_nothing():
    one = sheet(("City", "Visitors"), [("Aa", 512.0), ("Bb", 733.0), ("Cc", 918.0), ("Dd", 120.0)])
    other = sheet(("Product", "Weight"), [("Ww", 512.0), ("Xx", 733.0), ("Yy", 918.0), ("Zz", 120.0)])
    assert not found(document("a.csv", "csv", (one,)), document("b.csv", "csv", (other,)))


def test_editions_of_a_row_that_nearly_agree_conflict():
    def edition(name: str, shift: float) -> Document:
        header = ("", *(str(year) for year in range(2021, 2029)))
        rows = [
            (label, *(base + 31.7 * at + shift for at in range(8)))
            for label, base in (("Current", 1357.9), ("New", 802.9), ("Change", 555.0))
        ]
        return document(name, "pdf", (sheet(header, rows, "Liability by Year"),))

    made = of_kind(found(edition("june.pdf", 0.0), edition("august.pdf", 4.3)), "conflict")
    assert any(len(one.equations) == 8 and "Current" in one.why for one in made)


# --- identities -------------------------------------------------------------------------------------------------------


def parts(name: str, values: tuple[float, ...]) -> Document:
    names = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir")
    return document(name, "xlsx", (sheet(("State", "Families"), list(zip(names, values, strict=True))),))


def test_two_files_that_add_up_to_a_third():
    a, b = (11.5, 20.0, 31.0, 44.0, 0.0, 6.0), (3.0, 2.0, 9.0, 14.0, 0.0, 0.0)
    whole = tuple(x + y for x, y in zip(a, b, strict=True))
    made = of_kind(found(parts("a.xlsx", a), parts("b.xlsx", b), parts("c.xlsx", whole)), "identity")
    assert len(made) == 1
    assert [round(one + other - both, 9) for one, other, both in totals(made[0])] == [0.0] * 6
    off = (*whole[:2], whole[2] + 1, *whole[3:])
    assert not of_kind(found(parts("a.xlsx", a), parts("b.xlsx", b), parts("c.xlsx", off)), "identity")


def test_columns_that_a_text_says_are_subtracted():
    rows = [(f"State {letter}", 100.0 + at, 10.0 + at, 5.0, 85.0) for at, letter in enumerate("ABCDEFG")]
    table = sheet(
        ("State", "Awarded", "Transfers to Care Fund", "Transfers to Service Grant", "Adjusted Award"), rows
    )
    rule = document(
        "rules.docx",
        "docx",
        texts=("We subtract Transfers to Care Fund and Transfers to Service Grant from Awarded.",),
    )
    made = of_kind(found(document("wide.xlsx", "xlsx", (table,)), rule), "identity")
    assert len(made) == 1
    assert len(made[0].equations) == 8
    silent = document("rules.docx", "docx", texts=("Adjusted Award is described elsewhere.",))
    assert not of_kind(found(document("wide.xlsx", "xlsx", (table,)), silent), "identity")


def test_a_row_that_grows_at_the_rate_of_another():
    years = tuple(str(year) for year in range(2017, 2025))
    rate = (1553.4, 1615.0, 1652.0, 1647.3, 1515.5, 1627.5, 1829.8, 1926.7)
    target = tuple(float(round(106_055_367 * one / rate[0])) for one in rate)
    index = sheet(
        ("", *years),
        [("INTS", *rate), ("GDP", *(one * 3 + at for at, one in enumerate(rate))), ("CPI", *range(100, 108))],
    )
    goals = sheet(
        ("", *years),
        [
            ("Interest", *target),
            ("Wages", *(one + 5e6 * at for at, one in enumerate(target))),
            ("Rent", *range(900, 908)),
        ],
    )
    made = of_kind(
        found(document("index.csv", "csv", (index,)), document("goals.csv", "csv", (goals,))), "identity"
    )
    assert len(made) == 1
    assert all(abs(base * new / old - goal) <= 1 for base, new, old, goal in totals(made[0]))


# --- joins ------------------------------------------------------------------------------------------------------------


def test_tables_join_on_codes_beside_the_names():
    codes = ("11-0000", "13-0000", "15-0000", "17-0000", "19-0000")
    one = sheet(
        ("TITLE", "OCC_CODE", "A_MEDIAN"),
        [(f"Group {code}", code, 50_000.0 + 911 * at) for at, code in enumerate(codes)],
    )
    other = sheet(
        ("Occupation", "Matrix code", "Median annual wage"),
        [(f"{code} occupations", code, 53_000.0 + 700 * at) for at, code in enumerate(codes)],
    )
    made = of_kind(
        found(document("a 2021.csv", "csv", (one,)), document("b.xlsx", "xlsx", (other,))), "shared_key"
    )
    assert any(len(pair.equations) == 5 for pair in made)


def test_tables_join_on_several_columns_together():
    keys = list(product(("Retail", "Hotel"), ("North", "South"), ("weekday", "weekend")))
    left = sheet(
        ("type", "borough", "day", "trucks"), [(*key, 0.3 + at / 10) for at, key in enumerate(keys)], key=None
    )
    right = sheet(
        ("type", "borough", "day", "trips"), [(*key, 329.0 + at) for at, key in enumerate(keys)], key=None
    )
    made = of_kind(found(document("a.csv", "csv", (left,)), document("b.csv", "csv", (right,))), "shared_key")
    assert any(len(one.equations) == 8 for one in made)


def test_counters_join_nothing():
    one = sheet(("No", "Income"), [(str(at), 100.0 + 7 * at) for at in range(1, 9)])
    other = sheet(("No", "Height"), [(str(at), 50.0 + 3 * at) for at in range(1, 9)])
    assert not of_kind(
        found(document("a.csv", "csv", (one,)), document("b.csv", "csv", (other,))), "shared_key"
    )


# --- bounds and references --------------------------------------------------------------------------------------------


def test_a_definition_that_flags_rows():
    rows = [
        (f"State {at}", float(deaths), "Unreliable" if deaths < 20 else "2.1")
        for at, deaths in enumerate((5, 17, 21, 60, 19, 44))
    ]
    table = sheet(("State", "Deaths", "Rate"), rows)
    rule = document(
        "readme.md", "md", texts=("Rates based on fewer than 20 deaths are flagged as Unreliable.",)
    )
    made = of_kind(found(document("states.csv", "csv", (table,)), rule), "threshold")
    assert len(made) == 1
    assert "flagged" in made[0].why
    values = [
        evaluate(equation.template.format("a", "b"), {"a": a, "b": b})
        for equation, (a, b) in zip(made[0].equations[1:], totals(made[0])[1:], strict=True)
    ]
    assert values == [1, 1, 0, 0, 1, 0]


def test_the_same_bound_in_two_documents():
    one = document(
        "guide.pdf", "pdf", texts=("We suppress data for institutions with fewer than 30 students.",)
    )
    other = document("dictionary.docx", "docx", texts=("Admission rate, suppressed for n<30",))
    assert len(of_kind(found(one, other), "equal")) == 1
    opposite = document("dictionary.docx", "docx", texts=("Admission rate, suppressed for n>30",))
    assert not of_kind(found(one, opposite), "equal")


def test_numbers_and_columns_that_documents_refer_to():
    request = document("request.md", "md", texts=("In reply refer to: AB09160019",))
    prices = document(
        "prices.xlsx",
        "xlsx",
        (sheet(("Item", "Price"), [("AB09160019 template", 1.0), ("b", 2.0), ("c", 3.0)]),),
    )
    made = of_kind(found(request, prices), "reference")
    assert len(made) == 1
    assert [part[0].value for part in made[0].equations[0].parts] == ["AB09160019", "AB09160019"]
    guide = document(
        "guide.pdf", "pdf", texts=("Fuel for motorcycles is entered on the worksheet Fuel in column B.",)
    )
    fuel = document(
        "fuel.xlsx",
        "xlsx",
        (sheet(("Year", "Motorcycles"), [("2001", 3.0), ("2002", 4.0), ("2003", 6.0)], "Fuel"),),
    )
    columns = of_kind(found(guide, fuel), "reference")
    assert [part[0].value for part in columns[0].equations[0].parts] == ["column B", "Motorcycles"]


def test_codes_that_a_text_lists_beside_the_names():
    rows = [
        (21, "Passenger Car", 25),
        (11, "Motorcycle", 10),
        (31, "Passenger Truck", 25),
        (43, "School Buses", 40),
        (54, "Motor Home", 50),
    ]
    table = sheet(("typeID", "typeName", "groupID"), [tuple(row) for row in rows], key=1)
    lines = tuple(f"{code} {group} {name}" for code, name, group in rows)
    made = of_kind(
        found(document("t.xlsx", "xlsx", (table,)), document("sheet.pdf", "pdf", texts=lines)), "equal"
    )
    assert any(len(one.equations) == 10 for one in made)
    wrong = tuple(f"{code + 1} {group} {name}" for code, name, group in rows)
    assert not of_kind(
        found(document("t.xlsx", "xlsx", (table,)), document("sheet.pdf", "pdf", texts=wrong)), "equal"
    )


# --- into the graph ---------------------------------------------------------------------------------------------------


def test_sums_become_series_and_are_read_again():
    months, fiscal = monthly()
    years = document(
        "years.csv",
        "csv",
        (sheet(("Fiscal Year", "Amount"), [(str(year), fiscal[year]) for year in (2019, 2020)], "Years"),),
    )
    others = [
        document(f"other{at}.csv", "csv", (sheet(("A", "B"), [("x", 1.0), ("y", 2.0), ("z", 3.0)]),))
        for at in (1, 2)
    ]
    files = [file(one) for one in (months, years, *others)]
    workspace = Workspace(
        id="ws-made", seed=seed("reconciliation"), topic="made", files=tuple(one for one, _ in files)
    )
    documents = {one.sha256: one for _, one in files}

    def reread(sha256: str, locator: CellLocator) -> str:
        cell = documents[sha256].tables[0].grid[locator.row][locator.column]
        return str(cell)

    draft = Draft(workspace, reread)
    for computed in between(files, LIMITS):
        draft.add(computed)
    graph = draft.built()
    assert graph.dropped == 0
    values: dict[str, object] = {node.id: node.value for node in graph.nodes}
    values |= {one.id: [values[name] for name in one.nodes] for one in graph.series}
    for edge in graph.edges:
        if edge.expression is not None:
            assert evaluate(edge.expression, values) == pytest.approx(edge.result)
            assert edge.kind == "aggregate" or edge.result is not None
    assert any("sum(" in (edge.expression or "") for edge in graph.edges)
    assert sha("monthly.xlsx") in {node.file for node in graph.nodes}


def test_the_same_files_give_the_same_relations():
    months, fiscal = monthly()
    years = document(
        "years.csv",
        "csv",
        (sheet(("Fiscal Year", "Amount"), [(str(year), fiscal[year]) for year in (2019, 2020)]),),
    )
    assert [one.why for one in found(months, years)] == [one.why for one in found(months, years)]
