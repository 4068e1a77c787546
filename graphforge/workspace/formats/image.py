"""Pictures: known to be sound; their words by OCR where the program tesseract is installed."""

import csv
import functools
import io
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from graphforge.records import Block, PageLocator

from ..raw import Reading
from ..unreadable import UnreadableFile
from .archive import of_machine
from .text import clean

Box = tuple[float, float, float, float]
_PIXELS = 40_000_000
_SECONDS = 60
# Below it, tesseract mostly reads words into lines and shades.
_CONFIDENCE = 50.0


@dataclass(frozen=True)
class Seen:
    """A word that OCR saw: its paragraph (block and paragraph), the box around it in pixels, the text."""

    paragraph: tuple[int, int]
    box: Box
    text: str


@functools.cache
def ocr_version() -> str:
    """The version of the OCR program, empty where there is none: what a picture's words depend on."""
    program = shutil.which("tesseract")
    if program is None:
        return ""
    done = subprocess.run(
        [program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    return (done.stdout or done.stderr).partition("\n")[0]


def words_of(path: Path) -> list[Seen] | None:
    """The words in a picture in reading order; None where no OCR can be done. Raises UnreadableFile (corrupt)."""
    program = shutil.which("tesseract")
    if program is None:
        return None
    try:
        # From its bytes: by name, the program takes a text file for a list of pictures to open.
        done = subprocess.run(
            [program, "stdin", "stdout", "tsv"],
            input=path.read_bytes(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    rows = csv.DictReader(
        io.StringIO(done.stdout.decode("utf-8", "replace")), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    found = []
    for row in rows:
        text = clean(row.get("text") or "")
        if row["level"] != "5" or not text or float(row["conf"]) < _CONFIDENCE:
            continue
        x, y, width, height = (float(row[name]) for name in ("left", "top", "width", "height"))
        found.append(Seen((int(row["block_num"]), int(row["par_num"])), (x, y, x + width, y + height), text))
    return found


def text_in(words: list[Seen], box: Box) -> str:
    """The words whose middle lies in a box, in reading order."""

    def inside(seen: Seen) -> bool:
        x, y = (seen.box[0] + seen.box[2]) / 2, (seen.box[1] + seen.box[3]) / 2
        return box[0] <= x <= box[2] and box[1] <= y <= box[3]

    return " ".join(seen.text for seen in words if inside(seen))


def read(path: Path) -> Reading:
    """One page: a block for each paragraph that OCR sees. A warning says the size, and where no OCR was done."""
    try:
        with Image.open(path) as image:
            width, height = image.size
            image.verify()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        if (failure := of_machine(error)) is not None:
            raise failure from None
        raise UnreadableFile("corrupt", f"the picture can't be opened: {error}") from error
    size = f"a picture of {width} x {height} pixels"
    reading = Reading(pages=1)
    words = words_of(path) if width * height <= _PIXELS else None
    if words is None:
        why = "tesseract is not installed" if not ocr_version() else "tesseract could not read it"
        why = why if width * height <= _PIXELS else "it is too large"
        reading.warnings.append(f"{size}, without text: no OCR was done ({why})")
        return reading
    reading.warnings.append(f"{size}; its {len(words)} words were read by OCR")
    for paragraph in dict.fromkeys(seen.paragraph for seen in words):
        boxes = [seen.box for seen in words if seen.paragraph == paragraph]
        box = (
            min(box[0] for box in boxes), min(box[1] for box in boxes),
            max(box[2] for box in boxes), max(box[3] for box in boxes),
        )  # fmt: skip
        # As the box reads: boxes of paragraphs may lie over one another.
        locator = PageLocator(page=0, box=box)
        reading.items.append(Block(kind="paragraph", text=text_in(words, box), locator=locator))
    return reading
