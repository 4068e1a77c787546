"""The rules engine: what becomes a seed, with which labels, and that nothing is lost or invented."""

from collections import Counter

import pytest

from graphforge.errors import ConfigError
from graphforge.records import EXECUTION_PATTERNS, Rejection, Seed, StageCount, normalize
from graphforge.seeds import (
    Activity,
    DemoOccupations,
    Occupation,
    OccupationTables,
    Task,
    Technology,
    propose,
    seed_dimensions,
)
from graphforge.seeds.lexicon import (
    INPUT_CUES,
    INPUT_PRIORS,
    MATERIAL_CUES,
    OUTPUT_CUES,
    OUTPUT_PRIORS,
    PATTERN_CUES,
    PHYSICAL_CUES,
    PRESENCE_CUES,
    Cue,
)

SHEET = (Technology("LibreOffice Calc", "Spreadsheet software"),)


def tables(
    *statements: str, dwa: str = "Handle work.", software: tuple[Technology, ...] = SHEET
) -> OccupationTables:
    tasks = {str(number): Task(str(number), "13-2011.00", text) for number, text in enumerate(statements, 1)}
    return OccupationTables(
        occupations={"13-2011.00": Occupation("13-2011.00", "Accountants", "", None, software)},
        tasks=tasks,
        dwas={"9.A.I01.D01": Activity("9.A.I01.D01", dwa, "9.A.I01")},
        iwas={"9.A.I01": "Do things."},
        links=tuple((task, "9.A.I01.D01") for task in tasks),
    )


def only(statement: str, dwa: str = "Handle work.") -> Seed | Rejection:
    seeds, rejections = propose(tables(statement, dwa=dwa), EXECUTION_PATTERNS)
    assert len(seeds) + len(rejections) == 1
    return (seeds or rejections)[0]


@pytest.mark.parametrize(
    ("statement", "pattern"),
    [
        ("Reconcile ledger accounts with bank statements.", "reconciliation"),
        ("Analyze sales data and report trends.", "data_analysis_and_reporting"),
        (
            "Merge survey records from several databases and remove duplicates.",
            "data_cleaning_and_integration",
        ),
        ("Forecast tax revenue for the coming years.", "forecasting_and_planning"),
        ("Compare supplier proposals and rank the bids by cost.", "comparative_evaluation"),
        ("Monitor spending against limits and flag exceptions.", "monitoring_and_exception_reporting"),
        ("Review literature and synthesize published sources.", "research_and_source_synthesis"),
        ("Revise reports and edit tables.", "artifact_revision"),
        ("Audit purchase records for compliance with regulations.", "compliance_review"),
        ("Calculate interest rates with mathematical models of costs.", "quantitative_modeling"),
        ("Prepare the annual budget and allocate funds.", "budgeting_and_allocation"),
        ("Classify case records by a standard coding scheme.", "classification_and_coding"),
        ("Schedule report deadlines on a shared calendar.", "scheduling_and_coordination"),
        ("Write technical documentation and user manuals for software.", "technical_documentation"),
        ("Respond to written inquiries with letters that explain policies.", "stakeholder_communication"),
        ("Develop policies for records retention.", "policy_design"),
    ],
)
def test_each_pattern_is_recognized(statement: str, pattern: str) -> None:
    seed = only(statement)
    assert isinstance(seed, Seed), seed
    assert seed.pattern == pattern


@pytest.mark.parametrize(
    "statement",
    [
        "Weld pipes and repair pumps.",
        "Bathe patients and administer medications.",
        "Operate trucks to haul equipment.",
        "Supervise workers and train staff.",
        "Mix ingredients according to recipes.",
        "Inspect wiring and meters in buildings.",
    ],
)
def test_work_of_hands_and_talk_is_not_digital(statement: str) -> None:
    rejection = only(statement)
    assert isinstance(rejection, Rejection)
    assert (rejection.reason, rejection.stage) == ("not_digital", "seeds")
    assert statement in rejection.detail


def test_office_work_of_no_known_pattern_is_rejected() -> None:
    rejection = only("Handle financial documents.")
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "no_pattern"


def test_the_activity_alone_can_not_bring_in_a_pattern() -> None:
    rejection = only("Handle financial documents.", dwa="Reconcile records.")
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "no_pattern"


def test_the_activity_counts_against_digital_work_too() -> None:
    assert isinstance(only("Prepare cost estimates.", dwa="Estimate costs."), Seed)
    rejection = only("Prepare cost estimates.", dwa="Repair vehicle engines.")
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "not_digital"


def test_an_occupation_without_office_software_is_rejected() -> None:
    _, rejections = propose(tables("Reconcile ledger accounts.", software=()), EXECUTION_PATTERNS)
    assert [rejection.reason for rejection in rejections] == ["no_software"]


def test_patterns_that_are_not_allowed_are_rejected() -> None:
    seeds, rejections = propose(
        tables("Reconcile ledger accounts.", "Forecast tax revenue."), ["forecasting_and_planning"]
    )
    assert [seed.pattern for seed in seeds] == ["forecasting_and_planning"]
    assert [rejection.reason for rejection in rejections] == ["pattern_not_allowed"]


def test_a_pattern_outside_the_16_is_refused() -> None:
    with pytest.raises(ConfigError, match="'divination' is no execution pattern"):
        propose(tables("Reconcile accounts."), ["divination"])  # type: ignore[list-item]


def test_nothing_is_lost_and_ids_are_distinct() -> None:
    base = tables("Reconcile ledger accounts.", "Weld pipes.")
    more = OccupationTables(
        occupations={**base.occupations, "55-1011.00": Occupation("55-1011.00", "Air Crew Officers", "")},
        tasks={**base.tasks, "3": Task("3", "13-2011.00", "Edit reports.")},
        dwas=base.dwas,
        iwas=base.iwas,
        links=base.links,
    )
    seeds, rejections = propose(more, EXECUTION_PATTERNS)
    assert Counter(item.reason for item in rejections) == {"not_digital": 1, "no_dwa": 1, "no_tasks": 1}
    StageCount.of("seeds", 4, len(seeds), rejections)
    ids = [item.id for item in (*seeds, *rejections)]
    assert len(set(ids)) == len(ids) == 4


def test_a_seed_says_only_what_its_evidence_says() -> None:
    demo = DemoOccupations().load()
    seeds, _ = propose(demo, EXECUTION_PATTERNS)
    for seed in seeds:
        cited = {passage.source: passage.text for passage in seed.evidence}
        assert seed.demand == demo.tasks[seed.task_id].text == cited[f"Task Statements:{seed.task_id}"]
        assert seed.dwa == cited[f"DWA Reference:{seed.dwa_id}"]
        assert demo.tasks[seed.task_id].occupation == seed.occupation_code
        assert seed.dwa_id in demo.dwas_of[seed.task_id]
        assert seed.demand_key == normalize(seed.demand)
        assert seed.id == f"{seed.occupation_code}:{seed.dwa_id}:{seed.task_id}"
        software = [text for source, text in cited.items() if source.startswith("Technology Skills")]
        assert software, f"{seed.id} cites no software"


def test_labels_do_not_depend_on_other_rows() -> None:
    demo = DemoOccupations().load()
    turned = OccupationTables(
        occupations=dict(reversed(demo.occupations.items())),
        tasks=dict(reversed(demo.tasks.items())),
        dwas=demo.dwas,
        iwas=demo.iwas,
        links=tuple(reversed(demo.links)),
    )
    there, back = propose(demo, EXECUTION_PATTERNS)[0], propose(turned, EXECUTION_PATTERNS)[0]
    assert sorted(seed.line() for seed in there) == sorted(seed.line() for seed in back)


def test_the_demo_table_covers_patterns_and_sectors() -> None:
    demo = DemoOccupations().load()
    assert len(demo.occupations) >= 44
    assert len({code[:2] for code in demo.occupations}) >= 12
    assert all(3 <= len(tasks) <= 5 for tasks in demo.tasks_of.values())
    seeds, _ = propose(demo, EXECUTION_PATTERNS)
    assert {seed.pattern for seed in seeds} == set(EXECUTION_PATTERNS)
    for pattern in (
        "reconciliation",
        "data_analysis_and_reporting",
        "data_cleaning_and_integration",
        "forecasting_and_planning",
        "comparative_evaluation",
        "monitoring_and_exception_reporting",
        "research_and_source_synthesis",
        "artifact_revision",
        "compliance_review",
        "quantitative_modeling",
    ):
        found = [seed for seed in seeds if seed.pattern == pattern]
        assert len(found) >= 5, pattern
        assert len({seed.sector for seed in found}) >= 4, pattern


def test_seed_dimensions_hold_one_value_each() -> None:
    seed = only("Reconcile ledger accounts.")
    assert isinstance(seed, Seed)
    found = seed_dimensions(seed)
    assert found["sector"] == ("13",)
    assert found["demand"] == (seed.demand_key,)
    assert all(len(values) == 1 for values in found.values())


@pytest.mark.parametrize(
    ("phrase", "text", "place"),
    [
        ("reconcil*", "help reconciling books", 5),
        ("reconcil*", "reconcile", 0),
        ("analy* .. data", "analyze data", 0),
        ("analy* .. data", "analyze the old and new data", 0),
        ("analy* .. data", "analyze one two three four five data", None),
        ("edit|edits", "editorial", None),
        ("news|press releases", "send press releases", 5),
        ("data", "metadata", None),
    ],
)
def test_cues(phrase: str, text: str, place: int | None) -> None:
    assert Cue(phrase, 1).at(text) == place


def test_every_cue_is_normalized_and_joins_words_only() -> None:
    every = [*PATTERN_CUES.values(), *INPUT_CUES.values(), *OUTPUT_CUES.values()]
    for cues in (*every, MATERIAL_CUES, PHYSICAL_CUES, PRESENCE_CUES):
        for phrase in cues:
            for token in phrase.replace(" .. ", " ").split():
                for word in token.split("|"):
                    assert word, phrase
                    assert normalize(word.rstrip("*")) == word.rstrip("*"), phrase
    assert set(PATTERN_CUES) == set(INPUT_PRIORS) == set(OUTPUT_PRIORS) == set(EXECUTION_PATTERNS)
