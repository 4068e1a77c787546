"""What the bubblewrap sandbox keeps a command from, tried by commands that would do it."""

import asyncio
import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agent_cases import SANDBOX, compare, read, run, task_for, write_table

from graphforge.agents import BwrapSandbox, NativeAgent
from graphforge.agents.harvest import harvest
from graphforge.agents.layout import lay_out
from graphforge.errors import ConfigError, SandboxError
from graphforge.llm import Prompt, Reply, Usage
from pipelines._working import rollouts

BWRAP = BwrapSandbox(
    **SANDBOX.model_dump(),
    memory_together=1024**3,
    workspace_bytes=64 * 1024**2,
)
ROOT = Path(__file__).resolve().parents[2]


def _why_not() -> str:
    try:
        BWRAP.check()
    except ConfigError as error:
        return str(error)
    return ""


WHY_NOT = _why_not()
needs_bwrap = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


def limited(**changes: float) -> BwrapSandbox:
    return BWRAP.model_copy(update=changes)


def said(command: str, sandbox: BwrapSandbox = BWRAP) -> str:
    with sandbox.open() as room:
        return room.run(command).output


@needs_bwrap
def test_exit_code_output_and_signals_are_those_of_the_command() -> None:
    with BWRAP.open() as room:
        result = room.run("echo out; echo err >&2; cat; exit 7")
        assert (result.exit_code, result.output, result.timed_out) == (7, "out\nerr\n", False)
        assert room.run("kill -9 $$").exit_code == 137


@needs_bwrap
def test_a_command_is_no_root_and_can_not_become_one() -> None:
    with BWRAP.open() as room:
        status = room.run("cat /proc/self/status; id -un").output
        assert room.run("unshare --user --map-root-user id").exit_code != 0
        assert room.run("find / -xdev -perm /6000 -newer /nowhere; su -c id; sudo id").exit_code != 0
    lines = dict(line.partition(":\t")[::2] for line in status.splitlines())
    assert lines["NoNewPrivs"] == "1" and lines["Seccomp"] == "2"
    assert {lines[name] for name in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb")} == {"0" * 16}
    assert set(lines["Uid"].split()) & {"0"} == set()
    assert status.endswith("agent\n")


@needs_bwrap
def test_a_command_is_no_root_as_seen_from_outside() -> None:
    with BWRAP.open() as room:
        thread = threading.Thread(target=room.run, args=("echo ready > ready; sleep 2 & sleep 31.4159",))
        thread.start()
        owner = _owner(lambda command: command == ["sleep", "31.4159"])
        (room.root / "done").touch()
        room.run("true")
        os.kill(owner[0], 9)
        thread.join()
    expected = os.geteuid() or room._user
    assert owner[1] == expected != 0


def _owner(wanted: Any) -> tuple[int, int]:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    command = (entry / "cmdline").read_text().split("\0")[:-1]
                    uid = int((entry / "status").read_text().split("Uid:")[1].split()[1])
                except OSError:
                    continue
                if wanted(command):
                    return int(entry.name), uid
        time.sleep(0.02)
    raise AssertionError("the command was not seen")


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@needs_bwrap
def test_there_is_no_network_and_no_name_service(listening: int) -> None:
    with socket.create_connection(("127.0.0.1", listening), timeout=5):
        pass
    connect = "import socket; socket.create_connection(('127.0.0.1', {}), timeout=3)"
    with BWRAP.open() as room:
        result = room.run(f'python3 -c "{connect.format(listening)}"')
        assert result.exit_code != 0 and "ConnectionRefused" in result.output
        assert (
            "gaierror"
            in room.run("python3 -c \"import socket; socket.getaddrinfo('example.org', 80)\"").output
        )
        assert "unreachable" in room.run("echo x > /dev/udp/192.0.2.1/53").output
        assert room.run("cat /proc/net/dev | tail -n +3 | grep -v lo:").output == ""
        # To the host of a virtual machine leads no network namespace.
        assert "not supported" in room.run("python3 -c 'import socket; socket.socket(40, 1)'").output


@needs_bwrap
def test_nothing_outside_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.txt").write_text("planted")
    (tmp_path / "secret.txt").chmod(0o644)
    monkeypatch.setenv("OPENAI_API_KEY", "planted-key")
    places = [
        tmp_path / "secret.txt",
        Path("/etc/shadow"),
        Path("/etc/hostname"),
        Path("/root"),
        ROOT,
        Path("/sys"),
    ]
    with BWRAP.open() as room:
        (room.root / "own.txt").write_text("ours")
        for place in [*places, room.root]:
            assert "No such file" in room.run(f"ls -d {place}").output
        held = room.run(
            "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; env; ls -l /proc/self/fd"
        ).output
    assert "planted" not in held and "memfd" not in held
    names = {line.partition("=")[0] for line in said("env").splitlines()}
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == set(room.environment())


@needs_bwrap
def test_a_listing_is_the_same_in_every_room() -> None:
    command = "pwd; ls -la / . ~ inputs | grep -v ' proc$'; python3 -m site; id -un; hostname"
    with BWRAP.open() as one, BWRAP.open() as other:
        assert one.run(command).output == other.run(command).output
        shown = one.run(
            "cat /proc/1/cmdline; python3 -c 'import openpyxl; openpyxl.load_workbook(\"no\")'"
        ).output
    assert str(one.root) not in shown and os.path.dirname(os.__file__) not in shown
    assert "/site-packages/openpyxl/" in shown


@needs_bwrap
def test_nothing_outside_can_be_written(tmp_path: Path) -> None:
    folders = ["/", "/usr", "/etc", "/dev", "/opt/python", "/pinned", "/venv", "/proc", "/workspace/inputs"]
    with BWRAP.open() as room:
        for folder in folders:
            assert room.run(f"[ ! -e {folder} ] || echo x > {folder}/planted").exit_code in (0, 1)
            assert room.run(f"[ -e {folder}/planted ]").exit_code == 1
        # A folder of the same name may be made, but only inside.
        room.run(f"mkdir -p {tmp_path}; echo x > {tmp_path}/planted")
        assert list(tmp_path.iterdir()) == []
        assert room.run("for f in . ~ /tmp /dev/shm; do echo x > $f/mine || exit 1; done").exit_code == 0
        # As between two commands of a shell, except in shared memory.
        assert room.run("ls mine ~/mine /tmp/mine").exit_code == 0


@needs_bwrap
def test_inputs_can_neither_be_changed_nor_replaced(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("as it was")
    task = task_for(compare(*(read(alias, source, 1, alias) for alias in "ab")))
    with BWRAP.open() as room:
        lay_out(room, task, {"a.csv": source})
        assert room.run("cat inputs/a.csv").output == "as it was"
        for command in (
            "echo x > inputs/a.csv",
            "rm -f inputs/a.csv",
            "chmod 777 inputs/a.csv",
            "mv inputs other",
            "rmdir inputs",
            "ln -sfn /etc inputs/x",
            "touch inputs/new",
        ):
            assert room.run(command).exit_code != 0, command
        assert room.run("cat inputs/a.csv; echo done > outputs/flat.csv; ls -l inputs").exit_code == 0
        assert source.read_text() == "as it was"


COUNT = """
import os, signal
made = 0
try:
    while made < 500:
        made += 1
        os.fork() or signal.pause()
except OSError:
    print(made)
"""


@needs_bwrap
def test_a_fork_bomb_is_held_and_leaves_nothing() -> None:
    with limited(processes=40, wall_seconds=2.0).open() as room:
        began = time.monotonic()
        room.run(":(){ :|:& }; :; sleep 30")
        assert time.monotonic() - began < 8
        # The next command finds all its processes free again.
        assert room.run("for i in $(seq 20); do sleep 0.1 & done; wait; echo all").output == "all\n"
        (room.workspace / "count.py").write_text(COUNT)
        assert 1 < int(room.run("python3 count.py").output) <= 60


@needs_bwrap
def test_memory_of_one_process_is_bounded() -> None:
    assert "MemoryError" in said("python3 -c 'bytearray(3 * 1024**3)'", limited(memory=1024**3))


@needs_bwrap
def test_memory_of_all_processes_is_bounded() -> None:
    eater = "python3 -c 'import time; b = b\"x\" * (80 * 1024**2); time.sleep(20)' &"
    sandbox = limited(memory_together=150 * 1024**2)
    with sandbox.open() as room:
        began = time.monotonic()
        result = room.run(eater * 4 + " wait")
        assert result.exit_code == 137 and "bytes of memory" in result.output
        assert time.monotonic() - began < 15


@needs_bwrap
def test_a_large_file_and_many_files_are_held() -> None:
    with limited(file_size=1024**2, workspace_bytes=8 * 1024**2).open() as room:
        assert room.run("head -c 2000000 /dev/zero > big").exit_code != 0
        assert (room.workspace / "big").stat().st_size == 1024**2
        many = "for i in $(seq 100000); do head -c 900000 /dev/zero > ~/$i || exit 9; sleep 0.05; done"
        result = room.run(many)
        assert result.exit_code == 137 and "your files take more than 8,388,608 bytes" in result.output
        # Now nothing can be written, but what is there can be deleted.
        assert "nothing more can be written" in room.run("echo x > more").output
        assert room.run("rm ~/*; echo more > more && cat more").exit_code != 0
        result = room.run("echo more > more && cat more")
        assert (result.exit_code, result.output) == (0, "more\n")


@needs_bwrap
def test_the_deadline_and_the_end_of_a_command_take_everything_with_them() -> None:
    spawn = "(setsid sh -c 'while :; do date +%s%N > beat; sleep 0.05; done' &) ; sleep 0.3"
    with limited(wall_seconds=1.5).open() as room:
        result = room.run(spawn + "; echo started")
        assert (result.exit_code, result.output) == (0, "started\n")
        for _ in range(2):
            beat = (room.workspace / "beat").read_text()
            time.sleep(0.3)
            assert (room.workspace / "beat").read_text() == beat
            began = time.monotonic()
            assert room.run(spawn + "; sleep 30").exit_code == 124
            assert time.monotonic() - began < 6


@needs_bwrap
def test_output_is_capped() -> None:
    with limited(output_bytes=300).open() as room:
        result = room.run("head -c 20000000 /dev/zero | tr '\\0' x; exit 5")
    assert (result.exit_code, result.truncated, len(result.output)) == (
        5,
        True,
        300 + len("\n[output truncated]\n"),
    )


@needs_bwrap
def test_a_link_to_an_outside_file_is_not_harvested(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("planted")
    plan = compare(*(read(alias, source, 1, alias) for alias in "ab"))
    task = task_for(plan)
    with BWRAP.open() as room:
        lay_out(room, task, {"a.csv": source})
        room.run(
            f"ln -s {source} outputs/flat.csv; ln -s /etc/passwd outputs/memo.pdf; echo x > outputs/book.xlsx"
        )
        artifacts, left_out = harvest(room.outputs, task, tmp_path / "keep", 1000)
        assert [one.name for one in artifacts] == ["book.xlsx"]
        assert "flat.csv is no plain file" in left_out
        room.run("rm -r outputs; ln -s /etc outputs")
        assert harvest(room.outputs, task, tmp_path / "keep", 1000)[0] == ()


@needs_bwrap
def test_two_rollouts_at_once_see_nothing_of_each_other() -> None:
    with BWRAP.open() as one, BWRAP.open() as other, ThreadPoolExecutor(2) as pool:
        if os.geteuid() == 0:
            assert one._user != other._user
        first = pool.submit(
            one.run, "echo mine > mine; echo mine > /tmp/mine; sleep 1; ls; ps ax | grep -c sleep"
        )
        time.sleep(0.4)
        second = other.run("ls; ls /tmp; cat /proc/[0-9]*/cmdline | tr '\\0' ' '").output
        assert "mine" not in second and "sleep" not in second
        assert first.result().output.splitlines()[:2] == ["inputs", "mine"]


@needs_bwrap
def test_the_libraries_for_office_files_work() -> None:
    script = """
import docx, lxml.html, openpyxl, pptx, pymupdf
book = openpyxl.Workbook(); book.active['A1'] = 7; book.save('a.xlsx')
memo = docx.Document(); memo.add_paragraph('seven'); memo.save('a.docx')
deck = pptx.Presentation(); deck.slides.add_slide(deck.slide_layouts[6]); deck.save('a.pptx')
pdf = pymupdf.open(); pdf.new_page().insert_text((72, 72), 'seven'); pdf.save('a.pdf')
print(openpyxl.load_workbook('a.xlsx').active['A1'].value, docx.Document('a.docx').paragraphs[0].text,
      len(pptx.Presentation('a.pptx').slides), pymupdf.open('a.pdf')[0].get_text().strip(),
      lxml.html.fromstring('<p>seven</p>').text)
"""
    assert said(f"python3 - <<'EOF'\n{script}\nEOF") == "7 seven 1 seven seven\n"


@needs_bwrap
def test_the_reference_agent_does_the_same_work_as_in_plain_processes(tmp_path: Path) -> None:
    rows = [("Anna", 3), ("Bert", 4.5), ("Cleo", 10)]
    left, right = write_table(tmp_path, "left", "xlsx", rows), write_table(tmp_path, "right", "pdf", rows)
    plan = compare(read("a", left, 3, "Left"), read("b", right, 3, "Right"))
    plain = run(plan, tmp_path, tmp_path / "plain")
    walled = run(plan, tmp_path, tmp_path / "walled", BWRAP)
    assert walled.status == "completed" and len(walled.artifacts) == 4
    assert walled.line() == plain.line()


@needs_bwrap
def test_the_room_is_gone_afterwards_also_with_deep_and_locked_folders_in_it() -> None:
    deep = "import os\nfor _ in range(1200):\n  os.mkdir('d'); os.chdir('d')"
    with BWRAP.open() as room:
        assert (
            room.run(
                f'mkdir -p locked/in; touch locked/in/f; chmod 0 locked/in locked; python3 -c "{deep}"'
            ).exit_code
            == 0
        )
        assert room.run("true").exit_code == 0
    assert not room.root.exists()


class Closing:
    """A speaker that ends the work at once."""

    role = "teacher"
    sees = False

    async def say(self, prompt: Prompt) -> Reply:
        usage = Usage(input=1, cached=0, output=1)
        return Reply(
            text="Done.", calls=(), finish="stop", usage=usage, cost=None, key="0" * 64, from_ledger=False
        )

    async def ask(self, prompt: Prompt, answer: Any, **more: Any) -> Any:
        raise AssertionError


@needs_bwrap
def test_the_native_agent_works_in_it_without_being_told(tmp_path: Path) -> None:
    agent = NativeAgent(
        name="native", at_once=1, steps=2, tokens=10**6, wall_seconds=30, context_tokens=10**5, output_chars=1000,
        artifact_bytes=1000, bad_turns=0, unsafe_sandbox=False,
    )  # fmt: skip
    agent.check(BWRAP)
    source = write_table(tmp_path, "a", "csv", [("Anna", 1)])
    task = task_for(compare(*(read(alias, source, 1, alias) for alias in "ab")))
    done = asyncio.run(agent.run(task, {"a.csv": source}, tmp_path, BWRAP, Closing(), stage="pilot"))
    assert done.status == "completed"


def test_no_bubblewrap_is_said_before_any_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match=r"bwrap, which is not installed.*apt-get install bubblewrap"):
        BWRAP.check()


def test_a_stage_asks_the_sandbox_before_it_opens_a_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    agent = SimpleNamespace(needs_speaker=True, check=lambda sandbox: None)
    # Neither has anything that models could be opened with.
    config, desk = SimpleNamespace(agent=agent, sandbox=BWRAP), SimpleNamespace(folder=tmp_path)
    with pytest.raises(ConfigError, match="not installed"):
        asyncio.run(rollouts(config, desk, [], "pilot", sample=0))  # type: ignore[arg-type]


def test_namespaces_that_are_forbidden_are_said_before_any_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refusing = tmp_path / "bwrap"
    refusing.write_text(
        "#!/bin/sh\necho bwrap: Creating new namespace failed: Operation not permitted >&2\nexit 1\n"
    )
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(ConfigError, match=r"Creating new namespace failed.*Allow user namespaces"):
        BWRAP.check()
    with BWRAP.open() as room, pytest.raises(SandboxError):
        room.run("true")
