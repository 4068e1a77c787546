"""Relations between measures: what counts as the same measure, as parts of a whole, as a later period."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.evidence.find import find_among
from graphforge.evidence.measures import Measure, list_measures
from graphforge.evidence.relations import (
    are_periods,
    conflict,
    confuser,
    growth,
    moment,
    share,
    shared,
    shared_key,
    speak_of_one_thing,
    takes_one_side,
    told_apart_by_date,
)
from graphforge.records import CellLocator, Column, Document, Source, Table, TableCellLocator, WorkspaceFile
from tests.made_case import LIMITS, document, sha


def measure(
    values: dict[str, float],
    header: str = "Permits issued",
    file: str = "a.xlsx",
    period: str | None = None,
    unit: str | None = None,
    total: float | None = None,
) -> Measure:
    grid = [("District", header), *values.items()]
    if total is not None:
        grid.append(("Total", total))
    table = Table(
        id="t1",
        title="Sheet",
        origin=CellLocator(sheet="Sheet", row=0, column=0),
        grid=tuple(grid),
        header=1,
        body=(1, 1 + len(values)),
        totals=() if total is None else (len(grid) - 1,),
        columns=(
            Column(index=0, name="District", kind="text"),
            Column(index=1, name=header, kind="number", unit=unit, period=period),
        ),
        key=0,
    )
    one = document(file, "xlsx", (table,))
    source = Source(publisher="p", title=file, licence="CC0-1.0", topic="t")
    described = WorkspaceFile(
        sha256=sha(file), name=file, family="xlsx", bytes=1, role="core", why="made", source=source
    )
    return Measure(
        described, one, table, table.columns[1], {name.casefold(): at + 1 for at, name in enumerate(values)}
    )


BASE = {"Alder": 10.0, "Birch": 20.0, "Cedar": 30.0, "Dogwood": 45.0, "Elm": 50.0, "Fir": 61.0}


@pytest.mark.parametrize(
    ("header", "stem"),
    [
        ("Recipients, October 2022", "recipients"),
        ("FY2019 obligations", "obligations"),
        ("obligations_fy19", "obligations"),
        ("Revenue, June 30, 2021", "revenue"),
        ("2021", ""),
        ("Q3 2020 sales", "sales"),
        ("Maybe sales", "maybe sales"),
        ("Number of permits", "number of permits"),
    ],
)
def test_a_stem_is_the_header_without_its_period(header, stem):
    assert measure(BASE, header.replace("_", " ")).stem == stem


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("2021", (2021,)),
        ("FY2021", (2021,)),
        ("FY 21", (2021,)),
        ("October 2022", (2022, 10)),
        ("2022-10", (2022, 10)),
        ("Q3 2020", (2020, 3)),
        ("2019 to 2021", None),
        ("Jan to Mar 2020", None),
        (None, None),
        ("preliminary", None),
    ],
)
def test_a_period_becomes_a_moment_or_nothing(period, expected):
    assert moment(period) == expected


def test_two_editions_conflict_and_two_years_do_not():
    other = {**BASE, "Birch": 22.0}
    assert conflict(measure(BASE), measure(other, file="b.xlsx"), 4) is not None
    assert conflict(measure(BASE), measure(BASE, file="b.xlsx"), 4) is None
    assert conflict(measure(BASE, period="2020"), measure(other, file="b.xlsx", period="2021"), 4) is None
    assert conflict(measure(BASE, unit="thousand"), measure(other, file="b.xlsx", unit="million"), 4) is None
    assert conflict(measure(BASE), measure(other), 4) is None


def test_wholly_different_figures_are_no_editions_of_one_another():
    other = {name: value * 7 for name, value in BASE.items()}
    assert conflict(measure(BASE), measure(other, file="b.xlsx"), 4) is None


def test_growth_needs_a_later_period_of_the_same_kind():
    newer = {name: value * 1.1 for name, value in BASE.items()}
    one = measure(newer, "Permits issued 2021", file="permits_2021.xlsx", period="2021")
    other = measure(BASE, "Permits issued 2020", file="permits_2020.xlsx", period="2020")
    assert growth(one, other, 4) is not None
    assert growth(other, one, 4) is None
    month = measure(BASE, "Permits issued", file="permits_2020_03.xlsx", period="March 2020")
    assert growth(one, month, 4) is None


def test_two_programmes_that_count_alike_are_no_growth_and_no_conflict():
    """Every header is the same: only the names of the files tell them apart."""
    newer = {name: value * 1.1 for name, value in BASE.items()}
    one = measure(newer, "Families 2021", file="fy2021_ssp_caseload.xlsx", period="2021")
    for file, same in (("fy2020_ssp_caseload.xlsx", True), ("fy2020_tanf_caseload.xlsx", False)):
        other = measure(BASE, "Families 2020", file=file, period="2020")
        assert (growth(one, other, 4) is not None) is same
    half = {name: value + 5 * (place % 2) for place, (name, value) in enumerate(BASE.items())}
    one = measure(BASE, "Families", file="fy2020_ssp_caseload.xlsx")
    for file, same in (("fy2020_ssp_caseload_revised.xlsx", True), ("fy2020_tanf_caseload.xlsx", False)):
        assert (conflict(one, measure(half, "Families", file=file), 4) is not None) is same


def test_files_with_other_names_state_the_same_where_nearly_all_agrees():
    much = {f"Town {n}": 10.0 + n for n in range(12)}
    changed = much | {"Town 3": 99.0}
    one, other = measure(much, file="survey.xlsx"), measure(changed, file="puf_targets.xlsx")
    assert conflict(one, other, 4) is not None
    zeros = dict.fromkeys(much, 0.0) | {"Town 1": 5.0, "Town 2": 7.0}
    one = measure(zeros, file="survey.xlsx")
    assert conflict(one, measure(zeros | {"Town 1": 6.0}, file="puf_targets.xlsx"), 4) is None


def test_bounds_of_an_interval_don_t_grow():
    newer = {name: value * 1.1 for name, value in BASE.items()}
    for header, measured in (("Rate", True), ("Rate Upper 95% Confidence Interval", False)):
        one = measure(newer, f"{header} 2021", file="rates_2021.xlsx", period="2021")
        other = measure(BASE, f"{header} 2020", file="rates_2020.xlsx", period="2020")
        assert (growth(one, other, 4) is not None) is measured


def test_amounts_of_files_of_other_years_are_not_set_against_each_other():
    staff = {name: value + 3 for name, value in BASE.items()}
    one = measure({name: 10 * value for name, value in BASE.items()}, "Cases", file="cases_2021.xlsx")
    for file, same in (("staff.xlsx", True), ("staff_2021.xlsx", True), ("staff_2019.xlsx", False)):
        assert (shared_key(one, measure(staff, "Employees", file=file), 4) is not None) is same


@pytest.mark.parametrize(
    "name", ["Total", "United States", "All districts", "Net income", "Gross pay", "Subtotal east"]
)
def test_a_row_that_is_a_sum_is_no_part(name):
    assert share(measure(BASE, "Permits issued"), 4) is not None
    assert share(measure({**BASE, name: 216.0}, "Permits issued"), 4) is None


def test_a_row_that_is_half_of_everything_is_a_hidden_sum():
    assert share(measure({**BASE, "Somewhere": sum(BASE.values())}, "Permits issued"), 4) is None


@pytest.mark.parametrize(
    "header", ["Unemployment rate", "Average price", "Share (%)", "Median income", "Risk score"]
)
def test_rates_and_averages_have_no_parts(header):
    assert share(measure(BASE, header), 4) is None


def test_what_nothing_says_is_counted_needs_a_printed_total():
    assert share(measure(BASE, "Reading"), 4) is None
    assert share(measure(BASE, "Reading", total=sum(BASE.values())), 4) is not None
    assert share(measure(BASE, "Permits issued", total=300.0), 4) is None


def test_bare_counters_join_nothing_and_years_do():
    counted = {str(at): float(at * at + 3) for at in range(1, 9)}
    years = {str(year): float(year % 7 + 1) for year in range(2010, 2018)}
    assert shared(measure(counted), measure(counted, file="b.xlsx"), 4) == ()
    assert len(shared(measure(years), measure(years, file="b.xlsx"), 4)) == 8


def test_a_join_needs_a_divisor_everywhere():
    other = {**BASE, "Elm": 0.0}
    assert shared_key(measure(BASE), measure(BASE, "Inspectors", file="b.xlsx"), 4) is not None
    assert shared_key(measure(BASE), measure(other, "Inspectors", file="b.xlsx"), 4) is None


def test_a_join_needs_something_that_amounts_are_told_for_each_of_or_one_subject():
    def joined(one: str, other: str) -> bool:
        left, right = (
            measure({**BASE}, one),
            measure({name: 2 * v for name, v in BASE.items()}, other, file="b.xlsx"),
        )
        return shared_key(left, right, 4) is not None or shared_key(right, left, 4) is not None

    assert joined("Hospitalizations", "Population")
    assert joined("Permit revenue", "Permit cases")
    assert not joined("Hospitalizations", "Seats projected")
    assert not joined("Module Properties T90", "Installed capacity MW")
    assert not joined("Electricity", "Other")


@pytest.mark.parametrize(
    ("title", "header", "name"),
    [
        ("TANF: Total Number of Families; Fiscal Year 2022; 2023-03-31", "2022-07-01",
         "TANF: Total Number of Families, 2022-07-01"),
        ("Obligations by department | FY 2021", "2021", "Obligations by department, 2021"),
        ("2022; 2023", "2021", "2022; 2023, 2021"),
        ("Obligations; FY 2021", "Permits issued", "Permits issued"),
    ],
)  # fmt: skip
def test_a_header_that_is_only_a_date_is_named_by_its_table_without_the_dates_of_that(title, header, name):
    one = measure(BASE, header)
    named = Measure(
        one.file, one.document, one.table.model_copy(update={"title": title}), one.column, one.rows
    )
    assert named.name == name


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("counts-2016-03-16.csv", "counts-2016-03-30.csv"),
        ("counts_2016_03_30.csv", "counts_2016_04_02.csv"),
        ("budget proposed 2020.xlsx", "budget adopted 2020.xlsx"),
        ("rates provisional.xlsx", "rates.xlsx"),
        ("report 2021.xlsx", "report 2021 revised.xlsx"),
        ("rates_04-11-24.xlsx", "rates_05_20_25_provisional.xlsx"),
    ],
)
def test_of_two_editions_the_older_comes_first_however_they_are_given(older, newer):
    changed = {**BASE, "Birch": BASE["Birch"] + 50}
    one, two = measure(BASE, file=older), measure(changed, file=newer)
    for left, right in ((one, two), (two, one)):
        found = conflict(left, right, 4)
        assert found is not None
        assert [side.file.name for side in found.measures] == [older, newer]


def test_counts_of_bodies_that_stand_in_several_rows_need_a_stated_total():
    assert share(measure(BASE, "Number of families"), 4) is not None
    assert share(measure(BASE, "Number of institutions"), 4) is None


def test_no_shares_where_a_heading_stands_over_its_parts_unless_the_total_says_that_it_adds_up():
    values = {"Fire": 339056.0, "Benefits": 593000.0, "Pension": 591416.0, "Tools": 1584.0, "Labor": 274910.0}
    assert share(measure(values, "Budget"), 4) is None
    assert share(measure({**values, "Benefits": 593001.0}, "Budget"), 4) is not None
    assert share(measure(values, "Budget", total=sum(values.values())), 4) is not None


@pytest.mark.parametrize("title", ["Top 10 Transactions", "The five largest employers", "Selected cities"])
def test_no_shares_of_a_list_of_some(title):
    one = measure(BASE, "Permits issued")
    listed = one.table.model_copy(update={"title": title})
    assert share(Measure(one.file, one.document, listed, one.column, one.rows), 4) is None


def test_no_shares_where_a_column_tells_the_level_of_each_row():
    one = measure(BASE, "Permits issued")
    for name, parts in (("GeoType", False), ("Geography level", False), ("Remark", True)):
        columns = (*one.table.columns, Column(index=2, name=name, kind="text"))
        grid = tuple((*row, "x") for row in one.table.grid)
        table = one.table.model_copy(update={"columns": columns, "grid": grid})
        found = share(Measure(one.file, one.document, table, one.column, one.rows), 4)
        assert (found is not None) is parts


def test_rows_of_several_units_have_no_sum_no_growth_and_no_ratio():
    rows = {
        "Net sales": 10.0,
        "Gross margin": 4.0,
        "Net income": 3.0,
        "Earnings per share": 0.2,
        "Cost of sales": 6.0,
    }
    more = {name: 1.5 * value for name, value in rows.items()}
    newer, older = measure(more, "Amount", period="2024"), measure(rows, "Amount", period="2023")
    assert growth(newer, older, 4) is None and share(newer, 4) is None
    assert shared_key(newer, measure(rows, "Employees", file="b.xlsx"), 4) is None
    plain = {
        name.replace("per share", "total").replace("margin", "profit"): value for name, value in more.items()
    }
    assert growth(measure(plain, "Amount", period="2024"), measure({name: value / 1.5 for name, value in plain.items()},
                  "Amount", period="2023"), 4) is not None  # fmt: skip


def test_rows_that_head_their_parts_are_subtotals_that_nobody_would_leave_out_alike():
    parts = {"Chemicals": 593000.0, "Metal": 591416.0, "Food": 274910.0}
    rows = {"Retail": 339056.0, "Manufacturing": sum(parts.values()), **parts, "Education": 812004.0}
    less = {name: round(value * 0.9) for name, value in rows.items()}
    less["Manufacturing"] = sum(less[name] for name in parts)
    newer, older = measure(rows, "Tax", period="2024"), measure(less, "Tax", period="2023")
    assert growth(newer, older, 4) is None
    assert shared_key(newer, measure(less, "Employees", file="b.xlsx"), 4) is None
    assert (
        conflict(measure(rows, "Tax"), measure({**rows, "Retail": 1.0}, "Tax", file="b.xlsx"), 4) is not None
    )


def test_no_shares_of_a_table_that_goes_on_over_the_page():
    one = measure(BASE, "Permits issued")
    first = one.table.model_copy(update={"origin": TableCellLocator(page=0, table=0, row=0, column=0)})
    second = first.model_copy(
        update={"id": "t2", "origin": TableCellLocator(page=1, table=0, row=0, column=0)}
    )
    far = second.model_copy(update={"origin": TableCellLocator(page=2, table=0, row=0, column=0)})

    def shares(table, *others):
        held = one.document.model_copy(update={"tables": (table, *others)})
        return share(Measure(one.file, held, table, one.column, one.rows), 4) is not None

    other = second.model_copy(update={"columns": tuple(
        column.model_copy(update={"name": f"another {column.name}"}) for column in second.columns)})  # fmt: skip
    assert shares(first) and shares(first, far) and shares(first, other)
    assert not shares(first, second) and not shares(second, first)
    ended = first.model_copy(update={"totals": (len(first.grid) - 1,), "body": (1, len(first.grid) - 1)})
    whole = one.document.model_copy(update={"tables": (ended, second)})
    assert not whole.is_part(ended)
    last = second.model_copy(update={"totals": ended.totals, "body": ended.body})
    parts = one.document.model_copy(update={"tables": (first, last)})
    assert parts.is_part(first) and parts.is_part(last)
    below = first.model_copy(update={"id": "t2", "header": 0, "key": None})
    assert one.document.model_copy(update={"tables": (first, below)}).is_part(first)
    assert not one.document.model_copy(update={"tables": (ended, below)}).is_part(ended)


def test_one_page_of_a_table_is_not_compared_with_another_edition():
    one, other = measure(BASE, "Budget"), measure({**BASE, "Fir": 62.0}, "Budget", file="b.xlsx")
    assert find_among([one, other], [], [], LIMITS).findings["conflict"]
    pages = [
        one.table.model_copy(
            update={"id": f"t{page}", "origin": TableCellLocator(page=page, table=0, row=0, column=0)}
        )
        for page in (0, 1)
    ]
    held = one.document.model_copy(update={"tables": tuple(pages)})
    part = Measure(one.file, held, pages[0], one.column, one.rows)
    assert not find_among([part, other], [], [], LIMITS).findings["conflict"]


@given(st.dictionaries(st.sampled_from(list(BASE)), st.floats(-0.5, 0.5), min_size=0))
def test_a_confuser_lists_exactly_the_rows_that_differ(changes):
    other = {name: value * (1 + changes.get(name, 0.0)) for name, value in BASE.items()}
    found = confuser(measure(BASE), measure(other, file="b.xlsx", period="2019"), 4)
    differing = [
        name.casefold()
        for name in BASE
        if abs(other[name] - BASE[name]) > 1e-4 * max(other[name], BASE[name])
    ]
    if len(differing) < max(2, 0.2 * len(BASE)):
        assert found is None
    else:
        assert found is not None
        assert list(found.keys) == differing


@given(st.permutations(list(BASE)))
def test_the_order_of_rows_changes_no_relation(names):
    shuffled = {name: BASE[name] + (1 if name == "Birch" else 0) for name in names}
    found = conflict(measure(BASE), measure(shuffled, file="b.xlsx"), 4)
    assert found is not None
    assert found.keys == tuple(name.casefold() for name in BASE)


FUNDS = ("General", "Grants", "TOTAL OPERATING FUNDS", "Capital", "Bonds", "TOTAL CAPITAL FUNDS", "All funds")


def edition(name: str, figures: tuple[float, ...], at_end: int) -> tuple[WorkspaceFile, Document]:
    """A table of funds of which a parser took the last ``at_end`` rows for its end."""
    made = Table(
        id="t1",
        title="Cash",
        origin=CellLocator(sheet="Cash", row=0, column=0),
        grid=(("Fund", "Cash balance"), *zip(FUNDS, figures, strict=True)),
        header=1,
        body=(1, 1 + len(FUNDS) - at_end),
        totals=tuple(range(1 + len(FUNDS) - at_end, 1 + len(FUNDS))),
        columns=(
            Column(index=0, name="Fund", kind="text"),
            Column(index=1, name="Cash balance", kind="number"),
        ),
        key=0,
    )
    one = document(name, "xlsx", (made,))
    source = Source(publisher="p", title=name, licence="CC0-1.0", topic="t")
    file = WorkspaceFile(
        sha256=one.sha256, name=name, family="xlsx", bytes=1, role="core", why="made", source=source
    )
    return file, one


@pytest.mark.parametrize("ends", [(0, 0), (1, 0), (2, 1), (0, 2)])
def test_totals_are_left_out_of_both_editions_wherever_a_table_ends(ends: tuple[int, int]) -> None:
    first = edition("cash Q1.xlsx", (10.0, 20.0, 30.0, 5.0, 7.0, 12.0, 42.0), ends[0])
    second = edition("cash Q2.xlsx", (10.0, 21.0, 31.0, 5.0, 7.0, 12.0, 43.0), ends[1])
    documents = {one.sha256: one for _, one in (first, second)}
    left, right = list_measures([first[0], second[0]], documents, 100, 4)
    found = conflict(left, right, 4)
    assert found is not None and found.keys == ("general", "grants", "capital", "bonds")
    # A total between the others may be all that is told of its parts, unless the last one says that nothing is missing.
    assert (share(left, 4) is not None) is (ends[0] == 1)


def test_growth_and_joins_keep_parents_and_parts_apart() -> None:
    def with_parents(one: Measure, parents: tuple[str, ...]) -> Measure:
        column = Column(index=2, name="part_of_whom", kind="text")
        grid = tuple((*row, cell) for row, cell in zip(one.table.grid, ("head", *parents), strict=True))
        changed = one.table.model_copy(update={"columns": (*one.table.columns, column), "grid": grid})
        return Measure(one.file, one.document, changed, one.column, one.rows)

    later = measure({name: value + 3 for name, value in BASE.items()}, "Permits, 2021", period="2021")
    earlier = measure(BASE, "Permits, 2020", period="2020")
    staff = measure({name: value / 5 for name, value in BASE.items()}, "Employees", file="b.xlsx")
    nested, flat = ("", "Alder", "Alder", "", "Dogwood", "Dogwood"), ("x", "y", "x", "y", "x", "y")
    for parents, told in ((nested, False), (flat, True)):
        assert (growth(with_parents(later, parents), earlier, 4) is not None) is told
        assert (shared_key(with_parents(later, parents), staff, 4) is not None) is told
        assert (share(with_parents(later, parents), 4) is not None) is told


def test_a_measure_beside_itself_has_no_ratio() -> None:
    one = measure(BASE, "Population")
    other = measure({name: value + 1 for name, value in BASE.items()}, "population_16", file="b.xlsx")
    assert shared_key(one, other, 4) is None and shared_key(other, one, 4) is None


def test_month_ends_without_a_year_are_no_two_periods():
    """ "Jan 31" and "Dec 31" read as months of 2031: December came first, in a fiscal year that ends in June."""
    ends = [measure(BASE, "Amounts, Jan 31", period="2031-01")]
    ends.append(
        measure({name: 2 * value for name, value in BASE.items()}, "Amounts, Dec 31", period="2031-12")
    )
    assert growth(ends[1], ends[0], 4) is None and growth(ends[0], ends[1], 4) is None
    years = [measure(BASE, "Amounts, Jan-21", period="2021-01")]
    years.append(
        measure({name: 2 * value for name, value in BASE.items()}, "Amounts, Dec-22", period="2022-12")
    )
    assert growth(years[1], years[0], 4) is not None


@pytest.mark.parametrize(
    "rows",
    [
        ("2016", "2017", "2018", "2019", "2020", "2021"),
        ("Alder", "Birch", "Cedar", "Elm", "Fir", "Total other"),
    ],
)
def test_no_growth_where_rows_are_periods_too_or_totals(rows):
    newer, older = (
        measure({name: factor * (7 + 3 * at) for at, name in enumerate(rows)}, "Tax", period=period)
        for factor, period in ((2, "2021"), (1, "2020"))
    )
    assert growth(newer, older, 4) is None
    plain = [name.replace("Total other", "Ginkgo") for name in rows]
    newer, older = (
        measure({name: factor * (7 + 3 * at) for at, name in enumerate(plain)}, "Tax", period=period)
        for factor, period in ((2, "2021"), (1, "2020"))
    )
    assert (growth(newer, older, 4) is None) == (plain[0] == "2016")


def test_names_that_only_hold_a_year_are_no_periods():
    assert are_periods(("2016", "fy2017", "march 2018", "2019 04 30"))
    assert not are_periods(("alder 2016", "birch 2017", "cedar 2018", "elm 2019"))
    assert not are_periods(())


def test_one_count_of_two_days_is_not_two_sources():
    def counted(file, period=None):
        return measure(BASE, "Cases", file=file, period=period)

    week, next_week = counted("counts-2016-03-16.csv"), counted("counts-2016-03-30.csv")
    assert told_apart_by_date(week, next_week)
    assert not told_apart_by_date(week, counted("bulletin.csv"))
    assert not told_apart_by_date(counted("health.csv"), counted("bulletin.csv"))
    # Both say what they count and when, whatever their files are dated.
    assert not told_apart_by_date(
        counted("adopted-FY2014.csv", "FY2013"), counted("adopted-FY2015.csv", "FY2013")
    )


def test_what_a_brief_may_bring_together():
    permits, inspectors = measure(BASE, "Permits issued"), measure(BASE, "Permit inspectors", file="b.xlsx")
    homes, spending = (
        measure(BASE, "Homes", file="c.xlsx"),
        measure(BASE, "Spending", file="d.xlsx", unit="USD"),
    )
    assert speak_of_one_thing(permits, inspectors) and speak_of_one_thing(inspectors, spending)
    assert not speak_of_one_thing(permits, homes)


def test_a_part_beside_its_whole_takes_one_side():
    whole = {name: value + (at > 1) * 5 for at, (name, value) in enumerate(BASE.items())}
    revised = {
        name: value + (-5 if at % 2 else 5) * (at > 1) for at, (name, value) in enumerate(BASE.items())
    }
    keys = [name.casefold() for name in BASE]
    part = measure(BASE)
    assert takes_one_side(part, measure(whole, file="b.xlsx"), keys)
    assert takes_one_side(measure(whole, file="b.xlsx"), part, keys)
    assert not takes_one_side(part, measure(revised, file="b.xlsx"), keys)
    one_row = {**BASE, "Alder": 12.0}
    assert not takes_one_side(part, measure(one_row, file="b.xlsx"), keys)
