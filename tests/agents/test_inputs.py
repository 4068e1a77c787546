"""What an agent does to its input files never reaches the store, and the files tell nothing beside their content."""

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from agent_cases import SANDBOX

from graphforge.agents import BwrapSandbox
from graphforge.agents.layout import lay_out
from graphforge.agents.sandbox import Sandbox, SandboxRoom, clone
from graphforge.errors import ConfigError
from graphforge.records import EPOCH_SECONDS

BWRAP = BwrapSandbox(**SANDBOX.model_dump(), memory_together=1024**3, workspace_bytes=64 * 1024**2)


def _why_not() -> str:
    try:
        BWRAP.check()
    except ConfigError as error:
        return str(error)
    return ""


WHY_NOT = _why_not()
BOTH = pytest.mark.parametrize(
    "sandbox",
    [
        pytest.param(SANDBOX, id="process"),
        pytest.param(BWRAP, id="bwrap", marks=pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)),
    ],
)
CONTENTS = {"a.csv": "Area,Fees\nNorth,10\n", "b c'd.csv": "Area,Fees\nSouth,20\n", "é.md": "# Rules\n"}

# Each tries to change the bytes, the mode or the presence of inputs/a.csv; none may get further than the rollout.
ATTACKS = {
    "chmod and write": "chmod u+w inputs/a.csv; chmod 777 inputs inputs/a.csv; echo changed > inputs/a.csv",
    "remove": "chmod u+w inputs; rm -f inputs/a.csv",
    "move away": "chmod u+w inputs; mv -f inputs/a.csv stolen.csv; echo changed > stolen.csv",
    "move over": "echo changed > mine; chmod u+w inputs; mv -f mine inputs/a.csv",
    "hard link, then write": "ln inputs/a.csv link.csv; chmod u+w link.csv; echo changed > link.csv",
    "truncate": "chmod u+w inputs/a.csv; truncate -s 0 inputs/a.csv",
    "open for writing": "python3 -c \"import os; f = os.open('inputs/a.csv', os.O_RDWR); os.write(f, b'changed')\"",
    "open by its descriptor": "chmod u+w inputs/a.csv; python3 -c \"f = open('inputs/a.csv'); "
    "open(f'/proc/self/fd/{f.fileno()}', 'r+').write('changed')\"",
    "map and write": "python3 -c \"import mmap, os; f = os.open('inputs/a.csv', os.O_RDWR); "
    "mmap.mmap(f, 4)[:4] = b'evil'\"",
    "link in its place": "chmod u+w inputs; ln -sfn /etc/passwd inputs/a.csv",
    "the folder in its place": "chmod u+w . inputs; mv inputs old; mkdir inputs; echo changed > inputs/a.csv",
    "times": "touch -d 2001-01-01 inputs/a.csv",
    "attributes": "setfattr -n user.note -v x inputs/a.csv; chattr +i inputs/a.csv; chown 0:0 inputs/a.csv",
    "unmount": "umount inputs/a.csv; mount -o remount,rw inputs/a.csv; mount --bind . inputs",
    "append by a program": "chmod u+w inputs/a.csv; sed -i s/North/evil/ inputs/a.csv; dd if=/dev/zero of=inputs/a.csv",
}


@pytest.fixture
def store(tmp_path: Path) -> Mapping[str, Path]:
    folder = tmp_path / "store" / "files"
    folder.mkdir(parents=True)
    found = {}
    for name, content in CONTENTS.items():
        path = folder / hashlib.sha256(content.encode()).hexdigest()
        path.write_text(content)
        path.chmod(0o444)
        os.utime(path, (EPOCH_SECONDS, EPOCH_SECONDS))
        found[name] = path
    return found


def laid_out(room: SandboxRoom, store: Mapping[str, Path]) -> None:
    lay_out(room, SimpleNamespace(task="t", files=tuple(store)), store)  # type: ignore[arg-type]


def assert_whole(store: Mapping[str, Path]) -> None:
    for name, path in store.items():
        assert path.read_text() == CONTENTS[name]
        assert path.stat().st_mode & 0o777 == 0o444
        assert path.stat().st_mtime == EPOCH_SECONDS
        assert path.stat().st_nlink == 1
    [folder] = {path.parent for path in store.values()}
    assert sorted(folder.iterdir()) == sorted(store.values())


@BOTH
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=list(ATTACKS))
def test_no_attack_reaches_the_store(sandbox: Sandbox, attack: str, store: Mapping[str, Path]) -> None:
    with sandbox.open() as room:
        laid_out(room, store)
        room.run(attack)
        if sandbox.isolates:
            assert room.run("cat inputs/a.csv").output == CONTENTS["a.csv"]
        assert_whole(store)
    assert_whole(store)


@BOTH
def test_the_files_are_there_by_name_and_tell_nothing_else(
    sandbox: Sandbox, store: Mapping[str, Path]
) -> None:
    # As a stage leaves them: some were read since, and one came back from a cache with a time of its own.
    os.utime(store["a.csv"], (EPOCH_SECONDS + 5e6, EPOCH_SECONDS + 4e6))
    with sandbox.open() as room:
        laid_out(room, store)
        told = room.run(
            "python3 -c \"import os\nfor n in sorted(os.listdir('inputs')):\n"
            " s = os.stat('inputs/' + n); print(n, oct(s.st_mode), s.st_mtime, s.st_atime, s.st_nlink)\""
        ).output
        assert told == "".join(
            f"{name} 0o100444 {EPOCH_SECONDS}.0 {EPOCH_SECONDS}.0 1\n" for name in sorted(CONTENTS)
        )
        for name, content in CONTENTS.items():
            quoted = name.replace("'", "'\\''")
            assert room.run(f"cat 'inputs/{quoted}'").output == content
        folder = room.run("stat -c %Y inputs outputs").output
        assert folder.split() == [str(EPOCH_SECONDS)] * 2


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_bwrap_shows_the_stored_file_itself(store: Mapping[str, Path]) -> None:
    with BWRAP.open() as room:
        laid_out(room, store)
        inode = room.run("stat -c %i inputs/a.csv").output.strip()
        assert int(inode) == store["a.csv"].stat().st_ino
        assert sum(path.stat().st_size for path in room.root.rglob("inputs/*") if path.is_file()) == 0


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_a_store_that_is_not_ours_is_copied(
    store: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    monkeypatch.setattr("graphforge.agents.bwrap.dress", refuse)
    with BWRAP.open() as room:
        laid_out(room, store)
        assert room.run("cat inputs/a.csv; echo x >> inputs/a.csv").output.startswith(CONTENTS["a.csv"])
        assert int(room.run("stat -c %i inputs/a.csv").output) != store["a.csv"].stat().st_ino
    assert_whole(store)


@pytest.mark.parametrize("size", [0, 1, 3_000_000])
def test_a_clone_has_the_same_bytes(tmp_path: Path, size: int) -> None:
    content = os.urandom(size)
    (tmp_path / "a").write_bytes(content)
    clone(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == content
    with pytest.raises(FileExistsError):
        clone(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize(
    "error", [OSError(18, "Invalid cross-device link"), AttributeError("copy_file_range")]
)
def test_a_clone_works_where_the_kernel_can_not_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(*_: object) -> int:
        raise error

    (tmp_path / "a").write_text("content")
    monkeypatch.setattr(os, "copy_file_range", refuse)
    clone(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "content"
    monkeypatch.setattr(os, "copy_file_range", lambda *_: (_ for _ in ()).throw(OSError(28, "No space")))
    with pytest.raises(OSError, match="No space"):
        clone(tmp_path / "a", tmp_path / "c")


def test_the_attacks_use_programs_that_are_here() -> None:
    assert shutil.which("truncate") and shutil.which("python3") and shutil.which("sed")
