"""Joins the tables of an O*NET release, of any edition from 25.1 on, to :class:`OccupationTables`.

"n/a" and a blank stand for a missing value. An occupation may have no task, a task no DWA or several; software, job
zones and alternate titles may be missing as tables. Anything else that doesn't fit is refused with the file, the line
and the remedy.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from graphforge.errors import InputError

from . import onet_taxonomy
from .onet_tables import (
    CODE,
    CONTENT_MODEL,
    DWAS,
    IWAS,
    JOB_ZONES,
    LINKS,
    MEND,
    OCCUPATIONS,
    RELEASE,
    SOFTWARE,
    TASKS,
    TITLES,
    ReleaseFolder,
)
from .tables import Activity, Occupation, OccupationTables, Task, Technology


def load_folder(root: Path) -> OccupationTables:
    """The tables of a folder that holds a release (InputError where they don't fit)."""
    folder = ReleaseFolder(root)
    for kind in (OCCUPATIONS, TASKS, DWAS, LINKS):
        folder.require(kind)
    dwas, iwas = _activities(folder)
    occupations = _occupations(folder)
    tasks: dict[str, Task] = {}
    for where, (code, task, text, kind_of_task) in folder.rows(TASKS):
        _fresh(task, tasks, "Task ID", where)
        _known(code, occupations, "occupation", where, "Occupation Data")
        tasks[task] = Task(task, code, _filled(text, "Task", where), _value(kind_of_task))
    links: dict[tuple[str, str], None] = {}
    for where, (code, task, dwa) in folder.rows(LINKS):
        _known(task, tasks, "task", where, "Task Statements")
        _known(dwa, dwas, "DWA", where, DWAS.names[0])
        if tasks[task].occupation != code:
            raise InputError(
                f"{where}: task {task} belongs to occupation {tasks[task].occupation}, not to {code}", MEND
            )
        if (task, dwa) in links:
            raise InputError(f"{where}: task {task} is mapped to DWA {dwa} twice", MEND)
        links[task, dwa] = None
    return OccupationTables(
        occupations=occupations,
        tasks=tasks,
        dwas=dwas,
        iwas=iwas,
        links=tuple(links),
        alternate_titles=_titles(folder, occupations),
        lists_software=folder.find(SOFTWARE) is not None,
        name=f"O*NET {folder.release}".strip(),
        origin=root,
    )


def _activities(folder: ReleaseFolder) -> tuple[dict[str, Activity], dict[str, str]]:
    """The DWAs, and the IWAs above them by the table that names them in this release."""
    iwas: dict[str, str] = {}
    home = IWAS.names[0]
    if folder.find(IWAS) is not None:
        for where, (iwa, title) in folder.rows(IWAS):
            _fresh(iwa, iwas, "IWA ID", where)
            iwas[iwa] = _filled(title, "IWA Title", where)
    else:
        rows = [(iwa, title) for _, (iwa, _dwa, _name, title) in folder.rows(DWAS)]
        if all(title for _, title in rows):
            iwas = dict(rows)
        elif folder.find(CONTENT_MODEL) is not None:
            home = CONTENT_MODEL.names[0]
            named = _content_model(folder)
            iwas = {iwa: named[iwa] for iwa, _ in rows if iwa in named}
        else:
            raise InputError(
                f"The O*NET folder {folder.root} has no table 'IWA Reference' (or 'Content Model Reference')",
                RELEASE,
            )
    dwas: dict[str, Activity] = {}
    for where, (iwa, dwa, title, _) in folder.rows(DWAS):
        _fresh(dwa, dwas, "DWA ID", where)
        _known(iwa, iwas, "IWA", where, home)
        dwas[dwa] = Activity(dwa, _filled(title, "DWA Title", where), iwa)
    return dwas, iwas


def _content_model(folder: ReleaseFolder) -> dict[str, str]:
    return {element: name for _, (element, name) in folder.rows(CONTENT_MODEL)}


def _occupations(folder: ReleaseFolder) -> dict[str, Occupation]:
    heads: dict[str, tuple[str, str]] = {}
    for where, (code, title, description) in folder.rows(OCCUPATIONS):
        if (wrong := onet_taxonomy.fault(code)) is not None:
            raise InputError(f"{where}: {wrong[0]}", wrong[1])
        _fresh(code, heads, CODE[0], where)
        heads[code] = (_filled(title, "Title", where), _value(description) or "")
    technologies: dict[str, list[Technology]] = {code: [] for code in heads}
    for where, code, technology in _technologies(folder):
        _known(code, heads, "occupation", where, "Occupation Data")
        technologies[code].append(technology)
    zones: dict[str, int] = {}
    if folder.find(JOB_ZONES) is not None:
        for where, (code, zone) in folder.rows(JOB_ZONES):
            _known(code, heads, "occupation", where, "Occupation Data")
            if zone not in {"1", "2", "3", "4", "5"}:
                raise InputError(f"{where}: '{zone}' is no job zone from 1 to 5", MEND)
            zones[code] = int(zone)
    return {
        code: Occupation(code, title, description, zones.get(code), tuple(technologies[code]))
        for code, (title, description) in heads.items()
    }


def _technologies(folder: ReleaseFolder) -> Iterator[tuple[str, str, Technology]]:
    """The software rows. Where only an element's id says the commodity, the content model names it."""
    if folder.find(SOFTWARE) is None:
        return
    named: dict[str, str] | None = None
    for where, (code, example, commodity, name) in folder.rows(SOFTWARE):
        if commodity and not name:
            if named is None:
                named = _content_model(folder)
            _known(commodity, named, "element", where, CONTENT_MODEL.names[0])
            name = named[commodity]
        yield where, code, Technology(_filled(example, "Example", where), _value(name) or "")


def _titles(folder: ReleaseFolder, occupations: Mapping[str, Occupation]) -> dict[str, tuple[str, ...]]:
    """Other names of the occupations that have some, each once, in the order of the file."""
    if folder.find(TITLES) is None:
        return {}
    found: dict[str, dict[str, None]] = {}
    for where, (code, title) in folder.rows(TITLES):
        _known(code, occupations, "occupation", where, "Occupation Data")
        if _value(title):
            found.setdefault(code, {})[title] = None
    return {code: tuple(titles) for code, titles in found.items()}


def _value(text: str) -> str | None:
    return None if text in {"", "n/a"} else text


def _filled(text: str, column: str, where: str) -> str:
    value = _value(text)
    if value is None:
        raise InputError(f"{where}: the column '{column}' is empty", MEND)
    return value


def _fresh(key: str, seen: Mapping[str, object], column: str, where: str) -> None:
    _filled(key, column, where)
    if key in seen:
        raise InputError(f"{where}: the {column} {key} occurs twice", MEND)


def _known(key: str, table: Mapping[str, object], noun: str, where: str, home: str) -> None:
    if key not in table:
        raise InputError(f"{where} names the {noun} '{key}', which '{home}' does not have", MEND)
