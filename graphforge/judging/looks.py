"""The same said in another way: another look of a figure, other words around it. What is meant stays as it is."""

import re
from collections.abc import Sequence

from ..records import TextNumber, parse_number
from .prose import ALIKE, sentences, statements

_PLAIN = re.compile(r"(?P<before>\D*?)(?P<digits>\d[\d,]*)(?P<decimals>\.\d+)?(?P<after>\D*)")
_SPELT = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_FRAME = "As far as the files show: "


def other_look(printed: str, prose: bool = False) -> str:
    """A printed figure in another usual look: ``1,234.50`` for ``1234.5``, ``1234.5`` for ``1,234.50``.

    The same text where it has no other look: years and other short whole numbers in ``prose``, exponents, codes.
    """
    match = _PLAIN.fullmatch(printed)
    if match is None:
        return printed
    bare = match["digits"].replace(",", "")
    if len(bare) > 1 and bare.startswith("0"):
        return printed
    decimals = match["decimals"] or ""
    if "," in match["digits"]:
        digits = bare
    else:
        digits = f"{int(bare):,}" if not (prose and len(bare) == 4 and not decimals) else bare
    if decimals:
        decimals = decimals.rstrip("0").rstrip(".") if decimals.endswith("0") else decimals + "0"
    elif not prose and digits == match["digits"]:
        decimals = ".0"
    new = match["before"] + digits + decimals + match["after"]
    return (
        new if parse_number(digits + decimals) == parse_number(bare + (match["decimals"] or "")) else printed
    )


def restyled(text: str, checks: Sequence[TextNumber]) -> str:
    """A text in which the figures that the checks ask for have another look; up to nine they are spelt out."""
    for start, end in _spans(text, checks):
        digits, rest = text[start:end], text[end:]
        if digits.isdigit() and len(digits) == 1 and not rest.startswith(("%", " %", " percent")):
            new = _SPELT[int(digits)]
        else:
            new = other_look(digits, prose=True)
        if rest.startswith(" percent "):
            rest = "%" + rest.removeprefix(" percent")
        elif rest.startswith("%"):
            rest = " percent" + rest.removeprefix("%")
        text = text[:start] + new + rest
    return text


def reworded(text: str, checks: Sequence[TextNumber], names: Sequence[str] = ()) -> str:
    """A text in which the sentences that state the figures are put otherwise: begun anew, with words of like meaning.

    Row names and other terms of several words are no wording, and stay, as do ``names``.
    """
    spans = [
        (start, end, terms)
        for start, end in sentences(text, [*names, *(term for check in checks for term in check.terms)])
        if (terms := [check.terms for check in checks if statements(text[start:end], check)])
    ]
    for start, end, terms in reversed(spans):
        sentence = text[start:end]
        for term in dict.fromkeys(term for each in terms for term in each):
            sentence = _other_words(sentence, term)
        text = text[:start] + _FRAME + sentence + text[end:]
    return text


def _other_words(sentence: str, term: str) -> str:
    """The sentence with the next word of like meaning for a term, wherever one of its family stands."""
    family = ALIKE.get(term.casefold())
    if family is None:
        return sentence

    def other(match: re.Match[str]) -> str:
        return family[(family.index(match[0].casefold()) + 1) % len(family)]

    return re.sub(r"\b(?:" + "|".join(map(re.escape, family)) + r")\b", other, sentence, flags=re.IGNORECASE)


def _spans(text: str, checks: Sequence[TextNumber]) -> list[tuple[int, int]]:
    """Where the figures stand that the checks ask for, the last first."""
    found = {(one.start, one.end) for check in checks for one in statements(text, check)}
    return sorted(found, reverse=True)
