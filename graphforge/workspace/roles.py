"""Roles: which files join a case, and what each is there for (paper section 3.2).

Core files drive the work, supporting files give policy or context, confusers are plausible but do not apply,
ambient files make the folder look like a real one. The working agent never learns which is which.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..records import Role
from .case import Case
from .cases import SAME_FIGURES
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


def cast(library: Library, case: Case, ranked: Iterable[str], size: int) -> list[Cast]:
    """The files of a workspace around a case, core first; at most ``size``, fewer where the library has no more.

    ``ranked``: the library's files, nearest to case and seed first, by which files of equal standing are ordered. Near
    topics are drawn on only where the case's own topic runs out. A case of a single file gets a second core file that
    a computed relation joins to it, where there is one.
    """
    chosen: dict[str, Cast] = {}

    def add(sha256: str, role: Role, why: str) -> None:
        chosen.setdefault(sha256, Cast(sha256, role, why))

    for sha256 in case.core:
        add(sha256, "core", case.why)
    if case.text is not None:
        add(case.text, "core" if case.kind == "quote" else "supporting", case.why)

    ranked = list(ranked)
    ranked += [sha256 for sha256 in sorted(library.files) if sha256 not in set(ranked)]
    own = [sha256 for sha256 in ranked if library.files[sha256].source.topic == case.topic]
    if sum(member.role == "core" for member in chosen.values()) == 1:
        for sha256, why in _take(companions(library, case), set(chosen), 1):
            add(sha256, "core", why)

    room = max(size - len(chosen), 0)
    wanted = max(1, room // 3)
    for rival, why in _take(_confusers(library, case, own), set(chosen), min(wanted, room)):
        add(rival, "confuser", why)
    room = max(size - len(chosen), 0)
    for context, why in _take(_contexts(library, case, own), set(chosen), min(wanted, room)):
        add(context, "supporting", why)
    alike = dict(_take(_confusers(library, case, own), set(), len(own)))
    for sha256 in own:
        if len(chosen) < size and sha256 not in alike:
            how = _relation(library, case, sha256)
            add(sha256, "ambient", how or "another file of the same topic")
    # What could be taken for a core file confuses, however many of them there are.
    for sha256, why in alike.items():
        if len(chosen) < size:
            add(sha256, "confuser", why)
    for sha256 in ranked:
        if len(chosen) < size and sha256 not in own:
            add(sha256, "ambient", "a file of a related topic")
    return list(chosen.values())


def is_related(library: Library, case: Case) -> bool:
    """Whether a workspace around the case can have two core files with a relation between them."""
    return len(case.core) + (case.kind == "quote") > 1 or next(companions(library, case), None) is not None


def companions(library: Library, case: Case) -> Iterator[tuple[str, str]]:
    """Files that carry values of the same work as a case of a single file, closest first.

    First tables that tell other things of the very rows; then files with names or figures in common. What holds the
    case's own measure for another period or edition is no companion: it would be taken for the file itself.
    """
    [piece, *_] = case.pieces
    rivals = {
        sha256
        for one in case.pieces
        for sha256, how in library.findings.rivals.get((one.sha256, one.table, one.column), {}).items()
        if how != SAME_FIGURES
    }
    for sha256, why in library.findings.companions.get((piece.sha256, piece.table), {}).items():
        if sha256 not in rivals:
            yield sha256, why
    ties = library.ties(case.topic)[piece.sha256]
    for sha256, tie in sorted(ties.items(), key=lambda one: (-one[1].strength, one[0])):
        series = sha256 in rivals or _siblings(library, piece.sha256, sha256)
        if tie.kind != "mention" and not series and library.documents[sha256].tables:
            yield sha256, tie.why


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
    """Files that could be taken for a core file: those with the case's measure, with another one, of its series."""
    rivals = library.findings.rivals
    for sha256 in own:
        for piece in case.pieces:
            how = rivals.get((piece.sha256, piece.table, piece.column), {}).get(sha256)
            if how is not None and how != SAME_FIGURES:
                yield sha256, how
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


def _contexts(library: Library, case: Case, own: list[str]) -> Iterator[tuple[str, str]]:
    """Text documents of the topic: first those that speak of a core file or share names or figures with it."""
    texts = [
        sha256
        for sha256 in own
        if library.files[sha256].family in _TEXTS
        and len(terms(library.documents[sha256].text()[:4_000])) >= _CONTEXT_WORDS
    ]
    ties = library.ties(case.topic)
    for sha256 in texts:
        for core in case.core:
            if tie := ties[core].get(sha256):
                yield sha256, tie.why
    for sha256 in texts:
        yield sha256, f"background on the topic: {library.files[sha256].source.title}"
