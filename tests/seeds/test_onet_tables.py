"""The loader: what it survives, in every edition, what it refuses, and the known counts of the real releases."""

from collections.abc import Callable
from pathlib import Path

import pytest
from small_release import SMALL, new_names, write_csv, write_text, write_workbooks

from graphforge.errors import InputError
from graphforge.records import EXECUTION_PATTERNS
from graphforge.seeds import DemoOccupations, OnetOccupations, propose
from graphforge.seeds.llm import list_pairs

REPO = Path(__file__).resolve().parents[2]
CODE = "O*NET-SOC Code"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the small release, with some tables replaced (None: left out)."""

    def build(changes: dict[str, list[tuple[str, ...]] | None] | None = None) -> Path:
        for name, rows in {**SMALL, **(changes or {})}.items():
            if rows is not None:
                write_text(tmp_path, {name: rows})
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


def test_alternate_titles_are_read_where_there_are_some(write: Write) -> None:
    titles: list[tuple[str, ...]] = [
        (CODE, "Alternate Title", "Short Title", "Source(s)"),
        ("13-2011.00", "Ledger Clerk", "n/a", "08"),
        ("13-2011.00", "n/a", "n/a", "08"),
        ("13-2011.00", "Auditor", "n/a", "08"),
        ("13-2011.00", "Ledger Clerk", "n/a", "02"),
    ]
    assert OnetOccupations(root=write()).load().alternate_titles == {}
    tables = OnetOccupations(root=write({"Alternate Titles.txt": titles})).load()
    assert tables.alternate_titles == {"13-2011.00": ("Ledger Clerk", "Auditor")}


def test_a_release_without_software_says_nothing_about_it(write: Write) -> None:
    tables = OnetOccupations(root=write({"Technology Skills.txt": None})).load()
    assert not tables.lists_software
    seeds, rejections = propose(tables, EXECUTION_PATTERNS)
    assert [seed.task_id for seed in seeds] == ["1", "1"]
    assert "no_software" not in {one.reason for one in rejections}
    assert not [p for seed in seeds for p in seed.evidence if p.source.startswith("Technology Skills")]
    pairs, _ = list_pairs(tables)
    assert {pair.tasks for pair in pairs} == {("1",)}


EDITIONS = {"text": write_text, "csv": write_csv, "workbook": write_workbooks}


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize("edition", EDITIONS)
def test_every_edition_of_old_and_new_releases_reads_alike(
    tmp_path: Path, edition: str, renamed: bool
) -> None:
    """30.3 renamed tables, columns and identifiers; only the identifiers may show afterwards."""
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    write_text(tmp_path / "old", SMALL)
    old = OnetOccupations(root=tmp_path / "old").load()
    EDITIONS[edition](tmp_path / "new", new_names(titles=edition != "text") if renamed else SMALL)
    tables = OnetOccupations(root=tmp_path / "new").load()
    assert tables.occupations == old.occupations
    assert tables.tasks == old.tasks
    assert [one.title for one in tables.dwas.values()] == [one.title for one in old.dwas.values()]
    assert list(tables.iwas.values()) == list(old.iwas.values())
    assert tables.alternate_titles == old.alternate_titles
    assert [(task, tables.dwas[dwa].title) for task, dwa in tables.links] == [
        (task, old.dwas[dwa].title) for task, dwa in old.links
    ]
    if renamed:
        assert list(tables.dwas) == ["9.A.a.1", "9.A.a.2"]
    else:
        assert tables == old


def test_a_new_release_whose_activities_nothing_names_is_refused(tmp_path: Path) -> None:
    tables = new_names(titles=False)
    del tables["Content Model Reference.txt"]
    write_text(tmp_path, tables)
    with pytest.raises(InputError, match=r"no table 'IWA Reference' \(or 'Content Model Reference'\)"):
        OnetOccupations(root=tmp_path).load()


def test_a_workbook_that_is_none_is_refused(tmp_path: Path) -> None:
    write_workbooks(tmp_path, SMALL)
    path = tmp_path / "Task Statements.xlsx"
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError, match=r"Task Statements\.xlsx can't be read as a workbook"):
        OnetOccupations(root=tmp_path).load()


def without(name: str, column: str) -> dict[str, list[tuple[str, ...]] | None]:
    place = SMALL[name][0].index(column)
    return {name: [row[:place] + row[place + 1 :] for row in SMALL[name]]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"DWA Reference.txt": None},
            ["no table 'DWA Reference' (or 'GWAs to IWAs to DWAs')", "25.1 or later"],
        ),
        (without("Task Statements.txt", "Task"), ["Task Statements.txt", "no column 'Task'"]),
        (
            without("Tasks to DWAs.txt", "DWA ID"),
            ["Tasks to DWAs.txt", "no column 'DWA ID' (or 'DWA Element ID')"],
        ),
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
        (plus("Tasks to DWAs.txt", ("13-2011.00", "2", "9.Z")), ["line 4", "DWA '9.Z'", "DWA Reference"]),
        (plus("Tasks to DWAs.txt", ("13-2011.00", "7", "9.A.I01.D01")), ["line 4", "task '7'"]),
        (
            plus("Tasks to DWAs.txt", ("55-1011.00", "2", "9.A.I01.D01")),
            ["line 4", "belongs to", "13-2011.00"],
        ),
        (plus("Tasks to DWAs.txt", ("13-2011.00", "1", "9.A.I01.D01")), ["line 4", "twice"]),
        (plus("DWA Reference.txt", ("9", "9.X", "9.X.D01", "Lost.")), ["line 4", "IWA '9.X'"]),
        (plus("Occupation Data.txt", ("13-2011.00", "Again", "x")), ["line 4", "twice"]),
        (plus("Occupation Data.txt", ("99-0000.00", "Nobody", "x")), ["line 4", "no O*NET-SOC code"]),
        (plus("Occupation Data.txt", ("2011", "Nobody", "x")), ["line 4", "no O*NET-SOC code", "=table"]),
        (
            plus("Occupation Data.txt", ("15-1131.00", "Computer Programmers", "x")),
            ["line 4", "15-1131.00", "taxonomy before that of 2019", "25.1 or later"],
        ),
        (
            {"Read Me.txt": [("O*NET 24.3 Database",)]},
            ["Read Me.txt", "O*NET 24.3", "another taxonomy", "25.1 or later"],
        ),
        ({"DWA Reference.csv": SMALL["DWA Reference.txt"]}, ["both", "DWA Reference.csv", "one edition"]),
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
    assert tables.name == "O*NET 30.1"
    assert len(tables.alternate_titles) == 1016
    assert tables.lists_software


def test_release_29_3_in_its_spreadsheet_edition() -> None:
    """Seven of its tables: numbers for digits, blanks for n/a, extra columns, tasks mapped to nothing, no software."""
    root = REPO.parent / "shared" / "onet" / "29.3-xlsx"
    if not root.is_dir():
        pytest.skip("needs ../shared/onet/29.3-xlsx: not in this clone")
    tables = OnetOccupations(root=root).load()
    assert tables.name == "O*NET 29.3"
    assert (len(tables.occupations), len(tables.tasks), len(tables.dwas)) == (1016, 18796, 2087)
    assert sum(1 for dwas in tables.dwas_of.values() if not dwas) == 301
    assert sum(1 for tasks in tables.tasks_of.values() if not tasks) == 93
    assert "8823" in tables.tasks and not [task for task in tables.tasks if "." in task]
    assert {task.kind for task in tables.tasks.values()} == {"Core", "Supplemental", None}
    assert {one.job_zone for one in tables.occupations.values()} == {1, 2, 3, 4, 5, None}
    assert not tables.lists_software


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
