"""Run in the sandbox: ``python3 - FILE PAGE PICTURE LONGEST BYTES``. Renders a page and prints how many there are.

What can't be rendered is said in words, and nothing is written then.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pymupdf
from PIL import Image, ImageOps

OFFICE = {".xlsx", ".docx", ".pptx"}
PICTURES = {
    **{".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".gif": "GIF", ".bmp": "BMP"},
    **{".tif": "TIFF", ".tiff": "TIFF", ".webp": "WEBP"},
}
# What an image may have, which decides how much memory it takes.
PIXELS = 60_000_000
# A small page is not made larger than this many times.
ZOOM = 4.0
OFFICE_SECONDS = 120


def show(file: str, number: int, picture: str, longest: int, most: int) -> str:
    """Render a page (counted from 1) to ``picture`` and say how many there are; SystemExit with words otherwise."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(picture)
    here, path = Path.cwd().resolve(), Path(file)
    if not path.is_file() or not path.resolve().is_relative_to(here):
        raise SystemExit(f"there is no file {file} in the working folder")
    kind = path.suffix.casefold()
    if kind in PICTURES:
        image, pages = of_picture(path, number, PICTURES[kind], longest)
    elif kind == ".pdf":
        image, pages = of_pdf(path, number, longest)
    elif kind in OFFICE:
        image, pages = of_office(path, number, longest)
    else:
        raise SystemExit(
            f"{file} has no pages that can be shown as an image; read it with view_file or a script"
        )
    write(image, picture, most)
    return f"{pages}"


def of_pdf(path: Path, number: int, longest: int) -> tuple[Image.Image, int]:
    """A page of a PDF file, and how many it has."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    content = path.read_bytes()
    if b"%PDF-" not in content[:1024]:
        raise SystemExit(f"{path.name} is no PDF file, whatever its name says")
    try:
        document = pymupdf.open(stream=content, filetype="pdf")
        if document.needs_pass:
            raise SystemExit(f"{path.name} needs a password")
        pages = len(document)
        check(path, number, pages)
        page = document[number - 1]
        scale = min(ZOOM, longest / max(page.rect.width, page.rect.height, 1.0))
        drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False, colorspace=pymupdf.csRGB)
        image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
    except (RuntimeError, ValueError) as error:
        raise SystemExit(f"{path.name} can't be rendered: {error}") from None
    image.thumbnail((longest, longest))
    return image, pages


def of_picture(path: Path, number: int, kind: str, longest: int) -> tuple[Image.Image, int]:
    """An image, or one of several in a file, and how many there are."""
    Image.MAX_IMAGE_PIXELS = PIXELS
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    try:
        with Image.open(path, formats=[kind]) as opened:
            pages = getattr(opened, "n_frames", 1)
            check(path, number, pages)
            opened.seek(number - 1)
            if opened.width * opened.height > PIXELS:
                raise SystemExit(f"{path.name} has more than {PIXELS:,} pixels")
            opened.draft("RGB", (longest, longest))
            upright = ImageOps.exif_transpose(opened)
            clear = upright.convert("RGBA")
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise SystemExit(f"{path.name} has more than {PIXELS:,} pixels") from None
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError) as error:
        raise SystemExit(f"{path.name} can't be rendered: {str(error) or type(error).__name__}") from None
    clear.thumbnail((longest, longest))
    image = Image.new("RGB", clear.size, "white")
    image.paste(clear, mask=clear.getchannel("A"))
    return image, pages


def of_office(path: Path, number: int, longest: int) -> tuple[Image.Image, int]:
    """A page of an office file as LibreOffice prints it, and how many that are."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--norestore"]
        command += ["--convert-to", "pdf", "--outdir", f"{folder}/made", str(path.resolve())]
        try:
            subprocess.run(command, capture_output=True, timeout=OFFICE_SECONDS, check=False)
        except FileNotFoundError:
            raise SystemExit(
                f"{path.suffix} files can't be shown as an image here; read them with a script"
            ) from None
        except subprocess.TimeoutExpired:
            raise SystemExit(f"{path.name} took longer than {OFFICE_SECONDS} s to render") from None
        made = Path(folder, "made", f"{path.stem}.pdf")
        if not made.is_file():
            raise SystemExit(f"{path.name} can't be rendered: the LibreOffice here can't open it")
        return of_pdf(made, number, longest)


def check(path: Path, number: int, pages: int) -> None:
    """SystemExit where there is no such page."""
    if not 1 <= number <= pages:
        raise SystemExit(f"there is no page {number} in {path.name}; it has {pages}")


def write(image: Image.Image, picture: str, most: int) -> None:
    """The image as PNG, made smaller until it has no more bytes than allowed."""
    # Anew and never through a link that lies there.
    with open(os.open(picture, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
        while True:
            file.seek(0)
            file.truncate()
            image.save(file, "PNG")
            if file.tell() <= most:
                return
            image = image.resize((max(1, image.width * 3 // 4), max(1, image.height * 3 // 4)))


if __name__ == "__main__":
    print(show(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))
