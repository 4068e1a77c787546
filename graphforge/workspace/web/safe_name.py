"""The name under which a fetched file is kept: what the server says, made harmless."""

import re
import unicodedata
from collections.abc import Mapping
from pathlib import PurePosixPath
from urllib.parse import unquote

_LONGEST = 100
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "pdf": (".pdf",),
    "docx": (".docx", ".docm"),
    "pptx": (".pptx", ".pptm"),
    "xlsx": (".xlsx", ".xlsm", ".xlsb"),
    "xls": (".xls",),
    "csv": (".csv", ".tsv", ".tab"),
    "html": (".html", ".htm", ".xhtml"),
    "json": (".json", ".geojson"),
    "md": (".md", ".markdown"),
    "txt": (".txt", ".text"),
    "image": (".png", ".jpg", ".jpeg"),
}
# Names that mean a device on some systems, whatever comes after the dot.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


def offered_name(disposition: str, path: str) -> str:
    """The name in a Content-Disposition header, or else the last piece of the address's path; not yet harmless."""
    extended = re.search(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;]+)", disposition, re.IGNORECASE)
    if extended:
        try:
            return unquote(extended[2].strip(), encoding=extended[1], errors="replace")
        except LookupError:
            pass
    plain = re.search(r'filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))', disposition, re.IGNORECASE)
    if plain:
        return re.sub(r"\\(.)", r"\1", plain[1]) if plain[1] is not None else plain[2]
    return unquote(path.rsplit("/", 1)[-1])


def safe_name(offered: str, family: str) -> str:
    """A name without folders, control or direction characters, not hidden, with an ending that fits the content."""
    name = unicodedata.normalize("NFC", offered).replace("\\", "/").rsplit("/", 1)[-1]
    name = "".join(one if one.isprintable() else " " for one in name)
    name = re.sub(r'[<>:"|?*]', "_", " ".join(name.split())).strip(" .~$")
    if _DEVICES.match(name):
        name = f"_{name}"
    fitting = _ENDINGS.get(family, (f".{family}",))
    ending = PurePosixPath(name).suffix
    if ending.casefold() not in fitting:
        ending = ""
    stem = (name[: -len(ending)] if ending else name) or "file"
    ending = ending or fitting[0]
    while len(stem.encode()) > _LONGEST:
        stem = stem[:-1]
    return f"{stem.rstrip(' .')}{ending}"
