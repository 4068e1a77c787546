"""Addresses of the web: which may be asked, at which network address, and how they are written down.

An address comes out of a search result or a redirect, so that anybody may have written it. Its host is resolved here,
every network address that it has must be public, and the connection is made to the one that was checked: a name that
resolves to something else a moment later (DNS rebinding) leads nowhere.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Sequence
from urllib.parse import urljoin, urlsplit, urlunsplit

from .refusal import Refusal

_PORTS = {"http": 80, "https": 443}
_LONGEST = 2_000
_HIDDEN = "hidden"
# Names of query values that open something for whoever knows them.
_SECRET_NAME = re.compile(
    r"(?:^|[-_.])(?:key|apikey|token|jwt|secret|sig|signature|password|passwd|pwd|pass|auth|authorization"
    r"|credential|credentials|session|sessionid|sid|hmac|ticket)(?:$|[-_.])|token$|secret$|signature$|apikey$",
    re.IGNORECASE,
)
# Values that nobody would type: long, and of letters with digits (a hash, a key, base64).
_SECRET_VALUE = re.compile(r"(?=[^&]*\d)(?=[^&]*[A-Za-z])[A-Za-z0-9+/_=.~%-]{32,}")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class Address:
    """A checked form of a URL: scheme, host and port are there, nothing in it is a credential."""

    def __init__(self, url: str):
        """Refusal ("bad_address") for what can't be fetched by us: other schemes, user names, control characters."""
        url = url.strip().replace(" ", "%20")
        if len(url) > _LONGEST or re.search(r"[\x00-\x20\x7f\\]", url):
            raise Refusal("bad_address", f"no address that can be asked: {recorded(url[:120])}")
        try:
            parts = urlsplit(url)
            port = parts.port
            host = (parts.hostname or "").rstrip(".")
            host = host if ":" in host else host.encode("idna").decode("ascii").lower()
        except (ValueError, UnicodeError):
            raise Refusal("bad_address", f"no address that can be asked: {recorded(url[:120])}") from None
        if parts.scheme not in _PORTS or not host:
            raise Refusal("bad_address", f"neither http nor https: {recorded(url[:120])}")
        if parts.username is not None or parts.password is not None:
            raise Refusal("credentials_in_address", f"{recorded(url)} has a user name in it")
        self.scheme = parts.scheme
        self.host = host
        self.port = port if port is not None else _PORTS[parts.scheme]
        self.path = parts.path or "/"
        self.query = parts.query

    @property
    def url(self) -> str:
        """As it is asked for: without a fragment, and the port only where it is not the scheme's own."""
        return urlunsplit((self.scheme, self.authority, self.path, self.query, ""))

    @property
    def authority(self) -> str:
        """Host and port as in a Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def site(self) -> tuple[str, str, int]:
        """What a robots.txt speaks for."""
        return self.scheme, self.host, self.port

    def at(self, path: str) -> "Address":
        """Another path of the same site."""
        return Address(urlunsplit((self.scheme, self.authority, path, "", "")))

    def follow(self, target: str) -> "Address":
        """Where a redirect leads. Refusal where it is no address, or less safe than this one."""
        following = Address(urljoin(self.url, target))
        if self.scheme == "https" and following.scheme != "https":
            raise Refusal(
                "redirect_downgraded", f"{recorded(self.url)} sends us on to {recorded(following.url)}"
            )
        return following

    def listed(self, names: Sequence[str]) -> bool:
        """Whether the host is one of ``names`` (``host`` or ``host:port``)."""
        own = {self.host, f"{self.host}:{self.port}", f"[{self.host}]", f"[{self.host}]:{self.port}"}
        return any(name.casefold() in own for name in names)

    def below(self, names: Sequence[str]) -> bool:
        """Whether the host is one of ``names``, or of their subdomains."""
        return any(
            self.host == name.casefold() or self.host.endswith(f".{name.casefold()}") for name in names
        )


async def resolve(address: Address, allowed: Sequence[str]) -> list[str]:
    """The network addresses of a host, all of them checked.

    Refusal "private_address" where one of them is not public, unless ``allowed`` names the host; "no_such_host" where
    there are none.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        passing = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
        raise Refusal("no_such_host", f"{address.host} can't be resolved", passing=passing) from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not address.listed(allowed):
        for one in addresses:
            if not is_public(one):
                raise Refusal("private_address", f"{address.host} is {one}, which is no public address")
    return addresses


def is_public(address: str) -> bool:
    """Whether a network address is everybody's. One that carries an IPv4 address is what it carries."""
    ip = ipaddress.ip_address(address.split("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        elif int(ip) >> 32 == 0 and int(ip) > 1:
            inner = ipaddress.IPv4Address(int(ip))
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not ip.is_unspecified


def recorded(url: str) -> str:
    """A URL as it may be written down: no user name, no fragment, and no query value that looks like a secret."""
    cut = url.split("#", 1)[0]
    scheme, mark, rest = cut.partition("://")
    if mark:
        authority, slash, path = rest.partition("/")
        cut = f"{scheme}://{authority.rsplit('@', 1)[-1]}{slash}{path}"
    bare, mark, query = cut.partition("?")
    if not mark:
        return cut
    return f"{bare}?{'&'.join(_hide(pair) for pair in query.split('&'))}"


def _hide(pair: str) -> str:
    name, mark, value = pair.partition("=")
    if not mark:
        return _HIDDEN if _SECRET_VALUE.fullmatch(name) else pair
    secret = _SECRET_NAME.search(name) or _SECRET_VALUE.fullmatch(value)
    return f"{name}={_HIDDEN}" if value and secret else pair
