"""An instance of SearXNG (https://docs.searxng.org): a metasearch that one can run oneself, without a key."""

from typing import Any, ClassVar

from .asking import EngineUrl, SearchError, Unanswered, ask
from .provenance import one_line
from .queries import Query
from .search import WebSearch


class SearxngSearch(WebSearch):
    """``url``: of the instance's search page. ``engines``: which of its engines to ask; empty: those it asks itself."""

    name: ClassVar[str] = "searxng"

    url: EngineUrl
    engines: tuple[str, ...]

    def identity(self) -> tuple[str, ...]:
        return (self.name, self.url, *self.engines)

    async def answer(self, query: Query) -> list[tuple[str, str]]:
        chosen = {"engines": ",".join(self.engines)} if self.engines else {}
        params: dict[str, str | int] = {"q": query.text, "format": "json", **chosen}
        reply = await ask("GET", self.url, seconds=self.seconds, params=params)
        if reply.status == 403:
            raise SearchError(
                f"The SearXNG instance {self.url} gives no JSON ({reply.said()})",
                "Add json to search.formats in its settings.yml, or name another instance (search.url)",
            )
        if reply.status == 404:
            raise SearchError(
                f"There is no SearXNG at {self.url}", "Set search.url to its address, with /search"
            )
        if reply.status != 200:
            raise Unanswered("rate_limited" if reply.status == 429 else "failed", f"SearXNG: {reply.said()}")
        results = [
            (str(one["url"]), str(one.get("title", "")))
            for one in reply.results("results")
            if isinstance(one.get("url"), str)
        ]
        silent = reply.body.get("unresponsive_engines")
        if not results and silent:
            # Nothing from engines that were blocked is not the same as nothing to be found.
            raise Unanswered("failed", f"no engine of the instance answered: {_names(silent)}")
        return results


def _names(silent: Any) -> str:
    if not isinstance(silent, list):
        return "unknown"
    return one_line(
        ", ".join(": ".join(map(str, one)) if isinstance(one, list) else str(one) for one in silent)
    )
