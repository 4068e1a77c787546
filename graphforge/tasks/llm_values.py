"""Expected values of a model's criteria: its expressions over ids of the graph, computed from the nodes."""

from dataclasses import dataclass

from ..errors import RecordError
from ..records import EvidenceGraph, EvidenceNode, normalize
from ..records.arithmetic import FUNCTIONS, evaluate, named, reductions
from .compose import ends


@dataclass(frozen=True)
class Computed:
    """Row names and their numbers where the expression is a column; otherwise no row names and one number."""

    keys: tuple[str, ...]
    numbers: tuple[float, ...]
    column: bool


class Values:
    """What a model's expressions may speak of: number nodes and series of one graph."""

    def __init__(self, graph: EvidenceGraph):
        self.nodes = {node.id: node for node in graph.nodes}
        self.series = {one.id: one for one in graph.series}

    def compute(self, expression: str, where: str | None = None) -> Computed:
        """The value of an expression over the rows where ``where`` holds.

        RecordError for an id that the graph doesn't have, a node or series that holds no numbers, rows that don't
        match, and whatever is no arithmetic.
        """
        if not named(expression):
            raise RecordError(f"{expression!r} rests on no evidence", "Compute with ids of the graph")
        outer, parts = reductions(expression)
        known = {name: self._reduced(part, where) for name, part in parts.items()}
        if where is not None and not any(name in self.series for name in named(outer)) and parts:
            # All that is over rows is reduced by now, over the rows where it holds.
            where = None
        return self._computed(outer, where, known)

    def _reduced(self, call: str, where: str | None) -> float:
        """The number that a call like ``sum(s1 - s2)`` makes, over the rows that *its* series share.

        Series elsewhere in the expression take none of them away.
        """
        inner, parts = reductions(call, inside=True)
        known = {name: self._reduced(part, where) for name, part in parts.items()}
        found = self._computed(inner, where, known)
        if found.column:
            raise RecordError(f"{call!r} is no number", "Reduce one column to a number")
        return found.numbers[0]

    def _computed(self, expression: str, where: str | None, known: dict[str, float]) -> Computed:
        """The value over the rows that all series in it share."""
        asked = [name for name in (*named(expression), *(named(where) if where else ())) if name not in known]
        keys, columns = self._aligned([name for name in asked if name in self.series])
        numbers = {name: self._number(name) for name in asked if name not in self.series}
        if where is not None:
            holds = evaluate(where, {**numbers, **columns}, FUNCTIONS)
            if not isinstance(holds, tuple) or set(holds) - {0.0, 1.0}:
                raise RecordError(f"{where!r} is no comparison over rows", "Compare series, row by row")
            kept = [at for at, one in enumerate(holds) if one]
            if not kept:
                raise RecordError(f"No row is left where {where!r} holds", "Choose rows that there are")
            keys = tuple(keys[at] for at in kept)
            columns = {name: tuple(cells[at] for at in kept) for name, cells in columns.items()}
        found = evaluate(expression, {**numbers, **columns, **known}, FUNCTIONS)
        if isinstance(found, tuple):
            return Computed(keys, found, column=True)
        return Computed((), (found,), column=False)

    def number(self, expression: str, where: str | None = None) -> float:
        """The value of an expression that must be one number."""
        found = self.compute(expression, where)
        if found.column:
            raise RecordError(
                f"{expression!r} is a column of {len(found.keys)} rows", "Sum it, or ask for a column"
            )
        return found.numbers[0]

    def column(self, expression: str, where: str | None = None) -> Computed:
        """The value of an expression that must be a column."""
        found = self.compute(expression, where)
        if not found.column:
            raise RecordError(f"{expression!r} is one number and no column", "Name at least one series")
        return found

    def rows(self, series: tuple[str, ...], where: str | None = None) -> tuple[str, ...]:
        """The row names that all the series have, where ``where`` holds."""
        if unknown := [name for name in series if name not in self.series]:
            raise RecordError(f"The graph has no series {unknown[0]!r}", "Name series of the graph")
        return self.column(" + ".join(series), where).keys

    def ends(self, expressions: list[str]) -> tuple[str, ...]:
        """The nodes that expressions are over: single ones, and the first and last of each series. Unknown ids and
        what is no expression are left out: computing them says what is wrong with them."""
        found: dict[str, None] = {}
        for expression in expressions:
            try:
                names = named(expression)
            except RecordError:
                continue
            for name in names:
                if name in self.series:
                    found.update(dict.fromkeys(node.id for node in self._ends(name)))
                elif name in self.nodes:
                    found[name] = None
        return tuple(found)

    def glossary(self, expressions: list[str]) -> str:
        """What the ids of expressions stand for, each once: a judge who doesn't know the graph can follow them then."""
        names: dict[str, None] = {}
        for expression in expressions:
            try:
                names.update(dict.fromkeys(named(expression)))
            except RecordError:
                continue
        known = [name for name in names if name in self.series or name in self.nodes]
        return "; ".join(f"{name} is {self._describe(name)}" for name in known)

    def _describe(self, name: str) -> str:
        if name in self.series:
            one = self.series[name]
            first, last = self._ends(name)
            return f"“{one.measure}” of {one.name}, {first.locator.show()} to {last.locator.show()}"
        node = self.nodes[name]
        return f"{node.measure}, {node.entity}, of {node.name}, {node.locator.show()}"

    def _ends(self, name: str) -> tuple[EvidenceNode, EvidenceNode]:
        return ends([self.nodes[node] for node in self.series[name].nodes])

    def _aligned(self, names: list[str]) -> tuple[tuple[str, ...], dict[str, tuple[float, ...]]]:
        cells: dict[str, dict[str, float]] = {}
        written: dict[str, str] = {}
        for name in dict.fromkeys(names):
            one = self.series[name]
            cells[name] = {}
            for entity, identifier in zip(one.entities, one.nodes, strict=True):
                cells[name][normalize(entity)] = self._number(identifier)
                written.setdefault(normalize(entity), entity)
        shared = [key for key in written if all(key in column for column in cells.values())]
        if cells and not shared:
            raise RecordError(
                f"{' and '.join(cells)} share no row names", "Combine series of the same things"
            )
        return (
            tuple(written[key] for key in shared),
            {name: tuple(column[key] for key in shared) for name, column in cells.items()},
        )

    def _number(self, name: str) -> float:
        node = self.nodes.get(name)
        if node is None:
            raise RecordError(f"The graph has no node or series {name!r}", "Use ids of the graph")
        if isinstance(node.value, str):
            raise RecordError(f"{name} holds words and no number", "Compute with numbers only")
        return float(node.value)
