"""Deliverables that nobody made: golden ones out of the checks' own values, and those of an agent that saw no file."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from ..records import (
    Check,
    ColumnValues,
    FormulaColumn,
    Heading,
    PublicTask,
    RowSet,
    SheetPresent,
    TaskSpec,
    TextMention,
    TextNumber,
    TotalCell,
    Value,
)
from .edits import CannotEdit
from .handmade import Grid, Page, formula, write

_QUOTED = re.compile(r"[“\"„]([^“”\"„\n]{1,120})[”\"]")


def constructed(spec: TaskSpec, folder: Path) -> Mapping[str, Path] | str:
    """The deliverables that the checks ask for, by name, or why they can't be made."""
    made = {}
    for deliverable in spec.deliverables:
        checks = [check for one in spec.criteria for check in one.checks if check.file == deliverable.file]
        target = folder / deliverable.file
        try:
            write(deliverable.family, _page(checks, deliverable.sheets, deliverable.family), target)
        except CannotEdit as error:
            return f"{deliverable.file}: {error}"
        made[deliverable.file] = target
    return made


def _page(checks: Sequence[Check], sheets: tuple[str, ...], family: str) -> Page:
    named = [check.sheet for check in checks if isinstance(check, SheetPresent)]
    return Page(
        headings=tuple(dict.fromkeys(check.heading for check in checks if isinstance(check, Heading))),
        texts=tuple(dict.fromkeys(text for check in checks if (text := _sentence(check)))),
        grids=tuple(_grids(checks, live=family == "xlsx")),
        sheets=tuple(dict.fromkeys([*named, *sheets])) if family == "xlsx" else (),
    )


def _sentence(check: Check) -> str:
    if isinstance(check, TextNumber) and check.value is not None:
        about = ", ".join(check.terms) or "The figure"
        return f"{about}: {Decimal(repr(check.value)):f}"
    return check.phrase or "" if isinstance(check, TextMention) else ""


def _grids(checks: Sequence[Check], live: bool) -> list[Grid]:
    """A table for each sheet and key, with the rows, columns and totals that are asked for."""
    tables: dict[tuple[str, str], tuple[dict[str, None], dict[str, dict[str, Value]]]] = {}
    for check in checks:
        if isinstance(check, RowSet | ColumnValues):
            rows, columns = tables.setdefault((check.sheet, check.key), ({}, {}))
            rows.update(dict.fromkeys(check.rows if isinstance(check, RowSet) else check.values))
            if isinstance(check, ColumnValues):
                columns.setdefault(check.column, {}).update(check.values)
    totals: dict[str, dict[str, dict[str, Value]]] = {}
    for check in checks:
        if isinstance(check, TotalCell) and check.value is not None:
            value = formula(check.value) if live else check.value
            totals.setdefault(check.sheet, {}).setdefault(check.label, {})[check.column] = value
    formulas = {(check.sheet, check.column) for check in checks if isinstance(check, FormulaColumn)}
    found = []
    for (sheet, key), (rows, columns) in tables.items():
        sums = totals.pop(sheet, {})
        heads = list(dict.fromkeys([*columns, *(name for each in sums.values() for name in each)]))
        if key in heads:
            raise CannotEdit(f"{key!r} names the rows and is a column of figures too")
        lines: list[tuple[Value, ...]] = [(key, *heads)]
        for row in rows:
            cells = [columns.get(head, {}).get(row) for head in heads]
            lines.append(
                (
                    row,
                    *(
                        _live(cell, (sheet, head) in formulas)
                        for cell, head in zip(cells, heads, strict=True)
                    ),
                )
            )
        lines += [(label, *(each.get(head) for head in heads)) for label, each in sums.items()]
        found.append(Grid(sheet, tuple(lines)))
    for sheet, sums in totals.items():
        heads = list(dict.fromkeys(name for each in sums.values() for name in each))
        lines = [("Item", *heads)]
        lines += [(label, *(each.get(head) for head in heads)) for label, each in sums.items()]
        found.append(Grid(sheet, tuple(lines)))
    return found


def _live(cell: Value, live: bool) -> Value:
    return formula(cell) if live and cell is not None else cell


def blind(task: PublicTask, folder: Path) -> Mapping[str, Path]:
    """What an agent hands over that reads the request and opens no file.

    The names, sheets, headings and column titles that the request quotes, its own words as text, every input file named
    as a source, and a formula in every cell: all that can be had without looking.
    """
    made = {}
    for deliverable in task.deliverables:
        quoted = _quotations(deliverable.requirement) or _quotations(task.statement)
        labels = [one for one in quoted if one not in deliverable.sheets]
        said = [line for line in task.request.splitlines() if line.strip()]
        live = deliverable.family == "xlsx"
        cell: Value = "=0.0" if live else 0.0
        sheets = deliverable.sheets or (("Sheet1",) if live else ("",))
        grids = [
            Grid(
                sheet,
                (
                    tuple(labels),
                    ("Item", *(cell for _ in labels[1:])),
                    ("Total", *(cell for _ in labels[1:])),
                ),
            )
            for sheet in sheets
            if labels
        ]
        page = Page(
            headings=tuple(quoted) if deliverable.family in {"docx", "pdf"} else (),
            texts=(*task.files, *said),
            grids=tuple(grids if live else grids[:1]),
            sheets=deliverable.sheets if live else (),
        )
        target = folder / deliverable.file
        try:
            write(deliverable.family, page, target)
        except CannotEdit:
            continue
        made[deliverable.file] = target
    return made


def _quotations(text: str) -> list[str]:
    return list(dict.fromkeys(" ".join(one.split()) for one in _QUOTED.findall(text)))
