"""A synthesis run with a scripted author over the embedded library, in a copy of the checkout, to be killed.

::

    with ScriptedServer(served) as server, Line(checkout, server.base, ALL) as line:
        line.start()
        line.kill(3.0)
        line.start()
        line.wait()
"""

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import orphans
from author import author
from checkout import Checkout
from scripted import Say

ROLES = ("builder", "teacher", "reviser", "judge")
TO_TASKS = ("seeds", "workspaces", "rebalance", "graphs", "tasks")
ALL = (*TO_TASKS, "pilot", "revise", "verify", "rollouts", "admit", "export", "calibrate", "funnel")
AT_ONCE = 4
# US dollars for a million tokens.
PRICES = {"input": 1.0, "cached": 0.1, "output": 10.0}


class Line:
    """The stages of ``checkout``, one after the other (``line.py``), with all models behind ``base``."""

    def __init__(self, checkout: Checkout, base: str, stages: tuple[str, ...], *more: str):
        self.folder = checkout.folder
        self.scratch = self.folder / "tmp"
        self.scratch.mkdir()
        self.stages = stages
        self.run = 0
        self._settings = ["engine=llm", "seeds.count=6", "agent=native", "agent.unsafe_sandbox=true"]
        self._settings += ["reviser=llm", "grader=hybrid", f"llm.limits.concurrency={AT_ONCE}"]
        # Twelve seeds are estimated above the budget; what they use is far below it.
        self._settings.append("llm.budget.estimate=print")
        prices = ", ".join(f"{name}: {price}" for name, price in PRICES.items())
        for role in ROLES:
            self._settings += [f"llm@models.{role}=server", f"models.{role}.name=openai/scripted"]
            self._settings += [f"models.{role}.api_base={base}", f"models.{role}.prices={{{prices}}}"]
        self._settings += more
        self._process = subprocess.Popen(
            [checkout.python, "tests/pipelines/line.py"],
            cwd=self.folder,
            env={**checkout.environment, "TMPDIR": str(self.scratch)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(self.folder / "said.txt").open("w"),
            text=True,
        )
        assert self._hear() == "ready", self.said()

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(120)
        self._process.stdout.close()

    def start(self, *more: str) -> None:
        """Start a run, or resume one."""
        assert self._process.stdin is not None
        asked = [[name, *self._settings, *more] for name in self.stages]
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        self.run = int(self._hear())

    def wait(self) -> None:
        """Until the run is over; what it said is shown where it failed."""
        assert self._hear() == "0", self.said()

    def kill(self, when: Callable[[], bool], after: float, alone: bool = False) -> bool:
        """Kill the run, whole or only the stage at work, as soon as ``when`` holds, at the latest after some seconds;
        False where it was over before."""
        orphans.until(lambda: when() or not orphans.alive(self.run), after)
        stages = orphans.below(self.run)[:1]
        try:
            if alone and stages:
                os.kill(stages[0], signal.SIGKILL)
            else:
                os.killpg(self.run, signal.SIGKILL)
        except ProcessLookupError:
            pass
        ended = self._hear()
        if ended == "1":
            assert alone and self.said().rstrip().endswith("ended with -9"), self.said()
        return ended != "0"

    def said(self) -> str:
        """The end of what the stages have printed."""
        return (self.folder / "said.txt").read_text()[-4000:]

    def clear(self, *more: str) -> None:
        """As if nothing had been run; the parsed library stays where ``more`` doesn't name it."""
        for name in ("data", "ledger", *more):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def contents(self) -> dict[str, str]:
        """Hash of every file below data/, run.json aside."""
        data = self.folder / "data"
        found = sorted(one for one in data.rglob("*") if one.is_file() and one.name != "run.json")
        return {
            one.relative_to(data).as_posix(): hashlib.sha256(one.read_bytes()).hexdigest() for one in found
        }

    def records(self, name: str) -> list[dict[str, Any]]:
        """The records of a file below data/."""
        return [json.loads(line) for line in (self.folder / "data" / name).read_text().splitlines()]

    def ledger(self, query: str) -> list[tuple[Any, ...]]:
        """What the ledger has to say; nothing where none is made yet."""
        path = self.folder / "ledger" / "llm.db"
        if not path.exists():
            return []
        with closing(sqlite3.connect(path)) as db:
            made = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'spent'").fetchone()[0]
            return db.execute(query).fetchall() if made else []

    def metrics(self, stage: str) -> dict[str, float]:
        """The metrics of a stage's MLflow run."""
        run = json.loads((self.folder / "data" / stage / "run.json").read_bytes())["mlflow_run"]
        with closing(sqlite3.connect(self.folder / "mlflow.db")) as db:
            return dict(
                db.execute("SELECT key, value FROM latest_metrics WHERE run_uuid = ?", (run,)).fetchall()
            )

    def alive(self) -> list[str]:
        """The command lines of processes that were started in the copy, the waiting program aside."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == self._process.pid:
                continue
            try:
                if str(self.folder).encode() in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return found

    def _hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@dataclass
class Served:
    """The author behind a server: what it was asked and how often, and the tokens of what arrived. ``fault`` may spoil
    an answer."""

    delay: float = 0.0
    fault: "Faults | None" = None
    asked: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    given: list[tuple[int, int, int]] = field(default_factory=list)

    def __call__(self, body: dict[str, Any], number: int) -> Say:
        key = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        said = replace(author(body), delay=self.delay)
        assert said.usage is not None
        self.asked[key] += 1
        kind = self.fault.kind(key, self.asked[key]) if self.fault else None
        if kind not in TRANSPORT:
            self.given.append(said.usage)
        if kind is None or self.fault is None:
            return said
        self.faults[kind] += 1
        reason, spoil = self.fault.kinds[kind]
        self.reasons[reason] += 1
        return spoil(said)

    def clear(self) -> None:
        self.asked.clear()
        self.faults.clear()
        self.reasons.clear()
        self.given.clear()

    def reached(self, calls: int | None) -> bool:
        """Whether so many calls have come in."""
        return calls is not None and self.asked.total() >= calls

    @property
    def repeated(self) -> int:
        """Requests beyond the first of each."""
        return self.asked.total() - len(self.asked)


Fault = Callable[[Say], Say]

# Seconds after which a call is given up, and after which a late answer comes.
DEADLINE, LATE = 8.0, 9.0
# What a provider or a network does, and the reason in the ledger.
TRANSPORT: Mapping[str, tuple[str, Fault]] = {
    "500": ("server", lambda said: Say(status=500)),
    "503": ("server", lambda said: Say(status=503)),
    "429": ("rate_limit", lambda said: Say(status=429, headers={"Retry-After": "0.05"})),
    "drop": ("cut", lambda said: replace(said, drop=True)),
    "cut": ("cut", lambda said: replace(said, cut=True)),
    "late": ("timeout", lambda said: replace(said, delay=LATE)),
    "page": ("server", lambda said: Say(raw="<html>busy</html>")),
}
# What a model does: an answer that is paid, kept and of no use.
SPOILT: Mapping[str, tuple[str, Fault]] = {
    "words": ("invalid", lambda said: spoilt(said, "I would say that ")),
    "form": ("invalid", lambda said: spoilt(said, '{"other": 1}')),
    "truncated": ("truncated", lambda said: replace(said, text=said.text[:40], calls=(), finish="length")),
}


def spoilt(said: Say, text: str) -> Say:
    """The answer with other words; a call of a tool with other arguments."""
    return replace(said, text=said.text and text, calls=tuple((name, text) for name, _ in said.calls))


@dataclass(frozen=True)
class Faults:
    """Spoils a share of the answers. Request and attempt decide, so that it doesn't matter who comes first, and a
    second attempt may succeed."""

    kinds: Mapping[str, tuple[str, Fault]]
    share: float
    seed: int

    def kind(self, key: str, attempt: int) -> str | None:
        """What befalls an attempt."""
        chance = random.Random(f"{self.seed} {key} {attempt}")
        return chance.choice(list(self.kinds)) if chance.random() < self.share else None


@dataclass
class Killed:
    """What the kills hit: ``flying`` calls in all, ``most`` at one kill, ``cost`` that they may have had."""

    kills: int = 0
    flying: int = 0
    cost: float = 0.0
    most: int = 0


def shoot(line: Line, served: Served, kills: int, longest: float, seed: int) -> tuple[Killed, bool]:
    """Kill a run up to ``kills`` times and resume it; whether it ended before.

    By a throw of a coin a kill comes after 0 to ``longest`` seconds or within the next calls, and hits the whole run
    or only the stage, as the kernel's does that is out of memory.
    """
    chance = random.Random(seed)
    killed = Killed()
    seen: set[tuple[str, str]] = set()
    while killed.kills < kills:
        after, calls = chance.uniform(0, longest), chance.randint(1, 4 * AT_ONCE)
        by_time, alone = chance.random() < 0.5, chance.random() < 0.5
        when = partial(served.reached, None if by_time else served.asked.total() + calls)
        line.start()
        if not line.kill(when, after if by_time else longest, alone):
            return killed, True
        killed.kills += 1
        assert orphans.until(lambda: not line.alive(), 10), line.alive()
        claims = line.ledger("SELECT owner, key, cost FROM claims")
        # Those of an earlier kill stand until a ledger is opened for writing.
        new = [cost for owner, key, cost in claims if (owner, key) not in seen]
        seen.update((owner, key) for owner, key, _ in claims)
        killed.flying += len(new)
        killed.cost += sum(new)
        killed.most = max(killed.most, len(new))
    return killed, False
