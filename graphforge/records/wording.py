"""Whether a measure and its rows can be named in words that a colleague would use."""

import re
from collections.abc import Collection, Iterable

from .document import normalize
from .kinds import kind_of

_PERIOD = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:fy|cy|fytd|cytd) ?(?:\d\d){0,2}|q[1-4]|(?:19|20)\d\d|ytd|"
    r"fiscal|calendar|years?|quarters?|months?|weeks?|ended|ending|to|date|three|six|nine|twelve)\b"
)
# Words that say nothing of what is measured.
_BARE = frozenset(
    """total totals number numbers value values amount amounts count counts other others figure figures cumulative sum
    all n percent rank data general overall estimate estimates estimated series sheet table tab column field variable
    average mean rate rates raw final current previous prior new old and of the by for in on a an per with
    """.split()
)
# Words that say which of several budgets, and with a plain word beside them what of it.
_STAGES = frozenset("actual budgeted adopted proposed projected planned target original revised".split())
_TIMES = frozenset("year month quarter week date day time".split())
_ROW_WORDS = frozenset("state county city region country area department agency year month date name".split())


def _words(text: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace("_", " "))
    return _PERIOD.sub(" ", normalize(spaced)).split()


# Formulas that everyone says as words.
_SPOKEN = re.compile(r"co2e?|pm\d+|so2|nh3|no[x2]|n2o|ch4|k12")


def _is_word(word: str) -> bool:
    """Whether something is said as a word: letters, a vowel among them, longer than an abbreviation; or CO2."""
    if _SPOKEN.fullmatch(word):
        return True
    return word.isalpha() and len(word) > 2 and re.search(r"[aeiouy]", word) is not None


def _is_code(words: Collection[str]) -> bool:
    """Whether a name has parts that only its maker knows: t90, x17."""
    return any(
        re.search(r"\d", word)
        and re.search(r"[a-z]", word)
        and not _SPOKEN.fullmatch(word)
        and not re.fullmatch(r"\d+(?:st|nd|rd|th|k|m|mw|kw|yr)", word)
        for word in words
    )


def plain_header(header: str) -> bool:
    """Whether a header says what is measured: a word that isn't a period nor any figure's, and no code.

    >>> [plain_header(one) for one in ("Sum of deaths", "Total", "deaths_15", "mod_reliability_t90 years", "Jul-23")]
    [True, False, False, False, False]
    >>> plain_header("FY2013 Budgeted"), plain_header("CO2 rate (lb/MWh)"), plain_header("Population, age 15 to 24")
    (True, True, True)
    """
    bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", header) or header
    bare = re.sub(r"^\d+[a-z]?\. (?=[A-Z])", "", bare)
    if re.search(r"[A-Za-z]_\d{1,3}(?:\D|$)|^[a-z]+_\w*\d", bare):
        return False
    words = _words(bare)
    if _is_code(words):
        return False
    return any(_is_word(word) and word not in _BARE for word in words)


def plain_title(title: str) -> bool:
    """Whether a title names a subject: two words at least that aren't any table's, or one beside such a word.

    >>> [plain_title(one) for one in ("department spending adopted", "SOI estimates", "FY13", "rates by state")]
    [True, False, False, False]
    >>> plain_title("TANF: Total Number of Families"), plain_title("Sheet1"), plain_title("wage collections by sector")
    (True, False, True)
    """
    told = _words(title)
    words = {word for word in told if word.isalpha() and word not in _BARE and word not in _ROW_WORDS}
    plain = {word for word in words if _is_word(word) and word not in _STAGES}
    return not _is_code(told) and bool(plain) and len(words) >= 2


def rows_named(key: str, names: Collection[str], title: str) -> bool:
    """Whether rows can be spoken of: their column has a name, their names tell what they are, or are words.

    >>> rows_named("", ["US Population", "POP_DEP", "POP_SNR", "AGIR1"], "")
    False
    >>> rows_named("", ["Single", "Joint", "Head of household"], ""), rows_named("naics_sector", ["11", "21"], "")
    (True, True)
    """
    told = any(_is_word(word) and word not in _BARE for word in _words(key)) or normalize(key) in _TIMES
    if told or kind_of(names) or plain_by(title):
        return True
    return sum(_in_words(name) for name in names) >= _IN_WORDS * len(names)


# A few abbreviations among names are understood; more of them are codes.
_IN_WORDS = 0.85


def _in_words(name: str) -> bool:
    return "_" not in name and any(_is_word(word) for word in normalize(name).split())


_BY = re.compile(
    r"\bby (?:the )?([a-z][a-z -]+?)(?= (?:for|from|in|of|as|at|with|to|between|during)\b|[,;:(\d]|$)"
)


def plain_by(title: str) -> str | None:
    """The noun for the rows in a title that says "by" what; None where it says none, or several.

    >>> plain_by("Employment by major occupational group, 2022"), plain_by("Sales by product and region")
    ('major occupational group', None)
    """
    found = _BY.findall(" ".join(title.casefold().split()))
    if len(found) != 1:
        return None
    words = found[0].split()
    if len(words) > 3 or "and" in words or "or" in words or not all(_is_word(word) for word in words):
        return None
    return found[0].strip()


def nameable(header: str, titles: Iterable[str]) -> bool:
    """Whether a measure can be asked for in words: by its header, or by a title where the header says nothing."""
    return plain_header(header) or any(plain_title(title) for title in titles)
