"""A file that hangs, crashes or swells costs itself and no other; nothing outside the file is reached."""

import hashlib
import os
import threading
import time
from pathlib import Path

import orphans
import pytest

from graphforge.workspace import WorkerFailure, WorkerLimits, WorkerPool
from graphforge.workspace.worker import Attempt

READER = "tests.workspace.faulty_readers:read"
ROWS = "State,Families\nAlabama,1\nAlaska,2\nArizona,3\n"
LIMITS = WorkerLimits(seconds=60, cpu_seconds=1, memory=200 * 2**20)


def _jobs(folder: Path, *names: str) -> list[tuple[Path, str]]:
    jobs = []
    for name in names:
        path = folder / f"{name}.csv"
        path.write_text(ROWS)
        jobs.append((path, hashlib.sha256(name.encode()).hexdigest()))
    return jobs


def _read(pool: WorkerPool, jobs: list[tuple[Path, str]]) -> list[Attempt]:
    return list(pool.read(jobs))


FAULTS = {
    "spin": ("too_slow", "CPU time"),
    "grow": ("too_much_memory", "more than is allowed"),
    "crash": ("parser_crashed", "SIGSEGV"),
    "abort": ("parser_crashed", "SIGABRT"),
    "abort_memory": ("too_much_memory", "more than is allowed"),
    "exit": ("parser_crashed", "status 3"),
    "raise": ("parser_crashed", "AttributeError"),
    "deep": ("parser_crashed", "RecursionError"),
    "outside": ("reached_outside", "/etc/hostname"),
    "write": ("reached_outside", "write.new"),
    "start": ("reached_outside", "start 'true'"),
    "killed": ("too_much_memory", "the system"),
}


def test_every_fault_costs_its_own_file_alone(tmp_path: Path) -> None:
    names = [name for fault in FAULTS for name in (f"good_before_{fault}", fault)] + ["last"]
    with WorkerPool(2, LIMITS, READER, Attempt) as pool:
        attempts = dict(zip(names, _read(pool, _jobs(tmp_path, *names)), strict=True))
    for name, attempt in attempts.items():
        if name not in FAULTS:
            assert attempt.document is not None and len(attempt.document.tables[0].grid) == 4, (name, attempt)
            continue
        reason, detail = FAULTS[name]
        assert attempt.document is None
        assert attempt.reason == reason and detail in attempt.detail, (name, attempt)


def test_a_reader_that_only_waits(tmp_path: Path) -> None:
    with WorkerPool(1, WorkerLimits(seconds=2), READER, Attempt) as pool:
        attempts = _read(pool, _jobs(tmp_path, "hang", "good"))
    assert (attempts[0].reason, attempts[0].detail) == ("too_slow", "not read within 2 seconds")
    assert attempts[1].document is not None


def test_the_others_go_on_while_one_hangs(tmp_path: Path) -> None:
    jobs = _jobs(tmp_path, "hang", *(f"good{number}" for number in range(6)))
    seen: list[float] = []
    with WorkerPool(2, WorkerLimits(seconds=6), READER, Attempt) as pool:
        _read(pool, _jobs(tmp_path, "warm", "warm2"))
        start = time.monotonic()
        thread = threading.Thread(target=lambda: _read(pool, jobs))
        thread.start()
        # The files behind it are read, in the other process, long before its deadline.
        while len(seen) < 1 and time.monotonic() - start < 5:
            if pool._idle.qsize() == 1 and len(pool._busy) == 1:
                seen.append(time.monotonic() - start)
            time.sleep(0.01)
        thread.join()
    assert seen and seen[0] < 5


def test_a_process_is_used_again(tmp_path: Path) -> None:
    with WorkerPool(1, LIMITS, READER, Attempt) as pool:
        first = _read(pool, _jobs(tmp_path, "a", "b", "raise", "c"))
        second = _read(pool, _jobs(tmp_path, "d"))
    assert len({attempt.detail for attempt in (*first, *second) if attempt.document}) == 1


def test_what_a_reader_prints_is_no_answer(tmp_path: Path) -> None:
    with WorkerPool(1, LIMITS, READER, Attempt) as pool:
        attempts = _read(pool, _jobs(tmp_path, "noise", "a"))
    assert all(attempt.document for attempt in attempts)


def test_an_idle_process_that_died_is_replaced(tmp_path: Path) -> None:
    with WorkerPool(1, LIMITS, READER, Attempt) as pool:
        [attempt] = _read(pool, _jobs(tmp_path, "a"))
        os.kill(int(attempt.detail), 9)
        assert orphans.until(lambda: not orphans.alive(int(attempt.detail)), 5)
        [again] = _read(pool, _jobs(tmp_path, "b"))
    assert again.document is not None and again.detail != attempt.detail


def test_whoever_stops_asking_leaves_no_process_busy(tmp_path: Path) -> None:
    with WorkerPool(2, WorkerLimits(seconds=60), READER, Attempt) as pool:
        attempts = pool.read(_jobs(tmp_path, "a", "hang", "spin", "b"))
        assert next(attempts).document is not None
        start = time.monotonic()
        attempts.close()
        assert time.monotonic() - start < 5 and not pool._busy


def test_too_large_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("a,b\n" + "".join(f"x{number},{number}\n" for number in range(15_000)))
    with WorkerPool(1, WorkerLimits(answer=100_000), READER, Attempt) as pool:
        [attempt] = pool.read([(path, "0" * 64)])
    assert attempt.reason == "too_much_memory" and "100000 bytes" in attempt.detail


def test_a_reader_that_is_not_there(tmp_path: Path) -> None:
    pool = WorkerPool(1, LIMITS, "tests.workspace.faulty_readers:none", Attempt)
    with pool, pytest.raises(WorkerFailure, match="no attribute 'none'"):
        _read(pool, _jobs(tmp_path, "a"))


def test_keys_do_not_reach_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    with WorkerPool(1, LIMITS, READER, Attempt) as pool:
        [attempt] = _read(pool, _jobs(tmp_path, "a"))
        environment = Path(f"/proc/{attempt.detail}/environ")
        if not environment.exists():
            pytest.skip("needs /proc")
        assert b"secret" not in environment.read_bytes()


@pytest.mark.parametrize("fault", ["spin", "hang"])
def test_a_busy_process_ends_with_its_parent(tmp_path: Path, fault: str) -> None:
    (tmp_path / f"{fault}.csv").write_text(ROWS)
    code = (
        "from pathlib import Path\n"
        "from graphforge.workspace import Attempt, WorkerLimits, WorkerPool\n"
        "Path('started').touch()\n"
        f"pool = WorkerPool(1, WorkerLimits(), {READER!r}, Attempt)\n"
        f"list(pool.read([(Path('{fault}.csv'), '0' * 64)]))"
    )
    process = orphans.start(code, tmp_path)
    assert orphans.until(lambda: orphans.below(process.pid), 60)
    # Into the fault itself: the worker reads its job after it has started.
    time.sleep(4)
    children = orphans.below(process.pid)
    assert children
    orphans.kill(process)
    assert orphans.until(lambda: not any(map(orphans.alive, children)), 15)
