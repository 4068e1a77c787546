"""Words for prose out of headers, row names, periods and titles of occupations.

Every function says less rather than something wrong: what can't be put into plain words comes back empty or as None,
and the caller quotes the source instead.
"""

import re
from collections.abc import Sequence

from ..records import normalize, show_number, stable_hash

ROW = "row"
"""What a row is called where its column's name isn't a word for it."""

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_QUARTERS = ("first", "second", "third", "fourth")
_ACRONYMS = frozenset({"naics", "soc", "fips", "zip", "msa", "cbsa"})
_ADJECTIVES = frozenset({"postsecondary", "general", "industrial", "medical", "wholesale", "chief"})
_NAMES = frozenset(
    {"English", "American", "Spanish", "French", "German", "Native", "Internet", "Web", "African"}
)
_THINGS = {
    "dept": "department", "geography": "area", "geographic area": "area", "st": "state", "yr": "year",
    "muni": "municipality", "co": "county", "org": "organization", "cat": "category",
    "field of study": "field of study", "corporate": "company", "row labels": "category", "muni name": "municipality",
}  # fmt: skip
_NO_THINGS = frozenset(
    """item items label labels name names title description unnamed key id index row column field code note notes series
    value values total line measure variable data""".split()
)
_BARE = frozenset(
    """total totals number numbers value values amount amounts count counts other others figure figures cumulative
    actual budgeted estimate estimated all sum n percent rank data general""".split()
)
_ARTICLELESS = ("all ", "any ", "no ", "other ", "each ", "some ", "our ", "the ", "“")
_UNIT = re.compile(
    r"[$€£%/]|\b(?:usd|dollars?|percent|thousands?|millions?|billions?|tons?|tonnes?|barrels?|mcf|mwh|kwh|mw|gw|lbs?|kg|"
    r"gallons?|persons?|people|years?|hours?|units?)\b",
    re.I,
)
_YEAR = r"(?:19|20)\d\d"
_TIME = re.compile(
    rf"\b(?:{'|'.join(_MONTHS)}|{'|'.join(month[:3] for month in _MONTHS)})\.?[ -]{_YEAR}\b"
    rf"|\b\d{{1,2}} (?:{'|'.join(_MONTHS)}) {_YEAR}\b"
    rf"|\b(?:FY|fiscal years?|CY)[ ]?{_YEAR}(?:[ ,]+(?:Q[1-4]|quarter [1-4]))?\b"
    rf"|\b{_YEAR}-\d\d(?:-\d\d)?\b|\b{_YEAR}(?:[ ,]+(?:Q[1-4]|quarter [1-4]))?\b",
    re.I,
)


def pick(options: Sequence[str], *key: str) -> str:
    """One of the options; the same key always gets the same one."""
    return options[int(stable_hash(*key)[:8], 16) % len(options)]


def joined(parts: Sequence[str]) -> str:
    """Parts as a person lists them.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + f" and {parts[-1]}"


def amount(number: float) -> str:
    """A number as a person writes it in a sentence: thousands separated, never with an exponent.

    >>> amount(5e6), amount(0.5), amount(5e-7)
    ('5,000,000', '0.5', '0.0000005')
    """
    if 0 < abs(number) < 1e-5:
        return f"{number:.12f}".rstrip("0")
    return show_number(number)


def role(occupation: str) -> str:
    """An occupation inside a sentence: without O*NET's qualifiers behind a comma, in small letters save for names.

    >>> role("Education Administrators, Postsecondary"), role("Secretaries, Except Legal, Medical, and Executive")
    ('postsecondary education administrators', 'secretaries')
    >>> role("Child, Family, and School Social Workers"), role("First-Line Supervisors of Retail Sales Workers")
    ('child, family, and school social workers', 'first-line supervisors of retail sales workers')
    """
    title = re.split(r",? except\b|, all other\b| \(", occupation, maxsplit=1, flags=re.I)[0].strip(" ,")
    head, comma, rest = title.partition(", ")
    # "A, B, and C Agents" is a list; "Managers, Government Programs" a heading of a catalogue.
    if comma and ", and " not in rest and not rest.startswith("and "):
        title = f"{rest} {head}" if rest.casefold() in _ADJECTIVES else head
    return " ".join(_small(word) for word in title.split())


def _small(word: str) -> str:
    bare = word.strip(",.;:()")
    if bare in _NAMES or (len(bare) > 1 and not any(character.islower() for character in bare)):
        return word
    parts = bare.split("-")
    if all(part[1:].islower() or len(part) < 2 for part in parts):
        return word.casefold()
    return word


def several(role: str) -> bool:
    """Whether a role names people (analysts, clergy) and not one person (analyst)."""
    head = role.split(" of ")[0].split()[-1]
    return head.endswith("s") and not head.endswith("ss")


def plural(noun: str) -> str:
    """The plural of a thing: of the word before "of", of both sides of an "or".

    >>> plural("source of income"), plural("state or territory"), plural("industry"), plural("branch")
    ('sources of income', 'states or territories', 'industries', 'branches')
    """
    if " or " in noun:
        return " or ".join(plural(part) for part in noun.split(" or "))
    head, of, rest = noun.partition(" of ")
    if re.search(r"[^aeiou]y$", head):
        head = head[:-1] + "ies"
    elif re.search(r"(?:s|x|z|ch|sh)$", head):
        head += "es"
    else:
        head += "s"
    return head + of + rest


def thing(key: str) -> str:
    """What a row is, out of the header over the row names; ROW where that is no plain word for it.

    >>> thing("Community district"), thing("dept_name_raw"), thing("Row Labels"), thing("Projection as of June 30")
    ('community district', 'department', 'category', 'row')
    """
    words = [
        _small(word) if not key.isupper() else word.casefold()
        for word in re.sub(r"[_\s]+", " ", key).split()
        if word.casefold() not in {"name", "raw", "title", "code"}
    ]
    words = [word.upper() if word in _ACRONYMS else word for word in words]
    said = " ".join(words)
    if said.casefold() in _THINGS:
        return _THINGS[said.casefold()]
    if not re.fullmatch(r"[A-Za-z][A-Za-z' -]{2,29}", said) or len(words) > 3:
        return ROW
    if {word.casefold() for word in words} & (_NO_THINGS | {"and"}):
        return ROW
    if said.endswith("s") and not said.endswith("ss"):
        return ROW
    return said


def period_words(period: str | None, told: str) -> str:
    """A period as it is said; empty where there is none, or where ``told`` (header, title, file name) doesn't show its
    year: the last day of January, read as a month of 2031, is not to be repeated.

    >>> period_words("FY 2021 Q1", "total (FY 2021 Q1)"), period_words("2022-12", "Dec-22")
    ('the first quarter of fiscal year 2021', 'December 2022')
    >>> period_words("2031-01", "Jan 31")
    ''
    """
    if not period:
        return ""
    years = re.findall(_YEAR, period)
    if not years or not all(year in told or re.search(rf"[-'/]{year[2:]}\b", told) for year in years):
        return ""
    if found := re.fullmatch(rf"FY ?({_YEAR})", period):
        return f"fiscal year {found[1]}"
    if found := re.fullmatch(rf"(FY ?)?({_YEAR})[ -]?Q([1-4])", period):
        return f"the {_QUARTERS[int(found[3]) - 1]} quarter of {'fiscal year ' if found[1] else ''}{found[2]}"
    if found := re.fullmatch(rf"(?:(\d+) months to )?({_YEAR})-(\d\d)-(\d\d)", period):
        day = f"{int(found[4])} {_MONTHS[int(found[3]) - 1]} {found[2]}"
        return f"the {found[1]} months to {day}" if found[1] else day
    if found := re.fullmatch(rf"({_YEAR})-(0[1-9]|1[0-2])", period):
        return f"{_MONTHS[int(found[2]) - 1]} {found[1]}"
    return period if re.fullmatch(_YEAR, period) else ""


def measure_words(header: str, unit: str | None, period: str) -> str | None:
    """A measure in plain words, without unit and period; None where the header isn't made of plain words.

    ``period`` is how the period will be said beside it: one that stands in the header and isn't said must not be lost.

    >>> measure_words("CO2 rate, 2024 (lb/MWh), portfolio efficiency", "lb per MWh", "2024")
    'CO2 rate (portfolio efficiency)'
    >>> measure_words("TARGET BUDGET", None, ""), measure_words("mod_reliability_t90 years", None, "")
    ('target budget', None)
    """
    text = " ".join(header.replace("_", " ").split())
    text = re.sub(
        r"[\[(]([^\])]*)[\])]",
        lambda found: (
            " , " if _UNIT.search(found[1]) or normalize(found[1]) == normalize(unit or "") else found[0]
        ),
        text,
    )
    bare = _TIME.sub(" , ", text)
    if bare != text and not period:
        return None
    bare = re.sub(r"\(\s*,?\s*\)", " , ", bare)
    parts = [" ".join(part.split()) for part in bare.split(",")]
    parts = [part for part in parts if part]
    if not parts or len(parts) > 2:
        return None
    kept = re.findall(r"\(([^()]*)\)", parts[0])
    main = re.sub(r"\([^()]*\)", " ", parts[0])
    words = main.split()
    rest = [*kept, *parts[1:]]
    if not _plain(words) or any(not _plain(part.split()) for part in rest) or len(rest) > 1:
        return None
    if all(normalize(word) in _BARE for word in words) or len(main) > 55:
        return None
    shouted = main.isupper() and any(len(word) > 4 for word in words)
    titled = all(word[0].isupper() or len(word) < 4 for word in words) and len(words) > 1
    if shouted and rest:
        return None
    if shouted:
        words = [word.casefold() for word in words]
    elif titled:
        words = [_small(word) for word in words]
    elif any(word[0].isupper() and not word.isupper() and word[1:].islower() for word in words[1:]):
        # "Population All ages" is two headers in one, "Alaska Native students" a name: who can tell?
        return None
    else:
        words = [_small(words[0]), *words[1:]]
    said = " ".join(words)
    if said.isupper():
        return None
    if rest:
        said += f" ({' '.join([_small(rest[0].split()[0]), *rest[0].split()[1:]])})"
    return said


def _plain(words: Sequence[str]) -> bool:
    return (
        0 < len(words) <= 7
        and all(
            re.fullmatch(r"[A-Za-z][A-Za-z'’-]*|[A-Z][A-Za-z]?[A-Z]?\d|&", word)
            and not re.search(r"[a-z][A-Z]", word)
            for word in words
        )
        and any(len(word) > 3 for word in words)
    )


def the(measure: str) -> str:
    """A measure with its article, where it takes one."""
    return measure if measure.casefold().startswith(_ARTICLELESS) else f"the {measure}"


def sentence(text: str) -> str:
    """A sentence begins with a capital, unless it begins with a file name or a quotation."""
    first = text.split(" ", 1)[0]
    return text if "." in first.rstrip(".,:;") or "_" in first else text[:1].upper() + text[1:]
