"""The package ddgs: several public engines, read from their result pages, without a key.

It asks these engines as a browser would; whether that suits their terms is the user's to judge (docs/design/web.md).
"""

import asyncio
from typing import Any, ClassVar

from ...errors import InputError
from .asking import Unanswered
from .queries import Query
from .search import WebSearch


class DdgsSearch(WebSearch):
    """``backend``: the engines as ddgs names them, with commas between, or ``auto``. ``region``: whose results."""

    name: ClassVar[str] = "ddgs"

    backend: str
    region: str

    def ready(self) -> None:
        super().ready()
        _package()

    def identity(self) -> tuple[str, ...]:
        return (self.name, self.backend, self.region)

    async def answer(self, query: Query) -> list[tuple[str, str]]:
        try:
            # Its own timeouts hold for each page; this one for all of them together.
            async with asyncio.timeout(3 * self.seconds):
                found = await asyncio.to_thread(self._ask, query.text)
        except TimeoutError:
            raise Unanswered("timeout", f"no answer in {3 * self.seconds:g} s") from None
        return [
            (one["href"], str(one.get("title", "")))
            for one in found
            if isinstance(one, dict) and isinstance(one.get("href"), str)
        ]

    def _ask(self, text: str) -> list[Any]:
        package = _package()
        errors = package.exceptions
        try:
            with package.DDGS(timeout=max(1, round(self.seconds))) as engines:
                return list(
                    engines.text(text, region=self.region, max_results=self.results, backend=self.backend)
                )
        except errors.RatelimitException as error:
            raise Unanswered("rate_limited", str(error)) from None
        except errors.TimeoutException as error:
            raise Unanswered("timeout", str(error)) from None
        except errors.DDGSException as error:
            # The package says so in words alone.
            if "no results found" in str(error).casefold():
                return []
            raise Unanswered("failed", str(error)) from None


def _package() -> Any:
    try:
        import ddgs
        import ddgs.exceptions
    except ImportError:
        raise InputError(
            "search=ddgs needs the package ddgs, which is not installed", "Run pip install 'graphforge[web]'"
        ) from None
    return ddgs
