"""Deterministic checks of what was handed over, before anyone judges it (paper section 3.5).

Each looks at the parsed deliverables by name; None is a file that is missing or can't be read.
"""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from ..records import CellLocator, Document, FormulaColumn, TaskSpec, Trajectory, normalize
from .reason import Reason

Deliverables = Mapping[str, Document | None]

# A table of one column is delimited text without a delimiter, so its content says plain text.
_CONTENT = {"xlsx": {"xlsx"}, "csv": {"csv", "txt"}, "docx": {"docx"}, "pdf": {"pdf"}}


class _Check(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PromisedFiles(_Check):
    """Every deliverable was handed over under its exact name (capital letters count)."""

    def reason(self, spec: TaskSpec, trajectory: Trajectory, deliverables: Deliverables) -> Reason | None:
        """``missing_deliverable`` where the trajectory holds no artifact of the name."""
        handed = {artifact.name for artifact in trajectory.artifacts}
        missing = [one.file for one in spec.deliverables if one.file not in handed]
        if not missing:
            return None
        return Reason(word="missing_deliverable", detail=f"not handed over: {', '.join(missing)}")


class ReadableFormats(_Check):
    """Every deliverable opens, by its content is what its family says, and holds a text or a filled cell."""

    def reason(self, spec: TaskSpec, trajectory: Trajectory, deliverables: Deliverables) -> Reason | None:
        """``unreadable_deliverable``, ``wrong_format`` or ``empty_deliverable``."""
        for one in spec.deliverables:
            document = deliverables.get(one.file)
            if document is None:
                return Reason(word="unreadable_deliverable", detail=f"{one.file} can't be read")
            if document.family not in _CONTENT[one.family]:
                detail = f"{one.file} should be {one.family} but its content is {document.family}"
                return Reason(word="wrong_format", detail=detail)
            texts = any(block.text.strip() for block in document.blocks)
            cells = any(
                cell not in (None, "") for table in document.tables for row in table.grid for cell in row
            )
            if not texts and not cells:
                return Reason(word="empty_deliverable", detail=f"{one.file} opens but holds nothing")
        return None


class RequiredSheets(_Check):
    """Every workbook has the sheets that were asked for; a sheet without any content doesn't count.

    Names are compared without regard to case, accents, punctuation and spaces.
    """

    def reason(self, spec: TaskSpec, trajectory: Trajectory, deliverables: Deliverables) -> Reason | None:
        """``missing_sheet``."""
        for one in spec.deliverables:
            document = deliverables.get(one.file)
            present = set() if document is None else {normalize(name) for name in sheets_of(document)}
            missing = [name for name in one.sheets if normalize(name) not in present]
            if missing:
                return Reason(
                    word="missing_sheet", detail=f"{one.file} has no sheet {', '.join(map(repr, missing))}"
                )
        return None


class RequiredFormulas(_Check):
    """Every sheet in which the criteria ask for live formulas holds at least one.

    How many of the cells are formulas, and whether they are right, is for the judge to say.
    """

    def reason(self, spec: TaskSpec, trajectory: Trajectory, deliverables: Deliverables) -> Reason | None:
        """``missing_formula``."""
        checks = [check for criterion in spec.criteria for check in criterion.checks]
        wanted = {(check.file, check.sheet): None for check in checks if isinstance(check, FormulaColumn)}
        for file, sheet in wanted:
            document = deliverables.get(file)
            tables = [] if document is None else document.tables
            live = any(
                table.formulas
                for table in tables
                if isinstance(table.origin, CellLocator)
                and (not sheet or normalize(table.origin.sheet) == normalize(sheet))
            )
            if not live:
                place = f"sheet {sheet!r} of {file}" if sheet else file
                return Reason(word="missing_formula", detail=f"{place} holds no formula")
        return None


def sheets_of(document: Document) -> list[str]:
    """The sheets of a workbook that hold a table or a text, in order."""
    origins = [table.origin for table in document.tables] + [block.locator for block in document.blocks]
    names = [origin.sheet for origin in origins if isinstance(origin, CellLocator) and origin.sheet]
    return list(dict.fromkeys(names))
