"""Search over a local folder: find, check and read its files, once."""

import hashlib
import importlib.metadata
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..errors import InputError
from ..records import Document, Rejection, stable_hash, write_bytes
from .duplicates import split_duplicates
from .formats.image import ocr_version
from .library import STAGE, Library, LibraryFile
from .licence import LicenceGate
from .limits import ParseLimits
from .manifest import MANIFEST, UNKNOWN, licence_of, read_manifest, source_of
from .worker import Attempt
from .worker_pool import PASSING, WorkerLimits, shared_pool

Track = Callable[[Iterable[Any], str, int], Iterable[Any]]

# What a parse depends on besides the file: our own code, and the readers below it.
_READERS = (
    "charset-normalizer",
    "lxml",
    "openpyxl",
    "pymupdf",
    "python-calamine",
    "python-docx",
    "python-pptx",
)

# The files of this room that come after parsing. Any other file of it may change what a parse gives.
_NO_PARSERS = frozenset(
    ("assemble.py", "cases.py", "duplicates.py", "families.py", "fields.py", "index.py", "library.py", "llm_search.py",
     "licence.py", "manifest.py", "names.py", "panels.py", "relevance.py", "reread.py", "roles.py", "search.py",
     "store.py", "words.py", "worker_pool.py")
)  # fmt: skip


class LocalSearch(BaseModel):
    """The files below a folder, described by its ``manifest.jsonl`` where it has one (paper section 3.2).

    ``root``: the folder. ``file_bytes``: larger files are rejected unread. ``workers``: processes that parse.
    ``limits``: what reading one file may cost there; a file that costs more, or takes its process down, is rejected.
    Links are not followed and hidden files are not seen. With a manifest, a file without a line in it, or with
    other bytes than its line says, is rejected: nobody could say where it comes from.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    root: Annotated[
        Path, BeforeValidator(lambda value: Path(value).expanduser() if isinstance(value, str) else value)
    ]
    file_bytes: int = Field(gt=0)
    workers: int = Field(ge=1, le=64)
    limits: WorkerLimits = WorkerLimits()

    def open(
        self, cache: Path | None = None, track: Track | None = None, licences: LicenceGate | None = None
    ) -> Library:
        """Read the folder. ``cache`` keeps parsed documents by content and parser, so a second call is fast.

        ``licences`` says which files may be used at all; the others are rejected unread. Without it all may.
        InputError where the folder is missing, empty, or holds no readable file.
        """
        if not self.root.is_dir():
            what = "is no folder" if self.root.exists() else "does not exist"
            raise InputError(f"The library {self.root} {what}", "Set search.root to a folder of files")
        root = self.root.resolve()
        rejections: list[Rejection] = []
        sizes = dict(_walk(root))
        manifest = read_manifest(root)
        if not sizes:
            raise InputError(f"The library {self.root} holds no files", "Put at least 4 files into it")
        if manifest is not None:
            for path in sorted(set(manifest) - set(sizes)):
                rejections.append(
                    _reject(path, "missing_file", "the manifest names it, but there is no such file")
                )
            for path in sorted(set(sizes) - set(manifest)):
                rejections.append(
                    _reject(path, "not_in_manifest", f"{MANIFEST} says nothing of its source and licence")
                )
        hashed: list[tuple[str, str]] = []
        for path, size in sizes.items():
            if manifest is not None and path not in manifest:
                continue
            # Before copies are dropped: of two copies the one with a licence must be left.
            if licences is not None and (why := _forbidden(licences, manifest, path)):
                rejections.append(_reject(path, "licence_not_allowed", why))
                continue
            if size > self.file_bytes:
                detail = f"{size} bytes, more than search.file_bytes = {self.file_bytes}"
                rejections.append(_reject(path, "file_too_large", detail))
                continue
            try:
                sha256 = _sha256(root / path)
            except OSError as error:
                rejections.append(_reject(path, "unreadable", error.strerror or "the file can't be opened"))
                continue
            expected = (manifest or {}).get(path, {}).get("sha256")
            if expected and expected != sha256:
                rejections.append(
                    _reject(path, "hash_mismatch", f"the manifest says {expected}, the file has {sha256}")
                )
            else:
                hashed.append((path, sha256))
        kept, dropped = split_duplicates(hashed)
        rejections += [_reject(path, "exact_duplicate", f"same bytes as {first}") for path, first in dropped]

        wanted = sorted((path, sha256) for sha256, path in kept.items())
        readings = self._read(root, wanted, cache)
        files: dict[str, LibraryFile] = {}
        documents: dict[str, Document] = {}
        for (path, sha256), reading in zip(
            wanted, track(readings, "reading files", len(wanted)) if track else readings, strict=True
        ):
            if reading.document is None:
                rejections.append(_reject(path, reading.reason, reading.detail))
                continue
            entry = None if manifest is None else manifest[path]
            documents[sha256] = reading.document
            files[sha256] = LibraryFile(
                sha256=sha256,
                path=path,
                bytes=sizes[path],
                source=source_of(path, entry, reading.document.title),
                note=" ".join(str((entry or {}).get(name) or "") for name in ("note", "info")).strip(),
            )
        if not files:
            reasons = sorted({rejection.reason for rejection in rejections})
            remedy = "Put pdf, xlsx, csv, docx, pptx, html, txt, md or json files into it"
            if "licence_not_allowed" in reasons:
                remedy = f"Name their licences in {MANIFEST}, or allow more of them (licence.allow)"
            raise InputError(
                f"The library {self.root} holds no readable file ({len(rejections)} rejected: {', '.join(reasons)})",
                remedy,
            )
        return Library(
            root=root,
            files=files,
            documents=documents,
            rejections=tuple(sorted(rejections, key=lambda rejection: (rejection.id, rejection.reason))),
        )

    def _read(self, root: Path, wanted: list[tuple[str, str]], cache: Path | None) -> Iterator[Attempt]:
        """The reading of every (path, sha256), in order: from the cache, or parsed."""
        version = parser_version()
        places = (
            {} if cache is None else {path: _place(cache, version, path, sha256) for path, sha256 in wanted}
        )
        found = {path: reading for path, place in places.items() if (reading := _cached(place)) is not None}
        jobs = [(root / path, sha256) for path, sha256 in wanted if path not in found]
        parsed = shared_pool(self.workers, self.limits).read(jobs)
        for path, _ in wanted:
            if path in found:
                yield found.pop(path)
                continue
            reading = next(parsed)
            if places and reading.reason not in PASSING:
                write_bytes(places[path], reading.line().encode())
            yield reading


def parser_version() -> str:
    """Changes whenever a file might be parsed otherwise: with our parsers, the records or the readers below."""
    room = Path(__file__).resolve().parent
    records = room.parent / "records"
    ours = [
        path
        for path in sorted(room.rglob("*.py"))
        if path.name not in _NO_PARSERS and path.parent.name != "web"
    ]
    ours += [records / name for name in ("document.py", "locator.py", "numbers.py")]
    code = [path.read_text(encoding="utf-8") for path in ours]
    installed = {distribution: _version(distribution) for distribution in _READERS}
    return stable_hash(*code, installed, ocr_version(), ParseLimits())[:16]


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _walk(root: Path) -> list[tuple[str, int]]:
    """(relative path, bytes) of every regular file, sorted; no hidden names, no links, no manifest."""
    found = []
    for folder, folders, names in os.walk(root, followlinks=False):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not _hidden(name) and not (here / name).is_symlink())
        for name in names:
            path = here / name
            relative = path.relative_to(root).as_posix()
            if _hidden(name) or relative == MANIFEST or path.is_symlink() or not path.is_file():
                continue
            found.append((relative, path.stat().st_size))
    return sorted(found)


def _hidden(name: str) -> bool:
    # ~$name.xlsx is the lock that an office program leaves beside an open file.
    return name.startswith((".", "~$"))


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _reject(path: str, reason: str, detail: str) -> Rejection:
    return Rejection(id=path, stage=STAGE, reason=reason, detail=detail)


def _forbidden(licences: LicenceGate, manifest: dict[str, Mapping[str, Any]] | None, path: str) -> str | None:
    """Why a file may not be used, naming its licence; None where it may."""
    if manifest is None and licences.without_manifest == "pass":
        return None
    licence = UNKNOWN if manifest is None else licence_of(manifest[path])
    piece = licences.refusal(licence)
    if piece is None:
        return None
    said = f"its licence is {licence!r}" + (f"; not allowed is {piece!r}" if piece != licence else "")
    return f"{said}; licence.allow has no pattern for it"


def _place(cache: Path, version: str, path: str, sha256: str) -> Path:
    # The name is part of what is cached: a document without a title of its own is called after its file.
    return cache / version / f"{sha256}-{stable_hash(path.rsplit('/', 1)[-1])[:8]}.json"


def _cached(place: Path) -> Attempt | None:
    try:
        return Attempt.model_validate_json(place.read_bytes())
    except (FileNotFoundError, ValidationError):
        # A line that no longer validates was written by other records, or cut short: read the file anew.
        return None
