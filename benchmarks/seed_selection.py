"""Selecting seeds beside merely reading them, and beside the naive greedy, each in a process of its own.

    python benchmarks/seed_selection.py [--candidates 1000000] [--picks 10000] [--every] [--folder FOLDER]
                                        [--naive-candidates 100000] [--naive-picks 1000]

The candidates are seeds as ``data/seeds/seeds.jsonl`` holds them (about 1.1 kB a line, five passages of evidence),
made up in the proportions of O*NET 30.1: 1,016 occupations, 18,357 pairs of occupation and activity, few of them
frequent. ``read`` is ``read_jsonl(path, Seed)``, the project's reader, over all lines, and keeps nothing. The bare
``json.loads`` of each line is printed beside it, as the least that any reader does. ``read and select`` reads the same
lines the same way, streams them into marginal coverage over seven dimensions and picks. The peak is that of the whole
process.

The naive greedy gets the same pool of integer codes and the same table of parts, read beforehand. For each pick it goes
through all candidates left, adds up their gains by ``math.fsum``, and keeps the best: plain Python, and no picking
is asked of it that ours isn't. ``numpy`` does the same with all gains at once. All must pick the same. Picking alone is
timed there; setting up our queue counts as picking. Machines are shared and noisy: the ratios are the figures, and
CPU seconds say more than wall time.
"""

import argparse
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from math import fsum
from pathlib import Path

import numpy as np

from graphforge.records import EXECUTION_PATTERNS, InputFamily, Passage, Seed, read_jsonl, write_jsonl
from graphforge.seeds import (
    Candidate,
    EqualQuota,
    Frequency,
    MarginalCoverage,
    RandomBalance,
    SectorRoundRobin,
    seed_dimensions,
)
from graphforge.seeds.coverage import Coverage, CoverageQueue, gains
from graphforge.seeds.pool import DemandCap, Pool

DIMENSIONS = ("sector", "subsector", "occupation", "dwa", "pattern", "demand", "input_family")
CAP = 2
FAMILIES: tuple[InputFamily, ...] = ("spreadsheet", "delimited", "document", "presentation", "page", "data")
Strategy = MarginalCoverage | EqualQuota | SectorRoundRobin | RandomBalance | Frequency
STRATEGIES: dict[str, Strategy] = {
    "marginal_coverage": MarginalCoverage(dimensions=DIMENSIONS),
    "equal_quota": EqualQuota(dimension="pattern", within=DIMENSIONS),
    "sector_round_robin": SectorRoundRobin(within=DIMENSIONS),
    "random": RandomBalance(seed=0),
    "frequency": Frequency(dimensions=("occupation", "dwa")),
}


def made_up(number: int) -> Iterator[Seed]:
    """Seeds in the proportions of O*NET, every second demand stated twice on average."""
    draw = random.Random(1)
    codes = [f"{11 + 2 * int(22 * draw.random() ** 1.5)}-{draw.randint(1, 5)}{n:03d}.00" for n in range(1016)]
    pairs = [(n if n < 1016 else draw.randrange(1016), draw.randrange(2083)) for n in range(18357)]
    weights = [1 / (1 + n) ** 0.3 for n in range(len(pairs))]
    falling = [1 / (1 + n) for n in range(16)]
    chosen = draw.choices(pairs, weights, k=number)
    patterns = draw.choices(EXECUTION_PATTERNS, falling, k=number)
    families = [draw.choices(FAMILIES, falling[:6], k=number) for _ in range(2)]
    for n, ((occupation, dwa), pattern) in enumerate(zip(chosen, patterns, strict=True)):
        code, activity = codes[occupation], f"4.A.{dwa // 100}.a.{dwa % 10}.I{dwa // 10 % 100:02d}.D{dwa:04d}"
        what = draw.randrange(number)
        demand = f"Compare figure {what} of the monthly report with what the offices entered, and explain each gap."
        yield Seed(
            id=f"{code}:{activity}:{n}",
            occupation_code=code,
            occupation=f"Made-up occupation number {occupation}",
            sector=code[:2],
            sector_name="Business and Financial Operations",
            subsector=code[:4],
            task_id=str(n),
            dwa_id=activity,
            dwa=f"Verify the accuracy of figures of kind {dwa}.",
            demand=demand,
            demand_key=f"compare figure {what} of the monthly report with what the offices entered",
            pattern=pattern,
            input_family=families[0][n],
            output_family=families[1][n],
            evidence=(
                Passage(source=f"Task Statements:{n}", text=demand),
                Passage(
                    source=f"DWA Reference:{activity}", text=f"Verify the accuracy of figures of kind {dwa}."
                ),
                Passage(source=f"IWA Reference:{activity[:-6]}", text="Evaluate the quality of records."),
                Passage(source=f"Technology Skills:{code}", text="Spreadsheet software: Some Calculator 12"),
                Passage(source=f"Technology Skills:{code}", text="Data base software: Some Data Base 7"),
            ),
        )


def candidates(path: Path) -> Iterator[Candidate]:
    return (Candidate(seed.id, seed_dimensions(seed)) for seed in read_jsonl(path, Seed))


def naive(pool: Pool, count: int) -> list[int]:
    """Go through everyone left for each pick, in plain Python."""
    coverage, cap = Coverage(pool, DIMENSIONS), DemandCap(pool, CAP)
    rows = list(zip(*(codes.tolist() for codes in coverage.columns), strict=True))
    left = set(range(len(pool)))
    picks: list[int] = []
    while len(picks) < count and left:
        parts = gains(coverage.parts).tolist()
        best, most = -1, -1.0
        for position, row in enumerate(rows):
            if position in left:
                gain = fsum([parts[code] for code in row])
                if gain > most:
                    best, most = position, gain
        coverage.take(best)
        cap.take(best)
        left.discard(best)
        picks.append(int(pool.places[best]))
        if cap.is_full(best):
            left -= set(np.flatnonzero(cap.demands == cap.demands[best]).tolist())
    return picks


def vectors(pool: Pool, count: int) -> list[int]:
    """The same, all gains at once by numpy."""
    coverage, cap = Coverage(pool, DIMENSIONS), DemandCap(pool, CAP)
    left = np.ones(len(pool), dtype=np.bool_)
    picks: list[int] = []
    while len(picks) < count:
        found = gains(coverage.sums(coverage.columns, left.shape))
        found[~left | cap.full(cap.demands)] = -1
        best = int(found.argmax())
        coverage.take(best)
        cap.take(best)
        left[best] = False
        picks.append(int(pool.places[best]))
    return picks


def lazy(pool: Pool, count: int) -> list[int]:
    """Ours: what ``MarginalCoverage.select`` does with its pool."""
    positions = np.arange(len(pool), dtype=np.int32)
    queue = CoverageQueue(Coverage(pool, DIMENSIONS), DemandCap(pool, CAP), positions)
    picks: list[int] = []
    while len(picks) < count and queue.top() is not None:
        picks.append(int(pool.places[queue.pop()]))
    return picks


PICKERS = {"naive": naive, "numpy": vectors, "lazy": lazy}


def arm(name: str, path: Path, count: int) -> None:
    """One measurement, in a process of its own: what it took as a line of JSON."""
    picks: list[int] = []
    pool = Pool(candidates(path), DIMENSIONS) if name in PICKERS else None
    wall, cpu = time.perf_counter(), time.process_time()
    if name == "read":
        for _ in read_jsonl(path, Seed):
            pass
    elif name == "json":
        with path.open(encoding="utf-8") as handle:
            for line in handle:
                json.loads(line)
    elif pool is not None:
        picks = PICKERS[name](pool, count)
    else:
        picks = STRATEGIES[name].select(candidates(path), count, CAP)
    figures = {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "picked": len(picks),
        "picks": hashlib.sha256(json.dumps(picks).encode()).hexdigest()[:12],
    }
    print(json.dumps(figures))


def measure(name: str, path: Path, count: int, label: str, beside: float | None = None) -> dict[str, float]:
    command = [sys.executable, __file__, "--arm", name, "--file", str(path), "--picks", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    ratio = f"  {found['cpu'] / beside:7.2f} times its CPU" if beside else ""
    print(
        f"  {label:42} {found['wall']:8.2f} s  {found['cpu']:8.2f} CPU s  {found['peak']:7.0f} MiB"
        f"  {found['picked']:6} picked, {found['picks']}{ratio}",
        flush=True,
    )
    return found


def main(given: argparse.Namespace, folder: Path) -> None:
    large, small = folder / "large.jsonl", folder / "small.jsonl"
    write_jsonl(large, made_up(given.candidates))
    write_jsonl(small, made_up(given.naive_candidates))
    size = large.stat().st_size / 2**20
    print(f"{given.candidates:,} seeds ({size:,.0f} MiB), {given.picks:,} to pick, demand cap {CAP}")
    measure("json", large, 0, "json.loads of each line")
    read = measure("read", large, 0, "read: read_jsonl(path, Seed), nothing kept")
    for name in STRATEGIES if given.every else ("marginal_coverage",):
        measure(name, large, given.picks, f"read and select, {name}", read["cpu"])
    print(f"{given.naive_candidates:,} candidates in a pool, {given.naive_picks:,} to pick: picking alone")
    ours = measure("lazy", small, given.naive_picks, "ours")
    numpy = measure("numpy", small, given.naive_picks, "all gains at once by numpy", ours["cpu"])
    plain = measure("naive", small, given.naive_picks, "naive, plain Python", ours["cpu"])
    if len({one["picks"] for one in (ours, numpy, plain)}) > 1:
        sys.exit("the picks differ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--candidates", type=int, default=1_000_000)
    parser.add_argument("--picks", type=int, default=10_000)
    parser.add_argument("--naive-candidates", type=int, default=100_000)
    parser.add_argument("--naive-picks", type=int, default=1_000)
    parser.add_argument("--every", action="store_true", help="all five strategies at the large size")
    parser.add_argument(
        "--folder", type=Path, help="where to write the made-up seeds (1.2 GB, removed at the end)"
    )
    parser.add_argument("--arm", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.arm:
        arm(arguments.arm, arguments.file, arguments.picks)
    else:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as scratch:
            main(arguments, Path(scratch))
