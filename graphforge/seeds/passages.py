"""Everything that the tables and the user's own folder say, as passages, and which of them speak of which pair."""

from collections.abc import Sequence
from pathlib import Path

from graphforge.errors import InputError
from graphforge.records import Passage

from .pair import Pair, task_passage
from .tables import Occupation, OccupationTables

SUFFIXES = (".txt", ".md")
_REMEDY = "Set retrieval.passages to a folder with .txt or .md files in UTF-8, a passage a paragraph"


class PassagePool:
    """All passages, numbered, an occupation's own side by side.

    The release's: an occupation's task statements, description, software (a passage a commodity, with all its
    examples), job zone and other titles; the detailed and intermediate activities. The user's: the paragraphs of a
    folder.
    """

    def __init__(self, tables: OccupationTables, own: Sequence[Passage] = ()):
        self.tables = tables
        self.passages: list[Passage] = []
        self._of_occupation: dict[str, range] = {}
        self._reached: dict[str, list[int]] = {}
        for code, occupation in tables.occupations.items():
            start = len(self.passages)
            self.passages += [task_passage(tables.tasks[task]) for task in tables.tasks_of[code]]
            self.passages += _about(occupation, tables.alternate_titles.get(code, ()))
            self._of_occupation[code] = range(start, len(self.passages))
        self._dwas = {dwa: len(self.passages) + number for number, dwa in enumerate(tables.dwas)}
        self.passages += [
            Passage(source=f"DWA Reference:{one.id}", text=one.title) for one in tables.dwas.values()
        ]
        self._iwas = {iwa: len(self.passages) + number for number, iwa in enumerate(tables.iwas)}
        self.passages += [
            Passage(source=f"IWA Reference:{iwa}", text=title) for iwa, title in tables.iwas.items()
        ]
        self._own = range(len(self.passages), len(self.passages) + len(own))
        self.passages += own

    def places(self, pair: Pair) -> list[int]:
        """Where the passages stand that may be evidence of a pair, in order.

        These are all of its occupation, also of its other tasks; the activities of these; and all of the user's.
        What is said of other occupations is no evidence for this one.
        """
        code = pair.occupation
        if code not in self._reached:
            dwas = {dwa for task in self.tables.tasks_of[code] for dwa in self.tables.dwas_of[task]}
            iwas = {self.tables.dwas[dwa].iwa_id for dwa in dwas}
            self._reached[code] = sorted(
                [*(self._dwas[one] for one in dwas), *(self._iwas[one] for one in iwas)]
            )
        return [*self._of_occupation[code], *self._reached[code], *self._own]


def _about(occupation: Occupation, titles: Sequence[str]) -> list[Passage]:
    """What the release says of an occupation besides its tasks."""
    code = occupation.code
    found: list[Passage] = []
    if occupation.description.strip():
        found.append(Passage(source=f"Occupation Data:{code}", text=occupation.description))
    examples: dict[str, list[str]] = {}
    for technology in occupation.technologies:
        examples.setdefault(technology.commodity, []).append(technology.example)
    for commodity, names in sorted(examples.items()):
        text = f"{commodity}: {', '.join(dict.fromkeys(names))}"
        found.append(Passage(source=f"Technology Skills:{code}", text=text))
    if occupation.job_zone is not None:
        text = f"The work is in job zone {occupation.job_zone} of 5 by the preparation that it takes."
        found.append(Passage(source=f"Job Zones:{code}", text=text))
    if titles:
        found.append(Passage(source=f"Alternate Titles:{code}", text=f"Also called: {', '.join(titles)}"))
    return found


def read_passages(folder: Path) -> list[Passage]:
    """The paragraphs of the .txt and .md files below a folder, in the order of their paths; headings are left out.

    A passage's source is the file's path in the folder and the number of the paragraph. Hidden files and links are not
    read. InputError where the folder, or a file's text, can't be had, or nothing is in it.
    """
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise InputError(f"The folder of passages {folder} {what}", _REMEDY)
    found: list[Passage] = []
    for path in sorted(folder.rglob("*"), key=lambda one: one.relative_to(folder).as_posix()):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if hidden or path.is_symlink() or not path.is_file() or path.suffix.lower() not in SUFFIXES:
            continue
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise InputError(f"The passages {path} are no UTF-8 text", _REMEDY) from None
        except OSError as error:
            raise InputError(f"The passages {path} can't be read ({error.strerror})", _REMEDY) from None
        for number, text in enumerate(_paragraphs(lines), start=1):
            found.append(Passage(source=f"{name.as_posix()}:{number}", text=text))
    if not found:
        raise InputError(f"The folder of passages {folder} holds no paragraph in a .txt or .md file", _REMEDY)
    return found


def _paragraphs(lines: Sequence[str]) -> list[str]:
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        text = " ".join(line.split())
        if not text or text.startswith("#"):
            paragraphs.append([])
        else:
            paragraphs[-1].append(text)
    return [" ".join(one) for one in paragraphs if one]
