"""What a file is, told by its content."""

import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest

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
