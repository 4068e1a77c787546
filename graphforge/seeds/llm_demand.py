"""Work demands that a model finds in the evidence of an occupation and an activity, and what they must stand up to.

Two deterministic tests decide what stays. *Support*: the passages that a demand cites must bear it out (``support``).
*Case-neutrality*: a demand holds no figure, no year, no sum of money, no company form, and no capitalised name that its
passages don't have. A name written in small letters would pass; the prompt asks for none.
"""

import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from graphforge.llm.fence import fence, instructions
from graphforge.llm.prompt import Prompt, Turn
from graphforge.records import Passage

from .pair import Pair
from .support import SUPPORT, supported
from .tables import OccupationTables

MOST_DEMANDS = 3

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


def fault(demand: Demand, evidence: Sequence[Passage], pair: Pair) -> tuple[str, str] | None:
    """(reason, detail) why a demand is dropped, or None.

    Reasons: "unknown_passage", "no_task_cited" (only general passages, or other work of the occupation: none of the
    pair's own tasks), "case_specific", "unsupported".
    """
    if unknown := [number for number in demand.passages if not 1 <= number <= len(evidence)]:
        return "unknown_passage", f"cites passage {unknown[0]} of {len(evidence)}: {demand.demand}"
    cited = [evidence[number - 1] for number in dict.fromkeys(demand.passages)]
    if not any(passage.source in pair.sources for passage in cited):
        return "no_task_cited", f"cites no task of the pair: {demand.demand}"
    if (case := _case(demand.demand, cited)) is not None:
        return "case_specific", f"names {case}: {demand.demand}"
    share = supported(demand.demand, " ".join(passage.text for passage in cited))
    if share < SUPPORT:
        return "unsupported", f"{share:.0%} of its words stand in what it cites: {demand.demand}"
    return None


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
