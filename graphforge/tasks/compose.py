"""What all pattern compilers share: columns to read, labels that tell them apart, and names for files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..records import (
    CellLocator,
    Citation,
    EvidenceGraph,
    EvidenceNode,
    Plan,
    PointerLocator,
    ReadColumn,
    Relation,
    RelationKind,
    Series,
    TableCellLocator,
    Workspace,
    WorkspaceFile,
    adds_up,
    normalize,
)

_MIXED = re.compile(
    r" (?:loss|losses|deduction|deductions|less|net|total|totals|subtotal|refunds|offset|of which) "
)


@dataclass(frozen=True)
class Stated:
    """A fact that the running text of a deliverable must state: in ``file``, near every one of ``terms``."""

    file: str
    fact: str
    requirement: str
    terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Composition:
    """A task in the making: the plan, which series its columns read, and the request in words.

    ``request`` are the paragraphs between the opening and the list of deliverables; ``forms`` says of each output
    file what it must look like. ``rule`` is the text node a threshold was taken from.
    """

    plan: Plan
    series: Mapping[str, str]
    request: tuple[str, ...]
    forms: Mapping[str, str]
    stated: tuple[Stated, ...] = ()
    rule: EvidenceNode | None = None
    quotes: tuple[EvidenceNode, ...] = field(default=())


class View:
    """A workspace and its graph, with the look-ups that compilers need."""

    def __init__(self, workspace: Workspace, graph: EvidenceGraph):
        self.workspace = workspace
        self.graph = graph
        self.nodes = {node.id: node for node in graph.nodes}
        self.series = {one.id: one for one in graph.series}

    def relation(self, kind: RelationKind) -> Relation | None:
        """The first relation of a kind over series: the one the graph was built for comes first."""
        return next(
            (relation for relation in self.graph.relations if relation.kind == kind and relation.series), None
        )

    def file(self, series: Series | EvidenceNode) -> WorkspaceFile:
        """The workspace file that a series or node comes from."""
        return self.workspace.by_hash(series.file)


def clean(text: str, longest: int = 70) -> str:
    """A header as a person would write it: no underscores, no doubled spaces, cut at a word, brackets in pairs."""
    text = " ".join(text.replace("_", " ").replace("|", " ").split()).strip(" :;,.")
    if len(text) > longest:
        text = text[:longest].rsplit(" ", 1)[0].rstrip(" ,;:(")
    if text.count("(") != text.count(")"):
        text = " ".join(text.replace("(", " ").replace(")", " ").split())
    return text


def titled(view: View, file: WorkspaceFile) -> str:
    """How a colleague names a file: its title, told apart from others of the same title by period or type.

    A long title is cut only where no other file of the workspace begins the same way.
    """
    whole = clean(file.source.title or file.name, 1000)
    short = clean(whole, 90)
    others = [clean(one.source.title or one.name, 1000) for one in view.workspace.files if one is not file]
    if not any(normalize(other).startswith(normalize(short)) for other in others):
        return f"“{short}”"
    if normalize(whole) not in {normalize(other) for other in others}:
        return f"“{whole}”"
    twins = [
        one for one in view.workspace.files if normalize(one.source.title) == normalize(file.source.title)
    ]
    if [one.family for one in twins].count(file.family) == 1:
        return f"“{short}” (the {file.family} file)"
    if file.source.period and [one.source.period for one in twins].count(file.source.period) == 1:
        return f"“{short}” ({file.source.period})"
    return f"“{short}” (the {file.family} file of {file.bytes:,} bytes)"


def key_label(series: Series) -> str:
    """What the rows are, as a column heading."""
    label = clean(series.key_name, 40)
    return label if normalize(label) and not label.isdigit() else "Item"


def labels(view: View, columns: Sequence[Series]) -> list[str]:
    """A distinct heading for each column: the measure, with its period or its source where that is what differs."""
    names = [clean(series.measure) for series in columns]
    if _distinct(names):
        return names
    dated = [
        f"{name}, {series.period}"
        if series.period and normalize(series.period) not in normalize(name)
        else name
        for name, series in zip(names, columns, strict=True)
    ]
    if _distinct(dated):
        return dated
    telling = _telling_parts([view.file(series).source.title for series in columns])
    sourced = [
        f"{clean(name, 50)} ({part.replace('(', '').replace(')', '')})"
        for name, part in zip(names, telling, strict=True)
    ]
    if _distinct(sourced):
        return sourced
    return [f"{clean(name, 50)} (source {letter})" for name, letter in zip(names, "ABCDEFGH", strict=False)]


def _telling_parts(titles: Sequence[str]) -> list[str]:
    """What tells titles apart: each without the words that all begin with, short enough for a heading."""
    words = [title.replace("_", " ").split() for title in titles]
    shared = 0
    while all(len(one) > shared + 1 for one in words) and len({one[shared].casefold() for one in words}) == 1:
        shared += 1
    return [
        clean(" ".join(one[shared:]), 45) or clean(title, 45)
        for one, title in zip(words, titles, strict=True)
    ]


def _distinct(names: Sequence[str]) -> bool:
    return len({normalize(name) for name in names}) == len(names)


def read_column(view: View, alias: str, series: Series, label: str) -> ReadColumn:
    """The instruction to read a series from its file."""
    rows = []
    value_name = clean(series.measure)
    for identifier in series.nodes:
        locator = view.nodes[identifier].locator
        if isinstance(locator, CellLocator | TableCellLocator):
            rows.append(locator.row)
        elif isinstance(locator, PointerLocator):
            _, row, name = locator.pointer.rsplit("/", 2)
            rows.append(int(row))
            value_name = name.replace("~1", "/").replace("~0", "~")
        else:
            raise ValueError(f"series {series.id} reads {locator.kind}, which is no table cell")
    return ReadColumn(
        alias=alias,
        file=series.name,
        family=view.file(series).family,
        place=series.place,
        key_column=series.key_column,
        key_name=series.key_name,
        value_name=value_name,
        rows=tuple(rows),
        label=label,
        names=series.entities,
    )


def ends(nodes: Sequence[EvidenceNode]) -> tuple[EvidenceNode, EvidenceNode]:
    """The first and the last of a column's nodes by their place in the file, whatever order they are listed in."""

    def place(node: EvidenceNode) -> int:
        locator = node.locator
        if isinstance(locator, CellLocator | TableCellLocator):
            return locator.row
        if isinstance(locator, PointerLocator):
            index = locator.pointer.rsplit("/", 2)[-2]
            return int(index) if index.isdigit() else 0
        return 0

    return min(nodes, key=place), max(nodes, key=place)


def additive(series: Series) -> bool:
    """Whether a total over the rows means something, as far as name, unit and row names tell.

    Losses and deductions are printed as positive amounts, and sums of others may stand among the rows.
    """
    if any(_MIXED.search(f" {normalize(entity)} ") for entity in series.entities):
        return False
    return adds_up(series.measure, series.unit)


def half_unit(view: View, columns: Sequence[Series]) -> float:
    """Half a unit of the last digit that the coarser of the columns prints: what rounding alone explains."""
    decimals = []
    for series in columns:
        numbers = [float(view.nodes[name].value) for name in series.nodes]
        decimals.append(next((d for d in range(6) if all(round(n, d) == n for n in numbers)), 6))
    return 0.5 * 10.0 ** -min(decimals)


def citations(view: View, uses: Sequence[tuple[Series | EvidenceNode, str]]) -> tuple[Citation, ...]:
    """A citation a file, in the order of use."""
    by_file: dict[str, list[str]] = {}
    for item, use in uses:
        by_file.setdefault(item.name, []).append(use)
    return tuple(
        Citation(file=name, used_for="; ".join(dict.fromkeys(parts))) for name, parts in by_file.items()
    )


def listed(headings: Sequence[str]) -> str:
    """Headings as a person lists them."""
    quoted = [f"“{heading}”" for heading in headings]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + f" and {quoted[-1]}"
