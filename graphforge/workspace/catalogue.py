"""What is known of a library's files from earlier openings, kept in one small database beside the parsed documents.

A second opening of a folder looks at every file's entry in the directory and opens none that stayed as it was. What was
derived from a parsed document (its title, words and signature) is kept by content, so it outlives a move or a new name.
It only saves time: without it an opening gives the same library, later.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy

from ..errors import StorageError
from ..records import Family
from .near_duplicates import Signature

_NAME = "catalogue-1.sqlite"
_TABLES = """
create table if not exists entries
  (root text, path text, state text, sha256 text, primary key (root, path)) without rowid;
create table if not exists cards (version text, name text, card blob, words blob, primary key (version, name));
create table if not exists verdicts
  (version text, one text, two text, copy int, primary key (version, one, two)) without rowid;
create table if not exists vectors (model text, name text, vector blob, primary key (model, name)) without rowid;
"""
# A file that was changed twice within a tick of the file system's clock looks unchanged: what is this fresh is not
# believed the next time.
_FRESH_NS = 2_000_000_000
_WAIT_SECONDS = 60.0
# Values that one statement takes.
_MANY = 500


@dataclass(frozen=True)
class Card:
    """What an opening needs to know of a file that was read: or why it could not be (``reason``, ``detail``).

    ``grams``: how many distinct 5-grams it has, which ``signature`` stands for.
    """

    reason: str = ""
    detail: str = ""
    title: str = ""
    family: Family = "txt"
    grams: int = 0
    signature: Signature = field(default_factory=lambda: numpy.zeros(0, numpy.uint32), compare=False)

    def packed(self) -> bytes:
        """As bytes for the database."""
        head = json.dumps([self.reason, self.detail, self.title, self.family, self.grams]).encode()
        return len(head).to_bytes(4, "little") + head + self.signature.astype("<u4").tobytes()

    @classmethod
    def unpacked(cls, raw: bytes) -> "Card":
        """From those bytes."""
        size = int.from_bytes(raw[:4], "little")
        signature = numpy.frombuffer(raw[4 + size :], "<u4").astype(numpy.uint32)
        reason, detail, title, family, grams = json.loads(raw[4 : 4 + size])
        return cls(reason, detail, title, family, grams, signature)


def state(path: Path) -> str:
    """What the directory says of a file: it changes whenever the content does, and seldom otherwise."""
    found = path.stat()
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {found.st_dev}"


def is_fresh(state_of: str, now_ns: int) -> bool:
    """Whether a file with this state may yet change without a sign."""
    return any(int(part) > now_ns - _FRESH_NS for part in state_of.split()[1:3])


class Catalogue:
    """The database in a folder, or one in memory that forgets. StorageError where it can't be read or written."""

    def __init__(self, folder: Path | None):
        self.place = Path(":memory:") if folder is None else folder / _NAME
        with self._said():
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.place, timeout=_WAIT_SECONDS)
            # Readers and a writer at once; a power cut may cost the last opening's notes and nothing else.
            self._base.execute("pragma journal_mode = wal")
            self._base.execute("pragma synchronous = normal")
            self._base.executescript(_TABLES)

    def commit(self) -> None:
        """Write what was noted to the disk."""
        with self._said():
            self._base.commit()

    def hashes(self, root: Path, states: Mapping[str, str]) -> dict[str, str]:
        """The hash of every path whose file has the state that it had when it was hashed."""
        with self._said():
            rows = self._base.execute("select path, state, sha256 from entries where root = ?", (str(root),))
            return {path: sha256 for path, was, sha256 in rows if states.get(path) == was}

    def note_hashes(self, root: Path, states: Mapping[str, str], hashes: Mapping[str, str]) -> None:
        """Remember the hashes of the files that are there, and forget those that are not."""
        now = time.time_ns()
        with self._said():
            known = dict(self._base.execute("select path, state from entries where root = ?", (str(root),)))
            gone = [path for path in known if path not in hashes]
            new = [path for path in hashes if known.get(path) != states[path]]
            settled = [path for path in new if not is_fresh(states[path], now)]
            gone += [path for path in new if path in known]
            self._base.executemany(
                "delete from entries where root = ? and path = ?", [(str(root), path) for path in gone]
            )
            self._base.executemany(
                "insert into entries values (?, ?, ?, ?)",
                [(str(root), path, states[path], hashes[path]) for path in settled],
            )
            self._base.commit()

    def cards(self, version: str, names: Iterable[str]) -> dict[str, Card]:
        """The cards that are known, by name."""
        found: dict[str, Card] = {}
        with self._said():
            for some in _batches(names):
                marks = ", ".join("?" * len(some))
                rows = self._base.execute(
                    f"select name, card from cards where version = ? and name in ({marks})", (version, *some)
                )
                found.update((name, Card.unpacked(card)) for name, card in rows)
        return found

    def note_card(self, version: str, name: str, card: Card, words: Mapping[str, int]) -> None:
        """Remember a card, and how often each term stands in the file."""
        packed = zlib.compress(json.dumps(words).encode(), 1)
        with self._said():
            self._base.execute(
                "insert or replace into cards values (?, ?, ?, ?)", (version, name, card.packed(), packed)
            )

    def words(self, version: str, name: str) -> dict[str, int]:
        """How often each term stands in a file that has a card."""
        with self._said():
            row = self._base.execute(
                "select words from cards where version = ? and name = ?", (version, name)
            ).fetchone()
            found: dict[str, int] = json.loads(zlib.decompress(row[0]))
        return found

    def verdict(self, version: str, one: str, two: str) -> bool | None:
        """Whether two files were found to be copies; None where nobody looked."""
        with self._said():
            row = self._base.execute(
                "select copy from verdicts where version = ? and one = ? and two = ?", (version, one, two)
            ).fetchone()
        return None if row is None else bool(row[0])

    def note_verdict(self, version: str, one: str, two: str, copy: bool) -> None:
        """Remember a verdict."""
        with self._said():
            self._base.execute(
                "insert or replace into verdicts values (?, ?, ?, ?)", (version, one, two, int(copy))
            )

    def vectors(self, model: str, names: Iterable[str]) -> dict[str, bytes]:
        """The vectors of a model that are known, by name."""
        found: dict[str, bytes] = {}
        with self._said():
            for some in _batches(names):
                marks = ", ".join("?" * len(some))
                found.update(
                    self._base.execute(
                        f"select name, vector from vectors where model = ? and name in ({marks})",
                        (model, *some),
                    )
                )
        return found

    def note_vectors(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Remember vectors."""
        with self._said():
            self._base.executemany(
                "insert or replace into vectors values (?, ?, ?)",
                [(model, name, vector) for name, vector in vectors.items()],
            )
            self._base.commit()

    @contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, zlib.error, ValueError, TypeError, OSError) as error:
            raise StorageError(
                f"What is known of the library can't be kept in {self.place} ({error})",
                f"Check the disk, or delete {os.fspath(self.place)}: it is made anew",
            ) from None


def _batches(names: Iterable[str]) -> Iterator[list[str]]:
    wanted = list(names)
    for start in range(0, len(wanted), _MANY):
        yield wanted[start : start + _MANY]
