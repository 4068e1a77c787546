"""What fetched files say of themselves: licence, publisher, date and title, as found and never made up."""

import json
from typing import Any

import pytest

from graphforge.workspace.web.provenance import Provenance, named_licence, provenance

BY = "https://creativecommons.org/licenses/by/4.0/"
URL = "https://data.example.org/tables/page.html"


def page(head: str = "", body: str = "") -> Provenance:
    content = f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode()
    return provenance({}, URL, content, "html")


@pytest.mark.parametrize(
    ("head", "body", "licence"),
    [
        ("", f'<a rel="license" href="{BY}">CC BY</a>', f"CC BY 4.0 ({BY})"),
        (f'<link rel="license" href="{BY}">', "", f"CC BY 4.0 ({BY})"),
        ("", '<a rel="nofollow license" href="/terms">terms</a>', "https://data.example.org/terms"),
        ('<meta name="DC.rights" content="Open  Government Licence">', "", "Open Government Licence"),
        (f'<meta name="dcterms.license" content="{BY}">', "", f"CC BY 4.0 ({BY})"),
        ('<script type="application/ld+json">' + json.dumps({"@graph": [{"license": BY}]}) + "</script>", "",
         f"CC BY 4.0 ({BY})"),
        ('<script type="application/ld+json">{broken</script>', "", None),
        ("", f'<p>Text under <a href="{BY}">CC BY</a></p>', f"CC BY 4.0 ({BY})"),
        ("", f'<a href="{BY}">a picture</a><a href="{BY.replace("by", "by-nc")}">another</a>', None),
        ("", "<p>no word of it</p>", None),
        ("", '<a rel="license">nothing</a>', None),
    ],
)  # fmt: skip
def test_the_licence_of_a_page(head: str, body: str, licence: str | None) -> None:
    assert page(head, body).licence == licence


def test_a_link_in_the_header_wins() -> None:
    headers = {
        "link": f'</style>; rel=stylesheet, <{BY}>; rel="license"',
        "last-modified": "Tue, 05 Mar 2024 10:00:00 GMT",
    }
    found = provenance(headers, URL, b"a,b\n1,2\n", "csv")
    assert found == Provenance(title=None, publisher=None, date="2024-03-05", licence=f"CC BY 4.0 ({BY})")


@pytest.mark.parametrize(
    ("headers", "head", "reserved"),
    [
        ({"tdm-reservation": "1"}, "", "tdm-reservation"),
        ({"tdm-reservation": "0"}, "", None),
        ({"x-robots-tag": "noindex, noai"}, "", "noai"),
        ({"x-robots-tag": "noimageai"}, "", None),
        ({}, '<meta name="tdm-reservation" content="1">', "tdm-reservation"),
        ({}, '<meta name="robots" content="index, NoAI, noimageai">', "noai"),
        ({}, '<meta name="robots" content="noindex">', None),
    ],
)
def test_a_reservation_against_training(headers: dict[str, str], head: str, reserved: str | None) -> None:
    content = f"<!doctype html><html><head>{head}</head><body></body></html>".encode()
    assert provenance(headers, URL, content, "html").reserved == reserved


def test_title_publisher_and_date_of_a_page() -> None:
    found = page(
        '<title>Permits | City</title><meta property="og:title" content="Permits">'
        '<meta property="og:site_name" content="City of\u202e Alder"><meta name="date" content="2023-07-01T10:00">'
        '<meta property="article:modified_time" content="2024-01-15T08:00:00Z">'
    )
    assert (found.title, found.publisher, found.date) == ("Permits", "City of Alder", "2024-01-15")
    things = [{"publisher": {"name": "Bureau of Permits"}, "datePublished": "2022-02-03"}]
    found = page(f'<title>T</title><script type="application/ld+json">{json.dumps(things)}</script>')
    assert (found.title, found.publisher, found.date) == ("T", "Bureau of Permits", "2022-02-03")


@pytest.mark.parametrize(
    "said", ["tomorrow", "2999-01-01", "2024-13-45", "", "Tue, 99 Foo 2024", "0000-00-00"]
)
def test_a_date_that_is_none_is_not_recorded(said: str) -> None:
    assert page(f'<meta name="date" content="{said}">').date is None


def xmp(inner: str) -> bytes:
    return (
        '%PDF-1.7\n<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:cc="http://creativecommons.org/ns#" '
        'xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">'
        f'<rdf:Description rdf:about="" xmp:ModifyDate="2021-05-06T07:08:09Z">{inner}</rdf:Description></rdf:RDF>'
        '</x:xmpmeta><?xpacket end="w"?>\n%%EOF'
    ).encode()


def test_the_metadata_of_a_pdf() -> None:
    inner = (
        "<dc:title><rdf:Alt><rdf:li>Annual report</rdf:li></rdf:Alt></dc:title>"
        "<dc:publisher><rdf:Bag><rdf:li>City of Alder</rdf:li></rdf:Bag></dc:publisher>"
        f'<cc:license rdf:resource="{BY}"/>'
    )
    found = provenance({}, URL, xmp(inner), "pdf")
    assert found == Provenance("Annual report", "City of Alder", "2021-05-06", f"CC BY 4.0 ({BY})")
    words = "<dc:rights><rdf:Alt><rdf:li>All rights reserved</rdf:li></rdf:Alt></dc:rights>"
    assert provenance({}, URL, xmp(words), "pdf").licence == "All rights reserved"
    assert provenance({}, URL, b"%PDF-1.4 nothing", "pdf") == Provenance()
    assert provenance({}, URL, xmp("<unclosed>"), "pdf") == Provenance()


def test_entities_in_metadata_are_not_resolved() -> None:
    content = xmp("<dc:publisher>&secret;</dc:publisher>").replace(
        b"<x:xmpmeta", b'<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/hostname">]><x:xmpmeta'
    )
    assert "hostname" not in str(provenance({}, URL, content, "pdf"))


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"),
        ("http://creativecommons.org/licenses/by-nc-sa/3.0/us/", "CC BY-NC-SA 3.0"),
        ("https://opensource.org/licenses/MIT", "MIT"),
        (
            "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
            "Open Government Licence",
        ),
        ("https://www.usa.gov/government-works", "US government work"),
        ("https://example.org/terms", ""),
    ],
)
def test_licences_by_address(address: str, name: Any) -> None:
    assert named_licence(address) == (f"{name} ({address})" if name else address)


def test_foreign_text_stays_on_one_line_and_short() -> None:
    found = page(f'<meta name="publisher" content="a\n\n| b {"x" * 5000}">')
    assert (
        found.publisher is not None and found.publisher.startswith("a | b x") and len(found.publisher) == 300
    )
