"""Rows at several levels in one table: a branch beside the sector that holds it, a city beside its boroughs."""

import re
from collections.abc import Iterable, Mapping

from .document import Column, Table, normalize

_LEVEL = re.compile(
    r"\b(?:geo ?type|(?:geo|geography|geographic|area|region|row|record|summary|aggregation|agg)[ _]?(?:type|level)|"
    r"level|hierarchy|tier|indent|depth)\b"
)
# Levels of something else than the rows.
_OF_ELSE = re.compile(
    r"\b(?:education|skill|income|poverty|experience|grade|confidence|significance|wage|water|sea|noise|risk|alert|"
    r"job|service|care|reading|proficiency) levels?\b"
)
_PARENT = re.compile(
    r"(?<!one )(?<!two )(?<!no )(?<!single )(?<!lone )\bparent\b(?! (?:famil|household|home|case))|"
    r"\b(?:belongs to|part of|rolls? ?up)\b"
)
# One row that is named in another may be chance (a capital, a neighbour); two are a habit.
_NAMED_IN = 2


def is_level(name: str) -> bool:
    """True where a header tells of each row at what level it stands (city, borough): sums count it twice.

    >>> is_level("geo_type"), is_level("Level"), is_level("Typical education level")
    (True, True, False)
    """
    return _LEVEL.search(_OF_ELSE.sub(" ", name.casefold().replace("_", " "))) is not None


def is_parent(name: str) -> bool:
    """True where a header names of each row the row that holds it.

    >>> is_parent("parent_sector"), is_parent("naics_rollup"), is_parent("Two Parent Families")
    (True, True, False)
    """
    return _PARENT.search(name.casefold().replace("_", " ")) is not None


def level_columns(table: Table) -> tuple[Column, ...]:
    """The columns that may tell parents from parts: by their header, or because they hold the names of other rows."""
    if table.key is None:
        return ()
    keys = {normalize(table.grid[row][table.key]): row for row in range(*table.body)}
    return tuple(
        column
        for column in table.columns
        if column.index != table.key
        and (is_level(column.name) or _is_parents(column) or _names_others(table, column, keys))
    )


def _is_parents(column: Column) -> bool:
    return is_parent(column.name) and column.kind == "text"


def _names_others(table: Table, column: Column, keys: Mapping[str, int]) -> bool:
    if column.kind != "text":
        return False
    return _other_rows(table, column, keys) >= _NAMED_IN


def _other_rows(table: Table, column: Column, keys: Mapping[str, int]) -> int:
    """How many of the rows hold in a column the name of another of the rows."""
    return sum(keys.get(normalize(table.grid[row][column.index] or ""), row) != row for row in keys.values())


def mixes_levels(table: Table, rows: Iterable[int], columns: Iterable[Column]) -> bool:
    """Whether some of the rows (of the grid) hold others of them, as far as ``columns`` (:func:`level_columns`) tell.

    A level column does where its values differ; a column of parents where a row names another one of the rows, or
    where only some name a parent by a code.
    """
    chosen = tuple(rows)
    if table.key is None or not chosen:
        return False
    keys = {normalize(table.grid[row][table.key]): row for row in chosen}
    for column in columns:
        told = [normalize(table.grid[row][column.index] or "") for row in chosen]
        if is_level(column.name):
            if len(set(told)) > 1:
                return True
        elif _other_rows(table, column, keys):
            return True
        elif _is_parents(column) and _some_only(table, column, chosen):
            return True
    return False


def _some_only(table: Table, column: Column, rows: Iterable[int]) -> bool:
    """Whether some rows name a parent and others none, by a blank or a code that stands for none."""
    filled = [bool(normalize(table.grid[row][column.index] or "")) for row in rows]
    return any(filled) and not all(filled)
