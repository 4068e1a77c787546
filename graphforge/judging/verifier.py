"""Tests of a task's verifier, before anyone's work is judged by it.

    verified = verify(spec, golden, inputs, VerifierTests(...), bar=0.95, parse=parsed, folder=scratch)
    verified.spec       # with the criteria that passed their tests, or as it was where the task is rejected
    verified.tests      # what was found, for the books
    verified.rejection  # None, or why the task can't be trusted

Each check of each criterion must see its own mutant (:mod:`.spoil`) and must not mind any harmless change
(:mod:`.harmless`). What fails is repaired or dropped:

- a check that fails is taken out of its criterion where others of it pass: the requirement stays, and what is left of
  its verification is right;
- a criterion or penalty of which no check passes is dropped; the other weights keep their proportions.

Only executable checks are tested. A criterion without any is for a judge who reads: it is listed as untested, kept, and
left out of the scores here.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..records import (
    Check,
    Criterion,
    Document,
    Identifier,
    NegativeCriterion,
    Record,
    Rejection,
    TaskSpec,
    Verdict,
    Violation,
    scaled,
    stable_hash,
)
from .checks import Deliverables, execute
from .construct import blind
from .grader import ChecksGrader
from .guard import answered_by, blank, untouched
from .harmless import HarmlessKind, changed
from .mutants import MutantKind
from .spoil import Spoiled, spoil
from .traced import NumberTrace, traced

STAGE = "verify"
# Checks of one criterion that get a mutant of their own, of every kind one before a second of any.
_MOST = 6
_EXACT = 1e-9

Item = Criterion | NegativeCriterion
AnyCheck = Check | Violation


class VerifierTests(BaseModel):
    """What a task must still have after the tests of its verifier.

    ``least_criteria`` and ``least_weight``: criteria, and share of the weight, that must be left. ``most_blind``: the
    share of the criteria with checks that an agent may meet which opens no file. ``workers``: processes at once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    least_criteria: int = Field(ge=1)
    least_weight: float = Field(gt=0, le=1)
    most_blind: float = Field(ge=0, le=1)
    workers: int = Field(ge=1)


class MutantTest(Record):
    """A mutant for a check of a criterion or penalty: ``caught`` where it cost points on it.

    ``mutant`` is None where none could be made, and ``detail`` says why; then ``caught`` is false.
    """

    item: Identifier
    check: str
    file: str
    mutant: MutantKind | None
    detail: str
    caught: bool


class HarmlessTest(Record):
    """A harmless change of a file, and the criteria and penalties on which it cost points."""

    kind: HarmlessKind
    file: str
    cost: tuple[Identifier, ...]


class Repair(Record):
    """What was done about a criterion or penalty that failed: ``how`` many checks went, or all of it."""

    item: Identifier
    how: Literal["check_removed", "dropped"]
    why: str


GoldenSource = Literal["reference", "pilot", "constructed"]


class TaskTests(Record):
    """All tests of one task. Scores are None where the tests did not come that far.

    ``untested`` names the criteria without checks. ``blind_share`` is the share of the criteria with checks that were
    met without a file, ``blind_score`` their weight; ``numbers`` says where the numbers of the criteria come from.
    """

    task: Identifier
    golden: GoldenSource | None
    golden_score: float | None = None
    empty_score: float | None = None
    inputs_score: float | None = None
    blind_share: float | None = None
    blind_score: float | None = None
    mutants: tuple[MutantTest, ...] = ()
    harmless: tuple[HarmlessTest, ...] = ()
    repairs: tuple[Repair, ...] = ()
    untested: tuple[Identifier, ...] = ()
    numbers: NumberTrace | None = None


@dataclass(frozen=True)
class Golden:
    """Deliverables that are right, by name. Whether all is met by them is a test of the criteria only where ``exact``:
    a model's work may fall short of a criterion that is right."""

    source: GoldenSource
    files: Mapping[str, Path]

    @property
    def exact(self) -> bool:
        return self.source != "pilot"


@dataclass(frozen=True)
class Verified:
    """The outcome: the specification to go on with, the tests, and the reason where it can't."""

    spec: TaskSpec
    tests: TaskTests
    rejection: Rejection | None


def testable(spec: TaskSpec) -> TaskSpec | None:
    """The specification with what can be executed alone, weights in proportion; None where that is nothing."""
    criteria = [criterion for criterion in spec.criteria if criterion.checks]
    if not criteria:
        return None
    whole = math.fsum(criterion.weight for criterion in criteria)
    return spec.model_copy(
        update={
            "criteria": tuple(one.model_copy(update={"weight": one.weight / whole}) for one in criteria),
            "penalties": tuple(penalty for penalty in spec.penalties if penalty.violations),
        }
    )


def grade(spec: TaskSpec, deliverables: Deliverables) -> Verdict | None:
    """The verdict of the executable checks alone, or None where there are none."""
    alone = testable(spec)
    if alone is None:
        return None
    return ChecksGrader(violations="binary").grade(alone, deliverables, "verifier", "tested")


def verify(
    spec: TaskSpec,
    golden: Golden | None,
    inputs: Sequence[Document],
    settings: VerifierTests,
    bar: float,
    parse: Callable[[Path], Document | None],
    folder: Path,
) -> Verified:
    """Test the verifier of one task. ``bar`` must be exceeded by the golden deliverables and by nothing else.

    ``inputs`` are the parsed input files; ``folder`` is scratch space. Equal input gives equal records.
    """
    tests = TaskTests(
        task=spec.id,
        golden=None if golden is None else golden.source,
        untested=tuple(one.id for one in spec.criteria if not one.checks),
        numbers=traced(spec, inputs),
    )
    if (name := answered_by(spec, inputs)) is not None:
        return _rejected(spec, tests, "answer_in_one_file", f"{name} holds the answer as it is asked for")
    if testable(spec) is None:
        return Verified(spec, tests, None)
    if golden is None:
        return _rejected(spec, tests, "no_golden", "no deliverables are known that its checks accept")
    documents: dict[str, Document | None] = {name: parse(path) for name, path in golden.files.items()}
    standing = _Standing(spec, documents)
    mutants, missed = _mutants(spec, golden, documents, standing, parse, folder)
    harmless, minded = _harmless(spec, golden, documents, standing, parse, folder)
    unmet = standing.unmet() if golden.exact else {}
    revised, repairs = _repaired(spec, missed, minded, unmet)
    tests = tests.model_copy(update={"mutants": mutants, "harmless": harmless, "repairs": repairs})
    names = {one.id for one in revised if isinstance(one, Criterion)}
    weight = math.fsum(one.weight for one in spec.criteria if one.id in names)
    if len(names) < settings.least_criteria or weight < settings.least_weight - _EXACT:
        detail = f"{len(names)} criteria with {weight:.2f} of the weight pass their tests: "
        return _rejected(
            spec, tests, "too_little_left", detail + "; ".join(f"{one.item} {one.why}" for one in repairs[:3])
        )
    kept = _renewed(spec, revised)
    return _bounded(kept, tests, documents, inputs, settings, bar, parse, folder, spec)


def _bounded(
    kept: TaskSpec,
    tests: TaskTests,
    documents: Deliverables,
    inputs: Sequence[Document],
    settings: VerifierTests,
    bar: float,
    parse: Callable[[Path], Document | None],
    folder: Path,
    spec: TaskSpec,
) -> Verified:
    """The scores of what is right, and of what is none, under the criteria that are left."""
    empty = max(_score(kept, dict.fromkeys(documents)), _score(kept, blank(kept)))
    scores = {
        "golden_score": _score(kept, documents),
        "empty_score": empty,
        "inputs_score": _score(kept, untouched(kept, inputs)),
    }
    home = folder / "blind"
    home.mkdir(parents=True, exist_ok=True)
    seen = grade(kept, {name: parse(path) for name, path in blind(kept.public_view(), home).items()})
    if seen is not None:
        met = sum(one.outcome == "met" for one in seen.criteria)
        weights = [one.weight for one in (testable(kept) or kept).criteria]
        gained = math.fsum(
            weight * (one.fraction or 0.0) for weight, one in zip(weights, seen.criteria, strict=True)
        )
        scores |= {"blind_share": met / len(seen.criteria), "blind_score": gained}
    rounded = {name: round(value, 6) for name, value in scores.items()}
    tests = tests.model_copy(update=rounded)
    if scores["golden_score"] <= bar:
        detail = (
            f"the golden deliverables ({tests.golden}) score {scores['golden_score']:.4f}, not above {bar:g}"
        )
        return _rejected(spec, tests, "golden_below_bar", detail)
    for name, reason in (("empty_score", "empty_reaches_bar"), ("inputs_score", "inputs_reach_bar")):
        if scores[name] > bar:
            return _rejected(spec, tests, reason, f"scores {scores[name]:.4f}, above {bar:g}")
    if scores.get("blind_share", 0.0) > settings.most_blind + _EXACT:
        detail = f"{scores['blind_share']:.2f} of the criteria are met without a file, at most {settings.most_blind:g}"
        return _rejected(spec, tests, "guessable", detail)
    return Verified(kept, tests, None)


def _rejected(spec: TaskSpec, tests: TaskTests, reason: str, detail: str) -> Verified:
    return Verified(spec, tests, Rejection(id=spec.id, stage=STAGE, reason=reason, detail=detail))


def _score(spec: TaskSpec, deliverables: Deliverables) -> float:
    verdict = grade(spec, deliverables)
    return 0.0 if verdict is None or verdict.score is None else verdict.score


def items(spec: TaskSpec) -> list[tuple[Item, tuple[AnyCheck, ...]]]:
    """Every criterion and penalty that has checks, with them."""
    found: list[tuple[Item, tuple[AnyCheck, ...]]] = [
        (one, one.checks) for one in spec.criteria if one.checks
    ]
    return found + [(one, one.violations) for one in spec.penalties if one.violations]


Place = tuple[str, int]
"""The id of a criterion or penalty, and which of its checks."""


class _Standing:
    """How every check stands on the golden deliverables. Higher is better: a violation counts below zero."""

    def __init__(self, spec: TaskSpec, documents: Deliverables):
        self._spec = spec
        self.checks: dict[Place, AnyCheck] = {
            (item.id, place): check for item, checks in items(spec) for place, check in enumerate(checks)
        }
        self._golden = {place: standing(check, documents) for place, check in self.checks.items()}

    def worse(self, place: Place, documents: Deliverables) -> bool:
        """Whether a check finds less on other deliverables than on the golden ones."""
        return standing(self.checks[place], documents) < self._golden[place] - _EXACT

    def unmet(self) -> dict[Place, str]:
        """The checks that the golden deliverables don't meet."""
        full = {place: 0.0 if place[0] in self._penalties() else 1.0 for place in self.checks}
        return {
            place: "the golden deliverables don't meet it"
            for place, value in self._golden.items()
            if value < full[place] - _EXACT
        }

    def _penalties(self) -> set[str]:
        return {penalty.id for penalty in self._spec.penalties}

    def of_file(self, file: str) -> list[Place]:
        return [place for place, check in self.checks.items() if check.file == file]


def standing(check: AnyCheck, documents: Deliverables) -> float:
    """The share met of a check, or the degree of a violation below zero; unjudged counts as nothing."""
    share = execute(check, documents).share or 0.0
    return -share if check.kind in {"foreign_values", "typed_total", "invented_rows"} else share


def _tried(spec: TaskSpec, item: Item, checks: Sequence[AnyCheck]) -> list[int]:
    """Which checks of an item get a mutant: one of each kind, then more, in the order of a stable hash."""
    order = sorted(range(len(checks)), key=lambda place: stable_hash(spec.id, item.id, place))
    kinds: dict[str, int] = {}
    for place in order:
        kinds.setdefault(checks[place].kind, place)
    first = list(kinds.values())
    return [*first, *(place for place in order if place not in first)][: max(_MOST, len(first))]


def _mutants(
    spec: TaskSpec,
    golden: Golden,
    documents: Deliverables,
    known: _Standing,
    parse: Callable[[Path], Document | None],
    folder: Path,
) -> tuple[tuple[MutantTest, ...], dict[Place, str]]:
    """The tests, and the checks that did not see their mutant. Of an item without any mutant all checks failed."""
    home = folder / "mutant"
    home.mkdir(parents=True, exist_ok=True)
    found: list[MutantTest] = []
    missed: dict[Place, str] = {}
    for item, checks in items(spec):
        made: list[MutantTest] = []
        reasons: list[MutantTest] = []
        for place in _tried(spec, item, checks):
            check = checks[place]
            spoiled = spoil(spec, check, golden.files, documents, home / check.file)
            if not isinstance(spoiled, Spoiled):
                reasons.append(_test(item, check, None, spoiled, False))
                continue
            after = dict(documents) | {check.file: parse(spoiled.file) if spoiled.file else None}
            caught = known.worse((item.id, place), after)
            made.append(_test(item, check, spoiled.kind, spoiled.detail, caught))
            if not caught:
                missed[item.id, place] = f"did not see its mutant ({spoiled.kind}: {spoiled.detail})"
        if not made:
            missed |= {
                (item.id, place): f"no mutant can be made: {reasons[0].detail}"
                for place in range(len(checks))
            }
        found += made or reasons[:1]
    return tuple(found), missed


def _test(item: Item, check: AnyCheck, kind: MutantKind | None, detail: str, caught: bool) -> MutantTest:
    return MutantTest(
        item=item.id, check=check.kind, file=check.file, mutant=kind, detail=detail, caught=caught
    )


def _harmless(
    spec: TaskSpec,
    golden: Golden,
    documents: Deliverables,
    known: _Standing,
    parse: Callable[[Path], Document | None],
    folder: Path,
) -> tuple[tuple[HarmlessTest, ...], dict[Place, str]]:
    """The tests, and the checks that minded a harmless change."""
    home = folder / "harmless"
    home.mkdir(parents=True, exist_ok=True)
    found: list[HarmlessTest] = []
    minded: dict[Place, str] = {}
    for change in changed(spec, golden.files, documents, parse, home / "changed"):
        after = dict(documents) | {change.file: change.document}
        cost = [place for place in known.of_file(change.file) if known.worse(place, after)]
        for place in cost:
            minded.setdefault(place, f"minded a harmless change ({change.kind})")
        names = tuple(dict.fromkeys(item for item, _ in cost))
        found.append(HarmlessTest(kind=change.kind, file=change.file, cost=names))
    return tuple(found), minded


def _repaired(spec: TaskSpec, *failed: Mapping[Place, str]) -> tuple[list[Item], tuple[Repair, ...]]:
    """What is left of the criteria and penalties, and what was done to the others."""
    why: dict[Place, str] = {}
    for each in failed:
        for place, reason in each.items():
            why.setdefault(place, reason)
    left: list[Item] = []
    repairs: list[Repair] = []
    both: list[Item] = [*spec.criteria, *spec.penalties]
    for one in both:
        checks: tuple[AnyCheck, ...] = one.checks if isinstance(one, Criterion) else one.violations
        kept = tuple(check for place, check in enumerate(checks) if (one.id, place) not in why)
        if len(kept) == len(checks):
            left.append(one)
            continue
        reasons = "; ".join(
            dict.fromkeys(why[one.id, place] for place in range(len(checks)) if (one.id, place) in why)
        )
        if kept:
            field = "checks" if isinstance(one, Criterion) else "violations"
            left.append(one.model_copy(update={field: kept}))
        repairs.append(Repair(item=one.id, how="check_removed" if kept else "dropped", why=reasons))
    return left, tuple(repairs)


def _renewed(spec: TaskSpec, left: Sequence[Item]) -> TaskSpec:
    criteria = [one for one in left if isinstance(one, Criterion)]
    if len(criteria) < len(spec.criteria):
        weights = scaled([one.weight for one in criteria])
        criteria = [
            one.model_copy(update={"weight": weight}) for one, weight in zip(criteria, weights, strict=True)
        ]
    penalties = tuple(one for one in left if isinstance(one, NegativeCriterion))
    return spec.model_copy(update={"criteria": tuple(criteria), "penalties": penalties})
