"""What can be named in words, and rows known by their names."""

import doctest

import pytest

from graphforge.records import additive, adds_up, goes_with, kind_of, kinds, nameable, rows_named, wording


@pytest.mark.parametrize("module", [kinds, wording, additive])
def test_the_examples_of_the_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("header", "titles", "named"),
    [
        ("Permits issued", (), True),
        ("9a. Subsidized Employment", (), True),
        ("x_17", (), False),
        ("mod_reliability_t90 years", ("modules",), False),
        ("deaths_15", ("rates by state",), False),
        ("fy22_ytd", ("2021 07 tax",), False),
        ("Jul-23", ("TANF: Total Number of Families; Fiscal Year 2023",), True),
        ("total", ("budgeted department spending",), True),
        ("total", ("Sheet1", "FY15"), False),
        ("2036", ("SOI estimates",), False),
    ],
)
def test_a_measure_has_a_header_or_a_title_in_words(
    header: str, titles: tuple[str, ...], named: bool
) -> None:
    assert nameable(header, titles) is named


def test_rows_of_codes_without_a_header_cannot_be_named() -> None:
    assert not rows_named("", ["POP_DEP", "AGIR1", "XTOT", "WAS_10"], "")
    assert rows_named("", ["POP_DEP", "AGIR1", "XTOT", "WAS_10"], "Targets by variable group")
    assert rows_named("Row Labels", ["Personal Services", "Debt Service"], "")
    assert rows_named("Date", ["2003-01-01", "2003-02-01", "2003-03-01"], "")


@pytest.mark.parametrize(
    ("names", "noun"),
    [
        (("AL", "AK", "AZ", "AR"), "state"),
        (("Texas", "Utah", "Guam", "Puerto Rico", "Elsewhere"), "state"),
        (("January", "Feb", "Mar 2021"), "month"),
        (("FY 2019", "2020", "2021"), "year"),
        (("2020-01-01", "2020-02-01", "2020-03-01"), "date"),
        (("Department of Health", "Office of Housing", "Board of Ethics", "Police"), "department"),
        (("Management occupations", "Legal occupations", "Sales and related occupations"), "occupation"),
        (("Canada", "Mexico", "France", "Atlantis"), "country"),
        (("Alder", "Birch", "Cedar"), None),
        (("Texas", "Utah"), None),
    ],
)
def test_rows_are_known_by_their_names(names: tuple[str, ...], noun: str | None) -> None:
    assert kind_of(names) == noun


@pytest.mark.parametrize(
    ("above", "below", "fits"),
    [
        ("Cases", "Population", True),
        ("Number of recipients", "Households", True),
        ("Total obligations", "Employees", True),
        ("Rental assistance cases", "Housing units", True),
        ("Number (2023) pedestrian hospitalizations", "# of Projected Housing Units", False),
        ("Deaths", "Homes", False),
        ("Total Fuels", "Population", False),
        ("Barrels", "Acres", True),
        ("Receipts", "Appropriations", None),
    ],
)
def test_people_and_homes_are_a_base_only_for_what_happens_to_them(
    above: str, below: str, fits: bool | None
) -> None:
    assert goes_with(above, below) is fits


def test_one_unit_over_another_does_not_add_up() -> None:
    assert not adds_up("Total Mass g/m^2") and not adds_up("Emissions", "lb/MWh")
    assert adds_up("Fish/Seafood sales") and adds_up("Tons and/or barrels")
