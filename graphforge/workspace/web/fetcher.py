"""Fetch files into a store by content: politely, within bounds, and never from an address that is not public.

    async with Fetcher(settings, folder) as fetcher:
        fetched = await fetcher.fetch("https://…/table.xlsx")        # a record, of the file or of why there is none

Every hop of a redirect is an address of its own: checked, resolved, pinned and held to its site's robots.txt like the
first one. No cookies, no credentials, no proxy. A connection serves one request, because two names behind one network
address must not share one that was opened for either. What was fetched, or refused for good, is recorded and not asked
for again; a download that broke off goes on from there, in the next attempt as in the next run.
"""

import asyncio
import hashlib
import os
import re
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import ValidationError

from ...errors import InputError
from ...records import Record, Sha256, storage_error, write_bytes
from .address import Address, recorded, resolve
from .fetching import Fetching
from .look import LOOKER, Looker
from .provenance import host_of, one_line
from .refusal import Refusal
from .robots import MOST, Robots, parse_robots
from .safe_name import offered_name, safe_name

if TYPE_CHECKING:
    import httpx

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_ABSENT = frozenset({404, 410})
_FORBIDDEN = frozenset({401, 402, 403, 407, 451})
# A host of which so many addresses failed in a row is left alone for the rest of the run.
_HOPELESS = 3
# Network addresses of one host that are tried in turn.
_TRIED = 2
_ACCEPT = "*/*"


class Fetched(Record):
    """What came of an address. ``reason`` is empty for a file, which then lies in the store under ``sha256``.

    Addresses are recorded without secrets. ``passing``: another run asks again. ``version``: of the settings that a
    refusal rests on. ``at``: when this content was first fetched; ``date``: when it was published, as found.
    ``reserved``: by what its publisher forbids to train on it.
    """

    url: str
    final_url: str = ""
    reason: str = ""
    detail: str = ""
    passing: bool = False
    version: str = ""
    at: str = ""
    sha256: Sha256 | None = None
    bytes: int = 0
    family: str = ""
    media_type: str = ""
    name: str = ""
    title: str | None = None
    publisher: str | None = None
    date: str | None = None
    licence: str | None = None
    reserved: str | None = None
    etag: str = ""
    modified: str = ""


class _Part(Record):
    """What a partial download was a part of: the server's own name of that version (a strong ETag, or a date)."""

    validator: str


class _Transport(Protocol):
    async def handle_async_request(self, request: "httpx.Request") -> "httpx.Response": ...

    async def aclose(self) -> None: ...


class _Host:
    """One host: one request at a time, with pauses between them."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.free_at = 0.0
        # What failed in a way that may pass, since something last came: a bad file alone makes no bad host.
        self.failed: set[str] = set()
        # It asked for more time than we have.
        self.wants_rest = False


class Store:
    """Files by content and records by address below ``folder``: ``files/<sha256>``, ``fetched/<key>.json``."""

    def __init__(self, folder: Path):
        self._folder = folder

    def known(self, key: str) -> Fetched | None:
        """The record of an address; None where there is none, or where its file is gone."""
        try:
            found = Fetched.model_validate_json(self._record(key).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        return None if found.sha256 and not self.file(found.sha256).is_file() else found

    def keep(self, key: str, fetched: Fetched) -> None:
        """Write a record down."""
        write_bytes(self._record(key), fetched.line().encode())

    def file(self, sha256: str) -> Path:
        """Where a file lies."""
        return self._folder / "files" / sha256

    def part(self, key: str) -> Path:
        """Where an unfinished download lies."""
        return self._folder / "parts" / key

    def _record(self, key: str) -> Path:
        return self._folder / "fetched" / f"{key}.json"


def key_of(url: str) -> str:
    """What an address is filed under; it gives nothing of the address away."""
    return hashlib.sha256(url.encode()).hexdigest()


class Fetcher:
    """Fetches within ``settings`` into ``folder``. ``refresh``: ask again, also for what is recorded."""

    def __init__(
        self,
        settings: Fetching,
        folder: Path,
        *,
        refresh: bool = False,
        offline: bool = False,
        tls: ssl.SSLContext | None = None,
        looker: Looker = LOOKER,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ):
        self.settings = settings
        self.store = Store(folder)
        self._refresh = refresh
        self._offline = offline
        self._tls = tls
        self._looker = looker
        self._sleep = sleep
        self._hosts: dict[str, _Host] = {}
        self._robots: dict[tuple[str, str, int], asyncio.Task[Robots]] = {}
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._transport: _Transport | None = None

    async def __aenter__(self) -> "Fetcher":
        if not self._offline:
            httpx = need_httpx()
            self._transport = httpx.AsyncHTTPTransport(
                verify=self._tls or httpx.create_ssl_context(),
                trust_env=False,
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._robots.values():
            task.cancel()
        await asyncio.gather(*self._robots.values(), return_exceptions=True)
        if self._transport is not None:
            await self._transport.aclose()

    async def fetch(self, url: str, key: str | None = None) -> Fetched:
        """The record of ``url``: as it was written down, or fetched now. ``key``: where only that is left of it."""
        try:
            address = Address(url)
            key = key or key_of(address.url)
            known = self.store.known(key)
            if address.below(self.settings.deny_hosts):
                return _refused(url, Refusal("denied_host", f"{address.host} is in fetch.deny_hosts"))
            if known is not None and self._stands(known):
                return known
            if self._offline:
                return _refused(
                    url, Refusal("not_recorded", "it was never fetched, and search.offline is set")
                )
            # What was received and not looked into yet would be lost with a run that dies.
            await asyncio.to_thread(self._looker.start)
            fetched = await self._persist(address, key, known)
            if known is not None and known.sha256 == fetched.sha256:
                fetched = fetched.model_copy(update={"at": known.at})
        except Refusal as refusal:
            key = key or key_of(url)
            known = self.store.known(key)
            if refusal.passing and known is not None and known.sha256:
                # A refresh that fails takes nothing away.
                return known
            fetched = _refused(url, refusal).model_copy(update={"version": self.settings.version()})
        self.store.keep(key, fetched)
        return fetched

    def _stands(self, known: Fetched) -> bool:
        if self._offline:
            return True
        if self._refresh or known.passing:
            return False
        return (
            bool(known.sha256 and known.bytes <= self.settings.bytes)
            or known.version == self.settings.version()
        )

    async def _persist(self, address: Address, key: str, known: Fetched | None) -> Fetched:
        """Attempts until there is a file. Refusal for good, or when attempts and patience are used up."""
        part = self.store.part(key)
        for attempt in range(self.settings.attempts):
            try:
                return await self._attempt(address, part, known)
            except Refusal as refusal:
                if not refusal.passing:
                    _discard(part)
                    raise
                wait = refusal.wait if refusal.wait is not None else self.settings.backoff * 2**attempt
                if attempt + 1 == self.settings.attempts or wait > self.settings.patience:
                    raise
                await self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(self, address: Address, part: Path, known: Fetched | None) -> Fetched:
        first = address
        for _ in range(self.settings.redirects + 1):
            await self._permit(address)
            headers = _resumed(part)
            if known is not None and known.sha256 and not headers:
                headers = _unless_changed(known)
            async with self._turn(address, part.name), self._answer(address, headers) as response:
                target = response.headers.get("location", "")
                if response.status_code in _REDIRECTS and target:
                    # What was begun belongs to another address.
                    address = address.follow(target)
                    continue
                if response.status_code == 304 and known is not None and known.sha256:
                    return known
                await self._receive(response, part)
                answered = {name.casefold(): value for name, value in response.headers.items()}
            return await self._finish(first, address, answered, part)
        raise Refusal(
            "too_many_redirects", f"more than {self.settings.redirects} redirects from {recorded(first.url)}"
        )

    async def _permit(self, address: Address) -> None:
        """Refusal where we must not ask: hosts left out by the user, and what robots.txt keeps for itself."""
        if address.below(self.settings.deny_hosts):
            raise Refusal("denied_host", f"{address.host} is in fetch.deny_hosts")
        robots = await self._rules(address)
        if not robots.allows(address.path + (f"?{address.query}" if address.query else "")):
            raise Refusal(
                "robots_disallow", f"robots.txt of {address.authority} keeps {address.path} from us"
            )
        if robots.delay > self.settings.patience:
            detail = f"robots.txt of {address.authority} asks for {robots.delay:g} s between requests"
            raise Refusal("crawl_delay", f"{detail}, more than fetch.patience = {self.settings.patience:g}")

    async def _rules(self, address: Address) -> Robots:
        if address.site not in self._robots:
            self._robots[address.site] = asyncio.create_task(self._read_robots(address))
        return await asyncio.shield(self._robots[address.site])

    async def _read_robots(self, address: Address) -> Robots:
        """RFC 9309: without a robots.txt everything may be fetched; where it can't be reached, nothing."""
        last: Refusal | None = None
        for attempt in range(self.settings.attempts):
            try:
                return await self._ask_robots(address.at("/robots.txt"))
            except Refusal as refusal:
                last = refusal
                if refusal.reason in {"private_address", "no_such_host", "host_gave_up", "denied_host"}:
                    raise
                wait = refusal.wait if refusal.wait is not None else self.settings.backoff * 2**attempt
                if (
                    not refusal.passing
                    or attempt + 1 == self.settings.attempts
                    or wait > self.settings.patience
                ):
                    break
                await self._sleep(wait)
        assert last is not None, "at least one attempt"
        raise Refusal("robots_unreachable", f"{address.authority}: {last.detail}", passing=True) from None

    async def _ask_robots(self, address: Address) -> Robots:
        for _ in range(self.settings.redirects + 1):
            async with self._turn(address, address.path, delay=0.0), self._answer(address, {}) as response:
                if response.status_code in _REDIRECTS and (target := response.headers.get("location", "")):
                    address = address.follow(target)
                    if address.below(self.settings.deny_hosts):
                        return Robots()
                    continue
                if response.status_code == 200:
                    text = await self._text(response)
                    return parse_robots(text, self.settings.user_agent)
                if 400 <= response.status_code < 500 and response.status_code != 429:
                    return Robots()
                raise _status(response)
        return Robots()

    async def _text(self, response: "httpx.Response") -> str:
        """The beginning of a small text; what goes beyond RFC 9309's bound is not read."""
        unpack = _Unpacking(response.headers.get("content-encoding", ""))
        got = b""
        async for chunk in _chunks(response):
            got += unpack(chunk, MOST - len(got))
            if len(got) >= MOST:
                break
        return got.decode("utf-8", errors="replace")

    @asynccontextmanager
    async def _turn(self, address: Address, what: str, delay: float | None = None) -> AsyncIterator[None]:
        """Our turn at a host, and one of the slots. ``what`` is asked for: a host that fails is not asked for ever."""
        host = self._hosts.setdefault(address.host, _Host())
        async with host.turn:
            if len(host.failed) >= _HOPELESS or host.wants_rest:
                raise Refusal("host_gave_up", f"{address.host} answers nothing for now", passing=True)
            if delay is None:
                delay = (await self._rules(address)).delay
            wait = host.free_at - time.monotonic()
            if wait > 0:
                await self._sleep(wait)
            try:
                async with self._slots, asyncio.timeout(self.settings.seconds):
                    yield
                host.failed.clear()
            except TimeoutError:
                host.failed.add(what)
                raise Refusal(
                    "timeout", f"{address.host} took more than {self.settings.seconds:g} s", passing=True
                ) from None
            except Refusal as refusal:
                if refusal.reason == "rate_limited":
                    # Its other files would be answered alike.
                    delay = max(delay, refusal.wait or 0.0)
                    host.wants_rest = delay > self.settings.patience
                elif refusal.passing:
                    host.failed.add(what)
                else:
                    host.failed.clear()
                raise
            finally:
                host.free_at = time.monotonic() + max(self.settings.pause, delay)

    @asynccontextmanager
    async def _answer(self, address: Address, headers: Mapping[str, str]) -> AsyncIterator["httpx.Response"]:
        """Ask, at a network address that was checked; the answer's body is still to be read."""
        httpx = need_httpx()
        assert self._transport is not None, "fetch before the fetcher was entered"
        places = (await resolve(address, self.settings.allow_hosts))[:_TRIED]
        sent = {
            "Host": address.authority,
            "User-Agent": self.settings.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": "identity",
            "Connection": "close",
            **headers,
        }
        seconds = self.settings.seconds
        extensions = {
            "timeout": dict.fromkeys(("connect", "read", "write", "pool"), seconds),
            "sni_hostname": address.host,
        }
        for place in places:
            url = httpx.URL(address.url).copy_with(host=place)
            request = httpx.Request("GET", url, headers=sent, extensions=extensions)
            try:
                response = await self._transport.handle_async_request(request)
            except httpx.ConnectError as error:
                if _is_tls(error):
                    raise Refusal("bad_certificate", f"{address.host}: {error}") from None
                if place == places[-1]:
                    raise Refusal(
                        "no_connection", f"{address.host} can't be connected to", passing=True
                    ) from None
                continue
            except httpx.TransportError as error:
                raise _broken(address.host, error) from None
            break
        try:
            yield response
        except httpx.TransportError as error:
            raise _broken(address.host, error) from None
        finally:
            await response.aclose()

    async def _receive(self, response: "httpx.Response", part: Path) -> None:
        """Write the body to ``part``, after what is there already where the server goes on from it."""
        settings, headers = self.settings, response.headers
        start = part.stat().st_size if part.is_file() else 0
        if response.status_code == 206:
            told = re.match(r"bytes (\d+)-\d*/(\d+|\*)", headers.get("content-range", ""))
            # A server may answer from another version than it was asked for.
            if not told or int(told[1]) != start or not start or not _same(part, headers):
                _discard(part)
                raise Refusal(
                    "incomplete", "the server sent another range than was asked for", passing=True, wait=0.0
                )
        elif response.status_code == 200:
            start = 0
            _discard(part)
        elif response.status_code == 416 and start:
            _discard(part)
            raise Refusal(
                "incomplete", "the server no longer has the rest of that version", passing=True, wait=0.0
            )
        else:
            raise _status(response)
        declared = headers.get("content-length", "")
        if declared.isdigit() and start + int(declared) > settings.bytes:
            raise _too_large(f"it announces {start + int(declared):,} bytes", settings.bytes)
        unpack = _Unpacking(headers.get("content-encoding", ""))
        if unpack.plain:
            _note(part, headers)
        got, read = start, 0
        try:
            part.parent.mkdir(parents=True, exist_ok=True)
            with part.open("r+b" if start else "wb") as file:
                file.seek(start)
                async for chunk in _chunks(response):
                    read += len(chunk)
                    plain = unpack(chunk, settings.bytes + 1 - got)
                    got += len(plain)
                    if got > settings.bytes or read > settings.bytes + 65_536:
                        raise _too_large("it goes on", settings.bytes)
                    file.write(plain)
        except OSError as error:
            raise storage_error(part, error) from None
        if not unpack.complete:
            _discard(part)
            raise Refusal("incomplete", "its compressed body breaks off", passing=True)

    async def _finish(self, first: Address, last: Address, headers: Mapping[str, str], part: Path) -> Fetched:
        """The received file, looked into, named and moved into the store."""
        offered = offered_name(headers.get("content-disposition", ""), last.path)
        looked = await asyncio.to_thread(
            self._looker.ask, part, offered, headers, last.url, self.settings.seconds
        )
        if looked.reason:
            said = one_line(headers.get("content-type", "")) or "nothing"
            passing = looked.reason == "read_error"
            raise Refusal(looked.reason, f"{looked.detail} (the server calls it {said})", passing=passing)
        content = part.read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        place = self.store.file(sha256)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(part, place)
        except OSError as error:
            raise storage_error(place, error) from None
        _discard(part)
        return Fetched(
            url=recorded(first.url),
            final_url=recorded(last.url),
            version=self.settings.version(),
            at=_now(),
            sha256=sha256,
            bytes=len(content),
            family=looked.family,
            media_type=one_line(headers.get("content-type", "")),
            name=safe_name(offered, looked.family),
            title=looked.title,
            publisher=looked.publisher or host_of(last.url) or None,
            date=looked.date,
            licence=looked.licence,
            reserved="ai-train=no" if (await self._rules(last)).reserved else looked.reserved,
            etag=headers.get("etag", ""),
            modified=headers.get("last-modified", ""),
        )


class _Unpacking:
    """Undoes a Content-Encoding within a bound: a small body that unpacks into gigabytes ends at the bound."""

    def __init__(self, encoding: str):
        names = [name for name in re.split(r"[\s,]+", encoding.casefold()) if name and name != "identity"]
        if len(names) > 1 or (names and names[0] not in {"gzip", "x-gzip", "deflate"}):
            raise Refusal(
                "unknown_encoding", f"its body is packed as {one_line(encoding)}, which was not asked for"
            )
        self.plain = not names
        self._packed = None if self.plain else zlib.decompressobj(wbits=47)

    def __call__(self, chunk: bytes, most: int) -> bytes:
        """At most ``most`` bytes (at least 1) of what the chunk holds."""
        if self._packed is None:
            return chunk
        try:
            return self._packed.decompress(chunk, max(1, most))
        except zlib.error as error:
            raise Refusal("bad_encoding", f"its body can't be unpacked ({error})") from None

    @property
    def complete(self) -> bool:
        return self._packed is None or self._packed.eof


def need_httpx() -> Any:
    """The module httpx, which belongs to the extra ``web``; InputError where it is not installed."""
    try:
        import httpx
    except ImportError:
        raise InputError(
            "Searching the web needs the package httpx, which is not installed",
            "Run pip install 'graphforge[web]'",
        ) from None
    return httpx


async def _chunks(response: "httpx.Response") -> AsyncIterator[bytes]:
    """The body as it comes: httpx would unpack it, without a bound."""
    async for chunk in response.aiter_raw():
        yield chunk


def _refused(url: str, refusal: Refusal) -> Fetched:
    return Fetched(url=recorded(url), reason=refusal.reason, detail=refusal.detail, passing=refusal.passing)


def _resumed(part: Path) -> dict[str, str]:
    """The headers that ask for the rest of a part; empty where there is none that can be gone on with."""
    try:
        noted = _Part.model_validate_json(_beside(part).read_bytes())
        start = part.stat().st_size
    except (FileNotFoundError, ValidationError):
        return {}
    return {"Range": f"bytes={start}-", "If-Range": noted.validator} if start else {}


def _unless_changed(known: Fetched) -> dict[str, str]:
    if known.etag:
        return {"If-None-Match": known.etag}
    return {"If-Modified-Since": known.modified} if known.modified else {}


def _validator(headers: Mapping[str, str]) -> str:
    tag = headers.get("etag", "")
    return tag if tag and not tag.startswith("W/") else headers.get("last-modified", "")


def _note(part: Path, headers: Mapping[str, str]) -> None:
    """Write down what the server calls this version, where it can be held to that."""
    if validator := _validator(headers):
        write_bytes(_beside(part), _Part(validator=validator).line().encode())
    else:
        _beside(part).unlink(missing_ok=True)


def _same(part: Path, headers: Mapping[str, str]) -> bool:
    try:
        noted = _Part.model_validate_json(_beside(part).read_bytes())
    except (FileNotFoundError, ValidationError):
        return False
    return _validator(headers) in {"", noted.validator}


def _beside(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _beside(part).unlink(missing_ok=True)


def _too_large(what: str, most: int) -> Refusal:
    return Refusal("too_large", f"{what}; fetch.bytes = {most:,}")


def _status(response: "httpx.Response") -> Refusal:
    code = response.status_code
    said = f"the server answers {code}"
    if code in _PASSING:
        wait = _retry_after(response.headers.get("retry-after", ""))
        if code == 429 or wait is not None:
            asks = "" if wait is None else f" and asks to wait {wait:.0f} s"
            return Refusal("rate_limited", said + asks, passing=True, wait=wait)
        return Refusal("server_error", said, passing=True)
    if code in _ABSENT:
        return Refusal("not_found", said)
    return Refusal("forbidden" if code in _FORBIDDEN else "http_error", said)


def _retry_after(value: str) -> float | None:
    """Seconds, also where the header is a date."""
    value = value.strip()
    if re.fullmatch(r"\d{1,9}", value):
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()) if value else None
    except (TypeError, ValueError):
        return None


def _broken(host: str, error: Exception) -> Refusal:
    httpx = need_httpx()
    if isinstance(error, httpx.TimeoutException):
        return Refusal("timeout", f"{host} was silent for too long", passing=True)
    return Refusal(
        "broken_connection", f"{host}: {one_line(str(error)) or type(error).__name__}", passing=True
    )


def _is_tls(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
