"""Opening a library beside merely reading its files with the bare libraries, in one run on the same files.

    python benchmarks/opening.py [folder]      (default: examples/library)

Prints CPU seconds and their ratio. Ours reads, types tables, finds headers and locators, and keeps a cache; the bare
libraries only read. Machines are shared and noisy: the ratio is the figure, not the seconds.
"""

import csv
import json
import resource
import sys
import tempfile
from pathlib import Path

import docx  # type: ignore[import-untyped]
import lxml.html
import pptx
import pymupdf
from python_calamine import CalamineWorkbook

from graphforge.workspace import LocalSearch


def cpu_seconds() -> float:
    """CPU of this process and its finished children."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def read_bare(path: Path) -> int:
    """Characters or cells that the bare library of the format gives; 0 for a format without one here."""
    suffix = path.suffix.casefold()
    if suffix == ".pdf":
        with pymupdf.open(path) as document:
            return sum(len(page.get_text()) for page in document)
    if suffix in {".xlsx", ".xls"}:
        book = CalamineWorkbook.from_path(path)
        return sum(len(row) for name in book.sheet_names for row in book.get_sheet_by_name(name).to_python())
    if suffix == ".csv":
        with path.open(encoding="utf-8", errors="replace", newline="") as handle:
            csv.field_size_limit(sys.maxsize)
            return sum(len(row) for row in csv.reader(handle))
    if suffix == ".docx":
        return sum(len(paragraph.text) for paragraph in docx.Document(str(path)).paragraphs)
    if suffix == ".pptx":
        return sum(len(slide.shapes) for slide in pptx.Presentation(str(path)).slides)
    if suffix in {".html", ".htm"}:
        return len(lxml.html.parse(str(path)).getroot().text_content())
    if suffix == ".json":
        return len(json.dumps(json.loads(path.read_text(encoding="utf-8"))))
    return len(path.read_bytes())


def main(folder: Path) -> None:
    search = LocalSearch(root=folder, file_bytes=64 * 1024 * 1024, workers=1)
    with tempfile.TemporaryDirectory() as scratch:
        start = cpu_seconds()
        library = search.open(Path(scratch))
        cold = cpu_seconds() - start
        start = cpu_seconds()
        search.open(Path(scratch))
        warm = cpu_seconds() - start
    start = cpu_seconds()
    for file in library.files.values():
        read_bare(folder / file.path)
    bare = cpu_seconds() - start
    print(f"{len(library.files)} files of {folder}")
    print(f"bare libraries  {bare:8.2f} CPU s")
    print(f"ours, cold      {cold:8.2f} CPU s  {cold / bare:6.2f} times bare")
    print(f"ours, cached    {warm:8.2f} CPU s  {warm / bare:6.2f} times bare")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "examples/library"))
