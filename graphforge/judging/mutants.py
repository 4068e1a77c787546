"""The calibration pool of a task: the golden deliverables, and copies in which exactly one thing is wrong.

What to spoil is chosen from the specification by a stable hash; where it stands is read off the parsed golden
file; the file itself is changed by the module of its format. Every kind ends as a mutant or with the
reason why this task can't have one.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from ..records import (
    Check,
    ColumnValues,
    FormulaColumn,
    Heading,
    InventedRows,
    Record,
    RowSet,
    SheetPresent,
    TaskSpec,
    TextNumber,
    TotalCell,
    TypedTotal,
    Value,
    close,
    stable_hash,
    storage_error,
)
from ..records import ForeignValues as Foreign
from . import edit_csv, edit_docx, edit_pdf, edit_xlsx
from .checks import Deliverables, labelled
from .edits import (
    AddRow,
    CannotEdit,
    Cell,
    ChangeStated,
    DropColumn,
    DropRow,
    DropSection,
    DropSheet,
    Edit,
    Resave,
    SetCells,
    altered,
)
from .grid import Frame, Names, aggregate, filled, find, label, number

MutantKind = Literal[
    "changed_figure",
    "confuser_value",
    "neighbour_value",
    "dropped_sheet",
    "dropped_section",
    "dropped_column",
    "constant_for_formula",
    "dropped_row",
    "invented_row",
    "missing_file",
    "empty_file",
    "changed_word",
    "removed_mention",
    "renamed_sheet",
    "renamed_heading",
    "renamed_row",
]
"""The last five are made for single checks (:mod:`.spoil`), not for the pools of calibrate."""

_LEAST = 6
EDITORS = {"xlsx": edit_xlsx.apply, "csv": edit_csv.apply, "docx": edit_docx.apply, "pdf": edit_pdf.apply}


class Mutant(Record):
    """One spoiled copy: what was done to which file."""

    name: str
    kind: MutantKind
    file: str
    detail: str


class NotMade(Record):
    """A kind of mutant that this task can't have, and why."""

    kind: MutantKind
    reason: str


@dataclass(frozen=True)
class MutantPool:
    """The files of every candidate, by candidate name; ``golden`` is the golden one, saved again."""

    files: Mapping[str, Mapping[str, Path]]
    mutants: tuple[Mutant, ...]
    not_made: tuple[NotMade, ...]


@dataclass(frozen=True)
class Idea:
    """One way to spoil one file; ``plan`` gives the edit, or raises CannotEdit."""

    file: str
    detail: str
    plan: Callable[[], Edit]


def mutate(spec: TaskSpec, golden: Mapping[str, Path], documents: Deliverables, folder: Path) -> MutantPool:
    """Write the golden deliverables (saved again by the same libraries) and the mutants below ``folder``.

    ``golden`` and ``documents`` hold the same files, on disk and parsed. Each candidate has its own folder.
    """
    maker = _Maker(spec, golden, documents, folder)
    maker.resave()
    maker.one("changed_figure", changed_cells(spec, documents))
    maker.one("changed_figure", changed_texts(spec), optional=True)
    if not maker.one("confuser_value", confusers(spec, documents)):
        maker.one("neighbour_value", neighbours(spec, documents))
    maker.one("dropped_sheet", dropped_sheets(spec))
    maker.one("dropped_section", dropped_sections(spec))
    maker.one("dropped_column", dropped_columns(spec, documents))
    maker.one("constant_for_formula", constants(spec, documents))
    maker.one("dropped_row", dropped_rows(spec, documents))
    maker.one("invented_row", invented_rows(spec, documents))
    maker.missing()
    maker.empty()
    maker.fill("changed_figure", changed_cells(spec, documents))
    maker.fill("changed_figure", changed_texts(spec))
    maker.fill("dropped_section", dropped_sections(spec))
    maker.fill("dropped_row", dropped_rows(spec, documents))
    kinds = {mutant.kind for mutant in maker.mutants}
    not_made = tuple(one for one in maker.not_made if one.kind not in kinds)
    return MutantPool(maker.files, tuple(maker.mutants), not_made)


class _Maker:
    """Turns ideas into folders of files, and keeps the books."""

    def __init__(self, spec: TaskSpec, golden: Mapping[str, Path], documents: Deliverables, folder: Path):
        self.spec, self.golden, self.documents, self.folder = spec, golden, documents, folder
        self.files: dict[str, dict[str, Path]] = {}
        self.mutants: list[Mutant] = []
        self.not_made: list[NotMade] = []
        self._done: set[tuple[str, str]] = set()

    def resave(self) -> None:
        """Write the golden files as the mutants' unchanged files are written."""
        home = self._folder("golden")
        self.files["golden"] = {}
        for deliverable in self.spec.deliverables:
            name = deliverable.file
            document = self.documents.get(name)
            if name not in self.golden or document is None or document.family != deliverable.family:
                continue
            try:
                self._apply(name, self.golden[name], home / name, Resave())
            except CannotEdit:
                # Then no edit of it can be made either, so that a plain copy is on the mutants' path too.
                self._copy(self.golden[name], home / name)
            self.files["golden"][name] = home / name

    def one(self, kind: MutantKind, ideas: Iterator[Idea], optional: bool = False) -> bool:
        """Make a mutant from the first idea that works; else note why the first one didn't."""
        reason = ""
        for idea in ideas:
            if (idea.file, idea.detail) in self._done:
                continue
            if idea.file not in self.files["golden"]:
                reason = reason or f"{idea.file} is missing from the golden deliverables, or can't be read"
                continue
            try:
                self._write(kind, idea)
            except CannotEdit as error:
                reason = reason or f"{idea.file}: {error}"
                continue
            return True
        if not optional:
            self.not_made.append(NotMade(kind=kind, reason=reason or _NOTHING[kind]))
        return False

    def missing(self) -> None:
        """A candidate that lacks one file."""
        name = self._checked_file("missing_file")
        if name is not None:
            self._candidate("missing_file", name, "the file is left out", without=name)

    def empty(self) -> None:
        """A candidate with one file of zero bytes."""
        name = self._checked_file("empty_file")
        if name is not None:
            self._candidate("empty_file", name, "the file has no content")
            self.files[self.mutants[-1].name][name].write_bytes(b"")

    def fill(self, kind: MutantKind, ideas: Iterator[Idea]) -> None:
        """More mutants of a kind where one of each kind makes fewer than six."""
        while len(self.mutants) < _LEAST and self.one(kind, ideas, optional=True):
            pass

    def _checked_file(self, kind: MutantKind) -> str | None:
        """A golden file that a criterion looks at."""
        names = {check.file for criterion in self.spec.criteria for check in criterion.checks}
        known = sorted(names & set(self.files["golden"]))
        if not known:
            self.not_made.append(
                NotMade(kind=kind, reason="no criterion looks at a golden file that can be read")
            )
            return None
        return min(known, key=lambda name: stable_hash(self.spec.id, kind, name))

    def _write(self, kind: MutantKind, idea: Idea) -> None:
        edit = idea.plan()
        source = self.files["golden"][idea.file]
        trial = self._folder("trial") / idea.file
        self._apply(idea.file, source, trial, edit)
        self._candidate(kind, idea.file, idea.detail)
        trial.replace(self.files[self.mutants[-1].name][idea.file])
        self._done.add((idea.file, idea.detail))

    def _apply(self, name: str, source: Path, target: Path, edit: Edit) -> None:
        family = next(one.family for one in self.spec.deliverables if one.file == name)
        try:
            EDITORS[family](source, target, edit)
        except OSError as error:
            raise storage_error(target, error) from None

    def _candidate(self, kind: MutantKind, file: str, detail: str, without: str | None = None) -> None:
        """A new candidate with copies of the golden files."""
        taken = sum(mutant.kind == kind for mutant in self.mutants)
        name = kind if not taken else f"{kind}-{taken + 1}"
        home = self._folder(name)
        self.files[name] = {
            each: self._copy(source, home / each)
            for each, source in self.files["golden"].items()
            if each != without
        }
        self.mutants.append(Mutant(name=name, kind=kind, file=file, detail=detail))

    @staticmethod
    def _copy(source: Path, target: Path) -> Path:
        try:
            shutil.copyfile(source, target)
        except OSError as error:
            raise storage_error(target, error) from None
        return target

    def _folder(self, name: str) -> Path:
        home = self.folder / name
        try:
            home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(home, error) from None
        return home


_NOTHING: dict[MutantKind, str] = {
    "changed_figure": "no criterion expects a figure in a table",
    "confuser_value": "no negative criterion names a confuser's values",
    "neighbour_value": "no criterion expects the figures of a column",
    "dropped_sheet": "no criterion asks for a sheet",
    "dropped_section": "no criterion asks for a heading",
    "dropped_column": "no criterion looks at a column of a csv file",
    "constant_for_formula": "no criterion asks for a formula",
    "dropped_row": "no criterion names the rows of a table",
    "invented_row": "no criterion names the rows of a table",
}


# what to spoil: pure functions of the specification, and of where the parsed golden file has it

T = TypeVar("T")
Asked = ColumnValues | TotalCell


def _ranked(spec: TaskSpec, kind: str, items: Sequence[tuple[tuple[str, ...], T]]) -> list[T]:
    """The items in the order of a stable hash of their keys; equal keys once."""
    distinct = dict(items)
    return [distinct[key] for key in sorted(distinct, key=lambda key: stable_hash(spec.id, kind, *key))]


def _checks(spec: TaskSpec) -> list[Check]:
    return [check for criterion in spec.criteria for check in criterion.checks]


def _figures(spec: TaskSpec) -> list[tuple[tuple[str, ...], tuple[Asked, str]]]:
    """Every figure that a criterion expects in a table: its key, the check, and the name of the row."""
    found: list[tuple[tuple[str, ...], tuple[Asked, str]]] = []
    for check in _checks(spec):
        if isinstance(check, ColumnValues):
            found += [
                ((check.file, check.sheet, check.column, row), (check, row))
                for row, value in check.values.items()
                if not isinstance(value, str)
            ]
        elif isinstance(check, TotalCell) and check.value is not None:
            found.append(((check.file, check.sheet, check.column, check.label), (check, check.label)))
    return found


def located(documents: Deliverables, check: Asked | Foreign | TypedTotal, row: str) -> tuple[Frame, int, int]:
    """Table, row and column index (in the frame) of a figure in the golden file."""
    document = documents.get(check.file)
    if document is None:
        raise CannotEdit("the golden file is missing or can't be read")
    if isinstance(check, TotalCell | TypedTotal):
        _, place = labelled(document, check.sheet, check.label, check.column)
        if place is not None:
            return (*place, 0)
    else:
        names = Names([row])
        for frame in find(document, check.sheet, (check.key, check.column)):
            for line in frame.rows:
                if names.match(frame.at(line, 0)) is not None and filled(frame.at(line, 1)):
                    return frame, line, 1
    raise CannotEdit(f"the golden file has no row {row!r} with a column {check.column!r}")


def _spoiled(frame: Frame, line: int, which: int, row: str, new: float) -> Cell:
    """The cell with another figure: a formula stays one, printed figures keep their look."""
    column = frame.columns[which]
    old = frame.at(line, which)
    held = number(old)
    if held is None:
        raise CannotEdit(f"the cell of row {row!r} holds no figure")
    value: Value = new
    formula = frame.table.formulas.get(f"{line},{column}")
    if formula is not None:
        value = f"=({formula.removeprefix('=')})+({new - held!r})"
    elif isinstance(old, str):
        decimals = _decimals(old)
        printed = f"{new:,.{decimals}f}" if "," in old else f"{new:.{decimals}f}"
        value = _PRINTED.sub(lambda _: printed, old, count=1)
        if number(value) is None or not close(number(value) or 0.0, float(printed.replace(",", ""))):
            # A sign, a bracket or an exponent around the digits: the plain figure says it best.
            value = printed
    return Cell(frame.table.locate(line, column), row, old, value)


_PRINTED = re.compile(r"\d[\d,]*(?:\.\d+)?")


def _decimals(value: Value) -> int:
    """The decimals that a figure is written with, 6 at most."""
    text = value if isinstance(value, str) else repr(value)
    match = re.search(r"\.(\d+)", text)
    return 0 if match is None or match[1] == "0" else min(6, len(match[1]))


def changed_cells(spec: TaskSpec, documents: Deliverables) -> Iterator[Idea]:
    for check, row in _ranked(spec, "changed_figure", _figures(spec)):

        def plan(check: Asked = check, row: str = row) -> Edit:
            frame, line, which = located(documents, check, row)
            old = frame.at(line, which)
            held = number(old)
            if held is None:
                raise CannotEdit(f"the cell of row {row!r} holds no figure")
            new = altered(held, _decimals(old), check.absolute, check.relative)
            return SetCells((_spoiled(frame, line, which, row, new),))

        yield Idea(check.file, f"row {row!r}, column {check.column!r} holds another figure", plan)


def changed_texts(spec: TaskSpec) -> Iterator[Idea]:
    stated = [
        ((check.file, *check.terms, repr(check.value)), check)
        for check in _checks(spec)
        if isinstance(check, TextNumber) and check.value is not None
    ]
    for check in _ranked(spec, "changed_figure", stated):
        about = " ".join(check.terms) or "a sentence"
        yield Idea(check.file, f"the text states another figure for {about}", partial(ChangeStated, check))


def confusers(spec: TaskSpec, documents: Deliverables) -> Iterator[Idea]:
    foreign = [
        ((check.file, check.sheet, check.column), check)
        for penalty in spec.penalties
        for check in penalty.violations
        if isinstance(check, Foreign) and check.values
    ]
    for check in _ranked(spec, "confuser_value", foreign):

        def plan(check: Foreign = check) -> Edit:
            cells, reason = [], ""
            for row, value in check.values.items():
                try:
                    frame, line, which = located(documents, check, row)
                except CannotEdit as error:
                    reason = reason or str(error)
                    continue
                place = frame.table.locate(line, frame.columns[which])
                cells.append(Cell(place, row, frame.at(line, which), float(value)))
            if not cells:
                raise CannotEdit(reason)
            return SetCells(tuple(cells))

        yield Idea(check.file, f"column {check.column!r} holds the confuser's values", plan)


def neighbours(spec: TaskSpec, documents: Deliverables) -> Iterator[Idea]:
    for check, row in _ranked(spec, "neighbour_value", _figures(spec)):
        if not isinstance(check, ColumnValues):
            continue
        own = check.values[row]
        rows = list(check.values)
        after = rows[rows.index(row) + 1 :] + rows[: rows.index(row)]
        other = next(
            (
                name
                for name in after
                if not isinstance(check.values[name], str)
                and not close(float(check.values[name]), float(own), 3 * check.absolute, 3 * check.relative)
            ),
            None,
        )
        if other is None:
            continue

        def plan(check: ColumnValues = check, row: str = row, other: str = other) -> Edit:
            frame, line, which = located(documents, check, row)
            beside, below, _ = located(documents, check, other)
            new = number(beside.at(below, which))
            if new is None:
                raise CannotEdit(f"the cell of row {other!r} holds no figure")
            return SetCells((_spoiled(frame, line, which, row, new),))

        yield Idea(
            check.file, f"row {row!r}, column {check.column!r} holds the figure of row {other!r}", plan
        )


def dropped_sheets(spec: TaskSpec) -> Iterator[Idea]:
    sheets = [
        ((check.file, check.sheet), (check.file, check.sheet))
        for check in _checks(spec)
        if isinstance(check, SheetPresent | RowSet | ColumnValues | FormulaColumn | TotalCell) and check.sheet
    ]
    for file, sheet in _ranked(spec, "dropped_sheet", sheets):
        yield Idea(file, f"the sheet {sheet!r} is gone", partial(DropSheet, sheet))


def dropped_sections(spec: TaskSpec) -> Iterator[Idea]:
    headings = [((check.file, check.heading), check) for check in _checks(spec) if isinstance(check, Heading)]
    for check in _ranked(spec, "dropped_section", headings):
        yield Idea(
            check.file,
            f"the section {check.heading!r} is gone",
            partial(DropSection, check.heading),
        )


def dropped_columns(spec: TaskSpec, documents: Deliverables) -> Iterator[Idea]:
    delimited = {deliverable.file for deliverable in spec.deliverables if deliverable.family == "csv"}
    columns = [
        ((check.file, check.column), check)
        for check in _checks(spec)
        if isinstance(check, ColumnValues) and check.file in delimited
    ]
    for check in _ranked(spec, "dropped_column", columns):

        def plan(check: ColumnValues = check) -> Edit:
            document = documents.get(check.file)
            frames = find(document, check.sheet, (check.column,)) if document is not None else []
            if not frames:
                raise CannotEdit(f"the golden file has no column {check.column!r}")
            return DropColumn(frames[0].table.locate(0, frames[0].columns[0]))

        yield Idea(check.file, f"the column {check.column!r} is gone", plan)


def constants(spec: TaskSpec, documents: Deliverables) -> Iterator[Idea]:
    asked: list[tuple[tuple[str, ...], FormulaColumn | TypedTotal]] = [
        ((check.file, check.sheet, check.column), check)
        for check in _checks(spec)
        if isinstance(check, FormulaColumn)
    ]
    asked += [
        ((check.file, check.sheet, check.column, check.label), check)
        for penalty in spec.penalties
        for check in penalty.violations
        if isinstance(check, TypedTotal)
    ]
    for check in _ranked(spec, "constant_for_formula", asked):

        def plan(check: FormulaColumn | TypedTotal = check) -> Edit:
            if isinstance(check, TypedTotal):
                frame, line, _ = located(documents, check, check.label)
                places = [(frame, line)] if frame.formula(line, 0) else []
            else:
                document = documents.get(check.file)
                frames = find(document, check.sheet, (check.column,)) if document is not None else []
                places = [(frame, line) for frame in frames for line in frame.rows if frame.formula(line, 0)]
            if not places:
                raise CannotEdit(f"the golden file has no formula in column {check.column!r}")
            if any(frame.at(line, 0) is None for frame, line in places):
                raise CannotEdit(f"a formula of column {check.column!r} has no computed value")
            return SetCells(
                tuple(
                    Cell(frame.table.locate(line, frame.columns[0]), "", frame.at(line, 0), frame.at(line, 0))
                    for frame, line in places
                )
            )

        row = f"row {check.label!r} of " if isinstance(check, TypedTotal) else ""
        yield Idea(check.file, f"{row}column {check.column!r} holds typed values for formulas", plan)


def dropped_rows(spec: TaskSpec, documents: Deliverables) -> Iterator[Idea]:
    named: list[tuple[tuple[str, ...], tuple[RowSet | ColumnValues, str]]] = []
    for check in _checks(spec):
        if isinstance(check, RowSet):
            named += [((check.file, check.sheet, row), (check, row)) for row in check.rows]
        elif isinstance(check, ColumnValues):
            named += [((check.file, check.sheet, row), (check, row)) for row in check.values]
    for check, row in _ranked(spec, "dropped_row", named):

        def plan(check: RowSet | ColumnValues = check, row: str = row) -> Edit:
            document = documents.get(check.file)
            names = Names([row])
            for frame in find(document, check.sheet, (check.key,)) if document is not None else []:
                for line in frame.rows:
                    if names.match(frame.at(line, 0)) is not None:
                        return DropRow(frame.table.locate(line, frame.columns[0]), label(frame.at(line, 0)))
            raise CannotEdit(f"the golden file has no row {row!r}")

        yield Idea(check.file, f"the row {row!r} is gone", plan)


_MADE_UP = ("Northfield Example", "Westbrook Example", "Eastmere Example", "Southgate Example")


def invented_rows(spec: TaskSpec, documents: Deliverables) -> Iterator[Idea]:
    closed: list[tuple[tuple[str, ...], RowSet | InventedRows]] = [
        ((check.file, check.sheet), check)
        for check in _checks(spec)
        if isinstance(check, RowSet) and check.rows
    ]
    closed += [
        ((check.file, check.sheet), check)
        for penalty in spec.penalties
        for check in penalty.violations
        if isinstance(check, InventedRows) and check.rows
    ]
    for check in _ranked(spec, "invented_row", closed):
        wanted = Names(check.rows)
        if all(row.isdigit() for row in check.rows):
            name = str(max(int(row) for row in check.rows) + 1)
        else:
            free = [one for one in _MADE_UP if wanted.match(one) is None]
            name = min(free, key=lambda one: stable_hash(spec.id, "invented_row", one))

        def plan(check: RowSet | InventedRows = check, wanted: Names = wanted, name: str = name) -> Edit:
            document = documents.get(check.file)
            for frame in find(document, check.sheet, (check.key,)) if document is not None else []:
                known = [line for line in frame.rows if wanted.match(frame.at(line, 0)) is not None]
                if known:
                    last = max(
                        line for line in frame.rows if line in known or aggregate(label(frame.at(line, 0)))
                    )
                    column = frame.columns[0]
                    return AddRow(
                        frame.table.locate(last, column), frame.table.locate(known[-1], column), name
                    )
            raise CannotEdit(f"the golden file has none of the rows of column {check.key!r}")

        yield Idea(check.file, f"the row {name!r} is in no source", plan)
