"""A site of a test's own: a real HTTP server on loopback that answers by path, and remembers what it was asked."""

import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from graphforge.workspace import Fetching

CSV = b"District,Permits,Year\nAlder,1200,2023\nBirch,845,2023\nCedar,3310,2023\nElm,451,2023\n"
Answer = Callable[["Asked"], None]


class Asked:
    """One request, and how to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: bytes, number: int):
        self.handler = handler
        self.path = handler.path
        self.headers = handler.headers
        self.body = body
        # How often this path was asked before.
        self.number = number

    def say(self, content: bytes = b"", status: int = 200, **headers: str) -> None:
        """Answer at once; ``content_type`` stands for Content-Type, and so on. The length is right unless given."""
        self.begin(status, **{"content_length": str(len(content)), **headers})
        self.write(content)

    def begin(self, status: int = 200, **headers: str) -> None:
        self.handler.send_response_only(status)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()

    def write(self, content: bytes) -> None:
        try:
            self.handler.wfile.write(content)
            self.handler.wfile.flush()
        except OSError:
            self.gone = True

    gone = False

    def cut(self) -> None:
        """Break the connection off."""
        self.handler.close_connection = True
        self.handler.connection.close()


class Site:
    """``pages`` by path (without its query); anything else is 404. ``asked`` holds (path, headers) in order."""

    def __init__(self, pages: Mapping[str, bytes | Answer]):
        self.pages = dict(pages)
        self.asked: list[tuple[str, dict[str, str], float]] = []
        self.bodies: list[bytes] = []
        self.busy = 0
        self.most_busy = 0
        lock = threading.Lock()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with lock:
                    number = sum(path == self.path for path, _, _ in site.asked)
                    site.asked.append((self.path, dict(self.headers.items()), time.monotonic()))
                    site.bodies.append(body)
                    site.busy += 1
                    site.most_busy = max(site.most_busy, site.busy)
                try:
                    answer = site.pages.get(self.path.split("?")[0])
                    asked = Asked(self, body, number)
                    if answer is None:
                        asked.say(b"no such page", 404)
                    elif isinstance(answer, bytes):
                        asked.say(answer)
                    else:
                        answer(asked)
                finally:
                    with lock:
                        site.busy -= 1

            do_POST = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False

    def __enter__(self) -> "Site":
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def paths(self) -> list[str]:
        """What was asked for besides robots.txt."""
        return [path for path, _, _ in self.asked if path != "/robots.txt"]


def settings(*allowed: str, **changes: Any) -> Fetching:
    """Fast settings for a site on loopback."""
    given: dict[str, Any] = {
        "user_agent": "GraphForge/0.1 (test)", "bytes": 2**20, "pages": 50, "seconds": 3.0, "files": 100,
        "concurrency": 8, "pause": 0.0, "patience": 2.0, "attempts": 3, "backoff": 0.01, "redirects": 5,
        "allow_hosts": allowed, "deny_hosts": (), **changes,
    }  # fmt: skip
    return Fetching(**given)


def nothing_left(folder: Path) -> None:
    """No part of a refused file stays behind."""
    parts = folder / "parts"
    assert not parts.is_dir() or not list(parts.iterdir()), list(parts.iterdir())
