"""Work that a pattern finds in other relations than its preferred one, from real files to verified deliverables."""

import re
import subprocess
import sys
from pathlib import Path

import ironcalc
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.agents.script import render
from graphforge.evidence import build
from graphforge.judging import ChecksGrader, Golden, VerifierTests, verify
from graphforge.judging.prose import statements
from graphforge.records import EvidenceGraph, Plan, Source, TaskSpec, Workspace, WorkspaceFile
from graphforge.records.check import ColumnValues, RowSet, TextMention, TextNumber, TotalCell
from graphforge.tasks import compile_task, validate
from graphforge.tasks.patterns.exceptions_by_change import bound_of
from graphforge.workspace import PATTERNS, Rereader, parse
from tests.made_case import LIMITS, seed

NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper")
BEFORE = (1100.0, 800.0, 3000.0, 950.0, 500.0, 2000.0, 1410.0, 640.0, 0.0, 720.0)
AFTER = (1243.0, 845.0, 3310.0, 978.0, 451.0, 2437.0, 1530.0, 667.0, 41.0, 590.0)
OTHER = (1243.0, 861.0, 3310.0, 978.0, 430.0, 2437.0, 1530.0, 667.0, 41.0, 590.0)
STAFF = (12.0, 8.0, 31.0, 9.0, 5.0, 20.0, 14.0, 6.0, 2.0, 4.0)
MORTGAGE = (4.1, 3.9, 5.25, 4.4, 3.05, 4.75, 4.2, 3.6, 0.0, 3.3)
RATE = (4.3, 4.9, 5.65, 4.45, 3.35, 4.7, 4.1, 4.6, 2.0, 3.5)
NOW, THEN = "Permits issued, 2021", "Permits issued, 2020"
Columns = dict[str, tuple[float, ...]]
# Files by name, and which columns the work is about.
WORK: dict[str, tuple[str, dict[str, Columns], tuple[tuple[str, int], ...]]] = {
    "exceptions": (
        "monitoring_and_exception_reporting",
        {"movement.xlsx": {NOW: AFTER, THEN: BEFORE}, "staff.xlsx": {"Inspectors": STAFF}},
        (("movement.xlsx", 1), ("movement.xlsx", 2)),
    ),
    "exceptions in two files": (
        "monitoring_and_exception_reporting",
        {"permits_2021.xlsx": {NOW: AFTER}, "permits_2020.xlsx": {THEN: BEFORE}},
        (("permits_2021.xlsx", 1), ("permits_2020.xlsx", 1)),
    ),
    "change": (
        "data_analysis_and_reporting",
        {"movement.xlsx": {NOW: AFTER, THEN: BEFORE}, "staff.xlsx": {"Inspectors": STAFF}},
        (("movement.xlsx", 1), ("movement.xlsx", 2)),
    ),
    "change of a rate": (
        "data_analysis_and_reporting",
        {"rates.xlsx": {"Vacancy rate, 2021": RATE, "Vacancy rate, 2020": MORTGAGE}},
        (("rates.xlsx", 1), ("rates.xlsx", 2)),
    ),
    "change of unlike rows": (
        "data_analysis_and_reporting",
        {"book.xlsx": {"Book, 2021": AFTER, "Book, 2020": BEFORE}},
        (("book.xlsx", 1), ("book.xlsx", 2)),
    ),
    "two accounts": (
        "research_and_source_synthesis",
        {"first.xlsx": {NOW: AFTER}, "second.xlsx": {NOW: OTHER}},
        (("first.xlsx", 1), ("second.xlsx", 1)),
    ),
    "two accounts of a rate": (
        "research_and_source_synthesis",
        {
            "first.xlsx": {"Vacancy rate, 2021": RATE},
            "second.xlsx": {"Vacancy rate, 2021": (*RATE[:4], 3.95, 5.1, *RATE[6:])},
        },
        (("first.xlsx", 1), ("second.xlsx", 1)),
    ),
    "two accounts of unlike rows": (
        "research_and_source_synthesis",
        {"first.xlsx": {NOW: AFTER}, "second.xlsx": {NOW: OTHER}},
        (("first.xlsx", 1), ("second.xlsx", 1)),
    ),
    "allocation": (
        "budgeting_and_allocation",
        {"permits.xlsx": {NOW: AFTER}, "staff.xlsx": {"Inspectors": STAFF}},
        (("permits.xlsx", 1),),
    ),
    "classes": (
        "classification_and_coding",
        {"permits.xlsx": {NOW: AFTER}, "staff.xlsx": {"Inspectors": STAFF}},
        (("permits.xlsx", 1),),
    ),
    "letter": (
        "stakeholder_communication",
        {"movement.xlsx": {NOW: AFTER, THEN: BEFORE}, "staff.xlsx": {"Inspectors": STAFF}},
        (("movement.xlsx", 1), ("movement.xlsx", 2)),
    ),
    "letter on a rate": (
        "stakeholder_communication",
        {"rates.xlsx": {"Vacancy rate, 2021": RATE, "Vacancy rate, 2020": MORTGAGE}},
        (("rates.xlsx", 1), ("rates.xlsx", 2)),
    ),
    "model": (
        "quantitative_modeling",
        {"permits_2021.xlsx": {NOW: AFTER}, "permits_2020.xlsx": {THEN: BEFORE}},
        (("permits_2021.xlsx", 1), ("permits_2020.xlsx", 1)),
    ),
    "model of a rate": (
        "quantitative_modeling",
        {"rates.xlsx": {"Vacancy rate, 2021": RATE, "Vacancy rate, 2020": MORTGAGE}},
        (("rates.xlsx", 1), ("rates.xlsx", 2)),
    ),
    "one account of two": (
        "research_and_source_synthesis",
        {"permits.xlsx": {NOW: AFTER}, "staff.xlsx": {"Permits inspectors": STAFF}},
        (("permits.xlsx", 1), ("staff.xlsx", 1)),
    ),
}
FIRST_KIND = {
    "exceptions": "growth", "exceptions in two files": "growth", "change": "growth", "change of a rate": "growth",
    "change of unlike rows": "growth", "allocation": "share", "classes": "share", "letter": "growth",
    "letter on a rate": "growth", "model": "growth", "model of a rate": "growth",
    "two accounts": "conflict", "two accounts of a rate": "conflict", "two accounts of unlike rows": "conflict",
    "one account of two": "shared_key",
}  # fmt: skip


def write(path: Path, columns: Columns, key: str) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = path.stem.capitalize()
    sheet.append([key, *columns])
    for row in zip(NAMES, *columns.values(), strict=True):
        sheet.append(list(row))
    book.save(path)


class Work:
    """A task over real files, its golden deliverables, and what they were made from."""

    def __init__(self, name: str, folder: Path):
        pattern, contents, about = WORK[name]
        beside = {
            f"beside_{number}.xlsx": {f"Column {number}": STAFF[:1] * 10}
            for number in range(4 - len(contents))
        }
        (folder / "inputs").mkdir()
        (folder / "outputs").mkdir()
        self.documents = {}
        places, files = {}, []
        for file, columns in {**contents, **beside}.items():
            path = folder / "inputs" / file
            write(path, columns, "Item" if "unlike" in name else "District")
            document = parse(path)
            self.documents[document.sha256] = document
            places[file] = (document.sha256, path)
            files.append(
                WorkspaceFile(
                    sha256=document.sha256,
                    name=file,
                    family="xlsx",
                    bytes=path.stat().st_size,
                    role="core" if file in contents else "ambient",
                    why="made",
                    source=Source(publisher="p", title=path.stem, licence="CC0-1.0", topic="permits"),
                )
            )
        paths = dict(places.values())
        table = {sha: one.tables[0].id for sha, one in self.documents.items()}
        self.workspace = Workspace(
            id=f"ws-{name.replace(' ', '-')}",
            seed=seed(pattern),
            topic="permits",
            files=tuple(files),
            about=tuple((places[file][0], table[places[file][0]], column) for file, column in about),
        )
        again = Rereader(lambda sha256: (paths[sha256], "xlsx"))
        graph = build(self.workspace, self.documents, again.read, LIMITS)
        assert isinstance(graph, EvidenceGraph), graph
        self.graph = graph
        spec = compile_task(self.workspace, graph)
        assert isinstance(spec, TaskSpec), spec
        assert validate(spec, self.workspace, graph) == []
        assert spec.solution is not None
        self.spec, self.plan = spec, spec.solution
        (folder / "work.py").write_text(render(spec.solution))
        subprocess.run([sys.executable, "work.py"], cwd=folder, check=True, timeout=120)
        self.golden = {one.file: folder / "outputs" / one.file for one in spec.deliverables}
        self.folder = folder

    def score(self, golden: dict[str, Path]) -> float:
        handed = {file: parse(path) for file, path in golden.items()}
        score = ChecksGrader(violations="binary").grade(self.spec, handed, "anchored", "one").score
        assert score is not None
        return score


@pytest.fixture(scope="module", params=WORK)
def work(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Work]:
    return request.param, Work(request.param, tmp_path_factory.mktemp("work"))


def test_the_relation_over_the_columns_that_are_meant_carries_it(work):
    name, made = work
    first = made.graph.relations[0]
    assert first.kind == FIRST_KIND[name]
    files = {one.name for one in made.graph.series if one.id in first.series}
    assert files == {file for file, _ in WORK[name][2]}


def test_golden_work_scores_full(work):
    _, made = work
    assert made.score(made.golden) == pytest.approx(1.0)


def test_another_engine_computes_the_same_workbook(work):
    """Allocations, cumulative shares, classes, cases, sums by class: all are formulas, and all of them hold."""
    _, made = work
    for file in (name for name in made.golden if name.endswith(".xlsx")):
        path = str(made.golden[file])
        model = ironcalc.load_from_xlsx(path, "en", "UTC", "en")
        model.evaluate()
        cached, formulas = openpyxl.load_workbook(path, data_only=True), openpyxl.load_workbook(path)
        live = 0
        for place, sheet in enumerate(formulas):
            for row in sheet.iter_rows():
                for cell in row:
                    if cell.data_type != "f":
                        continue
                    live += 1
                    shown = cached[sheet.title][cell.coordinate].value
                    found = model.get_cell_value(place, cell.row, cell.column)
                    assert found == (pytest.approx(shown) if isinstance(shown, int | float) else shown)
        assert live >= len(made.plan.derived) and live


def test_every_spoiled_copy_loses_and_no_harmless_change_does(work, tmp_path):
    _, made = work
    settings = VerifierTests(least_criteria=3, least_weight=0.5, most_blind=0.5, workers=1)
    found = verify(
        made.spec,
        Golden("reference", made.golden),
        list(made.documents.values()),
        settings,
        0.95,
        parse,
        tmp_path / "scratch",
    )
    assert found.rejection is None, found.rejection
    assert found.tests.golden_score == 1.0 and found.tests.mutants
    assert [one for one in found.tests.mutants if not one.caught] == []
    assert [one for one in found.tests.harmless if one.cost] == []
    assert found.tests.repairs == ()
    assert len(found.spec.criteria) == len(made.spec.criteria)


def test_the_work_differs_from_that_of_its_neighbours(work):
    """A brief is no workbook with a memo, a report of change no projection."""
    _, made = work
    families = [output.family for output in made.plan.outputs]
    operations = {column.operation for column in made.plan.derived}
    assert "projection" not in operations and "ratio" not in operations
    if made.spec.pattern in {"research_and_source_synthesis", "stakeholder_communication"}:
        assert families == ["docx", "csv"]
    else:
        assert families == ["xlsx", "docx"]


def checks_of(spec: TaskSpec, kind: type) -> list:
    return [check for item in spec.criteria for check in item.checks if isinstance(check, kind)]


def test_exceptions_are_the_rows_beyond_the_bound_that_the_request_states(tmp_path):
    made = Work("exceptions", tmp_path)
    flag = next(column for column in made.plan.derived if column.alias == "flag")
    assert flag.constant is not None
    bound = abs(flag.constant)
    assert f"{bound:g} percent" in made.spec.statement
    assert ("rose" if flag.operation == "above" else "fell") in made.spec.statement
    changed = {
        name: 100 * (new - old) / old for name, new, old in zip(NAMES, AFTER, BEFORE, strict=True) if old
    }
    beyond = {
        name
        for name, percent in changed.items()
        if (percent > bound if flag.operation == "above" else percent < -bound)
    }
    (rows,) = checks_of(made.spec, RowSet)
    assert set(rows.rows) == beyond and 2 <= len(beyond) <= len(changed) / 2
    counts = {check.value for check in checks_of(made.spec, TextNumber) if check.absolute == 0}
    assert counts == {float(len(beyond)), float(len(changed))}
    assert "Ivy" not in changed and not {check.column for check in checks_of(made.spec, ColumnValues)} & {
        "Exception"
    }


@given(st.lists(st.floats(-95, 400), min_size=4, max_size=60), st.text(max_size=5))
def test_a_bound_is_fair_or_there_is_none(percents, salt):
    found = bound_of(percents, salt)
    assert found == bound_of(percents, salt)
    if found is None:
        return
    above, bound = found
    moved = percents if above else [-percent for percent in percents]
    beyond = sum(percent > bound for percent in moved)
    assert 2 <= beyond <= len(moved) / 2
    # Whoever rounds to one decimal, or says "at least", finds the same rows.
    assert beyond == sum(round(percent, 1) > bound for percent in moved)
    assert beyond == sum(round(percent, 1) >= bound for percent in moved)
    assert bound not in (beyond, len(moved)) and len(f"{bound:g}".replace(".", "").strip("0")) <= 2


def test_who_repeats_the_request_states_no_count_of_exceptions(tmp_path):
    """ "To two decimals" tells whoever looks for a bare number that two rows are exceptions."""
    for number, name in enumerate(("exceptions", "exceptions in two files")):
        (tmp_path / str(number)).mkdir()
        made = Work(name, tmp_path / str(number))
        (counted,) = [check for check in checks_of(made.spec, TextNumber) if check.terms]
        assert counted.absolute == 0 and not statements(made.spec.statement, counted)
        assert statements(f"There are {counted.value:g} exceptions.", counted)
        assert statements(f"{counted.value:g} districts are flagged.", counted)


def test_no_row_apart_means_no_exceptions():
    assert bound_of([3.0] * 9, "a") is None
    assert bound_of([0.0, 0.01, -0.02, 0.03], "a") is None
    assert bound_of([], "a") is None


def test_every_figure_of_a_brief_is_looked_for_beside_its_file(tmp_path):
    for number, name in enumerate(("two accounts", "one account of two")):
        (tmp_path / str(number)).mkdir()
        made = Work(name, tmp_path / str(number))
        files = {file for file, _ in WORK[name][2]}
        told = [check for check in checks_of(made.spec, TextNumber) if check.absolute]
        assert {term for check in told for term in check.terms} == files
        assert len(told) == 4
        named = {check.phrase for check in checks_of(made.spec, TextMention)}
        assert files <= named


def test_a_figure_beside_the_wrong_file_costs(tmp_path):
    """The two sources exchanged in the text: every figure is there, and none is where it belongs."""
    made = Work("two accounts", tmp_path)
    turned = {"first.xlsx": "second.xlsx", "second.xlsx": "first.xlsx"}

    def turn(text: str) -> str:
        return re.sub(r"first\.xlsx|second\.xlsx", lambda found: turned[found[0]], text)

    outputs = [
        output.model_copy(
            update={
                "sections": tuple(
                    section.model_copy(update={"paragraphs": tuple(map(turn, section.paragraphs))})
                    for section in output.sections
                )
            }
        )
        for output in made.plan.outputs
    ]
    plan = Plan.model_validate(made.plan.model_copy(update={"outputs": tuple(outputs)}).model_dump())
    (tmp_path / "work.py").write_text(render(plan))
    subprocess.run([sys.executable, "work.py"], cwd=tmp_path, check=True, timeout=120)
    assert made.score(made.golden) < 0.95


def test_the_kinds_of_case_are_offered_to_what_they_carry():
    assert set(PATTERNS["periods"]) == {
        "forecasting_and_planning",
        "monitoring_and_exception_reporting",
        "data_analysis_and_reporting",
        "stakeholder_communication",
        "quantitative_modeling",
    }
    assert set(PATTERNS["shares"]) == {
        "data_analysis_and_reporting",
        "budgeting_and_allocation",
        "classification_and_coding",
    }
    for kind in ("pair_same_measure", "pair_other_measure", "quote"):
        assert "research_and_source_synthesis" in PATTERNS[kind]


def test_amounts_of_unlike_rows_are_neither_summed_nor_ranked(tmp_path):
    """A book whose rows are "items" may count people in one and dollars in the next: percentages can be compared."""
    made = Work("change of unlike rows", tmp_path)
    assert checks_of(made.spec, TotalCell) == []
    told = {check.value for check in checks_of(made.spec, TextNumber)}
    percents = [100 * (new - old) / old for new, old in zip(AFTER, BEFORE, strict=True) if old]
    assert sorted(told) == pytest.approx([min(percents), max(percents)])
    assert "mean" not in made.spec.statement and "total change" not in made.spec.statement
