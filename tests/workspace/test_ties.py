"""Ties between files: names, figures and mentions in common, and what assembly makes of them."""

from made_library import DEPARTMENTS, any_case, document, library, seed, table

from graphforge.workspace import AssemblySettings, assemble
from graphforge.workspace.roles import is_related
from graphforge.workspace.ties import TiedFile, find_ties

SETTINGS = AssemblySettings(
    relevance=0.1,
    elsewhere=0.25,
    closeness=0.5,
    files_cost=0.05,
    topic_cost=0.0,
    smallest=4,
    largest=6,
    family_bonus=0.1,
    alone=0.4,
    most=1,
    again_cost=0.05,
)
AREAS = ["North", "South", "East", "West", "Harbour", "Market", "Mill", "Ferry"]


def rows(names: list[str], head: str, values: list[float]) -> list[list[object]]:
    return [["Name", head], *([name, value] for name, value in zip(names, values, strict=False))]


def ties(*documents: object) -> dict[tuple[str, str], str]:
    files = {one.sha256: TiedFile(one, one.name, one.title) for one in documents}  # type: ignore[attr-defined]
    found = find_ties(files)
    assert all(there in found and here in found[there] for here, tied in found.items() for there in tied)
    return {
        (files[here].name, files[there].name): tie.kind
        for here, tied in found.items()
        for there, tie in tied.items()
    }


def test_names_in_common_tie_also_where_they_name_no_rows() -> None:
    # The second table names each area twice, so that no column of it is a key.
    one = document("a.csv", (table(rows(AREAS, "Fees", [1, 2, 3, 4, 5, 6, 7, 8])),))
    two = document("b.csv", (table(rows(AREAS[:6] * 2, "Posts", list(range(12))), key=None),))
    other = document("c.csv", (table(rows(DEPARTMENTS, "Fees", [1, 2, 3, 4, 5, 6, 7, 8])),))
    assert ties(one, two, other) == {("a.csv", "b.csv"): "names", ("b.csv", "a.csv"): "names"}


def test_unusual_figures_tie_and_round_ones_do_not() -> None:
    unusual = [18234.5, 99121.25, 40117.75, 61233.5, 73119.0]
    one = document("a.csv", (table(rows(AREAS, "Fees", unusual)),))
    told = " ".join(f"The board noted {value:,.2f} dollars." for value in unusual)
    two = document("b.md", text=(told,), family="md")
    three = document("c.csv", (table(rows(DEPARTMENTS, "Fees", [10000, 20000, 2020, 30000, 40000])),))
    four = document("d.csv", (table(rows(list("vwxyz"), "Fees", [10000, 20000, 2020, 30000, 40000])),))
    assert set(ties(one, two, three, four)) == {("a.csv", "b.md"), ("b.md", "a.csv")}


def test_a_text_that_names_a_file_is_tied_to_it() -> None:
    one = document("fees_2021_q3.csv", (table(rows(AREAS, "Fees", [1, 2, 3, 4, 5, 6, 7, 8])),), title="Fees")
    two = document("rules.md", text=("See the table Permit fees by area of the board.",), family="md")
    three = document("permits.csv", (table(rows(DEPARTMENTS, "Fees", [9, 8, 7, 6, 5, 4, 3, 2])),),
                     title="Permit fees by area")  # fmt: skip
    assert set(ties(one, two, three)) == {("rules.md", "permits.csv"), ("permits.csv", "rules.md")}


def test_a_case_of_one_file_gets_a_second_core_file_with_the_same_rows() -> None:
    found = library(
        (
            "budget",
            document(
                "spending.csv", (table(rows(DEPARTMENTS, "Spending", [9, 14, 21, 30, 41, 54, 69, 86])),)
            ),
        ),
        (
            "budget",
            document("vacancies.csv", (table(rows(DEPARTMENTS, "Vacancy rate", [3, 5, 2, 8, 1, 9, 4, 7])),)),
        ),
        ("budget", document("note.md", text=("The city spends on its departments.",), family="md")),
        ("budget", document("more.md", text=("Departments are many.",), family="md")),
    )
    asked = seed(1, "Report the spending of city departments.", "data_analysis_and_reporting")
    [workspace] = assemble(found, [asked], SETTINGS, any_case).workspaces
    assert [file.name for file in workspace.with_role("core")] == ["spending.csv", "vacancies.csv"]


def test_the_same_measure_of_another_year_is_a_confuser_and_no_second_core_file() -> None:
    def spending(year: int, step: int) -> tuple[str, object]:
        values = [9 + step * n * n for n in range(8)]
        return "budget", document(f"spending_FY{year}.csv", (table(rows(DEPARTMENTS, "Spending", values)),))

    found = library(
        spending(20, 3),
        spending(21, 4),
        ("budget", document("note.md", text=("The city spends on its departments.",), family="md")),
        ("budget", document("more.md", text=("Departments are many.",), family="md")),
    )
    asked = seed(1, "Report the spending of city departments.", "data_analysis_and_reporting")
    [workspace] = assemble(found, [asked], SETTINGS, any_case).workspaces
    assert len(workspace.with_role("core")) == 1
    assert len(workspace.with_role("confuser")) == 1
    shares = [case for case in found.findings.cases if case.kind == "shares"]
    assert shares and not any(is_related(found, case) for case in shares)
    made = assemble(found, [asked], SETTINGS.model_copy(update={"alone": 0.0}), any_case)
    workspaces, rejections = made.workspaces, made.rejections
    assert not workspaces
    assert [one.reason for one in rejections] == ["no_coherent_case"]
