"""Statements: about their own case, exact in every wording, and not all alike."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.judging.prose import statements
from graphforge.records import (
    EvidenceGraph,
    TableCellLocator,
    TaskSpec,
    TextMention,
    TextNumber,
    Workspace,
    normalize,
)
from graphforge.tasks import alike, compile_task, figures, told
from graphforge.tasks.compose import (
    View,
    about,
    column,
    half_unit,
    heading,
    key_label,
    placed,
    shown_decimals,
    titled,
    tolerated,
)
from graphforge.tasks.phrases import amount, measure_words, period_words, plural, role, several, the, thing
from graphforge.tasks.similarity import MOST_ALIKE, Alike, Likeness, likeness, masked, nearest
from tests.made_case import CASES, graph, workspace

# Enough workspaces that every wording of every sentence comes up.
MANY = range(60)


def case(pattern: str, name: str, **seed: str) -> tuple[Workspace, EvidenceGraph]:
    made = workspace(pattern, **CASES[pattern])
    changed = made.seed.model_copy(update=seed)
    return made.model_copy(update={"id": name, "seed": changed}), graph(pattern)


def compiled(pattern: str, name: str, **seed: str) -> TaskSpec:
    spec = compile_task(*case(pattern, name, **seed))
    assert isinstance(spec, TaskSpec), spec
    return spec


@pytest.fixture(scope="module")
def wordings() -> dict[str, list[TaskSpec]]:
    """Every pattern as many workspaces put it."""
    return {pattern: [compiled(pattern, f"ws-{number}") for number in MANY] for pattern in CASES}


# What the checks of a pattern rest on: every wording must say it, in one of these forms.
TOTALS = r"a total or subtotal\b.*“all …”"
RULES: dict[str, tuple[str, ...]] = {
    "reconciliation": (
        TOTALS,
        r"The difference is the first less the second|Subtract the second from the first",
        r"no more than 0\.5 |Up to 0\.5 ",
        r"either way|either direction",
        r"both of them list|stands in both",
        r"live formulas",
    ),
    "artifact_revision": (
        TOTALS,
        r"more than 0\.5 ",
        r"either way|up or down",
        r"after less before, percentages of the figure before",
        r"both of them list|stands in both|is in both",
    ),
    "data_cleaning_and_integration": (
        r"first figure divided by the second|first figure over the second",
        r"[Nn]o rounding|unrounded|without rounding",
        r"only districts that both files have|every district that stands in both|What only one file has stays out",
        TOTALS,
    ),
    "comparative_evaluation": (
        TOTALS,
        r"divide the first by the second|first figure divided by the second",
        r"No rounding|Don't round",
        r"Ratios there to (?:four|five|six) decimals",
        r"both files list|stand in both|both of them have",
        r"plain \(unweighted\) mean",
    ),
    "data_analysis_and_reporting": (
        TOTALS,
        r"in percent|percentage of the sum",
        r"largest figure first",
        r"Percentages to two decimals, the total in full",
        r"with a figure|has a figure|have a figure",
    ),
    "forecasting_and_planning": (
        TOTALS,
        r"newer times newer",
        r"in percent of the older",
        r"older to newer|newer less older",
        r"Figures to two decimals",
        r"minus sign|negative change|sign of a fall",
    ),
    "monitoring_and_exception_reporting": (
        TOTALS,
        r"above (?:the|that) bound",
        r"exactly at the bound|exactly on it|not one equal to it",
        r"another document|Other documents|any other document",
        r"highest",
    ),
    "research_and_source_synthesis": (
        r"quoted figure less the source's|Quoted less source|Subtract the source's figure from what is quoted",
        r"(?:up to|[Uu]p to a difference of|no more than) 0\.005",
        r"thousands",
        r"named district|district by name",
    ),
    "budgeting_and_allocation": (
        r"\d0 (?:dollars|hours of staff time)",
        r"in proportion to",
        r"amount (?:by|times) (?:its )?figure",
        r"divide by the sum|divided by the sum|over the sum",
        r"whole (?:dollar|hour)",
        r"half an? (?:dollar|hour)",
        r"with the largest figure",
        r"the sum has to be the amount exactly|adds up to the amount to the|its sum is the amount",
        r"All figures in full",
    ),
    "classification_and_coding": (
        r"largest (?:figure )?first|from the largest figure to the smallest",
        r"order of the source|follow each other in the source",
        r"the (?:district|row)(?: itself|, in|,? itself)|including the district|its own figure",
        r"in percent of the sum|in percent of the sum of the whole list",
        r"at most (?:80|75|70) percent|up to (?:80|75|70) percent|Up to and including (?:80|75|70) percent",
        r"already in the next class|belongs to the class after it|behind the bound",
        r"unrounded|Don't round|without rounding",
        r"live formulas",
        r"Sums in full",
    ),
    "stakeholder_communication": (
        r"newer less older|newer figure less the older",
        r"in percent of the older|over the older figure",
        r"up or down|without its sign|no matter in which direction",
        r"minus sign|negative",
        r"lack either figure|a figure missing|figure is missing",
        r"older figure is zero|older figure of zero|older one is zero",
        r"the (?:five|four|six|three) largest",
        r"Percentages to two decimals, all else in full|Figures to two decimals",
        r"nothing rounded|unrounded|Don't round",
        r"over those that are left|not in the totals either|totals go without them",
    ),
    "quantitative_modeling": (
        r"[Ff]all by [\d.]+ percent|falls by [\d.]+ percent|down by [\d.]+ percent",
        r"grow by [\d.]+ percent|grows by [\d.]+ percent|up by [\d.]+ percent",
        r"newer less older",
        r"in percent of the older",
        r"“Case” and “Rate \(%\)”",
        r"newer figure times \(100 \+ rate\) / 100|newer × \(100 \+ rate\) / 100|newer × \(1 \+ rate / 100\)",
        r"minus sign|negative",
        r"lack either figure|a figure missing|figure is missing",
        r"live formulas",
        r"Figures to two decimals|Percentages to two decimals, other figures to",
    ),
    "monitoring_and_exception_reporting.growth": (
        TOTALS,
        r"whose figure rose by more than 10 percent",
        r"in percent of (?:the|its) older figure",
        r"newer less older",
        r"unrounded|without rounding|don't round",
        r"exactly 10 percent is no exception|10 percent to the dot|Exactly 10 percent is still in order",
        r"lack either figure|a figure missing|figure is missing",
        r"older figure is zero|older figure of zero|older one is zero",
        r"the exceptions only, the change as a live formula",
        r"largest rise",
    ),
    "data_analysis_and_reporting.growth": (
        TOTALS,
        r"newer less older",
        r"in percent of the older",
        r"lack either figure|a figure missing|figure is missing",
        r"older figure is zero|older figure of zero|older one is zero",
        r"everything computed as live formulas",
        r"minus sign|negative",
        r"Figures to two decimals",
        r"the sum of all differences",
    ),
    "research_and_source_synthesis.conflict": (
        TOTALS,
        r"the first source's figure less the second's|subtract the second source's figure from the first's",
        r"more than 0\.5 |Up to 0\.5 ",
        r"either way|either direction",
        r"both of them list|stand in both",
        r"name of its file|the file's name|name the file",
        r"which (?:source|of them) is right",
    ),
    "research_and_source_synthesis.shared_key": (
        TOTALS,
        r"percentage of the sum|in percent of the sum",
        r"over th(?:ose|e) same rows|over those rows",
        r"first source less (?:its share|the share) by the second|first source less the one of the second",
        r"that both list|in both",
        r"name of its file|the file's name|name the file",
        r"Percentages to two decimals, the sums in full",
    ),
}


@pytest.mark.parametrize("pattern", CASES)
def test_every_wording_states_every_rule(wordings, pattern):
    for spec in wordings[pattern]:
        for rule in RULES[pattern]:
            assert re.search(rule, spec.statement), (rule, spec.statement)


@pytest.mark.parametrize("pattern", CASES)
def test_files_sheets_headings_and_requirements_stand_there_to_the_letter(wordings, pattern):
    for spec in wordings[pattern]:
        assert spec.public_view().request == spec.statement
        for item in spec.deliverables:
            assert item.file in spec.statement
            assert all(f"“{sheet}”" in spec.statement for sheet in item.sheets)
        assert spec.solution is not None
        for output in spec.solution.outputs:
            written = {output.file: next(d.requirement for d in spec.deliverables if d.file == output.file)}
            asked = written[output.file]
            labels = {one.alias: one.label for one in (*spec.solution.reads, *spec.solution.quoted)}
            labels |= {one.alias: one.label for one in spec.solution.derived}
            if output.family in {"xlsx", "csv"}:
                wanted = [spec.solution.key_label, *(labels[alias] for alias in output.columns)]
                assert all(f"“{label}”" in asked for label in wanted), (wanted, asked)
            assert all(f"“{section.heading}”" in asked for section in output.sections), asked


@pytest.mark.parametrize("pattern", CASES)
def test_no_wording_stumbles(wordings, pattern):
    for spec in wordings[pattern]:
        text = spec.statement
        assert not re.search(r"\b(\w+) \1\b", text), text
        assert not re.search(
            r"[{}]|  |\.\.| ,|“”|\bNone\b|\ba (?:area|industry|item)\b|\bthe the\b|\?\.", text
        ), text
        assert all(
            part[0].isupper() or part[:2] in {"- ", "a)"} or part[0] == "“" or "." in part.split()[0]
            for part in text.split("\n\n")
        ), text


@pytest.mark.parametrize("pattern", CASES)
def test_no_wording_guesses_a_count_for_an_agent_that_only_repeats_it(wordings, pattern):
    # "from the quoted one: ... agrees" states that 1 agrees, to whoever looks for numbers near words.
    for spec in wordings[pattern]:
        for criterion in spec.criteria:
            for check in criterion.checks:
                if isinstance(check, TextNumber) and check.terms and check.absolute == 0:
                    # A bound that the request states is never the count (tests/tasks/test_kinds.py).
                    bounds = {abs(one.constant or 0) for one in spec.solution.derived}
                    for value in sorted(set(range(1, 12)) - bounds):
                        guess = check.model_copy(update={"value": float(value)})
                        told_so = [line for line in spec.statement.split("\n") if statements(line, guess)]
                        assert not told_so, (value, check.terms, told_so)


def test_the_demand_is_said_only_where_it_is_that_of_the_case():
    foreign = "Forecast electricity load from turbine maintenance logs."
    for number in MANY:
        spec = compiled(
            "forecasting_and_planning", f"ws-{number}", demand=foreign, dwa="Schedule turbine maintenance."
        )
        assert "turbine" not in spec.statement
        assert "compliance officers" in spec.statement
    own = [
        compiled(
            "forecasting_and_planning", f"ws-{number}", demand="Review permits issued by district."
        ).statement
        for number in MANY
    ]
    assert all("review permits issued by district" in statement for statement in own)


def test_the_occupation_is_named_in_every_order(wordings):
    for specs in wordings.values():
        assert all("compliance officers" in spec.statement for spec in specs)


@pytest.mark.parametrize("pattern", CASES)
def test_one_case_reads_differently_in_other_workspaces_and_alike_in_the_same(wordings, pattern):
    assert likeness(masked(spec) for spec in wordings[pattern]).mean < 0.8
    assert len({spec.statement for spec in wordings[pattern]}) > 0.9 * len(MANY)
    assert compiled(pattern, "ws-7") == compiled(pattern, "ws-7")


def test_a_file_named_in_the_statement_is_no_secret(wordings):
    seen = set()
    for specs in wordings.values():
        for spec in specs:
            folded = f" {normalize(spec.statement)} "
            for criterion in spec.criteria:
                for check in criterion.checks:
                    if isinstance(check, TextMention) and check.phrase in spec.files:
                        assert check.open == (f" {normalize(check.phrase)} " in folded)
                        seen.add(check.open)
    assert True in seen


def test_a_file_is_called_by_its_title_only_where_that_is_one():
    made, evidence = case("reconciliation", "ws-1")

    def called(title: str, **others: str) -> str:
        files = tuple(
            file.model_copy(update={"source": file.source.model_copy(update={"title": given})})
            for file in made.files
            for given in [
                title if file is made.files[0] else others.get("other", f"Another title of {file.name}")
            ]
        )
        changed = made.model_copy(update={"files": files})
        return titled(View(changed, evidence), changed.files[0])

    name = made.files[0].name
    assert called("Permits issued by district, 2021") == "“Permits issued by district, 2021”"
    assert called("permits first") == name  # the name in disguise
    assert called("TABLE O-2 QUARTERLY CITY MANAGER'S REPORT") == name
    assert called("Table 3: Permits by district") == name
    assert called("Fiscal Year Fiscal Year Report") == name
    assert called("Permits issued by district", other="Permits issued by district") == name


def with_values(values: dict[str, float]) -> tuple[View, list]:
    """The reconciliation's evidence, the second column changed."""
    made, evidence = case("reconciliation", "ws-1")
    series = [one for one in evidence.series if one.id in evidence.relations[0].series]
    names = dict(zip(series[1].nodes, series[1].entities, strict=True))
    nodes = tuple(
        node.model_copy(update={"value": values.get(names.get(node.id, ""), node.value)})
        for node in evidence.nodes
    )
    return View(made, evidence.model_copy(update={"nodes": nodes})), series


def test_no_row_is_apart_by_exactly_the_tolerance():
    view, series = with_values({})
    assert half_unit(view, series) == 0.5
    view, series = with_values({"Alder": 1200.5})
    assert half_unit(view, series) == pytest.approx(0.6)
    assert "half a unit" in tolerated(0.05) and tolerated(0.6) == "0.6"


def test_the_older_table_is_the_one_to_revise():
    made, evidence = case("artifact_revision", "ws-1")
    first, second = (
        next(one for one in evidence.series if one.id == name) for name in evidence.relations[0].series
    )
    for old, new in ((first, second), (second, first)):
        names = {old.file: "table_2016-03-16.xlsx", new.file: "table_2016-03-30.xlsx"}
        files = tuple(
            file.model_copy(update={"name": names.get(file.sha256, file.name)}) for file in made.files
        )
        series = tuple(
            one.model_copy(update={"name": names.get(one.file, one.name)}) for one in evidence.series
        )
        nodes = tuple(
            one.model_copy(update={"name": names.get(one.file, one.name)}) for one in evidence.nodes
        )
        spec = compile_task(
            made.model_copy(update={"files": files}),
            evidence.model_copy(update={"series": series, "nodes": nodes}),
        )
        assert isinstance(spec, TaskSpec), spec
        assert spec.solution is not None
        assert [read.file for read in spec.solution.reads] == [names[old.file], names[new.file]]


def test_ratios_are_asked_with_as_many_decimals_as_they_need():
    assert shown_decimals([1200.0, 3.5]) == 4
    assert shown_decimals([0.0123]) == 4
    assert shown_decimals([0.00123]) == 5
    assert shown_decimals([1e-9, 0.0]) == 6


@pytest.mark.parametrize(
    ("header", "unit", "period", "words"),
    [
        (
            "CO2 rate, 2023 (lb/MWh) Portfolio efficiency",
            "lb per MWh",
            "2023",
            "CO2 rate (portfolio efficiency)",
        ),
        ("Collections, FY2021 quarter 2 ($)", "USD", "the second quarter of fiscal year 2021", "collections"),
        ("Deaths, 2016", None, "", None),  # its year would be lost
        ("Population All ages", None, "", None),
        ("GeoRank (2021)", None, "2021", None),
        ("Total", None, "", None),
        ("ORIGINAL ADOPTED BUDGET", None, "", "original adopted budget"),
        ("CYTD", None, "", None),
        ("locally_acquired_cases", None, "", "locally acquired cases"),
        ("Number of institutions with at least 2 fields", None, "", None),
        ("Total Number of Families", None, "", "total number of families"),
    ],
)
def test_headers_in_plain_words_or_not_at_all(header, unit, period, words):
    assert measure_words(header, unit, period) == words


@given(st.text(max_size=90))
def test_plain_words_are_words_of_the_header(header):
    words = measure_words(header, None, "2016")
    if words is not None:
        assert set(normalize(words).split()) <= set(normalize(header.replace("_", " ")).split())
        assert words == words.strip() and "  " not in words and words[0] not in ",("


@given(st.text(max_size=60))
def test_rows_are_called_by_a_plain_noun(key):
    noun = thing(key)
    assert re.fullmatch(r"[A-Za-z][A-Za-z' -]*", noun)
    assert plural(noun) != noun


def test_a_period_that_no_source_shows_is_not_said():
    assert period_words("2031-01", "Amounts in Millions Jan 31") == ""
    assert period_words("2022-12", "Total, Dec-22") == "December 2022"
    assert period_words("9 months to 2024-06-29", "June 29, 2024") == "the 9 months to 29 June 2024"
    assert period_words(None, "2024") == ""


def test_occupations_inside_a_sentence():
    assert role("Eligibility Interviewers, Government Programs") == "eligibility interviewers"
    assert (
        role("Tax Examiners and Collectors, and Revenue Agents")
        == "tax examiners and collectors, and revenue agents"
    )
    assert role("Managers, All Other") == "managers"
    assert role("English Language and Literature Teachers, Postsecondary") == (
        "postsecondary English language and literature teachers"
    )
    assert several(role("First-Line Supervisors of Office and Administrative Support Workers"))
    assert not several(role("Grant accountant"))
    assert the("all deaths") == "all deaths" and the("deaths") == "the deaths"
    assert (amount(5e6), amount(5e-7), amount(0.05)) == ("5,000,000", "0.0000005", "0.05")


def test_a_single_person_is_addressed_as_one():
    for number in MANY:
        text = compiled(
            "data_analysis_and_reporting", f"ws-{number}", occupation="Grant accountant"
        ).statement
        assert "one of our grant accountant" not in text and "accountant are" not in text


def test_of_a_long_header_the_end_is_kept():
    first = "Table 4: City of Somewhere Wage Tax by Industry - Quarter (April, May, June) Apr 20 - Jun 20"
    second = first.replace("20", "21")
    assert heading(first).endswith("Apr 20 - Jun 20") and len(heading(first)) <= 70
    assert heading(first) != heading(second)
    _, evidence = case("reconciliation", "ws-1")
    long = evidence.series[0].model_copy(
        update={"key_name": "Table 1: Wage Tax by Industry - January 2021 (x) No 7"}
    )
    assert key_label(long) == "Item"


def test_one_measure_of_two_periods_is_said_once():
    made, evidence = case("forecasting_and_planning", "ws-1")
    columns = [one for one in evidence.series if one.id in evidence.relations[0].series]
    assert about(View(made, evidence), columns) == "the permits issued by district for 2020 and 2021"


def test_likeness_of_statements(wordings):
    assert nearest(
        ["one two three four five six", "one two three four five six", "other words than these are here"]
    ) == [
        1.0,
        1.0,
        0.0,
    ]
    assert nearest(["alone"]) == [0.0]
    same = wordings["reconciliation"][:1] * 3
    found = alike(same)
    assert found.masked is not None and found.masked.mean == 1.0
    assert told(found).startswith("WARNING") and set(figures(found)) == {
        f"statements.alike.{kind}.{name}" for kind in ("whole", "masked") for name in ("mean", "p95")
    }
    assert alike(same[:1]) == Alike(statements=1) and figures(alike([])) == {}
    assert "too few" in told(alike([]))
    fine = Alike(statements=9, whole=Likeness(mean=0.2, p95=0.3), masked=Likeness(mean=MOST_ALIKE, p95=0.9))
    assert told(fine).startswith("statements: 9")


def test_what_belongs_to_the_case_is_masked(wordings):
    for specs in wordings.values():
        text = masked(specs[0])
        assert not re.search(r"\d|“|\.xlsx|\bdistrict", text), text


def test_patterns_differ_in_wording(wordings):
    mixed = [spec for specs in wordings.values() for spec in specs[:3]]
    found = alike(mixed)
    assert found.masked is not None and found.masked.mean < MOST_ALIKE


def test_the_sheet_or_page_of_a_column_is_named(wordings):
    for pattern in (
        "reconciliation",
        "artifact_revision",
        "comparative_evaluation",
        "data_analysis_and_reporting",
    ):
        assert all("(sheet “Permits”" in spec.statement for spec in wordings[pattern])
    _, evidence = case("reconciliation", "ws-1")
    on_page = [TableCellLocator(page=page, table=0, row=1, column=1) for page in (0, 2)]
    first, third = (placed(evidence.series[0].model_copy(update={"place": place})) for place in on_page)
    assert first.endswith("(page 1)") and third.endswith("(page 3)")


def test_columns_under_one_long_title_are_quoted_by_what_tells_them_apart():
    _, evidence = case("reconciliation", "ws-1")
    title = "Total Number of Two Parent Families; " + "Fiscal and Calendar Year Average Monthly Number; " * 4
    quoted = {
        column(evidence.series[0].model_copy(update={"measure": f"{title}{month}"}))
        for month in ("December 2013", "December 2014")
    }
    assert len(quoted) == 2 and all(len(one) <= 162 for one in quoted)


def test_a_table_of_a_page_without_pages_is_named():
    """A filing has a dozen tables with a column “Three Months Ended June 29, 2024”."""
    _, evidence = case("reconciliation", "ws-1")
    place = TableCellLocator(table=17, row=1, column=1)

    def told(title: str) -> str:
        return placed(evidence.series[0].model_copy(update={"place": place, "table": title}))

    assert told("Net sales by product").endswith("(in the table “Net sales by product”)")
    assert told("Sales 1,234,500 in all") == told("") == told("Total 98765") and "table" not in told("")
    assert "2024" in told("Sales, 2024")
