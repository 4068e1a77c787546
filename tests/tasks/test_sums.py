"""A reconciliation of three files that add up, from real files to a graded deliverable: golden, wrong, missing."""

import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest

from graphforge.agents.script import render
from graphforge.evidence import build
from graphforge.judging import ChecksGrader
from graphforge.records import EvidenceGraph, Rejection, Source, TaskSpec, Workspace, WorkspaceFile
from graphforge.tasks import compile_task, validate
from graphforge.workspace import Rereader, parse
from tests.made_case import LIMITS, seed

STATES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo")
FIRST = (5634.0, 1091.0, 5242.0, 2210.0, 17005.0, 933.0, 4410.0)
SECOND = (120.0, 14.0, 0.0, 305.0, 2044.0, 61.0, 88.0)
FILES = {
    "basic_families.xlsx": ("Basic programme", FIRST),
    "separate_families.xlsx": ("Separate programme", SECOND),
    "all_families.xlsx": ("Both programmes", tuple(a + b for a, b in zip(FIRST, SECOND, strict=True))),
    "staff.xlsx": ("Staff", (3.0, 9.0, 4.0, 1.0, 5.0, 7.0, 6.0)),
}


def write(path: Path, title: str, header: str, values: tuple[float, ...]) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = title
    sheet.append(["State", header])
    for row in zip(STATES, values, strict=True):
        sheet.append(list(row))
    book.save(path)


def made(folder: Path, changed: bool = False) -> EvidenceGraph | Rejection:
    return build(*case(folder, changed))


def case(folder: Path, changed: bool = False):
    inputs = folder / "inputs"
    inputs.mkdir(exist_ok=True)
    files, documents, places = [], {}, {}
    for name, (title, values) in FILES.items():
        header = "Inspectors" if name == "staff.xlsx" else "Total families"
        if changed and name == "all_families.xlsx":
            values = (values[0] + 1, *values[1:])
        write(inputs / name, title, header, values)
        document = parse(inputs / name)
        documents[document.sha256] = document
        places[document.sha256] = inputs / name
        role = "ambient" if name == "staff.xlsx" else "core"
        source = Source(publisher="p", title=title, licence="CC0-1.0", topic="families")
        files.append(
            WorkspaceFile(
                sha256=document.sha256,
                name=name,
                family="xlsx",
                bytes=(inputs / name).stat().st_size,
                role=role,
                why="made",
                source=source,
            )
        )
    workspace = Workspace(id="ws-sums", seed=seed("reconciliation"), topic="families", files=tuple(files))
    again = Rereader(lambda sha256: (places[sha256], "xlsx"))
    return workspace, documents, again.read, LIMITS


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> tuple[TaskSpec, Path]:
    folder = tmp_path_factory.mktemp("sums")
    arguments = case(folder)
    graph = build(*arguments)
    assert isinstance(graph, EvidenceGraph), graph
    spec = compile_task(arguments[0], graph)
    assert isinstance(spec, TaskSpec), spec
    assert validate(spec, arguments[0], graph) == []
    assert spec.solution is not None
    (folder / "outputs").mkdir()
    (folder / "work.py").write_text(render(spec.solution))
    subprocess.run([sys.executable, "work.py"], cwd=folder, check=True, timeout=120)
    return spec, folder / "outputs"


def graded(spec: TaskSpec, folder: Path) -> float:
    handed = {
        one.file: parse(folder / one.file) if (folder / one.file).exists() else None
        for one in spec.deliverables
    }
    return ChecksGrader(violations="binary").grade(spec, handed, "anchored", "one").score


def test_the_identity_comes_first_and_every_row_of_it_is_there(tmp_path):
    graph = made(tmp_path)
    assert isinstance(graph, EvidenceGraph)
    first = graph.relations[0]
    assert (first.kind, len(first.series), len(first.edges)) == ("identity", 3, len(STATES))
    assert all(edge.result == 0 for edge in graph.edges if edge.id in first.edges)


def test_files_that_do_not_add_up_carry_no_such_task(tmp_path):
    graph = made(tmp_path, changed=True)
    assert isinstance(graph, Rejection) or "identity" not in {one.kind for one in graph.relations}


def test_the_request_reads_like_a_request_and_tells_no_answer(work):
    spec, _ = work
    for name in ("basic", "separate", "both"):
        assert name in spec.statement.casefold()
    assert "17005" not in spec.statement and "17,005" not in spec.statement
    assert {check.kind for criterion in spec.criteria for check in criterion.checks} >= {
        "row_set",
        "column_values",
        "formula_column",
        "text_number",
    }


def test_golden_work_scores_full_and_nothing_or_the_inputs_score_low(work, tmp_path):
    spec, outputs = work
    assert graded(spec, outputs) == pytest.approx(1.0)
    assert graded(spec, tmp_path) == 0
    (tmp_path / "reconciliation.xlsx").write_bytes(
        (outputs.parent / "inputs" / "all_families.xlsx").read_bytes()
    )
    assert graded(spec, tmp_path) < 0.2


@pytest.mark.parametrize(("column", "value"), [("B", 1), ("D", 7), ("F", 3), ("G", "differs")])
def test_a_wrong_column_costs_points(work, tmp_path, column, value):
    spec, outputs = work
    for one in spec.deliverables:
        (tmp_path / one.file).write_bytes((outputs / one.file).read_bytes())
    book = openpyxl.load_workbook(tmp_path / "reconciliation.xlsx")
    sheet = book["Reconciliation"]
    top = next(row[0].row for row in sheet.iter_rows() if row[0].value == "State")
    sheet[f"{column}{top + 1}"] = value
    book.save(tmp_path / "reconciliation.xlsx")
    assert graded(spec, tmp_path) < 1


@pytest.mark.parametrize(("before", "after"), [("shared_key", None), (None, "conflict")])
def test_an_identity_is_told_by_its_kind_wherever_it_stands_and_before_what_follows_it(
    tmp_path: Path, before: str | None, after: str | None
) -> None:
    arguments = case(tmp_path)
    graph = build(*arguments)
    assert isinstance(graph, EvidenceGraph), graph
    (identity,) = (relation for relation in graph.relations if relation.kind == "identity")
    others = [
        (identity.model_copy(update={"kind": kind, "series": identity.series[:2]}),) if kind else ()
        for kind in (before, after)
    ]
    moved = graph.model_copy(update={"relations": (*others[0], identity, *others[1])})
    spec = compile_task(arguments[0], moved)
    assert isinstance(spec, TaskSpec), spec
    assert spec.solution is not None and len(spec.solution.reads) == 3
