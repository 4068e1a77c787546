"""What a column and its rows are called by somebody at a desk, who doesn't read headers out.

A header made by a pivot table, a filter or a database is put into words ("Sum of deaths" is "deaths"); one that says
only when, or only "total", leaves the word to the title above it. What has no words comes back as None, and the request
quotes the exact heading instead.
"""

import re

from ..records import (
    Series,
    adds_up,
    counts_something,
    kind_of,
    normalize,
    plain_by,
    plain_header,
    plain_title,
)
from .phrases import ROW, measure_words, thing

_PIVOT = re.compile(r"^(sum|count|average|avg|mean|max|min) of (.+)$", re.IGNORECASE)
_PIVOT_WORDS = {
    "sum": "{}", "count": "number of {}", "average": "average {}", "avg": "average {}", "mean": "average {}",
    "max": "highest {}", "min": "lowest {}",
}  # fmt: skip
_DAY = re.compile(
    r"(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.? (\d{1,2})", re.IGNORECASE
)
_MONTHS = {
    "jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June", "jul": "July",
    "aug": "August", "sep": "September", "oct": "October", "nov": "November", "dec": "December",
}  # fmt: skip
_STAGES = "actual|budgeted|adopted|proposed|projected|planned|estimated|original|revised|preliminary|final"
# How a text says that a table follows, and where what it holds ends.
_LEAD = re.compile(
    r"^(?:the )?(?:following )?tables? (?:below )?(?:shows?|presents?|summari[sz]es?|sets? forth|lists?) |"
    r"^(?:table|exhibit|schedule|chart|figure) [A-Z]?-?\d[\w.-]*[:.]? ?",
    re.IGNORECASE,
)
_END = re.compile(
    r"(?:\b(?:disaggregated|broken down|by|for|from|were|was|as of|during|in (?:thousand|million|billion)s?)\b|[,;:]|"
    r"[-‐–—] | [-‐–—]).*$",
    re.IGNORECASE,
)
_ACRONYM = re.compile(r" \(([A-Z]{2,}(?: ?& ?[A-Z]{2,})*)\)$")
_OFFICE = re.compile(
    r"^(?:the )?(?:office|department|bureau|agency|division|city|county|state) of\b|"
    r"\b(?:department|office|bureau|agency|division)$",
    re.IGNORECASE,
)


def loosened(header: str, unit: str | None = None) -> str:
    """A header with what machines put into it taken out; still the header's words, but for "# of" and pivots.

    >>> loosened("Sum of FY2013 Budgeted"), loosened("Count of permits"), loosened("# of Projected Housing Units")
    ('FY2013 Budgeted', 'number of permits', 'number of projected housing units')
    >>> loosened("new_Installed_Capacity_[MW] MW", "MW"), loosened("9a. Subsidized Employment")
    ('new installed capacity', 'Subsidized Employment')
    >>> loosened("TANF: Total Number of Families"), loosened("ADOPTED BUDGET General")
    ('Number of Families (TANF)', 'adopted budget (General)')
    """
    snake = "_" in header
    text = " ".join(header.replace("_", " ").split())
    text = re.sub(r"\s*\[[^\]]*\]", "", text) if re.search(r"\[[^\]]*\]", text) else text
    if unit and len(text) > len(unit) and text.endswith(f" {unit}"):
        text = text[: -len(unit)].strip()
    text = re.sub(r"^\d+[a-z]?\. (?=[A-Z])", "", text)
    text = re.sub(
        r"\b(no|one|two|single) (parent|family|person)\b(?= \w)", r"\1-\2", text, flags=re.IGNORECASE
    )
    if found := _PIVOT.match(text):
        text = _PIVOT_WORDS[found[1].casefold()].format(found[2])
    if re.match(r"# ", text):
        text = "number of " + " ".join(
            word.casefold() if word.istitle() else word for word in re.sub(r"^# (?:of )?", "", text).split()
        )
    text = re.sub(
        r"^total number of ",
        lambda found: "Number of " if found[0][0] == "T" else "number of ",
        text,
        flags=re.I,
    )
    if found := re.match(r"^([A-Z][A-Z&/ -]{1,14}): (.+)$", text):
        rest = re.sub(r"^total (?=number of )", "", found[2], flags=re.I)
        text = f"{rest[:1].upper() + rest[1:]} ({found[1]})"
    elif found := re.match(r"^([A-Z]{3,}(?: [A-Z]{2,})+) ([A-Z][a-z]+(?: [a-z]+)*)$", text):
        text = f"{found[1].casefold()} ({found[2]})"
    if snake and not text.isupper():
        text = " ".join(
            word if word.isupper() and len(word) < 6 else word.casefold() for word in text.split()
        )
    return text


def subject_of(title: str) -> str | None:
    """What a table holds, by its title: the words before "by", "for" and the like; None where that is no plain name.

    >>> subject_of("CASH FLOW PROJECTIONS; OFFICE OF THE DIRECTOR OF FINANCE; CONSOLIDATED CASH - ALL FUNDS - FY2021")
    'consolidated cash (all funds)'
    >>> subject_of("The following table shows net sales by reportable segment (dollars in millions):")
    'net sales'
    >>> subject_of("TANF: Total Number of Families; Fiscal Year 2022; 2023-03-31"), subject_of("Table 8.2c; Sheet1")
    ('number of families (TANF)', None)
    >>> subject_of("budgeted department spending proposed")
    'budgeted department spending (proposed)'
    """
    parts = [_LEAD.sub("", part.strip()) for part in re.split(r"\s*;\s*|\s+\|\s+", title)]
    plain = [part for part in parts if plain_title(part) and not _OFFICE.search(part)]
    if not plain:
        return None
    text = loosened(re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", plain[-1]))
    dashed = [part.strip() for part in re.split(r" [-‐–—] ", text) if re.search("[A-Za-z]{3}", part)]
    bare = [
        part
        for part in dashed
        if not re.fullmatch(r"(?:fy|cy|fiscal year)? ?\d*(?:[ -]\d+)*", part.casefold())
    ]
    if text.isupper() and 1 < len(bare) < 3:
        text = f"{bare[0].casefold()} ({bare[1].casefold()})"
    elif bracket := re.fullmatch(rf"([a-z][a-z ]+) ({_STAGES})", text):
        text = f"{bracket[1]} ({bracket[2]})"
    elif not _ACRONYM.search(text):
        text = _END.sub("", bare[0] if bare else text).strip()
    said = _in_words(text, None, "") if text else None
    return said if said and len(said) <= 60 else None


def _in_words(text: str, unit: str | None, period: str) -> str | None:
    """As :func:`measure_words`, with an abbreviation in brackets at the end kept as it is."""
    found = _ACRONYM.search(text)
    if not found:
        return measure_words(text, unit, period)
    said = measure_words(text[: found.start()], unit, period)
    return f"{said} ({found[1].replace('&', ' and ').replace('  ', ' ')})" if said else None


def measure_in_words(series: Series, title: str, period: str) -> str | None:
    """A measure as it is called in a sentence. ``title``: the file's; ``period``: how its period will be said."""
    header = series.header or series.measure
    subject = subject_of(series.table) or subject_of(title)
    if plain_header(header):
        said = _plain(header, series, period)
        if (
            said
            and subject
            and not said.endswith("amounts")
            and not _tells_amount(header)
            and _tells_amount(series.table)
        ):
            said = f"{subject} ({said})" if "(" not in subject + said else said
        elif said and "(" not in said and (programme := _programme(series.table)):
            said = f"{said} ({programme})"
    elif _says_only_when(header):
        said = subject
    else:
        # A code beside others under one title: the title tells what of, the heading which.
        said = f"{subject}, {_code(header)}" if subject else None
    if said is None:
        return None
    kinds = [one.value for one in series.where if not _is_when(one.column, one.value)]
    kinds = [kind for kind in kinds if normalize(kind) not in {"", "n a", "none", "unknown", "all"}]
    if kinds and all(len(kind) <= 40 for kind in kinds) and len(kinds) <= 2 and "(" not in said:
        said += f" ({', '.join(kinds)})"
    return said


def _plain(header: str, series: Series, period: str) -> str | None:
    own = loosened(header, series.unit)
    said = _in_words(own, series.unit, period)
    # "FY2013 Actual" in a file of budgets: what was budgeted or spent of each.
    if period and (
        found := re.fullmatch(rf"(?:FY ?)?\d{{4}} ((?:[a-z]+ )?(?:{_STAGES}))", own, re.IGNORECASE)
    ):
        return f"{found[1].casefold()} amounts"
    return said


def _code(header: str) -> str:
    """A word and a number are said ("class 100"), anything else is quoted."""
    said = " ".join(header.replace("_", " ").split())
    return said if re.fullmatch(r"[a-z]{3,} \d+", said) else f"“{' '.join(header.split())}”"


def _tells_amount(text: str) -> bool:
    """Whether a text says what kind of figure it is: something counted or paid, a rate, a price."""
    return counts_something(text) or not adds_up(text)


def _says_only_when(header: str) -> bool:
    """Whether a header is a period, or "total" and the like: its title says the rest."""
    left = re.sub(rf"\b(?:{'|'.join(_MONTHS)})[a-z]*\b", " ", normalize(header))
    left = re.sub(
        r"\d+|\b(?:fy|cy|fytd|cytd|ytd|q|to|ended|ending|fiscal|calendar|three|six|nine|twelve)\b", " ", left
    )
    left = re.sub(
        r"\b(?:years?|months?|quarters?|weeks?|total|number|value|amount|count|all|us|of|the)\b", " ", left
    )
    return not left.strip() and "_" not in header.strip("_")


def _programme(title: str) -> str | None:
    """The programme that a table's title names beside the date: spelled out, and its abbreviation."""
    for part in re.split(r"\s*;\s*", title):
        if part.isupper() or len(part) > 75 or re.search(r"\d", part):
            continue
        if found := re.fullmatch(r"([A-Z][A-Za-z -]+) \(([A-Z][A-Z-]{2,})\)", part):
            return f"{found[1]}, {found[2]}"
        if re.fullmatch(r"[A-Z][a-z]+ [A-Z]{3,}(?: (?:&|and) [A-Z]{3,})*", part):
            return part[:1].casefold() + part[1:]
    return None


def _is_when(column: str, value: str) -> bool:
    return value.isdigit() or bool(
        set(normalize(column).split()) & set("year month quarter date period timeperiod week".split())
    )


def day_in_words(header: str, period: str) -> str:
    """The day that a header of a fiscal year's table names, with the year; empty where it names none.

    >>> day_in_words("July 31", "fiscal year 2021"), day_in_words("Total", "fiscal year 2021")
    ('31 July of fiscal year 2021', '')
    """
    found = _DAY.fullmatch(header.strip())
    if not found or not period.startswith("fiscal year"):
        return ""
    return f"{int(found[2])} {_MONTHS[found[1][:3].casefold()]} of {period}"


def row_noun(series: Series) -> str:
    """What a row is: by the header over the names, else by the names themselves, else by what the title says "by".

    ``ROW`` where nothing tells.
    """
    named = thing(series.key_name)
    if named != ROW:
        return named
    return kind_of(series.entities) or _by(series.table) or ROW


def _by(title: str) -> str | None:
    nouns = [noun for part in re.split(r"\s*;\s*", title) if (noun := plain_by(part))]
    said = thing(nouns[-1]) if nouns else ROW
    return said if said != ROW else None
