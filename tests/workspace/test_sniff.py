"""What a file is, told by its content."""

import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from graphforge.workspace.formats.delimited import delimiter_of
from graphforge.workspace.parse import parse
from graphforge.workspace.reread import Rereader
from graphforge.workspace.sniff import sniff
from graphforge.workspace.unreadable import UnreadableFile


def _zip(*names: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "<x/>")
    return data.getvalue()


CASES = [
    ("a.bin", b"%PDF-1.7\n1 0 obj", "pdf"),
    ("a.pdf", _zip("xl/workbook.xml"), "xlsx"),
    ("a.xls", _zip("word/document.xml"), "docx"),
    ("a", _zip("ppt/presentation.xml"), "pptx"),
    ("a.txt", b"\x89PNG\r\n\x1a\n0000", "image"),
    ("a.csv", b"\xff\xd8\xff\xe0", "image"),
    ("a.xls", b"<html><body><table><tr><td>1</td></tr></table></body></html>", "html"),
    ("a.txt", b'{"a": [1, 2]}', "json"),
    ("a.txt", b'{"a": 1}\n{"a": 2}\n', "json"),
    ("a.txt", b"State,Year,Count\nAlabama,2019,5\nAlaska,2020,7\n", "csv"),
    ("a.txt", b"State\tCount\nAlabama\t5\nAlaska\t7\n", "csv"),
    ("a.txt", b"Staat;Jahr;Anteil\nBerlin;2019;0,5\nBremen;2020;0,7\n", "csv"),
    ("a.csv", b"one,two\n1,2\n", "csv"),
    ("a.md", b"# Title\n\nText, with, commas, in, it\n", "md"),
    ("a.txt", b"# Title\n\nPlain words, and more.\n", "txt"),
    ("a.txt", "x\ty\n1\t2\n3\t4\n".encode("utf-16"), "csv"),
    ("a.txt", b"Dear Ann, dear Bob,\n\nthe rate is 5, not 6.\nYours, Cid\n", "txt"),
]


@pytest.mark.parametrize(("name", "data", "family"), CASES)
def test_family_comes_from_the_content(tmp_path: Path, name: str, data: bytes, family: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert sniff(path) == family


EXPORT = '"Notes"\t"Year"\tDeaths\tRate\r\n' + "".join(
    f'\t"{year}"\t{year * 2}\t1.5\r\n' for year in range(2010, 2017)
)
NOTES = '"---"\r\n' + "Caveats: one, two, three; or | four\r\n" * 60
TABLES = {
    "tabs and a page of notes": (EXPORT + NOTES, "\t"),
    "semicolons and notes": (EXPORT.replace("\t", ";") + "Caveats: one\r\n" * 60, ";"),
    "pipes and notes": (EXPORT.replace("\t", "|") + "Caveats: one, two\r\n" * 60, "|"),
    "a blank line first": ("\r\n" + EXPORT + NOTES, "\t"),
}
TEXTS = {
    "indented paragraphs": "".join(f"\tThe board met {n} times and said so.\n" for n in range(20)),
    "indented code": "int main()\n{\n" + "".join(f"\tx = f({n}, {n});\n" for n in range(20)) + "}\n",
    "deeper code": "".join(f"\t\tcall {n};\n" for n in range(20)),
    "a log": "".join(f"2024-01-{n:02} 12:00:00 INFO\tstarted; {n} left\n  at main\n" for n in range(1, 20)),
    "columns by spaces": "Year    Deaths\n" + "".join(f"{n}    {n * 7}\n" for n in range(2000, 2020)),
    "a fixed width list, a stray tab": "Name      No\n" * 9 + "a\tb\n" + "Name      No\n" * 9,
    "prose with a small aside": EXPORT[:60] + "Words that go on and on.\n" * 20,
    "prose of semicolons": "He came; she went\nNo; not 5\nYes; 6\nAnn; 7\nBob; and so on\n" * 5,
    "forms": "Name:\tAnn\nBorn:\t1 May\n\nRemarks\nNone to be made.\nSigned\nby her own hand\n" * 4,
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_text_that_opens_with_a_table_is_one_whatever_notes_follow(tmp_path: Path, kind: str) -> None:
    content, delimiter = TABLES[kind]
    path = tmp_path / "export.txt"
    path.write_text(content, newline="")
    assert sniff(path) == "csv" and delimiter_of(content) == delimiter
    document = parse(path)
    (table,) = document.tables
    assert [column.name for column in table.columns] == ["Notes", "Year", "Deaths", "Rate"]
    assert [row[2] for row in table.grid[1:]] == [str(year * 2) for year in range(2010, 2017)]
    assert any("Caveats" in block.text for block in document.blocks)
    with Rereader(lambda _: (path, document.family)) as again:
        for row in range(len(table.grid)):
            for column in range(4):
                assert again.read(document.sha256, table.locate(row, column)) == (
                    table.grid[row][column] or ""
                )


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_with_tabs_in_them_stay_texts(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(TEXTS[kind], newline="")
    assert sniff(path) == "txt"
    assert not parse(path).tables


def test_a_stored_file_goes_by_the_name_given_with_it(tmp_path: Path) -> None:
    path = tmp_path / "0a1b2c"
    path.write_bytes(b"# Title\n\nWords.\n")
    assert sniff(path) == "txt"
    assert sniff(path, "notes.md") == "md"


REJECTED = [
    ("a.pdf", b"", "empty_file"),
    ("a.csv", b"\0\0\0\n", "empty_file"),
    ("a.xlsx", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", "lfs_pointer"),
    (
        "a.pdf",
        b"<!DOCTYPE html><html><head><title>404 Not Found</title></head><body></body></html>",
        "html_error_page",
    ),
    ("a.xlsx", _zip("data.csv"), "not_a_workbook"),
    ("a.zip", _zip("data.csv"), "unknown_format"),
    ("a.xls", b"The attachment was not found", "not_a_workbook"),
    ("a.docx", b"Only words", "wrong_format"),
    ("a.xlsx", _zip("xl/workbook.xml")[:60], "corrupt"),
    ("a.json", b'{"a": 1,}', "invalid_json"),
    ("a.bin", bytes(range(1, 9)) * 40, "unknown_format"),
    (
        "a.xlsx",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
        "password_protected",
    ),
]


@pytest.mark.parametrize(("name", "data", "reason"), REJECTED)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UnreadableFile) as caught:
        sniff(path)
    assert caught.value.reason == reason
    assert "\n" not in str(caught.value)


def test_an_archive_is_told_without_unpacking_it(tmp_path: Path) -> None:
    bomb = tmp_path / "a.xlsx"
    with (
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("[Content_Types].xml", "w") as member,
    ):
        for _ in range(100):
            member.write(bytes(2**20))
    tracemalloc.start()
    with pytest.raises(UnreadableFile, match="not_a_workbook"):
        sniff(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24
