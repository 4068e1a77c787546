"""Plain text, markdown and JSON: decoding, blocks, pipe tables and pointers."""

import codecs
import json
import math
import re
from pathlib import Path
from typing import Any

from graphforge.records import Block, BlockLocator, PointerLocator, TableCellLocator, Value

from ..limits import ParseLimits
from ..raw import RawTable, Reading
from ..unreadable import UnreadableFile

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = bytes(set(range(32)) - {0, 7, 8, 9, 10, 12, 13, 26, 27})
_RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


def _wide(data: bytes) -> str | None:
    """The byte order of UTF-16 without a mark, or None: every other byte of Latin text is zero."""
    sample = data[:4096]
    if len(sample) < 4 or sample.count(0) < len(sample) * 0.3:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 4 * even:
        return "utf-16-le"
    return "utf-16-be" if even > 4 * odd else None


def is_text(data: bytes) -> bool:
    """Whether the bytes are text in some encoding: stray zero bytes are allowed, control bytes hardly."""
    if data.startswith(tuple(mark for mark, _ in _BOMS)) or _wide(data):
        return True
    control = len(data) - len(data.translate(None, _CONTROL))
    return control <= len(data) * 0.005 and data.count(0) <= len(data) * 0.2


def decode(data: bytes, partial: bool = False) -> str:
    """The text of a file: by its byte order mark, else UTF-8, else Windows-1252 (Latin-1 where that has no letter).

    Zero characters are dropped. ``partial`` says that ``data`` may end inside a character.
    """
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), None) or _wide(data)
    if encoding:
        if encoding.startswith("utf-16") and len(data) % 2:
            data = data[:-1]
        return data.decode(encoding, errors="replace").replace("\0", "").removeprefix("\ufeff")
    for cut in range(4 if partial else 1):
        try:
            return data[: len(data) - cut].decode("utf-8").replace("\0", "")
        except UnicodeDecodeError:
            continue
    try:
        return data.decode("cp1252").replace("\0", "")
    except UnicodeDecodeError:
        return data.decode("latin-1").replace("\0", "")


def clean(text: str) -> str:
    """Text with every run of white space as one space."""
    return " ".join(text.split())


# --- plain text


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a plain text, cut at blank lines."""
    return [
        piece
        for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n"))
        if (piece := clean(block))
    ]


def read_plain(path: Path, limits: ParseLimits) -> Reading:
    """Every paragraph as a block."""
    pieces = paragraphs(decode(path.read_bytes()))
    reading = Reading(pages=1, title=pieces[0][:200] if pieces else "")
    if len(pieces) > limits.blocks:
        reading.warnings.append(f"{len(pieces) - limits.blocks} paragraphs left out")
    for number, piece in enumerate(pieces[: limits.blocks]):
        reading.items.append(Block(kind="paragraph", text=piece, locator=BlockLocator(block=number)))
    return reading


# --- markdown


def pipe_cells(line: str) -> list[str]:
    """The cells of a line of a pipe table; an escaped pipe is a letter."""
    line = line.strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [plain(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", line)]


def plain(text: str) -> str:
    """Markdown text without emphasis marks, link targets and inline tags."""
    text = re.sub(r"!?\[([^\]]{0,2000}+)\]\([^)\s]{0,2000}+(?:\s+\"[^\"]{0,2000}+\")?\)", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][^<>]*>", " ", text)
    text = re.sub(r"(\*\*|__|`+)(.+?)\1", r"\2", text)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"\1", text)
    return clean(text)


def markdown_pieces(text: str) -> list[tuple[str, int, str] | list[list[str]]]:
    """The pieces of a markdown text in order: (kind, level, text), or a pipe table's rows of cells."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    pieces: list[tuple[str, int, str] | list[list[str]]] = []
    waiting: list[str] = []
    kind = "paragraph"

    def flush() -> None:
        nonlocal kind
        if content := plain(" ".join(waiting)):
            pieces.append((kind, 0, content))
        waiting.clear()
        kind = "paragraph"

    number, fenced = 0, False
    while number < len(lines):
        line = lines[number]
        if _FENCE.match(line):
            flush()
            fenced = not fenced
        elif fenced:
            waiting.append(line)
        elif not line.strip():
            flush()
        elif heading := _HEADING.match(line):
            flush()
            if content := plain(heading[2]):
                pieces.append(("heading", len(heading[1]), content))
        elif waiting and kind == "paragraph" and len(waiting) == 1 and re.match(r"^(?:=+|-{3,})\s*$", line):
            pieces.append(("heading", 1 if line.startswith("=") else 2, plain(waiting[0])))
            waiting.clear()
        elif (
            "|" in line
            and number + 1 < len(lines)
            and "|" in lines[number + 1]
            and _RULE.match(lines[number + 1])
        ):
            flush()
            rows = [pipe_cells(line)]
            number += 2
            while number < len(lines) and lines[number].strip() and "|" in lines[number]:
                rows.append(pipe_cells(lines[number]))
                number += 1
            pieces.append([row + [""] * (max(map(len, rows)) - len(row)) for row in rows])
            continue
        elif item := _ITEM.match(line):
            flush()
            kind = "list_item"
            waiting.append(item[1])
        else:
            waiting.append(line)
        number += 1
    flush()
    return pieces


def read_markdown(path: Path, limits: ParseLimits) -> Reading:
    """Headings, paragraphs and list items as blocks; pipe tables as tables under the nearest heading."""
    reading = Reading(pages=1)
    blocks = tables = 0
    heading = ""
    for piece in markdown_pieces(decode(path.read_bytes())):
        if isinstance(piece, list):
            rows: list[list[Value]] = [[cell or None for cell in row] for row in piece[: limits.rows]]
            origin = TableCellLocator(table=tables, row=0, column=0)
            reading.items.append(
                RawTable(rows, origin, title=heading, header=1, truncated=len(piece) > limits.rows)
            )
            tables += 1
            continue
        kind, level, content = piece
        if kind == "heading":
            heading = content
            reading.title = reading.title or content
        if blocks < limits.blocks:
            reading.items.append(
                Block(kind=kind, text=content, level=level, locator=BlockLocator(block=blocks))  # type: ignore[arg-type]
            )
        blocks += 1
    if blocks > limits.blocks:
        reading.warnings.append(f"{blocks - limits.blocks} blocks left out")
    return reading


# --- JSON


def _constant(name: str) -> str:
    return name


def load_json(text: str) -> Any:
    """The value of a JSON text, or the list of values of one that has a value a line.

    NaN and infinities, which JSON doesn't have, become their names. Raises JSONDecodeError, ValueError (a number of
    thousands of digits) or RecursionError (nested too deeply).
    """
    try:
        return json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith(("{", "[")) for line in lines[:50]):
            raise
        try:
            return [json.loads(line, parse_constant=_constant) for line in lines]
        except json.JSONDecodeError:
            raise error from None


def token(name: str) -> str:
    """A member's name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def json_value(value: Any) -> Value:
    """A JSON value as a cell: scalars as they are, containers as their JSON text, empty text as None."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").strip() or None
    return value


def is_records(value: Any) -> bool:
    """Whether a JSON value is an array of at least two objects with a scalar member in common."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(item, dict) for item in value):
        return False
    names = [{name for name, member in item.items() if not isinstance(member, dict | list)} for item in value]
    return bool(set.intersection(*names[:50]))


def record_names(records: list[dict[str, Any]]) -> list[str]:
    """The columns of an array of objects, first seen first, without those that only hold containers."""
    names: dict[str, bool] = {}
    for record in records:
        for name, member in record.items():
            names[name] = names.get(name, False) or not isinstance(member, dict | list)
    return [name for name, scalar in names.items() if scalar]


def read_json(path: Path, limits: ParseLimits) -> Reading:
    """Arrays of objects as tables, every other scalar as a block."""
    try:
        value = load_json(decode(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise UnreadableFile("invalid_json", str(error)) from error
    reading = Reading(pages=1)
    left_out = 0

    def walk(value: Any, pointer: str, name: str, depth: int) -> None:
        nonlocal left_out
        if depth > limits.depth:
            left_out += 1
        elif is_records(value):
            names = record_names(value)[: limits.columns]
            kept = value[: min(limits.rows, max(1, limits.table_cells // max(1, len(names))))]
            rows: list[list[Value]] = [list(names)]
            rows += [[json_value(record.get(column)) for column in names] for record in kept]
            reading.items.append(
                RawTable(
                    rows,
                    PointerLocator(pointer=pointer),
                    title=name,
                    header=1,
                    truncated=len(kept) < len(value),
                )
            )
            for number, record in enumerate(kept):
                for column, member in record.items():
                    if isinstance(member, dict | list) and column not in names:
                        walk(member, f"{pointer}/{number}/{token(column)}", column, depth + 1)
        elif isinstance(value, dict):
            for column, member in value.items():
                walk(member, f"{pointer}/{token(column)}", column, depth + 1)
        elif isinstance(value, list):
            for number, member in enumerate(value):
                walk(member, f"{pointer}/{number}", name, depth + 1)
        elif (cell := json_value(value)) is not None:
            if len(reading.items) < limits.blocks:
                content = clean(str(cell))
                if content:
                    locator = PointerLocator(pointer=pointer)
                    reading.items.append(Block(kind="paragraph", text=content, locator=locator))
            else:
                left_out += 1

    walk(value, "", "", 0)
    if left_out:
        reading.warnings.append(f"{left_out} values left out: too many or too deep")
    if isinstance(value, dict):
        title = value.get("title") or value.get("name")
        reading.title = clean(title)[:200] if isinstance(title, str) else ""
    return reading
