"""What can be done to a deliverable on disk so that exactly one thing becomes wrong, whatever its format.

An edit names places as the parser located them. Each format has one module (``edit_xlsx`` and so on) with
``apply(source, target, edit)``, which writes ``target`` and never touches ``source``.
"""

import math
import re
from dataclasses import dataclass

from ..records import Locator, TextNumber, Value, close, normalize


class CannotEdit(Exception):
    """The edit makes no sense for this file; ``str()`` says why, for the list of mutants not made."""


@dataclass(frozen=True)
class Resave:
    """Open and write again, nothing changed: what the golden deliverable goes through as well."""


@dataclass(frozen=True)
class Cell:
    """A cell: its place, the name of its row, what it holds, what it shall hold (``=`` begins a formula)."""

    locator: Locator
    row: str
    old: Value
    new: Value


@dataclass(frozen=True)
class SetCells:
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class DropSheet:
    sheet: str


@dataclass(frozen=True)
class DropSection:
    """A heading and all under it, up to the next heading of its level or above."""

    heading: str


@dataclass(frozen=True)
class DropColumn:
    """The column of a cell."""

    locator: Locator


@dataclass(frozen=True)
class DropRow:
    """The row of a cell; what stands below moves up."""

    locator: Locator
    row: str


@dataclass(frozen=True)
class AddRow:
    """A new last row below the row of ``locator``: a copy of the row of ``model`` with another name.

    Both locate cells of the column of names.
    """

    locator: Locator
    model: Locator
    name: str


@dataclass(frozen=True)
class ChangeStated:
    """Every number of the running text that meets the check is altered."""

    check: TextNumber


@dataclass(frozen=True)
class RenameSheet:
    """The sheet under another name; formulas follow it."""

    sheet: str
    name: str


@dataclass(frozen=True)
class ReplaceText:
    """Every place that holds the phrase, as :func:`.prose.holds` would find it, holds ``by`` instead."""

    phrase: str
    by: str

    def made(self, text: str) -> tuple[str, int]:
        """The text with the phrase replaced, and how often."""
        return self.pattern().subn(lambda _: self.by, text)

    def pattern(self) -> re.Pattern[str]:
        """The phrase with any punctuation and any break of line or page between its letters."""
        letters = [letter for letter in normalize(self.phrase) if not letter.isspace()]
        if not letters:
            raise CannotEdit(f"nothing of {self.phrase!r} is a word")
        return re.compile(
            r"(?<![^\W_])" + r"[\W_]*".join(map(re.escape, letters)) + r"(?![^\W_])", re.IGNORECASE
        )


Edit = (
    Resave
    | SetCells
    | DropSheet
    | DropSection
    | DropColumn
    | DropRow
    | AddRow
    | ChangeStated
    | RenameSheet
    | ReplaceText
)


def altered(value: float, decimals: int, absolute: float, relative: float) -> float:
    """A figure that is visibly another one: a fifth more, and always beyond three times the tolerance."""
    step = 10.0**-decimals
    delta = max(0.2 * abs(value), 3 * absolute, 3 * relative * abs(value), step, 1.0 if value == 0 else 0.0)
    new = round(value + math.ceil(delta / step - 1e-9) * step, decimals)
    if close(new, value, absolute, relative):
        raise CannotEdit(f"no figure with {decimals} decimals lies beyond the tolerance around {value:g}")
    return new


def restated(digits: str, check: TextNumber) -> str:
    """A number as a text writes it (``1,234.5``, ``three``), altered and written in the same way."""
    bare = digits.replace(",", "").replace("\u00a0", "").replace("\u202f", "").replace("\u2009", "")
    if not bare.replace(".", "", 1).isdigit():
        if check.value is None:
            raise CannotEdit("the check expects no certain figure")
        return f"{altered(abs(check.value), 0, check.absolute, check.relative):.0f}"
    decimals = len(bare.partition(".")[2])
    new = altered(float(bare), decimals, check.absolute, check.relative)
    return f"{new:,.{decimals}f}" if len(bare) < len(digits) else f"{new:.{decimals}f}"
