"""A small hand-made workspace: two editions of a table, a table of another measure, a report and a rule.

Figures are made up and stand for nothing; the point is what the relations between them are.
"""

import hashlib

from graphforge.errors import InputError
from graphforge.evidence import EvidenceLimits, build
from graphforge.records import (
    Block,
    BlockLocator,
    CellLocator,
    Column,
    Document,
    EvidenceGraph,
    Locator,
    Passage,
    Seed,
    Source,
    Table,
    Workspace,
    WorkspaceFile,
)

LIMITS = EvidenceLimits(
    least_rows=4,
    most_rows=150,
    least_quotations=2,
    most_measures=60,
    longest=20_000,
    most_lines=1_500,
    most_figures=20_000,
    most_steps=600_000,
    most_terms=600,
    most_found=6,
)
NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel")
FIRST = (1200.0, 845.0, 3310.0, 978.0, 451.0, 2204.0, 1530.0, 667.0)
SECOND = (1200.0, 861.0, 3310.0, 978.0, 430.0, 2204.0, 1530.0, 667.0)
EARLIER = (1100.0, 800.0, 3000.0, 950.0, 500.0, 2000.0, 1410.0, 640.0)
STAFF = (12.0, 8.0, 30.0, 9.0, 5.0, 20.0, 14.0, 6.0)


def sha(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def table(
    title: str,
    columns: dict[str, tuple[float, ...]],
    total: bool = False,
    periods: tuple[str | None, ...] = (),
) -> Table:
    """A keyed table with its header in row 3 of a sheet, the key in column B."""
    head = ("District", *columns)
    body = [(name, *(values[row] for values in columns.values())) for row, name in enumerate(NAMES)]
    grid = [head, *body]
    if total:
        grid.append(("Total", *(sum(values) for values in columns.values())))
    known = [None, *periods, *([None] * len(head))][: len(head)]
    return Table(
        id="t1",
        title=title,
        origin=CellLocator(sheet=title, row=2, column=1),
        grid=tuple(grid),
        header=1,
        body=(1, 1 + len(NAMES)),
        totals=(len(grid) - 1,) if total else (),
        columns=tuple(
            Column(index=at, name=name, kind="text" if at == 0 else "number", period=known[at])
            for at, name in enumerate(head)
        ),
        key=0,
    )


def document(name: str, family: str, tables: tuple[Table, ...] = (), texts: tuple[str, ...] = ()) -> Document:
    return Document(
        sha256=sha(name),
        name=name,
        family=family,
        title=name.rsplit(".", 1)[0],
        pages=1,
        tables=tables,
        blocks=tuple(
            Block(kind="paragraph", text=text, locator=BlockLocator(block=at))
            for at, text in enumerate(texts)
        ),
    )


DOCUMENTS = {
    one.sha256: one
    for one in (
        document(
            "permits_first.xlsx",
            "xlsx",
            (table("Permits", {"Permits issued, 2021": FIRST}, total=True, periods=("2021",)),),
        ),
        document(
            "permits_second.xlsx",
            "xlsx",
            (table("Permits", {"Permits issued, 2021": SECOND}, periods=("2021",)),),
        ),
        document("staff.xlsx", "xlsx", (table("Staff", {"Inspectors": STAFF}),)),
        document(
            "movement.xlsx",
            "xlsx",
            (
                table(
                    "Movement",
                    {"Permits issued, 2021": FIRST, "Permits issued, 2020": EARLIER},
                    periods=("2021", "2020"),
                ),
            ),
        ),
        document(
            "permits_earlier.xlsx",
            "xlsx",
            (table("Permits", {"Permits issued, 2020": EARLIER}, periods=("2020",)),),
        ),
        document(
            "report.docx",
            "docx",
            texts=(
                "In Cedar the number of permits issued in 2021 was 3,310, more than anywhere else.",
                "Birch had 845 permits issued in 2021. In Fir, permits issued in 2021 came to 2,240.",
            ),
        ),
        document(
            "rule.docx",
            "docx",
            texts=("A district with more than 1,000 permits issued is audited every year.",),
        ),
        document("notes.txt", "txt", texts=("Nothing of use stands here.",)),
        document("permit_staff.xlsx", "xlsx", (table("Staff", {"Permit inspectors": STAFF}),)),
    )
}


def seed(pattern: str) -> Seed:
    return Seed(
        id=f"seed-{pattern}",
        occupation_code="13-1041.00",
        occupation="Compliance Officers",
        sector="13",
        sector_name="Business and Financial Operations",
        subsector="13-1",
        task_id="1",
        dwa_id="4.A.1.a.1.I01.D01",
        dwa="Review permit records.",
        demand="Review records of permits issued by district.",
        demand_key="review records of permits issued by district",
        pattern=pattern,
        input_family="spreadsheet",
        output_family="spreadsheet",
        evidence=(Passage(source="task 1", text="Review records of permits issued by district."),),
    )


def workspace(pattern: str, **roles: str) -> Workspace:
    """A workspace over named files: ``permits_first="core"`` and so on; other files come as ambient up to four.

    What follows a full stop in ``pattern`` is the relation that carries it instead of the preferred one.
    """
    files = []
    for name in DOCUMENTS:
        one = DOCUMENTS[name]
        role = roles.get(one.name.rsplit(".", 1)[0])
        if role is not None:
            files.append((one, role))
    for one in DOCUMENTS.values():
        if len(files) < 4 and one.name not in {known.name for known, _ in files}:
            files.append((one, "ambient"))
    return Workspace(
        id=f"ws-{pattern}",
        seed=seed(pattern.split(".")[0]),
        topic="permits",
        files=tuple(
            WorkspaceFile(
                sha256=one.sha256,
                name=one.name,
                family=one.family,
                bytes=100,
                role=role,
                why="made",
                source=Source(publisher="Made", title=one.title, licence="CC0-1.0", topic="permits"),
            )
            for one, role in files
        ),
        about=ABOUT.get(pattern, ()),
    )


def reread(sha256: str, locator: Locator) -> str:
    """What stands at a locator of the hand-made documents."""
    one = DOCUMENTS[sha256]
    if isinstance(locator, BlockLocator):
        return one.blocks[locator.block].text
    for found in one.tables:
        for row in range(len(found.grid)):
            for column in range(len(found.columns)):
                if found.locate(row, column) == locator:
                    return str(found.grid[row][column])
    raise InputError(f"nothing at {locator.show()}", "Look elsewhere")


CASES = {
    "reconciliation": {"permits_first": "core", "permits_second": "core", "permits_earlier": "confuser"},
    "artifact_revision": {"permits_first": "core", "permits_second": "core", "permits_earlier": "confuser"},
    "data_cleaning_and_integration": {"permits_first": "core", "staff": "core"},
    "comparative_evaluation": {"permits_first": "core", "staff": "core", "permits_earlier": "confuser"},
    "data_analysis_and_reporting": {"permits_first": "core", "permits_earlier": "confuser"},
    "forecasting_and_planning": {"movement": "core"},
    "monitoring_and_exception_reporting": {"permits_second": "core", "rule": "supporting"},
    "research_and_source_synthesis": {"permits_first": "core", "report": "supporting"},
    "budgeting_and_allocation": {"permits_first": "core", "permits_earlier": "confuser"},
    "classification_and_coding": {"permits_first": "core", "permits_earlier": "confuser"},
    "stakeholder_communication": {"movement": "core"},
    "quantitative_modeling": {"movement": "core"},
    "monitoring_and_exception_reporting.growth": {"movement": "core"},
    "data_analysis_and_reporting.growth": {"movement": "core", "permits_earlier": "core"},
    "research_and_source_synthesis.conflict": {
        "permits_first": "core",
        "permits_second": "core",
        "permits_earlier": "confuser",
    },
    "research_and_source_synthesis.shared_key": {
        "permits_first": "core",
        "permit_staff": "core",
        "permits_earlier": "confuser",
    },
}
# The newer column alone is also a whole with its parts: a workspace over both says that the movement is meant.
ABOUT = {
    "data_analysis_and_reporting.growth": ((sha("movement.xlsx"), "t1", 1), (sha("movement.xlsx"), "t1", 2)),
}


def graph(pattern: str) -> EvidenceGraph:
    built = build(workspace(pattern, **CASES[pattern]), DOCUMENTS, reread, LIMITS)
    assert isinstance(built, EvidenceGraph), built
    return built
