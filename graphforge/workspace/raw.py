"""What a format's reader hands on: text blocks and rectangles of cells, untyped, each with its place."""

from dataclasses import dataclass, field

from graphforge.records import Block, Locator, Value

Merge = tuple[int, int, int, int]
"""First row, first column, last row, last column: zero-based, inclusive."""


@dataclass
class RawTable:
    """A rectangle of cells as the file has it; ``origin`` locates its cell (0, 0).

    ``rows`` may be ragged. ``header`` is the number of header rows where the format marks them (``<th>``, a JSON
    object's keys). ``edges`` are the columns' left edges on a page, in points. ``sheet`` is
    true where one rectangle may hold several tables, titles and notes.
    """

    rows: list[list[Value]]
    origin: Locator
    title: str = ""
    header: int | None = None
    sheet: bool = False
    merges: list[Merge] = field(default_factory=list)
    formulas: dict[tuple[int, int], str] = field(default_factory=dict)
    hidden: bool = False
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    truncated: bool = False
    edges: tuple[int, ...] = ()


@dataclass
class Reading:
    """A file as its format's reader found it; ``items`` are in reading order."""

    pages: int
    title: str = ""
    items: list[Block | RawTable] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
