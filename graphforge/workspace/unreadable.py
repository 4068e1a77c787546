"""A file that can't be used, with one short reason: the word that the funnel counts."""

from typing import Literal, get_args

from graphforge.errors import GraphForgeError

Reason = Literal[
    "empty_file",
    "too_large",
    "lfs_pointer",
    "html_error_page",
    "password_protected",
    "scanned_no_text",
    "truncated",
    "corrupt",
    "zip_bomb",
    "xml_entities",
    "invalid_json",
    "not_a_workbook",
    "wrong_format",
    "unknown_format",
]

_REMEDIES: dict[str, str] = {
    "empty_file": "Fetch the file again; it holds no content",
    "too_large": "Split the file, or raise the parse limits if you trust it",
    "lfs_pointer": "Fetch the real file with Git LFS",
    "html_error_page": "Download the file again; a server's error page was saved under its name",
    "password_protected": "Save a copy without a password",
    "scanned_no_text": "Run OCR over the pages first",
    "truncated": "Download the file again; its end is missing",
    "corrupt": "Open and save it again in the program that made it, or download it again",
    "zip_bomb": "Leave the file out; it unpacks to far more than it should",
    "xml_entities": "Leave the file out; office programs never declare XML entities",
    "invalid_json": "Correct the JSON",
    "not_a_workbook": "Save the data as xlsx, xls, ods or csv",
    "wrong_format": "Give the file the extension of its real format",
    "unknown_format": "Use pdf, xlsx, xls, ods, csv, docx, pptx, html, md, txt, json, png or jpg",
}


class UnreadableFile(GraphForgeError):
    """The file is rejected. ``reason`` is one of ``Reason``; ``detail`` says what was met, in a few words."""

    def __init__(self, reason: Reason, detail: str):
        if reason not in get_args(Reason):
            raise ValueError(f"unknown reason {reason!r}")
        self.reason: Reason = reason
        self.detail = " ".join(detail.split())[:300]
        super().__init__(f"{reason}: {self.detail}", _REMEDIES[reason])
