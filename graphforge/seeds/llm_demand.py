"""Work demands that a model finds in the evidence of an occupation and an activity, and what they must stand up to.

Two deterministic tests decide what stays. *Support*: of the words of a demand that carry meaning, at least
:data:`SUPPORT` must occur in the passages that it cites, up to inflection. *Case-neutrality*: a demand holds no figure,
no year, no sum of money, no company form, and no capitalised name that its passages don't have. A name written in
small letters would pass; the prompt asks for none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer
from pydantic import BaseModel, ConfigDict, Field

from graphforge.llm.fence import fence, instructions
from graphforge.llm.prompt import Prompt, Turn
from graphforge.records import Passage, normalize

from .rules import OFFICE
from .tables import OccupationTables

# The share of a demand's meaningful words that its cited passages must hold. A paraphrase that takes another verb and
# adds a "monthly" keeps about two thirds of them; a demand made up from general knowledge of the trade under half.
SUPPORT = 0.6
# A demand with fewer meaningful words than this says nothing that could be supported.
FEWEST_WORDS = 2
# Words of one meaning share their stem, or a beginning of at least this length: reconcile, reconciliation.
BEGINNING = 6
MOST_DEMANDS = 3

_FUNCTION_WORDS = frozenset(
    "a an and any are as at be been by can do does for from has have how in into is it its of on or other so such than "
    "that the their them then there these they this those to under up upon using was were what when where whether "
    "which while who with within would".split()
)
_COMPANY = re.compile(r"\b(?:Inc|Ltd|LLC|LLP|PLC|Corp|GmbH|S\.A|N\.V)\b\.?")
_MONEY = re.compile(r"[$€£¥]")


class Demand(BaseModel):
    """A work demand and the numbers of the passages that state it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    demand: str = Field(min_length=10, max_length=400)
    passages: tuple[int, ...] = Field(min_length=1)


class DemandAnswer(BaseModel):
    """The model's whole answer; an empty list is a good one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    demands: tuple[Demand, ...] = ()


@dataclass(frozen=True)
class Pair:
    """An occupation and an activity, with the tasks that the occupation does under it by digital means."""

    occupation: str
    dwa: str
    tasks: tuple[str, ...]

    @property
    def id(self) -> str:
        """The pair's name in the books."""
        return f"{self.occupation}:{self.dwa}"


def passages(tables: OccupationTables, pair: Pair) -> list[Passage]:
    """The occupational evidence of a pair: its tasks first, then the activities and what the occupation works with."""
    occupation, activity = tables.occupations[pair.occupation], tables.dwas[pair.dwa]
    found = [Passage(source=f"Task Statements:{task}", text=tables.tasks[task].text) for task in pair.tasks]
    found.append(Passage(source=f"DWA Reference:{pair.dwa}", text=activity.title))
    found.append(Passage(source=f"IWA Reference:{activity.iwa_id}", text=tables.iwas[activity.iwa_id]))
    if occupation.description.strip():
        found.append(Passage(source=f"Occupation Data:{occupation.code}", text=occupation.description))
    first: dict[str, str] = {}
    for technology in occupation.technologies:
        if technology.commodity in OFFICE:
            first.setdefault(technology.commodity, technology.example)
    source = f"Technology Skills:{occupation.code}"
    found += [Passage(source=source, text=f"{name}: {example}") for name, example in sorted(first.items())]
    return found


def prompt(tables: OccupationTables, pair: Pair, evidence: Sequence[Passage]) -> Prompt:
    """The question about one pair."""
    who = f"Occupation: {tables.occupations[pair.occupation].title}\nWork activity: {tables.dwas[pair.dwa].title}"
    numbered = "\n".join(
        f"[{number}] ({passage.source.partition(':')[0]}) {' '.join(passage.text.split())}"
        for number, passage in enumerate(evidence, start=1)
    )
    asked = (
        f"{fence('occupation and activity', who)}\n\n{fence('passages', numbered)}\n\n"
        "Which work demands do these passages state? Answer with the JSON object described above and nothing else."
    )
    system = instructions(__package__ or "", "llm_demand", most=str(MOST_DEMANDS))
    return Prompt(
        stage="seeds",
        purpose="demands",
        turns=(Turn(role="system", content=system), Turn(role="user", content=asked)),
    )


def fault(demand: Demand, evidence: Sequence[Passage]) -> tuple[str, str] | None:
    """(reason, detail) why a demand is dropped, or None.

    Reasons: "unknown_passage", "no_task_cited" (only general passages: not this occupation's own work),
    "case_specific", "unsupported".
    """
    if unknown := [number for number in demand.passages if not 1 <= number <= len(evidence)]:
        return "unknown_passage", f"cites passage {unknown[0]} of {len(evidence)}: {demand.demand}"
    cited = [evidence[number - 1] for number in dict.fromkeys(demand.passages)]
    if not any(passage.source.startswith("Task Statements:") for passage in cited):
        return "no_task_cited", f"cites no task of the occupation: {demand.demand}"
    if (case := _case(demand.demand, cited)) is not None:
        return "case_specific", f"names {case}: {demand.demand}"
    share = supported(demand.demand, " ".join(passage.text for passage in cited))
    if share < SUPPORT:
        return "unsupported", f"{share:.0%} of its words stand in what it cites: {demand.demand}"
    return None


def supported(demand: str, cited: str) -> float:
    """The share of a demand's meaningful words that a text holds; 0 where it has too few of them to say anything."""
    asked = _meaningful(demand)
    if len(asked) < FEWEST_WORDS:
        return 0.0
    held = _meaningful(cited)
    return sum(any(_alike(word, other) for other in held) for word in asked) / len(asked)


def _meaningful(text: str) -> list[str]:
    words = dict.fromkeys(normalize(text).split())
    return [word for word in words if word not in _FUNCTION_WORDS and len(word) > 1]


def _alike(word: str, other: str) -> bool:
    if word == other or _stem(word) == _stem(other):
        return True
    return len(word) >= BEGINNING and len(other) >= BEGINNING and word[:BEGINNING] == other[:BEGINNING]


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(snowballstemmer.stemmer("english").stemWord(word))


def _case(demand: str, cited: Sequence[Passage]) -> str | None:
    """What ties a demand to a case, or None."""
    if figure := re.search(r"\S*\d\S*", demand):
        return f"the figure {figure.group()!r}"
    if money := _MONEY.search(demand):
        return f"a sum of money ({money.group()})"
    if company := _COMPANY.search(demand):
        return f"a company ({company.group()})"
    known = {word for passage in cited for word in re.findall(r"[^\W\d_]+", passage.text)}
    words = re.findall(r"[^\W\d_]+", demand)
    for word in words[1:]:
        if word[0].isupper() and word not in known:
            return f"{word!r}"
    return None
