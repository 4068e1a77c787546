"""What is asked of a search engine for a seed: its own words, and a file type, as Agent-R2 searches (its appendix).

The words are those of the demand and of the work activity in turn, without what every occupation's tasks share; the
types begin with the family that the seed expects and go on through the configured list, so that a seed's queries look
for different formats. The same seeds give the same queries.
"""

from collections.abc import Mapping, Sequence

from ...records import InputFamily, Record, Seed
from ..words import subject_words

_WORDS = 8
FILE_TYPES = ("xlsx", "xls", "csv", "pdf", "docx", "pptx", "json", "html")
_FAMILIES: Mapping[InputFamily, tuple[str, ...]] = {
    "spreadsheet": ("xlsx", "xls"),
    "delimited": ("csv",),
    "document": ("pdf", "docx"),
    "presentation": ("pptx",),
    "page": ("html",),
    "data": ("json",),
}


class Query(Record):
    """Words and a file type (without a dot). ``topic``: the work activity of the first seed that asks it."""

    words: str
    file_type: str
    topic: str

    @property
    def text(self) -> str:
        """As a person would type it into an engine that knows ``filetype:``; pages need no such filter."""
        return self.words if self.file_type == "html" else f"{self.words} filetype:{self.file_type}"


def queries_of(seeds: Sequence[Seed], each: int, file_types: Sequence[str]) -> list[Query]:
    """At most ``each`` queries a seed, in order; what two seeds have in common is asked once."""
    found: dict[tuple[str, str], Query] = {}
    for seed in seeds:
        own = _FAMILIES[seed.input_family]
        first = next((place for place, one in enumerate(file_types) if one in own), 0)
        phrases = [
            phrase for phrase in (_phrase(seed.demand), _phrase(f"{seed.dwa} {seed.occupation}")) if phrase
        ]
        topic = " ".join(seed.dwa.split()).rstrip(".") or seed.occupation
        for number in range(each if phrases else 0):
            words = phrases[number % len(phrases)]
            file_type = file_types[(first + number) % len(file_types)]
            found.setdefault((words, file_type), Query(words=words, file_type=file_type, topic=topic))
    return list(found.values())


def _phrase(text: str) -> str:
    return " ".join(list(dict.fromkeys(subject_words(text)))[:_WORDS])
