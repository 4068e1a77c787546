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
from .asked import Asked, asked
from .checks import Deliverables
from .edits import CannotEdit
from .grid import filled, label

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
# Kinds after which every figure of a workbook must still be there.
_KEPT = {
    "row_order",
    "column_order",
    "title_rows",
    "extra_column",
    "extra_sheet",
    "number_format",
    "percent_format",
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
        known, kept = asked(checks, document), _cells(document)
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
            # Formulas may hang on what was moved or divided: then figures changed that are asked for.
            wanted = _cells(document, known) if kind == "percent_format" else kept
            live = deliverable.family == "xlsx" and kind in _KEPT
            if after is not None and live and not wanted <= _cells(after, every=True):
                continue
            yield Changed(kind, name, after)


def _cells(document: Document, divided: Asked | None = None, every: bool = False) -> Counter[str]:
    """The figures of all tables, to seven digits, and the words that formulas give (``every``: all words), however they
    are ordered; percentages as fractions where they were ``divided``."""
    hundredth = {
        (table.table.id, row, column)
        for table in (divided.tables if divided is not None else ())
        for row, column in table.figures()
        if column in table.percents
    }
    found: Counter[str] = Counter()
    for table in document.tables:
        for at, row in enumerate(table.grid):
            for column, cell in enumerate(row):
                number = parse_number(cell)
                if number is not None:
                    found[f"{number / 100 if (table.id, at, column) in hundredth else number:.7g}"] += 1
                elif filled(cell) and (every or f"{at},{column}" in table.formulas):
                    found[label(cell)] += 1
    return found
