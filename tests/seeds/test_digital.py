"""Digital filters: what they leave, that the books add up, and the counts on the real release."""

import csv
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.errors import InputError
from graphforge.records import EXECUTION_PATTERNS, StageCount
from graphforge.seeds import (
    Activity,
    DigitalLabels,
    EveryTask,
    ExposureProxy,
    Occupation,
    OccupationTables,
    OnetOccupations,
    Survey,
    Task,
    propose,
)
from graphforge.seeds.llm import list_pairs

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "onet"
ACCOUNTANTS, CLERKS, CREW = "13-2011.00", "43-3031.00", "55-1011.00"


def tables(**kinds: str) -> OccupationTables:
    """Accountants with tasks 1 to 4, clerks with 5; a crew without tasks."""
    texts = {str(number): f"Reconcile ledger {number} with bank statements." for number in range(1, 6)}
    tasks = {
        name: Task(name, CLERKS if name == "5" else ACCOUNTANTS, text, kinds.get(f"t{name}", "Core"))
        for name, text in texts.items()
    }
    return OccupationTables(
        occupations={code: Occupation(code, code, "") for code in (ACCOUNTANTS, CLERKS, CREW)},
        tasks=tasks,
        dwas={"D1": Activity("D1", "Verify records.", "I1"), "D2": Activity("D2", "Check.", "I1")},
        iwas={"I1": "Check records."},
        links=(("1", "D1"), ("1", "D2"), ("2", "D1"), ("4", "D1"), ("5", "D1")),
        lists_software=False,
    )


def label_file(folder: Path, *rows: tuple[str, ...], name: str = "labels.csv") -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, delimiter="\t" if name.endswith(".tsv") else ",").writerows(rows)
    return path


def by_labels(path: Path, **changes: object) -> DigitalLabels:
    return DigitalLabels(**{"labels": path, "id": "task", "label": "mark", "digital": ["DIGITAL"], **changes})  # type: ignore[arg-type]


def study(folder: Path, *rows: tuple[str, str, str, str]) -> Path:
    """A file in the form of the study: task, text, human label, model label."""
    head = ("", "O*NET-SOC Code", "Task ID", "Task", "human_exposure_agg", "gpt4_exposure")
    lines = [(str(n), ACCOUNTANTS, f"{task}.0", *rest) for n, (task, *rest) in enumerate(rows)]
    return label_file(folder, head, *lines, name="full_labelset.tsv")


def proxy(path: Path, least: int = 1, share: float = 0.5) -> ExposureProxy:
    return ExposureProxy(labels=path, exposed=("E1", "E2"), least_tasks=least, share=share)


def test_no_filter_leaves_everything() -> None:
    left = EveryTask().apply(tables())
    assert (left.tables, left.rejections, left.notes) == (tables(), (), ())


def test_labels_keep_what_is_labelled_digital_and_the_books_add_up(tmp_path: Path) -> None:
    path = label_file(
        tmp_path,
        ("task", "mark", "wording"),
        ("1.0", "digital", "Reconcile  ledger 1 with bank statements."),
        ("2", "PHYSICAL", "Reconcile ledger two."),
        ("4", "", ""),
        ("5", "MIXED", "Reconcile ledger 5 with bank statements."),
        ("99", "DIGITAL", "Gone."),
    )
    left = by_labels(path, text="wording").apply(tables())
    assert list(left.tables.tasks) == ["1"]
    assert left.tables.links == (("1", "D1"), ("1", "D2"))
    # The clerks lost their only task, which its own line tells; the crew never had any.
    assert list(left.tables.occupations) == [ACCOUNTANTS, CREW]
    assert [(one.id, one.reason, one.detail.rpartition(": ")[0]) for one in left.rejections] == [
        (f"{ACCOUNTANTS}:2", "not_digital", "digital=labels: labelled PHYSICAL"),
        (f"{ACCOUNTANTS}:3", "not_digital", "digital=labels: no label"),
        (f"{ACCOUNTANTS}:4", "not_digital", "digital=labels: labelled nothing"),
        (f"{CLERKS}:5", "not_digital", "digital=labels: labelled MIXED"),
    ]
    assert left.notes == (
        "digital=labels: 5 labels, 1 for tasks that the source doesn't have, 1 for tasks worded otherwise there; "
        "1 tasks of the source have no label",
    )
    seeds, unfit = propose(left.tables, EXECUTION_PATTERNS)
    assert [one.reason for one in unfit] == ["no_tasks"]
    # Two links, the crew, four tasks left out.
    StageCount.of("seeds", 7, len(seeds), [*left.rejections, *unfit])


@pytest.mark.parametrize("decides", [True, False])
def test_the_label_decides_unless_words_are_asked_as_well(tmp_path: Path, decides: bool) -> None:
    """Statements that speak of no office material."""
    plain = replace(tables(), tasks={"1": Task("1", ACCOUNTANTS, "Compare fruit.")}, links=(("1", "D1"),))
    path = label_file(tmp_path, ("task", "mark"), ("1", "DIGITAL"))
    left = by_labels(path, decides=decides).apply(plain)
    _, unfit = propose(left.tables, EXECUTION_PATTERNS)
    pairs, _ = list_pairs(left.tables)
    assert len(pairs) == decides
    assert ("not_digital" in {one.reason for one in unfit}) is not decides


def test_which_labels_count_can_be_said(tmp_path: Path) -> None:
    path = label_file(tmp_path, ("task", "mark"), ("1", "DIGITAL"), ("2", "MIXED"), ("3", "x"), name="l.tsv")
    left = by_labels(path, digital=["digital", "mixed"]).apply(tables())
    assert list(left.tables.tasks) == ["1", "2"]


@given(st.dictionaries(st.sampled_from("12345"), st.sampled_from(["DIGITAL", "PHYSICAL", ""]), min_size=1))
def test_whatever_the_labels_nothing_is_lost(marks: dict[str, str]) -> None:
    whole = tables()
    with tempfile.TemporaryDirectory() as folder:
        found = by_labels(label_file(Path(folder), ("task", "mark"), *marks.items()))
        if "DIGITAL" not in marks.values():
            with pytest.raises(InputError):
                found.apply(whole)
            return
        left = found.apply(whole)
    digital = {task for task, mark in marks.items() if mark == "DIGITAL"}
    assert set(left.tables.tasks) == digital
    assert {one.id.partition(":")[2] for one in left.rejections} == set(whole.tasks) - digital
    seeds, unfit = propose(left.tables, EXECUTION_PATTERNS)
    told = [one.id for one in (*seeds, *left.rejections, *unfit)]
    assert len(told) == len(set(told))
    links = [link for link in whole.links if link[0] in digital]
    # Task 3 is mapped to nothing, and the crew has no task.
    assert len(seeds) + len(unfit) == len(links) + ("3" in digital) + 1


@pytest.mark.parametrize(
    ("rows", "changes", "words"),
    [
        ([("1", "DIGITAL"), ("1.0", "DIGITAL")], {}, ["line 3", "task id 1 occurs twice"]),
        (
            [("1", "DIGITAL")],
            {"label": "verdict"},
            ["no column 'verdict'", "digital.label to one of: task, mark"],
        ),
        ([("1", "OTHER")], {}, ["digital=labels leaves none of 5 tasks", "labelled OTHER", "digital=none"]),
        ([("77", "DIGITAL")], {}, ["leaves none of 5 tasks (no label)"]),
        ([("", "DIGITAL")], {}, ["line 2", "task id is empty"]),
        ([], {}, ["no rows"]),
        ([("1", "DIGITAL", "x")], {}, ["line 2", "3 fields"]),
        (
            [("15-1131.00", "1")],
            {"occupation": "task", "id": "mark", "label": "task"},
            ["15-1131.00", "before"],
        ),
    ],
)
def test_a_label_file_that_does_not_fit_is_one_clear_line(
    tmp_path: Path, rows: list[tuple[str, ...]], changes: dict[str, object], words: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        by_labels(label_file(tmp_path, ("task", "mark"), *rows), **changes).apply(tables())
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_a_label_file_that_is_missing_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"does not exist.*digital\.labels"):
        by_labels(tmp_path / "none.csv").apply(tables())
    with pytest.raises(
        InputError, match=r"does not exist.*GPTs-are-GPTs.*digital\.labels=<path>.*digital=none"
    ):
        proxy(tmp_path / "none.tsv").apply(tables())


def test_the_proxy_wants_both_labels_on_core_tasks(tmp_path: Path) -> None:
    path = study(
        tmp_path,
        ("1", 'Say "so"', "E1", "E2"),
        ("2", "x", "E2", "E0"),
        ("3", "x", "E0", "E1"),
        ("4", "x", "E2", "E1"),
        ("5", "x", "E1", "E1"),
    )
    left = proxy(path, share=0).apply(tables(t5="Supplemental"))
    assert list(left.tables.tasks) == ["1", "4"]
    assert [one.detail.split(": ")[1] for one in left.rejections] == [
        "labelled E2 by people and E0 by GPT-4",
        "labelled E0 by people and E1 by GPT-4",
        "no core task",
    ]
    assert any("tuned on the paper's own counts" in note for note in left.notes)


@pytest.mark.parametrize(("least", "share", "kept"), [(2, 0.5, 2), (3, 0.5, 0), (2, 0.51, 0), (1, 0, 2)])
def test_the_proxy_wants_enough_of_them_in_an_occupation(
    tmp_path: Path, least: int, share: float, kept: int
) -> None:
    rows = [
        (task, "x", *labels)
        for task, labels in zip("1234", [("E1", "E1")] * 2 + [("E0", "E0")] * 2, strict=True)
    ]
    path = study(tmp_path, *rows, ("5", "x", "E0", "E0"))  # type: ignore[arg-type]
    if kept:
        assert len(proxy(path, least, share).apply(tables()).tables.tasks) == kept
    else:
        with pytest.raises(InputError, match="2 of 4 core tasks"):
            proxy(path, least, share).apply(tables())


def test_the_proxy_on_release_30_1() -> None:
    labels = SHARED / "digital" / "full_labelset.tsv"
    if not labels.is_file() or not (SHARED / "30.1").is_dir():
        pytest.skip("needs ../shared/onet: not in this clone")
    whole = OnetOccupations(root=SHARED / "30.1").load()
    left = proxy(labels, least=10).apply(whole)
    counts = Survey.of(left.tables)
    assert (counts.working, counts.sectors, counts.subsectors) == (249, 16, 43)
    assert (counts.dwas_used, counts.pairs) == (887, 3491)
    assert len(left.tables.tasks) + len(left.rejections) == len(whole.tasks) == 18796
    assert left.notes[0] == (
        "digital=proxy: 19,265 labels, 526 for tasks that the source doesn't have, 58 for tasks worded otherwise "
        "there; 57 tasks of the source have no label"
    )
    held = Survey.of(whole)
    assert (held.occupations, held.working, held.sectors, held.subsectors) == (1016, 923, 22, 95)
    assert (held.tasks, held.dwas, held.dwas_used, held.links, held.pairs) == (
        18796,
        2087,
        2083,
        23850,
        18357,
    )
