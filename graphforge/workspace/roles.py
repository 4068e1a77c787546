"""Roles: which files join a case, and what each is there for (paper section 3.2).

Core files drive the work, supporting files give policy or context, confusers are plausible but do not apply,
ambient files make the folder look like a real one. The working agent never learns which is which.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..records import Role
from .cases import SAME_FIGURES, Case
from .library import Library
from .words import period_of, terms, without_period

_TEXTS = frozenset(("pdf", "docx", "txt", "md", "html", "pptx"))
_CONTEXT_WORDS = 60
_ALIKE = 0.6


@dataclass(frozen=True)
class Cast:
    """A file with its part: sha256, role and one line that says why."""

    sha256: str
    role: Role
    why: str


def cast(library: Library, case: Case, query: list[str], size: int) -> list[Cast]:
    """The files of a workspace around a case, core first; at most ``size``, fewer where the library has no more.

    ``query``: the terms of the case and of the seed, by which context is ranked. Near topics are drawn on only
    where the case's own topic runs out.
    """
    chosen: dict[str, Cast] = {}

    def add(sha256: str, role: Role, why: str) -> None:
        chosen.setdefault(sha256, Cast(sha256, role, why))

    for sha256 in case.core:
        add(sha256, "core", case.why)
    if case.text is not None:
        add(case.text, "core" if case.kind == "quote" else "supporting", case.why)

    ranked = [sha256 for sha256, _ in library.index.search(query, len(library.files))]
    ranked += [sha256 for sha256 in sorted(library.files) if sha256 not in set(ranked)]
    own = [sha256 for sha256 in ranked if library.files[sha256].source.topic == case.topic]

    room = max(size - len(chosen), 0)
    wanted = max(1, room // 3)
    for alike, why in _take(_confusers(library, case, own), set(chosen), min(wanted, room)):
        add(alike, "confuser", why)
    room = max(size - len(chosen), 0)
    for context, why in _take(_contexts(library, own), set(chosen), min(wanted, room)):
        add(context, "supporting", why)
    for sha256 in own:
        if len(chosen) < size:
            how = _relation(library, case, sha256)
            add(sha256, "ambient", how or "another file of the same topic")
    for sha256 in ranked:
        if len(chosen) < size and sha256 not in own:
            add(sha256, "ambient", "a file of a related topic")
    return list(chosen.values())


def _take(candidates: Iterator[tuple[str, str]], taken: set[str], count: int) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for sha256, why in candidates:
        if len(found) >= count:
            break
        if sha256 not in taken:
            found.setdefault(sha256, why)
    return list(found.items())


def _relation(library: Library, case: Case, sha256: str) -> str | None:
    for core in case.core:
        how = library.findings.alternatives.get(core, {}).get(sha256)
        if how is not None:
            return how
    return None


def _confusers(library: Library, case: Case, own: list[str]) -> Iterator[tuple[str, str]]:
    """Files that could be taken for a core file: the same measure and rows, then names of the same pattern."""
    for sha256 in own:
        how = _relation(library, case, sha256)
        if how is not None and how != SAME_FIGURES:
            yield sha256, how
    for sha256 in own:
        for core in case.core:
            if (
                sha256 not in case.core
                and _siblings(library, core, sha256)
                and (_relation(library, case, sha256) != SAME_FIGURES)
            ):
                yield (
                    sha256,
                    f"the same kind of file as {library.files[core].name} for another period, place or edition",
                )


def _siblings(library: Library, left: str, right: str) -> bool:
    """Whether two names follow one pattern: the same words but for the period, or nearly so."""
    one, two = (library.files[sha256].name.rpartition(".")[0] for sha256 in (left, right))
    words_one, words_two = set(without_period(one).split()), set(without_period(two).split())
    if not words_one or not words_two:
        return bool(period_of(one)) and bool(period_of(two)) and not words_one and not words_two
    return len(words_one & words_two) / len(words_one | words_two) >= _ALIKE


def _contexts(library: Library, own: list[str]) -> Iterator[tuple[str, str]]:
    """Text documents of the topic, most relevant first."""
    for sha256 in own:
        document = library.documents[sha256]
        if document.family in _TEXTS and len(terms(document.text()[:4_000])) >= _CONTEXT_WORDS:
            yield sha256, f"background on the topic: {library.files[sha256].source.title}"
