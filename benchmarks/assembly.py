"""How well assembled workspaces hang together, found out from the original files by code of its own.

    python benchmarks/assembly.py [--library ../shared/corpus] [--occupations ../shared/onet/30.1] [--seeds 400]
                                  [--count 50] [--cache FOLDER] [--show N] [--set assembly.alone=0 ...]

Seeds are proposed and chosen as the seeds stage does, the library is opened and assembled as the workspaces stage does,
and the first ``count`` workspaces are looked at. What follows imports nothing of the assembler: the core files are
read again with the bare libraries (csv, calamine, PyMuPDF, python-docx, python-pptx, lxml, json), and a relation
between two of them counts only where it is computed here:

- **join**: a column of one and a column of the other share at least 5 names, and half of the shorter one's;
- **values**: at least 3 figures of five or more digits stand in both, and they are at least 2 % of the shorter one's;
- **periods**: a column of each holds at least 8 years, months or dates in common, half of the shorter one's, and the
  two files have a word of five letters or more in common in the head of a column;
- **reference**: the running text of one holds a name of the other together with a figure of that name's row, or
  the other's file name or title.

A workspace passes where any two of its core files have one. Copies are looked for among all its files: the same bytes,
or nine tenths of the runs of five words in common (``close``; editions may be close, so these are listed to be looked
at). The share of workspaces that pass is printed, and how many had one core file only.
"""

import argparse
import csv
import hashlib
import io
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import docx
import lxml.html
import pptx
import pymupdf
import python_calamine
from hydra import compose, initialize_config_dir

from graphforge.config import validate
from graphforge.evidence import holds
from graphforge.records import Workspace
from graphforge.seeds import Candidate, choose, propose, seed_dimensions
from graphforge.workspace import Library, assemble

ROOT = Path(__file__).resolve().parents[1]
NAMES, SHARED = 5, 0.5
DIGITS, FIGURES, PART = 5, 3, 0.02
PERIODS = 8
CLOSE = 0.9
_PERIOD = re.compile(r"(?:19|20)\d\d(?:-\d\d){0,2}(?=\.0$|$|[ T])")
_USUAL = frozenset("annual average column dates percent source table total value values years".split())
_NUMBER = re.compile(r"(?<![\w.])[$€£(]?-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.])-?\d+(?:\.\d+)?(?![\w])")


class Content:
    """A file as a bare library reads it: rows of cells, and running text."""

    def __init__(self, path: Path, family: str):
        self.rows: list[list[list[str]]] = []
        self.text = ""
        getattr(self, f"_{family}", self._txt)(path)
        self.columns = [column for rows in self.rows for column in _columns(rows)]
        words = f"{self.text} {' '.join(cell for rows in self.rows for row in rows for cell in row)}"
        self.periods = [column for rows in self.rows for column in _periods(rows)]
        self.heads = {
            word
            for rows in self.rows
            for row in rows[:12]
            for cell in row
            for word in re.findall(r"[a-z]{5,}", cell.casefold())
        }
        self.figures = frozenset(figure for figure in map(_figure, _NUMBER.findall(words)) if figure)
        tokens = re.findall(r"\w+", words.casefold())
        self.grams = {tuple(tokens[place : place + 5]) for place in range(len(tokens) - 4)}

    def _csv(self, path: Path) -> None:
        text = _decoded(path)
        try:
            dialect: Any = csv.Sniffer().sniff(text[:20_000], ",;\t|")
        except csv.Error:
            dialect = csv.excel
        self.rows = [list(csv.reader(io.StringIO(text), dialect))]

    def _xlsx(self, path: Path) -> None:
        with path.open("rb") as handle:
            book = python_calamine.CalamineWorkbook.from_filelike(handle)
            for name in book.sheet_names:
                rows = book.get_sheet_by_name(name).to_python()
                self.rows.append([[_cell(value) for value in row] for row in rows])

    _xls = _xlsx

    def _pdf(self, path: Path) -> None:
        with pymupdf.open(path, filetype="pdf") as document:
            for page in document:
                text = page.get_text("text", sort=True)
                self.text += text + "\n"
                # Columns of a page as people see them: words apart by two spaces or more.
                self.rows.append([re.split(r"\s{2,}", line.strip()) for line in text.splitlines()])

    def _docx(self, path: Path) -> None:
        document = docx.Document(str(path))
        self.text = "\n".join(paragraph.text for paragraph in document.paragraphs)
        self.rows = [[[cell.text for cell in row.cells] for row in table.rows] for table in document.tables]

    def _pptx(self, path: Path) -> None:
        for slide in pptx.Presentation(str(path)).slides:
            for shape in slide.shapes:
                if shape.has_text_frame:
                    self.text += shape.text_frame.text + "\n"
                if getattr(shape, "has_table", False):
                    self.rows.append([[cell.text for cell in row.cells] for row in shape.table.rows])

    def _html(self, path: Path) -> None:
        tree = lxml.html.fromstring(path.read_bytes())
        self.text = tree.text_content()
        for table in tree.iter("table"):
            self.rows.append(
                [[cell.text_content().strip() for cell in row.iter("td", "th")] for row in table.iter("tr")]
            )

    def _json(self, path: Path) -> None:
        rows = json.loads(_decoded(path))
        self.text = json.dumps(rows, ensure_ascii=False)
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            self.rows = [[[_cell(value) for value in row.values()] for row in rows]]

    def _txt(self, path: Path) -> None:
        self.text = _decoded(path)
        self.rows = [[re.split(r"\s*\|\s*|\t", line.strip(" |")) for line in self.text.splitlines()]]

    def _image(self, path: Path) -> None:
        self.text = ""


def _decoded(path: Path) -> str:
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    return "" if value is None else str(value)


def _clean(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _columns(rows: list[list[str]]) -> Iterator[frozenset[str]]:
    """The names in every column that has any: no numbers, no dates."""
    width = max((len(row) for row in rows), default=0)
    for place in range(min(width, 200)):
        raw = {row[place] for row in rows if place < len(row) and row[place]}
        names = {_clean(cell) for cell in raw if len(cell) <= 80}
        named = frozenset(name for name in names if len(name) > 2 and not re.search(r"\d", name))
        if len(named) >= NAMES:
            yield named


def _periods(rows: list[list[str]]) -> Iterator[frozenset[str]]:
    """The years, months and dates in every column that has any."""
    width = max((len(row) for row in rows), default=0)
    for place in range(min(width, 200)):
        told = frozenset(
            found[0] for row in rows if place < len(row) and (found := _PERIOD.match(row[place].strip()))
        )
        if len(told) >= PERIODS:
            yield told


def _figure(text: str) -> str:
    bare = re.sub(r"[^\d.]", "", text)
    try:
        number = f"{float(bare):.10g}"
    except ValueError:
        return ""
    return number if len(number.replace(".", "").strip("0")) >= DIGITS and "e" not in number else ""


def relation(one: Content, two: Content, titles: tuple[list[str], list[str]]) -> str:
    """What two files have to do with one another, in a line; empty for nothing that could be computed."""
    best = max(
        (
            (len(left & right), min(len(left), len(right)))
            for left in one.columns
            for right in two.columns
            if len(left & right) >= max(NAMES, SHARED * min(len(left), len(right)))
        ),
        default=None,
    )
    if best:
        return f"join: {best[0]} of {best[1]} names"
    common = one.figures & two.figures
    if len(common) >= max(FIGURES, PART * min(len(one.figures), len(two.figures))):
        return f"values: {len(common)} figures"
    shared = max((len(left & right) for left in one.periods for right in two.periods
                  if len(left & right) >= max(PERIODS, SHARED * min(len(left), len(right)))), default=0)  # fmt: skip
    if shared and (words := (one.heads & two.heads) - _USUAL):
        return f"periods: {shared}, on {sorted(words)[:3]}"
    for here, there, called in ((one, two, titles[1]), (two, one, titles[0])):
        told = f" {_clean(here.text)} "
        if any(len(name) >= 12 and f" {name} " in told for name in map(_clean, called)):
            return "reference: by name"
        for sentence in re.split(r"(?<=[.!?])\s+|\n", here.text):
            stated = {re.sub(r"[^\d.]", "", number) for number in _NUMBER.findall(sentence)}
            if stated and (row := _row_told(_clean(sentence), stated, there)):
                return f"reference: states the row {row!r}"
    return ""


def _row_told(sentence: str, stated: set[str], there: Content) -> str:
    for rows in there.rows:
        for row in rows[:2_000]:
            name = _clean(row[0]) if row else ""
            if len(name) > 3 and f" {name} " in f" {sentence} ":
                cells = {re.sub(r"[^\d.]", "", cell) for cell in row[1:]}
                if any(len(cell.replace(".", "")) >= 3 for cell in cells & stated):
                    return row[0]
    return ""


def examine(library: Library, workspace: Workspace, read: dict[str, Content]) -> tuple[list[str], list[str]]:
    """The relations between core files, and the copies among all files, a line each."""
    for file in workspace.files:
        if file.sha256 not in read:
            read[file.sha256] = Content(library.locate(file.sha256), file.family)
    related = []
    for one, two in combinations(workspace.with_role("core"), 2):
        titles = (
            [one.name.rpartition(".")[0], one.source.title],
            [two.name.rpartition(".")[0], two.source.title],
        )
        if how := relation(read[one.sha256], read[two.sha256], titles):
            related.append(f"{one.name} ~ {two.name}: {how}")
    copies = []
    for left, right in combinations(workspace.files, 2):
        here, there = read[left.sha256].grams, read[right.sha256].grams
        bytes_of = [hashlib.sha256(library.locate(one.sha256).read_bytes()).digest() for one in (left, right)]
        alike = len(here & there) / len(here | there) if here and there else 0.0
        if bytes_of[0] == bytes_of[1] or alike >= CLOSE:
            copies.append(f"{left.name} = {right.name}: {alike:.3f}")
    return related, copies


def main(given: argparse.Namespace, cache: Path) -> None:
    """Assemble, look, print."""
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        overrides = [f"library={given.library}", f"seeds.count={given.seeds}", *given.set]
        if given.occupations:
            overrides += ["occupations=onet", f"occupations.root={given.occupations}"]
        config = validate(compose("config", overrides))
    tables = config.digital.apply(config.occupations.load()).tables
    proposed, _ = propose(tables, config.engine.patterns, config.retrieval)
    candidates = [Candidate(id=seed.id, values=seed_dimensions(seed)) for seed in proposed]
    seeds, _ = choose(proposed, candidates, config.balance, given.seeds, config.seeds.demand_cap)
    library = config.search.open(cache)
    bar = partial(holds, documents=library.documents, limits=config.graphs)
    made = assemble(library, seeds, config.assembly, bar)
    workspaces, rejections = list(made.workspaces), made.rejections
    print(f"{len(library.files)} files, {len(seeds)} seeds, {len(workspaces)} workspaces; rejected: "
          f"{dict(Counter(one.reason for one in rejections))}")  # fmt: skip
    workspaces = workspaces[: given.count]
    if not workspaces:
        sys.exit("no workspace to look at")
    read: dict[str, Content] = {}
    kinds: Counter[str] = Counter()
    passed = alone = 0
    found_copies: list[str] = []
    for number, workspace in enumerate(workspaces):
        related, copies = examine(library, workspace, read)
        passed += bool(related)
        alone += len(workspace.with_role("core")) < 2
        found_copies += copies
        kinds.update(line.split(": ")[1] for line in related)
        if not related or number < given.show:
            print(f"-- {workspace.id} {workspace.topic}, {workspace.seed.pattern}: {workspace.seed.demand}")
            for file in workspace.files:
                print(f"     {file.role:10} {file.name}: {file.why}")
            print(f"     {'; '.join(related) or 'NO RELATION between core files'}")
    total = len(workspaces)
    print(
        f"two core files with a computed relation: {passed} of {total} ({passed / total:.0%}); kinds {dict(kinds)}"
    )
    print(f"a single core file: {alone}; topics: {len({one.topic for one in workspaces})}; sizes: "
          f"{dict(sorted(Counter(len(one.files) for one in workspaces).items()))}")  # fmt: skip
    print(f"close pairs in one workspace: {len(found_copies)}")
    for line in sorted(set(found_copies)):
        print(f"     {line}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--library", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--occupations", type=Path, default=ROOT.parent / "shared" / "onet" / "30.1")
    parser.add_argument("--seeds", type=int, default=400)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument(
        "--cache", type=Path, help="where parsed files are kept (a folder that is removed, without it)"
    )
    parser.add_argument("--show", type=int, default=0, help="print so many workspaces whole")
    parser.add_argument("--set", action="append", default=[], help="a setting of conf/, as key=value")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        main(arguments, arguments.cache or Path(scratch))
