"""What a specification must not do: leak what is hidden, or refer to what isn't there."""

import re

from ..records import (
    Criterion,
    EvidenceGraph,
    NegativeCriterion,
    TaskSpec,
    TextMention,
    Workspace,
    close,
    normalize,
    parse_number,
)
from ..records.check import ColumnValues, TextNumber, TotalCell

_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?![\w])")
_ROLES = re.compile(
    r"\b(?:core|supporting|confuser|ambient)\s+(?:file|files|document|documents)\b|\bconfusers?\b", re.I
)


def validate(spec: TaskSpec, workspace: Workspace, graph: EvidenceGraph) -> list[str]:
    """The faults of a specification, a line each; an empty list where there are none (paper section 3.3)."""
    return [*_leaks(spec, workspace, graph), *_broken_references(spec, workspace, graph)]


def _leaks(spec: TaskSpec, workspace: Workspace, graph: EvidenceGraph) -> list[str]:
    told = spec.statement + "\n" + "\n".join(item.requirement for item in spec.deliverables)
    folded = f" {normalize(told)} "
    faults = []
    hidden = {graph.id} | {node.id for node in graph.nodes} | {edge.id for edge in graph.edges}
    hidden |= {relation.id for relation in graph.relations} | {series.id for series in graph.series}
    if named := sorted(hidden & {word.strip(".:-") for word in re.findall(r"[\w.:-]+", told)}):
        faults.append(f"leak: the statement names graph ids {named[:3]}")
    if role := _ROLES.search(told):
        faults.append(f"leak: the statement tells a role ({role.group()!r})")
    for file in workspace.files:
        if file.sha256 in told:
            faults.append(f"leak: the statement holds the hash of {file.name}")
    shown = {node.locator.show() for node in graph.nodes}
    if any(place in told for place in shown):
        faults.append("leak: the statement tells a locator")
    stated = telling_numbers(told)
    for criterion in spec.criteria:
        for check in criterion.checks:
            numbers: list[float] = []
            if isinstance(check, ColumnValues):
                numbers = [value for value in check.values.values() if isinstance(value, float)]
            elif isinstance(check, TotalCell) and check.open:
                # What a column must add up to was told on purpose; its rows were not.
                numbers = []
            elif isinstance(check, TotalCell | TextNumber) and check.value is not None:
                numbers = [check.value]
            elif isinstance(check, TextMention) and check.phrase is not None and not check.open:
                if f" {normalize(check.phrase)} " in folded:
                    faults.append(
                        f"leak: the statement tells what {criterion.id} asks for ({check.phrase!r})"
                    )
            for token, number in stated:
                if any(close(number, value) for value in numbers):
                    faults.append(f"leak: the statement tells the value {token} that {criterion.id} asks for")
    return list(dict.fromkeys(faults))


def telling_numbers(text: str) -> list[tuple[str, float]]:
    """The numbers of a text that could give an answer away, as written and as numbers."""
    return [
        (token, number)
        for token in _NUMBER.findall(text)
        if (number := parse_number(token)) is not None and _telling(token)
    ]


def _telling(token: str) -> bool:
    """Whether a number in the statement could give an answer away: years and one- or two-digit numbers don't."""
    digits = re.sub(r"\D", "", token).lstrip("0")
    return len(digits) >= 3 and not re.fullmatch(r"(?:19|20)\d\d", token)


def _broken_references(spec: TaskSpec, workspace: Workspace, graph: EvidenceGraph) -> list[str]:
    faults = []
    nodes = {node.id: node for node in graph.nodes}
    files = {file.sha256: file.name for file in workspace.files}
    promised = {item.file for item in spec.deliverables}
    items: list[Criterion | NegativeCriterion] = [*spec.criteria, *spec.penalties]
    for item in items:
        for anchor in item.anchors:
            node = nodes.get(anchor.node)
            if node is None:
                faults.append(f"reference: {item.id} is anchored to the unknown node {anchor.node}")
            elif (node.file, node.name, node.locator) != (anchor.file, anchor.name, anchor.locator):
                faults.append(f"reference: {item.id} and node {anchor.node} disagree about the place")
            if files.get(anchor.file) != anchor.name:
                faults.append(
                    f"reference: {item.id} is anchored to {anchor.name}, which the workspace doesn't hold"
                )
        if not item.verification.strip():
            faults.append(f"reference: {item.id} doesn't say how to verify it")
    for criterion in spec.criteria:
        if any(check.file not in promised for check in criterion.checks):
            faults.append(f"reference: {criterion.id} looks at a file that nobody was asked for")
    if set(spec.files) != set(files.values()):
        faults.append("reference: the listed input files aren't those of the workspace")
    return list(dict.fromkeys(faults))
