"""Search over a local folder: find, check and read its files, once."""

import hashlib
import importlib.metadata
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..errors import InputError
from ..records import Document, Rejection, stable_hash, write_bytes
from .catalogue import Card, Catalogue, state
from .duplicates import split_duplicates
from .embedding_ranking import EmbeddingRanking, RankedFiles
from .formats.image import ocr_version
from .lazy_documents import LazyDocuments
from .library import STAGE, Library, LibraryFile, document_words
from .licence import LicenceGate
from .limits import ParseLimits
from .manifest import MANIFEST, UNKNOWN, licence_of, read_manifest, source_of
from .near_duplicates import Sketch, Wording, is_copy, split_near_duplicates
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
    ("assemble.py", "cases.py", "catalogue.py", "duplicates.py", "embedding_ranking.py", "families.py", "fields.py",
     "index.py", "lazy_documents.py", "library.py", "licence.py", "llm_search.py", "manifest.py", "names.py",
     "near_duplicates.py", "panels.py", "relevance.py", "reread.py", "roles.py", "search.py", "store.py", "ties.py",
     "words.py", "worker_pool.py")
)  # fmt: skip
# Of these, the ones that decide what is noted of a document.
_DERIVING = ("catalogue.py", "library.py", "near_duplicates.py", "words.py")


class LocalSearch(BaseModel):
    """The files below a folder, described by its ``manifest.jsonl`` where it has one (paper section 3.2).

    ``root``: the folder. ``file_bytes``: larger files are rejected unread. ``workers``: processes that parse.
    ``limits``: what reading one file may cost there; a file that costs more, or takes its process down, is rejected.
    ``ranking``: how files are ranked for a query, by words (BM25) where it is None.
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
    ranking: EmbeddingRanking | None = None

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
        states = dict(_walk(root))
        sizes = {path: int(state.split()[0]) for path, state in states.items()}
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
        catalogue = Catalogue(cache)
        known = catalogue.hashes(root, states)
        hashes: dict[str, str] = {}
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
                sha256 = known[path] if path in known else _sha256(root / path)
            except OSError as error:
                rejections.append(_reject(path, "unreadable", error.strerror or "the file can't be opened"))
                continue
            hashes[path] = sha256
            expected = (manifest or {}).get(path, {}).get("sha256")
            if expected and expected != sha256:
                rejections.append(
                    _reject(path, "hash_mismatch", f"the manifest says {expected}, the file has {sha256}")
                )
            else:
                hashed.append((path, sha256))
        catalogue.note_hashes(root, states, hashes)
        kept, dropped = split_duplicates(hashed)
        rejections += [_reject(path, "exact_duplicate", f"same bytes as {first}") for path, first in dropped]

        shelf = _Shelf(self, root, cache, catalogue, sorted((path, sha256) for sha256, path in kept.items()))
        cards = shelf.cards(track)
        rejections += [
            _reject(path, cards[sha256].reason, cards[sha256].detail)
            for path, sha256 in shelf.wanted
            if cards[sha256].reason
        ]
        readable = {sha256: path for path, sha256 in shelf.wanted if not cards[sha256].reason}
        copies = shelf.copies(readable, cards)
        rejections += [
            _reject(readable[sha256], "near_duplicate", f"the same content as {readable[original]}")
            for sha256, original in copies.items()
        ]
        files: dict[str, LibraryFile] = {}
        for sha256, path in readable.items():
            if sha256 in copies:
                continue
            entry = None if manifest is None else manifest[path]
            files[sha256] = LibraryFile(
                sha256=sha256,
                path=path,
                bytes=sizes[path],
                family=cards[sha256].family,
                title=cards[sha256].title,
                source=source_of(path, entry, cards[sha256].title),
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
        documents = shelf.documents(list(files))
        return Library(
            root=root,
            files=files,
            documents=documents,
            rejections=tuple(sorted(rejections, key=lambda rejection: (rejection.id, rejection.reason))),
            words=shelf.words,
            ranking=None if self.ranking is None else shelf.ranking(self.ranking, files, documents),
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


class _Shelf:
    """The distinct files of an opening, with what is known of them from earlier ones."""

    def __init__(
        self,
        search: LocalSearch,
        root: Path,
        cache: Path | None,
        catalogue: Catalogue,
        wanted: list[tuple[str, str]],
    ):
        self.wanted = wanted
        self._search = search
        self._root = root
        self._cache = cache
        self._catalogue = catalogue
        self._paths = {sha256: path for path, sha256 in wanted}
        self._parser = parser_version()
        self._version = _catalogue_version(self._parser)
        self._held: dict[str, Document] = {}

    def cards(self, track: Track | None) -> dict[str, Card]:
        """The card of every file by hash: known, or made by reading the file."""
        by_name = self._catalogue.cards(self._version, (_name(path, sha256) for path, sha256 in self.wanted))
        found = {
            sha256: card
            for path, sha256 in self.wanted
            if (card := by_name.get(_name(path, sha256))) is not None and self._is_kept(path, sha256, card)
        }
        unknown = [(path, sha256) for path, sha256 in self.wanted if sha256 not in found]
        readings = self._search._read(self._root, unknown, self._cache)
        for path, sha256 in track(self.wanted, "reading files", len(self.wanted)) if track else self.wanted:
            if sha256 in found:
                continue
            card, words = self._card(path, next(readings))
            # What a busy machine was to blame for may go well the next time.
            if card.reason not in PASSING:
                self._catalogue.note_card(self._version, _name(path, sha256), card, words)
            found[sha256] = card
        self._catalogue.commit()
        return found

    def _is_kept(self, path: str, sha256: str, card: Card) -> bool:
        """Whether the document of a card is there to be read when it is asked for."""
        return bool(card.reason) or (
            self._cache is not None and _place(self._cache, self._parser, path, sha256).is_file()
        )

    def _card(self, path: str, reading: Attempt) -> tuple[Card, Mapping[str, int]]:
        document = reading.document
        if document is None:
            return Card(reason=reading.reason, detail=reading.detail), {}
        if self._cache is None:
            self._held[reading.sha256] = document
        wording = Wording.of(path, document)
        card = Card(
            title=document.title,
            family=document.family,
            grams=len(wording.grams),
            signature=wording.signature,
        )
        return card, document_words(document)

    def copies(self, paths: Mapping[str, str], cards: Mapping[str, Card]) -> dict[str, str]:
        """For every near copy the file that is kept in its place, by hash."""

        @lru_cache(maxsize=32)
        def wording(sha256: str) -> Wording:
            return Wording.of(paths[sha256], self._document(sha256))

        def same(one: str, two: str) -> bool:
            names = _name(paths[one], one), _name(paths[two], two)
            verdict = self._catalogue.verdict(self._version, *names)
            if verdict is None:
                verdict = is_copy(wording(one), wording(two))
                self._catalogue.note_verdict(self._version, *names, verdict)
            return verdict

        sketches = {
            sha256: Sketch(path, cards[sha256].grams, cards[sha256].signature)
            for sha256, path in paths.items()
        }
        _, dropped = split_near_duplicates(sketches, same)
        self._catalogue.commit()
        return dropped

    def documents(self, hashes: list[str]) -> Mapping[str, Document]:
        """The documents of these files."""
        if self._cache is None:
            return {sha256: self._held[sha256] for sha256 in hashes}
        return LazyDocuments(hashes, self._document)

    def _document(self, sha256: str) -> Document:
        if sha256 in self._held:
            return self._held[sha256]
        path = self._paths[sha256]
        document = next(self._search._read(self._root, [(path, sha256)], self._cache)).document
        if document is None or document.sha256 != sha256:
            raise InputError(f"{path} changed while the library was in use", "Run the stage again")
        return document

    def ranking(
        self, ranking: EmbeddingRanking, files: Mapping[str, LibraryFile], documents: Mapping[str, Document]
    ) -> RankedFiles:
        """The files ranked by a model, encoded where they are new to it."""
        names = {sha256: f"{self._version}-{_name(file.path, sha256)}" for sha256, file in files.items()}
        return ranking.open(
            names, {sha256: file.head() for sha256, file in files.items()}, documents, self._catalogue
        )

    def words(self, sha256: str) -> Mapping[str, int]:
        """How often each term stands in a file."""
        return self._catalogue.words(self._version, _name(self._paths[sha256], sha256))


def _catalogue_version(parser: str) -> str:
    """Changes whenever a card or a verdict might come out otherwise."""
    room = Path(__file__).resolve().parent
    code = [(room / name).read_text(encoding="utf-8") for name in _DERIVING]
    return stable_hash(parser, *code, _version("rensa"), _version("snowballstemmer"))[:16]


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


def _walk(root: Path) -> list[tuple[str, str]]:
    """(relative path, state) of every regular file, sorted; no hidden names, no links, no manifest."""
    found = []
    for folder, folders, names in os.walk(root, followlinks=False):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not _hidden(name) and not (here / name).is_symlink())
        for name in names:
            path = here / name
            relative = path.relative_to(root).as_posix()
            if _hidden(name) or relative == MANIFEST or path.is_symlink() or not path.is_file():
                continue
            found.append((relative, state(path)))
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
    return cache / version / f"{_name(path, sha256)}.json"


def _name(path: str, sha256: str) -> str:
    # The name is part of what is cached: a document without a title of its own is called after its file.
    return f"{sha256}-{stable_hash(path.rsplit('/', 1)[-1])[:8]}"


def _cached(place: Path) -> Attempt | None:
    try:
        return Attempt.model_validate_json(place.read_bytes())
    except (FileNotFoundError, ValidationError):
        # A line that no longer validates was written by other records, or cut short: read the file anew.
        return None
