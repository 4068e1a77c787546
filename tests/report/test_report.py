"""The funnel and the coverage: counted once, and readable."""

from types import SimpleNamespace

from graphforge.records import StageCount
from graphforge.report import Funnel, gather, show_coverage, show_funnel, text_table

STAGES = [
    StageCount(stage="seeds", inputs=9, outputs=4, rejected={"no_dwa": 1, "not_selected": 4}),
    StageCount(stage="admit", inputs=4, outputs=3, rejected={"low_score": 1}),
]


def admitted(occupation: str, sector: str, pattern: str, topic: str) -> SimpleNamespace:
    """What the coverage reads of an admitted record."""
    return SimpleNamespace(
        spec=SimpleNamespace(occupation=occupation, sector=sector, pattern=pattern, topic=topic)
    )


def made() -> Funnel:
    tasks = [
        admitted("Accountants", "13", "reconciliation", "federal_tax"),
        admitted("Budget Analysts", "13", "comparative_evaluation", "public_finance"),
        admitted("Registrars", "11", "reconciliation", "education"),
    ]
    return gather(STAGES, tasks, {"13": "Business", "11": "Management"})  # type: ignore[arg-type]


def test_coverage_counts_every_dimension_of_the_admitted() -> None:
    coverage = made().coverage
    assert coverage.admitted == 3
    assert coverage.occupations == 3
    assert coverage.sectors == {"11 Management": 1, "13 Business": 2}
    assert coverage.patterns == {"comparative_evaluation": 1, "reconciliation": 2}
    assert coverage.cells["13 Business"] == {"comparative_evaluation": 1, "reconciliation": 1}
    assert sum(sum(row.values()) for row in coverage.cells.values()) == coverage.admitted
    assert list(coverage.topics) == ["education", "federal_tax", "public_finance"]


def test_the_funnel_survives_its_own_json_and_order_does_not_depend_on_the_input() -> None:
    funnel = made()
    assert Funnel.model_validate_json(funnel.model_dump_json()) == funnel
    assert list(funnel.coverage.sectors) == sorted(funnel.coverage.sectors)


def test_the_funnel_shows_the_commonest_reason_first() -> None:
    text = show_funnel(made())
    assert "not_selected 4, no_dwa 1" in text
    assert text.splitlines()[-1].split() == ["admit", "4", "3", "low_score", "1"]


def test_the_coverage_table_has_a_column_a_pattern_and_totals() -> None:
    lines = show_coverage(made().coverage).splitlines()
    assert lines[0] == "Coverage: 3 admitted tasks over 2 sectors, 2 patterns, 3 topics, 3 occupations"
    assert lines[2].split() == ["sector", "a", "b", "all"]
    assert lines[4].split() == ["11", "Management", "0", "1", "1"]
    assert lines[6].split() == ["all", "1", "2", "3"]
    assert "  a = comparative_evaluation" in lines


def test_nothing_admitted_still_makes_a_table() -> None:
    empty = gather(STAGES, [], {})
    assert "0 admitted tasks over 0 sectors" in show_coverage(empty.coverage)


def test_a_table_lines_up() -> None:
    assert text_table(("name", "share"), [("a", 0.5), ("long name", "-")]).splitlines() == [
        "name       share",
        "---------  -----",
        "a          0.500",
        "long name      -",
    ]
