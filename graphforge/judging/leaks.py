"""What only the judge may know, and where it would show: in anything that a working agent is told or can read."""

import re
from collections.abc import Iterable, Sequence

from ..records import (
    ColumnValues,
    Criterion,
    Document,
    EvidenceGraph,
    NegativeCriterion,
    TaskSpec,
    TextNumber,
    TotalCell,
    Workspace,
    normalize,
    parse_number,
)
from .guard import all_numbers

_ROLE = re.compile(
    r"(?<![a-z])(?:confusers?|ambient|(?:core|supporting)[ _-]+(?:files?|documents?))(?![a-z])", re.I
)
_TOKEN = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
# Digits without which a number could stand anywhere by chance.
_TELLING = 4


def hidden(spec: TaskSpec, workspace: Workspace, graph: EvidenceGraph) -> dict[str, list[str]]:
    """The hidden strings by what they are: ids of the graph, hashes of files, why a file is there, how to verify."""
    ids = [graph.id, workspace.id, workspace.seed.id]
    ids += [one.id for group in (graph.nodes, graph.edges, graph.series, graph.relations) for one in group]
    items: list[Criterion | NegativeCriterion] = [*spec.criteria, *spec.penalties]
    return {
        "id": ids,
        "hash": [file.sha256 for file in workspace.files],
        "why": [file.why for file in workspace.files if len(file.why.split()) > 2],
        "verification": [one.verification for one in items if len(one.verification.split()) > 2],
    }


def computed(spec: TaskSpec, inputs: Iterable[Document]) -> list[float]:
    """The expected values that stand in no input: numbers with digits enough to be recognized."""
    known = {f"{abs(value):.9g}" for document in inputs for value in all_numbers(document)}
    found: list[float] = []
    for check in (check for one in spec.criteria for check in one.checks):
        if isinstance(check, ColumnValues):
            found += [float(value) for value in check.values.values() if not isinstance(value, str)]
        elif isinstance(check, TotalCell | TextNumber) and check.value is not None:
            found.append(check.value)
    return [
        value
        for value in dict.fromkeys(found)
        if f"{abs(value):.9g}" not in known and _digits(value) >= _TELLING
    ]


def _digits(value: float) -> int:
    return len(re.sub(r"\D", "", f"{value:.9g}".split("e")[0]).strip("0"))


def shown(text: str, secrets: dict[str, list[str]], values: Sequence[float]) -> list[str]:
    """What of the hidden a text shows, a line each: strings to the letter or normalized, values as printed."""
    folded = f" {normalize(text)} "
    words = {word.strip(".:-") for word in re.findall(r"[\w.:-]+", text)}
    faults = [
        f"{kind}: {one[:80]}"
        for kind, strings in secrets.items()
        for one in strings
        # Ids may be as short as a letter and a digit, so only whole words count.
        if (one in words if kind == "id" else one in text or f" {normalize(one)} " in folded)
    ]
    if match := _ROLE.search(text):
        faults.append(f"role: {match[0]}")
    stated = [
        (token, float(number))
        for token in _TOKEN.findall(text)
        if (number := parse_number(token)) is not None
    ]
    for value in values:
        for token, number in stated:
            decimals = len(token.partition(".")[2])
            digits = len(re.sub(r"\D", "", token).strip("0"))
            if digits >= _TELLING and abs(abs(value) - number) <= 0.5 * 10.0**-decimals:
                faults.append(f"value: {token}")
                break
    return list(dict.fromkeys(faults))


def leaks(
    spec: TaskSpec, workspace: Workspace, graph: EvidenceGraph, inputs: Sequence[Document]
) -> list[str]:
    """What a specification tells that it must not: in the request, the deliverables, the names of the files.

    The files' own text is the evidence, and says what it says. Files that are listed in another order than that of
    their names tell something by it.
    """
    public = spec.public_view()
    told = [public.request, *(one.requirement for one in public.deliverables), *public.files]
    told += [name for one in public.deliverables for name in (one.file, *one.sheets)]
    faults = shown("\n".join(told), hidden(spec, workspace, graph), computed(spec, inputs))
    if list(public.files) != sorted(public.files):
        faults.append("order: the files are listed in another order than that of their names")
    return faults
