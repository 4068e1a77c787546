"""A made-up release of two occupations, in every edition, under the old names and those of 30.3 and later."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import xlsxwriter

Tables = Mapping[str, Sequence[tuple[str, ...]]]
CODE = "O*NET-SOC Code"
SMALL: dict[str, list[tuple[str, ...]]] = {
    "Occupation Data.txt": [
        (CODE, "Title", "Description"),
        ("13-2011.00", "Accountants and Auditors", "Examine accounts."),
        ("55-1011.00", "Air Crew Officers", "n/a"),
    ],
    "Task Statements.txt": [
        (CODE, "Task ID", "Task", "Task Type", "Incumbents Responding"),
        ("13-2011.00", "1", 'Reconcile the "open" items of ledgers with invoices.', "Core", "n/a"),
        ("13-2011.00", "2", "Draft policies for purchase approval.", "n/a", "12"),
    ],
    "DWA Reference.txt": [
        ("Element ID", "IWA ID", "DWA ID", "DWA Title"),
        ("9.A", "9.A.I01", "9.A.I01.D01", "Reconcile records."),
        ("9.A", "9.A.I01", "9.A.I01.D02", "Check accounts."),
    ],
    "IWA Reference.txt": [("Element ID", "IWA ID", "IWA Title"), ("9.A", "9.A.I01", "Check records.")],
    "Tasks to DWAs.txt": [
        (CODE, "Task ID", "DWA ID"),
        ("13-2011.00", "1", "9.A.I01.D01"),
        ("13-2011.00", "1", "9.A.I01.D02"),
    ],
    "Technology Skills.txt": [
        (CODE, "Example", "Commodity Code", "Commodity Title"),
        ("13-2011.00", "LibreOffice Calc", "43232110", "Spreadsheet software"),
    ],
    "Job Zones.txt": [(CODE, "Job Zone", "Date"), ("13-2011.00", "4", "08/2023")],
}

# What 30.3 did: other names of tables and columns, other identifiers, the IWAs and commodities in the content model.
_IDS = {"9.A.I01.D01": "9.A.a.1", "9.A.I01.D02": "9.A.a.2", "9.A.I01": "9.A.a"}
_COLUMNS = {"DWA ID": "DWA Element ID", "DWA Title": "DWA Element Name", "IWA ID": "IWA Element ID"}
_TABLES = {"DWA Reference.txt": "GWAs to IWAs to DWAs.txt", "Technology Skills.txt": "Software Skills.txt"}


def new_names(titles: bool) -> dict[str, list[tuple[str, ...]]]:
    """The small release as 30.3 would write it; ``titles``: with the extra columns of the excel and csv editions."""
    made: dict[str, list[tuple[str, ...]]] = {}
    for name, rows in SMALL.items():
        if name == "IWA Reference.txt":
            continue
        head = tuple(_COLUMNS.get(column, column) for column in rows[0])
        made[_TABLES.get(name, name)] = [head, *(tuple(_IDS.get(v, v) for v in row) for row in rows[1:])]
    dwas = made["GWAs to IWAs to DWAs.txt"]
    dwas[0] = ("GWA Element ID", *dwas[0][1:])
    code, example = "13-2011.00", "LibreOffice Calc"
    if titles:
        dwas[:] = [
            (*row, extra)
            for row, extra in zip(dwas, ["IWA Element Name", *["Check records."] * 2], strict=True)
        ]
        made["Tasks to DWAs.txt"] = [
            (row[0], extra, *row[1:])
            for row, extra in zip(made["Tasks to DWAs.txt"], ["Title", *["Accountants"] * 2], strict=True)
        ]
        made["Software Skills.txt"] = [
            (CODE, "Title", "Workplace Example", "Element ID", "Element Name"),
            (code, "Accountants", example, "4.C.1", "Spreadsheet software"),
        ]
    else:
        made["Software Skills.txt"] = [(CODE, "Workplace Example", "Element ID"), (code, example, "4.C.1")]
    made["Content Model Reference.txt"] = [
        ("Element ID", "Element Name", "Description"),
        ("9.A.a", "Check records.", "x"),
        ("4.C.1", "Spreadsheet software", "x"),
    ]
    return made


def write_text(folder: Path, tables: Tables) -> None:
    """Tab separated, CRLF, no quoting."""
    for name, rows in tables.items():
        text = "".join("\t".join(row) + "\r\n" for row in rows)
        (folder / name).write_bytes(text.encode())


def write_csv(folder: Path, tables: Tables) -> None:
    """With quoting, under names such as tasks_to_dwas.csv."""
    for name, rows in tables.items():
        path = folder / f"{name.removesuffix('.txt').lower().replace(' ', '_')}.csv"
        with path.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle).writerows(rows)


def write_workbooks(folder: Path, tables: Tables) -> None:
    """Numbers where there are digits, blanks where the text edition says n/a."""
    for name, rows in tables.items():
        with xlsxwriter.Workbook(folder / name.replace(".txt", ".xlsx")) as book:
            sheet = book.add_worksheet()
            for at, row in enumerate(rows):
                for column, value in enumerate(row):
                    if value.isdigit():
                        sheet.write_number(at, column, int(value))
                    elif value != "n/a":
                        sheet.write_string(at, column, value)
