"""The workspaces stage over the web: a loopback engine, a loopback site with our own files, workspaces at the end."""

import json
from pathlib import Path
from typing import Any

import pytest
from engines import searxng
from inside import Line, books
from web_site import Site

from graphforge.records import Rejection, StageCount, Workspace, read_jsonl
from pipelines._edge import Stopped

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "examples" / "library" / "procurement"
CC0 = '<https://creativecommons.org/publicdomain/zero/1.0/>; rel="license"'


def site_of(folder: Path) -> Site:
    def page(content: bytes) -> Any:
        return lambda asked: asked.say(content, link=CC0, last_modified="Tue, 05 Mar 2024 10:00:00 GMT")

    pages: dict[str, Any] = {f"/{path.name}": page(path.read_bytes()) for path in sorted(folder.iterdir())}
    return Site(
        {**pages, "/closed.csv": b"Name,Value\nfirst,1\nsecond,2\n", "/robots.txt": b"User-agent: *\n"}
    )


def test_workspaces_from_the_web(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Line.open(tmp_path) as line, site_of(FILES) as site:
        urls = [
            site.url(f"/{name}")
            for name in [*sorted(path.name for path in FILES.iterdir()), "closed.csv", "gone.pdf"]
        ]
        with Site({"/search": searxng(lambda query: [(url, "") for url in urls])}) as engine:
            web = (
                "search=searxng", f"search.url={engine.url('/search')}", "search.results=20", "search.pause=0",
                "search.queries=1", "search.file_types=[xlsx,csv,pdf,docx,pptx,html,json]",
                f"fetch.allow_hosts=['{site.host}']", "fetch.pause=0", "seeds.count=20", "assembly.relevance=0",
            )  # fmt: skip
            line.run("seeds", *web)
            target = line.run("workspaces", *web)
            said = capsys.readouterr().out
            count = books("workspaces", target)
            assert count.outputs >= 2
            made = list(read_jsonl(target / "workspaces.jsonl", Workspace))
            files = {file.name: file for workspace in made for file in workspace.files}
            file = files["charge_card_refunds_fy1998_fy2024.xlsx"]
            assert file.source.url == site.url("/charge_card_refunds_fy1998_fy2024.xlsx")
            assert file.source.date == "2024-03-05" and file.source.licence.startswith("CC0 1.0 (https://")
            assert file.source.publisher == "127.0.0.1"
            for one in files.values():
                assert (target / "files" / one.sha256).is_file()
            lost = {one.id: one.reason for one in read_jsonl(target / "library_rejected.jsonl", Rejection)}
            assert lost == {
                site.url("/closed.csv"): "licence_not_allowed",
                site.url("/gone.pdf"): "not_found",
            }
            library = StageCount.model_validate_json((target / "library_counts.json").read_bytes())
            assert library.inputs == len(urls) and library.outputs == len(urls) - 2
            assert (
                "0 of them answered before" in said and "to ask of searxng" in said and "not_found 1" in said
            )
            # Again, without the network and without the sites: the same bytes.
            before = (target / "workspaces.jsonl").read_bytes()
            asked = len(site.asked), len(engine.asked)
            again = line.run("workspaces", *web, "search.offline=true", out="again")
            assert (again / "workspaces.jsonl").read_bytes() == before
            assert (len(site.asked), len(engine.asked)) == asked
            # A plan beyond what the user allows is refused before anything is asked.
            with pytest.raises(Stopped, match=r"search\.most_queries = 1"):
                line.run("workspaces", *web, "search.refresh=true", "search.most_queries=1", out="third")
            assert (len(site.asked), len(engine.asked)) == asked
        manifests = list((tmp_path / ".cache" / "web" / "library").glob("*/manifest.jsonl"))
        assert len(manifests) == 1
        assert json.loads(manifests[0].read_text().splitlines()[0])["fetched"].startswith("20")


def test_the_licence_gate_holds_for_a_local_library(tmp_path: Path) -> None:
    with Line.open(tmp_path) as line:
        line.run("seeds", "seeds.count=1", "assembly.relevance=0", "engine.patterns=[reconciliation]")
        names = sorted(path.name for path in (tmp_path / "library" / "city").iterdir())
        licences = ["CC0-1.0" if name != "staff.csv" else "All rights reserved" for name in names]
        lines = [
            json.dumps({"path": f"city/{name}", "licence": licence})
            for name, licence in zip(names, licences, strict=True)
        ]
        (tmp_path / "library" / "manifest.jsonl").write_text("\n".join(lines))
        target = line.run("workspaces", "assembly.relevance=0", "assembly.smallest=4")
        lost = list(read_jsonl(target / "library_rejected.jsonl", Rejection))
        assert [(one.id, one.reason) for one in lost] == [("city/staff.csv", "licence_not_allowed")]
        with pytest.raises(Stopped, match=r"licence_not_allowed.*licence\.allow"):
            line.run("workspaces", "licence.allow=[MIT]", out="none")
