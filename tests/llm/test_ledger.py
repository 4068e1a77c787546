"""The ledger: sound after kill -9, one call for equal requests of two processes, a budget that all share."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from scripted import Say, ScriptedServer
from victim import AT_ONCE

from graphforge.errors import InputError, StorageError
from graphforge.llm import Budget, BudgetSpent, Ledger, Usage
from graphforge.llm.ledger import Answer, Asked, Estimate, Granted, Wait

ROOT = Path(__file__).resolve().parents[2]
ASKED = Asked(run="r", role="judge", stage="tasks", purpose="count")
SMALL = Estimate(input=10, output=20, cost=0.5)
NO_BUDGET = Budget(money=None, tokens=None, estimate="enforce")
KEYS = [f"{n:064x}" for n in range(10)]


def answer(text: str = "x") -> Answer:
    return Answer(raw=json.dumps(text), usage=Usage(input=8, cached=2, output=5), cost=0.25)


def take(ledger: Ledger, key: str, budget: Budget = NO_BUDGET) -> Granted | Answer | Wait:
    return asyncio.run(ledger.claim(key, '{"model":"m"}', "m", ASKED, SMALL, budget))


def finish(ledger: Ledger, key: str, given: Answer) -> Answer:
    return asyncio.run(ledger.answered(key, ASKED, 1.0, given))


def test_what_is_answered_is_found_by_the_next_who_opens(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db", "live") as ledger:
        assert take(ledger, KEYS[0]) == Granted()
        long = answer("word " * 10000)
        finish(ledger, KEYS[0], long)
        assert take(ledger, KEYS[0]) == long
    with Ledger.open(tmp_path / "l.db", "replay") as ledger:
        assert ledger.find(KEYS[0]) == long
        assert ledger.find(KEYS[1]) is None
        (spent,) = ledger.spent("r")
    assert (spent.calls, spent.input, spent.cached, spent.output, spent.cost) == (1, 8, 2, 5, 0.25)
    # A long answer is stored compressed.
    assert (tmp_path / "l.db").stat().st_size < 100_000


def test_a_claim_keeps_others_out_until_it_is_given_back(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db", "live") as one, Ledger.open(tmp_path / "l.db", "live") as other:
        assert take(one, KEYS[0]) == Granted()
        assert take(other, KEYS[0]) == Wait("taken")
        one.failed(KEYS[0], ASKED, 1.0, "server", "words", None).result()
        assert take(other, KEYS[0]) == Granted()
        finish(other, KEYS[0], answer("first"))
        # Should a second answer ever arrive, the first one stands; both are kept and counted.
        assert finish(one, KEYS[0], answer("second")) == answer("first")
        (spent,) = one.spent("r")
    assert (spent.calls, spent.failures, spent.cost) == (3, 1, 0.5)


def test_a_cancelled_claim_is_given_back(tmp_path: Path) -> None:
    async def main(ledger: Ledger) -> None:
        claim = asyncio.create_task(ledger.claim(KEYS[0], "{}", "m", ASKED, SMALL, NO_BUDGET))
        await asyncio.sleep(0)
        claim.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await claim

    with Ledger.open(tmp_path / "l.db", "live") as ledger:
        asyncio.run(main(ledger))
        assert take(ledger, KEYS[0]) == Granted()


def test_the_budget_is_shared_and_reserved(tmp_path: Path) -> None:
    budget = Budget(money=1.2, tokens=None, estimate="enforce")
    with Ledger.open(tmp_path / "l.db", "live") as one, Ledger.open(tmp_path / "l.db", "live") as other:
        assert take(one, KEYS[0], budget) == take(other, KEYS[1], budget) == Granted()
        # 2 x 0.5 are reserved. Those at work may need less: wait, and don't refuse yet.
        assert take(one, KEYS[2], budget) == Wait("reserved")
        finish(one, KEYS[0], answer())
        assert take(one, KEYS[2], budget) == Wait("reserved")
        finish(other, KEYS[1], answer())
        assert take(one, KEYS[2], budget) == Granted()
        finish(one, KEYS[2], answer())
        with pytest.raises(BudgetSpent, match=r"used 0\.75 of its 1\.2 US dollars.*may need 0\.5"):
            take(one, KEYS[3], budget)


def test_a_dead_process_is_no_obstacle_and_its_call_counts_as_lost(tmp_path: Path) -> None:
    script = (
        "import asyncio, os, sys; sys.path.insert(0, 'tests/llm'); from pathlib import Path\n"
        "import test_ledger as t\n"
        "with t.Ledger.open(Path(sys.argv[1]), 'live') as ledger:\n"
        "    print(t.take(ledger, t.KEYS[0]), t.take(ledger, t.KEYS[1]), flush=True); os.kill(os.getpid(), 9)"
    )
    with Ledger.open(tmp_path / "l.db", "live") as ledger:
        command = [sys.executable, "-c", script, str(tmp_path / "l.db")]
        environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'llm'}"}
        dead = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
        assert dead.returncode == -signal.SIGKILL and dead.stdout.count("Granted") == 2, dead.stderr
        began = time.monotonic()
        assert take(ledger, KEYS[0]) == Granted()
        assert time.monotonic() - began < 5
        (spent,) = ledger.spent("r")
    assert (spent.calls, spent.failures, spent.assumed, spent.assumed_tokens) == (2, 2, 1.0, 60)


def test_a_killed_process_that_nobody_has_reaped_is_dead(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db", "live") as ledger:
        child = subprocess.Popen(["sleep", "60"])
        try:
            ledger._owner = f"{socket.gethostname()}:{child.pid}:0123"
            assert take(ledger, KEYS[0]) == Granted()
            with Ledger.open(tmp_path / "l.db", "live") as other:
                assert take(other, KEYS[0]) == Wait("taken")
                child.kill()
                until = time.monotonic() + 5
                while take(other, KEYS[0]) != Granted() and time.monotonic() < until:
                    time.sleep(0.01)
                assert time.monotonic() < until
        finally:
            child.kill()
            child.wait()


def test_kill_nine_at_twenty_moments(tmp_path: Path) -> None:
    """Calls repeated <= calls in flight; nothing that a process had in its hands is lost; the store is sound."""
    rows, kills = 400, 20
    sent: Counter[str] = Counter()
    most_open: list[int] = []
    asked_again: list[str] = []

    def script(body: dict[str, object], number: int) -> Say:
        row = body["messages"][0]["content"]  # type: ignore[index]
        # What some process has reported must never be asked again.
        if row.split()[1] in reported():
            asked_again.append(row)
        sent[row] += 1
        most_open.append(server.busy)
        return Say(f"answer to {row}", delay=0.02)

    def reported() -> set[str]:
        return (
            set((tmp_path / "done").read_text().split("\n")[:-1]) if (tmp_path / "done").exists() else set()
        )

    with ScriptedServer(script) as server:
        command = [
            sys.executable, str(ROOT / "tests" / "llm" / "victim.py"), server.base, str(tmp_path / "l.db"),
            str(tmp_path / "done"), str(rows), str(kills), "3",
        ]  # fmt: skip
        environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'llm'}"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    statuses = done.stdout.split()
    assert statuses[-1] == "0" and statuses[:-1].count("9") > kills / 2
    db = sqlite3.connect(tmp_path / "l.db")
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert db.execute(
        "SELECT count(*), count(DISTINCT key) FROM attempts WHERE outcome = 'answer'"
    ).fetchone() == (rows, rows)
    assert db.execute("SELECT count(*) FROM claims").fetchone() == (0,)
    (lost,) = db.execute("SELECT count(*) FROM attempts WHERE outcome = 'lost'").fetchone()
    repeated = sum(sent.values()) - rows
    assert len(sent) == rows and not asked_again
    assert repeated <= lost <= AT_ONCE * kills
    assert max(most_open) <= 2 * AT_ONCE
    calls, failures = db.execute("SELECT calls, failures FROM spent").fetchone()
    assert (calls, failures) == (rows + lost, lost)


def test_two_processes_that_ask_the_same_make_one_call_each(tmp_path: Path) -> None:
    sent: Counter[str] = Counter()

    def script(body: dict[str, object], number: int) -> Say:
        row = body["messages"][0]["content"]  # type: ignore[index]
        sent[row] += 1
        return Say(f"answer to {row}", delay=0.05)

    with ScriptedServer(script) as server:
        command = [
            sys.executable,
            str(ROOT / "tests" / "llm" / "victim.py"),
            server.base,
            str(tmp_path / "l.db"),
        ]
        environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'llm'}"}
        both = [
            subprocess.Popen(
                [*command, str(tmp_path / name), "80", "0", "1"],
                env=environment,
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in ("one", "other")
        ]
        for process in both:
            _, error = process.communicate(timeout=120)
            assert process.returncode == 0, error
    assert len(sent) == 80 and set(sent.values()) == {1}
    for name in ("one", "other"):
        assert len(set((tmp_path / name).read_text().split())) == 80


def test_a_dump_replays_and_is_the_same_every_time(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db", "live") as ledger:
        for number in (3, 1, 2):
            take(ledger, KEYS[number])
            finish(ledger, KEYS[number], answer(f"text {number} " * 400))
        assert ledger.dump(tmp_path / "a.jsonl") == 3
    with Ledger.open(tmp_path / "a.jsonl", "replay") as replayed:
        assert replayed.find(KEYS[2]) == answer("text 2 " * 400)
        assert replayed.spent("r") == ()
        replayed.dump(tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_a_dump_without_questions_keeps_the_order_and_none_of_the_words(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db", "live") as ledger:
        for number in (3, 1, 2):
            take(ledger, KEYS[number])
            finish(ledger, KEYS[number], answer(f"text {number}"))
        assert ledger.dump(tmp_path / "a.jsonl", questions=False) == 3
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [line["key"] for line in lines] == [KEYS[3], KEYS[1], KEYS[2]]
    assert all(list(line["request"]) == ["model"] for line in lines)
    with Ledger.open(tmp_path / "a.jsonl", "replay") as replayed:
        assert replayed.find(KEYS[1]) == answer("text 1")


def test_a_recording_where_nothing_can_be_written_replays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(tmp_path / "l.db", "live") as ledger:
        take(ledger, KEYS[0])
        finish(ledger, KEYS[0], answer())
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Ledger.open(tmp_path / "l.db", "replay") as ledger:
        assert ledger.find(KEYS[0]) == answer()
        assert sorted(tmp_path.iterdir()) == before


def test_many_open_a_new_ledger_at_once(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from graphforge.llm import Ledger\n"
        "with Ledger.open(Path(sys.argv[1]), 'live'): pass"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "deep" / "l.db")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    several = [
        subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(4)
    ]
    for one in several:
        _, error = one.communicate(timeout=60)
        assert one.returncode == 0, error


@pytest.mark.parametrize("mode", ["live", "replay"])
def test_a_file_that_is_no_ledger_is_left_alone(tmp_path: Path, mode: str) -> None:
    text = tmp_path / "notes.db"
    text.write_text("not a database, and longer than the header of one would be" * 20)
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE mine(x)")
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(InputError, match="is no ledger"), Ledger.open(path, mode):  # type: ignore[arg-type]
            pass
        assert path.read_bytes() == before


def test_replay_of_nothing_and_a_spoilt_dump_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no ledger to replay"), Ledger.open(tmp_path / "none.db", "replay"):
        pass
    (tmp_path / "x.jsonl").write_text('{"key": 1}\n')
    with pytest.raises(InputError, match="line 1"), Ledger.open(tmp_path / "x.jsonl", "replay"):
        pass
    with pytest.raises(InputError, match="only be replayed"), Ledger.open(tmp_path / "x.jsonl", "live"):
        pass


def test_a_full_disk_is_a_storage_error_for_whoever_writes(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db", "live") as ledger:
        take(ledger, KEYS[0])
        # As full as a disk: no further page may be added.
        ledger._put(lambda db: db.execute("PRAGMA max_page_count = 1").fetchone()).result()
        with pytest.raises(StorageError, match="can't be written"):
            finish(ledger, KEYS[0], answer("".join(chr(33 + n % 90) * (n % 7) for n in range(200000))))
        ledger._put(lambda db: db.execute("PRAGMA max_page_count = 100000").fetchone()).result()
        assert finish(ledger, KEYS[0], answer()) == answer()
