"""Evidence graphs of a hand-made workspace: the right relations, every node recovered, none invented."""

import pytest

from graphforge.errors import InputError
from graphforge.evidence import build
from graphforge.evidence.build import RELATIONS_OF_PATTERN
from graphforge.records import EvidenceGraph, Rejection
from graphforge.records.arithmetic import evaluate
from tests.made_case import CASES, DOCUMENTS, LIMITS, graph, reread, seed, workspace


@pytest.mark.parametrize("pattern", CASES)
def test_the_relation_that_the_pattern_needs_comes_first(pattern):
    built = graph(pattern)
    name, _, kind = pattern.partition(".")
    assert built.relations[0].kind == (kind or RELATIONS_OF_PATTERN[name][0])
    assert built.dropped == 0


@pytest.mark.parametrize("pattern", CASES)
def test_every_edge_result_is_its_expression(pattern):
    built = graph(pattern)
    values = {node.id: node.value for node in built.nodes}
    series = {one.id: [values[node] for node in one.nodes] for one in built.series}
    computed = [edge for edge in built.edges if edge.expression is not None]
    assert computed
    for edge in computed:
        assert evaluate(edge.expression, {**values, **series}) == pytest.approx(edge.result)


def test_conflicts_and_agreements_are_told_apart():
    built = graph("reconciliation")
    relation = built.relations[0]
    kinds = {edge.id: edge.kind for edge in built.edges}
    found = [kinds[name] for name in relation.edges]
    assert found.count("conflict") == 2
    assert found.count("equal") == 6


def test_the_confuser_is_the_file_that_was_put_there_to_confuse():
    built = graph("reconciliation")
    relation = next(relation for relation in built.relations if relation.kind == "confuser")
    other = next(one for one in built.series if one.id == relation.series[1])
    assert other.name == "permits_earlier.xlsx"


def test_a_stated_total_that_is_the_sum_becomes_a_relation():
    built = graph("data_analysis_and_reporting")
    total = next(relation for relation in built.relations if relation.kind == "total")
    node = next(node for node in built.nodes if node.id == total.nodes[0])
    assert node.value == sum(float(one.value) for one in built.nodes if one.id in built.series[0].nodes)


def test_quotations_confirmed_and_contradicted():
    built = graph("research_and_source_synthesis")
    kinds = {edge.id: edge.kind for edge in built.edges}
    assert sorted(kinds[name] for name in built.relations[0].edges) == ["conflict", "quote", "quote"]


def test_a_threshold_is_read_from_the_rule():
    built = graph("monitoring_and_exception_reporting")
    rule = next(node for node in built.nodes if node.id == built.relations[0].nodes[0])
    assert (rule.name, rule.value, rule.raw) == ("rule.docx", 1000.0, "1,000")


def test_a_node_that_is_not_recovered_is_dropped_with_its_edges():
    def deaf(sha256, locator):
        if DOCUMENTS[sha256].name == "permits_first.xlsx" and getattr(locator, "row", 0) in {3, 4}:
            raise InputError("nothing there", "Look elsewhere")
        return reread(sha256, locator)

    built = build(workspace("reconciliation", **CASES["reconciliation"]), DOCUMENTS, deaf, LIMITS)
    assert isinstance(built, EvidenceGraph)
    assert built.dropped == 2
    assert not {"Alder", "Birch"} & set(built.series[0].entities)


def test_a_changed_file_leaves_no_graph():
    def altered(sha256, locator):
        return "9" + reread(sha256, locator)

    built = build(workspace("reconciliation", **CASES["reconciliation"]), DOCUMENTS, altered, LIMITS)
    assert isinstance(built, Rejection)
    assert built.reason == "not_recovered"


def test_a_pattern_the_files_do_not_carry_is_rejected():
    built = build(workspace("reconciliation", staff="core"), DOCUMENTS, reread, LIMITS)
    assert isinstance(built, Rejection)
    assert built.reason == "pattern_not_supported"


def test_a_pattern_that_rules_cannot_state_is_left_to_a_model():
    made = workspace("reconciliation", **CASES["reconciliation"]).model_copy(
        update={"seed": seed("policy_design")}
    )
    built = build(made, DOCUMENTS, reread, LIMITS)
    assert isinstance(built, Rejection)
    assert built.reason == "pattern_left_to_llm"


def test_the_same_files_give_the_same_bytes():
    assert graph("reconciliation").line() == graph("reconciliation").line()


@pytest.mark.parametrize("name", ["permits_first.xlsx", "movement.xlsx"])
def test_the_graph_is_about_what_the_workspace_was_put_together_for(name):
    """Whatever else the same files hold: a second workspace over them is about something else."""
    made = workspace("data_analysis_and_reporting", permits_first="core", movement="core")
    meant = next(one for one in DOCUMENTS.values() if one.name == name)
    made = made.model_copy(update={"about": ((meant.sha256, "t1", 1),)})
    built = build(made, DOCUMENTS, reread, LIMITS)
    assert isinstance(built, EvidenceGraph)
    share = next(one for one in built.relations if one.kind == "share")
    [series] = [one for one in built.series if one.id == share.series[0]]
    files = {node.file for node in built.nodes if node.id in series.nodes}
    assert files == {meant.sha256}


@pytest.mark.parametrize(
    ("pattern", "roles", "about", "kind"),
    [
        ("data_analysis_and_reporting", {"movement": "core"}, (), "share"),
        ("data_analysis_and_reporting", {"movement": "core"}, (1,), "share"),
        ("data_analysis_and_reporting", {"movement": "core"}, (1, 2), "growth"),
        ("monitoring_and_exception_reporting", {"movement": "core", "rule": "supporting"}, (), "threshold"),
        ("monitoring_and_exception_reporting", {"movement": "core", "rule": "supporting"}, (1, 2), "growth"),
        ("monitoring_and_exception_reporting", {"movement": "core"}, (), "growth"),
    ],
)
def test_of_several_relations_the_one_that_is_meant_carries_the_work(pattern, roles, about, kind):
    """Else the preferred one; and where that isn't there, another that carries the pattern as well."""
    movement = next(one.sha256 for one in DOCUMENTS.values() if one.name == "movement.xlsx")
    made = workspace(pattern, **roles)
    made = made.model_copy(update={"about": tuple((movement, "t1", column) for column in about)})
    built = build(made, DOCUMENTS, reread, LIMITS)
    assert isinstance(built, EvidenceGraph)
    assert built.relations[0].kind == kind


@pytest.mark.parametrize("pattern", ["research_and_source_synthesis", "reconciliation"])
def test_rows_called_totals_are_in_no_comparison(pattern):
    """The request leaves totals out, and so do the rows, wherever a total stands."""

    def renamed(one):
        table = one.tables[0]
        grid = (*table.grid[:-1], ("Total other", *table.grid[-1][1:])) if not table.totals else (
            *table.grid[:-2], ("Total other", *table.grid[-2][1:]), table.grid[-1])  # fmt: skip
        return one.model_copy(update={"tables": (table.model_copy(update={"grid": grid}),)})

    documents = {sha256: renamed(one) if one.tables else one for sha256, one in DOCUMENTS.items()}

    def again(sha256, locator):
        for found in documents[sha256].tables:
            for row in range(len(found.grid)):
                for column in range(len(found.columns)):
                    if found.locate(row, column) == locator:
                        return str(found.grid[row][column])
        return reread(sha256, locator)

    roles = {"permits_first": "core", "permits_second": "core"}
    built = build(workspace(pattern, **roles), documents, again, LIMITS)
    assert isinstance(built, EvidenceGraph)
    compared = [one for one in built.series if one.id in built.relations[0].series]
    assert len(compared) == 2
    assert all("Total other" not in one.entities for one in compared)
    assert any("Total other" in one.rest for one in compared)


def test_a_column_that_the_workspace_is_about_is_seen_behind_any_number_of_others():
    made = workspace("forecasting_and_planning", permits_first="core", permits_second="core", movement="core")
    movement = next(one.sha256 for one in DOCUMENTS.values() if one.name == "movement.xlsx")
    made = made.model_copy(update={"about": ((movement, "t1", 1), (movement, "t1", 2))})
    few = LIMITS.model_copy(update={"most_measures": 2})
    built = build(made, DOCUMENTS, reread, few)
    assert isinstance(built, EvidenceGraph)
    first = built.relations[0]
    assert {one.file for one in built.series if one.id in first.series} == {movement}
