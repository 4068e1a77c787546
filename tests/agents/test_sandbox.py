"""What the process sandbox holds, and what it keeps out of the record."""

import os
import time
from pathlib import Path

import orphans
import pytest
from agent_cases import SANDBOX
from hypothesis import given, settings
from hypothesis import strategies as st

from graphforge.agents import ProcessSandbox
from graphforge.errors import SandboxError


def limited(**changes: float) -> ProcessSandbox:
    return SANDBOX.model_copy(update=changes)


def test_exit_code_and_output_are_recorded() -> None:
    with SANDBOX.open() as room:
        result = room.run("echo out; echo err >&2; exit 7")
    assert (result.exit_code, result.output, result.truncated, result.timed_out) == (
        7,
        "out\nerr\n",
        False,
        False,
    )


def test_a_signal_is_an_exit_code_above_128() -> None:
    with SANDBOX.open() as room:
        assert room.run("kill -9 $$").exit_code == 137


def test_environment_holds_no_key_and_nothing_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    with SANDBOX.open() as room:
        result = room.run("env")
        assert str(room.root) not in result.output
    names = {line.partition("=")[0] for line in result.output.splitlines()}
    # PWD, SHLVL and _ are set by bash itself.
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == set(room.environment())
    assert "secret-key" not in result.output
    assert "HOME=/home\n" in result.output
    assert "TMPDIR=/tmp\n" in result.output


def test_python3_is_the_environments_own() -> None:
    with SANDBOX.open() as room:
        result = room.run("python3 -c 'import xlsxwriter, docx, pymupdf, sys; print(sys.prefix)'")
    # The place itself never reaches the output.
    assert (result.exit_code, result.output) == (0, "/usr\n")


def test_paths_of_the_machine_never_show() -> None:
    with SANDBOX.open() as room:
        (room.workspace / "broken.py").write_text("import openpyxl\nopenpyxl.load_workbook('none.xlsx')\n")
        result = room.run("pwd; python3 broken.py; python3 -c 'import os; print(os.getcwd())'")
        assert str(room.root) not in result.output
    assert result.output.startswith("/workspace\n")
    assert result.output.endswith("/workspace\n")
    assert "Traceback" in result.output
    assert os.path.dirname(os.__file__) not in result.output


def test_a_path_is_replaced_also_where_the_output_is_cut() -> None:
    with limited(output_bytes=256).open() as room:
        result = room.run("for i in $(seq 100); do pwd; done")
    assert result.truncated
    assert set(result.output.removesuffix("\n[output truncated]\n").splitlines()[:-1]) == {"/workspace"}


def test_the_deadline_kills_the_whole_session() -> None:
    started = time.monotonic()
    with limited(wall_seconds=0.5).open() as room:
        result = room.run("(sleep 30; touch late) & sleep 30")
        assert result.timed_out
        assert result.exit_code == 124
        assert time.monotonic() - started < 5
        assert gone(room.root)


def test_children_left_behind_die_with_the_command() -> None:
    started = time.monotonic()
    with SANDBOX.open() as room:
        result = room.run("sleep 30 & echo started")
        assert (result.exit_code, result.output) == (0, "started\n")
        assert gone(room.root)
    assert time.monotonic() - started < 5


def test_commands_die_with_the_process_that_runs_them(tmp_path: Path) -> None:
    code = (
        "from agent_cases import SANDBOX\n"
        "with SANDBOX.open() as room:\n"
        "    room.run('sleep 300 & (sleep 301; echo) & touch begun; sleep 302')"
    )
    process = orphans.start(code, tmp_path)
    assert orphans.until(lambda: list(tmp_path.glob("tmp/*/workspace/begun")), 30)
    assert orphans.until(lambda: len(orphans.below(process.pid)) >= 4, 10)
    children = orphans.below(process.pid)
    orphans.kill(process)
    assert orphans.until(lambda: not any(map(orphans.alive, children)), 5)


def test_nothing_watches_on_after_the_command() -> None:
    with SANDBOX.open() as room:
        assert room.run("sleep 0.05 & wait; echo $?; jobs").output == "0\n"
        assert gone(room.root)


def gone(root: Path) -> bool:
    """Whether no process works below a folder any more; a killed one may take a moment to go."""
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        if not any(works_in(entry, root) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
            return True
        time.sleep(0.01)
    return False


def works_in(process: Path, root: Path) -> bool:
    try:
        return os.readlink(process / "cwd").startswith(str(root))
    except OSError:
        return False


def test_a_command_that_closes_its_output_is_waited_for() -> None:
    with SANDBOX.open() as room:
        result = room.run("exec >&- 2>&-; sleep 0.3; touch done; exit 3")
        assert (room.workspace / "done").exists()
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("changes", "command", "said"),
    [
        ({"memory": 512 * 1024**2}, "python3 -c 'bytearray(1024**3)'", "MemoryError"),
        ({"file_size": 1024**2}, "head -c 2000000 /dev/zero > big", ""),
        ({"cpu_seconds": 1}, "while :; do :; done", ""),
        (
            {"open_files": 32},
            "python3 -c 'f = [open(\"/dev/null\") for _ in range(99)]'",
            "Too many open files",
        ),
    ],
)
def test_limits_hold(changes: dict[str, float], command: str, said: str) -> None:
    with limited(**changes).open() as room:
        result = room.run(command)
        assert result.exit_code != 0
        assert said in result.output
        assert all(path.stat().st_size <= 1024**2 for path in room.workspace.iterdir())


def test_stdin_is_closed() -> None:
    with SANDBOX.open() as room:
        assert room.run("cat; echo end").output == "end\n"


def test_output_is_capped_between_characters() -> None:
    with limited(output_bytes=257).open() as room:
        result = room.run("python3 -c 'print(\"ä\" * 10000)'")
    assert result.truncated
    assert result.output == "ä" * 128 + "\n[output truncated]\n"


def test_a_flood_of_output_blocks_nobody() -> None:
    with SANDBOX.open() as room:
        result = room.run("head -c 20000000 /dev/zero | tr '\\0' x; exit 5")
    assert (result.exit_code, result.truncated) == (5, True)


def test_the_folder_is_gone_afterwards_also_with_locked_folders_in_it() -> None:
    with SANDBOX.open() as room:
        room.run("mkdir -p locked/in && touch locked/in/file && chmod 555 locked/in locked")
        root = room.root
    assert not root.exists()


def test_a_limit_that_cannot_be_set_is_a_failure_of_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    with SANDBOX.open() as room:
        monkeypatch.setattr(type(room), "_limit_lines", lambda self: ["ulimit -t nonsense || exit 1"])
        with pytest.raises(SandboxError, match="could not set its limits"):
            room.run("echo never")


def test_no_bash_is_a_failure_of_the_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with SANDBOX.open() as room:
        monkeypatch.setattr("subprocess.Popen", missing)
        with pytest.raises(SandboxError, match="could not be started"):
            room.run("echo never")


def missing(*_: object, **__: object) -> None:
    raise FileNotFoundError("bash")


def test_archives_carry_the_fixed_date() -> None:
    code = "import zipfile; z = zipfile.ZipFile('a.zip', 'w'); z.writestr('m', 'x'); z.write('s'); z.close()"
    with SANDBOX.open() as room:
        room.run(f'touch s; python3 -c "{code}"')
        first = (room.workspace / "a.zip").read_bytes()
        time.sleep(2.1)
        room.run(f'touch s; python3 -c "{code}"')
        assert (room.workspace / "a.zip").read_bytes() == first


@settings(max_examples=15, deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60))
def test_any_text_comes_back_as_it_was_printed(text: str) -> None:
    with SANDBOX.open() as room:
        (room.workspace / "text").write_bytes(text.encode())
        assert room.run("cat text").output == text
