"""Columns and rows as somebody at a desk calls them, and texts whose tables fill pages."""

import ast
import doctest
import re
from pathlib import Path

import pytest

from graphforge.records import Series, TableCellLocator, Where
from graphforge.tasks import naming, patterns
from graphforge.tasks.compose import _A_PAGE, View, key_label, noun
from graphforge.tasks.naming import measure_in_words
from tests.made_case import CASES, graph, workspace


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(naming).failed == 0


def series(measure: str, header: str = "", table: str = "", key: str = "State", **given: object) -> Series:
    fields = {
        "id": "s1", "file": "a" * 64, "name": "a.xlsx", "table": table, "key_name": key, "key_column": 0,
        "measure": measure, "place": TableCellLocator(table=0, row=1, column=1), "entities": ("A",), "nodes": ("n1",),
        "header": header, **given,
    }  # fmt: skip
    return Series.model_validate(fields)


@pytest.mark.parametrize(
    ("one", "title", "period", "said"),
    [
        (series("Sum of deaths"), "", "", "deaths"),
        (series("Sum of FY2013 Budgeted"), "FY13", "fiscal year 2013", "budgeted amounts"),
        (series("# of Projected Housing Units"), "", "", "number of projected housing units"),
        (
            series(
                "TANF: Total Number of Families, Jul-23",
                "Jul-23",
                "TANF: Total Number of Families; 2023-12-27",
            ),
            "",
            "July 2023",
            "number of families (TANF)",
        ),
        (series("total (FY 2022)", "total"), "budgeted department spending proposed", "", None),
        (
            series("total (FY 2022)", "total", where=(Where(column="fiscal_year", value="2022"),)),
            "budgeted department spending proposed",
            "fiscal year 2022",
            "budgeted department spending (proposed)",
        ),
        (
            series("Deaths (Opioids)", "Deaths", where=(Where(column="drug", value="Opioids"),)),
            "",
            "",
            "deaths (Opioids)",
        ),
        (series("x_17"), "Sheet1", "", None),
    ],
)
def test_measures_are_called_in_words(one: Series, title: str, period: str, said: str | None) -> None:
    if said is None and title.startswith("budgeted"):
        said = "budgeted department spending (proposed)"
    assert measure_in_words(one, title, period) == said


@pytest.mark.parametrize(
    ("key", "names", "table", "called", "label"),
    [
        ("", ("Texas", "Utah", "Ohio"), "", "state", "State"),
        ("Row Labels", ("Debt Service", "Purchases", "Rent"), "", "category", "Category"),
        ("Projection as of June 30, 2021", ("General", "Grants", "Other"), "", "row", "Item"),
        (
            "",
            ("iPhone", "Mac", "iPad"),
            "Net sales by product group (in millions):",
            "product group",
            "Product group",
        ),
        ("Corporate Name", ("A LLC", "B INC", "C CO"), "", "company", "Company"),
        ("Department", ("Fire", "Police", "Streets"), "", "department", "Department"),
    ],
)
def test_rows_are_called_what_they_are(
    key: str, names: tuple[str, ...], table: str, called: str, label: str
) -> None:
    one = series("x", key=key, table=table, entities=names, nodes=tuple(f"n{at}" for at in range(len(names))))
    assert (noun(one), key_label(one)) == (called, label)


def test_a_table_that_fills_pages_gets_no_limit_of_them() -> None:
    view = View(workspace("reconciliation", **CASES["reconciliation"]), graph("reconciliation"))
    options = {"paged": ("one page", "two sheets of paper"), "free": ("a note",)}
    assert {view.pick_for(_A_PAGE + 1, f"slot {number}", **options) for number in range(50)} == {"a note"}
    assert len({view.pick_for(_A_PAGE, f"slot {number}", **options) for number in range(50)}) == 3


_LENGTH = re.compile(r"\b(?:half|one|two|three|single|a|\d+) (?:pages?|sides?|sheets? of paper)\b|\bpages?\b")


def test_no_wording_of_a_text_with_a_table_limits_its_pages_unmarked() -> None:
    """Every wording with a length stands in ``paged``, or is of a text that has no table of all rows."""
    folder = Path(patterns.__file__).parent
    marked = loose = 0
    for path in sorted(folder.glob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            texts = [
                one.value
                for part in [*call.args, *(k.value for k in call.keywords if k.arg != "paged")]
                for one in ([part] if isinstance(part, ast.Constant) else getattr(part, "elts", []))
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            limited = [text for text in texts if _LENGTH.search(text)]
            if getattr(call.func, "attr", "") == "pick_for":
                assert not limited, (path.name, limited)
                marked += 1
            elif any("able" in text.split("heading")[0] and "the table" in text for text in limited):
                loose += 1
    assert marked >= 6 and loose == 0
