"""Which licences let a file into a data set for training.

    gate = LicenceGate(allow=("public domain", "CC-BY"), without_manifest="pass", sites=())
    gate.refusal("CC BY 4.0")                                # None: it may be used
    gate.refusal("CC BY-NC 4.0")                             # "CC BY-NC 4.0": it may not

A manifest says a licence in words of its own. They are cut at the semicolons outside of brackets, because a file can
rest on several ("figures: MIT; layout: CC0-1.0"), and every piece has to be allowed. What stands in brackets explains
and allows nothing. A pattern is found in a piece as a run of whole words; ``*`` stands for the rest of a word.
Restrictions win: a piece that is for non-commercial use only, allows no derivatives, reserves all rights or forbids
training passes only by a pattern that says the same, or by ``any``.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

ANY = "any"

_NAMES = (
    (r"creativecommons\.org/(?:licenses|licences)/([a-z+-]+)", r" cc \1 "),
    (r"creativecommons\.org/publicdomain/zero", " cc0 "),
    (r"creativecommons\.org/publicdomain/mark", " public domain "),
    (r"open data commons attribution", " odc-by "),
    (r"creative[\s-]*commons", " cc "),
    (r"\battribution\b", " by "),
    (r"non[\s-]*commercial", " nc "),
    (r"no[\s-]*deriv(?:ative)?s?(?:[\s-]*works)?", " nd "),
    (r"share[\s-]*alike", " sa "),
    (r"\bcc[\s-]*(?:0|zero)(?![0-9a-z])", " cc0 "),
    (r"\bu\.\s?s\.(?=\s)|\bunited states\b", " us "),
    (r"licens", "licenc"),
)
_CC = re.compile(r"\bcc[\s-]+((?:by|nc|nd|sa)(?:[\s-]+(?:by|nc|nd|sa))*)(?![0-9a-z])(\*?)")
_WORD = re.compile(r"(?:cc-by(?:-[a-z]+)*|odc-by|[a-z0-9]+(?:\.[a-z0-9]+)*)[*?]*")
_NEGATIONS = frozenset("no non not except excluding unless without".split())
# How many words before a licence's name a negation still belongs to it.
_REACH = 3
_RESTRICTIONS = {
    "non-commercial": re.compile(r"\bnc\b"),
    "no derivatives": re.compile(r"\bnd\b"),
    "all rights reserved": re.compile(r"\ball rights reserved\b"),
    "no training": re.compile(r"\b(?:no|not|forbidden|prohibited)\b[^.;]{0,40}\btraining\b|\bnoai\b"),
    "evaluation only": re.compile(
        r"\b(?:evaluation|personal use|internal use) only\b|\bonly for evaluation\b"
    ),
    "proprietary": re.compile(r"\b(?:proprietary|confidential)\b"),
}


class SiteTerms(BaseModel):
    """The licence that the terms of some hosts (and of their subdomains) give to what they publish."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    licence: str = Field(min_length=1)
    hosts: tuple[str, ...] = Field(min_length=1)


class LicenceGate(BaseModel):
    """The licences that files may have.

    ``allow``: patterns; ``any`` lets everything pass. ``without_manifest``: what becomes of the files of a local folder
    without a manifest, of which nobody has said anything: "pass" (they are the user's own) or "drop". ``sites``: what
    the terms of a site say, for fetched files that state nothing themselves.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    allow: tuple[Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)], ...] = Field(
        min_length=1
    )
    without_manifest: Literal["pass", "drop"]
    sites: tuple[SiteTerms, ...]

    def refusal(self, licence: str) -> str | None:
        """The piece of ``licence`` that is not allowed, or None where all are."""
        if any(pattern.casefold() == ANY for pattern in self.allow):
            return None
        for piece in _pieces(licence):
            if not any(_allows(pattern, piece) for pattern in self.allow):
                return piece
        return None

    def of_site(self, host: str) -> str | None:
        """The licence that the terms of a host give; the longest name that fits decides."""
        host = host.casefold().rstrip(".")
        fitting = [
            (name, terms.licence)
            for terms in self.sites
            for name in map(str.casefold, terms.hosts)
            if host == name or host.endswith(f".{name}")
        ]
        return max(fitting, key=lambda one: len(one[0]))[1] if fitting else None


def _pieces(licence: str) -> Iterator[str]:
    """The pieces between the semicolons outside of brackets; one empty piece where nothing is said."""
    depth, start, pieces = 0, 0, []
    for place, character in enumerate(licence):
        depth = max(0, depth + (character in "([") - (character in ")]"))
        if character == ";" and depth == 0:
            pieces.append(licence[start:place])
            start = place + 1
    pieces.append(licence[start:])
    told = [piece.strip() for piece in pieces if piece.strip()]
    yield from told or [""]


def _allows(pattern: str, piece: str) -> bool:
    wanted, words = _words(pattern), _words(_outside(piece).replace("*", " "))
    if not wanted or not _restrictions(piece) <= _restrictions(pattern):
        return False
    for start in range(len(words) - len(wanted) + 1):
        run = words[start : start + len(wanted)]
        if _NEGATIONS.intersection(words[max(0, start - _REACH) : start]):
            continue
        if all(fnmatchcase(word, want) for word, want in zip(run, wanted, strict=True)):
            return True
    return False


def _outside(piece: str) -> str:
    """A piece without what stands in brackets."""
    for _ in range(8):
        shorter = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", piece)
        if shorter == piece:
            break
        piece = shorter
    return piece


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    """Names of licences in one spelling: ``Creative Commons Attribution-NonCommercial`` as ``cc-by-nc``."""
    text = text.casefold()
    for pattern, name in _NAMES:
        text = re.sub(pattern, name, text)
    return _CC.sub(lambda found: f" cc-{'-'.join(re.findall('[a-z]+', found[1]))}{found[2]} ", text)


def _words(text: str) -> list[str]:
    return _WORD.findall(_folded(text))


def _restrictions(text: str) -> set[str]:
    folded = _folded(text)
    return {name for name, pattern in _RESTRICTIONS.items() if pattern.search(folded)}
