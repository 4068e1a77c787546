"""One request to the interface of a search engine, and what went wrong with it."""

import json
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator

from ...errors import InputError
from .fetcher import need_httpx
from .provenance import one_line

# No page of results is larger.
_MOST = 4 * 2**20


def _engine(url: str, keyed: bool) -> str:
    try:
        parts = urlsplit(url)
        host, named = parts.hostname or "", parts.username is not None or parts.password is not None
    except ValueError as error:
        raise ValueError(f"it is no address ({error})") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise ValueError("it is no address with http:// or https://")
    if named:
        # The configuration is logged with every run.
        raise ValueError("no user name or password may stand in it")
    if keyed and parts.scheme == "http" and host not in {"localhost", "127.0.0.1", "::1"}:
        raise ValueError("the key would be sent in the clear: use https")
    return url


EngineUrl = Annotated[str, AfterValidator(lambda url: _engine(url, keyed=False))]
KeyedUrl = Annotated[str, AfterValidator(lambda url: _engine(url, keyed=True))]


class SearchError(InputError):
    """The engine will not answer this run at all: a wrong key, a quota used up, an instance not set up for it."""


class Unanswered(Exception):
    """One query got no answer; another attempt may get one. ``reason`` is a short stable word."""

    def __init__(self, reason: str, detail: str):
        self.reason = reason
        self.detail = " ".join(detail.split())
        super().__init__(f"{reason}: {self.detail}")


class Reply:
    """An engine's answer: its status, and its body as JSON (None where it is none)."""

    def __init__(self, status: int, text: str):
        self.status = status
        try:
            self.body: Any = json.loads(text)
        except (ValueError, RecursionError):
            self.body = None

    def results(self, *path: str) -> list[Mapping[str, Any]]:
        """The list of objects below ``path``; empty where the key is absent. Unanswered where there is no such list."""
        node = self.body
        if not isinstance(node, dict):
            raise Unanswered("malformed_answer", "the engine's answer is no JSON object")
        for key in path:
            node = node.get(key, {} if key != path[-1] else []) if isinstance(node, dict) else None
        if not isinstance(node, list):
            raise Unanswered("malformed_answer", f"the engine's answer has no list {'.'.join(path)}")
        return [one for one in node if isinstance(one, dict)]

    def said(self) -> str:
        """What the engine says about an error, on one line."""
        body = self.body
        if not isinstance(body, dict):
            return f"status {self.status}"
        told = body.get("message") or body.get("detail") or body.get("error") or ""
        if isinstance(told, dict):
            told = told.get("detail") or told.get("error") or told.get("code") or ""
        return f"status {self.status}{f', {one_line(told)!r}' if isinstance(told, str) and told else ''}"


async def ask(
    method: str,
    url: str,
    *,
    seconds: float,
    headers: Mapping[str, str] | None = None,
    params: Mapping[str, str | int] | None = None,
    body: Mapping[str, Any] | None = None,
) -> Reply:
    """Ask once, in at most ``seconds``. Redirects are not followed: they would carry the key elsewhere.

    Unanswered ("timeout", "no_connection", "malformed_answer") where nothing usable comes.
    """
    httpx = need_httpx()
    try:
        async with (
            httpx.AsyncClient(timeout=seconds, trust_env=False, follow_redirects=False) as client,
            client.stream(method, url, headers=headers, params=params, json=body) as response,
        ):
            got = b""
            async for chunk in response.aiter_bytes(65_536):
                got += chunk
                if len(got) > _MOST:
                    raise Unanswered(
                        "malformed_answer", f"the engine's answer is longer than {_MOST:,} bytes"
                    )
            return Reply(response.status_code, got.decode("utf-8", errors="replace"))
    except httpx.TimeoutException:
        raise Unanswered("timeout", f"no answer in {seconds:g} s") from None
    except httpx.InvalidURL as error:
        raise SearchError(
            f"search.url can't be asked: {error}", "Give it the address of the engine"
        ) from None
    except httpx.HTTPError as error:
        raise Unanswered("no_connection", one_line(str(error)) or type(error).__name__) from None
