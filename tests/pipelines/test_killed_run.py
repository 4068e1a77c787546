"""A synthesis run that is killed and resumed, and one whose calls fail: the same records, nothing bought twice, no row
lost, nothing left behind."""

import json
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
from checkout import Checkout
from killable import (
    ALL,
    AT_ONCE,
    DEADLINE,
    PRICES,
    SPOILT,
    TO_TASKS,
    TRANSPORT,
    Faults,
    Killed,
    Line,
    Served,
    shoot,
)
from scripted import ScriptedServer

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="needs Linux: looks for processes"
)

# A stage, the ids of its rows where they come from, and where they go to.
ROWS = (
    ("workspaces", ("seeds/seeds.jsonl", "id"), ("workspaces/workspaces.jsonl", "seed", "id")),
    ("rebalance", ("workspaces/workspaces.jsonl", "id"), ("rebalance/workspaces.jsonl", "id")),
    ("graphs", ("rebalance/workspaces.jsonl", "id"), ("graphs/graphs.jsonl", "workspace")),
    ("tasks", ("graphs/graphs.jsonl", "workspace"), ("tasks/tasks.jsonl", "workspace")),
    ("pilot", ("tasks/tasks.jsonl", "id"), ("pilot/pilot.jsonl", "task")),
    ("revise", ("pilot/pilot.jsonl", "task"), ("revise/revisions.jsonl", "spec", "id")),
    ("verify", ("revise/revisions.jsonl", "spec", "id"), ("verify/revisions.jsonl", "spec", "id")),
    ("rollouts", ("verify/revisions.jsonl", "spec", "id"), ("rollouts/rollouts.jsonl", "task")),
    ("admit", ("rollouts/rollouts.jsonl", "task"), ("admit/admitted.jsonl", "spec", "id")),
)
FEW = ("corporate_finance", "energy_production", "labor_market")


class Undisturbed:
    """A line, and what it makes where nobody disturbs it."""

    def __init__(
        self, folder: Path, stages: tuple[str, ...], served: Served, server: ScriptedServer, few: bool
    ):
        self.served = served
        checkout = Checkout.make(folder)
        settings = ["library=few", "search.workers=1"] if few else []
        for topic in FEW if few else ():
            shutil.copytree(folder / "examples" / "library" / topic, folder / "few" / topic)
        self.line = Line(checkout, server.base, stages, *settings)
        self.line.start()
        self.line.wait()
        self.contents = self.line.contents()
        self.asked = set(served.asked)
        assert not served.repeated

    def again(self, *more: str) -> None:
        self.line.clear(*more)
        self.served.clear()


def prepared(folder: Path, stages: tuple[str, ...], delay: float, few: bool = False) -> Iterator[Undisturbed]:
    served = Served(delay)
    with ScriptedServer(served) as server:
        undisturbed = Undisturbed(folder, stages, served, server, few)
        with undisturbed.line:
            yield undisturbed


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Undisturbed]:
    """From seeds to tasks, over a part of the library."""
    yield from prepared(tmp_path_factory.mktemp("short"), TO_TASKS, 0.1, few=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Undisturbed]:
    """From seeds to the funnel."""
    yield from prepared(tmp_path_factory.mktemp("whole"), ALL, 0.25)


def settle(undisturbed: Undisturbed, killed: Killed, last: str) -> None:
    """What must hold of a run that was killed and is complete now."""
    line, served = undisturbed.line, undisturbed.served
    assert line.contents() == undisturbed.contents
    # Asked is what is asked undisturbed, and again only what was under way at a kill.
    assert set(served.asked) == undisturbed.asked
    assert served.repeated <= killed.flying <= AT_ONCE * killed.kills
    assert killed.most <= AT_ONCE
    assert line.ledger("PRAGMA integrity_check") == [("ok",)]
    assert line.ledger("PRAGMA foreign_key_check") == []
    assert line.ledger("SELECT count(*) FROM claims") == [(0,)]
    counts = dict(line.ledger("SELECT outcome, count(*) FROM attempts GROUP BY 1"))
    assert counts.pop("answer") == len(undisturbed.asked)
    assert counts == ({"lost": killed.flying} if killed.flying else {})
    # What was lost may have been billed. It is counted, and shown with the stage that came after.
    ((calls, assumed),) = line.ledger("SELECT sum(calls), sum(assumed) FROM spent")
    assert calls == len(undisturbed.asked) + killed.flying
    assert assumed == pytest.approx(killed.cost)
    shown = line.metrics(last)
    assert (shown["llm.run.calls"], shown["llm.run.assumed"]) == (calls, pytest.approx(assumed))
    assert list(line.scratch.iterdir()) == []


def test_a_run_killed_three_times(short: Undisturbed) -> None:
    short.again()
    killed, _ = shoot(short.line, short.served, 3, 60.0, seed=21)
    assert killed.kills == 3 and killed.flying
    short.line.start()
    short.line.wait()
    settle(short, killed, "tasks")


@pytest.mark.slow
def test_a_run_killed_twenty_times(whole: Undisturbed) -> None:
    whole.again()
    began = time.monotonic()
    whole.line.start()
    whole.line.wait()
    lasts = time.monotonic() - began
    assert whole.line.contents() == whole.contents
    assert len(whole.line.records("admit/admitted.jsonl")) >= 3
    kills, flying, repeated, rounds = 20, 0, 0, 0
    while kills:
        # Every other time the library is parsed anew.
        whole.again(*([] if rounds % 2 else [".cache"]))
        killed, over = shoot(whole.line, whole.served, kills, lasts / 4, seed=rounds)
        if not over:
            whole.line.start()
            whole.line.wait()
        settle(whole, killed, "calibrate")
        kills, flying, repeated, rounds = (
            kills - killed.kills,
            flying + killed.flying,
            repeated + whole.served.repeated,
            rounds + 1,
        )
    print(
        f"{lasts:.0f} s undisturbed; 20 kills in {rounds} runs, {flying} calls at work, {repeated} repeated,"
    )
    print(f"{time.monotonic() - began:.0f} s in all")
    assert flying


def ids(line: Line, name: str, *fields: str) -> list[str]:
    return [reduce(getitem, fields, record) for record in line.records(name)]


def no_row_is_lost(line: Line) -> set[str]:
    """Each row of each stage goes on or is rejected with a reason, once; the reasons."""
    found: set[str] = set()
    for stage in ("seeds", *(stage for stage, _, _ in ROWS if stage in line.stages)):
        rejected = line.records(f"{stage}/rejected.jsonl")
        assert all(one["reason"] and one["stage"] == stage for one in rejected)
        count = json.loads((line.folder / "data" / stage / "counts.json").read_bytes())
        assert count["inputs"] == count["outputs"] + len(rejected)
        assert count["rejected"] == Counter(one["reason"] for one in rejected)
        found.update(count["rejected"])
    for stage, given, passed in ROWS:
        if stage in line.stages:
            gone = [one["id"] for one in line.records(f"{stage}/rejected.jsonl")]
            assert sorted(ids(line, *given)) == sorted(ids(line, *passed) + gone), stage
    return found


def disturbed(run: Undisturbed, faults: Faults, attempts: int, last: str, *more: str) -> set[str]:
    """A run whose calls fail, and its books; the reasons for which rows were rejected."""
    run.again()
    line, served = run.line, run.served
    served.fault = faults
    try:
        limits = {"attempts": attempts, "backoff": 0.02, "deadline": DEADLINE}
        line.start(*(f"llm.limits.{name}={value}" for name, value in limits.items()), *more)
        line.wait()
    finally:
        served.fault = None
    found = no_row_is_lost(line)
    assert line.ledger("PRAGMA integrity_check") == [("ok",)]
    failed = dict(line.ledger("SELECT reason, count(*) FROM attempts WHERE outcome != 'answer' GROUP BY 1"))
    transport = {reason for reason, _ in TRANSPORT.values()}
    assert failed == {reason: many for reason, many in served.reasons.items() if reason in transport}
    # What the ledger says was spent is what the server gave, and what it may have done for calls that failed.
    answered = {key for (key,) in line.ledger("SELECT key FROM attempts WHERE outcome = 'answer'")}
    ((calls, failures, given, output, cost, assumed),) = line.ledger(
        "SELECT sum(calls), sum(failures), sum(input), sum(output), sum(cost), sum(assumed) FROM spent"
    )
    assert (calls, failures) == (served.asked.total(), sum(failed.values()))
    assert calls - failures == len(answered)
    assert (given, output) == tuple(sum(use[at] for use in served.given) for at in (0, 2))
    ((lost, billed),) = line.ledger(
        "SELECT count(*), sum(cost) FROM attempts WHERE reason IN ('cut', 'timeout')"
    )
    assert lost == failed.get("cut", 0) + failed.get("timeout", 0) and assumed == pytest.approx(billed or 0)
    assert cost == pytest.approx((given * PRICES["input"] + output * PRICES["output"]) / 1e6 + assumed)
    shown = line.metrics(last)
    assert (shown["llm.run.calls"], shown["llm.run.failures"]) == (calls, failures)
    assert shown["llm.run.cost"] == pytest.approx(cost)
    assert sum(served.faults.values()) > served.asked.total() * faults.share / 2
    print(
        f"{served.asked.total()} calls, {dict(served.faults)}, rejected for {sorted(found)}, {lost} assumed"
    )
    return found


def test_a_run_whose_provider_fails(short: Undisturbed) -> None:
    """A fifth of the calls fails at each attempt; with enough attempts nothing of it is seen in the records."""
    kinds = {name: fault for name, fault in TRANSPORT.items() if name != "late"}
    disturbed(short, Faults(kinds, 0.2, seed=1), 10, "tasks")
    assert short.line.contents() == short.contents


@pytest.mark.slow
def test_a_whole_run_whose_provider_fails(whole: Undisturbed) -> None:
    disturbed(whole, Faults(TRANSPORT, 0.2, seed=1), 10, "calibrate")
    assert whole.line.contents() == whole.contents
    assert set(whole.served.faults) == set(TRANSPORT)


@pytest.mark.slow
def test_a_whole_run_whose_model_fails_too(whole: Undisturbed) -> None:
    """Few attempts, and a fifth of the answers of no use: rows are left out, each with its reason."""
    found = disturbed(whole, Faults({**TRANSPORT, **SPOILT}, 0.2, seed=4), 2, "calibrate", "seeds.count=12")
    assert set(whole.served.faults) == {*TRANSPORT, *SPOILT}
    assert found & {"no_answer", "answer_truncated", "answer_invalid"}
