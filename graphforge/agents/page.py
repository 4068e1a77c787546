"""A page of a file as an image, for a model that sees.

    view = show_page(room, "outputs/memo.pdf", 1)
    view.output, view.image          # what was shown in words, and the PNG; no image where there is none

It is rendered in the sandbox (:mod:`graphforge.agents.toolbox.rendering`): no file that a model wrote, or that came
from elsewhere, is opened by our own process. What comes out is taken as a deliverable is, and checked before it is
shown.
"""

import base64
import hashlib
import io
import os
import shlex
import struct
import zlib
from functools import cache
from pathlib import Path

from PIL import Image

from .harvest import read_plain
from .sandbox import CommandResult, SandboxRoom

# Longest side in pixels, and size in bytes: what the large providers take without making it smaller themselves.
LONGEST = 1568
_BYTES = 3_000_000
_NAME = "shown-page.png"


class PageView(CommandResult):
    """``image`` is a PNG, or empty where nothing could be shown."""

    image: bytes = b""

    @property
    def sha256(self) -> str:
        """The name under which the image is kept."""
        return hashlib.sha256(self.image).hexdigest()

    @property
    def url(self) -> str:
        """The image as a prompt holds it."""
        return f"data:image/png;base64,{base64.b64encode(self.image).decode()}"


def show_page(room: SandboxRoom, path: str, page: int) -> PageView:
    """Render a page, counted from 1. What can't be shown is said in words with exit code 1."""
    words = [shlex.quote(word) for word in (f"./{path}", str(page))]
    command = f'python3 -P - {" ".join(words)} "$TMPDIR/{_NAME}" {LONGEST} {_BYTES}'
    result = room.run(f"{command} <<'END_OF_PROGRAM'\n{_program()}\nEND_OF_PROGRAM")
    if result.exit_code != 0:
        # Only what ends a call without making it has another code; Python has one for its own mistakes too.
        code = 1 if result.exit_code == 2 else result.exit_code
        return PageView(**result.model_dump() | {"exit_code": code})
    pages = result.output.strip()
    picture = _taken(room.tmp)
    size = _size(picture) if picture else None
    if size is None or not pages.isdecimal():
        return PageView(exit_code=1, output=f"{path} gave no image that can be shown")
    view = PageView(exit_code=0, output="", image=picture)
    told = f"{path}, page {page} of {pages}, shown as an image of {size[0]} x {size[1]} pixels (sha256 {view.sha256})"
    return view.model_copy(update={"output": told})


def _taken(folder: Path) -> bytes:
    """The picture, where a plain file of bounded size lies there; no link is followed."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return b""
    try:
        content = read_plain(_NAME, opened, _BYTES)
    finally:
        os.close(opened)
    return content if isinstance(content, bytes) else b""


def _size(picture: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG that can be decoded and is not too large; None for anything else."""
    try:
        with Image.open(io.BytesIO(picture), formats=["PNG"]) as image:
            # Before anything is decoded: the header says how large it will be.
            if max(image.size) > LONGEST:
                return None
            image.load()
            return image.size
    except (
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        zlib.error,
        struct.error,
        Image.DecompressionBombError,
    ):
        return None


@cache
def _program() -> str:
    return (Path(__file__).with_name("toolbox") / "rendering.py").read_text(encoding="utf-8")
