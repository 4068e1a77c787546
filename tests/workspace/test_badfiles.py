"""Broken, hostile and misnamed files: read rightly or rejected with the reason, never a crash."""

import io
import json
import resource
import zipfile
from pathlib import Path

import pytest

from graphforge.workspace.limits import ParseLimits
from graphforge.workspace.parse import parse
from graphforge.workspace.unreadable import UnreadableFile
from tests.workspace import samples

FOLDER = Path(__file__).parents[3] / "shared" / "badfiles"
# What the manifest's words for a rejection mean in reasons.
REASONS = {
    "password-protected": {"password_protected"},
    "no text layer": {"scanned_no_text"},
    "not a workbook": {"not_a_workbook"},
    "corrupt workbook": {"corrupt"},
    "XML entity expansion": {"xml_entities"},
    "corrupt zip": {"corrupt"},
    "truncated": {"truncated"},
    "empty file": {"empty_file"},
    "HTML error page": {"html_error_page"},
    "zip bomb": {"zip_bomb"},
    "Git LFS pointer": {"lfs_pointer"},
    "invalid JSON": {"invalid_json"},
}


def _manifest() -> list[dict[str, str]]:
    path = FOLDER / "manifest.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


@pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/badfiles: not in this clone")
@pytest.mark.parametrize("entry", _manifest(), ids=lambda entry: Path(entry["path"]).name)
def test_the_collection(entry: dict[str, str]) -> None:
    path = FOLDER / Path(entry["path"]).name
    expected = entry["expected"]
    if expected.startswith("parsed"):
        document = parse(path)
        assert document.blocks or document.tables
        return
    with pytest.raises(UnreadableFile) as caught:
        parse(path)
    known = [reasons for words, reasons in REASONS.items() if words in expected]
    assert len(known) == 1 and caught.value.reason in known[0], (expected, caught.value)


@pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/badfiles: not in this clone")
def test_what_the_collection_says() -> None:
    def only(name: str):  # type: ignore[no-untyped-def]
        return parse(FOLDER / name)

    table = only("semicolon_decimal_comma_bom.csv").tables[0]
    assert table.number(1, 7) == pytest.approx(0.120564344)
    assert only("formulas_no_cache.xlsx").tables[0].grid[1][2] == 1944
    assert only("charts_only_veryhidden.xlsx").tables[0].hidden
    assert len(only("huge_dimension.xlsx").tables[0].grid) == 13
    ragged = only("ragged_rows.csv").tables[0]
    assert len({len(row) for row in ragged.grid}) == 1 and ragged.totals == (len(ragged.grid) - 1,)
    merged = only("merged_headers_hidden_notes.xlsx")
    assert [c.name for c in merged.tables[0].columns][1:] == [
        f"Fiscal year {year}" for year in (2019, 2020, 2021)
    ]
    assert "thousands" in merged.text()
    assert "ignore all" not in only("injection_notice.html").text()
    assert "root:" not in only("ExternalEntityInText.docx").text()
    assert len(only("nested_tables.docx").tables) + len(only("nested_tables.docx").blocks) >= 3
    assert "Mayagüez" in {row[0] for row in only("latin1_names.csv").tables[0].grid}
    assert only("TwoSheetsOneHidden.xlsx").warnings


def _rejected(path: Path, limits: ParseLimits | None = None) -> str:
    with pytest.raises(UnreadableFile) as caught:
        parse(path, limits=limits or ParseLimits())
    return caught.value.reason


def _altered(source: Path, target: Path, **parts: bytes) -> Path:
    """A copy of a zip with some members replaced; ``__`` in a keyword stands for a slash, ``_dot_`` for a point."""
    named = {name.replace("__", "/").replace("_dot_", "."): data for name, data in parts.items()}
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, named.pop(name, None) or old.read(name))
        for name, data in named.items():
            new.writestr(name, data)
    return target


BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'


def test_entities_in_a_workbook_are_refused(tmp_path: Path) -> None:
    path = _altered(samples.xlsx(tmp_path), tmp_path / "e.xlsx", xl__sharedStrings_dot_xml=BOMB)
    assert _rejected(path) == "xml_entities"


def test_entities_in_a_document_stay_unresolved(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    with zipfile.ZipFile(samples.word(tmp_path)) as archive:
        body = archive.read("word/document.xml").decode()
    start = body.index("<w:document")
    declared = f'<!DOCTYPE d [<!ENTITY s SYSTEM "{secret.as_uri()}">]>'
    body = body[:start] + declared + body[start:].replace("Alabama had", "Alabama &s; had")
    path = _altered(samples.word(tmp_path), tmp_path / "e.docx", word__document_dot_xml=body.encode())
    document = parse(path)
    assert "secret" not in document.text() and "had 1,200 families" in document.text()
    assert any("entities" in warning for warning in document.warnings)


def test_zip_bombs_are_refused(tmp_path: Path) -> None:
    path = _altered(samples.xlsx(tmp_path), tmp_path / "b.xlsx", xl__media__pad_dot_bin=bytes(40 * 2**20))
    assert _rejected(path) == "zip_bomb"
    word = _altered(samples.word(tmp_path), tmp_path / "b.docx", word__media__pad_dot_bin=bytes(40 * 2**20))
    assert _rejected(word) == "zip_bomb"
    assert _rejected(samples.xlsx(tmp_path), ParseLimits(members=3)) == "zip_bomb"


def test_a_member_longer_than_it_says_is_refused(tmp_path: Path) -> None:
    path = samples.xlsx(tmp_path)
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("xl/worksheets/sheet1.xml")
    data = bytearray(path.read_bytes())
    size = info.file_size.to_bytes(4, "little")
    short = (info.file_size // 2).to_bytes(4, "little")
    data = bytearray(bytes(data).replace(size, short))
    path.write_bytes(data)
    assert _rejected(path) in {"zip_bomb", "corrupt"}


def test_a_sheet_of_two_far_corners_is_refused(tmp_path: Path) -> None:
    cells = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    sheet = (
        b'<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        b"<sheetData>" + cells + b"</sheetData></worksheet>"
    )
    path = _altered(samples.xlsx(tmp_path), tmp_path / "c.xlsx", xl__worksheets__sheet1_dot_xml=sheet)
    assert _rejected(path) == "too_large"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 * 2**20


def test_broken_relations_are_read_around(tmp_path: Path) -> None:
    path = _altered(samples.xlsx(tmp_path), tmp_path / "r.xlsx", **{"_rels/.rels": b"not xml"})
    document = parse(path)
    assert document.tables and any("damaged" in warning for warning in document.warnings)


@pytest.mark.parametrize("make", samples.EVERY, ids=lambda make: make.__name__)
@pytest.mark.parametrize("share", [0.02, 0.5, 0.97])
def test_cut_off_files_never_crash(tmp_path: Path, make, share: float) -> None:  # type: ignore[no-untyped-def]
    path = make(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    reason = ""
    try:
        parse(path)
    except UnreadableFile as error:
        reason = error.reason
    assert reason != "unknown_format" or share < 0.1


def test_an_empty_and_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_bytes(b"")
    assert _rejected(path) == "empty_file"
    assert _rejected(samples.csv(tmp_path), ParseLimits(bytes=10)) == "too_large"


def test_pages_without_text(tmp_path: Path) -> None:
    import pymupdf
    from PIL import Image

    picture = io.BytesIO()
    Image.new("RGB", (40, 40), "white").save(picture, "PNG")
    document = pymupdf.open()
    document.new_page().insert_image(pymupdf.Rect(0, 0, 200, 200), stream=picture.getvalue())
    document.save(tmp_path / "scan.pdf")
    assert _rejected(tmp_path / "scan.pdf") == "scanned_no_text"
    (tmp_path / "p.png").write_bytes(picture.getvalue())
    assert parse(tmp_path / "p.png").family == "image"
    (tmp_path / "q.png").write_bytes(picture.getvalue()[:30])
    assert _rejected(tmp_path / "q.png") == "corrupt"


def test_deep_and_odd_json(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    assert _rejected(path) == "invalid_json"
    path.write_text('{"a": NaN, "b": 1e999, "c": ' + "9" * 400 + "}")
    assert {block.text for block in parse(path).blocks} >= {"NaN", "inf"}
