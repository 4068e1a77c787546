"""The store: files once each by content, read-only, looked at again on use, with their documents."""

import hashlib
import os
from pathlib import Path

import pytest
from made_library import DEPARTMENTS, any_case, seed

from graphforge.errors import InputError, RecordError
from graphforge.records import EPOCH_SECONDS, Workspace
from graphforge.workspace import (
    AssemblySettings,
    Library,
    LocalSearch,
    assemble,
    load_document,
    store,
    stored_file,
)

SETTINGS = AssemblySettings(
    relevance=0.1,
    elsewhere=0.25,
    closeness=0.5,
    files_cost=0.05,
    topic_cost=0.0,
    smallest=4,
    largest=6,
    family_bonus=0.1,
    alone=0.4,
    most=1,
    again_cost=0.05,
)


@pytest.fixture
def assembled(tmp_path: Path) -> tuple[Library, list[Workspace]]:
    root = tmp_path / "library" / "budget"
    root.mkdir(parents=True)
    for name, values in {
        "spending.csv": [120, 80, 60, 25, 30, 90, 70, 5],
        "spending_revised.csv": [120, 80, 60, 25, 30, 95, 70, 6],
        "positions.csv": [11, 22, 33, 44, 55, 67, 78, 90],
        "vehicles.csv": [3, 8, 1, 12, 2, 40, 31, 17],
    }.items():
        head = name.split(".")[0].removesuffix("_revised").title()
        lines = [f"Department,{head}", *map("{},{}".format, DEPARTMENTS, values)]
        (root / name).write_text("\n".join(lines) + "\n")
    found = LocalSearch(root=tmp_path / "library", file_bytes=10_000, workers=1).open()
    asked = seed(1, "Reconcile department spending.", "reconciliation")
    workspaces = assemble(found, [asked], SETTINGS, any_case).workspaces
    return found, workspaces


def test_files_are_stored_once_by_content(assembled: tuple[Library, list[Workspace]], tmp_path: Path) -> None:
    found, workspaces = assembled
    [workspace] = workspaces
    folder = tmp_path / "out"
    stored = store(found, [workspace, workspace], folder)
    assert stored == sorted(file.sha256 for file in workspace.files)
    assert sorted(path.name for path in (folder / "files").iterdir()) == stored
    for sha256 in stored:
        assert hashlib.sha256((folder / "files" / sha256).read_bytes()).hexdigest() == sha256
        assert load_document(folder, sha256) == found.documents[sha256]


def test_storing_again_gives_the_same_bytes(
    assembled: tuple[Library, list[Workspace]], tmp_path: Path
) -> None:
    found, workspaces = assembled
    for folder in ("one", "two", "two"):
        store(found, workspaces, tmp_path / folder)
    one, two = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (tmp_path / "one", tmp_path / "two")
    )
    assert one
    assert one == two


def test_a_file_that_changed_meanwhile_is_refused(
    assembled: tuple[Library, list[Workspace]], tmp_path: Path
) -> None:
    found, workspaces = assembled
    found.locate(workspaces[0].files[0].sha256).write_text("something else")
    with pytest.raises(InputError, match="changed while"):
        store(found, workspaces, tmp_path / "out")


def test_missing_and_broken_documents_say_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load_document(tmp_path, "0" * 64)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / f"{'0' * 64}.json").write_text("{}")
    with pytest.raises(RecordError, match="no valid Document"):
        load_document(tmp_path, "0" * 64)


def test_stored_files_are_read_only_and_of_one_instant(
    assembled: tuple[Library, list[Workspace]], tmp_path: Path
) -> None:
    found, workspaces = assembled
    for sha256 in store(found, workspaces, tmp_path / "out"):
        status = stored_file(tmp_path / "out", sha256).stat()
        assert status.st_mode & 0o777 == 0o444
        assert status.st_mtime == EPOCH_SECONDS


def test_a_changed_byte_is_one_clear_line_and_storing_again_mends_it(
    assembled: tuple[Library, list[Workspace]], tmp_path: Path
) -> None:
    found, workspaces = assembled
    folder = tmp_path / "out"
    first, *others = store(found, workspaces, folder)
    path = stored_file(folder, first)
    content = path.read_bytes()
    times = path.stat()
    path.chmod(0o644)
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(InputError, match="other bytes than its name says") as caught:
        stored_file(folder, first)
    assert "\n" not in str(caught.value)
    for sha256 in others:
        assert stored_file(folder, sha256).is_file()
    store(found, workspaces, folder)
    assert stored_file(folder, first).read_bytes() == content


def test_a_missing_stored_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        stored_file(tmp_path, "0" * 64)
