"""What no case may rest on: names that tell nothing, parents beside their parts, totals, headers borne twice."""

import pytest
from made_library import DEPARTMENTS, document, library, table

from graphforge.workspace import Library

FIGURES = [10 + number * number for number, _ in enumerate(DEPARTMENTS)]
LATER = [12 + number * (number + 1) for number, _ in enumerate(DEPARTMENTS)]


def cases(*rows: list[list[object]]) -> Library:
    return library(
        *(("budget", document(f"{number}.csv", (table(one, title=""),))) for number, one in enumerate(rows))
    )


def kinds(found: Library) -> set[str]:
    return {case.kind for case in found.findings.cases}


def sheet(head: list[str], *columns: list[object]) -> list[list[object]]:
    return [head, *([*row] for row in zip(DEPARTMENTS, *columns, strict=True))]


@pytest.mark.parametrize(
    ("header", "offered"),
    [("Spending", True), ("Total spending", True), ("x_17", False), ("spend_t90", False)],
)
def test_what_cannot_be_named_is_no_case(header: str, offered: bool) -> None:
    found = cases(sheet(["Department", f"{header} 2020", f"{header} 2021"], FIGURES, LATER))
    assert ("periods" in kinds(found)) is offered


def test_parents_that_only_another_column_names_are_not_added_to_their_parts() -> None:
    parents: list[object] = [
        DEPARTMENTS[0] if number in (1, 2, 3) else "" for number in range(len(DEPARTMENTS))
    ]
    groups: list[object] = [f"Group {number % 2}" for number in range(len(DEPARTMENTS))]
    for other, told in ((parents, False), (groups, True)):
        found = cases(
            sheet(["Department", "belonging", "Spending 2020", "Spending 2021"], other, FIGURES, LATER)
        )
        assert bool(kinds(found) & {"periods", "shares"}) is told


def test_homes_are_no_base_for_what_happens_to_people() -> None:
    for left, right, joined in (
        ("Hospitalizations", "Planned homes", False),
        ("Hospitalizations", "Population", True),
        ("Rental assistance cases", "Planned homes", True),
    ):
        found = cases(
            sheet(["District", left], FIGURES), sheet(["District", right], [100 * one for one in LATER])
        )
        assert ("pair_other_measure" in kinds(found)) is joined, (left, right)
