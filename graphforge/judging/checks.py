"""Executing the checks of a criterion over parsed deliverables (paper section 3.5).

Deliverables come as ``Mapping[FileName, Document | None]``: None, or no entry, is a file that is missing or
can't be read, which fails a check (0) and evidences no violation. Only a check that names nothing to look for
can't be executed: it is unjudged (``share`` None), never a score.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..records import (
    Check,
    ColumnValues,
    Document,
    ForeignValues,
    FormulaColumn,
    Heading,
    InventedRows,
    ReadableFile,
    RowSet,
    SheetPresent,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
    Value,
    Violation,
    close,
    normalize,
    show_number,
)
from .grid import (
    Frame,
    Names,
    aggregate,
    filled,
    find,
    fit,
    fold,
    in_sheet,
    label,
    note,
    number,
    percent,
    sheet_names,
)
from .prose import holds, statements

Deliverables = Mapping[str, Document | None]

_FORMATS = {
    "xlsx": {"xlsx"}, "xlsm": {"xlsx"}, "xls": {"xls"}, "ods": {"ods"}, "csv": {"csv", "txt"}, "tsv": {"csv", "txt"},
    "docx": {"docx"}, "pdf": {"pdf"}, "pptx": {"pptx"}, "html": {"html"}, "htm": {"html"},
    "md": {"md", "txt"}, "txt": {"txt", "md", "csv"}, "json": {"json"},
}  # fmt: skip
_GRIDS = {"xlsx", "xls", "ods", "csv"}


@dataclass(frozen=True)
class Finding:
    """The share met (of a violation: its degree), 0 to 1, None where unjudged; one line of evidence."""

    share: float | None
    evidence: str

    def __post_init__(self) -> None:
        if self.share is not None and not 0 <= self.share <= 1:
            raise ValueError(f"a share of {self.share} lies outside 0 to 1")


def execute(check: Check | Violation, deliverables: Deliverables) -> Finding:
    """Execute one check or violation."""
    blank = _blank(check)
    if blank:
        return Finding(None, f"the check {check.kind} names no {blank}, so it can't be executed")
    document = deliverables.get(check.file)
    if document is None:
        return Finding(0.0, f"{check.file} is missing or can't be read")
    match check:
        case ReadableFile():
            found = _readable_file(check, document)
        case SheetPresent():
            found = _sheet_present(check, document)
        case RowSet():
            found = _row_set(check, document)
        case ColumnValues():
            found = _column_values(check, document)
        case FormulaColumn():
            found = _formula_column(check, document)
        case TotalCell():
            found = _total_cell(check, document)
        case Heading():
            found = _heading(check, document)
        case TextNumber():
            found = _text_number(check, document)
        case TextMention():
            found = _text_mention(check, document)
        case ForeignValues():
            found = _foreign_values(check, document)
        case TypedTotal():
            found = _typed_total(check, document)
        case InventedRows():
            found = _invented_rows(check, document)
    return Finding(found.share, f"{check.file}: {found.evidence}")


def _blank(check: Check | Violation) -> str | None:
    """The first field that must name something and doesn't."""
    needed = {
        SheetPresent: ("sheet",),
        RowSet: ("key",),
        ColumnValues: ("key", "column"),
        FormulaColumn: ("column",),
        TotalCell: ("label", "column"),
        Heading: ("heading",),
        ForeignValues: ("key", "column"),
        TypedTotal: ("label", "column"),
        InventedRows: ("key",),
    }.get(type(check), ())
    for field in needed:
        if not str(getattr(check, field)).strip():
            return field
    if isinstance(check, TextMention) and check.phrase is not None and not check.phrase.strip():
        return "phrase"
    if isinstance(check, TextNumber) and not all(term.strip() for term in check.terms):
        return "term"
    return None


# files, sheets


def _readable_file(check: ReadableFile, document: Document) -> Finding:
    suffix = check.file.rsplit(".", 1)[-1].casefold() if "." in check.file else ""
    allowed = _FORMATS.get(suffix)
    if allowed and document.family not in allowed:
        return Finding(0.0, f"named {suffix} but its content is {document.family}")
    cells = sum(filled(cell) for table in document.tables for row in table.grid for cell in row)
    letters = sum(bool(block.text.strip()) for block in document.blocks)
    if not cells and not letters:
        return Finding(0.0, "opens but is empty")
    return Finding(1.0, f"opens as {document.family} with {letters} text blocks and {cells} filled cells")


def _sheet_present(check: SheetPresent, document: Document) -> Finding:
    names = sheet_names(document)
    if document.family not in {"xlsx", "xls", "ods"}:
        return Finding(0.0, f"{document.family} files have no sheets, so no sheet {check.sheet!r}")
    for name in names:
        if fold(name) == fold(check.sheet) or (normalize(name) and normalize(name) == normalize(check.sheet)):
            return Finding(1.0, f"has the sheet {name!r}")
    return Finding(0.0, f"has no sheet {check.sheet!r}, only {_some(names)}")


# tables


def _absent(document: Document, sheet: str, *names: str) -> Finding:
    """Why no table was found."""
    if sheet and not any(in_sheet(table, sheet) for table in document.tables):
        return Finding(0.0, f"has no sheet {sheet!r} with a table")
    columns = " and ".join(repr(name) for name in names)
    return Finding(0.0, f"no table{f' of sheet {sheet!r}' if sheet else ''} has a header row with {columns}")


def _data_rows(frames: list[Frame], blank: bool = False) -> list[tuple[Frame, int]]:
    """The rows that name something in their first asked column: no totals, no notes.

    With ``blank`` also those that hold nothing but their name.
    """
    return [
        (frame, row)
        for frame in frames
        for row in frame.rows
        if filled(frame.at(row, 0))
        and row not in frame.table.totals
        and not aggregate(label(frame.at(row, 0)))
        and (not frame.alone(row, 0) or (blank and not note(label(frame.at(row, 0)))))
    ]


def _row_set(check: RowSet, document: Document) -> Finding:
    frames = find(document, check.sheet, (check.key,))
    if not frames:
        return _absent(document, check.sheet, check.key)
    if not check.rows:
        count = len(_data_rows(frames))
        return Finding(float(count > 0), f"column {check.key!r} names {count} rows")
    wanted = Names(check.rows)
    present = {name for frame in frames for row in frame.rows if (name := wanted.match(frame.at(row, 0)))}
    extra = _strangers(frames, wanted, ())
    missing = [name for name in wanted.names if name not in present]
    share = len(present) / (len(wanted.names) + len(extra))
    detail = (f"; missing {_some(missing)}" if missing else "") + (
        f"; not expected {_some(extra)}" if extra else ""
    )
    return Finding(
        share, f"column {check.key!r} names {len(present)} of {len(wanted.names)} expected rows{detail}"
    )


def _strangers(frames: list[Frame], wanted: Names, labels: tuple[str, ...]) -> list[str]:
    """The names of data rows that are neither wanted nor allowed labels, each once, in order."""
    allowed = Names(labels)
    names: dict[str, str] = {}
    for frame, row in _data_rows(frames):
        cell = frame.at(row, 0)
        if wanted.match(cell) is None and allowed.match(cell) is None:
            names.setdefault(fold(label(cell)), label(cell))
    return list(names.values())


def _agrees(cell: Value, wanted: float | str, absolute: float, relative: float, scale: float = 1.0) -> bool:
    """Whether a cell holds a value: numbers within the tolerance, texts normalized, TRUE for "yes"."""
    if isinstance(wanted, str):
        if isinstance(cell, bool):
            return normalize(wanted) in ({"yes", "true"} if cell else {"no", "false"})
        given = label(cell)
        return fold(given) == fold(wanted) or (
            bool(normalize(wanted)) and normalize(given) == normalize(wanted)
        )
    stated = number(cell)
    return stated is not None and close(stated * scale, wanted, absolute, relative)


def _scale(frames: list[Frame], check: ColumnValues | ForeignValues, wanted: Names) -> float:
    """100 where the check asks for percentages and the column holds them as fractions, otherwise 1.

    The check's own header must say percent, and its values must need it: at least half of the
    column's figures are the hundredth part of what is asked, and none is what is asked; figures too small to tell don't
    count.
    """
    if not percent(check.column):
        return 1.0
    plain = hundredth = count = 0
    for frame in frames:
        for row in frame.rows:
            name = wanted.match(frame.at(row, 0))
            value = check.values.get(name) if name is not None else None
            stated = number(frame.at(row, 1))
            cell = frame.at(row, 1)
            if stated is None or not isinstance(value, float | int) or value == 0 or isinstance(cell, str):
                continue
            absolute = check.absolute if isinstance(check, ColumnValues) else 0.0
            # A figure so small that its hundredth lies within the tolerance tells nothing.
            if close(value / 100, value, absolute, check.relative):
                continue
            count += 1
            plain += close(stated, value, absolute, check.relative)
            hundredth += close(stated * 100, value, absolute, check.relative)
    return 100.0 if count and not plain and hundredth * 2 >= count and (hundredth > 1 or count == 1) else 1.0


def _column_values(check: ColumnValues, document: Document) -> Finding:
    frames = find(document, check.sheet, (check.key, check.column))
    if not frames:
        return _absent(document, check.sheet, check.key, check.column)
    if not check.values:
        rows = _data_rows(frames, blank=True)
        full = sum(filled(frame.at(row, 1)) for frame, row in rows)
        share = full / len(rows) if rows else 0.0
        return Finding(share, f"column {check.column!r} is filled in {full} of {len(rows)} rows")
    wanted = Names(check.values)
    scale = _scale(frames, check, wanted)
    cells: dict[str, list[Value]] = {}
    for frame in frames:
        for row in frame.rows:
            if (name := wanted.match(frame.at(row, 0))) is not None:
                cells.setdefault(name, []).append(frame.at(row, 1))
    right, wrong = 0, []
    for name, value in check.values.items():
        given = [cell for cell in cells.get(name, []) if filled(cell)]
        # A name that stands twice with two values states neither.
        if given and all(_agrees(cell, value, check.absolute, check.relative, scale) for cell in given):
            right += 1
        else:
            held = " and ".join(label(cell) for cell in given) if given else "nothing"
            wrong.append(f"{name} holds {held} instead of {_show(value)}")
    note = " (given as fractions)" if scale != 1 else ""
    detail = f"; {_some(wrong, quote=False)}" if wrong else ""
    return Finding(
        right / len(check.values),
        f"column {check.column!r}{note} is right in {right} of {len(check.values)} rows{detail}",
    )


def _formula_column(check: FormulaColumn, document: Document) -> Finding:
    frames = find(document, check.sheet, (check.column,))
    if not frames:
        return _absent(document, check.sheet, check.column)
    cells = [
        (frame, row)
        for frame in frames
        for row in frame.rows
        if frame.formula(row, 0) or (filled(frame.at(row, 0)) and not frame.alone(row, 0))
    ]
    formulas = sum(frame.formula(row, 0) for frame, row in cells)
    share = formulas / len(cells) if cells else 0.0
    return Finding(
        share, f"column {check.column!r} holds formulas in {formulas} of {len(cells)} filled cells"
    )


def labelled(
    document: Document, sheet: str, wanted: str, column: str
) -> tuple[list[Frame], tuple[Frame, int] | None]:
    """The tables with the column, and the row that bears the label: the best fit, then the first."""
    frames = find(document, sheet, (column,))
    best: tuple[int, Frame, int] | None = None
    for frame in frames:
        for row in frame.rows:
            for index, cell in enumerate(frame.table.grid[row]):
                if index == frame.columns[0] or not isinstance(cell, str):
                    continue
                grade = fit(wanted, label(cell))
                if grade is not None and grade < 5 and (best is None or grade < best[0]):
                    best = (grade, frame, row)
    return frames, (best[1], best[2]) if best else None


def _total_cell(check: TotalCell, document: Document) -> Finding:
    frames, place = labelled(document, check.sheet, check.label, check.column)
    if not frames:
        return _absent(document, check.sheet, check.column)
    if place is None:
        return Finding(0.0, f"no row is labelled {check.label!r}")
    frame, row = place
    cell = frame.at(row, 0)
    stated = number(cell)
    where = f"row {check.label!r} column {check.column!r}"
    if stated is None:
        return Finding(0.0, f"{where} holds no number")
    if check.value is None:
        return Finding(1.0, f"{where} holds the number {_show(stated)}")
    if close(stated, check.value, check.absolute, check.relative):
        return Finding(1.0, f"{where} holds {_show(stated)}, as expected")
    # A total of percentages that a spreadsheet keeps as fractions; a printed figure is what it says.
    fraction = percent(check.column) and not isinstance(cell, str)
    if fraction and close(stated * 100, check.value, check.absolute, check.relative):
        return Finding(1.0, f"{where} holds {_show(stated)} (given as a fraction), as expected")
    return Finding(0.0, f"{where} holds {_show(stated)} instead of {_show(check.value)}")


# running text


def _passages(document: Document) -> list[str]:
    """The running text, a block each; of a workbook or a delimited file also every cell with text."""
    passages = [" ".join(block.text.split()) for block in document.blocks]
    if document.family in _GRIDS:
        passages += [
            " ".join(cell.split())
            for table in document.tables
            for row in table.grid
            for cell in row
            if isinstance(cell, str)
        ]
    return [passage for passage in passages if passage]


def _heading(check: Heading, document: Document) -> Finding:
    for block in document.blocks:
        if block.kind in {"note", "caption"}:
            continue
        for line in block.text.splitlines():
            if heads(line, check.heading):
                return Finding(1.0, f"has the heading {line.strip()!r}")
    seen = [block.text.strip() for block in document.blocks if block.kind == "heading"]
    return Finding(0.0, f"has no heading {check.heading!r}, only {_some(seen)}")


def heads(line: str, heading: str) -> bool:
    """Whether a line is the heading, numbered or not."""
    if fold(line) == fold(heading):
        return True
    wanted, given = normalize(heading), normalize(line).split()
    while (
        given
        and " ".join(given) != wanted
        and (given[0].isdigit() or given[0] in {"section", "chapter", "part"})
    ):
        given = given[1:]
    return bool(wanted) and " ".join(given) == wanted


def _text_number(check: TextNumber, document: Document) -> Finding:
    wanted = "a number" if check.value is None else _show(check.value)
    terms = f" with {_some(list(check.terms))}" if check.terms else ""
    for passage in _passages(document):
        if met := statements(passage, check):
            first = met[0]
            quote = passage[max(0, first.start - 60) : first.end + 30].strip()
            return Finding(1.0, f"the text states {wanted}{terms}: \u201c{quote}\u201d")
    return Finding(0.0, f"no sentence of the text states {wanted}{terms}")


def _text_mention(check: TextMention, document: Document) -> Finding:
    passages = _passages(document)
    if check.phrase is None:
        return Finding(float(bool(passages)), "has text" if passages else "has no text")
    whole = " ".join(passages)
    squeezed = normalize(check.phrase).replace(" ", "")
    # Pages break words where lines end; a long phrase without its spaces is still unmistakable.
    broken = (
        document.family == "pdf" and len(squeezed) >= 12 and squeezed in normalize(whole).replace(" ", "")
    )
    if broken or any(holds(passage, check.phrase) for passage in (*passages, whole)):
        return Finding(1.0, f"the text holds {check.phrase!r}")
    return Finding(0.0, f"the text doesn't hold {check.phrase!r}")


# violations


def _foreign_values(check: ForeignValues, document: Document) -> Finding:
    frames = find(document, check.sheet, (check.key, check.column))
    if not frames or not check.values:
        return Finding(0.0, f"column {check.column!r} holds nothing that could be recognized as foreign")
    wanted = Names(check.values)
    scale = _scale(frames, check, wanted)
    held = {
        name
        for frame in frames
        for row in frame.rows
        if (name := wanted.match(frame.at(row, 0))) is not None
        and _agrees(frame.at(row, 1), check.values[name], 0.0, check.relative, scale)
    }
    if not held:
        return Finding(0.0, f"column {check.column!r} holds none of the {len(check.values)} foreign values")
    rows = [name for name in check.values if name in held]
    return Finding(
        len(held) / len(check.values),
        f"column {check.column!r} holds {len(held)} of {len(check.values)} foreign values, in {_some(rows)}",
    )


def _typed_total(check: TypedTotal, document: Document) -> Finding:
    _, place = labelled(document, check.sheet, check.label, check.column)
    if place is None:
        return Finding(0.0, f"no row {check.label!r} with a column {check.column!r}, so no typed total")
    frame, row = place
    where = f"row {check.label!r} column {check.column!r}"
    if frame.formula(row, 0):
        return Finding(0.0, f"{where} is a formula")
    stated = number(frame.at(row, 0))
    if stated is None:
        return Finding(0.0, f"{where} holds no number")
    return Finding(1.0, f"{where} is the typed number {_show(stated)}")


def _invented_rows(check: InventedRows, document: Document) -> Finding:
    frames = find(document, check.sheet, (check.key,))
    if not frames or not check.rows:
        return Finding(0.0, f"column {check.key!r} holds nothing that could be recognized as invented")
    rows = _data_rows(frames)
    strangers = _strangers(frames, Names(check.rows), check.labels)
    if not strangers:
        return Finding(0.0, f"all {len(rows)} rows of column {check.key!r} are in the sources")
    return Finding(
        min(1.0, len(strangers) / len(rows)),
        f"column {check.key!r} names {_some(strangers)}, not in the sources",
    )


# evidence


def _show(value: float | str) -> str:
    return repr(value) if isinstance(value, str) else show_number(value)


def _some(items: list[str], quote: bool = True) -> str:
    """At most three of the items, and how many more there are."""
    shown = [repr(item) if quote else item for item in items[:3]]
    return (", ".join(shown) + (f" and {len(items) - 3} more" if len(items) > 3 else "")) or "nothing"
