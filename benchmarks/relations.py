"""How many of the known relations of a corpus the ``rules`` engine finds, without being told of any.

    python -m benchmarks.relations ../shared/corpus            # every known relation, one workspace each
    python -m benchmarks.relations ../shared/corpus --sample 40  # relations found over the corpus, to be read by hand

For each relation of ``known_relations.jsonl`` a workspace holds its files and a few others of its topic. A relation
counts as found where one found relation takes in the same values at the same places, each read again from the
original file: the cells of every list and sum, the figures and words of every quotation. ``kept`` says that
``evidence.build`` puts it into the graph under the limits of the configuration.
"""

import argparse
import csv
import hashlib
import io
import json
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import openpyxl
from hydra import compose, initialize_config_dir

from graphforge.errors import GraphForgeError
from graphforge.evidence import EvidenceLimits, build
from graphforge.evidence.build import RELATIONS_OF_PATTERN
from graphforge.evidence.computed import Computed, best
from graphforge.evidence.draft import Draft, Evidence
from graphforge.evidence.find import find
from graphforge.evidence.survey import between, survey
from graphforge.records import (
    CellLocator,
    Document,
    EvidenceGraph,
    EvidenceNode,
    ExecutionPattern,
    PageLocator,
    Passage,
    RelationKind,
    Seed,
    SlideLocator,
    Source,
    TableCellLocator,
    Workspace,
    WorkspaceFile,
    column_index,
    normalize,
    parse_number,
    stable_hash,
)
from graphforge.workspace import Rereader, parse

# The pattern whose workspace would hold a relation of the kind.
PATTERNS: dict[str, ExecutionPattern] = {
    "equal": "reconciliation",
    "conflict": "reconciliation",
    "aggregate": "reconciliation",
    "additive": "data_analysis_and_reporting",
    "join": "comparative_evaluation",
    "threshold": "monitoring_and_exception_reporting",
    "reference": "research_and_source_synthesis",
}
DISTRACTORS, LARGEST = 3, 2_000_000

Cells = frozenset[tuple[str, int, int]]


class Corpus:
    """Files of a corpus, parsed once."""

    def __init__(self, root: Path, cache: Path | None = None):
        self.root = root
        self.cache = cache
        self.sources = {
            line["path"].removeprefix("corpus/"): line
            for line in map(json.loads, (root / "manifest.jsonl").read_text().splitlines())
        }
        self._parsed: dict[str, Document | None] = {}
        self._paths: dict[str, Path] = {}

    def document(self, path: str) -> Document | None:
        if path not in self._parsed:
            kept = self.cache / f"{hashlib.sha1(path.encode()).hexdigest()}.json" if self.cache else None
            made: Document | None = None
            try:
                if kept is not None and kept.exists():
                    made = Document.model_validate_json(kept.read_text())
                else:
                    made = parse(self.root / path)
                    if kept is not None:
                        kept.write_text(made.model_dump_json())
            except GraphForgeError:
                made = None
            self._parsed[path] = made
            if made is not None:
                self._paths[made.sha256] = self.root / path
        return self._parsed[path]

    def forget(self) -> None:
        """Drop what was parsed: one workspace at a time is held."""
        self._parsed.clear()

    def workspace(self, name: str, paths: Sequence[str], pattern: ExecutionPattern) -> Workspace | None:
        """A workspace of core files: those of ``paths`` and a few others of the topic, drawn by a fixed hash."""
        topic = paths[0].split("/")[0]
        others = [
            path for path, line in self.sources.items() if path.startswith(f"{topic}/") and path not in paths
        ]
        others.sort(key=lambda path: (self.sources[path]["bytes"] > LARGEST, stable_hash(name, path)))
        # A small topic is filled up from the others.
        others += sorted(
            (path for path, line in self.sources.items() if line["bytes"] <= LARGEST // 10),
            key=lambda path: stable_hash(name, path),
        )[:8]
        chosen: list[WorkspaceFile] = []
        taken: set[str] = set()
        for path in [*paths, *others]:
            document = self.document(path)
            if (
                document is None
                or document.sha256 in taken
                or len(chosen) >= max(4, len(paths) + DISTRACTORS)
            ):
                if path in paths and document is None:
                    return None
                continue
            taken.add(document.sha256)
            line = self.sources[path]
            source = Source(
                publisher=line["publisher"], title=line["title"], licence=line["licence"], topic=topic
            )
            chosen.append(
                WorkspaceFile(
                    sha256=document.sha256,
                    name=Path(path).name,
                    family=document.family,
                    bytes=line["bytes"],
                    role="core",
                    why="benchmark",
                    source=source,
                )
            )
        return Workspace(
            id=f"ws-{stable_hash(name)[:12]}", seed=_seed(pattern), topic=topic, files=tuple(chosen)
        )

    def documents(self, workspace: Workspace) -> dict[str, Document]:
        by_hash = {one.sha256: one for one in self._parsed.values() if one is not None}
        return {file.sha256: by_hash[file.sha256] for file in workspace.files}

    def path(self, sha256: str) -> Path:
        return self._paths[sha256]


def _seed(pattern: ExecutionPattern) -> Seed:
    demand = "Compare records of several sources"
    return Seed(
        id="seed-benchmark",
        occupation_code="13-1199.00",
        occupation="Analysts",
        sector="13",
        sector_name="Analysts",
        subsector="13-1",
        task_id="1",
        dwa_id="4.A.0.a.0.I00.D00",
        dwa="Compare records.",
        demand=demand,
        demand_key=normalize(demand),
        pattern=pattern,
        input_family="spreadsheet",
        output_family="spreadsheet",
        evidence=(Passage(source="benchmark", text=demand),),
    )


# --- what a known relation asks for -----------------------------------------------------------------------------------


def _grid(path: Path, locator: Mapping[str, object]) -> list[list[str]]:
    if path.suffix in {".csv", ".txt"}:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig", errors="replace")
        return [
            list(row) for row in csv.reader(io.StringIO(text), delimiter=str(locator.get("delimiter", ",")))
        ]
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    sheet = book[str(locator["sheet"])]
    return [["" if cell is None else str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]


def _meets(text: str, operator: str, wanted: object) -> bool:
    number = parse_number(text)
    if operator == "=":
        plain = str(wanted)
        return text == plain or (number is not None and number == parse_number(plain))
    if operator == "in":
        assert isinstance(wanted, list)
        return any(_meets(text, "=", one) for one in wanted)
    if operator == "number":
        return number is not None
    if operator == "regex":
        return re.search(str(wanted), text) is not None
    if operator == ">":
        return number is not None and number > float(str(wanted))
    raise ValueError(f"unknown condition {operator!r}")


def cells_of(path: Path, locator: Mapping[str, object]) -> dict[str, list[tuple[int, int]]]:
    """Key to the (row, column) places that a list or sum of cells names, zero-based."""
    grid = _grid(path, locator)
    top = int(str(locator.get("header_row", 1))) - 1
    header = [" ".join(one.split()) for one in grid[top]]
    names = locator.get("name_columns", {})
    assert isinstance(names, dict)

    def column(name: str) -> int:
        return column_index(names[name]) if name in names else header.index(name)

    value = column(str(locator["column"]))
    keys = locator.get("key", [])
    assert isinstance(keys, list)
    found: dict[str, list[tuple[int, int]]] = {}
    where = locator.get("where", [])
    assert isinstance(where, list)
    for row in range(top + 1, len(grid)):
        cells = grid[row] + [""] * (len(header) - len(grid[row]))
        if not all(_meets(cells[column(name)].strip(), operator, wanted) for name, operator, wanted in where):
            continue
        if parse_number(cells[value]) is None and locator.get("agg") != "count":
            continue
        key = " / ".join(cells[column(str(name))].strip() for name in keys)
        if key in found and locator.get("duplicates") == "first":
            continue
        found.setdefault(key, []).append((row, value))
    return found


def wanted_cells(root: Path, value: Mapping[str, object]) -> dict[str, Cells] | None:
    """The cells of a value by key, None where it isn't a value of cells."""
    locator = value["locator"]
    assert isinstance(locator, dict)
    kind = str(locator["type"])
    path = root / str(value["file"])
    sheet = str(locator.get("sheet", ""))
    if kind == "xlsx":
        match = re.fullmatch(r"([A-Z]+)(\d+)", str(locator["cell"]))
        assert match is not None
        return {"": frozenset({(sheet, int(match[2]) - 1, column_index(match[1]))})}
    if kind == "csv":
        grid = _grid(path, locator)
        for top in range(min(5, len(grid))):
            header = [" ".join(one.split()) for one in grid[top]]
            if str(locator["column"]) in header and all(name in header for name in locator["row"]):
                column = header.index(str(locator["column"]))
                for row in range(top + 1, len(grid)):
                    cells = grid[row] + [""] * (len(header) - len(grid[row]))
                    if all(
                        _meets(cells[header.index(name)], "=", one) for name, one in locator["row"].items()
                    ):
                        return {"": frozenset({("", row, column)})}
        raise ValueError(f"no such row in {path.name}")
    if kind in {"xlsx_series", "csv_series", "xlsx_rows", "csv_rows"}:
        return {
            key: frozenset((sheet, row, column) for row, column in places)
            for key, places in cells_of(path, locator).items()
        }
    return None


@dataclass(frozen=True)
class Ask:
    """What one edge must show: all its parts, one by one, in one computation of the right kind.

    A part is the cells whose sum (or the one cell whose figure) a value of the known relation is, or a figure or word
    said in a text.
    """

    cells: tuple[tuple[str, Cells], ...]
    said: tuple[tuple[str, Mapping[str, object], object], ...]
    kinds: frozenset[str]
    key: str


# What an edge may be that shows a clause of the computation.
_AGREEING = frozenset(("equal", "aggregate", "identity", "threshold", "reference", "quote", "total"))
_DIFFERING = frozenset(("conflict",))
_BESIDE = frozenset(("shared_key", "growth", "equal", "conflict", "identity"))


class Wanted:
    """A known relation as places: cells by file, figures and words of texts, and which of them belong together."""

    def __init__(self, root: Path, known: Mapping[str, object]):
        values = known["values"]
        assert isinstance(values, list)
        self.names = {Path(value["file"]).name for value in values}
        self._values = [(Path(value["file"]).name, value, wanted_cells(root, value)) for value in values]
        self.asks = [
            ask
            for clause in re.split(r"\band\b", str(known["computation"]))
            for ask in self._asked(clause, str(known["kind"]))
        ]
        if not self.asks:
            raise ValueError(f"{known['id']}: nothing to look for")

    def _asked(self, clause: str, kind: str) -> Iterator[Ask]:
        at = sorted({int(number) - 1 for number in re.findall(r"\bv(\d+)\b", clause)})
        if "!=" in clause:
            kinds = _DIFFERING
        elif "ratio(" in clause or "shared(" in clause or "diff(v2, v1)" in clause:
            kinds = _BESIDE
        else:
            kinds = _AGREEING
        chosen = [self._values[one] for one in at]
        lists = [cells for _, value, cells in chosen if cells is not None and _is_list(value)]
        if kind == "threshold" and any(_is_rows(value) for _, value, _ in chosen):
            # Rows on either side of a bound: each is judged by an edge of its own.
            yield from self._rows(chosen)
            return
        keys = sorted(set.intersection(*(set(cells) for cells in lists))) if lists else [""]
        for key in keys:
            cells: dict[tuple[str, int], set[tuple[str, int, int]]] = {}
            said = []
            for number, (name, value, places) in enumerate(chosen):
                if places is None:
                    said.append((name, value["locator"], value["value"]))
                    continue
                summed = not _is_list(value) and value["locator"].get("agg") == "sum"
                found = places[key] if _is_list(value) else frozenset().union(*places.values())
                # Two sums of one file that are added are one sum for us.
                cells.setdefault((name, -1 if summed else number), set()).update(found)
            yield Ask(
                tuple((name, frozenset(places)) for (name, _), places in cells.items()),
                tuple(said),
                kinds,
                key,
            )

    def _rows(
        self, chosen: Sequence[tuple[str, Mapping[str, object], dict[str, Cells] | None]]
    ) -> Iterator[Ask]:
        for name, value, places in chosen:
            if places is None:
                yield Ask((), ((name, value["locator"], value["value"]),), _AGREEING, "")  # type: ignore[arg-type]
                continue
            for one in sorted(frozenset().union(*places.values())):
                if value["locator"].get("agg") != "count":  # type: ignore[attr-defined]
                    yield Ask(((name, frozenset({one})),), (), _AGREEING, "")

    def missing(
        self, nodes: Sequence[EvidenceNode], edges: Sequence[tuple[str, float | None, Sequence[EvidenceNode]]]
    ) -> str | None:
        """Why a relation isn't the wanted one, or None where it is. ``edges``: kind, result and nodes of each."""
        by_cell: dict[tuple[str, tuple[str, int, int]], set[int]] = {}
        held = []
        for number, (_, _, group) in enumerate(edges):
            held.append({(node.name, cell) for node in group if (cell := _cell(node)) is not None})
            for one in held[-1]:
                by_cell.setdefault(one, set()).add(number)
        for ask in self.asks:
            wanted = {(name, cell) for name, places in ask.cells for cell in places}
            names = ", ".join(sorted({name for name, _ in ask.cells}))
            met = (
                set.intersection(*(by_cell.get(one, set()) for one in wanted))
                if wanted
                else range(len(edges))
            )
            near = sorted(met)
            if not near:
                return f"no computation takes in the cells of {names} {ask.key}"
            # A sum is over these cells and no others of its file.
            summed = {name for name, places in ask.cells if len(places) > 1}
            near = [one for one in near if {cell for cell in held[one] if cell[0] in summed} <= wanted]
            if not near:
                return f"no sum over just the cells of {names}"
            # How many figures of some pages meet a bound is a matter of the whole relation.
            near = [
                one
                for one in near
                if all(
                    _said(name, locator, value, nodes if "pages" in locator else edges[one][2])
                    for name, locator, value in ask.said
                )
            ]
            if not near:
                return f"{', '.join(repr(value) for _, _, value in ask.said)} isn't part of it"
            if not any(
                edges[one][0] in ask.kinds or (edges[one][0] == "applies" and not wanted) for one in near
            ):
                return f"what is {'/'.join(sorted(ask.kinds))} is called {edges[near[0]][0]} {ask.key}"
            if ask.kinds == _DIFFERING and not any(edges[one][1] for one in near):
                return "the figures that differ don't"
        return None


def _is_list(value: Mapping[str, object]) -> bool:
    locator = value["locator"]
    assert isinstance(locator, dict)
    return str(locator["type"]).endswith("_series")


def _is_rows(value: Mapping[str, object]) -> bool:
    locator = value["locator"]
    assert isinstance(locator, dict)
    return "pages" in locator or locator.get("agg") in {"min", "max", "count"}


def _cell(node: EvidenceNode) -> tuple[str, int, int] | None:
    if isinstance(node.locator, CellLocator):
        return (node.locator.sheet, node.locator.row, node.locator.column)
    return None


def _said(name: str, locator: Mapping[str, object], value: object, nodes: Sequence[EvidenceNode]) -> bool:
    own = [node for node in nodes if node.name == name]
    if "pages" in locator:
        first, last = (int(str(one)) for one in locator["pages"])  # type: ignore[attr-defined]
        own = [node for node in own if (_page(node) or 0) in range(first, last + 1)]
        numbers = [float(node.value) for node in own if isinstance(node.value, float)]
        keep = locator.get("keep", [])
        assert isinstance(keep, list)
        for operator, bound in keep:
            numbers = [one for one in numbers if (one >= bound if operator == ">=" else one < bound)]
        return len(numbers) == value
    page = locator.get("page", locator.get("slide"))
    # A number or name that a document goes by is the same wherever it says it.
    if page is not None and not isinstance(value, str):
        own = [node for node in own if _page(node) in {None, int(str(page))}]
    if isinstance(value, str):
        return any(
            normalize(value) in normalize(node.raw) or normalize(node.raw) == normalize(value) for node in own
        )
    return any(isinstance(node.value, float) and node.value == value for node in own)


def _page(node: EvidenceNode) -> int | None:
    if isinstance(node.locator, PageLocator):
        return node.locator.page + 1
    if isinstance(node.locator, TableCellLocator) and node.locator.page is not None:
        return node.locator.page + 1
    return node.locator.slide + 1 if isinstance(node.locator, SlideLocator) else None


# --- what is found ----------------------------------------------------------------------------------------------------


def relations(
    graph: EvidenceGraph,
) -> Iterator[tuple[str, list[EvidenceNode], list[tuple[str, float | None, list[EvidenceNode]]]]]:
    """Each relation of a graph: what it says, its nodes, and kind, result and nodes of each of its edges."""
    nodes = {node.id: node for node in graph.nodes}
    edges = {edge.id: edge for edge in graph.edges}
    for relation in graph.relations:
        groups: list[tuple[str, float | None, list[EvidenceNode]]] = [
            (edge.kind, edge.result, [nodes[name] for name in edge.nodes])
            for edge in (edges[one] for one in relation.edges)
        ]
        yield f"{relation.kind}: {relation.why}", [node for _, _, group in groups for node in group], groups


def found_by(
    corpus: Corpus, workspace: Workspace, limits: EvidenceLimits, wanted: Wanted
) -> tuple[str | None, str, int]:
    """The found relation that is the wanted one, else why none is; and how many relations were found."""
    documents = corpus.documents(workspace)
    files = [(file, documents[file.sha256]) for file in workspace.files]
    names = wanted.names
    computed = [
        one
        for one in between(files, limits)
        if names
        <= {place.file.name for equation in one.equations for part in equation.parts for place in part}
    ]
    found = find(workspace, documents, limits)
    kinds: tuple[RelationKind, ...] = ("conflict", "growth", "shared_key")
    tables: list[Evidence | Computed] = [
        one
        for kind in kinds
        for one in found.findings[kind]
        if names <= {measure.file.name for measure in one.measures}
    ]
    reasons: Counter[str] = Counter()
    with Rereader(lambda sha: (corpus.path(sha), documents[sha].family)) as again:
        for one in tables + computed:
            draft = Draft(workspace, again.read)
            draft.add(one)
            if not draft.relations:
                reasons["its values weren't found again in the files"] += 1
                continue
            for told, nodes, groups in relations(draft.built()):
                why = wanted.missing(nodes, groups)
                if why is None:
                    return told, "", len(computed)
                reasons[why] += 1
    # What came nearest: its cells were all taken in, and something else was wrong.
    nearest = sorted(reasons, key=lambda reason: (reason.startswith("no computation"), -reasons[reason]))
    return None, nearest[0] if nearest else "no relation takes in all its files", len(computed)


def kept_by(corpus: Corpus, workspace: Workspace, limits: EvidenceLimits, wanted: Wanted) -> str:
    """Whether the graph that the configuration builds holds the relation, or would hold it if there were one."""
    documents = corpus.documents(workspace)
    held = "no graph"
    with Rereader(lambda sha: (corpus.path(sha), documents[sha].family)) as again:
        for pattern in RELATIONS_OF_PATTERN:
            seeded = workspace.model_copy(update={"seed": _seed(pattern)})
            graph = build(seeded, documents, again.read, limits)
            if isinstance(graph, EvidenceGraph):
                if any(wanted.missing(nodes, groups) is None for _, nodes, groups in relations(graph)):
                    return "kept"
                held = "left out"
        if held == "no graph":
            draft = Draft(workspace, again.read)
            for one in survey(workspace, documents, limits).kept:
                draft.add(one)
            if draft.relations and any(
                wanted.missing(nodes, groups) is None for _, nodes, groups in relations(draft.built())
            ):
                return "no graph to keep it in"
    return held


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--only", default="", help="relations whose id holds this")
    parser.add_argument("--cache", type=Path, help="folder that keeps the parsed files between runs")
    parser.add_argument("--kept", action="store_true", help="also build the graph of the configuration")
    parser.add_argument(
        "--sample", type=int, default=0, help="print that many found relations of the corpus instead"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=8, help="files of a topic that the sample looks at")
    options = parser.parse_args()
    with initialize_config_dir(str(Path("conf").resolve()), version_base="1.3"):
        configured = EvidenceLimits(**{k: v for k, v in compose("config").graphs.items() if k != "_target_"})
    corpus = Corpus(options.corpus, options.cache)
    if options.sample:
        sample(corpus, configured, options.sample, options.seed, options.each)
        return
    wide = configured.model_copy(update={"most_terms": 12_000, "most_lines": 3_000, "most_steps": 1_000_000})
    totals: Counter[str] = Counter()
    found: Counter[str] = Counter()
    kept: Counter[tuple[str, str]] = Counter()
    slowest = 0.0
    for known in map(json.loads, (options.corpus / "known_relations.jsonl").read_text().splitlines()):
        if options.only not in known["id"]:
            continue
        corpus.forget()
        kind = known["kind"]
        totals[kind] += 1
        workspace = corpus.workspace(known["id"], known["files"], PATTERNS[kind])
        if workspace is None:
            print(f"missed {known['id']}: a file can't be read")
            continue
        wanted = Wanted(options.corpus, known)
        begun = time.perf_counter()
        told, why, count = found_by(corpus, workspace, wide, wanted)
        spent = time.perf_counter() - begun
        slowest = max(slowest, spent)
        found[kind] += told is not None
        note = ""
        if options.kept and told is not None:
            what = kept_by(corpus, workspace, configured, wanted)
            kept[kind, what] += 1
            note = f" ({what})"
        print(
            f"{'found ' if told else 'missed'} {known['id']} {spent:.1f} s of {count}{note}: {told or why}"[
                :240
            ],
            flush=True,
        )
    print()
    for kind in totals:
        notes = "".join(f", {count} {what}" for (one, what), count in sorted(kept.items()) if one == kind)
        print(f"{kind}: {found[kind]}/{totals[kind]}{notes}")
    print(f"all: {found.total()}/{totals.total()}, slowest workspace {slowest:.1f} s")
    sys.exit(found.total() < totals.total())


def sample(corpus: Corpus, limits: EvidenceLimits, count: int, seed: int, each: int) -> None:
    """Relations drawn from all that the configuration keeps over the topics of the corpus, four files at a time."""
    topics: dict[str, list[str]] = {}
    for path, line in corpus.sources.items():
        if line["bytes"] <= LARGEST:
            topics.setdefault(path.split("/")[0], []).append(path)
    drawn = random.Random(seed)
    pool: list[tuple[str, str, str]] = []
    spent: list[float] = []
    for topic, paths in sorted(topics.items()):
        paths = sorted(paths, key=lambda path: stable_hash(seed, path))[:each]
        for start in range(0, len(paths) - 3, 4):
            workspace = corpus.workspace(f"{topic} {start}", paths[start : start + 4], "reconciliation")
            if workspace is None:
                continue
            documents = corpus.documents(workspace)
            files = [(file, documents[file.sha256]) for file in workspace.files]
            begun = time.perf_counter()
            found = best(between(files, limits), limits.most_found)
            spent.append(time.perf_counter() - begun)
            # In words at once: a relation holds on to the tables that it is between.
            pool += [(topic, one.kind, shown(one)) for one in found]
            del documents, files, found
            corpus.forget()
            print(f"{topic}: {spent[-1]:.1f} s, {len(pool)} relations so far", file=sys.stderr, flush=True)
    kinds = Counter(kind for _, kind, _ in pool)
    print(f"{len(pool)} relations in {len(spent)} workspaces: {dict(kinds)}")
    print(f"seconds a workspace: median {statistics.median(spent):.1f}, most {max(spent):.1f}")
    for topic, _, text in sorted(drawn.sample(pool, min(count, len(pool)))):
        print(f"{topic} {text}")


def shown(one: Computed) -> str:
    """A found relation to be read by hand: what it says, and its first two computations with their places."""
    lines = [f"{one.kind} {len(one.equations)}: {one.why}"]
    for equation in one.equations[:2]:
        parts = " | ".join(
            " + ".join(f"{place.value} [{place.label[:40]}; {place.measure[:30]}]" for place in part[:3])
            for part in equation.parts
        )
        lines.append(f"    {equation.template}: {parts}"[:330])
    return "\n".join(lines)


if __name__ == "__main__":
    main()
