"""Fetching from a site that is slow, endless, lying, redirecting, forbidding or broken: each by its own reason."""

import asyncio
import gzip
import socket
import ssl
import threading
import time
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import xlsx
from web_site import CSV, Asked, Site, nothing_left, settings

from graphforge.workspace.web.address import Address, is_public, recorded, resolve
from graphforge.workspace.web.fetcher import Fetched, Fetcher
from graphforge.workspace.web.look import Looker
from graphforge.workspace.web.refusal import Refusal
from graphforge.workspace.web.safe_name import offered_name, safe_name

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "library"


def fetch(
    folder: Path, *urls: str, refresh: bool = False, offline: bool = False, **changes: Any
) -> list[Fetched]:
    allowed = changes.pop("allowed", tuple({url.split("/")[2] for url in urls if url.startswith("http")}))

    async def go() -> list[Fetched]:
        given = settings(*allowed, **changes)
        async with Fetcher(given, folder, refresh=refresh, offline=offline) as fetcher:
            return list(await asyncio.gather(*(fetcher.fetch(url) for url in urls)))

    return asyncio.run(go())


def one(folder: Path, url: str, **changes: Any) -> Fetched:
    return fetch(folder, url, **changes)[0]


def test_a_file_comes_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    def answer(asked: Asked) -> None:
        asked.say(
            CSV, content_type="text/csv", last_modified="Tue, 05 Mar 2024 10:00:00 GMT", etag='"v1"',
            content_disposition='attachment; filename="permits 2023.csv"',
            link='<https://creativecommons.org/licenses/by/4.0/>; rel="license"',
        )  # fmt: skip

    with Site({"/data": answer}) as site:
        found = one(tmp_path, site.url("/data?year=2023#top"))
        assert (found.reason, found.family, found.bytes, found.name) == (
            "",
            "csv",
            len(CSV),
            "permits 2023.csv",
        )
        assert found.url == found.final_url == site.url("/data?year=2023")
        assert (
            found.media_type == "text/csv" and found.date == "2024-03-05" and found.publisher == "127.0.0.1"
        )
        assert found.licence == "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"
        assert (tmp_path / "files" / str(found.sha256)).read_bytes() == CSV
        [(_, robots, _), (_, asked, _)] = site.asked
        assert robots["User-Agent"] == asked["User-Agent"] == "GraphForge/0.1 (test)"
        assert asked["Accept-Encoding"] == "identity" and "Cookie" not in asked
        assert asked["Host"] == site.host
        # What is recorded is not asked for again, in whichever run.
        assert one(tmp_path, site.url("/data?year=2023")) == found
        assert len(site.asked) == 2
        nothing_left(tmp_path)
    # Nor is anything asked at all where nothing may be.
    assert one(tmp_path, found.url, offline=True) == found
    assert one(tmp_path, site.url("/other"), offline=True).reason == "not_recorded"


def test_a_slow_one_is_given_up_and_goes_on_where_it_was(tmp_path: Path) -> None:
    content = CSV * 40

    def answer(asked: Asked) -> None:
        start = int((asked.headers.get("Range") or "bytes=0-").split("=")[1].rstrip("-"))
        if start:
            assert asked.headers["If-Range"] == '"one"'
            rest = content[start:]
            told = f"bytes {start}-{len(content) - 1}/{len(content)}"
            asked.say(rest, 206, content_range=told, etag='"one"')
            return
        asked.begin(content_length=str(len(content)), etag='"one"')
        asked.write(content[:500])
        time.sleep(1.5)

    with Site({"/slow.csv": answer}) as site:
        began = time.monotonic()
        found = one(tmp_path, site.url("/slow.csv"), seconds=0.5)
        assert found.reason == "" and found.bytes == len(content) and time.monotonic() - began < 3
        assert [headers.get("Range") for _, headers, _ in site.asked[1:]] == [None, "bytes=500-"]
        nothing_left(tmp_path)


def test_a_server_that_drips_for_ever_ends_at_the_deadline(tmp_path: Path) -> None:
    def answer(asked: Asked) -> None:
        asked.begin()
        for _ in range(100):
            asked.write(b"1,2\n")
            time.sleep(0.05)
            if asked.gone:
                return

    with Site({"/drip.csv": answer}) as site:
        began = time.monotonic()
        found = one(tmp_path, site.url("/drip.csv"), seconds=0.4, attempts=2)
        assert found.reason == "timeout" and found.passing and time.monotonic() - began < 3


def test_a_silent_server_ends_at_the_deadline(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.csv"
        found = one(tmp_path, url, seconds=0.3, attempts=2)
    assert found.reason == "robots_unreachable" and "0.3 s" in found.detail


def test_an_endless_file_ends_at_the_cap(tmp_path: Path) -> None:
    sent = 0

    def answer(asked: Asked) -> None:
        nonlocal sent
        asked.begin()
        while not asked.gone and sent < 2**26:
            asked.write(b"1,2,3,4\n" * 8192)
            sent += 65536

    with Site({"/endless.csv": answer}) as site:
        found = one(tmp_path, site.url("/endless.csv"), bytes=300_000)
        assert (found.reason, found.passing) == ("too_large", False) and "300,000" in found.detail
        assert sent < 2**25
        nothing_left(tmp_path)
        # A refusal stands as long as the settings that it rests on.
        assert one(tmp_path, site.url("/endless.csv"), bytes=300_000) == found
        assert len(site.paths()) == 1
        assert one(tmp_path, site.url("/endless.csv"), bytes=400_000).reason == "too_large"
        assert len(site.paths()) == 2


def test_an_announced_length_above_the_cap_is_not_read(tmp_path: Path) -> None:
    def answer(asked: Asked) -> None:
        asked.begin(content_length=str(10**9))
        asked.write(b"x" * 1000)

    with Site({"/big.csv": answer}) as site:
        found = one(tmp_path, site.url("/big.csv"))
    assert found.reason == "too_large" and "1,000,000,000" in found.detail


def test_a_length_that_is_a_lie_is_no_whole_file(tmp_path: Path) -> None:
    def answer(asked: Asked) -> None:
        asked.begin(content_length=str(len(CSV) + 100))
        asked.write(CSV)
        asked.cut()

    with Site({"/short.csv": answer}) as site:
        found = one(tmp_path, site.url("/short.csv"))
        assert (found.reason, found.passing) == ("broken_connection", True)
        assert len(site.paths()) == 3


def test_a_broken_download_goes_on_in_the_next_run(tmp_path: Path) -> None:
    content = CSV * 40
    whole = False

    def answer(asked: Asked) -> None:
        start = int((asked.headers.get("Range") or "bytes=0-").split("=")[1].rstrip("-"))
        if whole:
            told = f"bytes {start}-{len(content) - 1}/{len(content)}"
            asked.say(content[start:], 206, content_range=told, last_modified="Tue, 05 Mar 2024 10:00:00 GMT")
            return
        asked.begin(content_length=str(len(content)), last_modified="Tue, 05 Mar 2024 10:00:00 GMT")
        asked.write(content[:600])
        asked.cut()

    with Site({"/a.csv": answer}) as site:
        assert one(tmp_path, site.url("/a.csv"), attempts=1).reason == "broken_connection"
        whole = True
        found = one(tmp_path, site.url("/a.csv"), attempts=1)
        assert found.reason == "" and (tmp_path / "files" / str(found.sha256)).read_bytes() == content
        assert site.asked[-1][1]["Range"] == "bytes=600-"


def test_halves_of_two_versions_are_never_joined(tmp_path: Path) -> None:
    """The server's If-Range is broken: it sends the rest of a new version. And then one that keeps to it."""
    old, new = CSV * 40, CSV.replace(b"845", b"999") * 40

    def lying(asked: Asked) -> None:
        if asked.headers.get("Range"):
            asked.say(new[500:], 206, content_range=f"bytes 500-{len(new) - 1}/{len(new)}", etag='"two"')
        elif asked.number == 0:
            asked.begin(content_length=str(len(old)), etag='"one"')
            asked.write(old[:500])
            asked.cut()
        else:
            asked.say(new, etag='"two"')

    def honest(asked: Asked) -> None:
        if asked.number == 0:
            asked.begin(content_length=str(len(old)), etag='"one"')
            asked.write(old[:500])
            asked.cut()
        else:
            asked.say(new, etag='"two"')

    def unnamed(asked: Asked) -> None:
        assert "Range" not in asked.headers
        if asked.number == 0:
            asked.begin(content_length=str(len(old)), etag='W/"weak"')
            asked.write(old[:500])
            asked.cut()
        else:
            asked.say(new)

    with Site({"/lying.csv": lying, "/honest.csv": honest, "/unnamed.csv": unnamed}) as site:
        for name in ("lying", "honest", "unnamed"):
            found = one(tmp_path / name, site.url(f"/{name}.csv"))
            assert (tmp_path / name / "files" / str(found.sha256)).read_bytes() == new, found
            nothing_left(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "name", "said", "reason"),
    [
        (b"<!doctype html><html><body><h1>404 Not Found</h1></body></html>", "/a.pdf", "application/pdf",
         "html_error_page"),
        (b"\x00\x01\x02\x03 nothing that anybody knows" * 20, "/a.xlsx", "application/vnd.ms-excel", "unknown_format"),
        (b"", "/a.csv", "text/csv", "empty_file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n", "/a.csv", "text/csv", "lfs_pointer"),
        (b"{broken", "/a.json", "application/json", "invalid_json"),
    ],
)  # fmt: skip
def test_a_lie_about_the_type_is_found_in_the_content(
    tmp_path: Path, content: bytes, name: str, said: str, reason: str
) -> None:
    with Site({name: lambda asked: asked.say(content, content_type=said)}) as site:
        found = one(tmp_path, site.url(name))
    assert found.reason == reason and (not said or said in found.detail)
    nothing_left(tmp_path)


def test_the_content_decides_whatever_type_and_name_say(tmp_path: Path) -> None:
    book = xlsx(tmp_path).read_bytes()

    def answer(asked: Asked) -> None:
        asked.say(
            book, content_type="text/plain", content_disposition='attachment; filename="../../evil.exe"'
        )

    with Site({"/x": answer}) as site:
        found = one(tmp_path, site.url("/x"))
    assert (found.family, found.name, found.media_type) == ("xlsx", "evil.exe.xlsx", "text/plain")


def test_redirects_are_followed_to_what_is_allowed(tmp_path: Path) -> None:
    with Site({"/end.csv": CSV, "/robots.txt": b"User-agent: *\nDisallow: /private/"}) as other:
        pages = {
            "/a": lambda asked: asked.say(status=302, location="/b"),
            "/b": lambda asked: asked.say(status=301, location=other.url("/end.csv")),
            "/kept": lambda asked: asked.say(status=302, location=other.url("/private/x.csv")),
            "/loop": lambda asked: asked.say(status=302, location="/loop"),
            "/userinfo": lambda asked: asked.say(
                status=302, location=f"http://me:secret@{other.host}/end.csv"
            ),
            "/file": lambda asked: asked.say(status=302, location="file:///etc/passwd"),
        }
        with Site(pages) as site:
            both = (site.host, other.host)
            found = one(tmp_path, site.url("/a"), allowed=both)
            assert (
                found.reason == ""
                and found.url == site.url("/a")
                and found.final_url == other.url("/end.csv")
            )
            assert found.name == "end.csv"
            expected = {
                "/kept": "robots_disallow", "/loop": "too_many_redirects", "/userinfo": "credentials_in_address",
                "/file": "bad_address",
            }  # fmt: skip
            for path, reason in expected.items():
                refused = one(tmp_path, site.url(path), allowed=both)
                assert refused.reason == reason and not refused.passing and "secret" not in refused.line()
            assert other.paths() == ["/end.csv"]
            assert len([path for path in site.paths() if path == "/loop"]) == 6


def test_a_redirect_to_a_private_address_leads_nowhere(tmp_path: Path) -> None:
    """The first site is allowed by name and port, what it points at is not."""
    with Site({"/secret.csv": CSV}) as inside:
        targets = {
            "/direct": inside.url("/secret.csv"),
            "/name": f"http://localhost:{inside.port}/secret.csv",
            "/number": f"http://2130706433:{inside.port}/secret.csv",
            "/short": f"http://127.1:{inside.port}/secret.csv",
            "/mapped": f"http://[::ffff:127.0.0.1]:{inside.port}/secret.csv",
            "/zero": f"http://0.0.0.0:{inside.port}/secret.csv",
            "/metadata": "http://169.254.169.254/latest/meta-data/",
        }
        pages = {
            path: (lambda asked, to=target: asked.say(status=302, location=to))
            for path, target in targets.items()
        }
        with Site(pages) as site:
            for path in targets:
                refused = one(tmp_path, site.url(path), allowed=(site.host,))
                assert refused.reason == "private_address", (path, refused)
        assert inside.asked == []


def test_a_name_that_resolves_to_something_else_a_moment_later(tmp_path: Path, monkeypatch: Any) -> None:
    """DNS rebinding: the address that was checked is the one that is connected to, and each hop is checked anew."""
    with Site({"/a.csv": CSV, "/robots.txt": b""}) as inside:
        real, asked = socket.getaddrinfo, []

        def changing(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
            if host == "rebind.example":
                asked.append(host)
                place = "93.184.215.14" if len(asked) == 1 else "127.0.0.1"
                return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, inside.port))]
            assert "example" not in str(host), "a second resolution, after the check"
            return real(host, port, *rest, **more)

        monkeypatch.setattr(socket, "getaddrinfo", changing)
        tried: list[str] = []
        connect = asyncio.BaseEventLoop.create_connection

        async def watched(loop: Any, factory: Any, host: Any = None, port: Any = None, **more: Any) -> Any:
            tried.append(str(host))
            raise ConnectionRefusedError

        monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", watched)
        found = one(tmp_path, f"http://rebind.example:{inside.port}/a.csv", allowed=(), attempts=2)
        monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", connect)
    assert found.reason == "private_address" and set(tried) <= {"93.184.215.14"} and inside.asked == []


def test_one_private_address_among_public_ones_is_enough(monkeypatch: Any) -> None:
    def mixed(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port))
            for place in ("93.184.215.14", "10.0.0.7")
        ]

    monkeypatch.setattr(socket, "getaddrinfo", mixed)
    with pytest.raises(Refusal, match="private_address"):
        asyncio.run(resolve(Address("http://mixed.example/"), ()))
    assert asyncio.run(resolve(Address("http://mixed.example/"), ("mixed.example",)))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True), ("2606:4700::1111", True), ("127.0.0.1", False), ("10.1.2.3", False), ("172.16.0.1", False),
        ("192.168.1.1", False), ("169.254.169.254", False), ("100.64.0.1", False), ("0.0.0.0", False),
        ("224.0.0.1", False), ("255.255.255.255", False), ("::1", False), ("::", False), ("fe80::1", False),
        ("fc00::1", False), ("::ffff:10.0.0.1", False), ("2002:7f00:1::", False), ("64:ff9b::7f00:1", False),
        ("64:ff9b::808:808", True), ("::127.0.0.1", False), ("fe80::1%eth0", False), ("192.0.2.1", False),
    ],
)  # fmt: skip
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/a", "file:///etc/passwd", "http://", "https://exa mple.org:99999/", "javascript:alert(1)", "",
     "http://example.org\r\nHost: evil/", "http://exam\\ple.org/", f"http://example.org/{'a' * 3000}",
     "data:text/csv,1"],
)  # fmt: skip
def test_what_is_no_address_is_not_asked(tmp_path: Path, url: str) -> None:
    assert one(tmp_path, url, allowed=()).reason == "bad_address"


def test_robots_txt_is_obeyed_under_our_own_name(tmp_path: Path) -> None:
    robots = b"""User-agent: *
Disallow: /

User-agent: GraphForge
Disallow: /private
Allow: /private/open*.csv$
Disallow: /*.php?
"""
    pages = {
        "/a.csv": CSV,
        "/private/a.csv": CSV,
        "/private/open-1.csv": CSV,
        "/x.php": CSV,
        "/robots.txt": robots,
    }
    with Site(pages) as site:
        urls = [
            site.url(path)
            for path in ("/a.csv", "/private/a.csv", "/private/open-1.csv", "/x.php?a=1", "/x.php")
        ]
        found = fetch(tmp_path, *urls)
        assert [one.reason for one in found] == ["", "robots_disallow", "", "robots_disallow", ""]
        assert [path for path, _, _ in site.asked].count("/robots.txt") == 1
        other = fetch(tmp_path / "other", urls[0], user_agent="Another/1.0")
        assert other[0].reason == "robots_disallow"


@pytest.mark.parametrize(
    ("status", "reason"), [(404, ""), (403, ""), (500, "robots_unreachable"), (429, "robots_unreachable")]
)
def test_without_robots_txt_all_is_open_and_with_a_broken_one_nothing(
    tmp_path: Path, status: int, reason: str
) -> None:
    pages = {"/robots.txt": lambda asked: asked.say(status=status), "/a.csv": CSV}
    with Site(pages) as site:
        found = one(tmp_path, site.url("/a.csv"))
        assert found.reason == reason and (not reason or found.passing)
        assert ("/a.csv" in site.paths()) is not reason or not reason


def test_robots_txt_elsewhere_endless_or_packed(tmp_path: Path) -> None:
    def endless(asked: Asked) -> None:
        asked.begin()
        asked.write(b"User-agent: *\nDisallow: /no\n")
        while not asked.gone:
            asked.write(b"# nothing\n" * 6000)

    def packed(asked: Asked) -> None:
        asked.say(gzip.compress(b"User-agent: *\nDisallow: /no\n"), content_encoding="gzip")

    def moved(asked: Asked) -> None:
        asked.say(status=301, location="/real-robots")

    for robots in (endless, packed, moved):
        pages = {
            "/robots.txt": robots, "/real-robots": b"User-agent: *\nDisallow: /no\n", "/no.csv": CSV, "/yes.csv": CSV,
        }  # fmt: skip
        with Site(pages) as site:
            folder = tmp_path / robots.__name__
            found = fetch(folder, site.url("/no.csv"), site.url("/yes.csv"))
            assert [one.reason for one in found] == ["robots_disallow", ""], robots.__name__


def test_a_host_is_asked_for_one_thing_at_a_time_with_pauses(tmp_path: Path) -> None:
    def answer(asked: Asked) -> None:
        time.sleep(0.05)
        asked.say(CSV + asked.path.encode())

    pages: dict[str, Any] = {f"/{number}.csv": answer for number in range(4)}
    pages["/robots.txt"] = b"User-agent: *\nCrawl-delay: 0.3\n"
    with Site(pages) as site:
        found = fetch(tmp_path, *(site.url(path) for path in pages if path != "/robots.txt"))
        assert [one.reason for one in found] == [""] * 4
        times = [at for path, _, at in site.asked if path != "/robots.txt"]
        assert site.most_busy == 1
        assert min(after - before for before, after in pairwise(times)) >= 0.3
    with Site({**pages, "/robots.txt": b"User-agent: *\nCrawl-delay: 600\n"}) as site:
        assert one(tmp_path, site.url("/1.csv")).reason == "crawl_delay" and site.paths() == []


def test_several_hosts_at_once_but_no_more_than_so_many(tmp_path: Path) -> None:
    barrier = threading.Barrier(2, timeout=5)
    busy, most, lock = 0, 0, threading.Lock()

    def answer(asked: Asked) -> None:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        try:
            barrier.wait()
        finally:
            with lock:
                busy -= 1
        asked.say(CSV)

    with Site({"/a.csv": answer}) as site:
        # 127.0.0.x are one machine and many hosts.
        urls = [f"http://127.0.0.{number}:{site.port}/a.csv" for number in range(1, 2)]
        urls += [f"http://localhost:{site.port}/a.csv"]
        assert [one.reason for one in fetch(tmp_path, *urls, concurrency=2)] == ["", ""]
        assert most == 2


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_host_that_asks_to_wait_is_waited_for(tmp_path: Path, form: str) -> None:
    def answer(asked: Asked) -> None:
        if asked.number == 0:
            later = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
            asked.say(b"slow down", 429, retry_after="1" if form == "seconds" else later)
        else:
            asked.say(CSV)

    with Site({"/a.csv": answer}) as site:
        assert one(tmp_path, site.url("/a.csv"), patience=5.0).reason == ""
        (first, second) = (at for path, _, at in site.asked if path == "/a.csv")
        assert second - first >= 0.9


def test_a_host_that_asks_to_wait_too_long_is_left_alone(tmp_path: Path) -> None:
    pages = {
        f"/{number}.csv": (lambda asked: asked.say(b"", 429, retry_after="3600")) for number in range(5)
    }  # fmt: skip
    with Site(pages) as site:
        found = fetch(tmp_path, *(site.url(path) for path in pages))
        assert sorted(one.reason for one in found) == ["host_gave_up"] * 4 + ["rate_limited"]
        assert all(one.passing for one in found) and len(site.paths()) == 1


def test_a_host_that_is_down_costs_three_attempts(tmp_path: Path) -> None:
    pages = {f"/{number}.csv": (lambda asked: asked.say(b"", 503)) for number in range(9)}
    with Site(pages) as site:
        found = fetch(tmp_path, *(site.url(path) for path in pages), attempts=2)
        reasons = {one.reason for one in found}
        assert reasons == {"server_error", "host_gave_up"} or reasons == {"host_gave_up"}
        assert len(site.paths()) == 3


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "not_found"), (410, "not_found"), (403, "forbidden"), (401, "forbidden"),
                           (451, "forbidden"), (418, "http_error")],
)  # fmt: skip
def test_refusals_for_good_are_asked_once(tmp_path: Path, status: int, reason: str) -> None:
    with Site({"/a.csv": lambda asked: asked.say(CSV, status)}) as site:
        found = one(tmp_path, site.url("/a.csv"))
        assert (found.reason, found.passing) == (reason, False) and str(status) in found.detail
        assert one(tmp_path, site.url("/a.csv")) == found and len(site.paths()) == 1


def test_a_bad_file_makes_no_bad_host(tmp_path: Path) -> None:
    with Site({"/bad.csv": lambda asked: asked.say(b"", 500), "/good.csv": CSV}) as site:
        found = fetch(tmp_path, site.url("/bad.csv"), site.url("/good.csv"), attempts=5)
        assert [one.reason for one in found] == ["server_error", ""] and site.paths().count("/bad.csv") == 5


@pytest.mark.parametrize(
    ("reader", "reason"),
    [
        ("look_and_die", "parser_crashed"),
        ("look_and_dawdle", "too_slow"),
        ("look_and_swell", "too_much_memory"),
        ("look_elsewhere", "reached_outside"),
    ],
)
def test_a_file_that_fells_its_reader_fells_nothing_else(tmp_path: Path, reader: str, reason: str) -> None:
    looker = Looker(f"tests.workspace.faulty_readers:{reader}")

    async def go(*urls: str) -> list[Fetched]:
        async with Fetcher(settings(site.host, seconds=2.0), tmp_path, looker=looker) as fetcher:
            return [await fetcher.fetch(url) for url in urls]

    with Site({"/bad.csv": CSV + b"poison", "/good.csv": CSV}) as site:
        bad, good = asyncio.run(go(site.url("/bad.csv"), site.url("/good.csv")))
    looker.end()
    assert (bad.reason, bad.passing, good.reason) == (reason, False, "")
    nothing_left(tmp_path)


def test_a_gzip_bomb_ends_at_the_cap(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(b"1,2,3,4\n" * 2**17) for _ in range(256)) + packer.flush()
    assert len(bomb) < 2**20

    def gzipped(asked: Asked) -> None:
        asked.say(bomb, content_encoding="gzip")

    with Site({"/bomb.csv": gzipped}) as site:
        began = time.process_time()
        found = one(tmp_path, site.url("/bomb.csv"))
        assert found.reason == "too_large" and time.process_time() - began < 2
        nothing_left(tmp_path)


def test_a_packed_body_is_unpacked_within_bounds(tmp_path: Path) -> None:
    packed = gzip.compress(CSV * 20)
    pages = {
        "/good.csv": lambda asked: asked.say(packed, content_encoding="gzip", etag='"a"'),
        "/cut.csv": lambda asked: asked.say(packed[:-12], content_encoding="gzip"),
        "/bad.csv": lambda asked: asked.say(b"no gzip at all", content_encoding="gzip"),
        "/br.csv": lambda asked: asked.say(CSV, content_encoding="br"),
        "/twice.csv": lambda asked: asked.say(gzip.compress(packed), content_encoding="gzip, gzip"),
    }  # fmt: skip
    with Site(pages) as site:
        found = fetch(tmp_path, *(site.url(path) for path in pages))
        assert [one.reason for one in found] == [
            "",
            "incomplete",
            "bad_encoding",
            "unknown_encoding",
            "unknown_encoding",
        ]
        assert found[0].bytes == len(CSV) * 20
        nothing_left(tmp_path)


def test_a_refresh_asks_whether_a_file_changed(tmp_path: Path) -> None:
    content, tag = CSV, '"one"'

    def answer(asked: Asked) -> None:
        if asked.headers.get("If-None-Match") == tag:
            asked.say(status=304, etag=tag)
        else:
            asked.say(content, etag=tag)

    with Site({"/a.csv": answer}) as site:
        first = one(tmp_path, site.url("/a.csv"))
        same = one(tmp_path, site.url("/a.csv"), refresh=True)
        assert same.sha256 == first.sha256 and len(site.paths()) == 2
        content, tag = CSV.replace(b"845", b"846"), '"two"'
        changed = one(tmp_path, site.url("/a.csv"), refresh=True)
        assert changed.sha256 != first.sha256 and changed.reason == ""
        url = site.url("/a.csv")
    # The site is gone: what was there stays.
    assert one(tmp_path, url, refresh=True, attempts=1) == changed


def test_hosts_that_the_user_leaves_out_are_never_asked(tmp_path: Path) -> None:
    with Site({"/a.csv": CSV}) as site:
        found = one(tmp_path, site.url("/a.csv"), deny_hosts=("127.0.0.1",))
        assert found.reason == "denied_host" and site.asked == []
    assert Address("https://data.example.org/").below(("example.org",))
    assert not Address("https://notexample.org/").below(("example.org",))


def test_https_is_checked_by_name_at_the_pinned_address(tmp_path: Path) -> None:
    """A certificate of localhost: good under that name, refused under another that leads to the same address."""
    cryptography = pytest.importorskip("cryptography")
    assert cryptography
    key, certificate = _certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Site({"/a.csv": CSV}) as site:
        site._server.socket = context.wrap_socket(site._server.socket, server_side=True)
        trusted = ssl.create_default_context(cafile=str(certificate))

        async def go(host: str) -> Fetched:
            given = settings(f"{host}:{site.port}")
            async with Fetcher(given, tmp_path / host, tls=trusted) as fetcher:
                return await fetcher.fetch(f"https://{host}:{site.port}/a.csv")

        assert asyncio.run(go("localhost")).reason == ""
        assert site.asked[-1][1]["Host"] == f"localhost:{site.port}"
        refused = asyncio.run(go("127.0.0.1"))
        assert refused.reason == "robots_unreachable" and "certificate" in refused.detail


def test_an_https_address_is_never_followed_to_http() -> None:
    with pytest.raises(Refusal, match="redirect_downgraded"):
        Address("https://example.org/a").follow("http://example.org/a")


def test_nothing_secret_is_written_down(tmp_path: Path) -> None:
    with Site({"/a.csv": CSV}) as site:
        url = site.url(
            "/a.csv?year=2023&token=tell-nobody-1&X-Amz-Signature=abcdef&h=0123456789abcdef0123456789abcdef"
        )
        found = one(tmp_path, url)
        assert found.reason == "" and "tell-nobody-1" in site.asked[-1][0]
        assert found.url.endswith("/a.csv?year=2023&token=hidden&X-Amz-Signature=hidden&h=hidden")
        secret = site.url("/a.csv").replace("//", "//me:pass-word@")
        refused = one(tmp_path, secret)
        assert refused.reason == "credentials_in_address"
    for path in tmp_path.rglob("*"):
        text = f"{path.name} {path.read_bytes().decode() if path.is_file() else ''}"
        assert not any(word in text for word in ("tell-nobody", "abcdef0123", "pass-word"))


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_recorded_address_has_no_user_name(user: str, rest: str) -> None:
    clean = "".join(one for one in user if one.isalnum())
    assert "@" not in recorded(f"https://{clean}x:pw@example.org/{rest.replace('@', '')}").split("?")[0]


@pytest.mark.parametrize(
    ("offered", "family", "name"),
    [
        ("../../etc/passwd", "txt", "passwd.txt"),
        ("..\\..\\boot.ini", "csv", "boot.ini.csv"),
        ("report.pdf\x00.exe", "pdf", "report.pdf .exe.pdf"),
        ("\u202egpj.xlsx", "xlsx", "gpj.xlsx"),
        (".htaccess", "txt", "htaccess.txt"),
        ("~$budget.xlsx", "xlsx", "budget.xlsx"),
        ("CON.csv", "csv", "_CON.csv"),
        ('a<b>"c|d?.csv', "csv", "a_b__c_d_.csv"),
        ("", "pdf", "file.pdf"),
        ("...", "pdf", "file.pdf"),
        ("Bilan annuel.XLSX", "xlsx", "Bilan annuel.XLSX"),
        (f"{'é' * 300}.csv", "csv", f"{'é' * 50}.csv"),
        ("manifest.jsonl", "json", "manifest.jsonl.json"),
    ],
)
def test_names_are_made_harmless(offered: str, family: Any, name: str) -> None:
    assert safe_name(offered, family) == name


@given(st.text(max_size=300))
def test_any_name_is_one_piece_of_a_path(offered: str) -> None:
    name = safe_name(offered, "csv")
    assert name.endswith((".csv", ".tsv", ".tab", ".CSV")) or name.casefold().endswith(
        (".csv", ".tsv", ".tab")
    )
    assert "/" not in name and "\\" not in name and not name.startswith((".", "~")) and name.isprintable()
    assert len(name.encode()) <= 255


def test_names_in_headers() -> None:
    assert (
        offered_name("attachment; filename*=UTF-8''na%C3%AFve%20file.csv; filename=\"b.csv\"", "/x")
        == "naïve file.csv"
    )
    assert offered_name('attachment; filename="a \\"b\\".csv"', "/x") == 'a "b".csv'
    assert offered_name("attachment; filename=plain.csv", "/x") == "plain.csv"
    assert offered_name("inline", "/folder/my%20table.csv") == "my table.csv"
    assert offered_name("attachment; filename*=nonsense''x%20y.csv", "/folder/y.csv") == "y.csv"


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A key and a certificate for the name localhost, good for an hour."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    places = folder / "key.pem", folder / "certificate.pem"
    places[0].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    places[1].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return places
