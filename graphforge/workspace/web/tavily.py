"""Tavily (https://docs.tavily.com), an engine for agents. It has no operators, so the file type is asked in words."""

from typing import ClassVar

from .asking import KeyedUrl, SearchError, Unanswered, ask
from .key import key_from
from .queries import Query
from .search import WebSearch

# The interface gives no more results.
_MOST = 20


class TavilySearch(WebSearch):
    """``key_env``: the environment variable with the key. ``url``: the interface. ``depth``: what Tavily calls so."""

    name: ClassVar[str] = "tavily"

    key_env: str
    url: KeyedUrl
    depth: str

    def ready(self) -> None:
        super().ready()
        key_from(self.key_env, self.name)

    def identity(self) -> tuple[str, ...]:
        return (self.name, self.url, self.depth)

    async def answer(self, query: Query) -> list[tuple[str, str]]:
        words = query.words if query.file_type == "html" else f"{query.words} {query.file_type} file"
        reply = await ask(
            "POST",
            self.url,
            seconds=self.seconds,
            headers={"Authorization": f"Bearer {key_from(self.key_env, self.name)}"},
            body={"query": words, "max_results": min(self.results, _MOST), "search_depth": self.depth},
        )
        if reply.status in {401, 403}:
            raise SearchError(f"Tavily refuses the key in {self.key_env} ({reply.said()})", "Set a valid one")
        # 432: the plan's limit; 433: the limit of what may be paid beyond it.
        if reply.status in {402, 432, 433}:
            raise SearchError(
                f"Tavily's quota is used up ({reply.said()})",
                "Raise the plan and run again (what was answered is kept), or go on with search.offline=true",
            )
        if reply.status != 200:
            raise Unanswered("rate_limited" if reply.status == 429 else "failed", f"Tavily: {reply.said()}")
        return [
            (str(one["url"]), str(one.get("title", "")))
            for one in reply.results("results")
            if isinstance(one.get("url"), str)
        ]
