"""Brave's own index by its Search API (https://api-dashboard.search.brave.com)."""

from typing import ClassVar

from .asking import KeyedUrl, SearchError, Unanswered, ask
from .key import key_from
from .queries import Query
from .search import WebSearch

# The interface gives no more results a page.
_MOST = 20


class BraveSearch(WebSearch):
    """``key_env``: the environment variable with the key. ``url``: the interface. ``country``: whose results."""

    name: ClassVar[str] = "brave"

    key_env: str
    url: KeyedUrl
    country: str

    def ready(self) -> None:
        super().ready()
        key_from(self.key_env, self.name)

    def identity(self) -> tuple[str, ...]:
        return (self.name, self.url, self.country)

    async def answer(self, query: Query) -> list[tuple[str, str]]:
        reply = await ask(
            "GET",
            self.url,
            seconds=self.seconds,
            headers={"X-Subscription-Token": key_from(self.key_env, self.name), "Accept": "application/json"},
            params={
                "q": query.text,
                "count": min(self.results, _MOST),
                "country": self.country,
                "result_filter": "web",
            },
        )
        error = reply.body.get("error") if isinstance(reply.body, dict) else None
        code = str(error.get("code", "")) if isinstance(error, dict) else ""
        if reply.status in {401, 403} or code == "SUBSCRIPTION_TOKEN_INVALID":
            raise SearchError(f"Brave refuses the key in {self.key_env} ({reply.said()})", "Set a valid one")
        if reply.status == 402 or code == "QUOTA_LIMITED":
            raise SearchError(
                f"Brave's quota is used up ({reply.said()})",
                "Raise the plan and run again (what was answered is kept), or go on with search.offline=true",
            )
        if reply.status != 200:
            raise Unanswered("rate_limited" if reply.status == 429 else "failed", f"Brave: {reply.said()}")
        return [
            (str(one["url"]), str(one.get("title", "")))
            for one in reply.results("web", "results")
            if isinstance(one.get("url"), str)
        ]
