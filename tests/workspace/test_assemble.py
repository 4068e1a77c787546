"""Cases and assembly: which files go together, and that every seed ends as a workspace or a rejection."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_library import DEPARTMENTS, any_case, budget_library, document, library, seed, table

from graphforge.records import StageCount, Workspace
from graphforge.workspace import AssemblySettings, Library, assemble, families
from graphforge.workspace.cases import SAME_FIGURES
from graphforge.workspace.names import distinct_names, safe_name
from graphforge.workspace.relevance import Relevance
from graphforge.workspace.words import measure_of, period_of, without_period

SETTINGS = AssemblySettings(
    relevance=0.3,
    elsewhere=0.25,
    closeness=0.7,
    files_cost=0.1,
    topic_cost=0.01,
    smallest=4,
    largest=10,
    family_bonus=0.1,
    alone=0.4,
    most=1,
    again_cost=0.05,
)


def names(found: Library, hashes: tuple[str, ...]) -> list[str]:
    return [found.files[sha256].name for sha256 in hashes]


def kinds(found: Library) -> dict[str, list[list[str]]]:
    grouped: dict[str, list[list[str]]] = {}
    for case in found.findings.cases:
        grouped.setdefault(case.kind, []).append(names(found, case.core))
    return grouped


def test_two_editions_of_a_table_are_a_reconciliation() -> None:
    found = budget_library()
    assert kinds(found)["pair_same_measure"] == [["spending_FY20.csv", "spending_FY20_revised.csv"]]
    [case] = [case for case in found.findings.cases if case.kind == "pair_same_measure"]
    assert "6 rows agree, 2 differ" in case.why


def test_tables_that_agree_wholly_or_not_at_all_are_no_reconciliation() -> None:
    rows = [["Department", "Spending"]] + [[name, 10 + n * n] for n, name in enumerate(DEPARTMENTS)]
    other = [["Department", "Spending"]] + [[name, 11 + n * n] for n, name in enumerate(DEPARTMENTS)]
    copy = document("copy.json", (table(rows, title="Copy"),))
    found = library(
        ("budget", document("a.csv", (table(rows),))),
        ("budget", copy),
        ("budget", document("b.csv", (table(other),))),
    )
    assert "pair_same_measure" not in kinds(found)
    alternatives = found.findings.alternatives[document("a.csv").sha256]
    assert alternatives[copy.sha256] == SAME_FIGURES


def test_different_measures_of_the_same_rows_are_joined() -> None:
    pairs = kinds(budget_library())["pair_other_measure"]
    assert all("positions.csv" in pair for pair in pairs)
    assert len(pairs) == 3


def test_two_years_of_a_measure_are_a_forecast_in_their_order() -> None:
    found = budget_library()
    [first, *_] = [case for case in found.findings.cases if case.kind == "periods"]
    assert [piece.period for piece in first.pieces] == ["fy2020", "fy2021"]


def test_period_columns_of_one_table_are_a_forecast() -> None:
    rows = [["State", "2019 cases", "2020 cases"]] + [
        [name, 5 * n + 1, 6 * n + 2] for n, name in enumerate(DEPARTMENTS)
    ]
    found = library(("health", document("cases.csv", (table(rows),))))
    [case] = [case for case in found.findings.cases if case.kind == "periods"]
    assert [piece.name for piece in case.pieces] == ["2019 cases", "2020 cases"]


def test_a_measure_over_two_periods_is_offered_to_what_looks_at_change() -> None:
    found = budget_library()
    [first, *_] = [case for case in found.findings.cases if case.kind == "periods"]
    assert set(first.patterns) == {
        "forecasting_and_planning",
        "monitoring_and_exception_reporting",
        "data_analysis_and_reporting",
        "stakeholder_communication",
        "quantitative_modeling",
    }


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        (("2017", "2018", "2019", "2020", "2021", "2022"), ("2019 tax", "2020 tax")),
        (DEPARTMENTS, ("Cash, Jan 31", "Cash, Feb 28")),
    ],
    ids=["years in the rows", "ends of months"],
)
def test_columns_that_are_no_two_periods_are_no_such_case(
    rows: tuple[str, ...], heads: tuple[str, str]
) -> None:
    grid = [["Row", *heads]] + [[name, 5 * n + 1, 6 * n * n + 2] for n, name in enumerate(rows)]
    found = library(("taxes", document("taxes.csv", (table(grid),))))
    assert "periods" not in kinds(found)


@pytest.mark.parametrize(
    ("files", "brief"),
    [
        (("counts-2016-03-16.csv", "counts-2016-03-30.csv"), False),
        (("state.csv", "federal.csv"), True),
    ],
)
def test_one_count_of_two_days_is_no_work_for_a_brief(files: tuple[str, str], brief: bool) -> None:
    one = [["State", "Cases"]] + [[name, 10 + n * n] for n, name in enumerate(DEPARTMENTS)]
    # Sources with names of their own state the same where nearly all agrees.
    two = [["State", "Cases"]] + [[name, 10 + n * n + (n > 6)] for n, name in enumerate(DEPARTMENTS)]
    found = library(
        *(("health", document(file, (table(rows),))) for file, rows in zip(files, (one, two), strict=True))
    )
    [case] = [case for case in found.findings.cases if case.kind == "pair_same_measure"]
    assert "reconciliation" in case.patterns
    assert ("research_and_source_synthesis" in case.patterns) == brief


def test_series_that_only_share_their_years_are_no_work_for_a_brief() -> None:
    for case in budget_library().findings.cases:
        if case.kind == "pair_other_measure":
            assert "research_and_source_synthesis" in case.patterns
    years = [str(year) for year in range(2010, 2020)]
    one = [["Year", "Homes sold"]] + [[year, 10 + n * n] for n, year in enumerate(years)]
    two = [["Year", "Number of homes"]] + [[year, 900 + 7 * n * n] for n, year in enumerate(years)]
    found = library(
        ("homes", document("sales.csv", (table(one),))), ("homes", document("homes.csv", (table(two),)))
    )
    pairs = [case for case in found.findings.cases if case.kind == "pair_other_measure"]
    assert pairs and all("research_and_source_synthesis" not in case.patterns for case in pairs)


def test_a_stated_limit_meets_the_column_it_speaks_of() -> None:
    found = budget_library()
    thresholds = [case for case in found.findings.cases if case.kind == "threshold"]
    assert {found.files[case.text or ""].name for case in thresholds} == {"memo.md"}
    assert all("limit of 75" in case.why for case in thresholds)


def test_a_text_that_states_a_cell_is_a_quote() -> None:
    rows = [["State", "Deaths"]] + [[f"State {letter}", 1234 + 7 * n] for n, letter in enumerate("abcdefg")]
    found = library(
        ("health", document("deaths.csv", (table(rows),))),
        ("health", document("news.txt", text=("In State c there were 1,248 deaths.",), family="txt")),
        ("health", document("other.txt", text=("There were 1,248 whales elsewhere.",), family="txt")),
    )
    quotes = [case for case in found.findings.cases if case.kind == "quote"]
    assert [found.files[case.text or ""].name for case in quotes] == ["news.txt"]


@pytest.mark.parametrize(
    "changes",
    [{"truncated": True}, {"hidden": True}, {"key": None}],
    ids=["truncated", "hidden", "without a key"],
)
def test_unfit_tables_make_no_case(changes: dict[str, object]) -> None:
    rows = [["Department", "Spending"]] + [[name, 10 + n * n] for n, name in enumerate(DEPARTMENTS)]
    assert library(("budget", document("a.csv", (table(rows, **changes),)))).findings.cases == ()


def test_row_numbers_are_no_shared_key() -> None:
    def numbered(name: str, measure: str, step: int) -> tuple[str, object]:
        return "mixed", document(
            name, (table([["Row", measure]] + [[n, n * n * step + 3] for n in range(1, 9)]),)
        )

    assert "pair_other_measure" not in kinds(
        library(numbered("a.csv", "Spending", 2), numbered("b.csv", "Whales", 5))
    )


def assert_sound(found: Library, workspace: Workspace) -> None:
    assert 4 <= len(workspace.files) <= 12
    assert workspace.with_role("core")
    for file in workspace.files:
        assert file.why
        assert file.name == safe_name(file.name)
        assert file.sha256 in found.files


def test_every_seed_ends_as_a_workspace_or_a_rejection() -> None:
    found = budget_library()
    seeds = [
        seed(1, "Reconcile city budget spending of departments.", "reconciliation"),
        seed(2, "Clean the teeth of dental patients.", "reconciliation"),
        seed(3, "Monitor department budget spending.", "compliance_review"),
        seed(4, "Report budget spending by department.", "scheduling_and_coordination"),
        seed(5, "Reconcile budget spending of city departments again.", "reconciliation"),
        seed(6, "Revise city department spending.", "artifact_revision"),
    ]
    made = assemble(found, seeds, SETTINGS, any_case)
    workspaces, rejections = made.workspaces, made.rejections
    assert sorted([w.seed.id for w in workspaces] + [r.id for r in rejections]) == sorted(s.id for s in seeds)
    assert {r.id: r.reason for r in rejections} == {
        "seed-2": "no_coherent_case",
        "seed-4": "no_coherent_case",
        "seed-5": "cases_taken",
    }
    for workspace in workspaces:
        assert_sound(found, workspace)
    first = workspaces[0]
    assert [file.name for file in first.with_role("core")] == [
        "spending_FY20.csv",
        "spending_FY20_revised.csv",
    ]
    assert [file.name for file in first.with_role("confuser")] == ["spending_FY21.csv"]


def test_assembly_is_the_same_every_time() -> None:
    seeds = [
        seed(n, "Review the spending of city departments.", "data_analysis_and_reporting") for n in range(4)
    ]
    first = [w.line() for w in assemble(budget_library(), seeds, SETTINGS, any_case).workspaces]
    again = [w.line() for w in assemble(budget_library(), seeds, SETTINGS, any_case).workspaces]
    assert first
    assert first == again


def test_a_small_library_gives_too_few_files() -> None:
    rows = [["Department", "Spending"]] + [[name, 10 + n * n] for n, name in enumerate(DEPARTMENTS)]
    found = library(("budget", document("spending.csv", (table(rows),))))
    asked = seed(1, "Report department spending.", "data_analysis_and_reporting")
    [rejection] = assemble(found, [asked], SETTINGS, any_case).rejections
    assert rejection.reason == "too_few_files"


def test_a_library_without_relations_rejects_every_seed() -> None:
    found = library(("notes", document("a.txt", text=("Some words about whales.",), family="txt")))
    made = assemble(found, [seed(1, "Count whales.", "reconciliation")], SETTINGS, any_case)
    assert not made.workspaces
    assert [rejection.reason for rejection in made.rejections] == ["no_coherent_case"]


def test_sizes_are_spread_over_the_whole_range() -> None:
    [case, *_] = budget_library().findings.cases
    assert {SETTINGS.size(seed(n, "x", "reconciliation"), case) for n in range(200)} == set(range(4, 11))


def test_settings_refuse_an_empty_range() -> None:
    with pytest.raises(ValueError, match="must not be above"):
        AssemblySettings(
            relevance=1,
            elsewhere=0.25,
            closeness=0.5,
            files_cost=0,
            topic_cost=0,
            smallest=9,
            largest=5,
            family_bonus=0,
            alone=1,
            most=1,
            again_cost=0,
        )


def test_families_are_those_of_the_files() -> None:
    asked = seed(1, "Monitor department spending limits.", "compliance_review")
    [workspace] = assemble(budget_library(), [asked], SETTINGS, any_case).workspaces
    found = families(workspace)
    assert found["core_family"] == ("delimited",)
    assert set(found["input_family"]) <= {"delimited", "document"}
    assert found["topic"] == ("city_budget",)


paths = st.lists(
    st.lists(st.text(alphabet="aAbß/. \x00:é", min_size=1, max_size=4), min_size=1, max_size=3)
    .map("/".join)
    .filter(lambda path: bool(PurePosixPath(path).parts) and path.strip("/")),
    unique=True,
    max_size=8,
)


@given(paths)
def test_names_are_safe_and_distinct(given_paths: list[str]) -> None:
    found = distinct_names(given_paths)
    assert len(found) == len(given_paths)
    assert len({name.casefold() for name in found}) == len(found)
    for name in found:
        assert name
        assert name not in {".", ".."}
        assert not name.startswith(".")
        assert not set('/\\\x00:*?"<>|') & set(name)
        assert len(name.encode()) <= 255


@given(st.text(max_size=300))
def test_safe_names_stay_as_they_are(name: str) -> None:
    assert safe_name(safe_name(name)) == safe_name(name)


def test_clashing_names_get_their_folder() -> None:
    assert distinct_names(["tax/README.md", "budget/readme.md", "q/tax README.md"]) == [
        "README.md",
        "budget readme.md",
        "tax README.md",
    ]


@pytest.mark.parametrize(
    ("text", "period", "rest"),
    [
        ("FY21-Q4", "fy2021 q4", ""),
        ("cdc-state-case-counts-2016-02-17", "2016 02 17", "cdc state case counts"),
        ("May 2021 wages", "05 2021", "wages"),
        ("Parties may apply", "", "parties may apply"),
        ("avert_rates_05_20_25_provisional", "2025 05 20", "avert rates"),
        ("first quarter of 2021", "q1 2021", "of"),
    ],
)
def test_periods_are_told_from_measures(text: str, period: str, rest: str) -> None:
    assert period_of(text) == period
    assert without_period(text) == rest


def test_a_generic_column_takes_its_subject_along() -> None:
    assert measure_of("Total", "Wage tax 2020") == measure_of("total", "Wage tax 2021")
    assert measure_of("Total", "Wage tax") != measure_of("Total", "Sales tax")
    assert measure_of("Wage tax 2020", "a") == measure_of("Wage tax (revised)", "b")


def joined(left: str, first: list[object], right: str, second: list[object]) -> bool:
    found = library(
        *(
            (
                "city",
                document(f"{at}.csv", (table([["Department", name], *map(list, rows)], title="Tables"),)),
            )
            for at, name, rows in (
                ("a", left, zip(DEPARTMENTS, first, strict=True)),
                ("b", right, zip(DEPARTMENTS, second, strict=True)),
            )
        )
    )
    return "pair_other_measure" in kinds(found)


@pytest.mark.parametrize(
    ("left", "right", "second", "together"),
    [
        ("Permits issued", "Inspectors", [3, 4, 9, 2, 6, 8, 7, 5], True),
        ("Permits issued", "Price per litre", [3, 4, 9, 2, 6, 8, 7, 5], False),
        ("Permits issued", "Share of homes", [0.3, 0.4, 0.9, 0.2, 0.6, 0.8, 0.7, 0.5], False),
        ("Permits issued 2020", "Inspectors 2021", [3, 4, 9, 2, 6, 8, 7, 5], False),
        ("Permits issued", "Revenue", [0, 4, 9, 2, 6, 8, 7, 5], True),
        ("Permits issued", "BRT Number", [3171, 4022, 9430, 2115, 6022, 8777, 7001, 5119], False),
    ],
)
def test_two_measures_are_a_case_where_one_may_be_told_for_each_of_the_other(
    left: str, right: str, second: list[object], together: bool
) -> None:
    assert joined(left, [31, 22, 45, 50, 12, 60, 18, 27], right, second) is together


@pytest.mark.parametrize(
    ("rule", "stated"),
    [
        ("A department with spending of more than 75 needs approval.", True),
        ("Spending of more than 75 needs approval.", False),
        ("Departments with more than 75 desks are inspected.", False),
    ],
)
def test_a_rule_must_say_what_it_measures_and_of_what(rule: str, stated: bool) -> None:
    rows = [["Department", "Spending"]] + [[name, 10 * n + 3] for n, name in enumerate(DEPARTMENTS, 3)]
    found = library(
        ("city", document("a.csv", (table(rows, title="Spending"),))),
        ("city", document("rule.md", text=(rule,), family="md")),
    )
    assert ("threshold" in kinds(found)) is stated


def test_work_on_something_that_the_files_lack_is_nobody_elses_work() -> None:
    found = budget_library()
    cases = found.findings.cases
    about, beside, general = (
        max(
            Relevance(found, cases, [], elsewhere=0.25)
            .of(seed(1, demand, "reconciliation", "Budget Analysts"))
            .values()
        )
        for demand in (
            "Reconcile city budget spending of departments.",
            "Reconcile orchard harvests against budget forecasts of fruit growers and cider presses.",
            "Analyze data, using statistical formulas and spreadsheets.",
        )
    )
    assert about > general > beside


def test_the_order_of_seeds_decides_nothing() -> None:
    seeds = [
        seed(1, "Reconcile the spending of city departments.", "reconciliation"),
        seed(2, "Reconcile city budget spending by departments with revised spending.", "reconciliation"),
        seed(3, "Revise city department spending.", "artifact_revision"),
        seed(4, "Report the spending of city departments.", "data_analysis_and_reporting"),
    ]
    first = {w.line() for w in assemble(budget_library(), seeds, SETTINGS, any_case).workspaces}
    assert first == {w.line() for w in assemble(budget_library(), seeds[::-1], SETTINGS, any_case).workspaces}


def test_a_seed_may_get_several_cases_and_the_books_say_so() -> None:
    several = SETTINGS.model_copy(update={"most": 3, "again_cost": 0.0, "files_cost": 0.0, "closeness": 0.0})
    seeds = [seed(1, "Report the spending of city departments.", "data_analysis_and_reporting")]
    found = budget_library()
    one = assemble(found, seeds, SETTINGS, any_case)
    more = assemble(found, seeds, several, any_case)
    assert one.repeats == 0 and len(one.workspaces) == 1
    assert len(more.workspaces) > 1 and more.repeats == len(more.workspaces) - 1
    assert len({workspace.id for workspace in more.workspaces}) == len(more.workspaces)
    assert len({workspace.about for workspace in more.workspaces}) == len(more.workspaces)
    count = StageCount.of("workspaces", 1, len(more.workspaces), more.rejections, more.repeats)
    assert StageCount.model_validate_json(count.line()) == count


def test_a_case_that_holds_nothing_up_is_given_to_nobody() -> None:
    """The graph builder's bar decides, case by case and pattern by pattern."""
    found = budget_library()
    seeds = [
        seed(1, "Reconcile the spending of city departments.", "reconciliation"),
        seed(2, "Revise city department spending.", "artifact_revision"),
    ]
    seen: list[tuple[str, int]] = []

    def only_revision(pattern: str, core: object, text: object, about: tuple[object, ...]) -> bool:
        seen.append((pattern, len(about)))
        return pattern == "artifact_revision"

    made = assemble(found, seeds, SETTINGS, only_revision)
    assert [workspace.seed.id for workspace in made.workspaces] == ["seed-2"]
    assert [rejection.id for rejection in made.rejections] == ["seed-1"]
    assert ("reconciliation", 2) in seen


def test_work_that_the_title_of_an_occupation_does_not_name_counts_half() -> None:
    found = budget_library()
    demand = "Keep records of the spending of city departments."
    seeds = [
        seed(1, demand, "data_analysis_and_reporting", occupation="Budget Analysts"),
        seed(2, demand, "data_analysis_and_reporting", occupation="Cooks, Private Household"),
        seed(3, demand, "data_analysis_and_reporting", occupation="Statisticians"),
    ]
    relevance = Relevance(found, found.findings.cases, seeds, SETTINGS.elsewhere)
    best = [max(relevance.of(one).values()) for one in seeds]
    assert best[1] < 0.6 * best[0]
    assert best[1] < 0.6 * best[2]
