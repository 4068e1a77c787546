"""Slide decks: text of shapes, tables, charts as tables of their data, and speaker notes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pptx
from lxml import etree
from pptx.exc import PythonPptxError

from graphforge.records import Block, PartLocator, SlideLocator, TableCellLocator, Value

from ..limits import ParseLimits
from ..raw import Merge, RawTable, Reading
from ..unreadable import UnreadableFile
from .archive import (
    BROKEN,
    corrupt_if_broken,
    declares_entities,
    open_archive,
    package_metadata,
    read_member,
    xml_root,
)
from .docx import name_of
from .text import clean

_BROKEN = (*BROKEN, PythonPptxError, KeyError, AttributeError, TypeError, etree.XMLSyntaxError, IndexError)
# Most points of a chart's series.
_POINTS = 20_000


def open_deck(path: Path, limits: ParseLimits) -> Any:
    """The deck, checked within bounds. Raises UnreadableFile: corrupt, zip_bomb, xml_entities, password_protected."""
    with open_archive(path, limits) as archive:
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")) and declares_entities(read_member(archive, name, limits)):
                raise UnreadableFile("xml_entities", f"{name} declares XML entities")
    with corrupt_if_broken("the deck can't be opened", *_BROKEN):
        return pptx.Presentation(str(path))


def shape_text(shape: Any, depth: int = 0) -> str:
    """The text of a shape; of a group, the texts of its shapes one after the other."""
    if depth < 20 and hasattr(shape, "shapes"):
        return clean(" ".join(shape_text(inner, depth + 1) for inner in shape.shapes))
    if getattr(shape, "has_text_frame", False):
        return clean(" ".join(paragraph.text for paragraph in shape.text_frame.paragraphs))
    return ""


def _frames(shape: Any, depth: int = 0) -> Iterator[Any]:
    if depth < 20 and hasattr(shape, "shapes"):
        for inner in shape.shapes:
            yield from _frames(inner, depth + 1)
    elif getattr(shape, "has_table", False) or getattr(shape, "has_chart", False):
        yield shape


def frames_of(shape: Any) -> list[Any]:
    """The tables and charts in a shape, in order."""
    return list(_frames(shape))


def all_frames(deck: Any) -> list[Any]:
    """Every table and chart of the deck in reading order."""
    return [frame for slide in deck.slides for shape in slide.shapes for frame in frames_of(shape)]


def cells_of(frame: Any) -> tuple[list[list[Value]], list[Merge], int | None, str]:
    """The cells of a table, or the data of a chart (a row a category, a column a series), spans, header rows, title."""
    if frame.has_table:
        table = frame.table
        rows: list[list[Value]] = []
        merges: list[Merge] = []
        for number, row in enumerate(table.rows):
            line: list[Value] = []
            for column, cell in enumerate(row.cells):
                line.append(clean(cell.text) or None if not cell.is_spanned else None)
                if cell.is_merge_origin:
                    merges.append(
                        (number, column, number + cell.span_height - 1, column + cell.span_width - 1)
                    )
            rows.append(line)
        return rows, merges, 1 if table.first_row and len(rows) > 1 else None, ""
    chart = frame.chart
    for element in chart._chartSpace.iter("{*}ptCount"):
        # The reader below makes as many points as a series claims to have.
        if int(element.get("val") or 0) > _POINTS:
            raise ValueError(f"a chart claims {element.get('val')} points")
    try:
        title = (
            clean(chart.chart_title.text_frame.text)
            if chart.has_title and chart.chart_title.has_text_frame
            else ""
        )
    except _BROKEN:
        title = ""
    categories: list[Value] = []
    series: list[tuple[str, list[Value]]] = []
    for plot in chart.plots:
        labels: list[Value] = [clean(str(label)) or None for label in plot.categories]
        categories = labels if len(labels) > len(categories) else categories
        series += [(clean(str(one.name)), list(one.values)) for one in plot.series]
    height = max([len(categories), *(len(values) for _, values in series)], default=0)
    rows = [["", *(name for name, _ in series)]]
    for number in range(height):
        label = categories[number] if number < len(categories) else None
        rows.append([label, *(values[number] if number < len(values) else None for _, values in series)])
    rows[0][0] = None
    return rows, [], 1, title


def read(path: Path, limits: ParseLimits) -> Reading:
    """Slides in order: titles as headings, other shapes as paragraphs, tables and charts, then the notes."""
    deck = open_deck(path, limits)
    try:
        reading = _read(deck, limits)
    except _BROKEN as error:
        raise UnreadableFile("corrupt", f"the deck's parts don't fit together: {error}") from error
    with open_archive(path, limits) as archive:
        reading.metadata = package_metadata(archive, limits)
    return reading


def _read(deck: Any, limits: ParseLimits) -> Reading:
    slides = list(deck.slides)
    reading = Reading(pages=len(slides))
    if len(slides) > limits.pages:
        reading.warnings.append(f"{len(slides) - limits.pages} slides left out")
    table = 0
    for number, slide in enumerate(slides[: limits.pages]):
        try:
            heading = slide.shapes.title
        except _BROKEN:
            heading = None
        title = shape_text(heading) if heading is not None else ""
        reading.title = reading.title or title[:200]
        for place, shape in enumerate(slide.shapes):
            try:
                content = shape_text(shape)
            except _BROKEN as error:
                reading.warnings.append(f"slide {number + 1} shape {place + 1} can't be read: {error}")
                continue
            if content:
                main = heading is not None and shape.shape_id == heading.shape_id
                kind: Literal["heading", "paragraph"] = "heading" if main else "paragraph"
                locator = SlideLocator(slide=number, shape=place)
                reading.items.append(Block(kind=kind, text=content, level=int(main), locator=locator))
            for frame in frames_of(shape):
                try:
                    rows, merges, header, name = cells_of(frame)
                except _BROKEN as error:
                    reading.warnings.append(f"slide {number + 1}: a table or chart can't be read: {error}")
                    table += 1
                    continue
                origin = TableCellLocator(table=table, row=0, column=0)
                kept = [row[: limits.columns] for row in rows[: limits.rows]]
                reading.items.append(
                    RawTable(
                        kept,
                        origin,
                        title=name or title,
                        header=header,
                        merges=merges,
                        truncated=len(rows) > limits.rows,
                    )
                )
                table += 1
        notes = notes_of(slide)
        if notes:
            reading.items.append(Block(kind="note", text=notes, locator=SlideLocator(slide=number, shape=-1)))
        for index, said in enumerate(comments_of(slide)):
            comment = PartLocator(part="comment", place=str(number + 1), index=index)
            reading.items.append(Block(kind="note", text=said, locator=comment))
    return reading


def comments_of(slide: Any) -> list[str]:
    """The reviewers' comments on a slide, of either kind that PowerPoint writes."""
    found = []
    for relation in slide.part.rels.values():
        if relation.is_external or relation.reltype.rpartition("/")[2] != "comments":
            continue
        root = xml_root(relation.target_part.blob, str(relation.target_part.partname))
        for comment in root.iter():
            if name_of(comment) not in {"cm", "reply"}:
                continue
            # The older kind has its words in ``text``, the newer one in runs of a text body; replies are their own.
            body = next((part for part in comment if name_of(part) in {"text", "txBody"}), None)
            if body is not None:
                words = [t.text or "" for t in body.iter() if name_of(t) in {"t", "text"}]
                found.append(clean("".join(words)))
    return [text for text in found if text]


def notes_of(slide: Any) -> str:
    """The speaker notes of a slide, empty where it has none."""
    if not slide.has_notes_slide:
        return ""
    frame = slide.notes_slide.notes_text_frame
    return clean(frame.text) if frame is not None else ""
