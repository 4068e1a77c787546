"""What a fetched file says of itself: title, publisher, date and licence, from its headers, its page or its metadata.

Everything is recorded as found, cut to one line; nothing is made up. A licence by a link wins over one in words,
because words ("rights: see below") are often none. A link is one with ``rel=license``, or one that the page states
about itself in its metadata; a link to creativecommons.org somewhere in the text may be about a picture, and counts
only where there is nothing else and the page has just one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree, html

from ...records import Family

_LONGEST = 300
_CC = re.compile(
    r"https?://(?:www\.)?creativecommons\.org/(?:licen[sc]es/(?P<kind>[a-z-]+)|publicdomain/(?P<free>zero|mark))"
    r"(?:/(?P<version>\d\.\d))?",
    re.IGNORECASE,
)
_KNOWN = (
    (re.compile(r"https?://(?:www\.)?opensource\.org/licen[sc]es?/mit\b", re.IGNORECASE), "MIT"),
    (re.compile(r"https?://(?:www\.)?apache\.org/licen[sc]es/LICENSE-2\.0", re.IGNORECASE), "Apache 2.0"),
    (re.compile(r"https?://(?:www\.)?nationalarchives\.gov\.uk/doc/open-government-licence", re.IGNORECASE),
     "Open Government Licence"),
    (re.compile(r"https?://(?:www\.)?opendatacommons\.org/licen[sc]es/by", re.IGNORECASE), "ODC-BY"),
    (re.compile(r"https?://(?:www\.)?opendatacommons\.org/licen[sc]es/pddl", re.IGNORECASE), "PDDL"),
    (re.compile(r"https?://(?:www\.)?opendatacommons\.org/licen[sc]es/odbl", re.IGNORECASE), "ODbL"),
    (re.compile(r"https?://(?:www\.)?usa\.gov/(?:government-works|publicdomain)", re.IGNORECASE),
     "US government work"),
)  # fmt: skip
_LICENCE_NAMES = (
    "dcterms.license", "dc.license", "dcterms.licence", "license", "licence", "dcterms.rights", "dc.rights", "rights",
)  # fmt: skip
_PUBLISHER_NAMES = (
    "og:site_name", "dcterms.publisher", "dc.publisher", "citation_publisher", "publisher", "application-name",
)  # fmt: skip
_DATE_NAMES = (
    "article:modified_time", "dcterms.modified", "dc.date.modified", "og:updated_time", "last-modified",
    "article:published_time", "dcterms.issued", "dcterms.date", "dc.date", "citation_publication_date", "date",
)  # fmt: skip
_XMP = re.compile(rb"<x:xmpmeta\b.{0,200000}?</x:xmpmeta>", re.DOTALL)
_SCRIPTS, _DEPTH = 20, 6


@dataclass(frozen=True)
class Provenance:
    """As found; None where nothing is said. ``date`` is ISO. ``reserved``: what forbids training, by name."""

    title: str | None = None
    publisher: str | None = None
    date: str | None = None
    licence: str | None = None
    reserved: str | None = None


def provenance(headers: Mapping[str, str], url: str, content: bytes, family: Family) -> Provenance:
    """``headers``: by lower-case name. ``url``: where the content came from in the end."""
    if family == "html":
        own = _page(content, url)
    elif family == "pdf":
        own = _xmp(content)
    else:
        own = Provenance()
    linked = re.search(
        r'<([^>]*)>[^,]*;\s*rel="?[^",;]*\blicen[sc]e\b', headers.get("link", ""), re.IGNORECASE
    )
    return Provenance(
        title=own.title,
        publisher=own.publisher,
        date=own.date or _date(headers.get("last-modified", "")),
        licence=(named_licence(urljoin(url, linked[1])) if linked else None) or own.licence,
        reserved=_reserved(headers.get("tdm-reservation", ""), headers.get("x-robots-tag", ""))
        or own.reserved,
    )


def _reserved(reservation: str, robots: str) -> str | None:
    """Whether the TDM reservation protocol, or a robots directive against AI, keeps a text from being trained on."""
    if reservation.strip() == "1":
        return "tdm-reservation"
    return "noai" if re.search(r"(?<![a-z-])noai(?![a-z])", robots, re.IGNORECASE) else None


def named_licence(address: str) -> str:
    """The name of a licence by its address, with the address; the bare address where it is none that is known."""
    address = one_line(address)
    if found := _CC.match(address):
        name = {"zero": "CC0", "mark": "Public domain"}.get(
            found["free"] or ""
        ) or f"CC {found['kind'].upper()}"
        return f"{name}{' ' + found['version'] if found['version'] else ''} ({address})"
    for pattern, name in _KNOWN:
        if pattern.match(address):
            return f"{name} ({address})"
    return address


def host_of(url: str) -> str:
    """The host of an address, without ``www.``."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def one_line(text: str) -> str:
    """Foreign text on one line: no control or direction characters, cut to 300 characters."""
    plain = "".join(one if one.isprintable() else " " for one in text[: 4 * _LONGEST])
    return " ".join(plain.split())[:_LONGEST]


def _page(content: bytes, url: str) -> Provenance:
    try:
        content.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        # As the page itself declares.
        encoding = None
    parser = html.HTMLParser(no_network=True, huge_tree=False, encoding=encoding)
    try:
        root = html.document_fromstring(content, parser=parser)
    except (etree.ParserError, ValueError):
        return Provenance()
    said: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or meta.get("http-equiv") or "").casefold()
        if value := one_line(meta.get("content") or ""):
            said.setdefault(name, value)
    title = next((one_line("".join(map(str, element.itertext()))) for element in root.iter("title")), "")
    things = list(_things(root))
    return Provenance(
        title=said.get("og:title") or said.get("dcterms.title") or title or None,
        publisher=_first(said, _PUBLISHER_NAMES) or _named(things, "publisher"),
        date=next(
            (
                found
                for value in [*(said.get(name, "") for name in _DATE_NAMES), *_values(things, "dateModified"),
                              *_values(things, "datePublished")]
                if (found := _date(value))
            ),
            None,
        ),
        licence=_page_licence(root, url, said, things),
        reserved=_reserved(said.get("tdm-reservation", ""), said.get("robots", "")),
    )  # fmt: skip


def _page_licence(root: Any, url: str, said: Mapping[str, str], things: list[dict[str, Any]]) -> str | None:
    for element in root.iter("a", "link", "area"):
        relations = (element.get("rel") or "").casefold().split()
        if {"license", "licence"} & set(relations) and element.get("href"):
            return named_licence(urljoin(url, element.get("href").strip()))
    for value in _values(things, "license"):
        return named_licence(value) if value.startswith("http") else value
    if words := _first(said, _LICENCE_NAMES):
        return named_licence(words) if words.startswith("http") else words
    linked: dict[str, str] = {}
    for element in root.iter("a"):
        address = (element.get("href") or "").strip()
        if found := _CC.match(address):
            linked.setdefault(found[0].casefold(), address)
    return named_licence(next(iter(linked.values()))) if len(linked) == 1 else None


def _things(root: Any) -> Iterator[dict[str, Any]]:
    """The objects of a page's JSON-LD."""
    for number, script in enumerate(root.iter("script")):
        if number >= 200:
            return
        if (script.get("type") or "").strip().casefold() != "application/ld+json":
            continue
        try:
            value = json.loads(script.text or "")
        except (ValueError, RecursionError):
            continue
        yield from _objects(value, _DEPTH)


def _objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        if depth and isinstance(value.get("@graph"), list):
            yield from _objects(value["@graph"], depth - 1)
    elif isinstance(value, list) and depth:
        for one in value[:_SCRIPTS]:
            yield from _objects(one, depth - 1)


def _values(things: list[dict[str, Any]], name: str) -> list[str]:
    found = []
    for thing in things:
        value = thing.get(name)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            value = value.get("url") or value.get("@id") or value.get("name")
        if isinstance(value, str) and one_line(value):
            found.append(one_line(value))
    return found


def _named(things: list[dict[str, Any]], name: str) -> str | None:
    for thing in things:
        value = thing.get(name)
        if isinstance(value, dict) and isinstance(value.get("name"), str) and one_line(value["name"]):
            return one_line(value["name"])
        if isinstance(value, str) and one_line(value):
            return one_line(value)
    return None


def _first(said: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((said[name] for name in names if said.get(name)), None)


def _xmp(content: bytes) -> Provenance:
    """The XMP packet of a pdf, where it lies there unpacked, as the standard asks for."""
    found = _XMP.search(content)
    if not found:
        return Provenance()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(found[0], parser=parser)
    except (etree.XMLSyntaxError, ValueError):
        return Provenance()
    said: dict[str, str] = {}
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        for name, value in element.attrib.items():
            if text := one_line(str(value)):
                said.setdefault(etree.QName(str(name)).localname.casefold(), text)
        words = one_line(" ".join(map(str, element.itertext())))
        resource = next(
            (str(value) for name, value in element.attrib.items() if str(name).endswith("}resource")), ""
        )
        if words or resource:
            said.setdefault(etree.QName(element).localname.casefold(), words or one_line(resource))
    licence = next(
        (said[name] for name in ("license", "webstatement", "usageterms", "rights") if said.get(name)), None
    )
    return Provenance(
        title=said.get("title"),
        publisher=said.get("publisher"),
        date=next((day for name in ("modifydate", "createdate") if (day := _date(said.get(name, "")))), None),
        licence=named_licence(licence) if licence and licence.startswith("http") else licence,
    )


def _date(text: str) -> str | None:
    """The day of a date in ISO form or as mail and HTTP write it; None for anything else, or a day that isn't yet."""
    text = text.strip()
    day: date | None = None
    try:
        if found := re.match(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})", text):
            day = date(int(found[1]), int(found[2]), int(found[3]))
        elif re.match(r"[A-Za-z]{3},? ", text):
            day = parsedate_to_datetime(text).date()
    except (ValueError, TypeError):
        return None
    if day is None or not date(1970, 1, 2) <= day <= datetime.now(UTC).date():
        return None
    return day.isoformat()
