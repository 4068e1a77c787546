"""Builds the evidence graph of a workspace with the ``rules`` engine and confirms every node (paper section 3.3)."""

import math
from collections.abc import Callable, Mapping, Sequence

import networkx as nx
from pydantic import BaseModel, ConfigDict, Field

from ..errors import GraphForgeError
from ..records import (
    CellLocator,
    Document,
    EvidenceEdge,
    EvidenceGraph,
    EvidenceNode,
    ExecutionPattern,
    Locator,
    Rejection,
    Relation,
    RelationKind,
    Series,
    Workspace,
    WorkspaceFile,
    close,
    normalize,
    parse_number,
    stable_hash,
)
from ..records.locator import TableCellLocator
from .measures import Measure, list_measures
from .quotes import Quotation, Threshold, content_words, quotations, thresholds
from .relations import Finding, confuser, find_all, stated_total

Reread = Callable[[str, Locator], str]

# The relation that carries each execution pattern the engine can state honestly; the others are left to a model.
RELATION_OF_PATTERN: dict[ExecutionPattern, RelationKind] = {
    "reconciliation": "conflict",
    "artifact_revision": "conflict",
    "data_cleaning_and_integration": "shared_key",
    "comparative_evaluation": "shared_key",
    "data_analysis_and_reporting": "share",
    "forecasting_and_planning": "growth",
    "monitoring_and_exception_reporting": "threshold",
    "research_and_source_synthesis": "quote",
}


class EvidenceLimits(BaseModel):
    """How large a graph may grow. Rows are those of one table; a quotation group is one text on one measure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    least_rows: int = Field(ge=3)
    most_rows: int = Field(ge=3)
    least_quotations: int = Field(ge=2)
    most_measures: int = Field(ge=2)


def build(
    workspace: Workspace, documents: Mapping[str, Document], reread: Reread, limits: EvidenceLimits
) -> EvidenceGraph | Rejection:
    """The evidence graph of a workspace, or the reason why there is none.

    ``documents`` maps hashes to parsed files; ``reread`` returns the raw text at a locator of the original file and
    raises a GraphForgeError where there is nothing. The relation that the seed's execution pattern needs comes
    first; other relations among the same files follow as context.
    """
    pattern = workspace.seed.pattern
    wanted = RELATION_OF_PATTERN.get(pattern)
    if wanted is None:
        return _rejection(
            workspace, "pattern_left_to_llm", f"the rules engine can't state {pattern} honestly"
        )
    measures = list_measures(workspace.with_role("core"), documents, limits.most_rows, limits.least_rows)
    measures = measures[: limits.most_measures]
    if not measures:
        return _rejection(
            workspace, "no_measure", "no core file has a keyed table with a usable number column"
        )
    texts = [
        (file, documents[file.sha256])
        for file in workspace.with_role("core", "supporting")
        if documents[file.sha256].family in {"pdf", "docx", "html", "md", "txt", "pptx"}
    ]
    findings = find_all(measures, limits.least_rows)
    quoted = _group_quotations(quotations(texts, measures), limits.least_quotations)
    bounds = thresholds(texts, measures)

    draft = _Draft(workspace, reread)
    first = _choose(wanted, findings, quoted, bounds, workspace)
    if first is None:
        return _rejection(workspace, "pattern_not_supported", f"no {wanted} relation holds {pattern} up")
    draft.add(first)
    primary = _measures_of(first)
    others = list_measures(workspace.with_role("confuser"), documents, limits.most_rows, limits.least_rows)
    if best := _confuser(primary, [*others, *measures], limits.least_rows):
        draft.add(best)
    for kind in ("conflict", "growth", "share", "shared_key"):
        if kind != wanted and (context := _context(findings[kind], primary)) is not None:
            draft.add(context)
    if wanted == "shared_key" and (context := _context(findings["share"], primary)) is not None:
        draft.add(context)
    return draft.finish(wanted, limits.least_quotations if wanted == "quote" else limits.least_rows)


def _rejection(workspace: Workspace, reason: str, detail: str) -> Rejection:
    return Rejection(id=workspace.id, stage="graphs", reason=reason, detail=detail)


Evidence = Finding | Threshold | list[Quotation]


def _measures_of(evidence: Evidence) -> tuple[Measure, ...]:
    if isinstance(evidence, Finding):
        return evidence.measures
    if isinstance(evidence, Threshold):
        return (evidence.measure,)
    return (evidence[0].measure,)


def _choose(
    kind: RelationKind,
    findings: Mapping[RelationKind, list[Finding]],
    quoted: list[list[Quotation]],
    bounds: list[Threshold],
    workspace: Workspace,
) -> Evidence | None:
    """One of the best of its kind. Seeds over the same files get different ones, by their ids."""
    options: Sequence[Evidence]
    if kind == "quote":
        options = quoted[:4]
    elif kind == "threshold":
        options = bounds[:8]
    else:
        demand = content_words(f"{workspace.seed.demand} {workspace.seed.dwa}")
        ranked = sorted(
            findings[kind],
            key=lambda finding: (-finding.quality - 0.1 * _overlap(finding, demand), finding.order()),
        )
        options = [finding for finding in ranked if finding.quality >= ranked[0].quality - 0.4][:8]
    if not options:
        return None
    return options[int(stable_hash(workspace.id, kind)[:8], 16) % len(options)]


def _overlap(finding: Finding, words: set[str]) -> int:
    return len(words & set().union(*(content_words(measure.name) for measure in finding.measures)))


def _context(findings: list[Finding], primary: tuple[Measure, ...]) -> Finding | None:
    """The best finding that touches a primary measure, so that the graph hangs together."""
    places = {measure.order for measure in primary}
    for finding in findings:
        if any(measure.order in places for measure in finding.measures):
            return finding
    return None


def _confuser(primary: tuple[Measure, ...], candidates: Sequence[Measure], least: int) -> Finding | None:
    """The most plausible wrong column beside a primary measure, from a confuser file where there is one."""
    places = {measure.order for measure in primary}
    found = [
        finding
        for measure in primary
        for other in candidates
        if other.order not in places and (finding := confuser(measure, other, least)) is not None
    ]
    return min(found, key=Finding.order) if found else None


def _group_quotations(found: list[Quotation], least: int) -> list[list[Quotation]]:
    """Quotations of one measure by one text, largest groups first."""
    groups: dict[tuple[str, tuple[str, str, int]], list[Quotation]] = {}
    for quotation in found:
        groups.setdefault((quotation.file.name, quotation.measure.order), []).append(quotation)
    large = [group for group in groups.values() if len(group) >= least]
    return sorted(large, key=lambda group: (-len(group), group[0].file.name, group[0].measure.order))


class _Draft:
    """A graph in the making: nodes by place, then edges, series and relations over them."""

    def __init__(self, workspace: Workspace, reread: Reread):
        self.workspace = workspace
        self.reread = reread
        self.graph = nx.MultiDiGraph()
        self.nodes: dict[tuple[str, str], EvidenceNode] = {}
        self.lost: set[tuple[str, str]] = set()
        self.edges: list[EvidenceEdge] = []
        self.series: list[Series] = []
        self.relations: list[Relation] = []

    def add(self, evidence: Evidence) -> None:
        """Add a relation with its nodes, edges and series; parts whose nodes are not recovered are left out."""
        if isinstance(evidence, Threshold):
            self._add_threshold(evidence)
        elif isinstance(evidence, list):
            self._add_quotations(evidence)
        elif evidence.kind == "share":
            self._add_share(evidence)
        else:
            self._add_pair(evidence)

    def finish(self, wanted: RelationKind, least: int) -> EvidenceGraph | Rejection:
        """The confirmed graph, or a rejection where too little of the wanted relation was recovered."""
        first = next((relation for relation in self.relations if relation.kind == wanted), None)
        if first is None or min((len(self._series(name).nodes) for name in first.series), default=0) < least:
            return _rejection(
                self.workspace,
                "not_recovered",
                f"{len(self.lost)} values were not found again in the original files",
            )
        connected = {node for edge in self.edges for node in edge.nodes}
        connected |= {node for one in self.series for node in one.nodes}
        for edge in self.edges:
            nx.add_path(self.graph, edge.nodes, kind=edge.kind)
        return EvidenceGraph(
            id=f"graph-{self.workspace.id}",
            workspace=self.workspace.id,
            nodes=tuple(node for node in self.nodes.values() if node.id in connected),
            edges=tuple(self.edges),
            series=tuple(self.series),
            relations=tuple(self.relations),
            dropped=len(self.lost),
        )

    def _series(self, name: str) -> Series:
        return next(one for one in self.series if one.id == name)

    def _node(
        self,
        file: WorkspaceFile,
        locator: Locator,
        value: float | str,
        literal: str | None,
        fact: str,
        measure: Measure,
        entity: str,
    ) -> EvidenceNode | None:
        """The confirmed node at a place: made once, re-read from the original, None where it is not recovered.

        ``literal`` is given for text: it must stand in what is re-read. Otherwise the re-read number must be equal.
        """
        place = (file.sha256, locator.model_dump_json() + (literal or ""))
        if place in self.lost:
            return None
        if place not in self.nodes:
            try:
                raw = self.reread(file.sha256, locator)
            except GraphForgeError:
                self.lost.add(place)
                return None
            if literal is not None:
                recovered = literal in " ".join(raw.split())
                raw = literal
            else:
                number = parse_number(raw)
                recovered = number is not None and isinstance(value, float) and close(number, value)
            if not recovered:
                self.lost.add(place)
                return None
            node = EvidenceNode(
                id=f"n{len(self.nodes) + 1}",
                file=file.sha256,
                name=file.name,
                locator=locator,
                fact=fact,
                measure=measure.name,
                entity=entity,
                period=measure.period,
                unit=measure.column.unit,
                value=value,
                raw=raw,
            )
            self.nodes[place] = node
            self.graph.add_node(node.id)
        return self.nodes[place]

    def _cell(self, measure: Measure, key: str) -> EvidenceNode | None:
        row = measure.rows[key]
        entity = measure.table.key_text(row)
        return self._node(
            measure.file,
            measure.table.locate(row, measure.column.index),
            measure.value(key),
            None,
            f"{measure.name} of {entity}",
            measure,
            entity,
        )

    def _edge(
        self,
        kind: RelationKind,
        operation: str,
        nodes: Sequence[EvidenceNode],
        expression: str | None = None,
        result: float | None = None,
    ) -> str:
        edge = EvidenceEdge.model_validate(
            {
                "id": f"e{len(self.edges) + 1}",
                "kind": kind,
                "operation": operation,
                "nodes": tuple(node.id for node in nodes),
                "expression": expression,
                "result": result,
            }
        )
        self.edges.append(edge)
        return edge.id

    def _add_series(self, measure: Measure, nodes: Sequence[EvidenceNode]) -> str:
        """The series over nodes of one measure; the same one is kept once."""
        identifiers = tuple(node.id for node in nodes)
        for known in self.series:
            if known.nodes == identifiers:
                return known.id
        first = nodes[0].locator
        key = measure.table.key
        assert key is not None  # list_measures leaves tables without a key out
        offset = (
            first.column - measure.column.index if isinstance(first, CellLocator | TableCellLocator) else 0
        )
        series = Series(
            id=f"s{len(self.series) + 1}",
            file=measure.file.sha256,
            name=measure.file.name,
            table=measure.table.title,
            key_name=" ".join(measure.table.columns[key].name.split()),
            key_column=key + offset,
            measure=measure.name,
            unit=measure.column.unit,
            period=measure.period,
            place=first,
            entities=tuple(node.entity for node in nodes),
            nodes=identifiers,
            rest=_other_rows(measure, {node.entity for node in nodes}),
        )
        self.series.append(series)
        return series.id

    def _add_relation(
        self, kind: RelationKind, series: Sequence[str], nodes: Sequence[str], edges: list[str]
    ) -> None:
        self.relations.append(
            Relation(
                id=f"r{len(self.relations) + 1}",
                kind=kind,
                series=tuple(series),
                nodes=tuple(nodes),
                edges=tuple(edges),
            )
        )

    def _add_pair(self, finding: Finding) -> None:
        left, right = finding.measures
        pairs = []
        for key in finding.keys:
            one, other = self._cell(left, key), self._cell(right, key)
            if one is not None and other is not None:
                pairs.append((one, other))
        if not pairs:
            return
        edges = []
        for one, other in pairs:
            a, b = float(one.value), float(other.value)
            if finding.kind == "growth":
                edges.append(
                    self._edge(
                        "growth",
                        "derive",
                        (one, other),
                        f"100 * ({one.id} - {other.id}) / {other.id}",
                        100 * (a - b) / b,
                    )
                )
            elif finding.kind == "shared_key":
                edges.append(
                    self._edge("shared_key", "derive", (one, other), f"{one.id} / {other.id}", a / b)
                )
            elif finding.kind == "confuser":
                edges.append(self._edge("confuser", "compare", (one, other), f"{one.id} - {other.id}", a - b))
            else:
                kind: RelationKind = "equal" if close(a, b) else "conflict"
                edges.append(self._edge(kind, "reconcile", (one, other), f"{one.id} - {other.id}", a - b))
        names = [
            self._add_series(left, [pair[0] for pair in pairs]),
            self._add_series(right, [pair[1] for pair in pairs]),
        ]
        self._add_relation(finding.kind, names, (), edges)

    def _add_share(self, finding: Finding) -> None:
        (measure,) = finding.measures
        parts = [node for key in finding.keys if (node := self._cell(measure, key)) is not None]
        # A sum over fewer parts than the table has would be another figure: all or nothing.
        if len(parts) != len(finding.keys):
            return
        series = self._add_series(measure, parts)
        total = math.fsum(float(node.value) for node in parts)
        edges = [
            self._edge(
                "share",
                "derive",
                (node,),
                f"100 * {node.id} / sum({series})",
                100 * float(node.value) / total,
            )
            for node in parts
        ]
        self._add_relation("share", (series,), (), edges)
        stated = stated_total(measure)
        if stated is None:
            return
        row = next(
            row for row in measure.table.totals if measure.table.number(row, measure.column.index) is not None
        )
        label = str(measure.table.grid[row][measure.table.key]) if measure.table.key is not None else "Total"
        node = self._node(
            measure.file,
            measure.table.locate(row, measure.column.index),
            stated,
            None,
            f"{measure.name}, {label}",
            measure,
            label,
        )
        if node is not None:
            edge = self._edge("total", "reconcile", (*parts, node), f"sum({series})", total)
            self._add_relation("total", (series,), (node.id,), [edge])

    def _add_threshold(self, threshold: Threshold) -> None:
        measure = threshold.measure
        rule = self._node(
            threshold.file,
            threshold.block.locator,
            threshold.bound,
            threshold.literal,
            threshold.sentence,
            measure,
            "threshold",
        )
        rows = [node for key in measure.rows if (node := self._cell(measure, key)) is not None]
        if rule is None or len(rows) != len(measure.rows):
            return
        sign = ">" if threshold.direction == "above" else "<"
        edges = []
        for node in rows:
            value = float(node.value)
            beyond = value > threshold.bound if threshold.direction == "above" else value < threshold.bound
            edges.append(
                self._edge(
                    "threshold", "interpret", (rule, node), f"{node.id} {sign} {rule.id}", float(beyond)
                )
            )
        self._add_relation("threshold", (self._add_series(measure, rows),), (rule.id,), edges)

    def _add_quotations(self, group: list[Quotation]) -> None:
        edges, texts, cells = [], [], []
        for quotation in group:
            cell = self._cell(quotation.measure, quotation.key)
            if cell is None:
                continue
            text = self._node(
                quotation.file,
                quotation.block.locator,
                quotation.stated,
                quotation.literal,
                quotation.sentence,
                quotation.measure,
                cell.entity,
            )
            if text is None:
                continue
            value, stated = float(cell.value), quotation.stated
            agrees = _quotes_rightly(quotation, value)
            edges.append(
                self._edge(
                    "quote" if agrees else "conflict",
                    "compare",
                    (text, cell),
                    f"{text.id} - {cell.id}",
                    stated - value,
                )
            )
            texts.append(text)
            cells.append(cell)
        if len(edges) < 2:
            return
        order = sorted(
            range(len(cells)), key=lambda at: list(group[0].measure.rows).index(normalize(cells[at].entity))
        )
        series = self._add_series(group[0].measure, [cells[at] for at in order])
        self._add_relation("quote", (series,), [texts[at].id for at in order], [edges[at] for at in order])


def _quotes_rightly(quotation: Quotation, value: float) -> bool:
    """Whether the text's figure is the cell's, up to the rounding that the text's digits show."""
    return close(quotation.stated, value, absolute=quotation.rounding())


def _other_rows(measure: Measure, taken: set[str]) -> tuple[str, ...]:
    """The names of the rows of a table that a series over it leaves out, in the order of the file."""
    table = measure.table
    rows = sorted({*range(*table.body), *table.totals})
    names = [
        table.key_text(row)
        for row in rows
        if table.key is not None and table.grid[row][table.key] is not None
    ]
    return tuple(dict.fromkeys(name for name in names if name and name not in taken))
