"""A relation that is planted in generated files is found; in files that have nothing to do with one another, none."""

import random
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from graphforge.evidence.computed import best
from graphforge.evidence.draft import Draft
from graphforge.records import Document, Workspace
from graphforge.records.arithmetic import FUNCTIONS, evaluate
from tests.evidence.test_survey import MONTHS, document, file, found, of_kind, seed, sheet, totals

STATES = ("Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Delaware", "Florida")
DEPARTMENTS = ("Police", "Streets", "Library", "Health", "Revenue", "Records", "Prisons")
# No round figures: what ends in zeros has few digits, and says little.
AMOUNTS = st.lists(
    st.integers(1_000, 999_999).map(lambda one: 10 * one + 7), min_size=8, max_size=8, unique=True
)
QUICK = settings(max_examples=25, deadline=None)


def awards(amounts: list[int], people: list[int] | None = None) -> Document:
    """A short table of awards a state, in dollars."""
    weights = people or list(range(11, 11 + len(amounts)))
    rows = list(zip(STATES, map(float, amounts), map(float, weights), strict=True))
    return document("awards.csv", "csv", (sheet(("State", "Award", "Number of recipients"), rows, "Awards"),))


def report(*texts: str, name: str = "report.docx") -> Document:
    return document(name, "docx", texts=texts)


# --- means, extremes, counts ------------------------------------------------------------------------------------------


@QUICK
@given(AMOUNTS, st.sampled_from(("mean", "max", "min")))
def test_a_stated_statistic_is_the_columns(amounts, how):
    value = {"mean": sum(amounts) / 8, "max": max(amounts), "min": min(amounts)}[how]
    word = {"mean": "average", "max": "highest", "min": "lowest"}[how]
    stated = f"{value:,.2f}" if how == "mean" else f"{value:,}"
    made = of_kind(found(awards(amounts), report(f"The {word} award was ${stated} last year.")), "aggregate")
    assert any(one.equations[0].how == ("sum", how) and len(one.equations[0].parts[1]) == 8 for one in made)


@QUICK
@given(AMOUNTS, st.sampled_from(("average", "highest", "lowest")), st.integers(2, 900))
def test_a_statistic_that_is_a_little_wrong_is_not(amounts, word, off):
    value = {"average": sum(amounts) / 8, "highest": max(amounts), "lowest": min(amounts)}[word] + off
    if round(value, 2) in {float(one) for one in amounts}:
        return
    made = found(awards(amounts), report(f"The {word} award was ${value:,.2f} last year."))
    assert not [one for one in of_kind(made, "aggregate") if one.equations[0].how]


@QUICK
@given(AMOUNTS, st.lists(st.integers(11, 9_000), min_size=8, max_size=8, unique=True))
def test_a_weighted_mean_names_its_weights(amounts, people):
    mean = sum(a * b for a, b in zip(amounts, people, strict=True)) / sum(people)
    text = f"The average award was ${mean:,.2f} a recipient."
    made = of_kind(found(awards(amounts, people), report(text)), "aggregate")
    assert any("sum({1} * {2})" in str(one.equations[0].template) for one in made)


def test_a_count_is_of_the_rows_of_that_name():
    rows = [(f"Station {at}", 10.5 + at) for at in range(613)]
    table = document("stations.csv", "csv", (sheet(("Station", "Depth"), rows, "Stations"),))
    made = of_kind(found(table, report("Number of stations with a depth reading: 613")), "aggregate")
    assert any(one.equations[0].how == ("sum", "count") for one in made) is False, (
        "613 cells are too many for one"
    )
    fewer = document("stations.csv", "csv", (sheet(("Station", "Depth"), rows[:487], "Stations"),))
    made = of_kind(found(fewer, report("Number of stations with a depth reading: 487")), "aggregate")
    assert any(one.equations[0].how == ("sum", "count") for one in made)
    assert not of_kind(found(fewer, report("Number of stations with a depth reading: 488")), "aggregate")


@pytest.mark.parametrize("scale", ["million", "thousand"])
def test_a_rounded_mean_in_another_unit(scale):
    amounts = [1_234_567, 2_345_678, 3_456_789, 4_567_891, 5_678_912, 6_789_123, 7_891_234, 8_912_345]
    power = {"million": 1e6, "thousand": 1e3}[scale]
    text = f"The average award was ${sum(amounts) / 8 / power:,.3f} {scale}."
    made = of_kind(found(awards(amounts), report(text)), "aggregate")
    assert any(one.equations[0].how == ("sum", "mean") for one in made)


def months_of_rates(draw: random.Random) -> tuple[Document, dict[int, float]]:
    rows, means = [], {}
    for year in (2018, 2019, 2020):
        rates = [round(draw.uniform(2, 12), 2) for _ in MONTHS]
        rows += [(month, year, rate) for month, rate in zip(MONTHS, rates, strict=True)]
        means[year] = sum(rates) / 12
    table = sheet(("Month", "Year", "Unemployment rate"), rows, "Monthly", key=None)
    return document("months.xlsx", "xlsx", (table,)), means


@QUICK
@given(st.integers(0, 10**6))
def test_years_that_are_means_of_months(number):
    months, means = months_of_rates(random.Random(number))
    rows = [(str(year), round(mean, 3)) for year, mean in means.items()]
    years = document("years.csv", "csv", (sheet(("Year", "Unemployment rate"), rows, "Years"),))
    made = of_kind(found(months, years), "aggregate")
    assert any(one.equations[0].how == ("sum", "mean") and len(one.equations) == 3 for one in made)
    wrong = document(
        "years.csv", "csv", (sheet(("Year", "Rate"), [(a, b + 0.01) for a, b in rows], "Years"),)
    )
    assert not of_kind(found(months, wrong), "aggregate")


# --- parts of long tables that a document names -----------------------------------------------------------------------


def positions(draw: random.Random) -> tuple[Document, dict[tuple[object, ...], int]]:
    """A long table with four columns of kinds, and the sums over departments."""
    rows, sums = [], {}
    for year, fund, variable, department in product(
        (2019, 2020, 2021), ("General", "Grants"), ("Adopted Budget", "Actual"), DEPARTMENTS
    ):
        count = draw.randint(300, 4_000)
        rows.append((department, fund, variable, year, count))
        sums[year, fund, variable] = sums.get((year, fund, variable), 0) + count
    table = sheet(("Department", "Fund", "Variable", "Fiscal Year", "Positions"), rows, "Long", key=None)
    return document("positions.csv", "csv", (table,)), sums


@QUICK
@given(st.integers(0, 10**6), st.sampled_from(("General", "Grants")), st.sampled_from((2019, 2020, 2021)))
def test_a_total_is_the_sum_of_what_its_document_names(number, fund, year):
    long, sums = positions(random.Random(number))
    value = sums[year, fund, "Adopted Budget"]
    assume(value % 100)
    text = f"Total positions, {fund} fund, adopted budget: {value:,}"
    made = of_kind(found(long, report(text, name=f"summary FY{year}.docx")), "aggregate")
    assert any(totals(one)[0] == [value, value] and len(one.equations[0].parts[1]) == 7 for one in made)
    wrong = report(text.replace(f"{value:,}", f"{value + 1:,}"), name=f"summary FY{year}.docx")
    assert not of_kind(found(long, wrong), "aggregate")


@QUICK
@given(st.integers(0, 10**6))
def test_names_beside_a_printed_column_that_nearly_agrees(number):
    draw = random.Random(number)
    rows = [
        (name, year, month, round(draw.uniform(1e5, 9e6)))
        for name, year, month in product(DEPARTMENTS, (2020, 2021), MONTHS)
    ]
    long = document(
        "months.csv", "csv", (sheet(("Tax", "Year", "Month", "Amount"), rows, "Months", key=None),)
    )
    sums = {name: sum(row[3] for row in rows if row[:2] == (name, 2021)) for name in DEPARTMENTS}
    revised = {
        name: value * (1 + (0.015 if at == 3 else 0.0004 * (at % 3)))
        for at, (name, value) in enumerate(sums.items())
    }
    printed = [(f"TOTAL {name.upper()} TAX", float(round(value))) for name, value in revised.items()]
    paper = document("June 2021.pdf", "pdf", (sheet(("Tax", "Collected"), printed, "Collections 2021"),))
    made = of_kind(found(long, paper), "conflict")
    assert any({"health"} <= {equation.key for equation in one.equations} for one in made)
    # Other figures under the same names are no revision.
    strange = [(name, float(draw.randint(10**6, 10**8))) for name, _ in printed]
    other = document("June 2021.pdf", "pdf", (sheet(("Tax", "Collected"), strange, "Collections 2021"),))
    assert not of_kind(found(long, other), "conflict")


@QUICK
@given(st.lists(st.integers(2_000, 90_000), min_size=3, max_size=4, unique=True), st.integers(0, 10**6))
def test_years_beside_the_slice_that_their_titles_name(counts, number):
    draw = random.Random(number)
    years = range(2015, 2015 + len(counts))
    rows = []
    for state, cause, (at, year), month in product(
        ("Ohio", "Texas", "United States"), ("Cocaine", "Heroin"), enumerate(years), MONTHS
    ):
        meant = (state, cause, month) == ("United States", "Cocaine", "December")
        value = round(counts[at] * 1.004) if meant else draw.randint(10**5, 10**6)
        rows.append((state, cause, year, month, value))
    long = document(
        "counts.csv", "csv", (sheet(("State", "Cause", "Year", "Month", "Value"), rows, "Counts", key=None),)
    )
    final = [(str(year), float(count)) for year, count in zip(years, counts, strict=True)]
    own = document("cocaine_national.csv", "csv", (sheet(("Year", "Deaths"), final, ""),))
    apart = (max(counts) - min(counts)) / max(counts)
    made = [one for one in of_kind(found(long, own), "conflict") if "cocaine" in one.why]
    # 0.4 % between the files count where the years are ten times as far from each other.
    if apart > 0.045:
        assert made
    elif apart < 0.035:
        assert not made


def test_royalties_a_barrel_are_sums_over_sums():
    kinds = list(product(range(2003, 2012), ("Federal", "Tribal"), ("Oil", "Gas")))
    money = [
        (year, land, what, paid, 1e6 + 997.0 * at + 1e5 * (paid == "Royalties"))
        for at, ((year, land, what), paid) in enumerate(product(kinds, ("Royalties", "Rents")))
    ]
    volumes = [
        (year, land, f"{what} Prod Vol", month, 1e5 + 13.0 * at)
        for at, ((year, land, what), month) in enumerate(product(kinds, MONTHS[:3]))
    ]
    revenue = sheet(
        ("Year", "Land Class", "Commodity", "Revenue Type", "Revenue"), money, "Revenue", key=None
    )
    volume = sheet(("Year", "Land Class", "Commodity", "Month", "Volume"), volumes, "Volume", key=None)
    made = of_kind(
        found(document("revenue.xlsx", "xlsx", (revenue,)), document("volume.xlsx", "xlsx", (volume,))),
        "shared_key",
    )
    assert any("royalties" in one.why and len(one.equations) == 9 for one in made)
    assert all(one.why.startswith("sums of “Revenue”") for one in made if one.why.startswith("sums"))


# --- what readers leave where one wouldn't look -----------------------------------------------------------------------


def test_a_lookup_takes_the_first_of_the_few_rows_that_differ():
    kinds = list(
        product(("Shop", "Hotel", "Office"), ("North", "South", "East", "West"), ("weekday", "weekend"))
    )
    trucks = [
        (*kind, time, 0.5 + at if (at, time) != (3, "PM") else 99.0)
        for (at, kind), time in product(enumerate(kinds), ("AM", "PM"))
    ]
    trips = [(*kind, time, 100.0 + 7 * at) for (at, kind), time in product(enumerate(kinds), ("AM", "PM"))]
    left = sheet(("type", "borough", "day", "time", "trucks"), trucks, "Trucks", key=None)
    right = sheet(("type", "borough", "day", "time", "trips"), trips, "Trips", key=None)
    made = of_kind(
        found(document("a.xlsx", "xlsx", (left,)), document("b.xlsx", "xlsx", (right,))), "shared_key"
    )
    shared = [one for one in made if len(one.equations) == len(kinds)]
    assert shared
    assert all(99.0 not in parts for one in shared for parts in totals(one))


def test_a_scale_stated_in_a_cell_counts_for_the_rounded_figures_below():
    cash = sheet(
        ("Item", "Total"),
        [("Amounts in millions", None), ("Realty transfer tax", 315.8), ("Parking tax", 49.1)],
        "Cash flow FY2021",
    )
    tax = sheet(
        ("Tax", "FY2021"), [("Realty transfer", 315_763_463.0), ("Sales", 218_489_807.0), ("Soda", 6.9e7)], ""
    )
    made = of_kind(found(document("cash.pdf", "pdf", (cash,)), document("tax.csv", "csv", (tax,))), "equal")
    assert any("1000000 *" in str(one.equations[0].template) for one in made)


def test_a_figure_among_texts_is_one_where_it_is_written_so():
    long, _ = positions(random.Random(1))
    whole = sum(row[4] for row in long.tables[0].grid[1:]) * 1_000 + 1
    rows = [(*row[:4], float(row[4]) * 1_000) for row in long.tables[0].grid[1:]]
    rows[0] = (*rows[0][:4], rows[0][4] + 1)
    grants = sheet(("Department", "Fund", "Variable", "Fiscal Year", "Amount"), rows, "Long", key=None)
    facts = sheet(
        ("Topic", "Detail"),
        [("Years", "2019–2021"), ("Total disclosed", f"${whole:,}"), ("Kinds", "two")],
        "",
    )
    made = of_kind(
        found(document("g.csv", "csv", (grants,)), document("facts.pdf", "pdf", (facts,))), "aggregate"
    )
    assert any(whole in parts for one in made for parts in totals(one))


def test_the_best_of_a_kind_are_spread_over_tables():
    wide = [
        (name, *(float(1_000 * at + 37 * row) for at in range(1, 9))) for row, name in enumerate(STATES, 1)
    ]
    header = ("State", *(f"Measure {letter}" for letter in "ABCDEFGH"))
    first, second = (document(f"{name}.xlsx", "xlsx", (sheet(header, wide, "Wide"),)) for name in "ab")
    other = document("c.xlsx", "xlsx", (sheet(("State", "Measure A"), [row[:2] for row in wide], "Narrow"),))
    kept = best(of_kind(found(first, second, other), "equal"), 4)
    assert len(kept) == 4
    assert any(other.sha256 in one.files() for one in kept)


# --- into the graph, and nothing by chance ----------------------------------------------------------------------------


def test_a_mean_in_a_graph_is_computed_over_its_cells():
    amounts = [1_234_567, 2_345_678, 3_456_789, 4_567_891, 5_678_912, 6_789_123, 7_891_234, 8_912_345]
    text = f"The average award was ${sum(amounts) / 8:,.2f} last year."
    files = [file(awards(amounts)), file(report(text))]
    documents = {one.sha256: one for _, one in files}
    workspace = Workspace(
        id="ws-made",
        seed=seed("reconciliation"),
        topic="made",
        files=tuple(one for one, _ in [*files, *(file(document(f"o{at}.csv", "csv")) for at in (1, 2))]),
    )

    def reread(sha256: str, locator) -> str:
        one = documents[sha256]
        return str(one.tables[0].grid[locator.row][locator.column]) if one.tables else one.blocks[0].text

    draft = Draft(workspace, reread)
    for computed in of_kind(found(*(one for _, one in files)), "aggregate"):
        draft.add(computed)
    graph = draft.built()
    edge = next(edge for edge in graph.edges if "mean(" in str(edge.expression))
    values: dict[str, object] = {node.id: node.value for node in graph.nodes}
    values |= {one.id: [values[name] for name in one.nodes] for one in graph.series}
    assert evaluate(str(edge.expression), values, FUNCTIONS) == edge.result
    assert abs(float(edge.result or 0.0)) <= 0.005
    assert "AVERAGE(" in graph.formula(edge.id)
    assert "the mean of" in graph.sentence(edge.id)


WORDS = (
    "alpha bravo candle delta ember forest garden harbour island jungle kettle lantern meadow north".split()
)


def unrelated(draw: random.Random, name: str) -> Document:
    """A table of random figures by names of its own, and a paragraph with three random totals and means."""
    names = [f"{first} {second}" for first, second in product(draw.sample(WORDS, 4), draw.sample(WORDS, 3))]
    years = [str(year) for year in range(2015, 2021)]
    short = sheet(
        (draw.choice(WORDS), *(f"{draw.choice(WORDS)} {at}" for at in range(3))),
        [(one, *(round(draw.lognormvariate(8, 2), 1) for _ in range(3))) for one in names],
        name,
    )
    long = sheet(
        ("Kind", "Group", "Year", draw.choice(("Amount", "Cases", "Deaths", "Cost"))),
        [
            (kind, group, year, float(draw.randint(1, 10**6)))
            for kind, group, year in product(draw.sample(WORDS, 5), draw.sample(WORDS, 4), years)
        ],
        f"{name} long",
        key=None,
    )
    texts = tuple(
        f"The {how} {draw.choice(WORDS)} of {draw.choice(years)} was {draw.randint(10**3, 10**7):,}."
        for how in ("total", "average", "highest")
    )
    return document(f"{name}.xlsx", "xlsx", (short, long), texts=texts)


def test_unrelated_files_seldom_agree():
    """At most one in thirty workspaces of three unrelated files holds anything that would be reconciled or derived."""
    met = []
    for number in range(30):
        draw = random.Random(number)
        computed = found(*(unrelated(draw, f"{WORDS[number % 14]} {part} {number}") for part in "abc"))
        met.append([one for one in computed if one.kind in {"equal", "conflict", "aggregate", "identity"}])
    assert sum(bool(one) for one in met) <= 1, [one.why for group in met for one in group]
