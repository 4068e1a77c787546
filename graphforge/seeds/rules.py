"""The ``rules`` engine: work demands that the occupational evidence itself states, labelled by word evidence.

For each occupation and DWA the evidence is collected: the occupation's task statements mapped to the DWA, the
DWA, the IWA above it and the occupation's software. Each statement is a work demand, cited as it stands, so
nothing unsupported can be written. Its dominant execution pattern and its expected input and output families
are the best scored by the cues of ``lexicon.py``; a demand without enough evidence is rejected, never guessed
(paper section 3.1).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Generic, TypeVar

from graphforge.errors import ConfigError
from graphforge.records import (
    EXECUTION_PATTERNS,
    ExecutionPattern,
    InputFamily,
    Passage,
    Rejection,
    Seed,
    normalize,
)

from .all_passages import AllPassages
from .lexicon import (
    INPUT_CUES,
    INPUT_PRIORS,
    MATERIAL_CUES,
    OUTPUT_CUES,
    OUTPUT_PRIORS,
    PATTERN_CUES,
    PHYSICAL_CUES,
    PRESENCE_CUES,
    Cue,
    Cues,
)
from .pair import Pair, task_source
from .retrieval import Found, Retrieval
from .software import OFFICE, SOFTWARE
from .support import SUPPORT, supported
from .tables import Occupation, OccupationTables

STAGE = "seeds"

# How much a cue counts by where it stands, and the scores a demand must reach (chosen by reading O*NET 30.1).
LEAD, DWA, IWA = 1.5, 0.75, 0.25
DIGITAL_FLOOR, PATTERN_FLOOR, STATED_FLOOR = 1.5, 2.5, 1.0

# The share of a demand's words that a passage must hold to be cited for it.
CITED = 0.25
_GENERAL = ("Occupation Data:", "Technology Skills:", "Job Zones:", "Alternate Titles:")
_ALL = AllPassages()

K = TypeVar("K", bound=str)


def propose(
    tables: OccupationTables, allowed: Collection[ExecutionPattern], retrieval: Retrieval = _ALL
) -> tuple[list[Seed], list[Rejection]]:
    """A seed or a rejection for each task-to-DWA row, each unmapped task and each occupation without tasks.

    ``allowed`` are the patterns that the engine behind tasks can compile; ``retrieval`` finds what a demand may cite.
    Reasons: "no_tasks" (occupation), "no_dwa" (task), "not_digital" (no label has told it, and the statement speaks too
    little of office material for what it and the DWA say of hands, machines and talk), "no_software" (the occupation
    lists no office software; can't be told where the source lists none at all), "no_pattern", "pattern_not_allowed",
    "unsupported" (what was found doesn't bear the demand out). ConfigError for a pattern that isn't one of the 16.
    """
    unknown = sorted(set(allowed) - set(EXECUTION_PATTERNS))
    if unknown:
        raise ConfigError(
            f"'{unknown[0]}' is no execution pattern", f"Use some of {', '.join(EXECUTION_PATTERNS)}"
        )
    labeller, found = Labeller(), retrieval.open(tables)
    seeds: list[Seed] = []
    rejections: list[Rejection] = []
    for code, occupation in tables.occupations.items():
        tasks = tables.tasks_of[code]
        if not tasks:
            rejections.append(_reject(code, "no_tasks", f"{occupation.title} has no task statement"))
        for task in tasks:
            if not tables.dwas_of[task]:
                rejections.append(
                    _reject(f"{code}:{task}", "no_dwa", "The task is mapped to no work activity")
                )
            for dwa in tables.dwas_of[task]:
                made = _demand(tables, labeller, found, occupation, task, dwa, allowed)
                if isinstance(made, Seed):
                    seeds.append(made)
                else:
                    rejections.append(made)
    return seeds, rejections


def _demand(
    tables: OccupationTables,
    labeller: "Labeller",
    found: Found,
    occupation: Occupation,
    task: str,
    dwa: str,
    allowed: Collection[ExecutionPattern],
) -> Seed | Rejection:
    """The demand of one task under one DWA."""
    name = f"{occupation.code}:{dwa}:{task}"
    statement, activity = tables.tasks[task].text, tables.dwas[dwa]
    iwa = tables.iwas[activity.iwa_id]
    texts = ((statement, 1.0), (activity.title, DWA), (iwa, IWA))
    digital = labeller.office(statement) - labeller.against(statement) - labeller.against(activity.title)
    if digital < DIGITAL_FLOOR and not tables.labelled:
        return _reject(
            name, "not_digital", f"Office evidence {digital:g} is below {DIGITAL_FLOOR:g}: {statement}"
        )
    # A source that lists no software for anybody says nothing about this occupation.
    if tables.lists_software and not any(
        technology.commodity in OFFICE for technology in occupation.technologies
    ):
        return _reject(name, "no_software", f"{occupation.title} lists no office software")
    # The activity may add to a pattern that the statement shows, but can't bring in one of its own.
    stated = labeller.pattern.strengths(statement)
    ranked = [
        (label, value)
        for label, value in labeller.pattern.rank(texts, {})
        if stated.get(label, 0.0) >= STATED_FLOOR
    ]
    if not ranked or ranked[0][1] < PATTERN_FLOOR:
        best = f"{ranked[0][0]} {ranked[0][1]:g}" if ranked else "none"
        return _reject(name, "no_pattern", f"Best pattern ({best}) is below {PATTERN_FLOOR:g}: {statement}")
    pattern = ranked[0][0]
    if pattern not in allowed:
        return _reject(name, "pattern_not_allowed", f"{pattern}: {statement}")
    inputs = labeller.input.rank(texts[:2], INPUT_PRIORS[pattern])[0][0]
    output = labeller.output.rank(texts[:2], OUTPUT_PRIORS[pattern])[0][0]
    evidence = _cited(statement, found.of(Pair(occupation.code, dwa, (task,))), task, dwa, activity.iwa_id)
    evidence += _software(occupation, (inputs, output))
    share = supported(statement, " ".join(passage.text for passage in evidence))
    if share < SUPPORT:
        return _reject(name, "unsupported", f"{share:.0%} of its words stand in what was found: {statement}")
    return Seed(
        id=name,
        occupation_code=occupation.code,
        occupation=occupation.title,
        sector=occupation.sector,
        sector_name=tables.sector_name(occupation.code),
        subsector=occupation.subsector,
        task_id=task,
        dwa_id=dwa,
        dwa=activity.title,
        demand=statement,
        demand_key=normalize(statement),
        pattern=pattern,
        input_family=inputs,
        output_family=output,
        evidence=tuple(evidence),
    )


def _cited(statement: str, found: Sequence[Passage], task: str, dwa: str, iwa: str) -> list[Passage]:
    """Of the passages found: its task and activities, and others that hold some of its words.

    What an occupation is, needs and is called says nothing of one demand.
    """
    own = {task_source(task), f"DWA Reference:{dwa}", f"IWA Reference:{iwa}"}
    return [
        passage
        for passage in found
        if passage.source in own
        or (not passage.source.startswith(_GENERAL) and supported(statement, passage.text) >= CITED)
    ]


def _software(occupation: Occupation, families: tuple[InputFamily, InputFamily]) -> list[Passage]:
    """The occupation's software for the families, or else its first office software: one example a commodity."""
    wanted = {title for family in families for title in SOFTWARE[family]}
    office = [technology for technology in occupation.technologies if technology.commodity in OFFICE]
    fitting = [technology for technology in office if technology.commodity in wanted] or office[:1]
    first: dict[str, str] = {}
    for technology in fitting:
        first.setdefault(technology.commodity, technology.example)
    return [
        Passage(source=f"Technology Skills:{occupation.code}", text=f"{commodity}: {example}")
        for commodity, example in sorted(first.items())
    ]


class _Scale(Generic[K]):
    """Scores texts for the labels of one cue table. Texts repeat over rows, so each is read once."""

    def __init__(self, table: Mapping[K, Cues]):
        self._cues = {label: _compiled(cues) for label, cues in table.items()}
        self._order = {label: place for place, label in enumerate(table)}
        self._seen: dict[str, dict[K, float]] = {}

    def strengths(self, raw: str) -> dict[K, float]:
        """The summed weights of a text's cues by label, a cue at its beginning raised by ``LEAD``."""
        if raw not in self._seen:
            text = normalize(raw)
            found: dict[K, float] = {}
            for label, cues in self._cues.items():
                places = [(cue.weight, cue.at(text)) for cue in cues]
                value = sum(
                    weight * (1.0 if place else LEAD) for weight, place in places if place is not None
                )
                if value:
                    found[label] = value
            self._seen[raw] = found
        return self._seen[raw]

    def rank(self, texts: Sequence[tuple[str, float]], priors: Mapping[K, float]) -> list[tuple[K, float]]:
        """Labels with a score, best first; equal scores in the order of the table."""
        totals = dict(priors)
        for text, factor in texts:
            for label, value in self.strengths(text).items():
                totals[label] = totals.get(label, 0.0) + factor * value
        return sorted(totals.items(), key=lambda item: (-item[1], self._order[item[0]]))


class Labeller:
    """The scales of the engine, compiled once a run."""

    def __init__(self) -> None:
        self.pattern = _Scale(PATTERN_CUES)
        self.input = _Scale(INPUT_CUES)
        self.output = _Scale(OUTPUT_CUES)
        self._material = _compiled(MATERIAL_CUES)
        self._physical = _compiled(PHYSICAL_CUES)
        self._presence = _compiled(PRESENCE_CUES)
        self._office: dict[str, float] = {}
        self._against: dict[str, float] = {}

    def office(self, raw: str) -> float:
        """The evidence that a text speaks of office material."""
        if raw not in self._office:
            text = normalize(raw)
            self._office[raw] = sum(cue.weight for cue in self._material if cue.at(text) is not None)
        return self._office[raw]

    def against(self, raw: str) -> float:
        """The evidence that a text speaks of hands and machines, or begins with talk and presence."""
        if raw not in self._against:
            text = normalize(raw)
            physical = sum(cue.weight for cue in self._physical if cue.at(text) is not None)
            presence = max((cue.weight for cue in self._presence if cue.at(text) == 0), default=0.0)
            self._against[raw] = physical + presence
        return self._against[raw]


def _compiled(cues: Cues) -> list[Cue]:
    return [Cue(phrase, weight) for phrase, weight in cues.items()]


def _reject(name: str, reason: str, detail: str) -> Rejection:
    return Rejection(id=name, stage=STAGE, reason=reason, detail=detail)
