"""Occupations from an official O*NET release, fetched once and kept in the user's cache folder."""

import hashlib
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphforge.errors import InputError
from graphforge.llm.weights import cache_folder
from graphforge.records import Sha256, storage_error, write_bytes

from .download import download
from .onet_join import load_folder
from .onet_tables import EARLIEST
from .tables import OccupationTables
from .unpack import unpack

_MOST = 256 * 1024**2


class OnetRelease(BaseModel):
    """A release by its number.

    O*NET data are published under CC BY 4.0 by the U.S. Department of Labor, Employment and Training
    Administration; whoever publishes seeds made from them gives that credit.

    Args:
        release: such as "30.1"; 25.1 or later.
        edition: text, excel or csv (not every release has each).
        sha256: of the zip. None: the first one that is fetched is trusted, and written down in the cache.
        address: the folder of the zips.
        seconds: deadline of the download, and of waiting for another process that downloads.
        attempts: at a connection that breaks.
        pause: seconds before the second attempt; doubles with each.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    release: str = Field(pattern=r"^\d{2}\.\d$")
    edition: Literal["text", "excel", "csv"] = "text"
    sha256: Sha256 | None = None
    address: str = Field(pattern=r"^https?://[^\s?#]+$")
    seconds: float = Field(default=900.0, gt=0)
    attempts: int = Field(default=5, ge=1)
    pause: float = Field(default=1.0, ge=0)

    @field_validator("release", mode="before")
    @classmethod
    def _unquoted(cls, value: object) -> object:
        # On a command line 31.0 is a number.
        return str(value) if isinstance(value, float) else value

    @field_validator("release")
    @classmethod
    def _joins(cls, value: str) -> str:
        major, minor = value.split(".")
        if (int(major), int(minor)) < EARLIEST:
            raise ValueError("releases before 25.1 use another taxonomy of occupations")
        return value

    @property
    def file(self) -> str:
        """The name of the zip."""
        return f"db_{self.release.replace('.', '_')}_{self.edition}.zip"

    def load(self) -> OccupationTables:
        """The tables, fetched where the cache has none (InputError names what doesn't fit)."""
        folder, sha256 = self.fetch(cache_folder())
        tables = load_folder(folder)
        held = "" if self.sha256 else " (set occupations.sha256 to hold to it)"
        return replace(tables, name=f"O*NET {self.release}, {self.file}, sha256 {sha256}{held}")

    def fetch(self, cache: Path) -> tuple[Path, str]:
        """The folder with the unpacked tables below ``cache``, and the hash of the zip.

        Of several processes at once one fetches and the others wait. Nothing half-made ever bears a final name. A hash
        is written down only once the zip has been unpacked. InputError where the release can't be had, StorageError
        where the cache can't be written.
        """
        home = cache / "onet"
        try:
            home.mkdir(parents=True, exist_ok=True)
            with FileLock(home / f"{self.file}.lock", timeout=self.seconds):
                return self._fetched(home)
        except Timeout:
            what = f"Another process has been fetching {self.file} for {self.seconds:g} s"
            raise InputError(what, f"Wait for it, or end it and delete {home}") from None
        except OSError as error:
            raise storage_error(home, error) from None

    def _fetched(self, home: Path) -> tuple[Path, str]:
        note = home / f"{self.file}.sha256"
        wanted = self.sha256 or (note.read_text(encoding="ascii").strip() if note.is_file() else None)
        kept = home / self.file
        if wanted and kept.is_file() and _sha256(kept) == wanted:
            folder = self._folder(home, wanted)
            if not folder.is_dir():
                self._unpack(kept, folder)
            return folder, wanted
        part = home / f"{self.file}.part"
        url = f"{self.address.rstrip('/')}/{self.file}"
        download(url, part, most=_MOST, seconds=self.seconds, attempts=self.attempts, pause=self.pause)
        found = _sha256(part)
        folder = self._folder(home, found)
        try:
            if wanted and found != wanted:
                raise self._other(url, found, wanted, note)
            if not folder.is_dir():
                self._unpack(part, folder)
        except InputError:
            # What is of no use must not be gone on with.
            part.unlink(missing_ok=True)
            raise
        write_bytes(note, f"{found}\n".encode())
        part.replace(kept)
        return folder, found

    def _folder(self, home: Path, sha256: str) -> Path:
        return home / f"{self.file.removesuffix('.zip')}-{sha256[:16]}"

    def _unpack(self, archive: Path, folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="unpack-", dir=folder.parent) as temporary:
            fresh = Path(temporary) / "tables"
            fresh.mkdir()
            unpack(archive, fresh, self.file)
            fresh.rename(folder)

    def _other(self, url: str, found: str, wanted: str, note: Path) -> InputError:
        told = "occupations.sha256" if self.sha256 else f"the first download, in {note}"
        mend = "set the right occupations.sha256" if self.sha256 else f"delete {note}"
        return InputError(
            f"{url} has the sha256 {found} and not {wanted} ({told})",
            f"If you trust the new file, {mend}",
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
