"""Pictures: known to be sound, without text."""

from pathlib import Path

from PIL import Image, UnidentifiedImageError

from ..raw import Reading
from ..unreadable import UnreadableFile


def read(path: Path) -> Reading:
    """One page without text. The pixels are never unpacked."""
    try:
        with Image.open(path) as image:
            width, height = image.size
            image.verify()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UnreadableFile("corrupt", f"the picture can't be opened: {error}") from error
    return Reading(pages=1, warnings=[f"a picture of {width} x {height} pixels, without text"])
