"""How far each judge variant can be trusted: does it pick the golden deliverables, do mutants lose points?"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..llm.together import together
from ..records import Document, Record, TaskSpec, Verdict
from .agreement import Agreement, Repeats
from .checks import Deliverables
from .grader import Grader
from .joint import JointGrader
from .judge import Judge
from .member import PoolMember
from .mutants import Mutant, MutantKind, MutantPool, NotMade, mutate
from .pool import Pick

Track = Callable[[Iterable["Case"], str, int], Iterable["Case"]]
_Z95 = 1.959963984540054
"""The 0.975 quantile of the normal distribution."""


@dataclass(frozen=True)
class Case:
    """A specification and its golden deliverables on disk, by file name."""

    spec: TaskSpec
    golden: Mapping[str, Path]


class KindCount(Record):
    """Mutants of a kind, how many of them scored below their golden deliverable, and their share of those judged."""

    mutants: int
    caught: int | None
    share: float | None


class JudgeRow(Record):
    """A judge variant's whole calibration.

    ``picks`` counts the pools that could be judged, ``unjudged`` the others; ``accuracy`` is ``correct`` by
    ``picks`` with its Wilson 95 % interval ``low`` to ``high``. ``expected`` is the accuracy over all ways to break
    ties: where several candidates share the best score, one pick among them is luck, and it averages that luck
    out. A mutant is caught where it scores below its
    golden deliverable; for a judge that never grades that is undefined (None), and the share counts only mutants
    that were judged, as was the golden deliverable. ``tokens_a_verdict`` is what a
    model read and wrote for one candidate, on average; None where no model judged. ``agreement`` says how far the
    judge repeats itself; None where it wasn't asked twice, or never marks.
    """

    judge: str
    pools: int
    picks: int
    unjudged: int
    correct: int
    accuracy: float | None
    expected: float | None
    low: float | None
    high: float | None
    mutants: int
    mutants_caught: int | None
    caught_share: float | None
    by_kind: dict[str, KindCount]
    tokens_a_verdict: float | None = None
    agreement: Agreement | None = None


class JudgedPool(Record):
    """One judge on one pool.

    ``lost`` names, by mutant, the criteria and penalties on which it did worse than the golden deliverables;
    ``delivered`` is the score of those as they were handed over, before they were saved again (None where a model
    judges, because it would be a call of its own). ``tokens`` is what the model read and wrote for the pool.
    """

    judge: str
    chosen: str | None
    correct: bool | None
    delivered: float | None
    scores: dict[str, float | None]
    lost: dict[str, tuple[str, ...]]
    tokens: int | None = None


class PoolLine(Record):
    """One task's pool: what was spoiled, what could not be, and what each judge said."""

    task: str
    mutants: tuple[Mutant, ...]
    not_made: tuple[NotMade, ...]
    judged: tuple[JudgedPool, ...]


class Calibration(Record):
    """A row a judge variant; ``pools`` goes to a file of its own."""

    rows: tuple[JudgeRow, ...]
    pools: tuple[PoolLine, ...]


def _untracked(items: Iterable[Case], label: str, total: int) -> Iterable[Case]:
    return items


def calibrate(
    cases: Sequence[Case],
    judges: Sequence[Judge],
    grader: Grader,
    parse: Callable[[Path], Document | None],
    workdir: Path,
    track: Track = _untracked,
    repeats: int = 1,
) -> Calibration:
    """Make each task's pool below ``workdir``, and let every judge pick from it.

    ``parse`` gives None for a file that can't be read. ``workdir`` is scratch space: office formats carry the
    time at which they were saved, so only the returned records are the same from run to run. Each pool is judged
    ``repeats`` times; the first counts, the others say how far the grader agrees with itself.
    """
    lines = []
    again = {judge.name: Repeats() for judge in judges}
    for number, case in enumerate(track(cases, "calibrating judges", len(cases))):
        folder = workdir / f"pool-{number:05d}"
        lines.append(_pool(case, judges, grader, _Reader(parse), folder, again, repeats))
    return _calibration(judges, lines, again, repeats)


async def calibrate_jointly(
    cases: Sequence[Case],
    judges: Sequence[Judge],
    graders: Sequence[JointGrader],
    parse: Callable[[Path], Document | None],
    workdir: Path,
    at_once: int,
    track: Track = _untracked,
) -> Calibration:
    """As :func:`calibrate`, by a grader that sees the candidates of a pool together; ``at_once`` pools at a time.

    The pools are the same to the byte, so that graders can be compared. The first of the ``graders`` counts, the others
    are the same one asked again.
    """
    again = {judge.name: Repeats() for judge in judges}

    async def one(numbered: tuple[int, Case]) -> PoolLine:
        number, case = numbered
        made, members, _ = _make(case, _Reader(parse), workdir / f"pool-{number:05d}")
        judged = []
        for judge in judges:
            picks = [await judge.pick_jointly(case.spec, members, grader) for grader in graders]
            again[judge.name].add(picks)
            judged.append(_judged(judge, picks[0], None))
        return PoolLine(task=case.spec.id, mutants=made.mutants, not_made=made.not_made, judged=tuple(judged))

    numbered = enumerate(track(cases, "calibrating judges", len(cases)))
    lines = await together(numbered, one, at_once)
    return _calibration(judges, lines, again, len(graders))


def _calibration(
    judges: Sequence[Judge], lines: Sequence[PoolLine], again: Mapping[str, Repeats], repeats: int
) -> Calibration:
    rows = [
        _row(judge, lines).model_copy(update={"agreement": again[judge.name].agreement(repeats)})
        for judge in judges
    ]
    return Calibration(rows=tuple(rows), pools=tuple(lines))


class _Reader:
    """Parses each content once: most files of a pool are the same."""

    def __init__(self, parse: Callable[[Path], Document | None]):
        self._parse = parse
        self._known: dict[tuple[str, str], Document | None] = {}

    def read(self, files: Mapping[str, Path]) -> Deliverables:
        return {name: self._one(name, path) for name, path in files.items()}

    def _one(self, name: str, path: Path) -> Document | None:
        key = (name, hashlib.sha256(path.read_bytes()).hexdigest())
        if key not in self._known:
            self._known[key] = self._parse(path)
        return self._known[key]


def _make(case: Case, reader: _Reader, folder: Path) -> tuple[MutantPool, list[PoolMember], Deliverables]:
    """The pool on disk, its members parsed, and the golden deliverables as they were handed over."""
    delivered = reader.read(case.golden)
    made = mutate(case.spec, case.golden, delivered, folder)
    members = [
        PoolMember(candidate, reader.read(files), golden=candidate == "golden")
        for candidate, files in made.files.items()
    ]
    return made, members, delivered


def _pool(
    case: Case,
    judges: Sequence[Judge],
    grader: Grader,
    reader: _Reader,
    folder: Path,
    again: Mapping[str, Repeats],
    repeats: int,
) -> PoolLine:
    made, members, delivered = _make(case, reader, folder)
    judged = []
    for judge in judges:
        pick, *others = (judge.pick(case.spec, members, grader) for _ in range(repeats))
        again[judge.name].add([pick, *others])
        alone = judge.pick(case.spec, [PoolMember("delivered", delivered)], grader)
        judged.append(_judged(judge, pick, alone.scores.get("delivered")))
    return PoolLine(task=case.spec.id, mutants=made.mutants, not_made=made.not_made, judged=tuple(judged))


def _judged(judge: Judge, pick: Pick, delivered: float | None) -> JudgedPool:
    tokens = [verdict.tokens for verdict in pick.verdicts if verdict.tokens is not None]
    return JudgedPool(
        judge=judge.name,
        chosen=pick.chosen,
        correct=pick.correct,
        delivered=delivered,
        scores=pick.scores,
        lost=_lost(pick),
        tokens=sum(tokens) if tokens else None,
    )


def _lost(pick: Pick) -> dict[str, tuple[str, ...]]:
    """By mutant, the criteria met less and the penalties incurred more than by the golden candidate."""
    standing = {verdict.candidate: _standing(verdict) for verdict in pick.verdicts}
    golden = standing.pop("golden", {})
    return {
        candidate: tuple(item for item, value in values.items() if item in golden and value < golden[item])
        for candidate, values in standing.items()
    }


def _standing(verdict: Verdict) -> dict[str, float]:
    """Higher is better: the fraction of each criterion, the degree of each penalty below zero."""
    standing = {one.criterion: one.fraction for one in verdict.criteria if one.fraction is not None}
    return standing | {one.penalty: -one.degree for one in verdict.penalties if one.degree is not None}


def _row(judge: Judge, lines: Sequence[PoolLine]) -> JudgeRow:
    pools = [(line, one) for line in lines for one in line.judged if one.judge == judge.name]
    picks = sum(one.chosen is not None for _, one in pools)
    correct = sum(one.correct is True for _, one in pools)
    interval = wilson(correct, picks)
    caught: dict[MutantKind, list[bool | None]] = {}
    for line, one in pools:
        golden = one.scores.get("golden")
        for mutant in line.mutants:
            mine = one.scores.get(mutant.name)
            caught.setdefault(mutant.kind, []).append(
                None if golden is None or mine is None else mine < golden
            )
    every = [flag for flags in caught.values() for flag in flags]
    total = sum(flag is True for flag in every)
    paid = [(one.tokens, len(one.scores)) for _, one in pools if one.tokens is not None]
    return JudgeRow(
        judge=judge.name,
        pools=len(pools),
        picks=picks,
        unjudged=len(pools) - picks,
        correct=correct,
        accuracy=correct / picks if picks else None,
        expected=math.fsum(_chance(line, one) for line, one in pools if one.chosen) / picks
        if picks
        else None,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        mutants=len(every),
        mutants_caught=total if judge.grades else None,
        caught_share=_share(every) if judge.grades else None,
        by_kind={
            kind: KindCount(
                mutants=len(flags),
                caught=sum(flag is True for flag in flags) if judge.grades else None,
                share=_share(flags) if judge.grades else None,
            )
            for kind, flags in sorted(caught.items())
        },
        tokens_a_verdict=sum(tokens for tokens, _ in paid) / sum(size for _, size in paid) if paid else None,
    )


def _chance(line: PoolLine, judged: JudgedPool) -> float:
    """The probability that the golden candidate is picked when ties are broken at random."""
    if not judged.scores:
        return 1 / (1 + len(line.mutants))
    scores = [score for score in judged.scores.values() if score is not None]
    best = max(scores)
    return 1 / scores.count(best) if judged.scores.get("golden") == best else 0.0


def _share(flags: Sequence[bool | None]) -> float | None:
    """The share caught of those that were judged."""
    known = [flag for flag in flags if flag is not None]
    return sum(known) / len(known) if known else None


def wilson(successes: int, trials: int) -> tuple[float, float] | None:
    """The Wilson score interval of a share at 95 %, or None without trials (E. B. Wilson, 1927)."""
    if not trials:
        return None
    share, square = successes / trials, _Z95**2
    centre = (share + square / (2 * trials)) / (1 + square / trials)
    spread = _Z95 / (1 + square / trials) * math.sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    return max(0.0, centre - spread), min(1.0, centre + spread)
