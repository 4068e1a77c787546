"""Loaded by every Python that starts in the sandbox: zip archives carry a fixed date instead of the clock's.

Deliverables are stored by their hash, and two runs must give the same bytes. An office file is a zip archive whose
members carry the time of writing (python-docx has no setting for it), so the date is taken from SOURCE_DATE_EPOCH,
the convention of reproducible builds. Everything else that a file may say about time is set openly in the scripts:
XlsxWriter's ``created`` property and PyMuPDF's ``no_new_id``.
"""

import os
import time
import zipfile
from typing import Any

_EPOCH = os.environ.get("SOURCE_DATE_EPOCH")

if _EPOCH is not None:
    _DATE = time.gmtime(int(_EPOCH))[:6]
    _plain_init = zipfile.ZipInfo.__init__

    def _dated_init(self: zipfile.ZipInfo, filename: str = "NoName", *_: Any, **__: Any) -> None:
        _plain_init(self, filename, _DATE)

    zipfile.ZipInfo.__init__ = _dated_init  # type: ignore[method-assign]
