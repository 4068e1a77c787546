"""Opening a library: every file is read or rejected with a reason, and a second opening is quick."""

import json
from pathlib import Path

import orphans
import pytest

from graphforge.errors import InputError
from graphforge.workspace import Library, LocalSearch
from graphforge.workspace.search import parser_version

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
EXAMPLES = ROOT / "examples" / "library"
ROWS = "Department,Spending\nPolice,120\nFire,80\nStreets,60\nParks,30\nHealth,90\n"


def search(root: Path, **changes: object) -> LocalSearch:
    return LocalSearch(**{"root": root, "file_bytes": 1_000_000, "workers": 1, **changes})


def reasons(found: Library) -> dict[str, str]:
    return {rejection.id: rejection.reason for rejection in found.rejections}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_every_file_is_read_or_rejected_with_a_reason(tmp_path: Path) -> None:
    root = write(
        tmp_path / "library",
        {
            "budget/a.csv": ROWS,
            "budget/b.csv": ROWS,
            "budget/empty.csv": "",
            "budget/large.csv": ROWS * 50,
            ".hidden/c.csv": ROWS + "x,1\n",
            "budget/.d.csv": ROWS + "y,1\n",
            "~$lock.csv": "lock",
        },
    )
    (root / "link.csv").symlink_to(root / "budget" / "a.csv")
    (root / "linked").symlink_to(root / "budget")
    found = search(root, file_bytes=1_000).open()
    assert [file.path for file in found.files.values()] == ["budget/a.csv"]
    assert reasons(found) == {
        "budget/b.csv": "exact_duplicate",
        "budget/empty.csv": "empty_file",
        "budget/large.csv": "file_too_large",
    }
    [duplicate] = [one for one in found.rejections if one.reason == "exact_duplicate"]
    assert "budget/a.csv" in duplicate.detail
    count = found.count()
    assert (count.inputs, count.outputs) == (4, 1)


def test_without_a_manifest_the_folder_is_the_topic(tmp_path: Path) -> None:
    [file] = search(write(tmp_path, {"budget/a.csv": ROWS})).open().files.values()
    assert (file.source.topic, file.source.publisher, file.source.licence) == ("budget", "unknown", "unknown")


def test_the_manifest_gives_the_source(tmp_path: Path) -> None:
    root = write(tmp_path / "shelf", {"a.csv": ROWS, "b.csv": ROWS + "Zoo,1\n", "c.csv": "Zoo,2\n"})
    lines = [
        {"path": "shelf/a.csv", "title": "Budget", "publisher": "City", "url": "https://example.org/a",
         "topic": "money", "licence": "CC0", "period": "2021"},
        {"path": "b.csv", "sha256": "0" * 64},
        {"path": "gone.csv"},
    ]  # fmt: skip
    (root / "manifest.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    found = search(root).open()
    [file] = found.files.values()
    assert file.source.model_dump() == {
        "publisher": "City", "title": "Budget", "url": "https://example.org/a", "period": "2021",
        "date": None, "licence": "CC0", "topic": "money",
    }  # fmt: skip
    assert reasons(found) == {
        "b.csv": "hash_mismatch",
        "c.csv": "not_in_manifest",
        "gone.csv": "missing_file",
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no json", "line 1 is no JSON"),
        ('{"title": "x"}', "has no path"),
        ('{"path": "../x.csv"}', "leaves the folder"),
    ],
)
def test_a_bad_manifest_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    write(tmp_path, {"a.csv": ROWS, "manifest.jsonl": line})
    with pytest.raises(InputError, match=message):
        search(tmp_path).open()


def test_missing_empty_and_unreadable_folders_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        search(tmp_path / "nowhere").open()
    with pytest.raises(InputError, match="holds no files"):
        search(tmp_path).open()
    (tmp_path / "a.csv").touch()
    with pytest.raises(InputError, match=r"no readable file .*empty_file") as caught:
        search(tmp_path).open()
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="is no folder"):
        search(tmp_path / "a.csv").open()


def test_a_second_opening_reads_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path / "library", {"a.csv": ROWS, "bad.xlsx": "not a workbook at all"})
    cache = tmp_path / "cache"
    first = search(root).open(cache)
    (root / "moved").mkdir()
    (root / "a.csv").rename(root / "moved" / "a.csv")

    def refuse(*_: object) -> None:
        raise AssertionError("parsed again")

    monkeypatch.setattr("graphforge.workspace.worker_pool.Worker.read", refuse)
    second = search(root).open(cache)
    assert second.documents == first.documents
    assert [one.reason for one in first.rejections] == [one.reason for one in second.rejections]


def test_a_damaged_cache_is_read_anew(tmp_path: Path) -> None:
    root = write(tmp_path / "library", {"a.csv": ROWS})
    cache = tmp_path / "cache"
    first = search(root).open(cache)
    [entry] = (cache / parser_version()).iterdir()
    entry.write_text("{")
    assert search(root).open(cache).documents == first.documents


def test_processes_do_not_change_the_result(tmp_path: Path) -> None:
    root = write(tmp_path, {f"{n}.csv": ROWS + f"Zoo,{n}\n" for n in range(9)} | {"empty.csv": ""})
    one, two = search(root, workers=1).open(), search(root, workers=2).open()
    assert one.documents == two.documents
    assert list(one.documents) == list(two.documents)
    assert one.rejections == two.rejections


def test_the_tracker_sees_every_file(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.csv": ROWS, "b.csv": ROWS + "Zoo,1\n"})
    calls = []

    def track(items, label, total):
        calls.append((label, total))
        return items

    assert len(search(root).open(None, track).files) == 2
    assert calls == [("reading files", 2)]


def test_a_folder_that_is_a_link_is_followed_once(tmp_path: Path) -> None:
    write(tmp_path / "real", {"a.csv": ROWS})
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert len(search(tmp_path / "alias").open().files) == 1


def test_the_example_library_opens() -> None:
    if not EXAMPLES.is_dir():
        pytest.skip("needs examples/library: not in this clone")
    found = search(EXAMPLES, file_bytes=2**26).open()
    assert found.count().inputs == len(found.files) + len(found.rejections)
    assert len(found.files) >= 30
    assert len(found.topics()) >= 6
    assert {case.kind for case in found.findings.cases} >= {
        "pair_same_measure",
        "pair_other_measure",
        "periods",
        "shares",
    }
    assert all(file.source.licence != "unknown" for file in found.files.values())


@pytest.mark.slow
def test_the_corpus_opens_and_holds_cases_of_every_kind(tmp_path: Path) -> None:
    if not CORPUS.is_dir():
        pytest.skip("needs ../shared/corpus: not in this clone")
    found = search(CORPUS, file_bytes=2**26, workers=2).open(tmp_path)
    assert found.count().inputs == len(found.files) + len(found.rejections) == 394
    assert sum(rejection.reason == "exact_duplicate" for rejection in found.rejections) == 7
    kinds = {case.kind for case in found.findings.cases}
    assert kinds == {"pair_same_measure", "pair_other_measure", "periods", "shares", "threshold", "quote"}
    assert len({case.topic for case in found.findings.cases}) >= 18
    # Two editions of one caseload workbook, of which later months were revised.
    pairs = {
        tuple(found.files[sha256].name for sha256 in case.core)
        for case in found.findings.cases
        if case.kind == "pair_same_measure"
    }
    assert any({"fy2022_tanf_caseload.xlsx", "fy2023_tanf_caseload.xlsx"} == set(pair) for pair in pairs)


def test_readers_die_with_the_process_that_reads(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from graphforge.workspace import LocalSearch\n"
        "if __name__ == '__main__':\n"
        f"    LocalSearch(root=Path({str(EXAMPLES)!r}), file_bytes=10**6, workers=2).open(Path('cache'))"
    )
    process = orphans.start(code, tmp_path)
    assert orphans.until(lambda: list(tmp_path.glob("cache/*/*")), 60)
    children = orphans.below(process.pid)
    orphans.kill(process)
    assert len(children) >= 2
    assert orphans.until(lambda: not any(map(orphans.alive, children)), 10)
