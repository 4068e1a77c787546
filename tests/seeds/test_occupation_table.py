"""A table of one's own: any codes, the table's own sectors, and what doesn't fit is one clear line."""

from pathlib import Path

import pytest

from graphforge.errors import InputError
from graphforge.records import EXECUTION_PATTERNS, StageCount
from graphforge.seeds import OccupationTable, propose, seed_dimensions

REPO = Path(__file__).resolve().parents[2]
HEAD = "code;name;area;work;kind\n"
COLUMNS = {"occupation": "code", "title": "name", "sector": "area", "task": "work", "activity": "kind"}
RECONCILE = "2411.1;Accountants;Finance;Reconcile ledgers with bank statements.;Reconcile accounts\n"


def own(folder: Path, lines: str, head: str = HEAD, **columns: str) -> OccupationTable:
    path = folder / "own.csv"
    path.write_text(head + lines, encoding="utf-8-sig")
    return OccupationTable(file=path, delimiter=";", columns={**COLUMNS, **columns})


def test_the_example_makes_seeds_with_its_own_codes_and_sectors() -> None:
    columns = {name: name for name in (*COLUMNS, "subsector")}
    tables = OccupationTable(file=REPO / "examples/occupations/table.csv", columns=columns).load()
    assert list(tables.occupations) == ["2411.1", "3314.2", "4322.7"]
    seeds, rejections = propose(tables, EXECUTION_PATTERNS)
    assert {(seed.occupation_code, seed.sector, seed.subsector) for seed in seeds} == {
        ("2411.1", "Finance", "Accounting"),
        ("3314.2", "Research", "Statistics"),
        ("4322.7", "Logistics", "Planning"),
    }
    assert {one.reason for one in rejections} == {"not_digital", "no_dwa"}
    StageCount.of("seeds", 7, len(seeds), rejections)
    assert {seed.sector_name for seed in seeds} == {""}
    assert seed_dimensions(seeds[0])["sector"] == ("Finance",)


def test_ids_do_not_depend_on_the_order_of_lines(tmp_path: Path) -> None:
    lines = [RECONCILE, "3314.2;Officers;Research;Merge survey files.;Merge files\n"]
    there = own(tmp_path, "".join(lines)).load()
    back = own(tmp_path, "".join(reversed(lines))).load()
    assert there.pairs() == back.pairs()
    assert set(there.links) == set(back.links)
    assert (there.occupations, there.tasks, there.dwas) == (back.occupations, back.tasks, back.dwas)


def test_a_task_of_several_activities_has_a_line_for_each(tmp_path: Path) -> None:
    tables = own(tmp_path, RECONCILE + RECONCILE.replace("Reconcile accounts", "Check records")).load()
    assert len(tables.tasks) == 1
    assert [tables.dwas[dwa].title for _, dwa in tables.links] == ["Reconcile accounts", "Check records"]
    assert not tables.lists_software


def test_an_occupation_may_have_no_task_and_a_task_no_activity(tmp_path: Path) -> None:
    tables = own(tmp_path, "1;Idle;Rest;;\n2;Busy;Rest;Do it.;\n").load()
    assert tables.tasks_of["1"] == ()
    assert list(tables.dwas_of.values()) == [()]


def test_a_table_may_have_task_ids(tmp_path: Path) -> None:
    tables = own(tmp_path, f"T1;{RECONCILE}", f"id;{HEAD}", task_id="id").load()
    assert list(tables.tasks) == ["T1"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("http://data.europa.eu/esco/x;A;B;C;D\n", ["line 2", "esco/x' is no code"]),
        (";A;B;C;D\n", ["line 2", "the occupation is empty"]),
        ("1;A;;C;D\n", ["line 2", "the sector is empty"]),
        ("1;A;B;C;D\n1;Z;B;E;D\n", ["line 3", "occupation 1", "another title"]),
        ("1;A;B;C;D\n1;A;B;C;D\n", ["line 3", "mapped to 'D' twice"]),
        ("1;A;B;C\n", ["line 2", "4 fields", "has 5"]),
        ('1;A;B;"C;D\n', ["can't be read", "quoting"]),
        ("", ["no rows"]),
    ],
)
def test_a_line_that_does_not_fit_is_refused(tmp_path: Path, lines: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        own(tmp_path, lines).load()
    for word in words:
        assert word in str(caught.value)


def test_repeated_task_ids_and_missing_columns_are_refused(tmp_path: Path) -> None:
    lines = "T1;1;A;B;C;D\nT1;1;A;B;E;D\n"
    with pytest.raises(InputError, match="line 3: the task id T1 occurs twice"):
        own(tmp_path, lines, f"id;{HEAD}", task_id="id").load()
    with pytest.raises(
        InputError, match=r"no column 'nr'.*occupations\.columns\.task_id to one of: code, name"
    ):
        own(tmp_path, RECONCILE, task_id="nr").load()
    with pytest.raises(InputError, match=r"nowhere.csv does not exist.*occupations\.file"):
        OccupationTable(file=tmp_path / "nowhere.csv", columns=COLUMNS).load()
