"""The ``llm`` engine: a model states work demands from the occupational evidence, and labels them (section 3.1).

    seeds, rejections = await propose(tables, allowed, speaker, balance=balance, most=30, at_once=8)

For each occupation and DWA the evidence is retrieved as for the ``rules`` engine. A model writes demands that cite it
by passage; those that the passages don't bear out, or that speak of one case, are dropped (``llm_demand``). A second
question labels what is left (``llm_pattern``). Pairs whose tasks are no office work cost nothing: the word evidence
of the rules leaves them out before anything is asked.
"""

from collections.abc import Collection

from graphforge.errors import ConfigError
from graphforge.llm.failures import AnswerError, ProviderError
from graphforge.llm.speaker import Speaker
from graphforge.llm.together import together
from graphforge.llm.unanswered import unanswered
from graphforge.records import (
    EXECUTION_PATTERNS,
    ExecutionPattern,
    Passage,
    Rejection,
    Seed,
    normalize,
    stable_hash,
)

from . import llm_demand, llm_pattern
from .all_passages import AllPassages
from .candidate import DEMAND, Candidate
from .choose import Balance, choose
from .llm_demand import Demand, DemandAnswer
from .llm_pattern import Label, LabelAnswer
from .pair import Pair
from .retrieval import Retrieval
from .rules import DIGITAL_FLOOR, STAGE, Labeller
from .software import OFFICE
from .tables import OccupationTables

_ALL = AllPassages()


async def propose(
    tables: OccupationTables,
    allowed: Collection[ExecutionPattern],
    speaker: Speaker,
    *,
    balance: Balance,
    most: int,
    at_once: int,
    retrieval: Retrieval = _ALL,
) -> tuple[list[Seed], list[Rejection]]:
    """Seeds, and a rejection for whatever gave none: an occupation, a task, a pair or a single demand.

    ``most`` pairs are asked about, picked by ``balance``, ``at_once`` of them at a time; the others are "not_asked".
    ``retrieval`` finds the passages that a demand may cite. Reasons besides: "no_tasks" (occupation), "no_dwa" (task),
    "no_software", "not_digital", "no_task_found" (none of the pair's tasks is among its passages), "no_demand" (pair),
    those of :func:`graphforge.seeds.llm_demand.fault`, "repeated_demand", "no_pattern", "pattern_not_allowed"
    (demand), and those of a question without an answer (pair). ConfigError for a pattern that isn't one of the 16.
    """
    if unknown := sorted(set(allowed) - set(EXECUTION_PATTERNS)):
        raise ConfigError(
            f"'{unknown[0]}' is no execution pattern", f"Use some of {', '.join(EXECUTION_PATTERNS)}"
        )
    pairs, rejections = list_pairs(tables)
    asked, left = choose(pairs, [_candidate(tables, pair) for pair in pairs], balance, most, None, STAGE)
    rejections += [one.model_copy(update={"reason": "not_asked"}) for one in left]
    seeds: list[Seed] = []
    retriever = retrieval.open(tables)

    async def work(pair: Pair) -> list[Seed | Rejection]:
        return await _of_pair(tables, allowed, speaker, pair, retriever.of(pair))

    for found in await together(asked, work, at_once):
        seeds += [one for one in found if isinstance(one, Seed)]
        rejections += [one for one in found if isinstance(one, Rejection)]
    return seeds, rejections


def list_pairs(tables: OccupationTables) -> tuple[list[Pair], list[Rejection]]:
    """The pairs worth asking about, in the order of the tables, and a rejection for everything else."""
    labeller = Labeller()
    pairs: list[Pair] = []
    rejections: list[Rejection] = []
    for code, occupation in tables.occupations.items():
        if not tables.tasks_of[code]:
            rejections.append(_reject(code, "no_tasks", f"{occupation.title} has no task statement"))
        by_dwa: dict[str, list[str]] = {}
        for task in tables.tasks_of[code]:
            if not tables.dwas_of[task]:
                detail = "The task is mapped to no work activity"
                rejections.append(_reject(f"{code}:{task}", "no_dwa", detail))
            for dwa in tables.dwas_of[task]:
                by_dwa.setdefault(dwa, []).append(task)
        equipped = not tables.lists_software or any(
            technology.commodity in OFFICE for technology in occupation.technologies
        )
        for dwa, tasks in by_dwa.items():
            name = f"{code}:{dwa}"
            against = labeller.against(tables.dwas[dwa].title)
            digital = tuple(
                task
                for task in tasks
                if tables.labelled
                or labeller.office(tables.tasks[task].text)
                - labeller.against(tables.tasks[task].text)
                - against
                >= DIGITAL_FLOOR
            )
            if not equipped:
                rejections.append(
                    _reject(name, "no_software", f"{occupation.title} lists no office software")
                )
            elif not digital:
                rejections.append(_reject(name, "not_digital", "No task under the activity is office work"))
            else:
                pairs.append(Pair(code, dwa, digital))
    return pairs, rejections


def _candidate(tables: OccupationTables, pair: Pair) -> Candidate:
    """A pair as a balancing strategy sees it: what only the answer tells has no value yet."""
    occupation = tables.occupations[pair.occupation]
    return Candidate(
        id=pair.id,
        values={
            "occupation": (occupation.code,),
            "sector": (occupation.sector,),
            "subsector": (occupation.subsector,),
            "dwa": (pair.dwa,),
            "pattern": (),
            "input_family": (),
            "output_family": (),
            DEMAND: (),
        },
    )


async def _of_pair(
    tables: OccupationTables,
    allowed: Collection[ExecutionPattern],
    speaker: Speaker,
    pair: Pair,
    evidence: list[Passage],
) -> list[Seed | Rejection]:
    """The seeds of one pair, and a rejection for each demand that became none; at least one of either."""
    if not any(passage.source in pair.sources for passage in evidence):
        return [_reject(pair.id, "no_task_found", "None of its tasks is among the passages that were found")]
    occupation, activity = tables.occupations[pair.occupation], tables.dwas[pair.dwa]
    try:
        answer = await speaker.ask(llm_demand.prompt(tables, pair, evidence), DemandAnswer)
        kept, found = _kept(pair, answer, evidence)
        if not kept:
            return found or [_reject(pair.id, "no_demand", "The evidence states no work demand")]
        question = llm_pattern.prompt(occupation.title, activity.title, [one.demand for _, one in kept])
        labels = await speaker.ask(question, LabelAnswer)
    except (AnswerError, ProviderError) as error:
        # What was dropped before the answer failed to come is part of the same failure: the pair is asked again whole.
        return [unanswered(error, pair.id, STAGE)]
    by_number: dict[int, Label] = {}
    for label in labels.labels:
        by_number.setdefault(label.demand, label)
    for number, (name, demand) in enumerate(kept, start=1):
        labelled = by_number.get(number)
        if labelled is None or labelled.pattern is None:
            why = labelled.why if labelled else "it was given no label"
            found.append(_reject(name, "no_pattern", f"{why}: {demand.demand}"))
        elif labelled.pattern not in allowed:
            found.append(_reject(name, "pattern_not_allowed", f"{labelled.pattern}: {demand.demand}"))
        else:
            found.append(_seed(tables, pair, demand, evidence, labelled, labelled.pattern))
    return found


def _kept(
    pair: Pair, answer: DemandAnswer, evidence: list[Passage]
) -> tuple[list[tuple[str, Demand]], list[Seed | Rejection]]:
    """The demands that hold, each with its name in the books, and the rejections of the others."""
    kept: list[tuple[str, Demand]] = []
    dropped: list[Seed | Rejection] = []
    seen: set[str] = set()
    for number, demand in enumerate(answer.demands, start=1):
        name = f"{pair.id}#{number}"
        if (wrong := llm_demand.fault(demand, evidence, pair)) is not None:
            dropped.append(_reject(name, *wrong))
        elif normalize(demand.demand) in seen:
            dropped.append(_reject(name, "repeated_demand", demand.demand))
        else:
            seen.add(normalize(demand.demand))
            kept.append((name, demand))
    return kept, dropped


def _seed(
    tables: OccupationTables,
    pair: Pair,
    demand: Demand,
    evidence: list[Passage],
    label: Label,
    pattern: ExecutionPattern,
) -> Seed:
    occupation = tables.occupations[pair.occupation]
    cited = tuple(evidence[number - 1] for number in dict.fromkeys(demand.passages))
    task = next(one.source.partition(":")[2] for one in cited if one.source in pair.sources)
    text = " ".join(demand.demand.split())
    return Seed(
        id=f"{pair.id}:{task}:{stable_hash(normalize(text))[:8]}",
        occupation_code=occupation.code,
        occupation=occupation.title,
        sector=occupation.sector,
        sector_name=tables.sector_name(occupation.code),
        subsector=occupation.subsector,
        task_id=task,
        dwa_id=pair.dwa,
        dwa=tables.dwas[pair.dwa].title,
        demand=text,
        demand_key=normalize(text),
        pattern=pattern,
        input_family=label.input_family,
        output_family=label.output_family,
        evidence=cited,
    )


def _reject(name: str, reason: str, detail: str) -> Rejection:
    return Rejection(id=name, stage=STAGE, reason=reason, detail=detail)
