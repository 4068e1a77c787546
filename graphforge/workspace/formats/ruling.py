"""The tables that lines and boxes draw on a page: strokes put on common lines, the smallest cells between them, and
the cells that touch.

Only the drawings are read here, not the text, which makes it cheap. :func:`ruling_of` gives what a page draws,
:meth:`Ruling.may_hold_grid` is the test before the search, :meth:`Ruling.grids` the search.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Box = tuple[float, float, float, float]
Point = tuple[float, float]
Stroke = tuple[float, float, float]
"""Where a stroke lies (y of one across, x of one down), where it begins and where it ends."""
Turn = tuple[float, ...]
"""The six numbers of a matrix that takes a page's own space to the page as it is shown."""
Grid = list[list[Box | None]]
"""The box of each cell, row by row; None where a wider or higher cell covers the place."""

# Points. Strokes nearer than this to one another lie on one line, gaps up to it are closed, a stroke that ends this
# short of another one still meets it, and shorter ones are dots.
_NEAR = 3.0
# More are a chart or a map: a search would find cells between its curves.
_ITEM_CAP = 4_000
# Sides of a cell are longer than this, across and down.
_WIDE, _HIGH = 20.0, 6.0


@dataclass
class Ruling:
    """The strokes of a page, in points from its top left corner, and the boxes around the drawings they come from.

    ``shaded`` holds those of shading alone: boxes that are filled and have no outline. ``rows`` and ``columns`` are the
    places, in whole points, of sides long enough for a cell, shading included.
    """

    across: list[Stroke] = field(default_factory=list)
    down: list[Stroke] = field(default_factory=list)
    drawings: set[Box] = field(default_factory=set)
    shaded: "Ruling | None" = None
    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    crowded: bool = False

    def may_hold_grid(self) -> bool:
        """Whether there are lines or boxes enough for a grid of at least two by two cells, and no chart's."""
        return not self.crowded and len(self.rows) >= 3 and len(self.columns) >= 3

    def grids(self, written: Sequence[Point], shading: bool = False) -> list[Grid]:
        """The grids of cells, from top to bottom; with ``shading`` its edges count as lines.

        ``written``: the middles of the page's words. Touching drawings around some of them count as framed, so that
        a table drawn without its outermost lines is whole.
        """
        across, down, drawings = list(self.across), list(self.down), self.drawings
        if shading and self.shaded is not None:
            across += self.shaded.across
            down += self.shaded.down
            drawings = drawings | self.shaded.drawings
        for x0, y0, x1, y1 in _hulls(drawings):
            if any(x0 <= x <= x1 and y0 <= y <= y1 for x, y in written):
                across += ((y0, x0, x1), (y1, x0, x1))
                down += ((x0, y0, y1), (x1, y0, y1))
        groups = _touching(_cells(_lines(across), _lines(down)))
        groups.sort(key=lambda cells: min((cell[1], cell[0]) for cell in cells))
        return [_grid(cells) for cells in groups]


def ruling_of(page: Any) -> Ruling:
    """What a page draws: lines along its sides, thin boxes as lines, the sides of other boxes that are not only
    filled. Curves are left out."""
    shaded = Ruling()
    found = Ruling(shaded=shaded)
    width, height = page.rect.width, page.rect.height
    turn = tuple(page.rotation_matrix) if page.rotation else None
    count = 0
    for drawing in page.get_cdrawings():
        items = drawing["items"]
        count += len(items)
        if count > _ITEM_CAP:
            found.crowded = True
            break
        strokes = [stroke for item in items for stroke in _strokes(item)]
        if drawing.get("closePath") and items[0][0] == "l" and items[-1][0] == "l":
            strokes.append((items[-1][2], items[0][1]))
        x0, y0, x1, y1 = drawing["rect"]
        shading = drawing["type"] == "f" and x1 - x0 > _NEAR and y1 - y0 > _NEAR
        into = shaded if shading else found
        into.drawings.add((x0, y0, x1, y1) if turn is None else turned((x0, y0, x1, y1), turn))
        for (ax, ay), (bx, by) in strokes:
            box = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
            if turn is not None:
                box = turned(box, turn)
            left, right = max(0.0, box[0]), min(width, box[2])
            top, bottom = max(0.0, box[1]), min(height, box[3])
            if left > right or top > bottom:
                # Off the page.
                continue
            if bottom - top <= min(_NEAR, right - left):
                if right - left > _WIDE:
                    found.rows.add(round((top + bottom) / 2))
                into.across.append(((top + bottom) / 2, left, right))
            elif right - left <= _NEAR:
                if bottom - top > _HIGH:
                    found.columns.add(round((left + right) / 2))
                into.down.append(((left + right) / 2, top, bottom))
    return found


def turned(box: Sequence[float], turn: Turn) -> Box:
    """A box of a page's own space as it lies on the page shown."""
    (x0, y0, x1, y1), (a, b, c, d, e, f) = box, turn
    xs, ys = (a * x0 + c * y0 + e, a * x1 + c * y1 + e), (b * x0 + d * y0 + f, b * x1 + d * y1 + f)
    return min(xs), min(ys), max(xs), max(ys)


def _strokes(item: tuple[Any, ...]) -> Iterator[tuple[Point, Point]]:
    """The lines of a drawing's item: itself, or the sides of a box; a thin box is the line through its middle."""
    if item[0] == "l":
        yield item[1], item[2]
    elif item[0] == "qu":
        upper_left, upper_right, lower_left, lower_right = item[1]
        yield upper_left, lower_left
        yield lower_left, lower_right
        yield lower_right, upper_right
        yield upper_right, upper_left
    elif item[0] == "re":
        x0, y0, x1, y1 = item[1]
        width, height = abs(x1 - x0), abs(y1 - y0)
        if width <= _NEAR and width < height:
            yield ((x0 + x1) / 2, y0), ((x0 + x1) / 2, y1)
        elif height <= _NEAR and height < width:
            yield (x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2)
        else:
            yield (x0, y0), (x0, y1)
            yield (x0, y1), (x1, y1)
            yield (x1, y1), (x1, y0)
            yield (x1, y0), (x0, y0)


def _hulls(boxes: Iterable[Box]) -> Iterator[Box]:
    """The boxes around the groups of boxes that lie near one another."""
    rest = sorted(boxes, key=lambda box: (box[3], box[0]))
    while rest:
        x0, y0, x1, y1 = rest[0]
        rest = rest[1:]
        while True:
            near: list[Box] = []
            apart: list[Box] = []
            for box in rest:
                touches = (
                    box[0] <= x1 + _NEAR
                    and box[2] >= x0 - _NEAR
                    and box[1] <= y1 + _NEAR
                    and box[3] >= y0 - _NEAR
                )
                (near if touches else apart).append(box)
            if not near:
                break
            rest = apart
            x0, y0 = min(x0, *(box[0] for box in near)), min(y0, *(box[1] for box in near))
            x1, y1 = max(x1, *(box[2] for box in near)), max(y1, *(box[3] for box in near))
        yield x0, y0, x1, y1


def _lines(strokes: list[Stroke]) -> list[Stroke]:
    """Strokes moved onto the common place of those near them, and joined where they meet on it."""
    places: dict[float, float] = {}
    cluster: list[float] = []
    for place in [*sorted(stroke[0] for stroke in strokes), float("inf")]:
        if cluster and place > cluster[-1] + _NEAR:
            places.update(dict.fromkeys(cluster, sum(cluster) / len(cluster)))
            cluster = []
        cluster.append(place)
    spans: defaultdict[float, list[Point]] = defaultdict(list)
    for place, start, end in strokes:
        spans[places[place]].append((start, end))
    result = []
    for place in sorted(spans):
        first: float | None = None
        last = 0.0
        for start, end in [*sorted(spans[place]), (float("inf"), float("inf"))]:
            if first is not None and start <= last + _NEAR:
                last = max(last, end)
                continue
            if first is not None and last - first >= _NEAR:
                result.append((place, first, last))
            first, last = start, end
    return result


def _cells(across: list[Stroke], down: list[Stroke]) -> list[Box]:
    """The smallest boxes whose four sides are drawn, by their upper left corner."""
    ys = [y for y, _, _ in across]
    # For every crossing the numbers of the lines that cross there: two on one line may both just reach it.
    through: dict[Point, tuple[set[int], set[int]]] = {}
    for number, (x, top, bottom) in enumerate(down):
        for other in range(bisect_left(ys, top - _NEAR), bisect_right(ys, bottom + _NEAR)):
            y, left, right = across[other]
            if left - _NEAR <= x <= right + _NEAR:
                here = through.setdefault((x, y), (set(), set()))
                here[0].add(number)
                here[1].add(other)
    column: defaultdict[float, list[Point]] = defaultdict(list)
    row: defaultdict[float, list[Point]] = defaultdict(list)
    for point in sorted(through):
        column[point[0]].append(point)
        row[point[1]].append(point)
    place = {point: n for points in column.values() for n, point in enumerate(points)}
    beside = {point: n for points in row.values() for n, point in enumerate(points)}
    result = []
    for corner, (upright, level) in through.items():
        lower = _along(column[corner[0]][place[corner] + 1 :], through, 0, upright)
        righter = _along(row[corner[1]][beside[corner] + 1 :], through, 1, level)
        for below in lower:
            for beyond in righter:
                far = through.get((beyond[0], below[1]))
                if far and far[0] & through[beyond][0] and far[1] & through[below][1]:
                    result.append((corner[0], corner[1], beyond[0], below[1]))
                    break
            else:
                continue
            break
    return result


def _along(
    points: list[Point], through: dict[Point, tuple[set[int], set[int]]], side: int, lines: set[int]
) -> list[Point]:
    """The first of the points that one of the lines goes through."""
    found = []
    for point in points:
        if not through[point][side] & lines:
            break
        found.append(point)
    return found


def _touching(cells: list[Box]) -> list[list[Box]]:
    """The cells in groups that hang together by their corners; groups of less than two columns are left out."""
    at: defaultdict[Point, list[int]] = defaultdict(list)
    for number, (x0, y0, x1, y1) in enumerate(cells):
        for corner in ((x0, y0), (x0, y1), (x1, y0), (x1, y1)):
            at[corner].append(number)
    groups = []
    seen: set[int] = set()
    for first in range(len(cells)):
        if first in seen:
            continue
        seen.add(first)
        group = [first]
        for number in group:
            x0, y0, x1, y1 = cells[number]
            for corner in ((x0, y0), (x0, y1), (x1, y0), (x1, y1)):
                for other in at.pop(corner, ()):
                    if other not in seen:
                        seen.add(other)
                        group.append(other)
        boxes = [cells[number] for number in group]
        if len({box[0] for box in boxes}) > 1 and len({box[2] for box in boxes}) > 1:
            groups.append(boxes)
    return groups


def _grid(cells: list[Box]) -> Grid:
    columns = {x: n for n, x in enumerate(sorted({cell[0] for cell in cells}))}
    rows: dict[float, list[Box | None]] = {}
    for cell in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        rows.setdefault(cell[1], [None] * len(columns))[columns[cell[0]]] = cell
    return list(rows.values())
