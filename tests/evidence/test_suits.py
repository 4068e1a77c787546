"""What a pattern needs of a relation beside its kind."""

import pytest

from graphforge.evidence.measures import Measure
from graphforge.evidence.relations import Finding, growth
from graphforge.evidence.suits import suits
from graphforge.records import TableCellLocator
from tests.evidence.test_relations import BASE, measure

MORE = {name: value + 5 for name, value in BASE.items()}


def moved(header: str, names: dict[str, str] | None = None) -> Finding:
    called = names or {}
    newer, older = (
        measure(
            {called.get(name, name): value for name, value in values.items()},
            f"{header}, {year}",
            period=year,
        )
        for values, year in ((MORE, "2021"), (BASE, "2020"))
    )
    return Finding("growth", (newer, older), tuple(newer.rows), 1.0)


def parts(values: dict[str, float]) -> Finding:
    one = measure(values)
    return Finding("share", (one,), tuple(one.rows), 1.0)


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("Permits issued", True),
        ("Employment", True),
        ("class_100", False),
        ("class 100", False),
        ("SOI estimates (1)", False),
        ("Total", False),
        ("fy21 ytd (current)", False),
    ],
)
def test_outsiders_are_told_of_measures_that_are_called_by_words(header, told):
    assert suits("stakeholder_communication", moved(header)) is told
    assert suits("quantitative_modeling", moved(header))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("WAGE_10", False),
        ("birt", False),
        ("CGNS", False),
        ("NY", True),
        ("Free Library", True),
        ("iPad", True),
    ],
)
def test_outsiders_are_told_of_rows_that_are_called_by_words(name, told):
    assert suits("stakeholder_communication", moved("Permits issued", {"Alder": name})) is told


def test_an_allocation_needs_one_largest_row_and_rows_that_receive():
    assert suits("budgeting_and_allocation", parts(BASE))
    assert not suits("budgeting_and_allocation", parts({**BASE, "Elm": BASE["Fir"]}))
    assert suits("data_analysis_and_reporting", parts({**BASE, "Elm": BASE["Fir"]}))


def test_classes_need_some_rows_and_no_years():
    assert not suits("classification_and_coding", parts(BASE))
    many = {f"Town {number}": float(number) for number in range(1, 10)}
    assert suits("classification_and_coding", parts(many))
    years = {str(2010 + number): float(number) for number in range(1, 10)}
    assert not suits("classification_and_coding", parts(years))


@pytest.mark.parametrize(
    ("files", "header", "found"),
    [
        (("taxes_2021-06.csv", "taxes_2020-06.csv"), "Taxes, YTD", True),
        (("taxes_2021-07.csv", "taxes_2020-06.csv"), "Taxes, YTD", False),
        (("taxes_2021-07.csv", "taxes_2020-06.csv"), "Taxes, year to date", False),
        (("taxes_2021-07.csv", "taxes_2020-06.csv"), "Taxes", True),
        (("taxes_2021-07.csv", "taxes_2021-07.csv"), "Taxes, YTD", True),
    ],
)
def test_a_year_to_date_is_compared_with_one_of_the_same_month(files, header, found):
    newer = measure(MORE, f"{header}, 2021", files[0], period="2021")
    older = measure(BASE, f"{header}, 2020", files[1], period="2020")
    assert (growth(newer, older, 4) is not None) is found


def test_a_header_that_two_were_read_into_is_no_period():
    newer = measure(MORE, "Taxes, Aug 2021", period="2021")
    assert growth(newer, measure(BASE, "Taxes, Aug 2020", period="2020"), 4) is not None
    assert growth(newer, measure(BASE, "Taxes, Aug 2019 2020", period="2020"), 4) is None


def test_totals_are_stated_of_whole_tables_only():
    """Sixteen departments of a page are no city: a table that goes on over the page carries no letter and no model."""

    def paged(one: Measure) -> Measure:
        here = one.table.model_copy(update={"origin": TableCellLocator(page=1, table=0, row=0, column=0)})
        there = here.model_copy(
            update={"id": "t2", "origin": TableCellLocator(page=2, table=0, row=0, column=0)}
        )
        whole = one.document.model_copy(update={"tables": (here, there)})
        return Measure(one.file, whole, here, one.column, one.rows)

    found = moved("Permits issued")
    part = Finding("growth", (found.measures[0], paged(found.measures[1])), found.keys, 1.0)
    for pattern in ("stakeholder_communication", "quantitative_modeling"):
        assert suits(pattern, found) and not suits(pattern, part)
        # The last page bears the total of all of them.
        newer, older = (
            measure(values, f"Taxes, {year}", period=year, total=sum(values.values()) + more)
            for values, year, more in ((MORE, "2021", 900.0), (BASE, "2020", 800.0))
        )
        assert not suits(pattern, Finding("growth", (newer, older), tuple(newer.rows), 1.0))
        newer, older = (
            measure(values, f"Taxes, {year}", period=year, total=sum(values.values()))
            for values, year in ((MORE, "2021"), (BASE, "2020"))
        )
        assert suits(pattern, Finding("growth", (newer, older), tuple(newer.rows), 1.0))
