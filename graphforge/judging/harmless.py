"""Changes of a golden file that are as right as it was: none may cost a point on any criterion.

Each family has one module (``vary_xlsx`` and so on) with the changes that make sense for it. Whether figures survived a
change is asked of the parsed file before any check is: a change that made them others was none of these.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ..records import Document, TaskSpec, parse_number, storage_error
from . import vary_csv, vary_docx, vary_pdf, vary_xlsx
from .asked import asked
from .checks import Deliverables
from .edits import CannotEdit

HarmlessKind = Literal[
    "row_order",
    "column_order",
    "title_rows",
    "extra_column",
    "extra_sheet",
    "extra_section",
    "number_format",
    "percent_format",
    "capital_headers",
    "other_rendering",
    "other_wording",
    "heading_level",
    "numbered_headings",
    "other_library",
]
_VARIATIONS = {
    "xlsx": vary_xlsx.VARIATIONS,
    "csv": vary_csv.VARIATIONS,
    "docx": vary_docx.VARIATIONS,
    "pdf": vary_pdf.VARIATIONS,
}
# Kinds after which every figure of a table must be there as it was.
_KEPT = {
    "row_order",
    "column_order",
    "title_rows",
    "extra_column",
    "extra_sheet",
    "number_format",
    "other_library",
}


@dataclass(frozen=True)
class Changed:
    """A golden file after a harmless change."""

    kind: HarmlessKind
    file: str
    document: Document | None


def changed(
    spec: TaskSpec,
    golden: Mapping[str, Path],
    documents: Deliverables,
    parse: Callable[[Path], Document | None],
    target: Path,
) -> Iterator[Changed]:
    """Every harmless change of every golden file that can be made, each written to ``target`` and parsed."""
    items = [*(check for one in spec.criteria for check in one.checks)]
    looked_at = [*items, *(check for one in spec.penalties for check in one.violations)]
    for deliverable in spec.deliverables:
        name, document = deliverable.file, documents.get(deliverable.file)
        checks = [check for check in looked_at if check.file == name]
        if document is None or name not in golden or not checks or document.family != deliverable.family:
            continue
        known = asked(checks, document)
        variations = _VARIATIONS[deliverable.family]
        for kind in get_args(HarmlessKind):
            if kind not in variations:
                continue
            try:
                variations[kind](golden[name], target, known, document)
            except CannotEdit:
                continue
            except OSError as error:
                raise storage_error(target, error) from None
            after = parse(target)
            if after is not None and kind in _KEPT and not _figures(document) <= _figures(after):
                continue
            yield Changed(kind, name, after)


def _figures(document: Document) -> Counter[str]:
    """The figures of all tables, to nine digits, however they are ordered."""
    cells = (cell for table in document.tables for row in table.grid for cell in row)
    return Counter(f"{number:.9g}" for cell in cells if (number := parse_number(cell)) is not None)
