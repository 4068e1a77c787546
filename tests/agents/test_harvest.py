"""Only promised plain files leave the rollout's folder."""

import hashlib
import os
from pathlib import Path

from graphforge.agents.harvest import harvest
from graphforge.records import Deliverable, PublicTask

TASK = PublicTask(
    task="t",
    statement="s",
    deliverables=(
        Deliverable(id="a", file="a.csv", family="csv", requirement="r"),
        Deliverable(id="b", file="b.csv", family="csv", requirement="r"),
    ),
    files=("in.csv",),
)


def test_promised_files_are_stored_by_hash_and_others_are_left(tmp_path: Path) -> None:
    outputs, keep = tmp_path / "outputs", tmp_path / "keep"
    outputs.mkdir()
    for name in ("a.csv", "b.csv", "notes.txt"):
        (outputs / name).write_text(name)
    artifacts, left_out = harvest(outputs, TASK, keep, 100)
    assert [(one.name, one.bytes) for one in artifacts] == [("a.csv", 5), ("b.csv", 5)]
    assert left_out == []
    assert {path.name for path in keep.iterdir()} == {
        hashlib.sha256(name.encode()).hexdigest() for name in ("a.csv", "b.csv")
    }


def test_links_pipes_folders_and_large_files_are_left_out_with_a_reason(tmp_path: Path) -> None:
    outputs, keep = tmp_path / "outputs", tmp_path / "keep"
    outputs.mkdir()
    (tmp_path / "secret").write_text("secret")
    (outputs / "a.csv").symlink_to(tmp_path / "secret")
    (outputs / "b.csv").write_text("x" * 101)
    artifacts, left_out = harvest(outputs, TASK, keep, 100)
    assert artifacts == ()
    assert left_out == ["a.csv is no plain file", "b.csv is larger than 100 bytes"]
    (outputs / "a.csv").unlink()
    (outputs / "b.csv").unlink()
    os.mkfifo(outputs / "a.csv")
    (outputs / "b.csv").mkdir()
    assert harvest(outputs, TASK, keep, 100) == ((), ["a.csv is no plain file", "b.csv is no plain file"])
    assert not keep.exists()


def test_a_linked_outputs_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.csv").write_text("x")
    (tmp_path / "outputs").symlink_to(tmp_path / "elsewhere")
    assert harvest(tmp_path / "outputs", TASK, tmp_path / "keep", 100)[0] == ()


def test_what_was_not_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    _, left_out = harvest(tmp_path / "outputs", TASK, tmp_path / "keep", 100)
    assert left_out == ["a.csv was not written", "b.csv was not written"]
