"""Assembly: a coherent case and the files around it for every seed (paper section 3.2)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..records import ExecutionPattern, Rejection, Seed, Workspace, WorkspaceFile, stable_hash
from .case import Case
from .families import INPUT_FAMILIES
from .library import Library
from .match import Costs, Slot, match
from .names import distinct_names
from .relevance import Relevance
from .roles import Cast, cast, is_related

STAGE = "workspaces"
SMALLEST, LARGEST = 4, 12

# Columns, each as the file's hash, the table's id and the column's index.
About = tuple[tuple[str, str, int], ...]


class AssemblySettings(BaseModel):
    """How seeds and cases are matched.

    ``relevance``: the least relevance (0 to 2) of a case to a seed; below it the seed is rejected rather than given
    somebody else's work. ``elsewhere``: what is left of the relevance where nothing that the demand is about occurs
    in the case. ``closeness``: only cases with at least this part of the best case's relevance compete for a
    seed, so that spreading tasks over cases costs little of the fit. ``files_cost`` and ``topic_cost``: what every
    further use of a set of core files, or of a topic, costs more than the one before it. ``most``: how many workspaces
    a seed may get, each about another case; ``again_cost``: what every further one costs. ``smallest`` to
    ``largest``: the sizes that workspaces are given, by a hash of seed and case. ``family_bonus``: what a core file of
    the seed's input family is worth. ``alone``: what a case counts that has one core file and nothing to compute
    across files; at 0 it is left out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    relevance: float = Field(ge=0)
    elsewhere: float = Field(ge=0, le=1)
    closeness: float = Field(ge=0, le=1)
    files_cost: float = Field(ge=0)
    topic_cost: float = Field(ge=0)
    smallest: int = Field(ge=SMALLEST, le=LARGEST)
    largest: int = Field(ge=SMALLEST, le=LARGEST)
    most: int = Field(ge=1)
    again_cost: float = Field(ge=0)
    family_bonus: float = Field(ge=0, le=1)
    alone: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _ordered(self) -> "AssemblySettings":
        if self.smallest > self.largest:
            raise ValueError(f"smallest ({self.smallest}) must not be above largest ({self.largest})")
        return self

    @property
    def costs(self) -> Costs:
        """What crowding costs the matching."""
        return Costs(self.files_cost, self.topic_cost, self.again_cost)

    def size(self, seed: Seed, case: Case) -> int:
        """How many files the workspace of a seed and a case is to have."""
        span = self.largest - self.smallest + 1
        return self.smallest + int(stable_hash("size", seed.id, case.id), 16) % span


class Holds(Protocol):
    """Whether a pattern can be built on what a case is about, of the very columns and files."""

    def __call__(
        self,
        pattern: ExecutionPattern,
        core: Sequence[WorkspaceFile],
        text: WorkspaceFile | None,
        about: About,
    ) -> bool: ...


@dataclass(frozen=True)
class Assembled:
    """The workspaces of the seeds, in order, and a rejection for every seed that got none."""

    workspaces: tuple[Workspace, ...]
    rejections: tuple[Rejection, ...]

    @property
    def repeats(self) -> int:
        """How many of the workspaces are not the first one of their seed."""
        return len(self.workspaces) - len({one.seed.id for one in self.workspaces})


def assemble(
    library: Library,
    seeds: Sequence[Seed],
    settings: AssemblySettings,
    holds: Holds,
    track: Callable[[Iterable[Any], str, int], Iterable[Any]] | None = None,
) -> Assembled:
    """One or several workspaces for every seed, or a rejection.

    All seeds are matched at once (:mod:`graphforge.workspace.match`): a pair is worth its relevance x the case's
    quality, no case serves one pattern twice, and who gets what doesn't hang on the order of the seeds. A case serves a
    pattern only where ``holds`` says that the evidence for it can be built from the case's columns.
    """
    cases = library.findings.cases
    if not cases:
        detail = "the library holds no related tables or texts"
        return Assembled((), tuple(_reject(seed, "no_coherent_case", detail) for seed in seeds))
    relevance = Relevance(library, cases, seeds, settings.elsewhere)
    related = {case.id: is_related(library, case) for case in cases}
    if not settings.alone:
        cases = tuple(case for case in cases if related[case.id])
    families = {case.id: {_family(library, sha256) for sha256 in case.core} for case in cases}
    served = _served(library, cases, {seed.pattern for seed in seeds}, holds, track)

    def worth(case: Case, seed: Seed, score: float) -> float:
        value = score * (0.4 + 0.6 * case.quality)
        value *= 1.0 if related[case.id] else settings.alone
        return value * (1 + settings.family_bonus * (seed.input_family in families[case.id]))

    offers: dict[str, dict[str, float]] = {}
    refused: dict[str, Rejection] = {}
    slots: dict[str, tuple[Case, ExecutionPattern]] = {}
    for seed in seeds:
        fitting = served[seed.pattern]
        if not fitting:
            detail = f"no related files for the pattern {seed.pattern}"
            refused[seed.id] = _reject(seed, "no_coherent_case", detail)
            continue
        scores = relevance.of(seed)
        best = max(scores[case.id] for case in fitting)
        if best < settings.relevance:
            detail = (
                f"the nearest case has a relevance of {best:.2f}, under the bar of {settings.relevance:g}"
            )
            refused[seed.id] = _reject(seed, "no_coherent_case", detail)
            continue
        bar = max(settings.relevance, settings.closeness * best)
        offers[seed.id] = {}
        for case in fitting:
            if scores[case.id] >= bar:
                slot = f"{case.id} {seed.pattern}"
                slots[slot] = (case, seed.pattern)
                offers[seed.id][slot] = worth(case, seed, scores[case.id])
    matched = match(
        offers,
        {slot: Slot(tuple(sorted(case.core)), case.topic) for slot, (case, _) in slots.items()},
        settings.costs,
        settings.most,
    )
    workspaces: list[Workspace] = []
    rejections: list[Rejection] = []
    for seed in track(seeds, "assembling workspaces", len(seeds)) if track else seeds:
        if seed.id in refused:
            rejections.append(refused[seed.id])
            continue
        if seed.id not in matched:
            detail = (
                "every case that fits serves its pattern for a seed that it fits better, or its topic is full"
            )
            rejections.append(_reject(seed, "cases_taken", detail))
            continue
        built = [
            one
            for slot in matched[seed.id]
            if (one := _workspace(library, seed, slots[slot][0], relevance, settings)) is not None
        ]
        if not built:
            detail = f"fewer than {SMALLEST} files go with any case that fits"
            rejections.append(_reject(seed, "too_few_files", detail))
        workspaces += built
    return Assembled(tuple(workspaces), tuple(rejections))


def _served(
    library: Library,
    cases: Sequence[Case],
    patterns: Collection[ExecutionPattern],
    holds: Holds,
    track: Callable[[Iterable[Any], str, int], Iterable[Any]] | None,
) -> dict[ExecutionPattern, list[Case]]:
    """The cases that hold each pattern up, in the order of the cases."""
    served: dict[ExecutionPattern, list[Case]] = {pattern: [] for pattern in patterns}
    for case in track(cases, "looking at cases", len(cases)) if track else cases:
        wanted = [pattern for pattern in case.patterns if pattern in served]
        if not wanted:
            continue
        members = [*case.core, *((case.text,) if case.text is not None else ())]
        files = workspace_files(library, [Cast(sha256, "core", case.why) for sha256 in members])
        text = files[-1] if case.text is not None else None
        for pattern in wanted:
            if holds(pattern, files[: len(case.core)], text, about(case)):
                served[pattern].append(case)
    return served


def about(case: Case) -> About:
    """The columns that a case is about: file, table, column."""
    return tuple((piece.sha256, piece.table, piece.column) for piece in case.pieces)


def _workspace(
    library: Library, seed: Seed, case: Case, relevance: Relevance, settings: AssemblySettings
) -> Workspace | None:
    """The workspace of a seed and its case; None where too few files go with it."""
    if library.ranking is None:
        query = [*case.words, *relevance.query(seed)]
        ranked = [sha256 for sha256, _ in library.index.search(query, len(library.files))]
    else:
        asked = f"{seed.demand} {' '.join(case.words)}"
        ranked = [sha256 for sha256, _ in library.search(asked, len(library.files))]
    files = cast(library, case, ranked, settings.size(seed, case))
    if len(files) < SMALLEST:
        return None
    return Workspace(
        id=f"ws-{stable_hash(seed.id, case.id)[:16]}",
        seed=seed,
        topic=case.topic,
        files=workspace_files(library, files),
        about=about(case),
    )


def workspace_files(library: Library, members: Sequence[Cast]) -> tuple[WorkspaceFile, ...]:
    """The files of a workspace from its cast, each under a name of its own."""
    names = distinct_names([library.files[member.sha256].path for member in members])
    return tuple(
        WorkspaceFile(
            sha256=member.sha256,
            name=name,
            family=library.files[member.sha256].family,
            bytes=library.files[member.sha256].bytes,
            role=member.role,
            why=member.why,
            source=library.files[member.sha256].source,
        )
        for member, name in zip(members, names, strict=True)
    )


def _family(library: Library, sha256: str) -> str | None:
    return INPUT_FAMILIES[library.files[sha256].family]


def _reject(seed: Seed, reason: str, detail: str) -> Rejection:
    return Rejection(id=seed.id, stage=STAGE, reason=reason, detail=detail)
