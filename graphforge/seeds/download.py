"""A file over HTTP: goes on where it broke off, bounded in size and time, redirected but never from https to http.

    download("https://…/db_30_1_text.zip", part, most=2**28, seconds=900, attempts=5, pause=1.0)

``part`` outlives a failed call, with what the server called that version beside it, so that the next call goes on. A
part whose version the server doesn't name is begun anew, because its halves might not belong together.
"""

import http.client
import os
import re
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from graphforge.errors import InputError
from graphforge.records import storage_error

_CHUNK = 64 * 1024
# Seconds without a byte before an attempt is given up.
_SILENCE = 30.0
# Answers that another attempt may better: too early, too many, and the server's own faults.
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})


class _Broken(Exception):
    """An attempt that failed and may be repeated."""


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects as the library does, but never from https to something that anyone can change on the way."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme != "https":
            raise _refused(req.full_url, f"it sends us on to {newurl}, which is not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(url: str, part: Path, *, most: int, seconds: float, attempts: int, pause: float) -> None:
    """Fetch ``url`` into ``part``.

    ``most`` bytes, ``seconds`` in all, ``attempts`` at broken connections, ``pause`` seconds before the second one and
    twice as many before each further one. InputError where the file can't be had, StorageError where it can't be kept.
    """
    end = time.monotonic() + seconds
    why = ""
    for attempt in range(attempts):
        if attempt:
            time.sleep(max(0.0, min(pause * 2 ** (attempt - 1), end - time.monotonic())))
        if time.monotonic() >= end:
            break
        try:
            _attempt(url, part, most, end)
            _version(part).unlink(missing_ok=True)
            return
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 416:
                # The part is of no use to this server: begin anew.
                part.unlink(missing_ok=True)
            elif error.code not in _TRANSIENT:
                raise _refused(url, f"the server answers {error.code} {error.reason}") from None
            why = f"the server answers {error.code} {error.reason}"
        except _Broken as error:
            why = str(error)
    why = why or "nothing came"
    raise _refused(url, f"{why} (after {attempts} attempts or {seconds:g} s; another run goes on from there)")


def _attempt(url: str, part: Path, most: int, end: float) -> None:
    """Get what is missing. _Broken where the connection breaks, HTTPError for an answer that is no file."""
    version = _version(part)
    headers = {"User-Agent": "graphforge", "Accept-Encoding": "identity"}
    start = 0
    if part.is_file() and version.is_file() and part.stat().st_size:
        start = part.stat().st_size
        headers |= {"Range": f"bytes={start}-", "If-Range": version.read_text(encoding="utf-8")}
    opener = urllib.request.build_opener(_SafeRedirects)
    try:
        reply = opener.open(urllib.request.Request(url, headers=headers), timeout=_SILENCE)
    except urllib.error.HTTPError:
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _Broken(f"{getattr(error, 'reason', None) or error}") from None
    with reply:
        if reply.status != 206:
            start = 0
        elif not re.match(rf"bytes {start}-", reply.headers.get("Content-Range", "")):
            part.unlink(missing_ok=True)
            raise _Broken("the server sent another range than was asked for")
        length = reply.headers.get("Content-Length")
        total = start + int(length) if length and length.isdigit() else None
        if total is not None and total > most:
            raise _refused(url, f"the file has {total:,} bytes, more than the {most:,} allowed")
        try:
            _note(version, reply.headers)
            got = _copy(reply, part, start, most, end, url)
        except OSError as error:
            raise storage_error(part, error) from None
    if total is not None and got < total:
        raise _Broken(f"the connection was cut at {got:,} of {total:,} bytes")


def _version(part: Path) -> Path:
    return part.with_name(f"{part.name}.version")


def _note(version: Path, headers: Any) -> None:
    """Write down what the server calls this version of the file, where it says so by something that can be held to."""
    tag = headers.get("ETag", "")
    told = tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")
    if told:
        version.write_text(told, encoding="utf-8")
    else:
        version.unlink(missing_ok=True)


def _copy(reply: Any, part: Path, start: int, most: int, end: float, url: str) -> int:
    """Append what comes to the first ``start`` bytes of the part; how many there are then."""
    got = start
    with part.open("r+b" if start else "wb") as file:
        file.seek(start)
        while True:
            try:
                chunk = reply.read(_CHUNK)
            except (OSError, http.client.HTTPException) as error:
                raise _Broken(f"the connection broke at {got:,} bytes ({error})") from None
            if not chunk:
                break
            got += len(chunk)
            if got > most:
                part.unlink()
                raise _refused(url, f"the file has more than the {most:,} bytes allowed")
            file.write(chunk)
            if time.monotonic() > end:
                raise _Broken(f"time ran out at {got:,} bytes")
        file.flush()
        os.fsync(file.fileno())
    return got


def _refused(url: str, why: str) -> InputError:
    return InputError(
        f"{url} can't be fetched: {why}",
        "See that the address works, or unpack the release yourself: occupations=onet occupations.root=<folder>",
    )
