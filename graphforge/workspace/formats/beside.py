"""What stands beside the cells of an xlsx sheet: comments on cells, and charts with the ranges that they draw."""

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from graphforge.records import column_index

from ..limits import ParseLimits
from ..unreadable import UnreadableFile
from .archive import declares_entities, read_member, xml_root
from .docx import child_of, name_of
from .text import clean

# What Excel writes into the old comment in place of a threaded one that it also keeps.
_THREADED = re.compile(r"^\[Threaded comment\].*?Comment:\s*", re.DOTALL)
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_TEXT = 5_000


@dataclass
class Beside:
    """Of each sheet: the comments by cell (row, column, zero-based), and a line a chart."""

    comments: dict[str, dict[tuple[int, int], str]] = field(default_factory=dict)
    charts: dict[str, list[str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def read_beside(archive: zipfile.ZipFile, sheets: Mapping[str, str], limits: ParseLimits) -> Beside:
    """The comments and charts of every sheet; ``sheets`` maps a sheet's name to its part.

    A part that can't be read costs itself and gives a warning: the cells are sound without it.
    """
    found = Beside()
    names = set(archive.namelist())
    for sheet, part in sheets.items():
        for kind, target in _relations(archive, names, part, limits, found):
            if kind in {"comments", "threadedComment"}:
                root = _part(archive, names, target, limits, found)
                if root is not None:
                    for place, text in _comments(root, kind == "threadedComment"):
                        found.comments.setdefault(sheet, {})[place] = text
            elif kind == "drawing":
                for inner, chart in _relations(archive, names, target, limits, found):
                    root = _part(archive, names, chart, limits, found) if inner == "chart" else None
                    if root is not None:
                        found.charts.setdefault(sheet, []).append(chart_line(root))
    return found


def _part(
    archive: zipfile.ZipFile, names: set[str], name: str, limits: ParseLimits, found: Beside
) -> etree._Element | None:
    if name not in names:
        return None
    try:
        data = read_member(archive, name, limits)
        if declares_entities(data):
            raise UnreadableFile("xml_entities", f"{name} declares XML entities")
        return xml_root(data, name)
    except UnreadableFile as error:
        found.warnings.append(f"left out: {error.detail}")
        return None


def _relations(
    archive: zipfile.ZipFile, names: set[str], part: str, limits: ParseLimits, found: Beside
) -> list[tuple[str, str]]:
    """The kind and the part of each relation inside the package, comments before their threads."""
    folder, file = posixpath.split(part)
    root = _part(archive, names, f"{folder}/_rels/{file}.rels", limits, found)
    result = []
    for relation in root if root is not None else ():
        if str(relation.get("TargetMode", "")) == "External":
            continue
        target = str(relation.get("Target", ""))
        full = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")
        result.append((str(relation.get("Type", "")).rpartition("/")[2], full))
    return sorted(result)


def _comments(root: etree._Element, threaded: bool) -> Iterator[tuple[tuple[int, int], str]]:
    tag = "threadedComment" if threaded else "comment"
    texts: dict[tuple[int, int], list[str]] = {}
    for element in root.iter():
        place = _REFERENCE.fullmatch(element.get("ref") or "") if name_of(element) == tag else None
        if place is None:
            continue
        body = child_of(element, "text")
        # The reading of a phonetic text is no part of it.
        words = [
            t.text or ""
            for t in (body.iter() if body is not None else ())
            if name_of(t) in {"t", "text"} and not _is_reading(t)
        ]
        text = clean(_THREADED.sub("", "".join(words)))[:_TEXT]
        if text:
            texts.setdefault((int(place[2]) - 1, column_index(place[1])), []).append(text)
    for cell, parts in texts.items():
        yield cell, " / ".join(parts)


def _is_reading(text: etree._Element) -> bool:
    parent = text.getparent()
    return parent is not None and name_of(parent) == "rPh"


def chart_line(root: etree._Element) -> str:
    """A chart in words: its title, and of each series the name and the ranges of values and categories."""
    chart = child_of(root, "chart")
    title = child_of(chart, "title")
    words = (
        clean("".join(t.text or "" for t in title.iter() if name_of(t) == "t")) if title is not None else ""
    )
    series = []
    for one in root.iter():
        if name_of(one) != "ser":
            continue
        values = child_of(one, "val") if child_of(one, "val") is not None else child_of(one, "yVal")
        labels = child_of(one, "cat") if child_of(one, "cat") is not None else child_of(one, "xVal")
        name = _words_of(child_of(one, "tx"))
        line = " ".join(part for part in (name, _range_of(values)) if part)
        if by := _range_of(labels):
            line += f" by {by}"
        series.append(line)
    head = f"Chart {words}".strip()
    return clean(f"{head}: {'; '.join(series)}" if series else head)[:_TEXT]


def _words_of(element: etree._Element | None) -> str:
    """The cached words of a reference, or the words themselves."""
    if element is None:
        return ""
    return clean(" ".join(v.text or "" for v in element.iter() if name_of(v) == "v"))


def _range_of(element: etree._Element | None) -> str:
    if element is None:
        return ""
    return next((clean(f.text or "") for f in element.iter() if name_of(f) == "f"), "")
