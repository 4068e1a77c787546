"""A synthesis run killed at random moments and resumed: the same records, nothing bought twice, nothing left behind."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import Checkout
from killable import ALL, AT_ONCE, TO_TASKS, Killed, Line, Served, shoot
from scripted import ScriptedServer

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="needs Linux: looks for processes"
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
