"""Google's results by Serper (https://serper.dev), the engine behind Agent-R2's searches."""

from typing import ClassVar

from .asking import KeyedUrl, SearchError, Unanswered, ask
from .key import key_from
from .queries import Query
from .search import WebSearch


class SerperSearch(WebSearch):
    """``key_env``: the environment variable with the key. ``url``: the interface. ``country``: whose results."""

    name: ClassVar[str] = "serper"

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
            "POST",
            self.url,
            seconds=self.seconds,
            headers={"X-API-KEY": key_from(self.key_env, self.name)},
            body={"q": query.text, "num": self.results, "gl": self.country},
        )
        if reply.status in {401, 403}:
            raise SearchError(f"Serper refuses the key in {self.key_env} ({reply.said()})", "Set a valid one")
        if reply.status in {400, 402} and "credit" in reply.said().casefold():
            raise SearchError(
                f"Serper's credits are used up ({reply.said()})",
                "Buy some and run again (what was answered is kept), or go on with search.offline=true",
            )
        if reply.status != 200:
            raise Unanswered("rate_limited" if reply.status == 429 else "failed", f"Serper: {reply.said()}")
        return [
            (str(one["link"]), str(one.get("title", "")))
            for one in reply.results("organic")
            if isinstance(one.get("link"), str)
        ]
