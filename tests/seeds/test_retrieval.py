"""Evidence of a pair: what may be found, in which order, and that both engines drop what it doesn't bear out."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphforge.errors import InputError
from graphforge.records import EXECUTION_PATTERNS, StageCount
from graphforge.seeds import (
    Activity,
    AllPassages,
    Bm25Retrieval,
    DemoOccupations,
    MarginalCoverage,
    Occupation,
    OccupationTables,
    Pair,
    Task,
    Technology,
    propose,
    propose_with_model,
)
from graphforge.seeds.embedding_retrieval import Embeddings
from graphforge.seeds.passages import PassagePool, read_passages
from graphforge.seeds.support import SUPPORT, supported
from tests.spoken import Spoken

RECONCILE = "Reconcile ledger accounts with bank statements and report discrepancies in a spreadsheet."
SHELVES = "Analyze shelf records and report trends in loans of books."
SOFTWARE = (
    Technology("LibreOffice Calc", "Spreadsheet software"),
    Technology("Gnumeric", "Spreadsheet software"),
    Technology("Ledger tool", "Accounting software"),
)
TABLES = OccupationTables(
    occupations={
        "13-2011.00": Occupation("13-2011.00", "Accountants", "People who keep accounts.", 4, SOFTWARE),
        "25-4022.00": Occupation("25-4022.00", "Librarians", "People who keep books.", 5, SOFTWARE[:1]),
    },
    tasks={
        "1": Task("1", "13-2011.00", RECONCILE),
        "2": Task("2", "13-2011.00", "Merge payroll data of departments into a single table."),
        "3": Task("3", "25-4022.00", SHELVES),
    },
    dwas={
        "D1": Activity("D1", "Verify accuracy of bank statements and ledger accounts.", "I1"),
        "D2": Activity("D2", "Prepare operational reports.", "I2"),
    },
    iwas={"I1": "Check records.", "I2": "Write reports."},
    links=(("1", "D1"), ("2", "D1"), ("3", "D2")),
    alternate_titles={"13-2011.00": ("Bookkeepers", "Cost Accountants")},
)
PAIR = Pair("13-2011.00", "D1", ("1", "2"))


def sources(found) -> list[str]:
    return [passage.source for passage in found]


def test_everything_the_release_says_of_an_occupation_is_in_the_pool() -> None:
    pool = PassagePool(TABLES)
    found = {pool.passages[place].source: pool.passages[place].text for place in pool.places(PAIR)}
    assert set(found) == {
        "Task Statements:1",
        "Task Statements:2",
        "Occupation Data:13-2011.00",
        "Technology Skills:13-2011.00",
        "Job Zones:13-2011.00",
        "Alternate Titles:13-2011.00",
        "DWA Reference:D1",
        "IWA Reference:I1",
    }
    assert "job zone 4 of 5" in found["Job Zones:13-2011.00"]
    assert "Cost Accountants" in found["Alternate Titles:13-2011.00"]
    software = [one.text for one in pool.passages if one.source == "Technology Skills:13-2011.00"]
    assert software == [
        "Accounting software: Ledger tool",
        "Spreadsheet software: LibreOffice Calc, Gnumeric",
    ]


def test_bm25_puts_shared_words_first_and_finds_nothing_of_other_occupations() -> None:
    found = Bm25Retrieval(top=3).open(TABLES).of(PAIR)
    assert sources(found)[:2] == ["DWA Reference:D1", "Task Statements:1"]
    assert len(found) == 3
    every = sources(Bm25Retrieval(top=99).open(TABLES).of(PAIR))
    assert "Task Statements:2" not in every  # shares no word with the pair's titles
    assert not any("25-4022.00" in one or one == "Task Statements:3" for one in every)


@settings(max_examples=25)
@given(st.integers(1, 12), st.integers(1, 12))
def test_a_smaller_top_is_the_beginning_of_a_larger_one(one: int, other: int) -> None:
    small, large = sorted((one, other))
    found = {top: Bm25Retrieval(top=top).open(TABLES).of(PAIR) for top in (small, large)}
    assert found[large][:small] == found[small]


def test_all_is_the_order_of_the_release_and_the_same_for_both_engines() -> None:
    found = AllPassages().open(TABLES).of(PAIR)
    assert sources(found) == [
        "Task Statements:1",
        "Task Statements:2",
        "DWA Reference:D1",
        "IWA Reference:I1",
        "Occupation Data:13-2011.00",
        "Technology Skills:13-2011.00",
    ]
    tables = DemoOccupations().load()
    assert propose(tables, EXECUTION_PATTERNS) == propose(tables, EXECUTION_PATTERNS, AllPassages())


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def test_paragraphs_of_a_folder_are_passages_named_by_file(tmp_path: Path) -> None:
    write(
        tmp_path,
        "b/close.md",
        "# Closing\nThe ledger accounts are reconciled\nwith bank statements.\n\nSecond one.\n",
    )
    write(tmp_path, "a.txt", "\n\nOnly one.")
    write(tmp_path, "picture.png", "no text")
    write(tmp_path, ".hidden.txt", "Hidden.")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    found = [(one.source, one.text) for one in read_passages(tmp_path)]
    assert found == [
        ("a.txt:1", "Only one."),
        ("b/close.md:1", "The ledger accounts are reconciled with bank statements."),
        ("b/close.md:2", "Second one."),
    ]


@pytest.mark.parametrize("made", ["nothing", "file", "empty", "bytes"])
def test_a_folder_that_holds_no_passages_is_one_clear_line(made: str, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    if made == "file":
        folder.write_text("no folder")
    elif made != "nothing":
        folder.mkdir()
        (folder / "x.md").write_bytes(b"# Only a heading\n" if made == "empty" else b"\xff\xfe\x00")
    with pytest.raises(InputError) as raised:
        Bm25Retrieval(top=3, passages=folder).open(TABLES)
    assert "\n" not in str(raised.value)
    assert str(folder) in str(raised.value)


def test_the_rules_engine_cites_the_users_passages_that_bear_on_a_demand(tmp_path: Path) -> None:
    write(
        tmp_path,
        "close.md",
        "Bank statements and ledger accounts: discrepancies are reported.\n\nHats are blue.\n",
    )
    seeds, _ = propose(TABLES, EXECUTION_PATTERNS, Bm25Retrieval(top=9, passages=tmp_path))
    (seed,) = [one for one in seeds if one.task_id == "1"]
    cited = sources(seed.evidence)
    assert "close.md:1" in cited
    assert "Task Statements:1" in cited
    assert "close.md:2" not in cited
    assert not any(one.startswith(("Job Zones", "Alternate Titles", "Occupation Data")) for one in cited)


def test_a_demand_of_the_rules_that_nothing_found_bears_out_is_dropped() -> None:
    found = Bm25Retrieval(top=9)
    seeds, rejections = propose(TABLES, EXECUTION_PATTERNS, found)
    kept, _ = propose(TABLES, EXECUTION_PATTERNS)
    dropped = {one.id.rpartition(":")[2] for one in rejections if one.reason == "unsupported"}
    # Task 2 shares no word with the titles of its pair, so it isn't found, and nothing else says it.
    assert dropped == {"2"}
    assert {one.task_id for one in kept} - {one.task_id for one in seeds} == dropped
    StageCount.of("seeds", len(seeds) + len(rejections), len(seeds), rejections)


@pytest.mark.parametrize("top", [1, 2, 5, 24])
def test_every_seed_of_the_rules_stands_the_test_of_support(top: int) -> None:
    seeds, rejections = propose(DemoOccupations().load(), EXECUTION_PATTERNS, Bm25Retrieval(top=top))
    assert all(
        supported(one.demand, " ".join(passage.text for passage in one.evidence)) >= SUPPORT for one in seeds
    )
    StageCount.of("seeds", len(seeds) + len(rejections), len(seeds), rejections)


def ask(retrieval, *answers):
    speaker = Spoken(*answers)
    run = propose_with_model(
        TABLES,
        EXECUTION_PATTERNS,
        speaker,
        balance=MarginalCoverage(dimensions=("occupation",)),
        most=9,
        at_once=1,
        retrieval=retrieval,
    )
    seeds, rejections = asyncio.run(run)
    return seeds, rejections, speaker


def test_a_pair_none_of_whose_tasks_is_found_costs_no_call() -> None:
    seeds, rejections, speaker = ask(Bm25Retrieval(top=1))
    assert seeds == []
    assert speaker.prompts == []
    assert {one.reason for one in rejections} == {"no_task_found"}


def test_a_model_is_shown_the_passages_found_and_must_cite_a_task_of_the_pair(tmp_path: Path) -> None:
    write(tmp_path, "close.md", "Ledger accounts are reconciled with bank statements every month.")
    said = {"demands": [{"demand": "Reconcile ledger accounts with bank statements.", "passages": [1]}]}
    _, rejections, speaker = ask(Bm25Retrieval(top=4, passages=tmp_path), {"demands": []}, said)
    shown = speaker.prompts[1].turns[-1].content
    assert "Occupation: Accountants" in shown
    assert "(close.md) Ledger accounts are reconciled" in shown
    assert [one.reason for one in rejections if one.id.startswith("13-2011.00:D1#")] == ["no_task_cited"]


class Letters:
    """An encoder that counts letters; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts):
        import numpy

        self.asked += texts
        rows = [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        found = numpy.asarray(rows, dtype=numpy.float32)
        return found / numpy.linalg.norm(found, axis=1, keepdims=True)


def test_embeddings_encode_a_text_once_and_only_where_it_is_asked_about() -> None:
    pool, encoder = PassagePool(TABLES), Letters()
    scorer = Embeddings(pool.passages, encoder)
    scores = scorer.scores(["bank statements", "ledger"], pool.places(PAIR))
    assert scorer.scores(["bank statements", "ledger"], pool.places(PAIR)) == scores
    assert len(encoder.asked) == len(set(encoder.asked))
    assert SHELVES not in encoder.asked
    assert scores == [round(score, 4) for score in scores]
