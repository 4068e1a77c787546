"""Words for comparison: stems for the search, periods and measures for the tables."""

import re
from functools import lru_cache

import snowballstemmer

from ..records import normalize

# Words that say nothing of a subject: English function words, and the verbs and nouns that occupational
# task statements share whatever the field ("prepare reports", "review records", "ensure compliance").
# Matching a seed to a library on them would send a dental record to a tax table.
_FUNCTION = """
a about above after all also an and any are as at be been before being below between both but by can could did do
does during each either etc every for from had has have he her here his how i if in into is it its may more most
must no nor not of off on once only or other our out over own per same shall she should so some such than that the
their them then there these they this those through to too under until up upon us was we were what when where which
while who whom whose why will with within without would you your include includes included including related using
use used uses various necessary appropriate specific needed required new make makes made one two first second
"""
_WORK = """
accordance accuracy accurate achieve act action activity actions activities address administer advise analysis
analyses analyze apply arrange aspect assess assessment assign assist assure authorize based basis change changes
check collect communicate compare compile complete compliance comply compute conduct confer consult coordinate
correct create customer data demand describe design detail detect determine develop development direct directed
discuss document documentation documents duty effective effectiveness efficiency efficient employee ensure
establish estimate evaluate evaluation examine execute existing explain facilitate file files findings follow form
forms formulate gather general goal guide guidelines handle identify implement implementation improve individual
information initiate inspect instruct interpret investigate issue issues item items job keep lead level list
maintain manage management manager managers material materials measure measures meet member method methods monitor
need needs negotiate notify observe obtain operate operation operations order organization organizational
organizations organize others oversee participate perform performance person personnel plan planning plans policy
policies practice practices prepare present problem problems procedure procedures process processes produce program
programs project projects proposed provide purpose quality recommend recommendation recommendations record recorded
records regard regarding relevant report reports request requirement requirements resolve resource resources respond
result results review reviews schedule select serve service services set situation specification specifications
specialist specialists staff standard standards statistical status study studies submit supervise supervisor
supervisors support system systems task tasks team technician technicians technique techniques technical test time
train training type types unit update use user validate value verify work worker workers write written
"""

_MONTHS = {
    month: f"{number:02d}"
    for number, names in enumerate(
        (
            ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
            ("july", "jul"), ("august", "aug"), ("september", "sep", "sept"), ("october", "oct"),
            ("november", "nov"), ("december", "dec"),
        ),
        start=1,
    )
    for month in names
}  # fmt: skip
_YEAR = re.compile(r"(?:19|20)\d\d$")
_FISCAL = re.compile(r"(?:fy|fiscal)(\d\d|\d{4})$")
_QUARTER = re.compile(r"q[1-4]$")
_HALF = re.compile(r"h[12]$")
_MONTH_NUMBER = re.compile(r"(?:0?[1-9]|1[0-2])$")
_DAY_NUMBER = re.compile(r"\d{1,2}$")
_ORDINAL = {
    word: f"q{number}"
    for number, words in enumerate(
        (("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th")), start=1
    )
    for word in words
}
_EDITION = frozenset(
    "revised revision rev provisional preliminary prelim final draft updated update version edition corrected "
    "amended old new latest copy resaved raw processed partial".split()
)
_VERSION = re.compile(r"v\d+$")
# A measure of these names alone says nothing of what is measured; the table's title has to.
_GENERIC = frozenset(
    "total value amount number count sum all overall figure data n pct percent rate average mean".split()
)
_STEMMER = snowballstemmer.stemmer("english")


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The Snowball (Porter 2) stem of a normalized word."""
    return str(_STEMMER.stemWord(word))


_STOP = frozenset(_FUNCTION.split())
_COMMON = frozenset(stem(word) for word in _WORK.split())


def terms(text: str) -> list[str]:
    """The stems of a text's words in order: no function words, no bare numbers, no single letters."""
    return [
        stem(word)
        for word in normalize(text).split()
        if len(word) > 1 and word not in _STOP and not word.isdigit()
    ]


@lru_cache(maxsize=100_000)
def subject_terms(text: str) -> tuple[str, ...]:
    """As :func:`terms`, without the words that every occupation's tasks share."""
    return tuple(term for term in terms(text) if term not in _COMMON)


def subject_words(text: str) -> list[str]:
    """The words behind :func:`subject_terms`, as they are written: what a search engine understands."""
    return [
        word
        for word in normalize(text).split()
        if len(word) > 1 and word not in _STOP and not word.isdigit() and stem(word) not in _COMMON
    ]


def _scan(text: str) -> tuple[list[str], list[str]]:
    """A text's period tokens in canonical form, and its remaining words."""
    words = normalize(text).split()
    periods: list[str] = []
    rest: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        following = words[index + 1] if index + 1 < len(words) else ""
        if match := _FISCAL.match(word):
            year = match.group(1)
            periods.append("fy" + (year if len(year) == 4 else "20" + year))
        elif (
            word in {"fy", "fiscal"}
            and following == "year"
            and index + 2 < len(words)
            and _YEAR.match(words[index + 2])
        ):
            periods.append("fy" + words[index + 2])
            index += 2
        elif word in {"fy", "fiscal"} and (
            _YEAR.match(following) or (_DAY_NUMBER.match(following) and len(following) == 2)
        ):
            periods.append("fy" + (following if len(following) == 4 else "20" + following))
            index += 1
        elif _YEAR.match(word):
            periods.append(word)
            # 2016-02-17 and 2021_06: numbers right after a year are its month and day.
            if len(following) == 2 and _MONTH_NUMBER.match(following):
                periods.append(following)
                index += 1
                following = words[index + 1] if index + 1 < len(words) else ""
                if len(following) == 2 and _DAY_NUMBER.match(following):
                    periods.append(following)
                    index += 1
        elif _short_date(words[index : index + 3]):
            month, day, year = words[index : index + 3]
            periods += ["20" + year, month.zfill(2), day.zfill(2)]
            index += 2
        elif _QUARTER.match(word) or _HALF.match(word):
            periods.append(word)
        elif word in _ORDINAL and following in {"quarter", "qtr"}:
            periods.append(_ORDINAL[word])
            index += 1
        elif word in _MONTHS and not (word in {"may", "march"} and not _near_number(words, index)):
            periods.append(_MONTHS[word])
            if _DAY_NUMBER.match(following):
                periods.append(following.zfill(2))
                index += 1
        else:
            rest.append(word)
        index += 1
    return periods, rest


def _short_date(words: list[str]) -> bool:
    """Month, day and two-digit year (05-20-25), as file names write them."""
    return (
        len(words) == 3
        and all(word.isdigit() and len(word) == 2 for word in words)
        and 1 <= int(words[0]) <= 12
        and 1 <= int(words[1]) <= 31
    )


def _near_number(words: list[str], index: int) -> bool:
    neighbours = words[max(0, index - 1) : index] + words[index + 1 : index + 2]
    return len(words) == 1 or any(word[:1].isdigit() for word in neighbours)


@lru_cache(maxsize=100_000)
def period_of(text: str) -> str:
    """The periods that a text names, canonical and in order (``fy2021 q1``, ``2016 02 17``); empty for none."""
    return " ".join(_scan(text)[0])


@lru_cache(maxsize=100_000)
def without_period(text: str) -> str:
    """A text normalized, without its periods and without words of edition (revised, provisional, v2)."""
    return " ".join(word for word in _scan(text)[1] if word not in _EDITION and not _VERSION.match(word))


def measure_of(name: str, subject: str) -> str:
    """What a column measures, whatever its period or edition.

    A name that is only a period or only a generic word (``Total``) is completed by the table's ``subject``.
    """
    bare = without_period(name)
    if bare and not set(bare.split()) <= _GENERIC:
        return bare
    return f"{bare} | {without_period(subject)}".strip()
