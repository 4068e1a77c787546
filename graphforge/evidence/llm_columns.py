"""A column that a model names, as a measure over the rows it wants."""

from ..errors import RecordError
from ..records import column_index, normalize
from .llm_graph import AddedColumn, Grid
from .measures import Measure


def read_column(grid: Grid, added: AddedColumn, most_rows: int) -> Measure:
    """The measure; RecordError says why the table gives none. Rows without a number are left out.

    A column stands for its rows by their names, so a name that two of them share makes it none.
    """
    table = grid.table
    width = len(table.columns)
    key, column = column_index(added.key), column_index(added.column)
    if not (key < width and column < width) or key == column:
        raise RecordError(f"{added.table} has no columns {added.key} and {added.column}", "Name two columns")
    wanted = [f"R{row + 1}" for row in range(*table.body)] if not added.rows else list(added.rows)
    known = {f"R{row + 1}": row for row in sorted({*range(*table.body), *table.totals})}
    if missing := [name for name in wanted if name not in known]:
        raise RecordError(f"{added.table} has no row {missing[0]}", "Name rows as they are shown")
    keyed = table.model_copy(update={"key": key})
    rows: dict[str, int] = {}
    for name in dict.fromkeys(wanted):
        row = known[name]
        if table.number(row, column) is None:
            if added.rows:
                raise RecordError(f"{added.table}.{name}.{added.column} holds no number", "Leave the row out")
            continue
        entity = normalize(keyed.key_text(row)) if table.grid[row][key] is not None else ""
        if not entity:
            raise RecordError(
                f"{added.table}.{name} has no name in column {added.key}", "Name the key column"
            )
        if entity in rows:
            raise RecordError(
                f"two rows of {added.table} are called {entity!r}", "Name the rows that are meant"
            )
        rows[entity] = row
    if not 2 <= len(rows) <= most_rows:
        raise RecordError(f"it has {len(rows)} rows with a number, not 2 to {most_rows}", "Choose other rows")
    return Measure(grid.file, grid.document, keyed, table.columns[column], rows)
