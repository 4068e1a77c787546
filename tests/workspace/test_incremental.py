"""A second opening hashes and reads only what is new or changed, and gives what a first one would."""

import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphforge.workspace.search as module
from graphforge.errors import StorageError
from graphforge.workspace import Attempt, Library, LocalSearch, WorkerPool
from graphforge.workspace.catalogue import Catalogue, is_fresh, state

ROWS = "Department,Spending\nPolice,120\nFire,80\nStreets,60\nParks,30\nHealth,90\n"


class Watched:
    """A folder, its cache, and how many files an opening hashed and read."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        self.root, self.cache = folder / "shelf", folder / "cache"
        self.root.mkdir()
        self.hashed = self.read = 0
        hashing, reading = module._sha256, WorkerPool.read

        def counted_hash(path: Path) -> str:
            self.hashed += 1
            return hashing(path)

        def counted_read(pool: WorkerPool, jobs: Sequence[tuple[Path, str]]) -> Iterator[Attempt]:
            self.read += len(jobs)
            return reading(pool, jobs)

        monkeypatch.setattr(module, "_sha256", counted_hash)
        monkeypatch.setattr(WorkerPool, "read", counted_read)

    def write(self, name: str, text: str, age: float = 100.0) -> Path:
        path = self.root / name
        path.write_text(text)
        then = time.time() - age
        os.utime(path, (then, then))
        return path

    def open(self) -> tuple[Library, int, int]:
        self.hashed = self.read = 0
        found = LocalSearch(root=self.root, file_bytes=100_000, workers=1).open(self.cache)
        return found, self.hashed, self.read


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    # A change of the inode's own time can't be set back, so what was just written is always fresh.
    monkeypatch.setattr("graphforge.workspace.catalogue._FRESH_NS", -1_000_000_000_000)
    return Watched(tmp_path, monkeypatch)


def test_an_unchanged_folder_is_neither_hashed_nor_read(watched: Watched) -> None:
    for number in range(6):
        watched.write(f"{number}.csv", ROWS + f"Office {number},{number}\n")
    first, hashed, read = watched.open()
    assert (hashed, read) == (6, 6)
    again, hashed, read = watched.open()
    assert (hashed, read) == (0, 0)
    assert again.files == first.files and dict(again.documents) == dict(first.documents)
    assert again.search("police spending", 6) == first.search("police spending", 6)


def test_one_new_file_is_read_alone(watched: Watched) -> None:
    for number in range(6):
        watched.write(f"{number}.csv", ROWS + f"Office {number},{number}\n")
    watched.open()
    watched.write("whales.txt", "Whales were seen off the coast all through the year.")
    found, hashed, read = watched.open()
    assert (hashed, read) == (1, 1)
    [(best, _)] = found.search("whales", 1)
    assert found.files[best].path == "whales.txt"


def test_a_touched_file_is_hashed_and_not_read(watched: Watched) -> None:
    path = watched.write("a.csv", ROWS)
    watched.write("b.csv", ROWS + "Zoo,1\n")
    watched.open()
    os.utime(path)
    assert watched.open()[1:] == (1, 0)


def test_a_change_of_the_same_length_and_time_is_seen(watched: Watched) -> None:
    path = watched.write("a.csv", ROWS)
    first, *_ = watched.open()
    times = path.stat()
    path.write_text(ROWS.replace("120", "121"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    found, hashed, read = watched.open()
    assert (hashed, read) == (1, 1)
    assert set(found.files) != set(first.files)


def test_a_file_put_in_its_place_is_seen(watched: Watched) -> None:
    path = watched.write("a.csv", ROWS)
    watched.open()
    other = watched.write("other", ROWS.replace("120", "121"))
    times = path.stat()
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    os.replace(other, path)
    assert watched.open()[1] == 1


def test_a_removed_file_is_gone_and_a_moved_one_is_not_read_again(watched: Watched) -> None:
    watched.write("a.csv", ROWS)
    watched.write("b.csv", ROWS + "Zoo,1\n")
    watched.open()
    (watched.root / "a.csv").unlink()
    (watched.root / "new").mkdir()
    os.replace(watched.root / "b.csv", watched.root / "new" / "b.csv")
    found, hashed, read = watched.open()
    assert [file.path for file in found.files.values()] == ["new/b.csv"]
    assert (hashed, read) == (1, 0)
    assert list(Catalogue(watched.cache).hashes(watched.root, {"a.csv": "", "b.csv": ""})) == []


def test_a_file_that_may_still_change_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(tmp_path, monkeypatch)
    path = watched.write("a.csv", ROWS)
    assert is_fresh(state(path), time.time_ns())
    assert not is_fresh(state(path), time.time_ns() + 10**11)
    watched.open()
    assert watched.open()[1:] == (1, 0)


def test_a_document_that_was_deleted_from_the_cache_is_read_again(watched: Watched) -> None:
    watched.write("a.csv", ROWS)
    first, *_ = watched.open()
    for path in watched.cache.rglob("*.json"):
        path.unlink()
    again, _, read = watched.open()
    assert read == 1
    assert dict(again.documents) == dict(first.documents)


def test_a_spoilt_catalogue_says_what_to_delete(tmp_path: Path) -> None:
    Catalogue(tmp_path).commit()
    [place] = tmp_path.glob("*.sqlite")
    for path in tmp_path.iterdir():
        path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StorageError, match=place.name) as caught:
        Catalogue(tmp_path)
    assert "\n" not in str(caught.value)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["write", "touch", "remove"]), st.integers(0, 4), st.integers(0, 3)),
        max_size=10,
    ),
    st.randoms(use_true_random=False),
)
def test_any_history_gives_what_a_first_opening_gives(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]], order: random.Random
) -> None:
    root, cache = tmp_path_factory.mktemp("shelf"), tmp_path_factory.mktemp("cache")
    (root / "always.csv").write_text(ROWS)
    search = LocalSearch(root=root, file_bytes=100_000, workers=1)
    for action, number, content in steps:
        path = root / f"{number}.csv"
        if action == "write":
            path.write_text(ROWS + f"Office,{content}\n")
        elif action == "touch" and path.exists():
            os.utime(path, (1_600_000_000, 1_600_000_000 + order.randrange(10**6)))
        else:
            path.unlink(missing_ok=True)
        kept, fresh = search.open(cache), search.open()
        assert kept.files == fresh.files and kept.rejections == fresh.rejections
        assert dict(kept.documents) == dict(fresh.documents)
        assert kept.search("office spending", 5) == fresh.search("office spending", 5)
