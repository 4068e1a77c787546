"""Searching the web: each engine's interface and faults, queries, the folder that is laid out, and its books."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from engines import KEY, brave, says, searxng, serper, tavily
from hydra import compose, initialize_config_dir
from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import OmegaConf
from web_site import CSV, Asked, Site, settings

from graphforge.errors import ConfigError, InputError
from graphforge.records import Passage, Seed
from graphforge.workspace import Library, LicenceGate, WebSearch
from graphforge.workspace.web import Gathered
from graphforge.workspace.web.asking import SearchError
from graphforge.workspace.web.queries import queries_of

ROOT = Path(__file__).resolve().parents[2]
ANY = LicenceGate(allow=("any",), without_manifest="pass", sites=())
KEYS = {"serper": "SERPER_API_KEY", "brave": "BRAVE_API_KEY", "tavily": "TAVILY_API_KEY"}
SPEAK = {"serper": serper, "brave": brave, "tavily": tavily, "searxng": searxng}


def a_seed(number: int = 1, **changes: Any) -> Seed:
    given: dict[str, Any] = {
        "id": f"seed-{number}", "occupation_code": "13-2011.00", "occupation": "Accountants", "sector": "13",
        "sector_name": "Business", "subsector": "13-2", "task_id": "1", "dwa_id": "4.A.1",
        "dwa": "Analyze budgetary or accounting data.", "demand": "Compare permits issued by district with fees",
        "demand_key": "compare permits", "pattern": "reconciliation", "input_family": "delimited",
        "output_family": "spreadsheet", "evidence": (Passage(source="task", text="Compare."),), **changes,
    }  # fmt: skip
    return Seed(**given)


def engine(name: str, url: str = "", **changes: Any) -> WebSearch:
    overrides = [
        f"search={name}",
        "search.pause=0",
        "search.seconds=2.0",
        "search.queries=1",
        "search.attempts=2",
    ]
    overrides += [f"search.url={url}"] if url else []
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        cfg = compose("config", overrides=overrides)
    plain: Any = OmegaConf.to_container(cfg.search, resolve=True)
    built: WebSearch = instantiate({**plain, **changes}, _convert_="all")
    return built


def gather(
    search: WebSearch, base: Path, *allowed: str, seeds: Sequence[Seed] = (a_seed(),), licences: LicenceGate = ANY,
    **changes: Any,
) -> Gathered:  # fmt: skip
    return asyncio.run(search.gather(seeds, settings(*allowed, **changes), licences, base))


def library(found: Gathered, licences: LicenceGate = ANY, pages: int = 50) -> Library:
    return found.complete(found.search.open(None, None, licences), pages)


def reasons(found: Library | Gathered) -> dict[str, str]:
    return {rejection.id: rejection.reason for rejection in found.rejections}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in KEYS.values():
        monkeypatch.setenv(variable, KEY)


@pytest.mark.parametrize("name", SPEAK)
def test_each_engine_is_asked_in_its_own_way(name: str, tmp_path: Path) -> None:
    queries: list[str] = []

    def results(query: str) -> list[tuple[str, str]]:
        queries.append(query)
        return [(site.url("/a.csv"), "Permits by district"), (site.url("/gone.csv"), "Gone")]

    with Site({"/a.csv": CSV}) as site, Site({"/search": SPEAK[name](results)}) as asked:
        search = engine(name, asked.url("/search"))
        found = gather(search, tmp_path, site.host)
        [query] = queries
        assert "permits" in query and "csv" in query
        books = library(found)
        assert reasons(books) == {site.url("/gone.csv"): "not_found"}
        [file] = books.files.values()
        assert (file.source.url, file.source.title) == (site.url("/a.csv"), "Permits by district")
        assert file.source.topic == "Analyze budgetary or accounting data" and file.name == "a.csv"
        assert books.count().inputs == 2
        # A second time nothing is asked, not even of the engine.
        before = len(site.asked), len(asked.asked)
        again = gather(search, tmp_path, site.host)
        assert again.search.root == found.search.root and again.rejections == found.rejections
        assert (len(site.asked), len(asked.asked)) == before and again.asked == 0
        assert gather(engine(name, asked.url("/search"), refresh=True), tmp_path, site.host).asked == 1
    offline = gather(engine(name, asked.url("/search"), offline=True), tmp_path, site.host)
    assert offline.search.root == found.search.root
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    ("name", "body", "status", "words"),
    [
        ("serper", {"message": "Unauthorized.", "statusCode": 403}, 403, "SERPER_API_KEY"),
        ("serper", {"message": "Not enough credits", "statusCode": 400}, 400, "credits are used up"),
        ("brave", {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 422, "BRAVE_API_KEY"),
        ("brave", {"type": "ErrorResponse", "error": {"code": "QUOTA_LIMITED"}}, 429, "quota is used up"),
        ("tavily", {"detail": {"error": "Unauthorized: missing or invalid API key."}}, 401, "TAVILY_API_KEY"),
        ("tavily", {"detail": {"error": "This request exceeds your plan's set usage limit."}}, 432, "quota is used up"),
        ("tavily", {"detail": {"error": "This request exceeds the pay-as-you-go limit."}}, 433, "quota is used up"),
        ("searxng", b"<html>403 Forbidden</html>", 403, "search.formats"),
        ("searxng", b"<html>nothing here</html>", 404, "no SearXNG"),
    ],
)  # fmt: skip
def test_an_engine_that_will_not_answer_ends_the_run_in_one_line(
    name: str, body: Any, status: int, words: str, tmp_path: Path
) -> None:
    with Site({"/search": says(body, status)}) as asked:
        with pytest.raises(SearchError, match=words) as caught:
            gather(engine(name, asked.url("/search")), tmp_path)
        assert len(asked.asked) == 1 and "\n" not in str(caught.value) and KEY not in str(caught.value)


@pytest.mark.parametrize("name", SPEAK)
@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (b"{not json", 200, "query_malformed_answer"),
        (b"[1, 2]", 200, "query_malformed_answer"),
        ({"organic": 7, "results": 7, "web": {"results": 7}}, 200, "query_malformed_answer"),
        ({"message": "slow down"}, 429, "query_rate_limited"),
        ({"message": "our fault"}, 500, "query_failed"),
        (b"moved", 302, "query_failed"),
    ],
)
def test_a_query_without_an_answer_is_rejected_and_the_others_go_on(
    name: str, body: Any, status: int, reason: str, tmp_path: Path
) -> None:
    good = SPEAK[name](lambda query: [(site.url("/a.csv"), "A")])
    bad = says(body, status, location="/search")

    def answer(asked: Asked) -> None:
        text = asked.path + asked.body.decode()
        (bad if "whale" in text else good)(asked)

    seeds = [a_seed(1), a_seed(2, demand="Count whales by harbour")]
    with Site({"/a.csv": CSV}) as site, Site({"/search": answer}) as asked:
        found = gather(engine(name, asked.url("/search")), tmp_path, site.host, seeds=seeds)
        assert reasons(found) == {"count whales harbour filetype:csv": reason}
        assert len(asked.asked) == 3 and found.fetched == 1
        # It is asked again in the next run.
        again = gather(engine(name, asked.url("/search")), tmp_path, site.host, seeds=seeds)
        assert again.asked == 1 and len(asked.asked) == 5


def test_an_engine_that_is_silent_or_away_ends_in_one_line(tmp_path: Path) -> None:
    def silent(asked: Asked) -> None:
        time.sleep(1)

    with (
        Site({"/search": silent}) as asked,
        pytest.raises(SearchError, match=r"timeout: no answer in 0\.2 s"),
    ):
        gather(engine("searxng", asked.url("/search"), seconds=0.2), tmp_path)
    with pytest.raises(SearchError, match="query_no_connection"):
        gather(engine("searxng", asked.url("/search")), tmp_path)


def test_searxng_without_engines_is_not_without_results(tmp_path: Path) -> None:
    body = {"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]}
    with (
        Site({"/search": says(body)}) as asked,
        pytest.raises(SearchError, match="google: CAPTCHA, bing: timeout"),
    ):
        gather(engine("searxng", asked.url("/search")), tmp_path)
    nothing = says({"results": [], "unresponsive_engines": []})
    with Site({"/search": nothing}) as asked, pytest.raises(InputError, match="no_results 1"):
        gather(engine("searxng", asked.url("/search")), tmp_path)


@pytest.mark.parametrize("name", KEYS)
def test_a_missing_key_is_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEYS[name])
    with pytest.raises(InputError, match=f"{KEYS[name]}, which is not set") as caught:
        gather(engine(name), tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "url", "words"),
    [
        ("searxng", "http://me:word@localhost/search", "no user name or password"),
        ("searxng", "localhost:8080/search", "http:// or https://"),
        ("serper", "http://google.serper.dev/search", "in the clear"),
    ],
)
def test_an_engines_address_holds_no_secret_and_keeps_the_key_from_others(
    name: str, url: str, words: str
) -> None:
    with pytest.raises(InstantiationException, match=words):
        engine(name, url)


@pytest.mark.parametrize(("name", "package"), [("ddgs", "ddgs"), ("searxng", "httpx")])
def test_a_missing_package_is_one_line(
    name: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"package {package}, which is not installed. Run pip install"):
        gather(engine(name), tmp_path)


def test_ddgs_reads_result_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package itself, against a page in the form that its DuckDuckGo backend reads."""
    pytest.importorskip("ddgs")
    from ddgs.engines.duckduckgo import Duckduckgo

    queries: list[str] = []

    def answer(asked: Asked) -> None:
        queries.append(asked.body.decode())
        if mode == "fails":
            asked.say(b"", 202)
            return
        link = f'<a href="{site.url("/a.csv")}">' if mode == "finds" else ""
        body = f'<div class="links_main body"><h2>{link}Permits by district</a></h2>{link}all about permits</a></div>'
        asked.say(
            f"<html><body>{body if link else '<p>none</p>'}</body></html>".encode(), content_type="text/html"
        )

    with Site({"/a.csv": CSV}) as site, Site({"/html/": answer}) as asked:
        monkeypatch.setattr(Duckduckgo, "search_url", asked.url("/html/"))
        mode = "finds"
        found = gather(engine("ddgs", backend="duckduckgo"), tmp_path / "finds", site.host)
        assert found.fetched == 1 and "permits" in queries[0] and "filetype" in queries[0]
        mode = "nothing"
        with pytest.raises(InputError, match="no_results 1"):
            gather(engine("ddgs", backend="duckduckgo"), tmp_path / "nothing", site.host)


def test_ddgs_that_is_held_off_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ddgs = pytest.importorskip("ddgs")
    from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

    faults = [
        RatelimitException("202 Ratelimit"),
        TimeoutException("late"),
        DDGSException("no engine answered"),
    ]
    raised: list[Exception] = []

    def text(*_: Any, **__: Any) -> list[dict[str, str]]:
        raised.append(faults[len(raised) % len(faults)])
        raise raised[-1]

    monkeypatch.setattr(ddgs.DDGS, "text", text)
    with pytest.raises(SearchError, match="query_failed: no engine answered"):
        gather(engine("ddgs", attempts=3), tmp_path)
    assert len(raised) == 3


def test_queries_are_the_seeds_own_words_with_file_types_in_turn() -> None:
    seeds = [a_seed(1), a_seed(2), a_seed(3, demand="Prepare reports", input_family="spreadsheet")]
    asked = queries_of(seeds, 3, ("xlsx", "csv", "pdf"))
    assert [query.text for query in asked] == [
        "permits district fees filetype:csv",
        "budgetary accounting accountants filetype:pdf",
        "permits district fees filetype:xlsx",
        "budgetary accounting accountants filetype:xlsx",
        "budgetary accounting accountants filetype:csv",
    ]
    assert queries_of(seeds, 3, ("xlsx", "csv", "pdf")) == asked
    assert [query.text for query in queries_of(seeds[:1], 1, ("html",))] == ["permits district fees"]


def test_a_plan_says_what_will_be_asked_and_is_held_to_its_bounds(tmp_path: Path) -> None:
    seeds = [a_seed(1), a_seed(2, demand="Count whales by harbour")]
    with (
        Site({"/a.csv": CSV}) as site,
        Site({"/search": searxng(lambda query: [(site.url("/a.csv"), "A")])}) as asked,
    ):
        search = engine("searxng", asked.url("/search"), queries=2)
        plan = search.plan(seeds, settings(), tmp_path)
        assert (plan.queries, plan.recorded, plan.addresses) == (3, 0, 30)
        assert "2 seeds are worth 3 queries, 0 of them answered before: 3 to ask of searxng" in plan.line()
        assert asked.asked == []
        gather(search, tmp_path, site.host, seeds=seeds)
        plan = search.plan(seeds, settings(), tmp_path)
        assert (plan.queries, plan.recorded, plan.addresses) == (3, 3, 0)
    with pytest.raises(ConfigError, match=r"search.most_queries = 2"):
        engine("searxng", queries=2, most_queries=2).plan(seeds, settings(), tmp_path)
    with pytest.raises(ConfigError, match=r"fetch.files = 29"):
        engine("searxng", queries=2).plan(seeds, settings(files=29), tmp_path)
    assert engine("searxng", queries=3).outlook(10, settings()).addresses == 300
    assert (
        engine("searxng", queries=2, most_queries=2, offline=True).plan(seeds, settings(), tmp_path).addresses
        == 0
    )


def test_every_address_is_a_file_or_a_rejection(tmp_path: Path) -> None:
    pages: dict[str, Any] = {
        "/robots.txt": b"User-agent: *\nDisallow: /kept/",
        "/a.csv": CSV,
        "/b/a.csv": CSV.replace(b"845", b"846"),
        "/copy.csv": CSV,
        "/text.txt": b"Nothing but words.\n",
        "/page.html": b"<!doctype html><html><body><p>A page about permits.</p></body></html>",
        "/broken.csv": b"\x00\x01\x02 no table" * 9,
        "/big.csv": b"1,2\n" * 10**6,
    }
    with Site(pages) as site:
        paths = [*[path for path in pages if path != "/robots.txt"], "/kept/x.csv", "/gone.csv"]
        urls = [
            *map(site.url, paths),
            "http://10.1.2.3/inside.csv",
            "ftp://example.org/a.csv",
            site.url("/a.csv#again"),
        ]
        with Site({"/search": searxng(lambda query: [(url, "") for url in urls])}) as asked:
            found = gather(engine("searxng", asked.url("/search"), results=50), tmp_path, site.host)
            books = library(found)
        expected = {
            "/copy.csv": "exact_duplicate", "/page.html": "other_type", "/broken.csv": "unknown_format",
            "/big.csv": "too_large", "/kept/x.csv": "robots_disallow", "/gone.csv": "not_found",
        }  # fmt: skip
        assert reasons(books) == {
            **{site.url(path): reason for path, reason in expected.items()},
            "http://10.1.2.3/inside.csv": "private_address",
            "ftp://example.org/a.csv": "bad_address",
        }
        assert sorted(file.path.rsplit("/", 1)[1] for file in books.files.values())[-1] == "text.txt"
        assert len(books.files) == 3 and books.count().inputs == len(paths) + 2
        assert "refused or without a file: bad_address 1," in found.line()
        manifest = [
            json.loads(line) for line in (found.search.root / "manifest.jsonl").read_text().splitlines()
        ]
        assert len(manifest) == found.fetched == 4
        assert {"path", "sha256", "url", "final_url", "date", "publisher", "licence", "media_type"} <= set(
            manifest[0]
        )
        # The folder is a library like any other.
        local = found.search.model_copy(update={"root": found.search.root})
        assert len(local.open().files) == 3


RUN = """
import sys
from pathlib import Path
from test_web_search import engine, gather, many_seeds
gather(engine("searxng", sys.argv[1]), Path(sys.argv[2]), sys.argv[3], seeds=many_seeds())
"""


def many_seeds() -> list[Seed]:
    places = ("harbour", "bridge", "valley", "island", "forest", "meadow")
    return [a_seed(number, demand=f"Count whales of the {place}") for number, place in enumerate(places)]


def test_a_killed_run_is_gone_on_with(tmp_path: Path) -> None:
    """kill -9 in the middle of the questions, and again in the middle of the files: nothing is paid for twice."""

    def slow(asked: Asked) -> None:
        time.sleep(0.3)
        if asked.path.startswith("/search"):
            searxng(lambda query: [(site.url(f"/{query.split()[2]}.csv"), "")])(asked)
        else:
            asked.say(CSV + asked.path.encode())

    pages = {f"/{seed.demand.rsplit(' ', 1)[1]}.csv": slow for seed in many_seeds()}
    with Site(pages) as site, Site({"/search": slow}) as asked:
        command = [sys.executable, "-c", RUN, asked.url("/search"), str(tmp_path), site.host]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(__file__).parent)])}
        for enough in (lambda: len(asked.asked) >= 3, lambda: len(site.paths()) >= 3):
            run = subprocess.Popen(command, env=environment, cwd=ROOT, start_new_session=True)
            deadline = time.monotonic() + 60
            while not enough() and run.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            run.kill()
            run.wait()
            assert enough()
        found = gather(engine("searxng", asked.url("/search")), tmp_path, site.host, seeds=many_seeds())
        assert found.fetched == 6 and not found.rejections
        # What was in flight when the run died is asked again, and nothing else: one question; of files the one on
        # its way and the one that was being looked into, since only what was looked into is kept.
        assert len(asked.asked) <= 6 + 1 and len(site.paths()) <= 6 + 2


def test_long_files_are_left_out(tmp_path: Path) -> None:
    import pymupdf

    def pages(count: int) -> bytes:
        document = pymupdf.open()
        for number in range(count):
            document.new_page().insert_text((72, 72), f"Page {number} of a report on permits by district.")
        return bytes(document.tobytes())

    with Site({"/short.pdf": pages(2), "/long.pdf": pages(4)}) as site:
        urls = [(site.url("/short.pdf"), ""), (site.url("/long.pdf"), "")]
        with Site({"/search": searxng(lambda query: urls)}) as asked:
            found = gather(engine("searxng", asked.url("/search")), tmp_path, site.host)
            books = library(found, pages=3)
    assert reasons(books) == {site.url("/long.pdf"): "too_many_pages"} and len(books.documents) == 1
    with pytest.raises(InputError, match=r"Raise fetch\.pages"):
        library(found, pages=1)


def test_the_licence_as_found_decides(tmp_path: Path) -> None:
    gate = LicenceGate(
        allow=("CC-BY", "public domain"), without_manifest="drop",
        sites=({"licence": "public domain (terms of the site)", "hosts": ("localhost",)},),
    )  # fmt: skip

    def under(name: str) -> Any:
        link = f'<https://creativecommons.org/licenses/{name}/4.0/>; rel="license"'
        return lambda asked: asked.say(CSV + asked.path.encode(), link=link)

    pages: dict[str, Any] = {
        "/by.csv": under("by"),
        "/nc.csv": under("by-nc"),
        "/none.csv": CSV,
        "/site.csv": CSV + b"1",
    }
    with Site(pages) as site:
        site_url = f"http://localhost:{site.port}/site.csv"
        urls = [site.url("/by.csv"), site.url("/nc.csv"), site.url("/none.csv"), site_url]
        with Site({"/search": searxng(lambda query: [(url, "") for url in urls])}) as asked:
            hosts = (site.host, f"localhost:{site.port}")
            found = gather(engine("searxng", asked.url("/search")), tmp_path, *hosts, licences=gate)
            books = library(found, gate)
    assert {file.source.licence for file in books.files.values()} == {
        "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)", "public domain (terms of the site)",
    }  # fmt: skip
    lost = {rejection.id: rejection for rejection in books.rejections}
    assert {name: one.reason for name, one in lost.items()} == {
        site.url("/nc.csv"): "licence_not_allowed", site.url("/none.csv"): "licence_not_allowed",
    }  # fmt: skip
    assert (
        "CC BY-NC 4.0" in lost[site.url("/nc.csv")].detail
        and "'unknown'" in lost[site.url("/none.csv")].detail
    )


def test_what_its_publisher_keeps_from_training_is_dropped_whatever_its_licence(tmp_path: Path) -> None:
    link = '<https://creativecommons.org/licenses/by/4.0/>; rel="license"'
    pages: dict[str, Any] = {
        "/header.csv": lambda asked: asked.say(CSV + b"1,1,1\n", link=link, tdm_reservation="1"),
        "/open.csv": lambda asked: asked.say(CSV, link=link),
    }
    gate = LicenceGate(allow=("CC-BY",), without_manifest="drop", sites=())
    signal = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"
    with Site(pages) as site, Site({**pages, "/robots.txt": signal}) as other:
        urls = [site.url("/header.csv"), site.url("/open.csv"), other.url("/open.csv")]
        with Site({"/search": searxng(lambda query: [(url, "") for url in urls])}) as asked:
            hosts = (site.host, other.host)
            found = gather(engine("searxng", asked.url("/search")), tmp_path, *hosts, licences=gate)
            books = library(found, gate)
    assert [file.source.url for file in books.files.values()] == [site.url("/open.csv")]
    details = {rejection.id: rejection.detail for rejection in books.rejections}
    assert "no training (tdm-reservation)" in details[site.url("/header.csv")]
    assert "no training (ai-train=no)" in details[other.url("/open.csv")]


def test_an_address_with_a_secret_is_fetched_once_and_never_written_down(tmp_path: Path) -> None:
    with Site({"/a.csv": CSV}) as site:
        secret = site.url("/a.csv?sig=tell-nobody-7")
        with Site({"/search": searxng(lambda query: [(secret, "A")])}) as asked:
            search = engine("searxng", asked.url("/search"))
            assert gather(search, tmp_path, site.host).fetched == 1
            assert gather(search, tmp_path, site.host).fetched == 1
            assert len(site.paths()) == 1
            for path in (tmp_path / ".cache/web/fetched").iterdir():
                path.unlink()
            with pytest.raises(InputError, match="address_not_recorded 1"):
                gather(search, tmp_path, site.host)
            assert (
                gather(engine("searxng", asked.url("/search"), refresh=True), tmp_path, site.host).fetched
                == 1
            )
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"tell-nobody" not in path.read_bytes()
