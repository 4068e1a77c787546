"""What a file is, by its content. A name only tells markdown from other text, and names a mismatch."""

import json
import re
import zipfile
from pathlib import Path

from graphforge.records import Family

from .formats import delimited, html, text
from .formats.archive import corrupt_if_broken
from .unreadable import UnreadableFile

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|table|div)\b", re.IGNORECASE)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*>")
_BINARY_NAMES = {".pdf", ".docx", ".pptx", ".png", ".jpg", ".jpeg"}
_WORKBOOK_NAMES = {".xlsx", ".xls", ".xlsm", ".ods"}
_HEAD = 65_536
_KINDS = "[Content_Types].xml"


def sniff(path: Path, name: str | None = None) -> Family:
    """The family of the file at ``path``; ``name`` is the name it goes by, where it is stored under another.

    Raises UnreadableFile where it is empty, a pointer, an error page, protected or nothing that can be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    suffix = Path(name or path.name).suffix.casefold()
    if not head.strip(b"\0 \t\r\n"):
        raise UnreadableFile("empty_file", "no content")
    if head.startswith(b"version https://git-lfs.github.com/spec/"):
        raise UnreadableFile("lfs_pointer", "a Git LFS pointer stands in place of the file")
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")):
        return "image"
    if head.startswith(_OLE):
        return _ole(path)
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return _zip(path, suffix)
    if not text.is_text(head):
        raise UnreadableFile("unknown_format", f"begins with the bytes {head[:8].hex(' ')}")
    return _text(path, text.decode(head, partial=len(head) == _HEAD), suffix)


def _ole(path: Path) -> Family:
    data = path.read_bytes()
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise UnreadableFile("password_protected", "an encrypted Office file")
    for entry in ("Workbook", "Book"):
        if f"{entry}\0".encode("utf-16-le") in data:
            return "xls"
    if any(f"{entry}\0".encode("utf-16-le") in data for entry in ("WordDocument", "PowerPoint Document")):
        raise UnreadableFile("unknown_format", "a Word or PowerPoint file of before 2007")
    raise UnreadableFile("unknown_format", "an OLE container without a workbook")


def _zip(path: Path, suffix: str) -> Family:
    with corrupt_if_broken("a zip container that can't be opened"), zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        # Read within a bound: a megabyte of archive can hold a gigabyte of it.
        kinds = archive.open(_KINDS).read(1_000_000) if _KINDS in names else b""
        ours = archive.open("mimetype").read(200) if "mimetype" in names else b""
    if b"opendocument.spreadsheet" in ours:
        return "ods"
    if "xl/workbook.xml" in names or b"spreadsheetml.sheet.main" in kinds:
        return "xlsx"
    if "word/document.xml" in names or b"wordprocessingml.document.main" in kinds:
        return "docx"
    if "ppt/presentation.xml" in names or b"presentationml.presentation.main" in kinds:
        return "pptx"
    if suffix in _WORKBOOK_NAMES:
        raise UnreadableFile("not_a_workbook", "a zip archive without a workbook in it")
    raise UnreadableFile("unknown_format", "a zip archive that is no Office file")


def _without_comments(head: str) -> str:
    """The text from behind the XML declaration and the comments before the first element."""
    declaration = _DECLARATION.match(head)
    place = declaration.end() if declaration else 0
    while True:
        place += len(head[place : place + _HEAD]) - len(head[place : place + _HEAD].lstrip())
        if not head.startswith("<!--", place) or (end := head.find("-->", place)) < 0:
            return head[place:]
        place = end + 3


def _text(path: Path, head: str, suffix: str) -> Family:
    if _HTML.match(_without_comments(head)):
        if suffix not in {".html", ".htm", ".xhtml"} and html.is_error_page(head):
            raise UnreadableFile(
                "html_error_page", f"an HTML error page named {suffix or 'without extension'}"
            )
        return "html"
    if head.lstrip().startswith("<?xml"):
        raise UnreadableFile("unknown_format", "an XML file that is no HTML")
    if re.match(r"\s*[\[{]", head):
        whole = text.decode(path.read_bytes())
        try:
            text.load_json(whole)
            return "json"
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            if suffix == ".json" or re.match(r'\s*(?:\{\s*"|\[\s*[\[{"])', head):
                raise UnreadableFile("invalid_json", str(error)) from error
    elif suffix == ".json":
        raise UnreadableFile("invalid_json", "begins with neither an object nor an array")
    if suffix in {".md", ".markdown"}:
        return "md"
    named = suffix in {".csv", ".tsv", ".tab"}
    if delimited.looks_delimited(head, lenient=named):
        return "csv"
    if suffix in _WORKBOOK_NAMES:
        raise UnreadableFile("not_a_workbook", "plain text under a workbook's name")
    if suffix in _BINARY_NAMES:
        raise UnreadableFile("wrong_format", f"plain text named {suffix}")
    return "txt"
