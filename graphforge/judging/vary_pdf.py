"""A PDF otherwise, and as right as before. A finished page has no rows or columns that could change places."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ..records import Document
from .asked import Asked
from .checks import heads
from .edit_pdf import Word, rewrite
from .edits import CannotEdit
from .looks import restyled, reworded

Change = Callable[[list[list[Word]], Asked], int]


def other_library(pages: list[list[Word]], asked: Asked) -> int:
    """All words set again by PyMuPDF."""
    return 1


def other_rendering(pages: list[list[Word]], asked: Asked) -> int:
    """The figures of sentences in another look."""
    return _paragraphs(pages, lambda text: restyled(text, asked.stated))


def other_wording(pages: list[list[Word]], asked: Asked) -> int:
    """Other words around the figures that sentences state."""
    return _paragraphs(pages, lambda text: reworded(text, asked.stated, asked.phrases))


def numbered_headings(pages: list[list[Word]], asked: Asked) -> int:
    """The headings with numbers before them."""
    changed = 0
    for words in pages:
        lines: dict[tuple[int, int], list[int]] = {}
        for place, word in enumerate(words):
            lines.setdefault((word.block, word.line), []).append(place)
        for places in lines.values():
            text = " ".join(words[place].text for place in places)
            if any(heads(text, heading) for heading in asked.headings):
                changed += 1
                first = words[places[0]]
                words[places[0]] = replace(first, text=f"{changed}. {first.text}")
    return changed


def _paragraphs(pages: list[list[Word]], said: Callable[[str], str]) -> int:
    """Put the text of a block otherwise; its words keep their places as far as they go."""
    changed = 0
    for number, words in enumerate(pages):
        kept: list[Word] = []
        for block in dict.fromkeys(word.block for word in words):
            own = [word for word in words if word.block == block]
            text = " ".join(word.text for word in own)
            new = said(text)
            if new == text:
                kept += own
                continue
            changed += 1
            # What is longer goes into the first word: the order of a page's text counts, not how it looks.
            parts = new.split(" ")
            head = len(parts) - len(own)
            if head >= 0:
                parts = [" ".join(parts[: head + 1]), *parts[head + 1 :]]
            kept += [replace(word, text=part) for word, part in zip(own, parts, strict=False)]
        pages[number] = kept
    return changed


def _vary(change: Change) -> Callable[[Path, Path, Asked, Document], None]:
    def vary(source: Path, target: Path, asked: Asked, document: Document) -> None:
        def made(pages: list[list[Word]]) -> None:
            if not change(pages, asked):
                raise CannotEdit("nothing of the pages can be put otherwise")

        rewrite(source, target, made)

    return vary


VARIATIONS: Mapping[str, Callable[[Path, Path, Asked, Document], None]] = {
    one.__name__: _vary(one) for one in (other_library, other_rendering, other_wording, numbered_headings)
}
