"""A Word document otherwise, and as right as before."""

import copy
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from docx.document import Document as Memo
from docx.oxml.ns import qn
from docx.shared import Cm
from docx.table import Table

from ..records import Document, TableCellLocator
from .asked import Asked, AskedTable
from .checks import heads
from .edit_docx import opened, write_cell
from .edits import CannotEdit
from .grid import filled, label
from .looks import other_look, restyled, reworded

Change = Callable[[Memo, Asked], int]


def _tables(memo: Memo, asked: Asked) -> Iterator[tuple[Table, AskedTable]]:
    """The asked tables, those with cells that span several others left out."""
    elements = list(memo.element.body.iter(qn("w:tbl")))
    for table in asked.tables:
        origin = table.table.origin
        if not isinstance(origin, TableCellLocator) or origin.row or origin.column:
            continue
        element = elements[origin.table]
        spans = [*element.iter(qn("w:gridSpan")), *element.iter(qn("w:vMerge"))]
        if not spans and len(element.findall(qn("w:tr"))) == len(table.table.grid):
            yield Table(element, memo), table


def row_order(memo: Memo, asked: Asked) -> int:
    """The named rows the other way round."""
    changed = 0
    for table, known in _tables(memo, asked):
        elements = [table.rows[row]._tr for row in known.rows]
        twins = [copy.deepcopy(element) for element in elements]
        for element, twin in zip(elements, reversed(twins), strict=True):
            if (parent := element.getparent()) is not None:
                parent.replace(element, twin)
        changed += len(elements) > 1
    return changed


def column_order(memo: Memo, asked: Asked) -> int:
    """The columns after that of the names the other way round."""
    changed = 0
    for table, known in _tables(memo, asked):
        for row in table._tbl.findall(qn("w:tr")):
            cells = row.findall(qn("w:tc"))[known.key + 1 :]
            for cell in cells:
                row.remove(cell)
            row.extend(reversed(cells))
            changed += len(cells) > 1
    return changed


def other_rendering(memo: Memo, asked: Asked) -> int:
    """The figures of tables and sentences in another look."""
    changed = 0
    for table, known in _tables(memo, asked):
        rows = table.rows
        for row, column in known.figures():
            cell = rows[row].cells[column]
            if (new := other_look(cell.text)) != cell.text:
                write_cell(cell.paragraphs, new)
                changed += 1
    return changed + _paragraphs(memo, lambda text: restyled(text, asked.stated))


def other_wording(memo: Memo, asked: Asked) -> int:
    """Other words around the figures that sentences state."""
    return _paragraphs(memo, lambda text: reworded(text, asked.stated, asked.phrases))


def _paragraphs(memo: Memo, said: Callable[[str], str]) -> int:
    changed = 0
    for paragraph in memo.paragraphs:
        if (new := said(paragraph.text)) != paragraph.text:
            paragraph.text = new
            changed += 1
    return changed


def heading_level(memo: Memo, asked: Asked) -> int:
    """Every heading one level down."""
    changed = 0
    for paragraph in memo.paragraphs:
        style = (paragraph.style.name or "") if paragraph.style is not None else ""
        if match := re.fullmatch(r"[Hh]eading ([1-8])", style):
            paragraph.style = memo.styles[f"Heading {int(match[1]) + 1}"]
            changed += 1
    return changed


def numbered_headings(memo: Memo, asked: Asked) -> int:
    """The headings with numbers before them."""
    changed = 0
    for paragraph in memo.paragraphs:
        if any(heads(paragraph.text, heading) for heading in asked.headings):
            changed += 1
            paragraph.text = f"{changed}. {paragraph.text}"
    return changed


def extra_section(memo: Memo, asked: Asked) -> int:
    """One more section at the end."""
    memo.add_heading("Next steps", level=1)
    memo.add_paragraph("Please tell me whether this is what you need, and I will add to it.")
    return 1


def extra_column(memo: Memo, asked: Asked) -> int:
    """One more column, of remarks."""
    changed = 0
    for table, known in _tables(memo, asked):
        if not filled(label(known.table.grid[known.header][known.key])):
            continue
        added = table.add_column(Cm(2))
        for place, cell in enumerate(added.cells):
            cell.text = "Remark" if place == known.header else "as in the source"
        changed += 1
    return changed


def _vary(change: Change) -> Callable[[Path, Path, Asked, Document], None]:
    def vary(source: Path, target: Path, asked: Asked, document: Document) -> None:
        memo = opened(source)
        if not change(memo, asked):
            raise CannotEdit("nothing of the document can be put otherwise")
        memo.save(str(target))

    return vary


def other_library(source: Path, target: Path, asked: Asked, document: Document) -> None:
    """The package as another program leaves it: other names of the styles' kind, parts in another order, not packed."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        names = sorted(old.namelist(), reverse=True)
        names.sort(key=lambda name: name != "[Content_Types].xml")
        for name in names:
            content: Any = old.read(name)
            if name == "word/styles.xml":
                content = re.sub(rb'w:val="Heading (\d)"', rb'w:val="heading \1"', content)
            new.writestr(zipfile.ZipInfo(name), content)


VARIATIONS: Mapping[str, Callable[[Path, Path, Asked, Document], None]] = {
    **{
        one.__name__: _vary(one)
        for one in (
            row_order, column_order, other_rendering, other_wording, heading_level, numbered_headings,
            extra_section, extra_column,
        )
    },
    "other_library": other_library,
}  # fmt: skip
