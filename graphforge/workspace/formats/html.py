"""HTML: visible text and tables with their spans laid out."""

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree
from lxml import html as lxml_html

from graphforge.records import Block, BlockLocator, TableCellLocator, Value

from ..limits import ParseLimits
from ..raw import Merge, RawTable, Reading
from ..unreadable import UnreadableFile
from .text import clean, decode

_DROPPED = {
    "script",
    "style",
    "noscript",
    "template",
    "head",
    "svg",
    "iframe",
    "object",
    "select",
    "textarea",
    "title",
}
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "header", "hr", "html", "li", "main", "nav", "ol", "p", "pre",
    "section", "summary", "table", "td", "th", "tr", "ul", "br", *_HEADINGS,
}  # fmt: skip
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE
)
_ERROR = re.compile(
    r"\b(?:40[0-9]|50[0-9])\b|not found|forbidden|access denied|bad gateway|service unavailable|server error|"
    r"error occurred|sign in|log ?in|captcha",
    re.IGNORECASE,
)
_CURRENCY = {"$", "US$", "€", "£", "¥"}
_SPAN_CAP = 200
# Cells of one table that spans may cover from above; beyond it a cell is one cell.
_COVERED_CAP = 200_000


def is_error_page(text: str) -> bool:
    """Whether a short HTML page without a table says that something went wrong."""
    if re.search(r"<(?:table|td)\b", text, re.IGNORECASE) or len(text) > 20_000:
        return False
    named = re.findall(r"<(title|h1|h2)\b[^>]*>(.*?)</\1>", text, re.IGNORECASE | re.DOTALL)
    return any(_ERROR.search(content) for _, content in named)


def root_of(path: Path) -> etree._Element:
    """The document's root. No entity, style sheet or address outside the file is ever followed."""
    parser = lxml_html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    content = re.sub(r"^\s*<\?xml[^>]*>", "", decode(path.read_bytes()))
    try:
        return lxml_html.document_fromstring(content, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableFile("corrupt", f"HTML without content: {error}") from error


def _tag(element: etree._Element) -> str:
    tag = element.tag
    return tag.casefold() if isinstance(tag, str) else ""


def is_hidden(element: etree._Element) -> bool:
    """Whether a reader of the page would not see the element."""
    return (
        element.get("hidden") is not None
        or bool(_HIDDEN_STYLE.search(element.get("style") or ""))
        or (_tag(element) == "input" and element.get("type") == "hidden")
    )


def visible_text(element: etree._Element, tables: bool = False) -> str:
    """The text that shows in an element; text of tables inside it only where ``tables``."""
    parts: list[str] = []

    def walk(node: etree._Element, top: bool) -> None:
        tag = _tag(node)
        if not top and (not tag or tag in _DROPPED or is_hidden(node) or (tag == "table" and not tables)):
            return
        if tag in _BLOCKS:
            parts.append(" ")
        parts.append(node.text or "")
        for child in node:
            walk(child, False)
            parts.append(child.tail or "")
        if tag in _BLOCKS:
            parts.append(" ")

    walk(element, True)
    return clean("".join(parts))


def _own_rows(table: etree._Element) -> Iterator[etree._Element]:
    for child in table:
        tag = _tag(child)
        if tag == "tr":
            yield child
        elif tag in {"thead", "tbody", "tfoot"}:
            yield from (row for row in child if _tag(row) == "tr")


def _span(cell: etree._Element, name: str) -> int:
    text = (cell.get(name) or "").strip()
    return min(max(int(text), 1), _SPAN_CAP) if text.isdecimal() else 1


def cells_of(table: etree._Element) -> tuple[list[list[str]], list[Merge], int]:
    """The text of each cell with row and column spans laid out, the spans, and the leading rows of ``<th>`` only.

    A span's text stands in its first cell. A sign split off for alignment is joined to its number: ``$`` before
    ``7`` reads ``$7``, ``(12`` before ``)`` reads ``(12)``, ``7`` before ``%`` reads ``7%``. Rows and columns without
    any text only make room on the page and don't count.
    """
    rows: list[list[str]] = []
    merges: list[Merge] = []
    taken: set[tuple[int, int]] = set()
    header, leading = 0, True
    for number, row in enumerate(_own_rows(table)):
        line: list[str] = []
        column = 0
        only_heads = True
        found = [cell for cell in row if _tag(cell) in {"td", "th"}]
        for cell in found:
            while (number, column) in taken:
                line.append("")
                column += 1
            width, height = _span(cell, "colspan"), _span(cell, "rowspan")
            if len(taken) > _COVERED_CAP:
                width = height = 1
            content = "" if is_hidden(cell) else visible_text(cell)
            only_heads = only_heads and (_tag(cell) == "th" or not content)
            line += [content] + [""] * (width - 1)
            if width > 1 or height > 1:
                merges.append((number, column, number + height - 1, column + width - 1))
                taken.update(
                    (number + down, column + right) for down in range(1, height) for right in range(width)
                )
            column += width
        while (number, column) in taken:
            line.append("")
            column += 1
        for place in range(len(line) - 1):
            following = next((p for p in range(place + 1, min(place + 3, len(line))) if line[p]), None)
            if line[place] in _CURRENCY and following is not None and re.match(r"\(?\d", line[following]):
                line[place], line[following] = "", line[place] + line[following]
        for place in range(len(line) - 1):
            # Filers put the closing bracket and the per cent sign into a narrow column of their own.
            following = next((p for p in range(place + 1, min(place + 3, len(line))) if line[p]), None)
            if following is None or not re.search(r"\d\s*$", line[place]):
                continue
            if line[following] in {")", ")%", "%"} and (
                line[place].startswith(("(", "$(")) or line[following] == "%"
            ):
                line[place], line[following] = line[place] + line[following], ""
        leading = leading and bool(found) and only_heads and any(line)
        header += leading
        rows.append(line)
    return _compact(rows, merges, header)


def _compact(
    rows: list[list[str]], merges: list[Merge], header: int
) -> tuple[list[list[str]], list[Merge], int]:
    """The grid without rows and columns that only make room; a wide cell's text moves to its first column kept."""
    width = max(map(len, rows), default=0)
    grid = [row + [""] * (width - len(row)) for row in rows]
    wide = [span for span in merges if span[3] > span[1] and grid[span[0]][span[1]]]
    starts = {(span[0], span[1]) for span in wide}
    keep = {c for c in range(width) if any(row[c] and (r, c) not in starts for r, row in enumerate(grid))}
    for top, left, _, right in wide:
        place = next((c for c in range(left, right + 1) if c in keep), left)
        keep.add(place)
        if place != left:
            grid[top][place], grid[top][left] = grid[top][left], ""
    columns = sorted(keep)
    kept = [number for number, row in enumerate(grid) if any(row)]
    spans: list[Merge] = []
    for top, left, bottom, right in merges:
        down = [position for position, r in enumerate(kept) if top <= r <= bottom]
        across = [position for position, c in enumerate(columns) if left <= c <= right]
        if top in kept and across and len(down) * len(across) > 1 and grid[top][columns[across[0]]]:
            spans.append((down[0], across[0], down[-1], across[-1]))
    return [[grid[r][c] for c in columns] for r in kept], spans, sum(1 for r in kept if r < header)


def tables_of(root: etree._Element) -> list[etree._Element]:
    """Every table of the document in reading order, nested ones included."""
    return [element for element in root.iter("table") if isinstance(element.tag, str)]


def _is_layout(table: etree._Element, rows: list[list[str]]) -> bool:
    filled = [sum(1 for cell in row if cell) for row in rows]
    return (next(table.iter("table"), table) is table and sum(1 for _ in table.iter("table")) > 1) or max(
        filled, default=0
    ) < 2


def pieces_of(
    root: etree._Element, depth: int
) -> Iterator[tuple[str, int, str] | tuple[int, etree._Element]]:
    """The pieces of the page in order: (kind, level, text), or a table's number and element.

    Tables that only place text (nested ones in them, or one filled cell a row) are read as text.
    """
    numbers = {table: number for number, table in enumerate(tables_of(root))}
    waiting: list[str] = []

    def flush(kind: str = "paragraph", level: int = 0) -> Iterator[tuple[str, int, str]]:
        content = clean("".join(waiting))
        waiting.clear()
        if content:
            yield kind, level, content

    def walk(node: etree._Element, level: int) -> Iterator[tuple[str, int, str] | tuple[int, etree._Element]]:
        tag = _tag(node)
        if not tag or tag in _DROPPED or is_hidden(node):
            return
        if level > depth:
            waiting.append(visible_text(node, tables=True) + " ")
            return
        if tag == "table" and not _is_layout(node, cells_of(node)[0]):
            yield from flush()
            yield numbers[node], node
            return
        if tag in _HEADINGS:
            yield from flush()
            waiting.append(visible_text(node))
            yield from flush("heading", _HEADINGS[tag])
            return
        if tag in _BLOCKS:
            yield from flush()
        kind = "list_item" if tag == "li" else "caption" if tag in {"figcaption", "caption"} else "paragraph"
        waiting.append(node.text or "")
        for child in node:
            yield from walk(child, level + 1)
            waiting.append(child.tail or "")
        if tag in _BLOCKS or tag == "caption":
            yield from flush(kind)

    yield from walk(root, 0)
    yield from flush()


def hidden_count(root: etree._Element) -> int:
    """How many elements hold text that doesn't show."""
    return sum(
        1
        for element in root.iter()
        if _tag(element) and is_hidden(element) and clean("".join(map(str, element.itertext())))
    )


_METADATA = {
    "author": "author", "dc.creator": "author", "description": "description", "keywords": "keywords",
    "date": "created", "dc.date": "created", "dcterms.created": "created", "article:published_time": "created",
    "dcterms.modified": "modified", "article:modified_time": "modified", "og:site_name": "publisher",
    "dc.publisher": "publisher", "dcterms.publisher": "publisher", "dc.rights": "rights", "dcterms.rights": "rights",
    "dcterms.license": "licence", "generator": "application",
}  # fmt: skip


def _metadata(root: etree._Element) -> dict[str, str]:
    """What the page says of itself in its head, the address of its licence among it."""
    found: dict[str, str] = {}
    for element in root.iter("meta"):
        name = _METADATA.get((element.get("name") or element.get("property") or "").strip().casefold())
        if name and (text := clean(element.get("content") or "")[:500]):
            found.setdefault(name, text)
    for element in root.iter("link", "a"):
        if "license" in (element.get("rel") or "").casefold().split() and (
            text := clean(element.get("href") or "")
        ):
            found.setdefault("licence", text[:500])
    return dict(sorted(found.items()))


def read(path: Path, limits: ParseLimits) -> Reading:
    """Visible text as blocks, tables with spans laid out."""
    root = root_of(path)
    title = root.find(".//title")
    reading = Reading(
        pages=1,
        metadata=_metadata(root),
        title=clean("".join(map(str, title.itertext())))[:200] if title is not None else "",
    )
    block = 0
    last_text = ""
    for piece in pieces_of(root, limits.depth):
        if len(piece) == 3:
            kind, level, content = piece
            if block < limits.blocks:
                locator = BlockLocator(block=block)
                reading.items.append(Block(kind=kind, text=content, level=level, locator=locator))  # type: ignore[arg-type]
            block += 1
            last_text = content if len(content) <= 200 else ""
            if kind == "heading" and not reading.title:
                reading.title = content[:200]
            continue
        number, table = piece
        cells, merges, header = cells_of(table)
        caption = table.find("caption")
        name = visible_text(caption) if caption is not None else last_text
        rows: list[list[Value]] = [
            [cell or None for cell in row[: limits.columns]] for row in cells[: limits.rows]
        ]
        reading.items.append(
            RawTable(
                rows,
                TableCellLocator(table=number, row=0, column=0),
                title=name,
                header=header or None,
                merges=merges,
                truncated=len(cells) > limits.rows,
            )
        )
    if block > limits.blocks:
        reading.warnings.append(f"{block - limits.blocks} blocks left out")
    if hidden := hidden_count(root):
        reading.warnings.append(f"{hidden} hidden elements left out")
    return reading
