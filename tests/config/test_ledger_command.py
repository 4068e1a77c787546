"""The ledger's command: what was used up and what failed, and a recording to replay from."""

import asyncio
import subprocess
import sys
from pathlib import Path

from scripted import Say, ScriptedServer
from speaking import limits, model, question, settings

from graphforge.llm import Client, Ledger

ROOT = Path(__file__).resolve().parents[2]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "pipelines.ledger", *arguments]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_it_shows_the_books_and_writes_a_recording(tmp_path: Path) -> None:
    async def ask(base: str) -> None:
        given = settings(tmp_path / "l.db", limits=limits(attempts=3))
        async with Client({"judge": model(base)}, given) as client:
            for number in range(3):
                await client.role("judge").say(question(f"How many? {number}"))

    def script(body: dict[str, object], number: int) -> Say:
        return Say(status=500) if number == 1 else Say("secret words")

    with ScriptedServer(script) as server:
        asyncio.run(ask(server.base))
    shown = command(str(tmp_path / "l.db"))
    assert shown.returncode == 0, shown.stderr
    row = next(line.split() for line in shown.stdout.splitlines() if line.startswith("test"))
    assert row[:5] == ["test", "tasks", "judge", "4", "1"]
    assert command(str(tmp_path / "l.db"), "--run", "other").stdout == "Nothing has been used up.\n"
    assert "secret" not in shown.stdout
    made = command(str(tmp_path / "l.db"), "--dump", str(tmp_path / "a.jsonl"), "--without-questions")
    assert made.stdout.startswith("3 answers")
    assert "How many" not in (tmp_path / "a.jsonl").read_text()
    with Ledger.open(tmp_path / "a.jsonl", "replay") as ledger:
        assert ledger.runs() == ()


def test_what_is_no_ledger_is_one_line(tmp_path: Path) -> None:
    done = command(str(tmp_path / "none.db"))
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "none.db" in done.stderr
