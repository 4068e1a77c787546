"""A graph in the making: every node is read again from the original file before it counts (paper section 3.3)."""

import math
from collections.abc import Callable, Sequence

import networkx as nx

from ..errors import GraphForgeError, RecordError
from ..records import (
    CellLocator,
    EvidenceEdge,
    EvidenceGraph,
    EvidenceNode,
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
)
from ..records.arithmetic import FUNCTIONS, evaluate
from ..records.locator import TableCellLocator
from .computed import Computed, Equation
from .lines import Place, cell_text
from .measures import Measure
from .quotes import Quotation, Threshold
from .relations import Finding, stated_total

Reread = Callable[[str, Locator], str]
Evidence = Finding | Threshold | list[Quotation]


def rejected(workspace: Workspace, reason: str, detail: str) -> Rejection:
    """A workspace that gives no graph."""
    return Rejection(id=workspace.id, stage="graphs", reason=reason, detail=detail)


class Draft:
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
        self._why = ""

    def add(self, evidence: Evidence | Computed, why: str = "") -> None:
        """Add a relation with its nodes, edges and series; parts whose nodes are not recovered are left out."""
        self._why = why
        if isinstance(evidence, Threshold):
            self._add_threshold(evidence)
        elif isinstance(evidence, Computed):
            self._add_computed(evidence)
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
            return rejected(
                self.workspace,
                "not_recovered",
                f"{len(self.lost)} values were not found again in the original files",
            )
        return self.built()

    def built(self, refused: int = 0) -> EvidenceGraph:
        """The graph of what was confirmed. ``refused`` counts what was offered and left out for another reason."""
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
            dropped=len(self.lost) + refused,
        )

    def _series(self, name: str) -> Series:
        return next(one for one in self.series if one.id == name)

    def confirm(
        self,
        file: WorkspaceFile,
        locator: Locator,
        value: float | str,
        literal: str | None,
        fact: str,
        measure: str,
        entity: str,
        period: str | None = None,
        unit: str | None = None,
        use: str = "",
    ) -> EvidenceNode | None:
        """The confirmed node at a place: made once, re-read from the original, None where it is not recovered.

        ``literal`` is given for running text: it must stand in what is re-read. Otherwise the re-read cell must hold
        the value, a number to the last digit, a text normalized.
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
            elif isinstance(value, str):
                recovered = normalize(raw) == normalize(value) != ""
            else:
                number = parse_number(raw)
                recovered = number is not None and close(number, value)
            if not recovered:
                self.lost.add(place)
                return None
            node = EvidenceNode(
                id=f"n{len(self.nodes) + 1}",
                file=file.sha256,
                name=file.name,
                locator=locator,
                fact=fact,
                measure=measure,
                entity=entity,
                period=period,
                unit=unit,
                value=value,
                raw=raw,
                use=use,
            )
            self.nodes[place] = node
            self.graph.add_node(node.id)
        return self.nodes[place]

    def _node(
        self,
        file: WorkspaceFile,
        locator: Locator,
        value: float,
        literal: str | None,
        fact: str,
        measure: Measure,
        entity: str,
    ) -> EvidenceNode | None:
        return self.confirm(
            file, locator, value, literal, fact, measure.name, entity, measure.period, measure.column.unit
        )

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

    def edge(
        self,
        kind: RelationKind,
        operation: str,
        nodes: Sequence[EvidenceNode],
        expression: str | None = None,
        result: float | None = None,
        why: str = "",
    ) -> str:
        """Add an edge over confirmed nodes; its id."""
        edge = EvidenceEdge.model_validate(
            {
                "id": f"e{len(self.edges) + 1}",
                "kind": kind,
                "operation": operation,
                "nodes": tuple(node.id for node in nodes),
                "expression": expression,
                "result": result,
                "why": why,
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
        # By the table's own names: a node that was there before may call its cell something else.
        table = measure.table
        rows = {
            table.locate(row, measure.column.index): row for row in (*measure.rows.values(), *table.totals)
        }
        entities = tuple(table.key_text(rows[node.locator]) for node in nodes)
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
            entities=entities,
            nodes=identifiers,
            rest=_other_rows(measure, set(entities)),
            header=measure.column.header
            or (measure.column.name if measure.name != " ".join(measure.column.name.split()) else ""),
            where=measure.table.where,
        )
        self.series.append(series)
        return series.id

    def column(self, measure: Measure) -> Series | None:
        """A series over all rows of a measure; None where a row is not found again, since then it would be another."""
        nodes = [node for key in measure.rows if (node := self._cell(measure, key)) is not None]
        if len(nodes) != len(measure.rows):
            return None
        return self._series(self._add_series(measure, nodes))

    def relate(
        self,
        kind: RelationKind,
        series: Sequence[str],
        nodes: Sequence[str],
        edges: Sequence[str],
        why: str | None = None,
    ) -> None:
        """Add a relation over series and nodes, carried by edges."""
        self.relations.append(
            Relation(
                id=f"r{len(self.relations) + 1}",
                kind=kind,
                series=tuple(series),
                nodes=tuple(nodes),
                edges=tuple(edges),
                why=self._why if why is None else why,
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
                    self.edge(
                        "growth",
                        "derive",
                        (one, other),
                        f"100 * ({one.id} - {other.id}) / {other.id}",
                        100 * (a - b) / b,
                    )
                )
            elif finding.kind == "shared_key":
                edges.append(self.edge("shared_key", "derive", (one, other), f"{one.id} / {other.id}", a / b))
            elif finding.kind == "confuser":
                edges.append(self.edge("confuser", "compare", (one, other), f"{one.id} - {other.id}", a - b))
            else:
                kind: RelationKind = "equal" if close(a, b) else "conflict"
                edges.append(self.edge(kind, "reconcile", (one, other), f"{one.id} - {other.id}", a - b))
        names = [
            self._add_series(left, [pair[0] for pair in pairs]),
            self._add_series(right, [pair[1] for pair in pairs]),
        ]
        self.relate(finding.kind, names, (), edges)

    def _add_share(self, finding: Finding) -> None:
        (measure,) = finding.measures
        parts = [node for key in finding.keys if (node := self._cell(measure, key)) is not None]
        # A sum over fewer parts than the table has would be another figure: all or nothing.
        if len(parts) != len(finding.keys):
            return
        series = self._add_series(measure, parts)
        total = math.fsum(float(node.value) for node in parts)
        edges = [
            self.edge(
                "share",
                "derive",
                (node,),
                f"100 * {node.id} / sum({series})",
                100 * float(node.value) / total,
            )
            for node in parts
        ]
        self.relate("share", (series,), (), edges)
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
            edge = self.edge("total", "reconcile", (*parts, node), f"sum({series})", total)
            self.relate("total", (series,), (node.id,), [edge])

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
                self.edge(
                    "threshold", "interpret", (rule, node), f"{node.id} {sign} {rule.id}", float(beyond)
                )
            )
        self.relate("threshold", (self._add_series(measure, rows),), (rule.id,), edges)

    def _add_computed(self, found: Computed) -> None:
        """Each equation whose every part is recovered becomes an edge; with none left there is no relation.

        Parts of one place are nodes; a part of several is a series, and their sum.
        """
        edges: list[str] = []
        nodes: list[EvidenceNode] = []
        series: list[str] = []
        # Columns side by side, where every equation takes one cell of each of them in another row.
        columns: list[list[tuple[Place, EvidenceNode]]] = []
        for equation in found.equations:
            parts = [[(place, self._place(place)) for place in part] for part in equation.parts]
            if any(node is None for part in parts for _, node in part):
                continue
            kept = [[(place, node) for place, node in part if node is not None] for part in parts]
            if (made := self._equation(equation, kept)) is None:
                continue
            edge, own = made
            edges.append(edge)
            series += own
            nodes += [node for part in kept if len(part) == 1 for _, node in part]
            for at, part in enumerate(kept if equation.template is not None else ()):
                columns += [[] for _ in range(at + 1 - len(columns))]
                columns[at] += part if len(part) == 1 else []
        if not edges:
            return
        taken: set[str] = set()
        for side in columns:
            if (name := self._side(side)) is not None:
                series.append(name)
                taken |= {node.id for _, node in side}
        alone = [node.id for node in nodes if node.id not in taken]
        self.relate(found.kind, tuple(dict.fromkeys(series)), tuple(dict.fromkeys(alone)), edges, found.why)

    def _place(self, place: Place) -> EvidenceNode | None:
        return self.confirm(
            place.file,
            place.locator,
            place.value,
            place.literal,
            place.label[:300] or place.measure,
            place.measure[:200] or place.label[:200],
            place.label[:200],
            place.period,
            place.unit,
        )

    def _equation(
        self, equation: Equation, parts: Sequence[Sequence[tuple[Place, EvidenceNode]]]
    ) -> tuple[str, list[str]] | None:
        """The edge of an equation and the series of its columns; None where it can't be computed."""
        names: list[str] = []
        values: dict[str, float | list[float]] = {}
        series = []
        for at, part in enumerate(parts):
            numbers = [float(node.value) for _, node in part if isinstance(node.value, float)]
            if len(part) == 1:
                names.append(part[0][1].id)
                if numbers:
                    values[names[-1]] = numbers[0]
                continue
            made = self._sum_series(part)
            if made is None:
                return None
            series.append(made)
            how = equation.how[at] if equation.how else "sum"
            names.append(made if how == "column" else f"{how}({made})")
            values[made] = numbers
        members = [node for part in parts for _, node in part]
        if equation.template is None:
            return self.edge(equation.kind, equation.operation, members), series
        expression = equation.template.format(*names)
        try:
            result = evaluate(expression, values, FUNCTIONS)
        except RecordError:
            return None
        assert isinstance(result, float)  # every series stands in a function
        return self.edge(equation.kind, equation.operation, members, expression, result), series

    def _side(self, side: Sequence[tuple[Place, EvidenceNode]]) -> str | None:
        """A series over one cell a row of one column, where the places are that; its id."""
        tables = {
            (place.file.sha256, place.table.id if place.table else "", place.column) for place, _ in side
        }
        rows = [place.row for place, _ in side]
        if len(side) < 3 or len(tables) != 1 or side[0][0].table is None or len(set(rows)) != len(rows):
            return None
        return self._sum_series(side)

    def _sum_series(self, part: Sequence[tuple[Place, EvidenceNode]]) -> str | None:
        """The series over places of one column of a table, by whatever names its rows; its id."""
        first = part[0][0]
        if first.table is None or any(place.column != first.column for place, _ in part):
            return None
        identifiers = tuple(node.id for _, node in part)
        for known in self.series:
            if known.nodes == identifiers:
                return known.id
        table = first.table
        key = table.key if table.key not in (None, first.column) else None
        if key is None:
            named = [one.index for one in table.columns if one.kind != "number" and one.index != first.column]
            if not named:
                return None
            key = named[0]
        place = first.locator
        offset = place.column - first.column if isinstance(place, CellLocator | TableCellLocator) else 0
        texts = [cell_text(table, one.row, key) for one, _ in part]
        entities = texts if all(texts) and len(set(texts)) == len(texts) else [one.label for one, _ in part]
        series = Series(
            id=f"s{len(self.series) + 1}",
            file=first.file.sha256,
            name=first.file.name,
            table=table.title,
            key_name=" ".join(table.columns[key].name.split()),
            key_column=key + offset,
            measure=first.measure,
            unit=first.unit,
            period=first.period,
            place=place,
            entities=tuple(
                entity or f"row {one.row + 1}" for entity, (one, _) in zip(entities, part, strict=True)
            ),
            nodes=identifiers,
        )
        self.series.append(series)
        return series.id

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
                self.edge(
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
        self.relate("quote", (series,), [texts[at].id for at in order], [edges[at] for at in order])


def _quotes_rightly(quotation: Quotation, value: float) -> bool:
    """Whether the text's figure is the cell's, up to the rounding that the text's digits show."""
    return close(quotation.stated, value, absolute=quotation.rounding())


def _other_rows(measure: Measure, taken: set[str]) -> tuple[str, ...]:
    """The names of the rows of a table that a series over it leaves out, in the order of the file."""
    table = measure.table
    if table.key is None:
        return ()
    rows = sorted({*range(*table.body), *table.totals})
    names = [table.key_text(row) for row in rows if table.grid[row][table.key] is not None]
    return tuple(dict.fromkeys(name for name in names if name and name not in taken))
