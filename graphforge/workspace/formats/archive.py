"""Zip members and their XML, within bounds: nothing unpacks further than the limits, no entity is resolved."""

import errno
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from lxml import etree

from ..limits import ParseLimits
from ..unreadable import UnreadableFile

# What Python's zip reader raises on a broken archive; OSErrors are told apart by `of_machine`.
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError)
_FLOOR = 16 * 2**20
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)


def of_machine(error: BaseException) -> OSError | None:
    """The error of the disk or the system that is, or lies behind, an error; it says nothing of the file.

    Readers also raise OSErrors of their own, without a number, and seek to places that a broken file names (EINVAL).
    The zip reader calls a file without an end no zip file, also where the disk kept the end from it.
    """
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, OSError) and link.errno not in (None, 0, errno.EINVAL):
            return link
        link = link.__cause__ or link.__context__
    return None


@contextmanager
def corrupt_if_broken(what: str, *also: type[Exception]) -> Iterator[None]:
    """UnreadableFile for what a broken archive, or ``also``, raises; an error of the machine stays what it is."""
    caught: tuple[type[Exception], ...] = (*BROKEN, *also, OSError)
    try:
        yield
    except caught as error:
        if (failure := of_machine(error)) is not None:
            raise failure from None
        raise UnreadableFile("corrupt", f"{what}: {error}") from error


def open_archive(path: Path, limits: ParseLimits) -> zipfile.ZipFile:
    """The zip file, checked by its directory. Raises UnreadableFile where it is broken, protected or a bomb."""
    with corrupt_if_broken("a zip container that can't be opened"):
        archive = zipfile.ZipFile(path)
    members = archive.infolist()
    if len(members) > limits.members:
        raise UnreadableFile("zip_bomb", f"{len(members)} members")
    total = 0
    for member in members:
        total += member.file_size
        ratio = member.file_size / max(member.compress_size, 1)
        if member.file_size > limits.member or (member.file_size > _FLOOR and ratio > limits.ratio):
            raise UnreadableFile(
                "zip_bomb", f"{member.filename} unpacks to {member.file_size} bytes, {ratio:.0f} to 1"
            )
        if member.flag_bits & 1:
            raise UnreadableFile("password_protected", f"the zip member {member.filename} is encrypted")
    if total > limits.unpacked:
        raise UnreadableFile("zip_bomb", f"unpacks to {total} bytes")
    return archive


def read_member(archive: zipfile.ZipFile, name: str, limits: ParseLimits) -> bytes:
    """The bytes of a member. A member that holds more than the directory says is a bomb.

    Raises KeyError where there is no such member, UnreadableFile where it is broken.
    """
    member = archive.getinfo(name)
    with corrupt_if_broken(f"the zip member {name} can't be unpacked"):
        with archive.open(member) as file:
            data = file.read(limits.member + 1)
        if member.compress_type == zipfile.ZIP_DEFLATED:
            _check_end(archive, member, len(data))
    if len(data) > limits.member:
        raise UnreadableFile("zip_bomb", f"{name} unpacks to more than {limits.member} bytes")
    return data


def _check_end(archive: zipfile.ZipFile, member: zipfile.ZipInfo, length: int) -> None:
    """Python stops at the stated size; other readers go on to the end of the stream, so it has to end there."""
    if member.compress_size * 1100 < length or member.compress_size > length + 65_536:
        raise UnreadableFile(
            "corrupt", f"the sizes of the zip member {member.filename} contradict each other"
        )
    if archive.filename is None:
        return
    with open(archive.filename, "rb") as file:
        file.seek(member.header_offset)
        local = file.read(30)
        if len(local) < 30:
            raise UnreadableFile("corrupt", f"the zip member {member.filename} lies outside the file")
        file.seek(
            member.header_offset
            + 30
            + int.from_bytes(local[26:28], "little")
            + int.from_bytes(local[28:30], "little")
        )
        unpack = zlib.decompressobj(-15)
        seen, left = 0, member.compress_size
        while left > 0 and not unpack.eof:
            chunk = file.read(min(left, 65_536))
            if not chunk:
                break
            left -= len(chunk)
            while chunk:
                seen += len(unpack.decompress(chunk, 2**20))
                chunk = unpack.unconsumed_tail
                if seen > length:
                    raise UnreadableFile("zip_bomb", f"{member.filename} unpacks to more than it says")


def declares_entities(data: bytes) -> bool:
    """Whether an XML part declares entities of its own, in UTF-8 or UTF-16."""
    head = data[:1_000_000]
    return bool(_ENTITY.search(head)) or bool(_ENTITY.search(head.replace(b"\0", b"")))


_PROPERTIES = {
    "title": "title", "subject": "subject", "creator": "author", "keywords": "keywords", "description": "description",
    "lastModifiedBy": "modified_by", "created": "created", "modified": "modified", "category": "category",
    "initial-creator": "author", "creation-date": "created", "date": "modified", "keyword": "keywords",
    "Company": "company", "Application": "application", "generator": "application", "language": "language",
    "rights": "rights", "publisher": "publisher",
}  # fmt: skip


def package_metadata(archive: zipfile.ZipFile, limits: ParseLimits) -> dict[str, str]:
    """What an Office or OpenDocument package says of itself; a damaged part says nothing."""
    found: dict[str, str] = {}
    for part in ("docProps/core.xml", "docProps/app.xml", "meta.xml"):
        if part not in archive.namelist():
            continue
        try:
            root = xml_root(read_member(archive, part, limits), part)
        except UnreadableFile:
            continue
        for element in root.iter():
            tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
            # Nothing that an entity would stand for: an unresolved one is a child.
            text = " ".join((element.text or "").split())[:500] if not len(element) else ""
            if text and (name := _PROPERTIES.get(tag)):
                found.setdefault(name, text)
    return dict(sorted(found.items()))


def xml_root(data: bytes, name: str) -> etree._Element:
    """The root of an XML part. Entities stay unresolved and no other file or address is opened."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        reason: Literal["xml_entities", "corrupt"] = "xml_entities" if declares_entities(data) else "corrupt"
        raise UnreadableFile(reason, f"{name} is no well-formed XML: {error}") from error
