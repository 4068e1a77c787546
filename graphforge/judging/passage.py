"""The passage at a locator of a source file, with what is needed to read it: a row with its header.

read = partial(passage, document)      # what a pipeline hands to a grader is ``passage(anchor) -> str``
"""

from ..errors import InputError
from ..records import Document, Locator
from .shown import holding, show_columns, show_place, show_row

_WIDEST = 12
_LONGEST = 600


def passage(document: Document, locator: Locator, around: int = 1) -> str:
    """A cell's row under its table's header rows; a block with ``around`` blocks on either side.

    Lines that several passages of a file share (headers) are the same to the letter, so that they can be shown
    once. InputError where the document has nothing at the place.
    """
    if (found := holding(document, locator)) is not None:
        table, row, column = found
        picked = _columns(len(table.columns), table.key, column)
        rows = [*range(min(table.header, len(table.grid))), row]
        return "\n".join(
            [
                f"-- {show_place(table)} --",
                show_columns(table, picked),
                *(show_row(table, at, picked) for at in dict.fromkeys(rows)),
            ]
        )
    for at, block in enumerate(document.blocks):
        if block.locator == locator:
            near = document.blocks[max(0, at - around) : at + around + 1]
            return "\n".join(f"{one.locator.show()}: {' '.join(one.text.split())[:_LONGEST]}" for one in near)
    raise InputError(
        f"{document.name} has nothing at {locator.show()}",
        "Parse the file again, or read the place by itself",
    )


def _columns(width: int, key: int | None, column: int) -> list[int]:
    """All columns, or of a wide table the first, the key and those about the cell."""
    if width <= _WIDEST:
        return list(range(width))
    near = range(max(0, column - 2), min(width, column + 3))
    return sorted({0, *near, *([] if key is None else [key])})
