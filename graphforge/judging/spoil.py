"""A mutant for one check: the golden file with exactly that spoiled which the check is there to see.

The ways are those of the pools of calibrate (:mod:`.mutants`), narrowed to the check, and a few that no pool needs. The
first that can be made of the golden file is the mutant; where none can, the reason is the first one's.

    mutant = spoil(spec, check, {"book.xlsx": path}, {"book.xlsx": document}, Path("scratch/book.xlsx"))
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..records import (
    Check,
    ColumnValues,
    Criterion,
    ForeignValues,
    FormulaColumn,
    Heading,
    InventedRows,
    NegativeCriterion,
    ReadableFile,
    RowSet,
    SheetPresent,
    TaskSpec,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
    Violation,
    storage_error,
)
from .checks import Deliverables
from .edits import CannotEdit, Cell, DropSheet, Edit, RenameSheet, ReplaceText, SetCells
from .grid import Names, find, label
from .mutants import (
    EDITORS,
    Idea,
    MutantKind,
    changed_cells,
    changed_texts,
    confusers,
    constants,
    dropped_rows,
    dropped_sections,
    invented_rows,
    located,
)

_OTHER_WORD = {"yes": "no", "no": "yes", "agrees": "differs", "differs": "agrees", "true": "false",
               "a": "B", "b": "C", "c": "A"}  # fmt: skip
_OTHER_NAME = "Northfield Example"
_NOTHING_SAID = "what the sources say"


@dataclass(frozen=True)
class Spoiled:
    """A mutant: how it was made, what was done, and the spoiled file; ``file`` is None where there is none left."""

    kind: MutantKind
    detail: str
    file: Path | None


def spoil(
    spec: TaskSpec,
    check: Check | Violation,
    golden: Mapping[str, Path],
    documents: Deliverables,
    target: Path,
) -> Spoiled | str:
    """Write the mutant to ``target``, or say why none can be made."""
    if isinstance(check, ReadableFile):
        return Spoiled("missing_file", "the file is left out", None)
    source = golden.get(check.file)
    if source is None or documents.get(check.file) is None:
        return f"{check.file} is missing from the golden deliverables, or can't be read"
    family = next(one.family for one in spec.deliverables if one.file == check.file)
    reason = ""
    for kind, idea in _ways(_narrowed(spec, check), check, documents):
        try:
            EDITORS[family](source, target, idea.plan())
        except CannotEdit as error:
            reason = reason or str(error)
            continue
        except OSError as error:
            raise storage_error(target, error) from None
        return Spoiled(kind, idea.detail, target)
    return reason or f"nothing can be spoiled that the check {check.kind} expects"


def _narrowed(spec: TaskSpec, check: Check | Violation) -> TaskSpec:
    """The specification with this check alone, for the generators that look over a whole one."""
    if isinstance(check, ForeignValues | TypedTotal | InventedRows):
        penalty = NegativeCriterion(
            id="N", deliverable="D", prohibited="-", penalty=1.0, anchors=(), verification="-", violations=(check,)
        )  # fmt: skip
        return spec.model_copy(update={"criteria": (), "penalties": (penalty,)})
    criterion = Criterion(
        id="C", deliverable="D", requirement="-", expected=None, weight=1.0, anchors=(), verification="-",
        checks=(check,),
    )  # fmt: skip
    return spec.model_copy(update={"criteria": (criterion,), "penalties": ()})


def _ways(
    spec: TaskSpec, check: Check | Violation, documents: Deliverables
) -> Iterator[tuple[MutantKind, Idea]]:
    match check:
        case SheetPresent():
            idea = partial(Idea, check.file)
            yield "dropped_sheet", idea(f"the sheet {check.sheet!r} is gone", partial(DropSheet, check.sheet))
            named = partial(RenameSheet, check.sheet, "Figures")
            yield "renamed_sheet", idea(f"the sheet {check.sheet!r} has another name", named)
        case RowSet() | InventedRows():
            if isinstance(check, RowSet):
                yield from (("dropped_row", idea) for idea in dropped_rows(spec, documents))
            yield from (("invented_row", idea) for idea in invented_rows(spec, documents))
            yield (
                "renamed_row",
                Idea(check.file, "a row has another name", partial(_renamed, check, documents)),
            )
        case ColumnValues() if not check.values:
            yield from ()
        case ColumnValues():
            yield from (("changed_figure", idea) for idea in changed_cells(spec, documents))
            for row, word in check.values.items():
                if isinstance(word, str):
                    plan = partial(_reworded, check, row, word, documents)
                    yield "changed_word", Idea(check.file, f"row {row!r} holds another word", plan)
        case TotalCell():
            yield from (("changed_figure", idea) for idea in changed_cells(spec, documents))
        case FormulaColumn() | TypedTotal():
            yield from (("constant_for_formula", idea) for idea in constants(spec, documents))
        case Heading():
            yield from (("dropped_section", idea) for idea in dropped_sections(spec))
            replaced = partial(ReplaceText, check.heading, "Remarks")
            yield (
                "renamed_heading",
                Idea(check.file, f"the heading {check.heading!r} reads otherwise", replaced),
            )
        case TextNumber():
            yield from (("changed_figure", idea) for idea in changed_texts(spec))
        case TextMention() if check.phrase is not None:
            replaced = partial(ReplaceText, check.phrase, _NOTHING_SAID)
            yield "removed_mention", Idea(check.file, f"nothing says {check.phrase!r}", replaced)
        case ForeignValues():
            yield from (("confuser_value", idea) for idea in confusers(spec, documents))


def _renamed(check: RowSet | InventedRows, documents: Deliverables) -> Edit:
    """A row that was asked for under a name that nobody knows."""
    document = documents.get(check.file)
    wanted = Names(check.rows)
    for frame in find(document, check.sheet, (check.key,)) if document is not None else []:
        for line in frame.rows:
            if wanted.match(old := frame.at(line, 0)) is not None:
                place = frame.table.locate(line, frame.columns[0])
                return SetCells((Cell(place, label(old), old, _OTHER_NAME),))
    raise CannotEdit(f"the golden file has none of the rows of column {check.key!r}")


def _reworded(check: ColumnValues, row: str, word: str, documents: Deliverables) -> Edit:
    """Another word in a cell of words."""
    frame, line, which = located(documents, check, row)
    new = _OTHER_WORD.get(word.casefold(), "not known")
    place = frame.table.locate(line, frame.columns[which])
    return SetCells((Cell(place, row, frame.at(line, which), new),))
