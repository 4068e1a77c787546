"""Fetching a release: from a real server on loopback that cuts, redirects, changes and lies."""

import hashlib
import http.server
import io
import re
import stat
import threading
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from pathlib import Path

import pytest
from pydantic import ValidationError
from small_release import SMALL, write_text

from graphforge.errors import InputError
from graphforge.seeds import OnetOccupations, OnetRelease
from graphforge.seeds.download import _SafeRedirects, download
from graphforge.seeds.unpack import unpack

NAME = "db_30_1_text.zip"


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


@pytest.fixture
def members(tmp_path: Path) -> dict[str, bytes]:
    folder = tmp_path / "made"
    folder.mkdir()
    write_text(folder, SMALL)
    found = {f"db_30_1_text/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}
    # Something that is not read, and large enough to be cut in.
    return {
        **found,
        "db_30_1_text/Abilities.txt": bytes(range(256)) * 4096,
        "db_30_1_text/Read Me.txt": b"O*NET 30.1",
    }


class Host:
    """What the server serves, and how badly. ``cuts``: after how many bytes each of the next replies breaks off."""

    def __init__(self, content: bytes):
        self.content = content
        self.tag = '"one"'
        self.cuts: list[int] = []
        self.failures: list[int] = []
        self.moved = False
        self.ranges = True
        self.asked: list[tuple[str, str | None]] = []
        self.address = ""


class Handler(http.server.BaseHTTPRequestHandler):
    host: Host

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        host = self.host
        wanted = self.headers.get("Range")
        host.asked.append((self.path, wanted))
        if host.failures:
            self.send_error(host.failures.pop(0))
            return
        if host.moved and not self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", f"{host.address}/moved{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if not self.path.endswith(f"/{NAME}"):
            self.send_error(404)
            return
        start = 0
        if wanted and host.ranges and self.headers.get("If-Range") == host.tag:
            start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1])  # type: ignore[index]
            if start >= len(host.content):
                self.send_response(416)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        body = host.content[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(host.content) - 1}/{len(host.content)}")
        self.send_header("Content-Length", str(len(body)))
        if host.tag:
            self.send_header("ETag", host.tag)
        self.end_headers()
        cut = host.cuts.pop(0) if host.cuts else None
        self.wfile.write(body[:cut])
        self.close_connection = True


@pytest.fixture
def host(members: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    made = Host(zipped(members))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"host": made}))
    made.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def source(host: Host) -> Callable[..., OnetRelease]:
    def make(**changes: object) -> OnetRelease:
        values = {"release": "30.1", "address": host.address, "pause": 0.0, "attempts": 3, "seconds": 20.0}
        return OnetRelease(**{**values, **changes})

    return make


Make = Callable[..., OnetRelease]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_release_is_fetched_once(
    host: Host, source: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tables = source().load()
    assert list(tables.occupations) == ["13-2011.00", "55-1011.00"]
    assert tables == source().load()
    assert host.asked == [(f"/{NAME}", None)]
    assert tables.name.startswith(
        f"O*NET 30.1, {NAME}, sha256 {digest(host.content)} (set occupations.sha256"
    )
    assert "set" not in source(sha256=digest(host.content)).load().name
    # Only what the loader reads is unpacked, flat, and it reads as a folder of the user's would.
    assert tables.origin is not None and tables.origin.is_relative_to(tmp_path / "cache" / "graphforge")
    assert sorted(path.name for path in tables.origin.iterdir()) == sorted([*SMALL, "Read Me.txt"])
    assert OnetOccupations(root=tables.origin).load().tasks == tables.tasks
    home = tables.origin.parent
    assert {path.name for path in home.iterdir() if path.is_file()} == {
        NAME,
        f"{NAME}.lock",
        f"{NAME}.sha256",
    }


def test_of_several_at_once_one_fetches(host: Host, source: Make, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: source().fetch(tmp_path), range(4)))
    assert len(set(found)) == len(host.asked) == 1


def test_a_cut_connection_is_gone_on_with(host: Host, source: Make, tmp_path: Path) -> None:
    host.cuts = [1000, 500]
    _, found = source().fetch(tmp_path)
    assert found == digest(host.content)
    assert [wanted for _, wanted in host.asked] == [None, "bytes=1000-", "bytes=1500-"]


def test_a_later_run_goes_on_too(host: Host, source: Make, tmp_path: Path) -> None:
    host.cuts = [1000] * 3
    with pytest.raises(InputError, match=r"cut at 3,000 of [\d,]+ bytes \(after 3 attempts"):
        source().fetch(tmp_path)
    assert not list((tmp_path / "onet").glob("db_30_1_text-*"))
    host.asked.clear()
    source().fetch(tmp_path)
    assert host.asked == [(f"/{NAME}", "bytes=3000-")]


@pytest.mark.parametrize("how", ["changed", "no ranges", "no version"])
def test_halves_of_two_files_are_never_joined(host: Host, source: Make, tmp_path: Path, how: str) -> None:
    host.cuts = [1000]
    if how == "no version":
        host.tag = ""
    with pytest.raises(InputError):
        source(attempts=1).fetch(tmp_path)
    if how == "changed":
        host.tag, host.content = '"two"', zipped({"x/Read Me.txt": b"O*NET 30.1", "x/y": bytes(5000)})
    elif how == "no ranges":
        host.ranges = False
    assert source(attempts=1).fetch(tmp_path)[1] == digest(host.content)


def test_a_server_that_recovers(host: Host, source: Make, tmp_path: Path) -> None:
    host.failures = [503, 429]
    source().fetch(tmp_path)
    assert len(host.asked) == 3


def test_a_release_that_is_not_there_is_asked_for_once(host: Host, source: Make, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"db_31_0_csv\.zip can't be fetched: the server answers 404"
    ) as caught:
        source(release="31.0", edition="csv").fetch(tmp_path)
    assert "occupations.root=<folder>" in caught.value.remedy
    assert len(host.asked) == 1


def test_a_server_that_is_not_there(source: Make, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"can't be fetched: .*refused"):
        source(address="http://127.0.0.1:9", attempts=2).fetch(tmp_path)


def test_a_redirect_is_followed(host: Host, source: Make, tmp_path: Path) -> None:
    host.moved, host.cuts = True, [1000]
    source().fetch(tmp_path)
    assert host.asked[-1] == (f"/moved/{NAME}", "bytes=1000-")


def test_but_never_away_from_https() -> None:
    request = urllib.request.Request("https://example.org/a.zip")
    go = _SafeRedirects().redirect_request
    with pytest.raises(InputError, match="not https"):
        go(request, io.BytesIO(), 302, "Found", Message(), "http://example.org/a.zip")
    assert go(request, io.BytesIO(), 302, "Found", Message(), "https://example.net/a.zip") is not None


def test_a_wrong_hash_is_refused_and_not_kept(host: Host, source: Make, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"has the sha256 {digest(host.content)} and not {'0' * 64}"):
        source(sha256="0" * 64).fetch(tmp_path)
    assert not [path for path in (tmp_path / "onet").iterdir() if path.suffix in {".zip", ".part", ".sha256"}]
    source(sha256=digest(host.content)).fetch(tmp_path)


def test_the_first_hash_is_held_to(
    host: Host, source: Make, members: dict[str, bytes], tmp_path: Path
) -> None:
    _, first = source().fetch(tmp_path)
    (tmp_path / "onet" / NAME).unlink()
    host.tag, host.content = '"two"', zipped({**members, "db_30_1_text/more": b"x"})
    with pytest.raises(InputError, match=rf"and not {first} \(the first download, in .*sha256\)") as caught:
        source().fetch(tmp_path)
    assert "delete" in caught.value.remedy
    assert source(sha256=digest(host.content)).fetch(tmp_path)[1] == digest(host.content)


def test_a_spoilt_cache_is_fetched_again(host: Host, source: Make, tmp_path: Path) -> None:
    folder, _ = source().fetch(tmp_path)
    (tmp_path / "onet" / NAME).write_bytes(b"spoilt")
    assert source().fetch(tmp_path)[0] == folder
    assert len(host.asked) == 2
    assert (tmp_path / "onet" / NAME).read_bytes() == host.content


def test_a_truncated_zip_is_refused_and_not_trusted(host: Host, source: Make, tmp_path: Path) -> None:
    whole = host.content
    host.content = whole[: len(whole) // 2]
    with pytest.raises(InputError, match=rf"{NAME} is no O\*NET release: it is cut short or damaged"):
        source().fetch(tmp_path)
    host.content = whole
    assert source().fetch(tmp_path)[1] == digest(whole)


def test_a_file_beyond_the_bound_is_refused(host: Host, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"more than the 1,000 allowed"):
        download(f"{host.address}/{NAME}", tmp_path / "part", most=1000, seconds=9, attempts=1, pause=0)


@pytest.mark.parametrize("release", ["24.3", "25.0", "30", "x"])
def test_a_release_of_another_taxonomy_is_refused(release: str) -> None:
    with pytest.raises(ValidationError):
        OnetRelease(release=release, address="https://example.org")


def test_a_release_may_be_written_as_a_number() -> None:
    made = OnetRelease(release=31.0, edition="csv", address="https://example.org")  # type: ignore[arg-type]
    assert made.file == "db_31_0_csv.zip"


def linked() -> bytes:
    info = zipfile.ZipInfo("Task Statements.txt")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    return made.getvalue()


def damaged() -> bytes:
    made = bytearray(zipped({"Task Statements.txt": bytes(range(256)) * 40}))
    made[60] ^= 0xFF
    return bytes(made)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (zipped({"../Task Statements.txt": b"x"}), "points outside"),
        (zipped({"/Task Statements.txt": b"x"}), "points outside"),
        (zipped({"a\\..\\Task Statements.txt": b"x"}), "points outside"),
        (zipped({"C:/Task Statements.txt": b"x"}), "points outside"),
        (zipped({"a/Task Statements.txt": b"x", "b/task statements.txt": b"x"}), "a table twice"),
        (zipped({"notes.txt": b"x"}), "no table"),
        (zipped({"Task Statements.txt": bytes(20_000)}), "more than 10,000 bytes"),
        (
            zipped({"Task Statements.txt": bytes(6_000), "Occupation Data.txt": bytes(6_000)}),
            "more than 10,000",
        ),
        (zipped({str(number): b"" for number in range(1001)}), "1,001 members"),
        (linked(), "a link"),
        (damaged(), "cut short or damaged"),
        (b"<html>Not found</html>", "cut short or damaged"),
    ],
)
def test_an_archive_that_no_honest_one_is(content: bytes, words: str, tmp_path: Path) -> None:
    archive, folder = tmp_path / "a.zip", tmp_path / "inside"
    archive.write_bytes(content)
    folder.mkdir()
    with pytest.raises(InputError, match=words):
        unpack(archive, folder, "a.zip", most=10_000)
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip", "inside"}
