"""Documents made by hand, for tests that need no file format."""

import hashlib
from pathlib import Path

from graphforge.records import (
    Block,
    BlockLocator,
    CellLocator,
    Column,
    Document,
    Family,
    Passage,
    Seed,
    Source,
    Table,
    parse_number,
)
from graphforge.workspace.library import Library, LibraryFile


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def table(rows: list[list[object]], title: str = "", totals: int = 0, **changes: object) -> Table:
    """A table from its rows, the first one being the header, the first column the key."""
    width = len(rows[0])
    columns = tuple(
        Column(
            index=index,
            name=str(rows[0][index]),
            kind="number" if all(parse_number(row[index]) is not None for row in rows[1:]) else "text",
        )
        for index in range(width)
    )
    fields: dict[str, object] = {
        "id": "t1",
        "title": title,
        "origin": CellLocator(sheet="", row=0, column=0),
        "grid": tuple(tuple(row) for row in rows),
        "header": 1,
        "body": (1, len(rows) - totals),
        "totals": tuple(range(len(rows) - totals, len(rows))),
        "columns": columns,
        "key": 0,
    }
    return Table(**{**fields, **changes})


def document(
    name: str,
    tables: tuple[Table, ...] = (),
    text: tuple[str, ...] = (),
    family: Family = "csv",
    title: str = "",
) -> Document:
    blocks = tuple(
        Block(kind="paragraph", text=line, locator=BlockLocator(block=number))
        for number, line in enumerate(text)
    )
    return Document(
        sha256=sha(name), name=name, family=family, title=title or name, pages=1, blocks=blocks, tables=tables
    )


def library(*members: tuple[str, Document]) -> Library:
    """A library of (topic, document) pairs."""
    files = {
        made.sha256: LibraryFile(
            sha256=made.sha256,
            path=f"{topic}/{made.name}",
            bytes=100,
            family=made.family,
            title=made.title,
            source=Source(publisher="Office", title=made.title, licence="CC0", topic=topic),
        )
        for topic, made in sorted(members, key=lambda member: f"{member[0]}/{member[1].name}")
    }
    documents = {made.sha256: made for _, made in members}
    return Library(root=Path("made"), files=files, documents={sha256: documents[sha256] for sha256 in files})


def seed(
    number: int, demand: str, pattern: str, occupation: str = "Budget Analysts", family: str = "delimited"
) -> Seed:
    return Seed(
        id=f"seed-{number}",
        occupation_code="13-2031.00",
        occupation=occupation,
        sector="13",
        sector_name="Business and Financial Operations",
        subsector="13-20",
        task_id=str(number),
        dwa_id="4.A.1",
        dwa="Analyze data.",
        demand=demand,
        demand_key=demand.casefold(),
        pattern=pattern,
        input_family=family,
        output_family="spreadsheet",
        evidence=(Passage(source="test", text=demand),),
    )


DEPARTMENTS = ["Police", "Fire", "Streets", "Libraries", "Parks", "Health", "Prisons", "Records"]


def budget_library() -> Library:
    """A city's budget in two editions and two years, with a memo, next to a topic about whales."""
    spent = [120, 80, 60, 25, 30, 90, 70, 5]
    revised = [120, 80, 60, 25, 30, 95, 70, 6]
    later = [131, 84, 66, 26, 31, 99, 74, 7]

    def budget(values: list[int], column: str) -> tuple[Table, ...]:
        rows: list[list[object]] = [["Department", column]]
        rows += [[name, value] for name, value in zip(DEPARTMENTS, values, strict=True)]
        rows.append(["Total", sum(values)])
        return (table(rows, title="Spending by department", totals=1),)

    positions = table(
        [["Department", "Full-time positions"]] + [[name, 10 * n + 3] for n, name in enumerate(DEPARTMENTS)],
        title="Positions",
    )
    memo = (
        "The budget office reviews every department each quarter and explains the differences to the council. "
        * 4,
        "Departments with spending of more than 75 in the spending column need approval by the council.",
        "In the first edition Police spent 120.5 and the spending of Fire was lower.",
    )
    whales = table(
        [["Species", "Sightings"]] + [[f"whale {letter}", 7 * n + 2] for n, letter in enumerate("abcdefg")]
    )
    return library(
        ("city_budget", document("spending_FY20.csv", budget(spent, "Spending FY20"))),
        ("city_budget", document("spending_FY20_revised.csv", budget(revised, "Spending FY20"))),
        ("city_budget", document("spending_FY21.csv", budget(later, "Spending FY21"))),
        ("city_budget", document("positions.csv", (positions,))),
        ("city_budget", document("memo.md", text=memo, family="md", title="Budget memo")),
        ("sea_life", document("whales.csv", (whales,), title="Whale sightings")),
        (
            "sea_life",
            document(
                "notes.txt", text=("Whales were seen off the coast all through the year.",), family="txt"
            ),
        ),
    )


def any_case(*case: object) -> bool:
    """For tests of which files go together: every case holds its patterns up."""
    return True
