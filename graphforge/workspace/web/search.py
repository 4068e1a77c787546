"""Search the web for the files of seeds: queries, results, files in a folder that is then read like any local one.

    plan = search.plan(seeds, fetching, base)                  # what it will ask, before anything is asked
    gathered = asyncio.run(search.gather(seeds, fetching, licences, base))
    library = gathered.search.open(cache, track, licences)
    library = gathered.complete(library, fetching.pages)

Below ``folder`` lie the answers to queries (``results/``), the files by content and the record of every address
(``files/``, ``fetched/``), and below ``reading.root`` a folder for each set of files, with a manifest. What is recorded
is not asked for again, so that a run repeats without the network, and for nothing; ``refresh`` asks again.
"""

import asyncio
import dataclasses
import hashlib
import json
import os
import re
import shutil
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import ConfigError, InputError
from ...records import Record, Rejection, Seed, stable_hash, storage_error, write_bytes
from ..library import STAGE, Library
from ..licence import LicenceGate
from ..manifest import MANIFEST, UNKNOWN
from ..search import LocalSearch
from .address import Address, recorded
from .asking import SearchError, Unanswered
from .fetcher import Fetched, Fetcher, Store, key_of, need_httpx
from .fetching import Fetching
from .provenance import host_of, one_line
from .queries import Query, queries_of
from .refusal import Refusal

Track = Callable[[Iterable[Any], str, int], Iterable[Any]]
FileType = Literal["xlsx", "xls", "csv", "pdf", "docx", "pptx", "json", "html"]
# Formats that have pages; a workbook's sheets are none.
_PAGED = frozenset({"pdf", "pptx", "docx"})
# What else a file of a type may turn out to be and still be what was looked for.
_ALSO: Mapping[str, tuple[str, ...]] = {"csv": ("csv", "txt"), "html": ("html", "md", "txt")}


class Result(Record):
    """A hit: its address without secrets, and the key under which the whole address is filed."""

    url: str
    key: str
    title: str = ""


class Page(Record):
    """The recorded answer to a query."""

    provider: str
    query: str
    at: str
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Plan:
    """What a run asks for at most. ``queries`` of ``seeds``, ``recorded`` of which are answered already."""

    provider: str
    seeds: int
    queries: int
    recorded: int
    addresses: int
    bytes: int

    def line(self) -> str:
        """For a person, before anything is spent."""
        asked = self.queries - self.recorded
        return (
            f"web: {self.seeds:,} seeds are worth {self.queries:,} queries, {self.recorded:,} of them answered before: "
            f"{asked:,} to ask of {self.provider}; then at most {self.addresses:,} addresses to fetch, "
            f"each up to {self.bytes / 2**20:.1f} MB"
        )


@dataclass(frozen=True)
class Gathered:
    """A folder of fetched files, to be opened, and everything that led to none."""

    search: LocalSearch
    rejections: tuple[Rejection, ...]
    addresses: Mapping[str, str]
    queries: int
    asked: int
    found: int
    fetched: int

    def line(self) -> str:
        """What came of it, for a person."""
        reasons = Counter(rejection.reason for rejection in self.rejections)
        told = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items())) or "none"
        return (
            f"web: {self.queries:,} queries ({self.asked:,} asked now) found {self.found:,} addresses; "
            f"{self.fetched:,} files; refused or without a file: {told}"
        )

    def complete(self, library: Library, pages: int) -> Library:
        """The library with everything that was lost on the way to it, and without files of more than ``pages`` pages.

        Agent-R2 discards long files as well; how long one is, only its reader can say.
        """
        long = {
            sha256: document.pages
            for sha256, document in library.documents.items()
            if document.pages > pages and document.family in _PAGED
        }
        lost = [
            _reject(library.files[sha256].path, "too_many_pages", f"{number} pages; fetch.pages = {pages}")
            for sha256, number in long.items()
        ]
        rejections = [
            rejection.model_copy(update={"id": self.addresses.get(rejection.id, rejection.id)})
            for rejection in [*library.rejections, *lost]
        ]
        books = tuple(
            sorted([*rejections, *self.rejections], key=lambda one: (one.id, one.reason, one.detail))
        )
        if not long:
            return dataclasses.replace(library, rejections=books)
        kept = {sha256: file for sha256, file in library.files.items() if sha256 not in long}
        if not kept:
            raise InputError(
                f"All {len(library.files)} readable files have more than {pages} pages", "Raise fetch.pages"
            )
        documents = {sha256: library.documents[sha256] for sha256 in kept}
        return dataclasses.replace(library, files=kept, documents=documents, rejections=books)


class WebSearch(BaseModel, ABC):
    """What every engine shares.

    ``queries``: at most so many a seed. ``most_queries``: a plan beyond it is refused. ``results``: of each query.
    ``file_types``: what is searched for, in turn; only files of these kinds are kept. ``pause``: seconds between two
    questions to the engine; ``seconds`` and ``attempts`` for each. ``refresh``: ask again for what is recorded.
    ``offline``: ask nothing at all. ``folder``: where all is recorded. ``reading``: how the fetched files are read; its
    ``root`` is where they are laid out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ClassVar[str]

    queries: int = Field(ge=1, le=20)
    most_queries: int = Field(ge=1)
    results: int = Field(ge=1, le=100)
    file_types: Annotated[tuple[FileType, ...], Field(min_length=1)]
    pause: float = Field(ge=0)
    seconds: float = Field(gt=0)
    attempts: int = Field(ge=1, le=10)
    refresh: bool
    offline: bool
    folder: Path
    reading: LocalSearch

    @abstractmethod
    async def answer(self, query: Query) -> list[tuple[str, str]]:
        """(address, title) of the results. Unanswered for this query alone, SearchError for the whole run."""

    def ready(self) -> None:
        """InputError where a package or a key is missing; called before anything is asked."""
        need_httpx()

    def identity(self) -> tuple[str, ...]:
        """What an answer depends on besides the query."""
        return (self.name,)

    def plan(self, seeds: Sequence[Seed], fetching: Fetching, base: Path) -> Plan:
        """What :meth:`gather` asks at most. ConfigError where that passes ``most_queries`` or ``fetching.files``."""
        asked = queries_of(seeds, self.queries, self.file_types)
        pages = [self._page(base, query) for query in asked]
        known = [page for page in pages if page is not None]
        store = Store(base / self.folder)
        keys = {result.key for page in known for result in page.results}
        new = len(pages) - len(known)
        kept = [store.known(key) for key in keys]
        fresh = sum(one is None or one.passing for one in kept)
        return self._bounded(
            Plan(
                provider=self.name,
                seeds=len(seeds),
                queries=len(asked),
                recorded=len(known),
                addresses=0 if self.offline else new * self.results + (len(keys) if self.refresh else fresh),
                bytes=fetching.bytes,
            ),
            fetching,
        )

    def outlook(self, seeds: int, fetching: Fetching) -> Plan:
        """As :meth:`plan`, where there are no seeds yet: nothing is looked up, and nothing refused."""
        queries = seeds * self.queries
        return Plan(self.name, seeds, queries, 0, queries * self.results, fetching.bytes)

    def _bounded(self, plan: Plan, fetching: Fetching) -> Plan:
        asked = plan.queries - plan.recorded
        if self.offline:
            return plan
        if asked > self.most_queries:
            raise ConfigError(
                f"{plan.queries:,} queries of {plan.seeds:,} seeds, {asked:,} of them to be asked of {self.name}, are "
                f"more than search.most_queries = {self.most_queries:,}",
                "Raise it, or ask for less (search.queries, seeds.count)",
            )
        if plan.addresses > fetching.files:
            raise ConfigError(
                f"{plan.addresses:,} addresses may be fetched, more than fetch.files = {fetching.files:,}",
                "Raise it, or ask for less (search.results, search.queries, seeds.count)",
            )
        return plan

    async def gather(
        self,
        seeds: Sequence[Seed],
        fetching: Fetching,
        licences: LicenceGate,
        base: Path,
        track: Track | None = None,
    ) -> Gathered:
        """Ask, fetch, lay out. ``base``: what ``folder`` and ``reading.root`` are relative to.

        The books: every address that was found, and every query that found none, ends as a file of the folder or as a
        rejection. InputError where no file was fetched at all.
        """
        if not self.offline:
            self.ready()
        asked = queries_of(seeds, self.queries, self.file_types)
        hits, lost, now = await self._results(asked, base, track)
        files, refused = await self._files(hits, fetching, base, track)
        lost += refused
        if not files:
            reasons = Counter(rejection.reason for rejection in lost)
            told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common(6)) or "no seeds"
            raise InputError(
                f"Searching by {self.name} gave no file: {len(asked)} queries, {len(hits)} addresses ({told})",
                "Widen search.file_types, the limits in fetch, or the seeds",
            )
        root, addresses = _lay_out(files, licences, Store(base / self.folder), base / self.reading.root)
        return Gathered(
            search=self.reading.model_copy(update={"root": root}),
            rejections=tuple(lost),
            addresses=addresses,
            queries=len(asked),
            asked=now,
            found=len(hits),
            fetched=len(files),
        )

    async def _results(
        self, asked: list[Query], base: Path, track: Track | None
    ) -> tuple[dict[str, tuple[Result, Query, str]], list[Rejection], int]:
        """Every address once, by its key, with the first query that found it; where the query is new the whole
        address, which is written down nowhere."""
        hits: dict[str, tuple[Result, Query, str]] = {}
        lost: list[Rejection] = []
        now, first = 0, True
        for query in track(asked, f"asking {self.name}", len(asked)) if track else asked:
            page = self._page(base, query)
            whole: dict[str, str] = {}
            if page is None:
                if self.offline:
                    lost.append(
                        _reject(query.text, "not_recorded", "it was never asked, and search.offline is set")
                    )
                    continue
                if not first:
                    await asyncio.sleep(self.pause)
                first = False
                now += 1
                try:
                    found = await self._persist(query)
                except Unanswered as error:
                    lost.append(_reject(query.text, f"query_{error.reason}", error.detail))
                    continue
                page, whole = self._record(base, query, found)
            if not page.results:
                lost.append(_reject(query.text, "no_results", f"{self.name} found nothing"))
            for result in page.results:
                hits.setdefault(result.key, (result, query, whole.get(result.key, "")))
        failed = [rejection for rejection in lost if rejection.reason.startswith("query_")]
        if failed and len(failed) == len(asked):
            raise SearchError(
                f"{self.name} answered none of {len(asked)} queries ({failed[0].reason}: {failed[0].detail})",
                "See that search.url can be reached, and run again",
            )
        return hits, lost, now

    async def _persist(self, query: Query) -> list[tuple[str, str]]:
        for attempt in range(self.attempts):
            try:
                return await self.answer(query)
            except Unanswered:
                if attempt + 1 == self.attempts:
                    raise
                await asyncio.sleep(max(self.pause, 0.05) * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _files(
        self,
        hits: Mapping[str, tuple[Result, Query, str]],
        fetching: Fetching,
        base: Path,
        track: Track | None,
    ) -> tuple[list[tuple[Fetched, Result, Query]], list[Rejection]]:
        """The files, in the order of their addresses, and why there is none of the other addresses."""
        wanted = {kind for one in self.file_types for kind in _ALSO.get(one, (one,))}
        done: list[tuple[Fetched, Result, Query]] = []

        async def work(result: Result, query: Query, whole: str) -> None:
            if not whole and key_of(result.url) != result.key:
                known = Store(base / self.folder).known(result.key)
                done.append((known or _lost_address(result), result, query))
                return
            done.append((await fetcher.fetch(whole or result.url, result.key), result, query))

        async with Fetcher(
            fetching, base / self.folder, refresh=self.refresh, offline=self.offline
        ) as fetcher:
            tasks = [asyncio.ensure_future(work(*hit)) for hit in hits.values()]
            try:
                ended = asyncio.as_completed(tasks)
                for task in track(ended, "fetching files", len(tasks)) if track else ended:
                    await task
            finally:
                for one in tasks:
                    one.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        files: list[tuple[Fetched, Result, Query]] = []
        refused: list[Rejection] = []
        for fetched, result, query in sorted(done, key=lambda one: (one[1].url, one[1].key)):
            if fetched.reason:
                refused.append(_reject(result.url, fetched.reason, fetched.detail))
            elif fetched.family not in wanted:
                refused.append(
                    _reject(
                        result.url,
                        "other_type",
                        f"it is {fetched.family}; wanted are {', '.join(sorted(wanted))}",
                    )
                )
            else:
                files.append((fetched, result, query))
        return files, refused

    def _place(self, base: Path, query: Query) -> Path:
        key = stable_hash(*self.identity(), query.words, query.file_type, self.results)
        return base / self.folder / "results" / f"{key}.json"

    def _page(self, base: Path, query: Query) -> Page | None:
        if self.refresh and not self.offline:
            return None
        try:
            return Page.model_validate_json(self._place(base, query).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _record(self, base: Path, query: Query, found: list[tuple[str, str]]) -> tuple[Page, dict[str, str]]:
        whole: dict[str, str] = {}
        results = []
        for url, title in found[: self.results]:
            try:
                url = Address(url).url
            except Refusal:
                # Recorded all the same: the fetch refuses it, with the reason.
                url = one_line(url)
            key = key_of(url)
            if key not in whole:
                whole[key] = url
                results.append(Result(url=recorded(url), key=key, title=one_line(title)))
        page = Page(
            provider=self.name,
            query=query.text,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            results=tuple(results),
        )
        write_bytes(self._place(base, query), page.line().encode())
        return page, whole


def _lay_out(
    files: list[tuple[Fetched, Result, Query]], licences: LicenceGate, store: Store, root: Path
) -> tuple[Path, dict[str, str]]:
    """A folder with the files under names of their own, and a manifest; and the address of every path in it.

    The folder is named by its manifest, so that the same files are laid out once, and it appears whole.
    """
    lines, addresses, taken = [], {}, set()
    sources = {}
    for fetched, result, query in files:
        assert fetched.sha256 is not None, "a file has a hash"
        path = f"{_slug(query.topic)}/{fetched.name}"
        if path.casefold() in taken:
            stem, dot, ending = fetched.name.rpartition(".")
            path = f"{_slug(query.topic)}/{stem}-{result.key[:8]}{dot}{ending}"
        taken.add(path.casefold())
        title = fetched.title or re.sub(r"^\s*\[[A-Z]{2,5}\]\s*", "", result.title)
        licence = fetched.licence or licences.of_site(host_of(fetched.final_url)) or UNKNOWN
        if fetched.reserved:
            licence = f"{licence}; no training ({fetched.reserved})"
        entry = {
            "path": path,
            "sha256": fetched.sha256,
            "bytes": fetched.bytes,
            "media_type": fetched.media_type,
            "title": title,
            "publisher": fetched.publisher or UNKNOWN,
            "topic": query.topic,
            "url": fetched.url,
            "final_url": fetched.final_url,
            "date": fetched.date,
            "licence": licence,
            "fetched": fetched.at,
            "query": query.text,
        }
        lines.append(json.dumps(entry, ensure_ascii=False))
        addresses[path] = result.url
        sources[path] = store.file(fetched.sha256)
    manifest = "\n".join(lines) + "\n"
    folder = root / hashlib.sha256(manifest.encode()).hexdigest()[:16]
    if (folder / MANIFEST).is_file():
        return folder, addresses
    partial = root / f".{folder.name}.{os.getpid()}"
    try:
        shutil.rmtree(partial, ignore_errors=True)
        for path, source in sources.items():
            (partial / path).parent.mkdir(parents=True, exist_ok=True)
            _link(source, partial / path)
        write_bytes(partial / MANIFEST, manifest.encode())
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(partial, folder)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise storage_error(folder, error) from None
    return folder, addresses


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # Another file system, or one without hard links.
        shutil.copyfile(source, target)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")[:80] or "files"


def _lost_address(result: Result) -> Fetched:
    detail = "its address holds a secret, which was not written down, and it was not fetched at the time"
    return Fetched(url=result.url, reason="address_not_recorded", detail=detail)


def _reject(name: str, reason: str, detail: str) -> Rejection:
    return Rejection(id=name, stage=STAGE, reason=reason, detail=detail)
