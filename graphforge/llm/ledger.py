"""What was asked, what came back, and what it used up: one SQLite file for all stages and runs.

Every attempt is a row, with the provider's raw answer or the reason of the failure; a request that has an answer is
never sent again. What survives what: a killed process loses nothing that was answered (each answer is committed before
anyone reads it); after a power cut the last moments may be missing, and the file is sound.

Before a call a process *claims* its request, which also reserves the most that the call can use up. So two processes
don't ask the same, and together they don't pass the budget. Claims are renewed while the process lives; those of a dead
process are counted as calls that were paid and lost.
"""

import asyncio
import contextlib
import json
import os
import queue
import secrets
import socket
import sqlite3
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field

from ..errors import InputError, StorageError
from ..records import Record
from .failures import BudgetSpent, NotRecorded
from .reply import Usage
from .settings import Budget, Mode

T = TypeVar("T")

_APPLICATION = 0x47464C4D
_VERSION = 1
_LEASE_SECONDS = 30.0
_HEARTBEAT_SECONDS = 10.0
_BUSY_SECONDS = 60.0
_MOST_OF_A_BATCH = 256
# Longer texts are stored compressed: the turns of an agent repeat all that went before.
_PLAIN = 2000

_TABLES = """
CREATE TABLE requests(key TEXT PRIMARY KEY, model TEXT NOT NULL, body NOT NULL);
CREATE TABLE attempts(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, run TEXT NOT NULL, role TEXT NOT NULL, stage TEXT NOT NULL,
  purpose TEXT NOT NULL, at REAL NOT NULL, seconds REAL NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('answer', 'second', 'failure', 'lost')),
  reason TEXT NOT NULL, raw, input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL, cost REAL
);
CREATE UNIQUE INDEX answers ON attempts(key) WHERE outcome = 'answer';
CREATE TABLE claims(
  key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL, run TEXT NOT NULL, role TEXT NOT NULL,
  stage TEXT NOT NULL, purpose TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, cost REAL
) WITHOUT ROWID;
CREATE TABLE spent(
  run TEXT NOT NULL, role TEXT NOT NULL, stage TEXT NOT NULL, calls INTEGER NOT NULL, failures INTEGER NOT NULL,
  input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL,
  cost REAL NOT NULL, assumed REAL NOT NULL, assumed_tokens INTEGER NOT NULL, unpriced INTEGER NOT NULL,
  PRIMARY KEY (run, role, stage)
) WITHOUT ROWID;
"""

# The owners of this very process: a claim by our process id and by none of these is of a dead namesake.
_OURS: set[str] = set()


class Asked(Record):
    """For whom a call is made, and under which run its use is counted."""

    run: str
    role: str
    stage: str
    purpose: str


class Estimate(Record):
    """The most that a call may use up: tokens, and US dollars where the price is known."""

    input: int = Field(ge=0)
    output: int = Field(ge=0)
    cost: float | None


class Answer(Record):
    """A recorded answer: the provider's words as JSON, tokens and cost (None: no price was known)."""

    raw: str
    usage: Usage
    cost: float | None


class Spent(Record):
    """What a role used up in a stage of a run.

    ``assumed`` is the part of ``cost``, and ``assumed_tokens`` of the tokens, of calls whose answer never arrived and
    that may have been billed: a timeout, a cut answer, a killed process. They count at their estimate. ``unpriced``
    counts the calls of models without a known price.
    """

    run: str
    role: str
    stage: str
    calls: int
    failures: int
    input: int
    cached: int
    output: int
    reasoning: int
    cost: float
    assumed: float
    assumed_tokens: int
    unpriced: int


@dataclass(frozen=True)
class Granted:
    """The request is ours to send."""


@dataclass(frozen=True)
class Wait:
    """Somebody else is asking it (``taken``), or calls at work hold what is left of the budget (``reserved``)."""

    why: Literal["taken", "reserved"]


class Ledger:
    """Open one by ``with Ledger.open(...)``. Reading is immediate; writing goes through one thread, many at a commit.

    The coroutines may be awaited in any event loop, ``spent`` and ``find`` called from the thread that opened it.
    """

    def __init__(self, path: Path, writes: bool, scratch: tempfile.TemporaryDirectory[str] | None = None):
        self.path = path
        self._scratch = scratch
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
        self._reader = _connect(path, writes)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        if writes:
            _OURS.add(self._owner)
            self._thread = threading.Thread(target=self._write, name="ledger", daemon=True)
            self._thread.start()

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path | None, mode: Mode) -> Iterator["Ledger"]:
        """The ledger at ``path``; None keeps it in a scratch file for as long as it is open.

        InputError where there is none to replay or the file is something else, StorageError where it can't be written.
        """
        scratch = None
        writes = mode != "replay"
        if path is None:
            if mode == "record":
                raise StorageError("llm.mode=record has no ledger to write", "Name a file in llm.ledger")
            scratch = tempfile.TemporaryDirectory(prefix="ledger-")
            path = Path(scratch.name) / "ledger.db"
            _create(path)
        elif not writes and not path.is_file():
            raise InputError(f"{path} is no ledger to replay", "Record one first, or correct llm.ledger")
        elif path.suffix == ".jsonl":
            if writes:
                raise InputError(f"{path} can only be replayed", "Set llm.mode=replay, or name a .db file")
            scratch = tempfile.TemporaryDirectory(prefix="ledger-")
            path = _load(path, Path(scratch.name) / "ledger.db")
        elif writes:
            _create(path)
        ledger = cls(path, writes, scratch)
        try:
            yield ledger
        finally:
            ledger.close()

    def close(self) -> None:
        """Waits until all is written."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None
            _OURS.discard(self._owner)
        self._reader.close()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def find(self, key: str) -> Answer | None:
        """The recorded answer to a request."""
        return _find(self._reader, key)

    def require(self, key: str, asked: Asked, model: str) -> Answer:
        """The recorded answer, or NotRecorded that says which request has none."""
        if (found := self.find(key)) is not None:
            return found
        raise NotRecorded(
            f"{asked.stage}: {model} was never asked this {asked.purpose} question ({asked.role}, request {key})",
            f"Run it once with llm.mode=live and the ledger {self.path.name}, or undo what changed the prompt",
        )

    async def claim(
        self, key: str, body: str, model: str, asked: Asked, estimate: Estimate, budget: Budget
    ) -> Granted | Answer | Wait:
        """The right to send a request now, or its answer where somebody was faster.

        BudgetSpent where the call might pass what is left of the budget and nothing at work can give any back.
        """
        packed = _pack(body)

        def work(db: sqlite3.Connection) -> Granted | Answer | Wait:
            if (found := _find(db, key)) is not None:
                return found
            now = time.time()
            row = db.execute("SELECT owner, until FROM claims WHERE key = ?", (key,)).fetchone()
            if row is not None:
                if not _is_dead(row[0], row[1], now):
                    return Wait("taken")
                _bury(db, now)
            if budget.money is not None or budget.tokens is not None:
                verdict = _afford(db, asked.run, estimate, budget)
                if verdict == "reserved" and _bury(db, now):
                    verdict = _afford(db, asked.run, estimate, budget)
                if verdict == "reserved":
                    return Wait("reserved")
                if verdict is not None:
                    raise verdict
            db.execute("INSERT OR IGNORE INTO requests VALUES (?, ?, ?)", (key, model, packed))
            db.execute(
                "INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (key, self._owner, now + _LEASE_SECONDS, asked.run, asked.role, asked.stage, asked.purpose,
                 estimate.input, estimate.output, estimate.cost),
            )  # fmt: skip
            return Granted()

        done = asyncio.wrap_future(self._put(work))
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            # The claim may be made by now, and nobody is left to use it.
            self._put(lambda db: self._release(db, key))
            raise

    async def answered(self, key: str, asked: Asked, seconds: float, answer: Answer) -> Answer:
        """Keep an answer and give the claim back. The first answer stands, should a second one ever arrive."""
        at, packed = time.time(), _pack(answer.raw)

        def work(db: sqlite3.Connection) -> Answer:
            earlier = _find(db, key)
            _attempt(db, key, asked, at, seconds, "second" if earlier else "answer", "", packed, answer)
            self._release(db, key)
            return earlier or answer

        return await asyncio.shield(asyncio.wrap_future(self._put(work)))

    def failed(
        self, key: str, asked: Asked, seconds: float, reason: str, raw: str, assumed: Estimate | None
    ) -> "Future[None]":
        """Keep a failure and give the claim back. ``assumed``: what it counts for, where it may have been billed."""
        at = time.time()

        def work(db: sqlite3.Connection) -> None:
            _failure(db, key, asked, at, seconds, "failure", reason, raw, assumed)
            self._release(db, key)

        return self._put(work)

    def spent(self, run: str) -> tuple[Spent, ...]:
        """What a run has used up so far, by role and stage."""
        names = tuple(Spent.model_fields)
        rows = self._reader.execute(
            f"SELECT {', '.join(names)} FROM spent WHERE run = ? ORDER BY stage, role", (run,)
        )
        return tuple(Spent(**dict(zip(names, row, strict=True))) for row in rows)

    def usual(self, model: str) -> dict[tuple[str, str], tuple[int, float, float]]:
        """By stage and purpose: how many answers of a model there are, and their mean input and output in tokens."""
        rows = self._reader.execute(
            "SELECT a.stage, a.purpose, count(*), avg(a.input), avg(a.output) FROM attempts a "
            "JOIN requests r ON r.key = a.key WHERE a.outcome = 'answer' AND r.model = ? GROUP BY a.stage, a.purpose",
            (model,),
        )
        return {(stage, purpose): (count, given, written) for stage, purpose, count, given, written in rows}

    def runs(self) -> tuple[str, ...]:
        """The runs that have used anything up, by name."""
        return tuple(run for (run,) in self._reader.execute("SELECT DISTINCT run FROM spent ORDER BY run"))

    def failures(self, run: str) -> dict[tuple[str, str, str], int]:
        """How often attempts came to nothing, by stage, role and reason; lost ones (a killed process) included."""
        rows = self._reader.execute(
            "SELECT stage, role, reason, count(*) FROM attempts WHERE run = ? AND outcome IN ('failure', 'lost') "
            "GROUP BY stage, role, reason ORDER BY stage, role, reason",
            (run,),
        )
        return {(stage, role, reason): count for stage, role, reason, count in rows}

    def dump(self, path: Path, questions: bool = True) -> int:
        """Write every answered request as a line of JSONL, which replay reads; the number of lines.

        Sorted by key, so that the same answers give the same file. Without ``questions`` a line holds the hash of
        what was asked, the model and the answer, in the order in which they came: a recording that can be passed on
        where the files that were asked about can't.
        """
        rows = self._reader.execute(
            "SELECT a.key, r.model, r.body, a.raw, a.role, a.stage, a.purpose, a.input, a.cached, a.output, "
            "a.reasoning, a.cost FROM attempts a JOIN requests r ON r.key = a.key WHERE a.outcome = 'answer' "
            f"ORDER BY {'a.key' if questions else 'a.id'}"
        )
        count = 0
        with path.open("w", encoding="utf-8", newline="\n") as out:
            for key, model, body, raw, role, stage, purpose, given, cached, output, reasoning, cost in rows:
                line = {
                    "key": key,
                    "stage": stage,
                    "role": role,
                    "purpose": purpose,
                    "request": json.loads(_unpack(body)) if questions else {"model": model},
                    "answer": json.loads(_unpack(raw)),
                    "usage": {"input": given, "cached": cached, "output": output, "reasoning": reasoning},
                    "cost": cost,
                }
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
                count += 1
        return count

    def _release(self, db: sqlite3.Connection, key: str) -> None:
        db.execute("DELETE FROM claims WHERE key = ? AND owner = ?", (key, self._owner))

    def _put(self, work: Callable[[sqlite3.Connection], T]) -> "Future[T]":
        if self._thread is None:
            raise RuntimeError("this ledger is closed, or open for reading only")
        job: _Job = _Job(work, Future())
        self._jobs.put(job)
        return job.done

    def _write(self) -> None:
        """The writing thread: all that waits goes into one transaction."""
        db = _connect(self.path, True)
        beat = time.monotonic()
        last = False
        while not last:
            batch: list[_Job] = []
            with contextlib.suppress(queue.Empty):
                job = self._jobs.get(timeout=_HEARTBEAT_SECONDS)
                while job is not None and len(batch) < _MOST_OF_A_BATCH:
                    batch.append(job)
                    job = self._jobs.get_nowait()
                # A job beyond a full batch is the only one taken and not yet in it.
                if job is None:
                    last = True
                else:
                    batch.append(job)
            if batch:
                _commit(db, batch)
            if time.monotonic() - beat > _HEARTBEAT_SECONDS:
                beat = time.monotonic()
                _commit(db, [_Job(self._renew, Future())])
        db.close()

    def _renew(self, db: sqlite3.Connection) -> None:
        db.execute("UPDATE claims SET until = ? WHERE owner = ?", (time.time() + _LEASE_SECONDS, self._owner))


@dataclass
class _Job:
    work: Callable[[sqlite3.Connection], Any]
    done: "Future[Any]"


def _commit(db: sqlite3.Connection, batch: list[_Job]) -> None:
    """One transaction. What a job raises itself is its own result; what the disk refuses is everybody's."""
    results: list[tuple[_Job, Any, BaseException | None]] = []
    try:
        db.execute("BEGIN IMMEDIATE")
        for job in batch:
            try:
                results.append((job, job.work(db), None))
            except BudgetSpent as refusal:
                results.append((job, None, refusal))
        db.execute("COMMIT")
    except Exception as error:  # noqa: BLE001  whoever waits for a job hears of it, and the thread goes on
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        fault: Exception = error
        if isinstance(error, sqlite3.Error):
            remedy = "Free some space or mend the permissions, and run it again"
            fault = StorageError(f"The ledger can't be written ({error})", remedy)
        results = [(job, None, fault) for job in batch]
    for job, result, raised in results:
        if not job.done.set_running_or_notify_cancel():
            continue
        if raised is None:
            job.done.set_result(result)
        else:
            job.done.set_exception(raised)


def _connect(path: Path, writes: bool) -> sqlite3.Connection:
    if not writes:
        # A recording that was checked out read-only has no room for the files beside it that WAL needs.
        alone = not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists()
        uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"
        db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    else:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS)
        db.execute("PRAGMA synchronous = NORMAL")
    try:
        ours = _ours(db)
    except sqlite3.DatabaseError as error:
        db.close()
        raise InputError(f"{path} is no ledger ({error})", "Name another file in llm.ledger") from None
    if not ours:
        db.close()
        raise InputError(f"{path} is no ledger of version {_VERSION}", "Name another file in llm.ledger")
    return db


def _create(path: Path) -> None:
    """Make the file where there is none. Processes that start together must not see half a schema."""
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=_BUSY_SECONDS)) as db:
                if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] and not _ours(db):
                    raise InputError(f"{path} is no ledger", "Name another file in llm.ledger")
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("BEGIN IMMEDIATE")
                if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    for statement in filter(str.strip, _TABLES.split(";")):
                        db.execute(statement)
                    db.execute(f"PRAGMA application_id = {_APPLICATION}")
                    db.execute(f"PRAGMA user_version = {_VERSION}")
                elif _ours(db):
                    _bury(db, time.time())
                db.execute("COMMIT")
            return
        except sqlite3.OperationalError as error:
            # The switch to WAL doesn't wait for others that make it at the same moment.
            if "locked" in str(error) and time.monotonic() < until:
                time.sleep(0.02)
                continue
            raise StorageError(
                f"The ledger {path} can't be written ({error})", "Mend the permissions, or set llm.ledger"
            ) from None
        except sqlite3.DatabaseError as error:
            raise InputError(f"{path} is no ledger ({error})", "Name another file in llm.ledger") from None
        except OSError as error:
            raise StorageError(
                f"The ledger {path} can't be written ({error.strerror})",
                "Mend the permissions, or set llm.ledger",
            ) from None


def _ours(db: sqlite3.Connection) -> bool:
    found = [db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    return found == [_APPLICATION, _VERSION]


def _load(lines: Path, path: Path) -> Path:
    """A ledger made of a dump."""
    _create(path)
    with contextlib.closing(_connect(path, True)) as db, lines.open(encoding="utf-8") as handle:
        db.execute("BEGIN")
        for number, line in enumerate(handle, 1):
            try:
                row = json.loads(line)
                body = json.dumps(row["request"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                answer = Answer(raw=json.dumps(row["answer"], ensure_ascii=False), usage=Usage(**row["usage"]),
                                cost=row["cost"])  # fmt: skip
                asked = Asked(run="", role=row["role"], stage=row["stage"], purpose=row["purpose"])
                db.execute(
                    "INSERT INTO requests VALUES (?, ?, ?)",
                    (row["key"], row["request"]["model"], _pack(body)),
                )
                _attempt(db, row["key"], asked, 0.0, 0.0, "answer", "", _pack(answer.raw), answer)
            except (ValueError, KeyError, TypeError, sqlite3.IntegrityError) as error:
                raise InputError(
                    f"{lines} line {number} is no answered request ({error})",
                    "Write it again with Ledger.dump",
                ) from None
        db.execute("DELETE FROM spent")
        db.execute("COMMIT")
    return path


def _find(db: sqlite3.Connection, key: str) -> Answer | None:
    row = db.execute(
        "SELECT raw, input, cached, output, reasoning, cost FROM attempts WHERE key = ? AND outcome = 'answer'",
        (key,),
    ).fetchone()
    if row is None:
        return None
    usage = Usage(input=row[1], cached=row[2], output=row[3], reasoning=row[4])
    return Answer(raw=_unpack(row[0]), usage=usage, cost=row[5])


def _afford(
    db: sqlite3.Connection, run: str, estimate: Estimate, budget: Budget
) -> Literal["reserved"] | BudgetSpent | None:
    """None where the call fits beside all that is at work, "reserved" where it would fit alone."""
    money, tokens = db.execute(
        "SELECT coalesce(sum(cost), 0), coalesce(sum(input + output + assumed_tokens), 0) FROM spent WHERE run = ?",
        (run,),
    ).fetchone()
    held_money, held_tokens, held = db.execute(
        "SELECT coalesce(sum(cost), 0), coalesce(sum(input + output), 0), count(*) FROM claims WHERE run = ?",
        (run,),
    ).fetchone()
    wants = [
        (budget.money, money, held_money, estimate.cost or 0.0, "US dollars", "money"),
        (budget.tokens, tokens, held_tokens, estimate.input + estimate.output, "tokens", "tokens"),
    ]
    answer: Literal["reserved"] | None = None
    for most, used, reserved, more, unit, name in wants:
        if most is None or used + reserved + more <= most:
            continue
        if held and used + more <= most:
            answer = "reserved"
            continue
        return BudgetSpent(
            f"The run {run!r} has used {used:.6g} of its {most:.6g} {unit}, and the next call may need {more:.6g}",
            f"Raise llm.budget.{name} and run it again: what is answered costs nothing",
        )
    return answer


def _is_dead(owner: str, until: float, now: float) -> bool:
    """Whether nobody can be behind a claim any more."""
    if until < now:
        return True
    host, pid, _ = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return False
    if int(pid) == os.getpid():
        return owner not in _OURS
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    # A killed one can be signalled until it is reaped, which in many containers nobody does.
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in {"Z", "X"}
    return False


def _bury(db: sqlite3.Connection, now: float) -> int:
    """Count the calls of dead processes as lost; how many."""
    dead = [row for row in db.execute("SELECT * FROM claims").fetchall() if _is_dead(row[1], row[2], now)]
    for key, _, _, run, role, stage, purpose, given, output, cost in dead:
        asked = Asked(run=run, role=role, stage=stage, purpose=purpose)
        estimate = Estimate(input=given, output=output, cost=cost)
        _failure(db, key, asked, now, 0.0, "lost", "the process ended before the answer", "", estimate)
        db.execute("DELETE FROM claims WHERE key = ?", (key,))
    return len(dead)


def _failure(
    db: sqlite3.Connection, key: str, asked: Asked, at: float, seconds: float, outcome: str, reason: str, raw: str,
    assumed: Estimate | None,
) -> None:  # fmt: skip
    nothing = Answer(
        raw="", usage=Usage(input=0, cached=0, output=0), cost=0.0 if assumed is None else assumed.cost
    )
    _attempt(db, key, asked, at, seconds, outcome, reason, _pack(raw) if raw else None, nothing, assumed)


def _attempt(
    db: sqlite3.Connection, key: str, asked: Asked, at: float, seconds: float, outcome: str, reason: str, raw: Any,
    answer: Answer, assumed: Estimate | None = None,
) -> None:  # fmt: skip
    use = answer.usage
    db.execute(
        "INSERT INTO attempts(key, run, role, stage, purpose, at, seconds, outcome, reason, raw, input, cached, output,"
        " reasoning, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, asked.run, asked.role, asked.stage, asked.purpose, at, seconds, outcome, reason, raw,
         use.input, use.cached, use.output, use.reasoning, answer.cost),
    )  # fmt: skip
    failed = outcome not in {"answer", "second"}
    db.execute(
        "INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
        "calls = calls + excluded.calls, failures = failures + excluded.failures, input = input + excluded.input, "
        "cached = cached + excluded.cached, output = output + excluded.output, "
        "reasoning = reasoning + excluded.reasoning, cost = cost + excluded.cost, "
        "assumed = assumed + excluded.assumed, assumed_tokens = assumed_tokens + excluded.assumed_tokens, "
        "unpriced = unpriced + excluded.unpriced",
        (asked.run, asked.role, asked.stage, 1, int(failed), use.input, use.cached, use.output, use.reasoning,
         answer.cost or 0.0, (assumed.cost or 0.0) if assumed else 0.0,
         assumed.input + assumed.output if assumed else 0, int(answer.cost is None)),
    )  # fmt: skip


def _pack(text: str) -> str | bytes:
    return text if len(text) < _PLAIN else zlib.compress(text.encode(), 1)


def _unpack(stored: str | bytes) -> str:
    return zlib.decompress(stored).decode() if isinstance(stored, bytes) else stored
