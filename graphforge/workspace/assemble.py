"""Assembly: a coherent case and the files around it for every seed (paper section 3.2)."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..records import Rejection, Seed, Workspace, WorkspaceFile, stable_hash
from .cases import PATTERNS, Case
from .families import INPUT_FAMILIES
from .library import Library
from .names import distinct_names
from .relevance import Relevance
from .roles import Cast, cast, is_related

STAGE = "workspaces"
SMALLEST, LARGEST = 4, 12


class AssemblySettings(BaseModel):
    """How seeds and cases are matched.

    ``relevance``: the least relevance (0 to 2) of a case to a seed; below it the seed is rejected rather than given
    somebody else's work. ``closeness``: while there are cases with at least this part of the best case's relevance,
    only they compete, so that spreading tasks over cases costs little of the fit. ``smallest`` to ``largest``: the
    sizes that workspaces are given, by a hash of the seed. ``family_bonus``: what a core file of the seed's input
    family is worth. ``alone``: what a case counts that has one core file and nothing to compute across files; at 0 it
    is left out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    relevance: float = Field(ge=0)
    closeness: float = Field(ge=0, le=1)
    smallest: int = Field(ge=SMALLEST, le=LARGEST)
    largest: int = Field(ge=SMALLEST, le=LARGEST)
    family_bonus: float = Field(ge=0, le=1)
    alone: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _ordered(self) -> "AssemblySettings":
        if self.smallest > self.largest:
            raise ValueError(f"smallest ({self.smallest}) must not be above largest ({self.largest})")
        return self

    def size(self, seed: Seed) -> int:
        """How many files the seed's workspace is to have."""
        return self.smallest + int(stable_hash("size", seed.id), 16) % (self.largest - self.smallest + 1)


def assemble(
    library: Library,
    seeds: Sequence[Seed],
    settings: AssemblySettings,
    track: Callable[[Iterable[Any], str, int], Iterable[Any]] | None = None,
) -> tuple[list[Workspace], list[Rejection]]:
    """A workspace or a rejection for every seed, in order.

    A seed gets the case with the highest relevance x quality among those that fit its execution pattern; a case
    counts less each time that its files, or its topic, were used before, and never serves one pattern twice.
    """
    cases = library.findings.cases
    workspaces: list[Workspace] = []
    rejections: list[Rejection] = []
    if not cases:
        return [], [
            _reject(seed, "no_coherent_case", "the library holds no related tables or texts")
            for seed in seeds
        ]
    relevance = Relevance(library, cases, seeds)
    served: set[tuple[str, str]] = set()
    related = {case.id: is_related(library, case) for case in cases}
    if not settings.alone:
        cases = tuple(case for case in cases if related[case.id])
    used: Counter[tuple[str, ...]] = Counter()
    for seed in track(seeds, "assembling workspaces", len(seeds)) if track else seeds:
        fitting = [case for case in cases if seed.pattern in PATTERNS[case.kind]]
        scores = relevance.of(seed)
        best = max((scores[case.id] for case in fitting), default=0.0)
        if not fitting:
            rejections.append(
                _reject(seed, "no_coherent_case", f"no related files for the pattern {seed.pattern}")
            )
            continue
        if best < settings.relevance:
            detail = (
                f"the nearest case has a relevance of {best:.2f}, under the bar of {settings.relevance:g}"
            )
            rejections.append(_reject(seed, "no_coherent_case", detail))
            continue
        fit = [
            case
            for case in fitting
            if scores[case.id] >= settings.relevance and (case.id, seed.pattern) not in served
        ]
        near = [case for case in fit if scores[case.id] >= settings.closeness * best]
        open_cases = near or fit
        if not open_cases:
            rejections.append(_reject(seed, "cases_taken", "every case that fits serves its pattern already"))
            continue

        def worth(case: Case, seed: Seed = seed, scores: dict[str, float] = scores) -> float:
            value = scores[case.id] * (0.4 + 0.6 * case.quality)
            families = {_family(library, sha256) for sha256 in case.core}
            value *= 1.0 if related[case.id] else settings.alone
            value *= 1 + settings.family_bonus * (seed.input_family in families)
            value /= 1 + 0.5 * used[("files", *sorted(case.core))]
            return value / (1 + 0.15 * used["topic", case.topic])

        case = min(open_cases, key=lambda case: (-round(worth(case), 9), case.id))
        if library.ranking is None:
            query = [*case.words, *relevance.query(seed)]
            ranked = [sha256 for sha256, _ in library.index.search(query, len(library.files))]
        else:
            asked = f"{seed.demand} {' '.join(case.words)}"
            ranked = [sha256 for sha256, _ in library.search(asked, len(library.files))]
        files = cast(library, case, ranked, settings.size(seed))
        if len(files) < SMALLEST:
            detail = f"{len(files)} files, fewer than {SMALLEST}"
            rejections.append(_reject(seed, "too_few_files", detail))
            continue
        served.add((case.id, seed.pattern))
        used[("files", *sorted(case.core))] += 1
        used["topic", case.topic] += 1
        workspaces.append(
            Workspace(
                id=f"ws-{stable_hash(seed.id, case.id)[:16]}",
                seed=seed,
                topic=case.topic,
                files=workspace_files(library, files),
            )
        )
    return workspaces, rejections


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
