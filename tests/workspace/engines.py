"""Search engines of a test's own: they speak the interfaces of the five providers as these document them."""

import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from web_site import Answer, Asked

KEY = "test-key-that-nobody-may-see"
Results = Callable[[str], Sequence[tuple[str, str]]]


def _json(asked: Asked, body: Any, status: int = 200, **headers: str) -> None:
    asked.say(json.dumps(body).encode(), status, content_type="application/json", **headers)


def serper(results: Results) -> Answer:
    """POST with the key in X-API-KEY; {"organic": [{"title", "link", "snippet", "position"}]}."""

    def answer(asked: Asked) -> None:
        if asked.headers.get("X-API-KEY") != KEY:
            _json(asked, {"message": "Unauthorized.", "statusCode": 403}, 403)
            return
        given = json.loads(asked.body)
        assert asked.handler.command == "POST" and set(given) == {"q", "num", "gl"}
        organic = [
            {"title": title, "link": url, "snippet": "…", "position": place}
            for place, (url, title) in enumerate(results(given["q"]), start=1)
        ]
        _json(
            asked, {"searchParameters": {"q": given["q"]}, "organic": organic[: given["num"]], "credits": 1}
        )

    return answer


def brave(results: Results) -> Answer:
    """GET with the key in X-Subscription-Token; {"web": {"results": [{"title", "url", "description"}]}}."""

    def answer(asked: Asked) -> None:
        given = _query(asked)
        if asked.headers.get("X-Subscription-Token") != KEY:
            error = {
                "code": "SUBSCRIPTION_TOKEN_INVALID",
                "detail": "The provided subscription token is invalid.",
            }
            _json(asked, {"type": "ErrorResponse", "error": {**error, "status": 422}}, 422)
            return
        assert asked.handler.command == "GET" and 1 <= int(given["count"]) <= 20
        found = [{"type": "search_result", "title": title, "url": url, "description": "…"}
                 for url, title in results(given["q"])]  # fmt: skip
        # Without results the section is left out.
        web = {"web": {"type": "search", "results": found}} if found else {}
        _json(asked, {"type": "search", "query": {"original": given["q"]}, **web})

    return answer


def tavily(results: Results) -> Answer:
    """POST with the key as a bearer token; {"results": [{"title", "url", "content", "score"}]}."""

    def answer(asked: Asked) -> None:
        if asked.headers.get("Authorization") != f"Bearer {KEY}":
            _json(asked, {"detail": {"error": "Unauthorized: missing or invalid API key."}}, 401)
            return
        given = json.loads(asked.body)
        assert (
            asked.handler.command == "POST"
            and 1 <= given["max_results"] <= 20
            and "filetype:" not in given["query"]
        )
        found = [
            {"title": title, "url": url, "content": "…", "score": 0.5}
            for url, title in results(given["query"])
        ]
        _json(asked, {"query": given["query"], "results": found, "response_time": 0.1})

    return answer


def searxng(results: Results) -> Answer:
    """GET with format=json; {"results": [{"title", "url", "content", "engine"}], "unresponsive_engines": []}."""

    def answer(asked: Asked) -> None:
        given = _query(asked)
        assert given["format"] == "json"
        found = [
            {"title": title, "url": url, "content": "…", "engine": "test"}
            for url, title in results(given["q"])
        ]
        _json(
            asked, {"query": given["q"], "number_of_results": 0, "results": found, "unresponsive_engines": []}
        )

    return answer


def says(body: Any, status: int = 200, **headers: str) -> Answer:
    """An engine that answers everything alike."""
    if isinstance(body, bytes):
        return lambda asked: asked.say(body, status, **headers)
    return lambda asked: _json(asked, body, status, **headers)


def _query(asked: Asked) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(asked.path).query).items()}
