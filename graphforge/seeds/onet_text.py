"""Reads occupational tables in the form of the O*NET text release.

The release is tab separated with CRLF line ends; quotes are part of the text, never quoting; "n/a" stands for
a missing value. An occupation may have no task, a task no DWA or several. Anything else that doesn't fit is
refused with the file, the line and the remedy.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from graphforge.errors import InputError

from .tables import SECTORS, Activity, Occupation, OccupationTables, Task, Technology

_CODE = "O*NET-SOC Code"
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "Occupation Data.txt": (_CODE, "Title", "Description"),
    "Task Statements.txt": (_CODE, "Task ID", "Task", "Task Type"),
    "DWA Reference.txt": ("IWA ID", "DWA ID", "DWA Title"),
    "IWA Reference.txt": ("IWA ID", "IWA Title"),
    "Tasks to DWAs.txt": (_CODE, "Task ID", "DWA ID"),
    "Technology Skills.txt": (_CODE, "Example", "Commodity Title"),
}
_OPTIONAL: Mapping[str, tuple[str, ...]] = {"Job Zones.txt": (_CODE, "Job Zone")}
_SHAPE = re.compile(r"\d\d-\d{4}\.\d\d")
_RELEASE = (
    "Use the text edition of the O*NET database, release 30.1 (later releases name tables and columns anew)"
)
_MEND = "Mend the row, or unpack the release afresh"


def load_folder(folder: Path) -> OccupationTables:
    """The tables of a folder that holds the release's files (InputError where they don't fit)."""
    if not folder.is_dir():
        raise InputError(
            f"The O*NET folder {folder} does not exist", "Set occupations.root to the unpacked text release"
        )
    for name in _REQUIRED:
        if not (folder / name).is_file():
            raise InputError(f"The O*NET folder {folder} has no table '{name}'", _RELEASE)
    iwas: dict[str, str] = {}
    for where, (iwa, title) in _rows(folder, "IWA Reference.txt"):
        _fresh(iwa, iwas, "IWA ID", where)
        iwas[iwa] = _filled(title, "IWA Title", where)
    dwas: dict[str, Activity] = {}
    for where, (iwa, dwa, title) in _rows(folder, "DWA Reference.txt"):
        _fresh(dwa, dwas, "DWA ID", where)
        _known(iwa, iwas, "IWA", where, "IWA Reference.txt")
        dwas[dwa] = Activity(dwa, _filled(title, "DWA Title", where), iwa)
    occupations = _occupations(folder)
    tasks: dict[str, Task] = {}
    for where, (code, task, text, kind) in _rows(folder, "Task Statements.txt"):
        _fresh(task, tasks, "Task ID", where)
        _known(code, occupations, "occupation", where, "Occupation Data.txt")
        tasks[task] = Task(task, code, _filled(text, "Task", where), _value(kind))
    links: dict[tuple[str, str], None] = {}
    for where, (code, task, dwa) in _rows(folder, "Tasks to DWAs.txt"):
        _known(task, tasks, "task", where, "Task Statements.txt")
        _known(dwa, dwas, "DWA", where, "DWA Reference.txt")
        if tasks[task].occupation != code:
            raise InputError(
                f"{where}: task {task} belongs to occupation {tasks[task].occupation}, not to {code}", _MEND
            )
        if (task, dwa) in links:
            raise InputError(f"{where}: task {task} is mapped to DWA {dwa} twice", _MEND)
        links[task, dwa] = None
    return OccupationTables(occupations=occupations, tasks=tasks, dwas=dwas, iwas=iwas, links=tuple(links))


def _occupations(folder: Path) -> dict[str, Occupation]:
    heads: dict[str, tuple[str, str]] = {}
    for where, (code, title, description) in _rows(folder, "Occupation Data.txt"):
        if not _SHAPE.fullmatch(code) or code[:2] not in SECTORS:
            raise InputError(f"{where}: '{code}' is no O*NET-SOC code (such as 13-2011.00)", _MEND)
        _fresh(code, heads, _CODE, where)
        heads[code] = (_filled(title, "Title", where), _value(description) or "")
    technologies: dict[str, list[Technology]] = {code: [] for code in heads}
    for where, (code, example, commodity) in _rows(folder, "Technology Skills.txt"):
        _known(code, heads, "occupation", where, "Occupation Data.txt")
        technologies[code].append(Technology(_filled(example, "Example", where), _value(commodity) or ""))
    zones: dict[str, int] = {}
    if (folder / "Job Zones.txt").is_file():
        for where, (code, zone) in _rows(folder, "Job Zones.txt"):
            _known(code, heads, "occupation", where, "Occupation Data.txt")
            if zone not in {"1", "2", "3", "4", "5"}:
                raise InputError(f"{where}: '{zone}' is no job zone from 1 to 5", _MEND)
            zones[code] = int(zone)
    return {
        code: Occupation(code, title, description, zones.get(code), tuple(technologies[code]))
        for code, (title, description) in heads.items()
    }


def _rows(folder: Path, name: str) -> Iterator[tuple[str, list[str]]]:
    """Each data row of a table as (where it stands, the values of the needed columns in our order)."""
    needed = _REQUIRED.get(name) or _OPTIONAL[name]
    path = folder / name
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)
            header = next(reader, [])
            for column in needed:
                if column not in header:
                    raise InputError(f"The table {path} has no column '{column}'", _RELEASE)
            places = [header.index(column) for column in needed]
            rows = 0
            for row in reader:
                if not row:
                    continue
                where = f"{path} line {reader.line_num}"
                if len(row) != len(header):
                    raise InputError(
                        f"{where} has {len(row)} fields where the header has {len(header)}", _MEND
                    )
                rows += 1
                yield where, [row[place].strip() for place in places]
    except UnicodeDecodeError:
        raise InputError(f"The table {path} is no UTF-8 text", _RELEASE) from None
    except csv.Error as error:
        raise InputError(
            f"The table {path} can't be read as tab separated text ({error})", _RELEASE
        ) from None
    except OSError as error:
        raise InputError(
            f"The table {path} can't be read ({error.strerror})", "Check the file's permissions"
        ) from None
    if not rows and name in _REQUIRED:
        raise InputError(f"The table {path} has a header but no rows", _RELEASE)


def _value(text: str) -> str | None:
    return None if text in {"", "n/a"} else text


def _filled(text: str, column: str, where: str) -> str:
    value = _value(text)
    if value is None:
        raise InputError(f"{where}: the column '{column}' is empty", _MEND)
    return value


def _fresh(key: str, seen: Mapping[str, object], column: str, where: str) -> None:
    _filled(key, column, where)
    if key in seen:
        raise InputError(f"{where}: the {column} {key} occurs twice", _MEND)


def _known(key: str, table: Mapping[str, object], noun: str, where: str, home: str) -> None:
    if key not in table:
        raise InputError(f"{where} names the {noun} '{key}', which '{home}' does not have", _MEND)
