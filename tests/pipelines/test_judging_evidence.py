"""What the stages hand to graders and to the reviser: passages, whole files, raw text."""

import pytest

from graphforge.errors import InputError
from graphforge.records import Anchor, BlockLocator, CellLocator, TaskSpec, write_bytes
from pipelines._judging import Evidence
from tests.made_case import DOCUMENTS, reread, workspace

WORKSPACE = workspace("reconciliation", permits_first="core", permits_second="core")


class Again:
    """Reads originals by the documents of the made case."""

    read = staticmethod(reread)


@pytest.fixture
def found(tmp_path):
    for sha256, one in DOCUMENTS.items():
        write_bytes(tmp_path / "documents" / f"{sha256}.json", one.line().encode())
    return Evidence(tmp_path, [WORKSPACE], Again())


def anchor(name, locator):
    sha256 = next(sha256 for sha256, one in DOCUMENTS.items() if one.name == name)
    return Anchor(node="n1", file=sha256, name=name, locator=locator)


def test_a_passage_is_the_row_with_its_header(found):
    text = found.passage(anchor("permits_first.xlsx", CellLocator(sheet="Permits", row=4, column=2)))
    assert text.splitlines() == [
        "-- sheet 'Permits' --",
        "row| B | C",
        "3| District | Permits issued, 2021",
        "5| Birch | 845",
    ]


def test_or_the_paragraph_with_its_neighbours(found):
    text = found.passage(anchor("report.docx", BlockLocator(block=1)))
    assert [line.split(":")[0] for line in text.splitlines()] == ["paragraph 1", "paragraph 2"]


def test_or_the_bare_text_where_the_parsed_file_knows_no_such_row(found, monkeypatch):
    found.reread = lambda sha256, locator: "3,310"
    text = found.passage(anchor("permits_first.xlsx", CellLocator(sheet="Notes", row=0, column=0)))
    assert text == "sheet 'Notes' cell A1: 3,310"


def test_a_place_that_nobody_finds_is_an_error(found):
    with pytest.raises(InputError):
        found.passage(anchor("permits_first.xlsx", CellLocator(sheet="Notes", row=0, column=0)))


def test_sources_are_the_files_of_the_workspace_read_when_asked_for(found):
    spec = TaskSpec.model_construct(workspace=WORKSPACE.id)
    sources = found.sources(spec)
    assert set(sources) == {file.name for file in WORKSPACE.files}
    assert "5| Birch | 845" in sources["permits_first.xlsx"]()
