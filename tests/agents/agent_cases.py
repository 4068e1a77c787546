"""Small real files of every family that hold the same table, and plans over them."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import docx
import openpyxl
import pptx
import pymupdf
from pptx.util import Inches

from graphforge.agents import ProcessSandbox, ReferenceAgent
from graphforge.records import (
    CellLocator,
    Citation,
    Deliverable,
    DerivedColumn,
    Fact,
    Family,
    Locator,
    Output,
    Plan,
    PointerLocator,
    PublicTask,
    ReadColumn,
    Section,
    TableCellLocator,
    Trajectory,
)

Rows = Sequence[tuple[str, object]]

SANDBOX = ProcessSandbox(
    cpu_seconds=30,
    wall_seconds=60,
    memory=4 * 1024**3,
    file_size=64 * 1024**2,
    processes=64,
    open_files=128,
    output_bytes=20_000,
)
AGENT = ReferenceAgent(name="reference", head_rows=4, artifact_bytes=10_000_000)


def write_table(folder: Path, stem: str, family: Family, rows: Rows, head: str = "Amount") -> Path:
    """A file of the family with the table (columns Name, Code, Amount)."""
    path = folder / f"{stem}.{family}"
    grid = [["Name", "Code", head], *([name, "x", value] for name, value in rows)]
    texts = [[str(cell) for cell in row] for row in grid]
    match family:
        case "xlsx":
            book = openpyxl.Workbook()
            sheet = book.active
            assert sheet is not None
            sheet.title = "Data 'A'"
            sheet.append(["A title"])
            sheet.append([])
            for row in grid:
                sheet.append(row)
            book.save(path)
        case "csv":
            with path.open("w", encoding="utf-8", newline="") as handle:
                csv.writer(handle).writerows(grid)
        case "html":
            cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in texts)
            path.write_text(
                f"<html><meta charset=utf-8><table><tr><td>menu</table><p>Text</p><table>{cells}</table></html>",
                encoding="utf-8",
            )
        case "md":
            lines = ["| " + " | ".join(row) + " |" for row in texts]
            lines.insert(1, "|---|:-:|--:|")
            path.write_text("# Title\n\n" + "\n".join(lines) + "\n\nEnd.\n", encoding="utf-8")
        case "json":
            records = [{"na/me": row[0], "code": row[1], "amount": row[2]} for row in grid[1:]]
            path.write_text(json.dumps({"data": {"rows": records}}, ensure_ascii=False), encoding="utf-8")
        case "docx":
            document = docx.Document()
            document.add_paragraph("Before the table.")
            table = document.add_table(rows=len(texts), cols=3)
            for cells, row in zip(table.rows, texts, strict=True):
                for cell, text in zip(cells.cells, row, strict=True):
                    cell.text = text
            document.save(str(path))
        case "pptx":
            deck = pptx.Presentation()
            slide = deck.slides.add_slide(deck.slide_layouts[6])
            frame = slide.shapes.add_table(len(texts), 3, Inches(1), Inches(1), Inches(6), Inches(4))
            for y, row in enumerate(texts):
                for x, text in enumerate(row):
                    frame.table.cell(y, x).text = text
            deck.save(str(path))
        case "pdf":
            pdf = pymupdf.open()
            page = pdf.new_page()
            font = pymupdf.Font("helv")
            for y, row in enumerate(texts):
                for x, text in enumerate(row):
                    box = pymupdf.Rect(50 + 150 * x, 80 + 18 * y, 200 + 150 * x, 98 + 18 * y)
                    page.draw_rect(box)
                    writer = pymupdf.TextWriter(page.rect)
                    writer.append((box.x0 + 3, box.y1 - 5), text, font=font, fontsize=9)
                    writer.write_text(page)
            pdf.save(path)
        case _:
            raise ValueError(family)
    return path


def read(alias: str, path: Path, count: int, label: str) -> ReadColumn:
    """How a plan reads the amounts of a file made by :func:`write_table`."""
    family: Family = path.suffix[1:]  # type: ignore[assignment]
    first = 1
    place: Locator
    match family:
        case "xlsx":
            place, first = CellLocator(sheet="Data 'A'", row=3, column=2), 3
        case "csv":
            place = CellLocator(row=1, column=2)
        case "json":
            place, first = PointerLocator(pointer="/data/rows/0/amount"), 0
        case "pdf":
            place = TableCellLocator(page=0, table=0, row=1, column=2)
        case _:
            place = TableCellLocator(table=1 if family == "html" else 0, row=1, column=2)
    return ReadColumn(
        alias=alias,
        file=path.name,
        family=family,
        place=place,
        key_column=0,
        key_name="na/me",
        value_name="amount",
        rows=tuple(range(first, first + count)),
        label=label,
    )


def compare(left: ReadColumn, right: ReadColumn) -> Plan:
    """A plan that compares two columns, with a workbook, a CSV file, a Word memo and a PDF memo."""
    section = Section(
        heading="Result", paragraphs=("Total {total}, largest {top}, {agree} of {n} agree.",), table=True
    )
    columns = ("a", "b", "gap", "change", "part", "status")
    return Plan(
        key_label="Name",
        reads=(left, right),
        derived=(
            DerivedColumn(alias="gap", label="Difference", operation="difference", arguments=("a", "b")),
            DerivedColumn(
                alias="change", label="Change in %", operation="percent_change", arguments=("a", "b")
            ),
            DerivedColumn(alias="part", label="Share in %", operation="share", arguments=("a",)),
            DerivedColumn(
                alias="status", label="Status", operation="agreement", arguments=("a", "b"), constant=0.01
            ),
        ),
        facts=(
            Fact(name="total", operation="sum", column="a"),
            Fact(name="top", operation="top", column="a"),
            Fact(name="n", operation="count"),
            Fact(name="agree", operation="count_equal", column="status", word="agrees"),
        ),
        outputs=(
            Output(
                file="book.xlsx",
                family="xlsx",
                title="Compared",
                sheet="Table",
                columns=columns,
                totals=("a", "b"),
            ),
            Output(file="flat.csv", family="csv", title="Flat", columns=columns),
            Output(file="memo.docx", family="docx", title="Memo", columns=("a", "gap"), sections=(section,)),
            Output(file="memo.pdf", family="pdf", title="Memo", columns=("a", "gap"), sections=(section,)),
        ),
        citations=tuple(
            Citation(file=name, used_for="amounts") for name in dict.fromkeys((left.file, right.file))
        ),
    )


def task_for(plan: Plan, *more: str) -> PublicTask:
    """A public task whose deliverables are the plan's outputs."""
    deliverables = tuple(
        Deliverable(id=f"d{number}", file=output.file, family=output.family, requirement="as asked")
        for number, output in enumerate(plan.outputs)
    )
    files = dict.fromkeys([*(citation.file for citation in plan.citations), *more])
    return PublicTask(
        task="task-1", statement="Compare the two.", deliverables=deliverables, files=tuple(files)
    )


def run(plan: Plan, folder: Path, keep: Path, sandbox: ProcessSandbox = SANDBOX) -> Trajectory:
    """The reference agent's work on a plan whose files lie in ``folder``."""
    task = task_for(plan)
    return AGENT.run(task, {name: folder / name for name in task.files}, keep, sandbox, plan)


def delivered(trajectory: Trajectory, keep: Path, name: str) -> Path:
    """The stored file of a deliverable."""
    return keep / next(artifact.sha256 for artifact in trajectory.artifacts if artifact.name == name)


def flat(trajectory: Trajectory, keep: Path) -> list[dict[str, str]]:
    """The rows of ``flat.csv``."""
    with delivered(trajectory, keep, "flat.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))
