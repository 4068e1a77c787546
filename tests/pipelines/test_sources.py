"""Bad occupations and labels at the edge of the seeds stage: one clear line, exit code 2, and nothing left behind."""

import functools
import http.server
import json
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hydra.core.global_hydra import GlobalHydra
from small_release import SMALL, write_text

from graphforge.records import EXECUTION_PATTERNS, Rejection, StageCount, read_jsonl
from pipelines import _edge, seeds

ROOT = Path(__file__).resolve().parents[2]
CODE = "13-2011.00"
Run = Callable[..., int | None]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One MLflow store for all runs here: making one takes seconds."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def run(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The stage as `python -m pipelines.seeds` runs it, into tmp_path/out; its exit code."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DVC_ROOT", str(store))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    before = signal.getsignal(signal.SIGTERM)

    def go(*overrides: str) -> int | None:
        GlobalHydra.instance().clear()
        monkeypatch.setattr(
            sys, "argv", ["seeds", "-cp", str(ROOT / "conf"), *overrides, f"hydra.run.dir={tmp_path / 'out'}"]
        )
        try:
            _edge.one_line(seeds.main)
        except SystemExit as left:
            return int(left.code or 0)
        return None

    yield go
    signal.signal(signal.SIGTERM, before)
    import mlflow

    mlflow.set_tracking_uri(None)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    folder = tmp_path / "release"
    folder.mkdir()
    write_text(folder, SMALL)
    return folder


def spoil(folder: Path, what: str) -> list[str]:
    """Spoil the release in one way; the overrides that meet it."""
    tasks, labels = folder / "Task Statements.txt", folder / "labels.csv"
    overrides = ["occupations=onet", f"occupations.root={folder}"]
    match what:
        case "missing table":
            tasks.unlink()
        case "missing column":
            tasks.write_text(tasks.read_text().replace("Task Type", "Type"))
        case "duplicate task":
            tasks.write_text(tasks.read_text() + f"{CODE}\t1\tAgain.\tCore\tn/a\n")
        case "other taxonomy":
            path = folder / "Occupation Data.txt"
            path.write_text(path.read_text() + "15-1131.00\tComputer Programmers\tx\n")
        case "empty filter":
            labels.write_text("task_id,label\n1,PHYSICAL\n2,PHYSICAL\n")
            overrides += ["digital=labels", f"digital.labels={labels}"]
        case "no label file":
            overrides += ["digital=proxy", f"digital.labels={folder / 'none.tsv'}"]
        case "old release":
            overrides = ["occupations=onet_release", "occupations.release=24.3"]
    return overrides


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("missing table", ["no table 'Task Statements'", "25.1 or later"]),
        ("missing column", ["Task Statements.txt", "no column 'Task Type'"]),
        ("duplicate task", ["line 4", "Task ID 1 occurs twice"]),
        ("other taxonomy", ["15-1131.00", "taxonomy before that of 2019"]),
        ("empty filter", ["digital=labels leaves none of 2 tasks", "digital=none"]),
        ("no label file", ["none.tsv does not exist", "GPTs-are-GPTs"]),
        ("old release", ["occupations.release", "another taxonomy"]),
    ],
)
def test_bad_input_is_one_line(
    run: Run, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, words: list[str]
) -> None:
    assert run(*spoil(release, what)) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith("graphforge: ")
    for word in words:
        assert word in line
    assert not list((tmp_path / "out").glob("*.json*"))


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, str]]:
    """A folder that a server on loopback serves, and its address."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "web"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("truncated", ["db_30_1_text.zip is no O*NET release: it is cut short"]),
        ("wrong hash", ["has the sha256", f"and not {'0' * 64} (occupations.sha256)"]),
        (
            "not there",
            ["db_30_1_text.zip can't be fetched: the server answers 404", "occupations.root=<folder>"],
        ),
    ],
)
def test_a_bad_download_is_one_line(
    run: Run,
    release: Path,
    web: tuple[Path, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    what: str,
    words: list[str],
) -> None:
    folder, address = web
    if what != "not there":
        made = Path(shutil.make_archive(str(folder / "db_30_1_text"), "zip", release))
        if what == "truncated":
            made.write_bytes(made.read_bytes()[:-100])
    pinned = ["occupations.sha256=" + "'" + "0" * 64 + "'"] if what == "wrong hash" else []
    assert run("occupations=onet_release", f"occupations.address={address}", *pinned) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    for word in words:
        assert word in line
    assert not list((tmp_path / "out").glob("*.json*"))


def test_the_counts_are_printed_and_the_books_add_up(
    run: Run, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = release / "labels.csv"
    labels.write_text("task_id,label\n1.0,DIGITAL\n2,PHYSICAL\n3,DIGITAL\n")
    overrides = [f"occupations.root={release}", "digital=labels", f"digital.labels={labels}"]
    assert run("occupations=onet", *overrides) is None
    told = capsys.readouterr().out.splitlines()
    assert told == [
        "occupations: O*NET: 2 occupations (1 with tasks) in 1 sectors and 1 sub-sectors; 2 tasks (1 mapped to no "
        "activity); 2 activities (2 used), 2 links, 2 pairs of occupation and activity",
        "digital=labels: 3 labels, 1 for tasks that the source doesn't have; 0 tasks of the source have no label",
        "digital: left are 1 occupations in 1 sectors and 1 sub-sectors, 1 tasks, 2 activities, 2 pairs",
        "seeds: 96 were asked for and there were only 2: all were taken",
    ]
    count = StageCount.model_validate_json((tmp_path / "out" / "counts.json").read_bytes())
    rejected = list(read_jsonl(tmp_path / "out" / "rejected.jsonl", Rejection))
    assert count.inputs == 4 and count.rejected["not_digital"] == 1 and count.rejected["no_tasks"] == 1
    assert len(rejected) + count.outputs == count.inputs
    assert [one.id for one in rejected if one.reason == "not_digital"] == [f"{CODE}:2"]
    assert json.loads((tmp_path / "out" / "run.json").read_text())["mlflow_run"]


def test_a_sweep_may_be_asked_for_between_overrides(run: Run, release: Path, tmp_path: Path) -> None:
    out = tmp_path / "sweep"
    # Longer than a file's name may be, and with slashes.
    patterns = f"engine.patterns=[{','.join(EXECUTION_PATTERNS)}]"
    overrides = [f"occupations.root={release}", "seeds.count=1", patterns, "-m", "balance=random,equal_quota"]
    assert run("occupations=onet", *overrides, f"hydra.sweep.dir={out}") is None
    assert len(list(out.rglob("seeds.jsonl"))) == 2
