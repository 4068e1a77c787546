"""Files that agents hand over are read where reading may fail: one clear outcome, and the stage goes on."""

import zipfile
from pathlib import Path

import pymupdf
import pytest

from graphforge.errors import InputError
from graphforge.records import Document
from graphforge.workspace import WorkerLimits, parse
from pipelines import _files
from pipelines._files import parsed

GOOD = "State,Families\nAlabama,1\nAlaska,2\nArizona,3\n"


def _bomb(path: Path) -> None:
    """A sheet of 100 MB of zeros in a workbook of 100 KB."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 100_000_000)


def _endless(path: Path) -> None:
    """A page whose forms draw one another ten times, twelve deep."""
    document = pymupdf.open()
    document.new_page()
    forms = [document.get_new_xref() for _ in range(12)]
    for place, form in enumerate(forms):
        below = f"/N {forms[place + 1]} 0 R" if place + 1 < len(forms) else ""
        document.update_object(
            form,
            f"<</Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</XObject<<{below}>>/Font<<>>>>>>",
        )
        document.update_stream(form, b"/N Do " * 10 if below else b"0 0 5 5 re f")
    page = document[0]
    document.xref_set_key(page.xref, "Resources", f"<</XObject<</N {forms[0]} 0 R>>>>")
    document.xref_set_key(page.xref, "Contents", f"{(content := document.get_new_xref())} 0 R")
    document.update_object(content, "<<>>")
    document.update_stream(content, b"/N Do " * 10)
    document.save(path)


def _cut(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04 nothing behind it")


HOSTILE = {"bomb.xlsx": _bomb, "endless.pdf": _endless, "cut.docx": _cut}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_deliverable_is_unreadable_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(_files, "_LIMITS", WorkerLimits(seconds=20, cpu_seconds=2))
    HOSTILE[name](tmp_path / name)
    (tmp_path / "good").write_text(GOOD)
    assert parsed(tmp_path / name) is None
    read = parsed(tmp_path / "good", "totals.csv")
    # The same bytes as a parse in this process would give.
    assert read == parse(tmp_path / "good", "totals.csv") and isinstance(read, Document)


def test_a_lost_file_is_no_unreadable_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError):
        parsed(tmp_path / "none")
    (tmp_path / "good.csv").write_text(GOOD)
    failed = _files.parse_apart(tmp_path / "good.csv", "good.csv", WorkerLimits()).model_copy(
        update={"document": None, "reason": "read_error", "detail": "OSError: [Errno 5] Input/output error"}
    )
    monkeypatch.setattr(_files, "parse_apart", lambda *_: failed)
    with pytest.raises(InputError, match="Input/output"):
        parsed(tmp_path / "good.csv")
