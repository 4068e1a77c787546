"""Edits of a Word document through python-docx: text is replaced inside its runs, so formats stay."""

import copy
from pathlib import Path

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph

from ..records import Locator, TableCellLocator, Value, show_number
from .checks import heads
from .edits import (
    AddRow,
    CannotEdit,
    ChangeStated,
    DropRow,
    DropSection,
    Edit,
    ReplaceText,
    Resave,
    SetCells,
    restated,
)
from .prose import statements


def opened(source: Path) -> Document:
    """The document; CannotEdit where python-docx can't open it."""
    try:
        return docx.Document(str(source))
    except (PackageNotFoundError, KeyError, ValueError) as error:
        raise CannotEdit(f"python-docx can't open it: {error}") from error


def apply(source: Path, target: Path, edit: Edit) -> None:
    """Write ``target`` as ``source`` with the edit made; CannotEdit where it is none for such a file."""
    memo = opened(source)
    match edit:
        case Resave():
            pass
        case SetCells(cells=cells):
            for cell in cells:
                table, row, column = _place(memo, cell.locator)
                write_cell(table.rows[row].cells[column].paragraphs, _text(cell.new))
        case DropRow(locator=locator):
            table, row, _ = _place(memo, locator)
            table._tbl.remove(table.rows[row]._tr)
        case AddRow(locator=locator, model=model, name=name):
            table, last, _ = _place(memo, locator)
            _, pattern, column = _place(memo, model)
            twin = copy.deepcopy(table.rows[pattern]._tr)
            table.rows[last]._tr.addnext(twin)
            write_cell(table.rows[last + 1].cells[column].paragraphs, name)
        case DropSection(heading=heading):
            _drop_section(memo, heading)
        case ChangeStated(check=check):
            changed = 0
            for paragraph in memo.paragraphs:
                for stated in reversed(statements(paragraph.text, check)):
                    digits = paragraph.text[stated.start : stated.end]
                    _replace(paragraph, stated.start, stated.end, restated(digits, check))
                    changed += 1
            if not changed:
                raise CannotEdit("no paragraph states the number")
        case ReplaceText():
            replace_text(memo, edit)
        case _:
            raise CannotEdit("a Word document has neither sheets nor columns of a data file")
    memo.save(str(target))


def replace_text(memo: Document, edit: ReplaceText) -> None:
    """Make the replacement in every paragraph, those in tables too."""
    changed = 0
    for element in memo.element.body.iter(qn("w:p")):
        paragraph = Paragraph(element, memo)
        for match in reversed(list(edit.pattern().finditer(paragraph.text))):
            _replace(paragraph, match.start(), match.end(), edit.by)
            changed += 1
    if not changed:
        raise CannotEdit(f"no paragraph holds {edit.phrase!r}")


def _place(memo: Document, locator: Locator) -> tuple[Table, int, int]:
    """Table, row and column of a located cell; tables are counted in reading order, nested ones too."""
    if not isinstance(locator, TableCellLocator):
        raise CannotEdit(f"{locator.show()} is no cell of a table")
    tables = list(memo.element.body.iter(qn("w:tbl")))
    return Table(tables[locator.table], memo), locator.row, locator.column


def write_cell(paragraphs: list[Paragraph], text: str) -> None:
    """Put a text in place of a cell's paragraphs, in the format of its first run."""
    first, *others = paragraphs
    _replace(first, 0, len(first.text), text)
    for other in others:
        parent = other._p.getparent()
        if parent is not None:
            parent.remove(other._p)


def _replace(paragraph: Paragraph, start: int, end: int, text: str) -> None:
    """Replace a span of a paragraph's text; the run that holds its start takes the new text."""
    if "".join(run.text for run in paragraph.runs) != paragraph.text or not paragraph.runs:
        # Hyperlinks and fields stand outside the runs: the text is then laid flat.
        flat = paragraph.text[:start] + text + paragraph.text[end:]
        paragraph.text = flat
        return
    position, written = 0, False
    for run in paragraph.runs:
        content = run.text
        left, right = max(start - position, 0), min(end - position, len(content))
        holds = position <= start <= position + len(content) and not written
        if left < right or holds:
            run.text = content[:left] + ("" if written else text) + content[max(right, left) :]
            written = True
        position += len(content)


def _drop_section(memo: Document, heading: str) -> None:
    doomed: list[object] = []
    level: int | None = None
    for element in list(memo.element.body):
        if element.tag == qn("w:sectPr"):
            continue
        if element.tag == qn("w:p"):
            paragraph = Paragraph(element, memo)
            depth = _level(paragraph)
            if level is None and heads(paragraph.text, heading):
                level = depth or 9
            elif level is not None and depth is not None and depth <= level:
                break
        if level is not None:
            doomed.append(element)
    if not doomed:
        raise CannotEdit(f"the document has no heading {heading!r}")
    for element in doomed:
        memo.element.body.remove(element)


def _level(paragraph: Paragraph) -> int | None:
    name = (paragraph.style.name or "").casefold() if paragraph.style is not None else ""
    if name == "title":
        return 0
    return int(name[8:]) if name.startswith("heading ") and name[8:].isdigit() else None


def _text(value: Value) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return "" if value is None else str(value)
    return show_number(float(value))
