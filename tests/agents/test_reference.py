"""The reference agent at work on small real files."""

import csv
import math
import stat
from pathlib import Path

import docx
import ironcalc
import openpyxl
import pymupdf
import pytest
from agent_cases import AGENT, SANDBOX, compare, delivered, flat, read, run, task_for, write_table

from graphforge.errors import InputError, RecordError
from graphforge.records import (
    Citation,
    DerivedColumn,
    Fact,
    Family,
    Keep,
    Output,
    Plan,
    QuotedColumn,
    QuotedFigure,
    Section,
    Trajectory,
    normalize,
    statement_hash,
)

LEFT = [(f"Région {n} “A”, O'Brien" if n % 5 == 0 else f"Town {n}", n * 12.5 - 100) for n in range(40)]
RIGHT = [
    (name.upper().replace(",", "  -"), 0 if n == 3 else value * 1.25) for n, (name, value) in enumerate(LEFT)
]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trajectory, Path, Path]:
    """One whole run: 40 rows from a workbook against a CSV file in another order and spelling, a value missing."""
    folder = tmp_path_factory.mktemp("inputs")
    keep = tmp_path_factory.mktemp("keep")
    left = write_table(folder, "left", "xlsx", LEFT)
    right = write_table(
        folder,
        "right",
        "csv",
        [(name, "n/a" if n == 9 else value) for n, (name, value) in enumerate(RIGHT)][::-1],
    )
    return (
        run(
            compare(read("a", left, 40, "Amount (2023)"), read("b", right, 40, "Amount (2022)")), folder, keep
        ),
        folder,
        keep,
    )


def test_the_record_is_honest(work: tuple[Trajectory, Path, Path]) -> None:
    trajectory, _, _ = work
    assert trajectory.status == "completed", trajectory.messages[-2].content
    assert trajectory.informed
    assert trajectory.agent == "reference"
    assert trajectory.statement_hash == statement_hash(trajectory.messages[1].content)
    assert [one.name for one in trajectory.artifacts] == ["book.xlsx", "flat.csv", "memo.docx", "memo.pdf"]
    assert trajectory.detail == ""


def test_the_conversation_can_be_trained_on(work: tuple[Trajectory, Path, Path]) -> None:
    trajectory, folder, keep = work
    roles = [message.role for message in trajectory.messages]
    assert roles[:2] == ["system", "user"]
    assert roles[2:-1] == ["assistant", "tool"] * ((len(roles) - 3) // 2)
    assert roles[-1] == "assistant"
    said = trajectory.messages[1].content
    assert said.startswith("Compare the two.") and "- book.xlsx: as asked" in said
    assert all(answer is not None and answer.exit_code == 0 for _, answer in trajectory.tool_calls())
    everything = "\n".join(message.line() for message in trajectory.messages)
    for word in (
        "hidden",
        "solution",
        "plan",
        "rubric",
        "criteri",
        "graphforge",
        str(folder),
        str(keep),
        "rollout-",
    ):
        assert word not in everything.casefold(), word


def test_the_script_is_sound_python_without_this_package(work: tuple[Trajectory, Path, Path]) -> None:
    trajectory, _, _ = work
    source = next(
        call.arguments["content"] for call, _ in trajectory.tool_calls() if call.name == "write_file"
    )
    assert isinstance(source, str)
    compile(source, "analysis.py", "exec")
    assert max(map(len, source.splitlines())) <= 125
    # No expected figure is typed in: the script computes.
    assert f"{math.fsum(value for _, value in LEFT):.2f}" not in source


def test_rows_are_matched_by_folded_name_in_the_first_files_order(
    work: tuple[Trajectory, Path, Path],
) -> None:
    trajectory, _, keep = work
    rows = flat(trajectory, keep)
    assert [row["Name"] for row in rows] == [name for n, (name, _) in enumerate(LEFT) if n != 9]


def test_values_follow_the_definitions(work: tuple[Trajectory, Path, Path]) -> None:
    trajectory, _, keep = work
    right = {normalize(name): float(value) for name, value in RIGHT}
    kept = [(name, value) for n, (name, value) in enumerate(LEFT) if n != 9]
    total = math.fsum(value for _, value in kept)
    for row, (name, a) in zip(flat(trajectory, keep), kept, strict=True):
        b = right[normalize(name)]
        assert float(row["Amount (2023)"]) == a
        assert math.isclose(float(row["Difference"]), a - b, rel_tol=1e-12)
        assert (
            row["Change in %"] == "" if b == 0 else math.isclose(float(row["Change in %"]), 100 * (a - b) / b)
        )
        assert math.isclose(float(row["Share in %"]), 100 * a / total)
        assert row["Status"] == ("agrees" if abs(a - b) <= 0.01 else "differs")


def test_the_workbook_is_live(work: tuple[Trajectory, Path, Path], tmp_path: Path) -> None:
    trajectory, _, keep = work
    path = tmp_path / "book.xlsx"
    path.write_bytes(delivered(trajectory, keep, "book.xlsx").read_bytes())
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Table", "Parameters", "Sources"]
    sheet = book["Table"]
    assert [cell.value for cell in sheet[3]] == [
        "Name", "Amount (2023)", "Amount (2022)", "Difference", "Change in %", "Share in %", "Status",
    ]  # fmt: skip
    assert sheet["A3"].font.bold
    assert sheet["A3"].fill.fill_type == "solid"
    assert sheet.freeze_panes == "B4"
    assert all(sheet.cell(row, column).data_type == "f" for row in range(4, 43) for column in range(4, 8))
    assert [cell.value for cell in sheet[43]][:3] == ["Total", "=SUM(B4:B42)", "=SUM(C4:C42)"]
    assert [book["Sources"].cell(row, 1).value for row in (2, 3)] == ["left.xlsx", "right.csv"]
    # Recalculated by another engine, every formula gives the value that the file caches.
    cached = openpyxl.load_workbook(path, data_only=True)["Table"]
    model = ironcalc.load_from_xlsx(str(path), "en", "UTC", "en")
    model.evaluate()
    for row in range(4, 44):
        for column in range(2, 8):
            there, here = model.get_cell_value(0, row, column), cached.cell(row, column).value
            if isinstance(there, float):
                assert math.isclose(there, here or 0, rel_tol=1e-9, abs_tol=1e-9), (row, column)
            else:
                assert (there or "") == (here or ""), (row, column)


def test_the_memo_holds_title_headings_facts_table_and_sources(
    work: tuple[Trajectory, Path, Path], tmp_path: Path
) -> None:
    trajectory, _, keep = work
    total = math.fsum(value for n, (_, value) in enumerate(LEFT) if n != 9)
    sentence = f"Total {total:,.2f}, largest {LEFT[39][0]}, 1 of 39 agree."
    memo = docx.Document(str(delivered(trajectory, keep, "memo.docx")))
    styles = [(one.style.name if one.style else "", one.text) for one in memo.paragraphs if one.text]
    assert styles == [
        ("Title", "Memo"),
        ("Heading 1", "Result"),
        ("Normal", sentence),
        ("Heading 1", "Sources"),
        ("List Bullet", "left.xlsx: amounts"),
        ("List Bullet", "right.csv: amounts"),
    ]
    table = memo.tables[0]
    assert [cell.text for cell in table.rows[0].cells] == ["Name", "Amount (2023)", "Difference"]
    assert len(table.rows) == 40
    assert table.rows[0].cells[0].paragraphs[0].runs[0].bold
    with pymupdf.open(stream=delivered(trajectory, keep, "memo.pdf").read_bytes()) as pdf:
        text = " ".join("".join(page.get_text() for page in pdf).split())
        assert sentence in text
        assert "left.xlsx: amounts" in text
        assert len(pdf) == 2
        found = [table for page in pdf for table in page.find_tables(strategy="lines_strict").tables]
        assert [table.extract()[0] for table in found] == [["Name", "Amount (2023)", "Difference"]] * 2
        assert sum(table.row_count for table in found) == 39 + 2


def test_a_second_run_gives_the_same_bytes(work: tuple[Trajectory, Path, Path], tmp_path: Path) -> None:
    trajectory, folder, _ = work
    plan = compare(
        read("a", folder / "left.xlsx", 40, "Amount (2023)"),
        read("b", folder / "right.csv", 40, "Amount (2022)"),
    )
    assert run(plan, folder, tmp_path / "other") == trajectory


@pytest.mark.parametrize("family", ["html", "md", "json", "docx", "pptx", "pdf"])
def test_every_family_can_be_read(tmp_path: Path, family: Family) -> None:
    rows = [("Łódź", 10.0), ('O\'Brien "B"', -4.5), ("Zero", 0.0)]
    left = write_table(tmp_path, "one", family, rows)
    right = write_table(
        tmp_path,
        "two",
        "csv",
        [("ZERO", "1"), ("lodz ", "(1,000.5)"), ("OBrien B", "3"), ("o brien b", "-4.50")],
    )
    plan = compare(read("a", left, 3, "A"), read("b", right, 4, "B"))
    trajectory = run(plan.model_copy(update={"outputs": plan.outputs[1:2]}), tmp_path, tmp_path / "keep")
    assert trajectory.status == "completed", trajectory.messages[-2].content
    rows_out = flat(trajectory, tmp_path / "keep")
    # "Łódź" has a letter that does not fold to "l": it has no partner.
    assert [(row["Name"], row["A"], row["B"]) for row in rows_out] == [
        ('O\'Brien "B"', "-4.5", "-4.5"),
        ("Zero", "0", "1"),
    ]


def small(tmp_path: Path, **changes: object) -> tuple[Plan, Path]:
    """A plan over two small CSV files, with changed fields."""
    left = write_table(tmp_path, "left", "csv", [("a", 5), ("b", 1), ("c", 3), ("d", 1)])
    right = write_table(tmp_path, "right", "csv", [("a", 5), ("b", 0), ("c", 4), ("d", 1)])
    plan = compare(read("a", left, 4, "A"), read("b", right, 4, "B"))
    return Plan.model_validate({**plan.model_dump(), **changes}), tmp_path / "keep"


def test_keep_order_and_limit(tmp_path: Path) -> None:
    plan, keep = small(
        tmp_path,
        keep=Keep(column="status", equals="differs").model_dump(),
        order_by="gap",
        descending=False,
        limit=1,
    )
    trajectory = run(plan, tmp_path, keep)
    rows = flat(trajectory, keep)
    assert [row["Name"] for row in rows] == ["c"]
    # A share is of all matched rows, also of those that were not kept.
    assert rows[0]["Share in %"] == "30"
    path = tmp_path / "book.xlsx"
    path.write_bytes(delivered(trajectory, keep, "book.xlsx").read_bytes())
    book = openpyxl.load_workbook(path)
    assert book["Table"]["F4"].value == '=IFERROR(100*B4/Parameters!$B$2,"")'
    assert [cell.value for cell in book["Parameters"][2]] == ["Total of A over all matched rows", 10]


def test_order_is_stable_and_descending(tmp_path: Path) -> None:
    plan, keep = small(tmp_path, order_by="a")
    assert [row["Name"] for row in flat(run(plan, tmp_path, keep), keep)] == ["a", "c", "b", "d"]


def test_an_empty_selection_is_a_result(tmp_path: Path) -> None:
    plan, keep = small(tmp_path, keep=Keep(column="status", equals="nothing").model_dump())
    trajectory = run(plan, tmp_path, keep)
    assert trajectory.status == "completed", trajectory.messages[-2].content
    assert flat(trajectory, keep) == []
    memo = docx.Document(str(delivered(trajectory, keep, "memo.docx")))
    assert memo.paragraphs[2].text == "Total 0.00, largest not available, 0 of 0 agree."
    path = tmp_path / "book.xlsx"
    path.write_bytes(delivered(trajectory, keep, "book.xlsx").read_bytes())
    assert openpyxl.load_workbook(path)["Table"]["B5"].value == "=SUM(B4)"


def test_derived_columns_of_derived_columns_and_blanks(tmp_path: Path) -> None:
    derived = (
        DerivedColumn(alias="r", label="Ratio", operation="ratio", arguments=("a", "b")),
        DerivedColumn(alias="p", label="Next", operation="projection", arguments=("a", "b")),
        DerivedColumn(alias="d", label="Gap", operation="difference", arguments=("r", "p")),
        DerivedColumn(alias="h", label="High", operation="above", arguments=("r",), constant=0.9),
        DerivedColumn(alias="l", label="Low", operation="below", arguments=("a",), constant=3),
        DerivedColumn(alias="s", label="Same", operation="agreement", arguments=("r", "p"), constant=0),
    )
    outputs = (
        Output(
            file="book.xlsx", family="xlsx", title="T", sheet="T", columns=("h", "d", "s", "l"), totals=("d",)
        ),
        Output(
            file="flat.csv", family="csv", title="T", columns=("r", "p", "d", "h", "l", "s"), totals=("r",)
        ),
    )
    facts = (
        Fact(name="mean", operation="mean", column="r", decimals=3),
        Fact(name="low", operation="bottom", column="r"),
    )
    plan, keep = small(tmp_path, derived=derived, outputs=outputs, facts=facts)
    trajectory = run(plan, tmp_path, keep)
    assert trajectory.status == "completed", trajectory.messages[-2].content
    rows = flat(trajectory, keep)
    assert [row["Ratio"] for row in rows] == ["1", "", "0.75", "1", "2.75"]
    assert [row["High"] for row in rows] == ["yes", "", "no", "yes", ""]
    assert [row["Low"] for row in rows] == ["no", "yes", "no", "yes", ""]
    assert rows[-1]["Name"] == "Total"
    assert "mean: 0.917\nlow: c\n" in "".join(message.content for message in trajectory.messages)
    path = tmp_path / "book.xlsx"
    path.write_bytes(delivered(trajectory, keep, "book.xlsx").read_bytes())
    sheet = openpyxl.load_workbook(path)["T"]
    # Formulas refer to cells: columns that were not asked for but are needed stand to the right.
    assert [cell.value for cell in sheet[3]] == [
        "Name",
        "High",
        "Gap",
        "Same",
        "Low",
        "Ratio",
        "Next",
        "A",
        "B",
    ]
    model = ironcalc.load_from_xlsx(str(path), "en", "UTC", "en")
    model.evaluate()
    values = openpyxl.load_workbook(path, data_only=True)["T"]
    for row in range(4, 9):
        for column in range(2, 8):
            assert (model.get_cell_value(0, row, column) or "") == (values.cell(row, column).value or "")


def test_figures_from_running_text(tmp_path: Path) -> None:
    write_table(tmp_path, "left", "csv", [("Oslo", 4200), ("Bergen", 310.5)])
    (tmp_path / "news.md").write_text("# News\n\nOslo took 4.2 thousand,\nBergen (310) less.\n")
    quoted = QuotedColumn(
        alias="q",
        file="news.md",
        family="md",
        label="As reported",
        figures=(
            QuotedFigure(entity="OSLO", literal="4.2 thousand", number=4200),
            QuotedFigure(entity="Bergen", literal="310", number=310),
        ),
    )
    plan = Plan(
        key_label="Town",
        reads=(read("a", tmp_path / "left.csv", 2, "Amount"),),
        quoted=(quoted,),
        derived=(DerivedColumn(alias="d", label="Gap", operation="difference", arguments=("q", "a")),),
        outputs=(Output(file="flat.csv", family="csv", title="T", columns=("a", "q", "d")),),
        citations=(Citation(file="left.csv", used_for="x"), Citation(file="news.md", used_for="y")),
    )
    trajectory = run(plan, tmp_path, tmp_path / "keep")
    assert [tuple(row.values()) for row in flat(trajectory, tmp_path / "keep")] == [
        ("Oslo", "4200", "4200", "0"),
        ("Bergen", "310.5", "310", "-0.5"),
    ]
    wrong = quoted.model_copy(
        update={"figures": (QuotedFigure(entity="Oslo", literal="5 thousand", number=5000),)}
    )
    trajectory = run(plan.model_copy(update={"quoted": (wrong,)}), tmp_path, tmp_path / "keep")
    assert trajectory.status == "failed"


def test_a_failing_command_is_recorded_and_ends_the_work(tmp_path: Path) -> None:
    plan, keep = small(tmp_path)
    write_table(tmp_path, "right", "csv", [("x", 1), ("y", 2), ("z", 3), ("w", 4)])
    trajectory = run(plan, tmp_path, keep)
    assert trajectory.status == "failed"
    assert trajectory.artifacts == ()
    *_, last, closing = trajectory.messages
    assert last.exit_code == 1
    assert "No row name occurs in every column" in last.content
    assert "exit code 1" in closing.content
    assert trajectory.detail.startswith("call_5 ended with exit code 1")


def test_a_deadline_is_a_timeout(tmp_path: Path) -> None:
    plan, keep = small(tmp_path)
    trajectory = run(plan, tmp_path, keep, SANDBOX.model_copy(update={"wall_seconds": 0.001}))
    assert trajectory.status == "timeout"
    assert trajectory.messages[-2].exit_code == 124


def test_a_broken_sandbox_is_no_failure_of_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, keep = small(tmp_path)
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    trajectory = run(plan, tmp_path, keep)
    assert trajectory.status == "sandbox_error"
    assert [message.role for message in trajectory.messages] == ["system", "user"]


def refuse(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_the_store_is_never_touched(tmp_path: Path) -> None:
    plan, keep = small(tmp_path)
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns, stat.S_IMODE(path.stat().st_mode))
        for path in tmp_path.glob("*.csv")
    }
    run(plan, tmp_path, keep)
    assert before == {
        path: (path.read_bytes(), path.stat().st_mtime_ns, stat.S_IMODE(path.stat().st_mode))
        for path in tmp_path.glob("*.csv")
    }


def test_an_input_that_was_not_handed_in(tmp_path: Path) -> None:
    plan, keep = small(tmp_path)
    with pytest.raises(InputError, match=r"left\.csv"):
        AGENT.run(task_for(plan), {}, keep, SANDBOX, plan)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {
                "outputs": (
                    Output(
                        file="m.docx",
                        family="docx",
                        title="T",
                        sections=(Section(heading="H", paragraphs=("{none}",)),),
                    ),
                )
            },
            "unknown facts",
        ),
        ({"facts": (Fact(name="total", operation="sum"),)}, "names no column"),
        (
            {"derived": (DerivedColumn(alias="gap", label="G", operation="difference", arguments=("a",)),)},
            "1 arguments",
        ),
    ],
)
def test_a_plan_that_cannot_be_executed_is_an_error_of_the_task(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    plan, keep = small(tmp_path)
    broken = plan.model_copy(update=changes)
    with pytest.raises(RecordError, match=said):
        run(broken, tmp_path, keep)


def test_csv_totals_only_where_asked(tmp_path: Path) -> None:
    outputs = (Output(file="flat.csv", family="csv", title="T", columns=("a", "status"), totals=("a",)),)
    plan, keep = small(tmp_path, outputs=outputs)
    with delivered(run(plan, tmp_path, keep), keep, "flat.csv").open(encoding="utf-8", newline="") as handle:
        assert list(csv.reader(handle))[-1] == ["Total", "10", ""]
