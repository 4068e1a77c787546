"""The tables out of a release's zip: bounded, and nothing outside the folder that they are put into."""

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from graphforge.errors import InputError
from graphforge.records import storage_error

from .onet_tables import is_read

_CHUNK = 1024 * 1024
# A text edition unpacks to about 100 MB, in some fifty files.
MOST_BYTES = 1024**3
MOST_MEMBERS = 1000


def unpack(archive: Path, folder: Path, name: str, most: int = MOST_BYTES) -> None:
    """Put the tables that the loader reads flat into ``folder``, which exists and is empty.

    ``name`` is what faults call the archive. InputError where it is cut short or damaged, holds no such table, names a
    place outside itself, or unpacks to more than ``most`` bytes.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            if len(members) > MOST_MEMBERS:
                raise _unfit(name, f"it has {len(members):,} members, more than {MOST_MEMBERS:,}")
            for member in members:
                _check(member, name)
            wanted = [one for one in members if not one.is_dir() and is_read(_base(one))]
            if not wanted:
                raise _unfit(name, "there is no table of an O*NET release in it")
            if len({_base(one).lower() for one in wanted}) < len(wanted):
                raise _unfit(name, "it holds a table twice")
            left = most
            for member in wanted:
                left -= _extract(opened, member, folder / _base(member), left, name, most)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise _unfit(name, f"it is cut short or damaged ({error})") from None


def _check(member: zipfile.ZipInfo, name: str) -> None:
    """Refuse the archive for a member that no honest one has, even if it wouldn't be read."""
    path = member.filename
    outside = path.startswith("/") or "\\" in path or ":" in path or ".." in PurePosixPath(path).parts
    if outside:
        raise _unfit(name, f"its member '{path}' points outside of it")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise _unfit(name, f"its member '{path}' is a link")
    if member.flag_bits & 0x1:
        raise _unfit(name, f"its member '{path}' is encrypted")


def _extract(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int, name: str, most: int
) -> int:
    """Copy one member; how many bytes it had. What it declares is not believed."""
    size = 0
    try:
        with archive.open(member) as source, target.open("xb") as copy:
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                if size > left:
                    raise _unfit(name, f"it unpacks to more than {most:,} bytes")
                copy.write(chunk)
    except OSError as error:
        raise storage_error(target, error) from None
    return size


def _base(member: zipfile.ZipInfo) -> str:
    return PurePosixPath(member.filename).name


def _unfit(name: str, why: str) -> InputError:
    return InputError(f"{name} is no O*NET release: {why}", "See what the address really serves")
