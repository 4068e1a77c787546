"""A hand-made specification with golden deliverables of every format, for the tests of judging."""

import csv
from collections.abc import Iterable
from pathlib import Path

import docx
import pymupdf
import xlsxwriter

from graphforge.judging import Case
from graphforge.records import (
    EXECUTION_PATTERNS,
    Anchor,
    CellLocator,
    Citation,
    ColumnValues,
    Criterion,
    Deliverable,
    DerivedColumn,
    Document,
    Fact,
    ForeignValues,
    FormulaColumn,
    Heading,
    InventedRows,
    NegativeCriterion,
    Output,
    Plan,
    ReadableFile,
    ReadColumn,
    RowSet,
    SheetPresent,
    TaskSpec,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
    show_number,
)
from graphforge.workspace import UnreadableFile, parse

HARBOURS = {
    "Aldmere": (412.5, 447.25),
    "Brackwater": (1208.0, 1100.5),
    "Cold Haven": (96.75, 96.75),
    "Dunport": (2310.0, 2502.0),
    "East Quay": (655.5, 701.0),
    "Fenmouth": (78.25, 60.5),
    "Grey's Landing": (1499.0, 1620.75),
    "Holm & Sons Dock": (333.0, 341.5),
}
BEFORE, AFTER, CHANGE, VERDICT = "Cargo, 2022 (kt)", "Cargo, 2023 (kt)", "Change (%)", "Above 500 kt"
CHANGES = {name: 100 * (after - before) / before for name, (before, after) in HARBOURS.items()}
ABOVE = {name: "yes" if after > 500 else "no" for name, (_, after) in HARBOURS.items()}
TOTALS = (sum(before for before, _ in HARBOURS.values()), sum(after for _, after in HARBOURS.values()))
CONFUSER = {name: round(after * 0.93 + 4, 2) for name, (_, after) in HARBOURS.items()}
TOP = max(HARBOURS, key=lambda name: HARBOURS[name][1])
BOOK, DATA, MEMO, NOTE = "harbours.xlsx", "harbours.csv", "memo.docx", "note.pdf"
SHEET = "Cargo by harbour"
SOURCE = "port_survey_2023.csv"
STATEMENT = (
    "Compare the cargo of the harbours in 2022 and 2023 and say which are above 500 kt. "
    "Name the headings Findings and Sources, and cite port_survey_2023.csv."
)
PARAGRAPHS = {
    "Findings": [
        f"The eight harbours moved {show_number(TOTALS[1])} kt in 2023.",
        f"{TOP} is the largest harbour: it moved {show_number(HARBOURS[TOP][1])} kt.",
    ],
    "Method": ["Changes are measured against 2022. Figures are in thousand tonnes, i.e. kt."],
    "Sources": [f"{SOURCE}: cargo of both years."],
}


def readable(path: Path) -> Document | None:
    """What the calibration stage hands in: the parsed file, or None where it can't be read."""
    try:
        return parse(path)
    except UnreadableFile:
        return None


def write_book(path: Path, rows: Iterable[str] | None = None, typed: bool = False) -> None:
    """The golden workbook; ``typed`` writes values where it should have formulas."""
    names = list(HARBOURS if rows is None else rows)
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet(SHEET)
    sheet.write(0, 0, "Cargo of eight harbours, 2022 and 2023")
    sheet.write_row(2, 0, ["Harbour", BEFORE, AFTER, CHANGE, VERDICT])
    for row, name in enumerate(names, start=3):
        before, after = HARBOURS[name]
        sheet.write(row, 0, name)
        sheet.write(row, 1, before)
        sheet.write(row, 2, after)
        at = row + 1
        if typed:
            sheet.write(row, 3, CHANGES[name])
            sheet.write(row, 4, ABOVE[name])
        else:
            sheet.write_formula(row, 3, f"=100*(C{at}-B{at})/B{at}", None, CHANGES[name])
            sheet.write_formula(row, 4, f'=IF(C{at}>Parameters!$B$2,"yes","no")', None, ABOVE[name])
    last = 3 + len(names)
    sheet.write(last, 0, "Total")
    for column in (1, 2):
        letter = "ABC"[column]
        total = sum(HARBOURS[name][column - 1] for name in names)
        if typed:
            sheet.write(last, column, total)
        else:
            sheet.write_formula(last, column, f"=SUM({letter}4:{letter}{last})", None, total)
    extra = book.add_worksheet("Parameters")
    extra.write_row(0, 0, ["Parameter", "Value"])
    extra.write_row(1, 0, ["Threshold in kt", 500])
    sources = book.add_worksheet("Sources")
    sources.write_row(0, 0, ["File", "What was taken from it"])
    sources.write_row(1, 0, [SOURCE, "cargo of both years"])
    book.close()


def write_data(path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(["Harbour", BEFORE, AFTER, CHANGE])
        for name, (before, after) in HARBOURS.items():
            writer.writerow([name, before, after, repr(CHANGES[name])])
        writer.writerow(["Total", TOTALS[0], TOTALS[1], ""])


def printed() -> list[list[str]]:
    lines = [["Harbour", BEFORE, AFTER]]
    lines += [[name, f"{before:,.2f}", f"{after:,.2f}"] for name, (before, after) in HARBOURS.items()]
    return [*lines, ["Total", f"{TOTALS[0]:,.2f}", f"{TOTALS[1]:,.2f}"]]


def write_memo(path: Path) -> None:
    memo = docx.Document()
    memo.add_heading("Cargo of eight harbours", level=0)
    for heading, paragraphs in PARAGRAPHS.items():
        memo.add_heading(heading, level=1)
        for text in paragraphs:
            words = text.split(" ")
            paragraph = memo.add_paragraph()
            # Several runs a paragraph, as text processors leave them.
            paragraph.add_run(" ".join(words[:3]) + " ")
            paragraph.add_run(" ".join(words[3:])).bold = True
        if heading == "Findings":
            lines = printed()
            table = memo.add_table(rows=len(lines), cols=3)
            for row, line in zip(table.rows, lines, strict=True):
                for cell, text in zip(row.cells, line, strict=True):
                    cell.text = text
    memo.save(str(path))


def write_note(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    y = 60.0
    page.insert_text((56, y), "Cargo of eight harbours", fontsize=20, fontname="hebo")
    for heading, paragraphs in PARAGRAPHS.items():
        y += 40
        page.insert_text((56, y), heading, fontsize=14, fontname="hebo")
        for text in paragraphs:
            y += 28
            page.insert_text((56, y), text, fontsize=10.5, fontname="helv")
        if heading == "Findings":
            y += 20
            for number, line in enumerate(printed()):
                font = "hebo" if number == 0 else "helv"
                for column, text in enumerate(line):
                    left = 56 + 150 * column
                    page.draw_rect(pymupdf.Rect(left, y, left + 150, y + 20), width=0.5)
                    page.insert_text((left + 5, y + 14), text, fontsize=9, fontname=font)
                y += 20
    document.save(path, no_new_id=True)


WRITERS = {BOOK: write_book, DATA: write_data, MEMO: write_memo, NOTE: write_note}
FAMILIES = {BOOK: "xlsx", DATA: "csv", MEMO: "docx", NOTE: "pdf"}


def table_checks(file: str) -> list:
    sheet = SHEET if file == BOOK else ""
    checks: list = [
        RowSet(file=file, sheet=sheet, key="Harbour", rows=tuple(HARBOURS)),
        ColumnValues(
            file=file, sheet=sheet, key="Harbour", column=BEFORE,
            values={name: before for name, (before, _) in HARBOURS.items()},
        ),
        ColumnValues(
            file=file, sheet=sheet, key="Harbour", column=AFTER,
            values={name: after for name, (_, after) in HARBOURS.items()},
        ),
        TotalCell(file=file, sheet=sheet, label="Total", column=AFTER, value=TOTALS[1]),
    ]  # fmt: skip
    if file in (BOOK, DATA):
        checks.append(
            ColumnValues(
                file=file, sheet=sheet, key="Harbour", column=CHANGE, values=dict(CHANGES), absolute=0.005
            )
        )
    if file == BOOK:
        checks += [
            ColumnValues(file=file, sheet=sheet, key="Harbour", column=VERDICT, values=dict(ABOVE)),
            SheetPresent(file=file, sheet=SHEET),
            SheetPresent(file=file, sheet="Sources"),
            FormulaColumn(file=file, sheet=SHEET, column=CHANGE),
            FormulaColumn(file=file, sheet=SHEET, column=VERDICT),
            TextMention(file=file, phrase=SOURCE, open=True),
        ]
    return checks


def text_checks(file: str) -> list:
    return [
        Heading(file=file, heading="Findings"),
        Heading(file=file, heading="Sources"),
        TextNumber(file=file, terms=("harbours", "2023"), value=TOTALS[1], absolute=0.005),
        TextNumber(file=file, terms=(TOP, "largest"), value=HARBOURS[TOP][1]),
        TextMention(file=file, phrase=f"{TOP} is the largest harbour"),
        TextMention(file=file, phrase=SOURCE, open=True),
    ]


def make_spec(*files: str, task: str = "task-1") -> TaskSpec:
    """A specification that asks for the files, with every check that applies to them."""
    deliverables = tuple(
        Deliverable(
            id=f"d{number}", file=file, family=FAMILIES[file], requirement="Hand it over.",
            sheets=(SHEET, "Sources") if file == BOOK else (),
        )
        for number, file in enumerate(files)
    )  # fmt: skip
    anchors = (Anchor(node="node-1", file="ab" * 32, name=SOURCE, locator=CellLocator(row=7, column=3)),)
    checks = []
    for number, file in enumerate(files):
        found = [ReadableFile(file=file), *table_checks(file)]
        found += text_checks(file) if file in (MEMO, NOTE) else []
        checks += [(f"d{number}", check) for check in found]
    criteria = tuple(
        Criterion(
            id=f"c{number}", deliverable=deliverable, requirement="What the task asks for is there.",
            expected="as in the evidence: 2310 and Brackwater", weight=1 / len(checks), anchors=anchors,
            verification="Look up Aldmere at node-1 and expect 412.5.", checks=(check,),
        )
        for number, (deliverable, check) in enumerate(checks)
    )  # fmt: skip
    penalties = []
    for number, file in enumerate(files):
        sheet = SHEET if file == BOOK else ""
        violations: list = [
            ForeignValues(file=file, sheet=sheet, key="Harbour", column=AFTER, values=CONFUSER),
            InventedRows(file=file, sheet=sheet, key="Harbour", rows=tuple(HARBOURS), labels=("Total",)),
        ]
        if file == BOOK:
            violations.append(TypedTotal(file=file, sheet=SHEET, label="Total", column=AFTER))
        penalties += [
            NegativeCriterion(
                id=f"p{number}-{place}", deliverable=f"d{number}", prohibited="Something wrong is there.",
                penalty=0.1, anchors=anchors, verification="Compare with 1100.5.", violations=(violation,),
            )
            for place, violation in enumerate(violations)
        ]  # fmt: skip
    return TaskSpec(
        id=task, workspace="w", graph="g", occupation="Harbour clerk", sector="Transport", topic="cargo",
        pattern=EXECUTION_PATTERNS[0], statement=STATEMENT, deliverables=deliverables,
        criteria=criteria, penalties=tuple(penalties), files=(SOURCE,), solution=make_plan(files),
    )  # fmt: skip


def make_plan(files: tuple[str, ...]) -> Plan:
    place = CellLocator(row=1, column=1)
    reads = tuple(
        ReadColumn(
            alias=alias, file=SOURCE, family="csv", place=place, key_column=0, key_name="Harbour",
            value_name=label, rows=tuple(range(1, 9)), label=label,
        )
        for alias, label in (("before", BEFORE), ("after", AFTER))
    )  # fmt: skip
    return Plan(
        key_label="Harbour",
        reads=reads,
        derived=(
            DerivedColumn(
                alias="change", label=CHANGE, operation="percent_change", arguments=("after", "before")
            ),
        ),
        facts=(Fact(name="total", operation="sum", column="after"),),
        outputs=tuple(
            Output(file=file, family=FAMILIES[file], title="Cargo", columns=("before", "after"))
            for file in files
        ),
        citations=(Citation(file=SOURCE, used_for="cargo of both years"),),
    )


def make_case(folder: Path, *files: str, task: str = "task-1") -> Case:
    """The specification and its golden deliverables, written into ``folder``."""
    for file in files:
        WRITERS[file](folder / file)
    return Case(make_spec(*files, task=task), {file: folder / file for file in files})
