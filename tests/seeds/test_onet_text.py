"""The loader: what it survives, what it refuses, and the known counts of the real release."""

from collections.abc import Callable
from pathlib import Path

import pytest

from graphforge.errors import InputError
from graphforge.seeds import DemoOccupations, OnetOccupations

REPO = Path(__file__).resolve().parents[2]
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

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the small release, with some tables replaced (None: left out)."""

    def build(changes: dict[str, list[tuple[str, ...]] | None] | None = None) -> Path:
        for name, rows in {**SMALL, **(changes or {})}.items():
            if rows is not None:
                text = "".join("\t".join(row) + "\r\n" for row in rows)
                (tmp_path / name).write_bytes(text.encode())
        return tmp_path

    return build


def plus(name: str, *rows: tuple[str, ...]) -> dict[str, list[tuple[str, ...]] | None]:
    return {name: [*SMALL[name], *rows]}


def test_reads_what_the_release_holds(write: Write) -> None:
    tables = OnetOccupations(root=write()).load()
    assert list(tables.occupations) == ["13-2011.00", "55-1011.00"]
    accountants = tables.occupations["13-2011.00"]
    assert (accountants.job_zone, accountants.sector, accountants.subsector) == (4, "13", "13-2")
    assert tables.occupations["55-1011.00"].job_zone is None
    assert tables.occupations["55-1011.00"].description == ""
    assert tables.tasks["1"].text == 'Reconcile the "open" items of ledgers with invoices.'
    assert (tables.tasks["1"].kind, tables.tasks["2"].kind) == ("Core", None)
    assert tables.dwas_of == {"1": ("9.A.I01.D01", "9.A.I01.D02"), "2": ()}
    assert tables.tasks_of == {"13-2011.00": ("1", "2"), "55-1011.00": ()}
    assert tables.sector_name("55-1011.00") == "Military Specific"
    assert tables.pairs() == {("13-2011.00", "9.A.I01.D01"), ("13-2011.00", "9.A.I01.D02")}


def test_job_zones_may_be_absent(write: Write) -> None:
    tables = OnetOccupations(root=write({"Job Zones.txt": None})).load()
    assert all(occupation.job_zone is None for occupation in tables.occupations.values())


def without(name: str, column: str) -> dict[str, list[tuple[str, ...]] | None]:
    place = SMALL[name][0].index(column)
    return {name: [row[:place] + row[place + 1 :] for row in SMALL[name]]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"DWA Reference.txt": None}, ["no table 'DWA Reference.txt'", "30.1"]),
        (without("Task Statements.txt", "Task"), ["Task Statements.txt", "no column 'Task'"]),
        (without("Tasks to DWAs.txt", "DWA ID"), ["Tasks to DWAs.txt", "no column 'DWA ID'"]),
        (
            plus("Task Statements.txt", ("13-2011.00", "1", "Again.", "Core", "1")),
            ["line 4", "Task ID 1", "twice"],
        ),
        (
            plus("Task Statements.txt", ("11-1011.00", "3", "Lead.", "Core", "1")),
            ["line 4", "occupation '11-1011.00'"],
        ),
        (plus("Task Statements.txt", ("13-2011.00", "3", "n/a", "Core", "1")), ["line 4", "'Task' is empty"]),
        (plus("Task Statements.txt", ("13-2011.00", "3", "Short.")), ["line 4", "3 fields", "has 5"]),
        (plus("Tasks to DWAs.txt", ("13-2011.00", "2", "9.Z")), ["line 4", "DWA '9.Z'", "DWA Reference.txt"]),
        (plus("Tasks to DWAs.txt", ("13-2011.00", "7", "9.A.I01.D01")), ["line 4", "task '7'"]),
        (
            plus("Tasks to DWAs.txt", ("55-1011.00", "2", "9.A.I01.D01")),
            ["line 4", "belongs to", "13-2011.00"],
        ),
        (plus("Tasks to DWAs.txt", ("13-2011.00", "1", "9.A.I01.D01")), ["line 4", "twice"]),
        (plus("DWA Reference.txt", ("9", "9.X", "9.X.D01", "Lost.")), ["line 4", "IWA '9.X'"]),
        (plus("Occupation Data.txt", ("13-2011.00", "Again", "x")), ["line 4", "twice"]),
        (plus("Occupation Data.txt", ("99-0000.00", "Nobody", "x")), ["line 4", "no O*NET-SOC code"]),
        (plus("Occupation Data.txt", ("2011", "Nobody", "x")), ["line 4", "no O*NET-SOC code"]),
        (plus("Job Zones.txt", ("13-2011.00", "9", "x")), ["line 3", "'9'", "job zone"]),
        (plus("Technology Skills.txt", ("13-9999.00", "A", "1", "B")), ["line 3", "13-9999.00"]),
        ({"IWA Reference.txt": SMALL["IWA Reference.txt"][:1]}, ["IWA Reference.txt", "no rows"]),
    ],
)
def test_refuses_with_one_clear_line(
    write: Write, changes: dict[str, list[tuple[str, ...]] | None], words: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        OnetOccupations(root=write(changes)).load()
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.remedy
    for word in words:
        assert word in message


def test_refuses_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"does not exist.*occupations\.root"):
        OnetOccupations(root=tmp_path / "nowhere").load()


def test_refuses_text_in_another_encoding(write: Write) -> None:
    folder = write()
    (folder / "Task Statements.txt").write_bytes(b"O*NET-SOC Code\tTask ID\tTask\tTask Type\r\n\xff\xfe\r\n")
    with pytest.raises(InputError, match="no UTF-8"):
        OnetOccupations(root=folder).load()


def test_refuses_an_empty_table(write: Write) -> None:
    folder = write()
    (folder / "Task Statements.txt").write_bytes(b"")
    with pytest.raises(InputError, match="no column"):
        OnetOccupations(root=folder).load()


def test_counts_of_release_30_1() -> None:
    root = REPO.parent / "shared" / "onet" / "30.1"
    if not root.is_dir():
        pytest.skip("needs ../shared/onet/30.1: not in this clone")
    tables = OnetOccupations(root=root).load()
    assert len(tables.occupations) == 1016
    assert sum(1 for tasks in tables.tasks_of.values() if tasks) == 923
    assert len(tables.tasks) == 18796
    assert len(tables.dwas) == 2087
    assert len({dwa for _, dwa in tables.links}) == 2083
    assert len(tables.links) == 23850
    assert len(tables.pairs()) == 18357
    assert sum(1 for dwas in tables.dwas_of.values() if len(dwas) > 1) == 4366
    withtasks = [code for code, tasks in tables.tasks_of.items() if tasks]
    assert len({code[:2] for code in withtasks}) == 22
    assert len({code[:4] for code in withtasks}) == 95


def test_demo_statements_are_not_those_of_onet() -> None:
    root = REPO.parent / "shared" / "onet" / "30.1"
    if not root.is_dir():
        pytest.skip("needs ../shared/onet/30.1: not in this clone")
    onet, demo = OnetOccupations(root=root).load(), DemoOccupations().load()
    assert not {task.text for task in demo.tasks.values()} & {task.text for task in onet.tasks.values()}
    assert not {dwa.title for dwa in demo.dwas.values()} & {dwa.title for dwa in onet.dwas.values()}
    assert not set(demo.dwas) & set(onet.dwas)
    assert not set(demo.iwas.values()) & set(onet.iwas.values())
    assert all(onet.occupations[code].title == demo.occupations[code].title for code in demo.occupations)


def test_the_example_table_loads() -> None:
    tables = OnetOccupations(root=REPO / "examples" / "occupations" / "own").load()
    assert (len(tables.occupations), len(tables.tasks)) == (2, 3)
