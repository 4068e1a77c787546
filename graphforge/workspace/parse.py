"""One file in, one ``Document`` out: sniffed by content, read within bounds, tables typed (paper section 3.2)."""

import hashlib
from pathlib import Path

import pymupdf

from graphforge.records import Block, Document, Family

from .formats import delimited, docx, html, image, opendocument, pdf, slides, text, workbook
from .limits import ParseLimits
from .raw import RawTable, Reading
from .sniff import sniff
from .typed_table import TypedTables
from .unreadable import UnreadableFile

_DEFAULT = ParseLimits()


def parse(path: Path, name: str | None = None, limits: ParseLimits = _DEFAULT) -> Document:
    """The file at ``path`` as text blocks and typed tables, every piece with a locator.

    ``name`` is the name that the document carries (the path's own by default). The same bytes under the same name
    give the same document. Nothing outside the file is read. Raises UnreadableFile where the file can't be used.
    """
    path = Path(path)
    size = path.stat().st_size
    if size > limits.bytes:
        raise UnreadableFile("too_large", f"{size} bytes, more than {limits.bytes}")
    family = sniff(path, name)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    reading = _read(path, family, limits)
    typed = TypedTables(limits.tables)
    blocks: list[Block] = []
    for item in reading.items:
        if isinstance(item, RawTable):
            blocks += typed.add(item)
        else:
            blocks.append(item)
    warnings = list(reading.warnings)
    if len(blocks) > limits.blocks:
        warnings.append(f"{len(blocks) - limits.blocks} text blocks left out")
    if typed.left_out:
        warnings.append(f"{typed.left_out} tables left out")
    return Document(
        sha256=digest,
        name=name if name is not None else path.name,
        family=family,
        title=reading.title or _title(blocks, typed) or path.stem,
        pages=reading.pages,
        blocks=tuple(blocks[: limits.blocks]),
        tables=tuple(typed.tables),
        warnings=tuple(warnings),
        metadata=reading.metadata,
    )


def _title(blocks: list[Block], typed: TypedTables) -> str:
    heading = next((block.text for block in blocks if block.kind == "heading"), "")
    return (heading or next((table.title for table in typed.tables if table.title), ""))[:200]


def _pdf(path: Path, limits: ParseLimits) -> Reading:
    try:
        return pdf.read(path, limits)
    except (RuntimeError, SystemError, pymupdf.mupdf.FzErrorBase) as error:
        # MuPDF opens many a damaged file and fails at the page that is wrong.
        raise UnreadableFile("corrupt", f"the pdf can't be read: {error}") from error


def _read(path: Path, family: Family, limits: ParseLimits) -> Reading:
    if family == "pdf":
        return _pdf(path, limits)
    if family in {"xlsx", "xls"}:
        return workbook.read(path, family, limits)
    if family == "ods":
        return opendocument.read(path, limits)
    if family == "csv":
        return delimited.read(path, limits)
    if family == "docx":
        return docx.read(path, limits)
    if family == "pptx":
        return slides.read(path, limits)
    if family == "html":
        return html.read(path, limits)
    if family == "md":
        return text.read_markdown(path, limits)
    if family == "json":
        return text.read_json(path, limits)
    if family == "image":
        return image.read(path)
    return text.read_plain(path, limits)
