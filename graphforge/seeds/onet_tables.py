"""One table of an O*NET release, read alike from the text, spreadsheet and csv editions, under its old or new name.

    folder = ReleaseFolder(root)
    for where, (code, title, description) in folder.rows(OCCUPATIONS): ...

The text edition is tab separated, and quotes are part of the text, never quoting; the csv edition quotes; the
spreadsheet edition has numbers where the others have digits, and blanks where the text says "n/a". Release 30.3 renamed
tables and columns; a table is found by any of its names, a column by any of its own.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import python_calamine

from graphforge.errors import InputError

RELEASE = "Unpack a whole O*NET release there, 25.1 or later, in its text, excel or csv edition"
MEND = "Mend the row, or unpack the release afresh"
EARLIEST = (25, 1)

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableKind:
    """What releases call a table and its columns, oldest name first.

    ``columns`` must be there, ``extra`` need not (their values are then empty). ``fits_empty``: may have no rows.
    """

    names: Names
    columns: tuple[Names, ...]
    extra: tuple[Names, ...] = ()
    fits_empty: bool = False


CODE: Names = ("O*NET-SOC Code",)
OCCUPATIONS = TableKind(("Occupation Data",), (CODE, ("Title",), ("Description",)))
TASKS = TableKind(("Task Statements",), (CODE, ("Task ID",), ("Task",), ("Task Type",)))
DWAS = TableKind(
    ("DWA Reference", "GWAs to IWAs to DWAs"),
    (("IWA ID", "IWA Element ID"), ("DWA ID", "DWA Element ID"), ("DWA Title", "DWA Element Name")),
    extra=(("IWA Title", "IWA Element Name"),),
)
LINKS = TableKind(("Tasks to DWAs",), (CODE, ("Task ID",), ("DWA ID", "DWA Element ID")))
# Until 30.2; later the IWAs stand in the content model.
IWAS = TableKind(("IWA Reference",), (("IWA ID", "IWA Element ID"), ("IWA Title", "IWA Element Name")))
CONTENT_MODEL = TableKind(("Content Model Reference",), (("Element ID",), ("Element Name",)))
SOFTWARE = TableKind(
    ("Technology Skills", "Software Skills"),
    (CODE, ("Example", "Workplace Example"), ("Commodity Title", "Element Name", "Element ID")),
    extra=(("Commodity Title", "Element Name"),),
    fits_empty=True,
)
JOB_ZONES = TableKind(("Job Zones",), (CODE, ("Job Zone",)), fits_empty=True)
TITLES = TableKind(
    ("Alternate Titles", "Job Titles"), (CODE, ("Alternate Title", "Job Title")), fits_empty=True
)
KINDS = (OCCUPATIONS, TASKS, DWAS, LINKS, IWAS, CONTENT_MODEL, SOFTWARE, JOB_ZONES, TITLES)

_EDITIONS = {".txt": "text", ".xlsx": "spreadsheet", ".csv": "csv"}
_README = "read_me"
_READ_KEYS = frozenset({_README, *(re.sub(r"[^a-z0-9]+", "_", n.lower()) for k in KINDS for n in k.names)})


def is_read(name: str) -> bool:
    """Whether a file of this name is one that the loader reads."""
    path = Path(name)
    return path.suffix.lower() in _EDITIONS and _key(path.stem) in _READ_KEYS


class ReleaseFolder:
    """A folder with the tables of one release (InputError where there is none, or where it is too old)."""

    def __init__(self, root: Path):
        if not root.is_dir():
            raise InputError(
                f"The O*NET folder {root} does not exist", "Set occupations.root to an unpacked release"
            )
        self.root = root
        self._files: dict[str, list[Path]] = {}
        for path in sorted(root.iterdir()):
            if path.suffix.lower() in _EDITIONS and path.is_file():
                self._files.setdefault(_key(path.stem), []).append(path)
        self.release = self._release()

    def find(self, kind: TableKind) -> Path | None:
        """The file of a table, None where the folder has none. InputError where it has two."""
        found = [path for name in kind.names for path in self._files.get(_key(name), ())]
        if len(found) > 1:
            raise InputError(
                f"The O*NET folder {self.root} has both '{found[0].name}' and '{found[1].name}'",
                "Keep one release in one edition there",
            )
        return found[0] if found else None

    def require(self, kind: TableKind) -> Path:
        """The file of a table that can't be done without."""
        path = self.find(kind)
        if path is None:
            raise InputError(f"The O*NET folder {self.root} has no table {_either(kind.names)}", RELEASE)
        return path

    def rows(self, kind: TableKind) -> Iterator[tuple[str, list[str]]]:
        """Each data row as (where it stands, the values of ``columns`` and then of ``extra``), stripped."""
        path = self.require(kind)
        cells = _sheet(path) if path.suffix.lower() == ".xlsx" else _text(path)
        _, header = next(cells, ("", []))
        for names in kind.columns:
            if not any(name in header for name in names):
                raise InputError(f"The table {path} has no column {_either(names)}", RELEASE)
        places = [_place(header, names) for names in (*kind.columns, *kind.extra)]
        rows = 0
        for where, row in cells:
            if len(row) != len(header):
                raise InputError(f"{where} has {len(row)} fields where the header has {len(header)}", MEND)
            rows += 1
            yield where, ["" if place is None else row[place].strip() for place in places]
        if not rows and not kind.fits_empty:
            raise InputError(f"The table {path} has a header but no rows", RELEASE)

    def _release(self) -> str:
        """The release that the folder's own "Read Me" names, or nothing."""
        for path in self._files.get(_README, ()):
            with path.open(encoding="utf-8", errors="replace") as handle:
                said = re.search(r"O\*NET\D{0,3}(\d+)\.(\d+)", handle.read(2000))
            if said is None:
                continue
            release = (int(said[1]), int(said[2]))
            if release < EARLIEST:
                raise InputError(
                    f"{path} says that this is O*NET {said[1]}.{said[2]}, of another taxonomy of occupations",
                    "Use release 25.1 or later: the codes of earlier ones can't be joined with what we read",
                )
            return f"{said[1]}.{said[2]}"
        return ""


def _key(name: str) -> str:
    """One key for "Tasks to DWAs" and "tasks_to_dwas"."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _either(names: Sequence[str]) -> str:
    later = "".join(f" (or '{name}')" for name in names[1:])
    return f"'{names[0]}'{later}"


def _place(header: Sequence[str], names: Names) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _text(path: Path) -> Iterator[tuple[str, list[str]]]:
    how: Mapping[str, Any] = (
        {} if path.suffix.lower() == ".csv" else {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    )
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(handle, strict=True, **how)
            for row in reader:
                if row:
                    yield f"{path} line {reader.line_num}", row
    except UnicodeDecodeError:
        raise InputError(f"The table {path} is no UTF-8 text", RELEASE) from None
    except csv.Error as error:
        raise InputError(f"The table {path} can't be read ({error})", RELEASE) from None
    except OSError as error:
        raise InputError(
            f"The table {path} can't be read ({error.strerror})", "Check the file's permissions"
        ) from None


def _sheet(path: Path) -> Iterator[tuple[str, list[str]]]:
    try:
        rows = python_calamine.CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise InputError(f"The table {path} can't be read as a workbook ({error})", RELEASE) from None
    for number, row in enumerate(rows, start=1):
        texts = [_cell(value) for value in row]
        if any(texts):
            yield f"{path} row {number}", texts


def _cell(value: object) -> str:
    """A cell as the text edition would write it: 8823.0 is "8823"."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)
