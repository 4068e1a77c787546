"""What the labels of a table say: periods, units, totals and identifiers, read from words alone."""

import re
from calendar import monthrange
from collections.abc import Callable

from graphforge.records import NATION, is_total_among, normalize

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?:19|20)\d{2}"
_ISO_DATE = re.compile(rf"\b({_YEAR})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
_ISO_MONTH = re.compile(rf"(?<!\d)({_YEAR})-(0[1-9]|1[0-2])(?![\d-])")
_SLASH_DATE = re.compile(rf"(?<![\d/])(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/({_YEAR})(?!\d)")
_NAMED_DATE = re.compile(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+({_YEAR})\b", re.IGNORECASE)
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})[\s-]({_MONTH})\.?[\s-]({_YEAR})\b", re.IGNORECASE)
_NAMED_MONTH = re.compile(rf"\b({_MONTH})\.?[\s,/_-]*(?:'?(\d{{2}})|({_YEAR}))(?![\d,.])\b", re.IGNORECASE)
_MONTH_AFTER = re.compile(rf"\b({_YEAR})[\s,/_-]*({_MONTH})\b", re.IGNORECASE)
_FISCAL = re.compile(
    rf"\b(?:FY|fiscal(?:\s+and\s+calendar)?\s+years?)\s*['’]?\s*({_YEAR}|\d{{2}})(?:\s*[-–/]\s*({_YEAR}|\d{{2}}))?(?!\d)",
    re.IGNORECASE,
)
_QUARTER = re.compile(rf"\bQ([1-4])[\s,_'-]*(?:of\s+)?(FY|CY)?[\s']*({_YEAR}|\d{{2}})(?!\d)", re.IGNORECASE)
_QUARTER_AFTER = re.compile(
    rf"\b(FY|CY)?\s*({_YEAR}|(?<=FY)\d{{2}})[\s,:_-]*Q(?:tr|uarter)?\.?\s*([1-4])\b", re.IGNORECASE
)
_QUARTER_WORD = re.compile(
    rf"\b(first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter,?\s+(?:of\s+)?(FY|fiscal(?:\s+year)?)?\s*({_YEAR})",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?<![\d.])({_YEAR})\s*(?:[-–/]|to|through)\s*({_YEAR}|\d{{2}})(?![\d-])", re.IGNORECASE
)
_PLAIN_YEAR = re.compile(rf"(?<![\d.,$/-])({_YEAR})(?![\d,/-]|\.\d|%)")
_ONLY_MONTH = re.compile(rf"{_MONTH}\.?", re.IGNORECASE)
_PERIOD_WORDS = re.compile(
    r"\b(?:FY|CY|fiscal|calendar|year|quarter|first|second|third|fourth|of|to|through|and|st|nd|rd|th|as|[ap]m)\b|"
    r"\bq(?:tr)?\s?[1-4]\b|FY|CY|Q[1-4]|(?<=\d)(?:st|nd|rd|th|T|Z)",
    re.IGNORECASE,
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}

_COUNTS = {
    "one": "1",
    "three": "3",
    "six": "6",
    "nine": "9",
    "twelve": "12",
    "thirteen": "13",
    "fifty-two": "52",
}
_SPAN = re.compile(
    r"\b(\d{1,2}|one|three|six|nine|twelve|thirteen|fifty-two)[ -](month|week)s?\s+ended,?\s+([A-Za-z0-9 ,./-]{4,30})",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"(?:^|[\s_])(?:id|ids|code|codes|nbr|fips|zip|zipcode|zip5|opeid\d?|unitid|ein|duns|soc|naics|sic|geoid|orispl|uei|cik|pws|"
    r"npi|ccn|phone|fax|facid|blkid|objectid|cusip)(?:$|[\s_#])|_id$|code$|^#$|\bid$|^rownum$|"
    r"\b(?:account|field|case|permit|serial|order|docket|contract|item|row|sequence|seq|element|line|model|part|table|form|"
    r"question|check|invoice|registration|control|document|license|licence|plant|facility|tract|block|district|route|section)"
    r"[\s_](?:number|num|no\.?|#)$"
)
_PERIOD_NAME = re.compile(
    r"(?:^|[\s_])(?:year|years|yr|fy|cy|month|months|quarter|qtr|date|dates|period|day|week|time)(?:$|[\s_])|year$|date$"
)
_SCALES = {"thousand": "thousand", "thousands": "thousand", "000": "thousand", "000s": "thousand", "million": "million",
           "millions": "million", "billion": "billion", "billions": "billion", "mn": "million",
           "bn": "billion"}  # fmt: skip
_UNITS: tuple[tuple[str, str], ...] = (
    (r"\bper ?cent(?:age)?s?\b(?! points?)|\bpct\b|%", "percent"),
    (r"\bMMBtu\b|\bmillion btu\b", "MMBtu"),
    (r"\bTWh\b", "TWh"),
    (r"\bGWh\b", "GWh"),
    (r"\bMWh\b|\bmegawatt[- ]hours?\b", "MWh"),
    (r"\bkWh\b|\bkilowatt[- ]hours?\b", "kWh"),
    (r"\bGW\b", "GW"),
    (r"\bMW\b|\bmegawatts?\b", "MW"),
    (r"\bkW\b|\bkilowatts?\b", "kW"),
    (r"\btrillion btu\b|\bTBtu\b", "trillion Btu"),
    (r"\bquads?\b|\bquadrillion btu\b", "quadrillion Btu"),
    (r"\bBtu\b", "Btu"),
    (r"\bMMcf\b", "MMcf"),
    (r"\bmcf\b", "Mcf"),
    (r"\bshort tons?\b", "short tons"),
    (r"\bmetric tons?(?:nes?)?\b|\btonnes?\b|\bMT\b", "metric tons"),
    (r"\btons?\b|\btpy\b", "tons"),
    (r"\bbarrels?\b|\bbbl\b", "barrels"),
    (r"\bgallons?\b|\bgal\b", "gallons"),
    (r"\bpounds?\b|\blbs?\b", "lb"),
    (r"\bkilograms?\b|\bkg\b", "kg"),
    (r"\bgrams?\b", "g"),
    (r"\bacres?\b", "acres"),
    (r"\bsq(?:uare|\.)? ?f(?:ee)?t\.?\b|\bsqft\b|\bsf\b", "sq ft"),
    (r"\bmiles?\b", "miles"),
    (r"\bhours?\b|\bhrs?\b", "hours"),
)
_UNIT_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE if name not in {"metric tons"} else 0), name)
    for pattern, name in _UNITS
)
_MONEY = re.compile(r"[$€£]|\bUSD\b|\bU\.?S\.? dollars?\b|\bdollars?\b", re.IGNORECASE)
_MONEY_NAMES = {"€": "EUR", "£": "GBP"}
_SCALE = re.compile(
    r"\(?\b(?:in|amounts in|dollars in|figures in|numbers in|values in|\$ ?in)\s+(?:U\.?S\.? )?"
    r"(?:\$ ?)?(?:of )?(thousand|million|billion)s?\b|"
    r"[$(]\s?'?(000)s?\b|\$ ?(thousand|million|billion)s?\b|\((thousand|million|billion)s?(?: of)?[^)]*\)|"
    r"\b(thousand|million|billion)s?\s+(?:of\s+)?(?:(?:real|nominal|current|constant|chained|\d{4}|U\.?S\.?)\s+)*(?:\$|USD|dollars)|"
    r",\s*(thousand|million|billion)s?\b",
    re.IGNORECASE,
)


def _full_year(text: str) -> int:
    if len(text) == 4:
        return int(text)
    return 2000 + int(text) if int(text) < 70 else 1900 + int(text)


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3].casefold()) + 1


def periods_of(text: str) -> list[str]:
    """Every period that a text names, most telling kind first, in the forms ``2019``, ``FY2019``, ``2019-Q3``,
    ``FY2019-Q3``, ``FY2019 Jul``, ``2019-07``, ``2019-07-31``, ``2018-2019``, ``3 months to 2019-07-31``."""
    text = text.replace("_", " ")
    for finder in (_spans, _quarters, _days, _months, _fiscals, _ranges, _years):
        if found := finder(text):
            return list(dict.fromkeys(found))
    return []


def _spans(text: str) -> list[str]:
    found = []
    for match in _SPAN.finditer(text):
        ends = _days(match[3]) or _months(match[3])
        count = _COUNTS.get(match[1].casefold(), match[1])
        found += [f"{count} {match[2].casefold()}s to {end}" for end in ends]
    return found


def _quarters(text: str) -> list[str]:
    found = [
        f"{'FY' if (m[2] or '').upper() == 'FY' else ''}{_full_year(m[3])}-Q{m[1]}"
        for m in _QUARTER.finditer(text)
    ]
    found += [
        f"{'FY' if (m[1] or '').upper() == 'FY' else ''}{_full_year(m[2])}-Q{m[3]}"
        for m in _QUARTER_AFTER.finditer(text)
    ]
    found += [
        f"{'FY' if m[2] else ''}{m[3]}-Q{_ORDINALS[m[1].casefold()]}" for m in _QUARTER_WORD.finditer(text)
    ]
    return found


def _days(text: str) -> list[str]:
    found = [f"{m[1]}-{m[2]}-{m[3]}" for m in _ISO_DATE.finditer(text)]
    found += [f"{m[3]}-{int(m[1]):02}-{int(m[2]):02}" for m in _SLASH_DATE.finditer(text)]
    found += [f"{m[3]}-{_month_number(m[1]):02}-{int(m[2]):02}" for m in _NAMED_DATE.finditer(text)]
    found += [f"{m[3]}-{_month_number(m[2]):02}-{int(m[1]):02}" for m in _DAY_MONTH.finditer(text)]
    return found


def _months(text: str) -> list[str]:
    found = [f"{m[1]}-{m[2]}" for m in _ISO_MONTH.finditer(text)]
    found += [
        f"{_full_year(m[2] or m[3])}-{_month_number(m[1]):02}"
        for m in _NAMED_MONTH.finditer(text)
        if m[3] or not _is_last_day(m[0])
    ]
    found += [f"{m[1]}-{_month_number(m[2]):02}" for m in _MONTH_AFTER.finditer(text)]
    return found


def _is_last_day(text: str) -> bool:
    """Whether a month and two digits, "Jan 31", are its last day and no year: so columns of balances are headed."""
    month, day = _month_number(text), int(text[-2:])
    return text[-3].isspace() and day in {monthrange(year, month)[1] for year in (2023, 2024)}


def _fiscals(text: str) -> list[str]:
    found = []
    for match in _FISCAL.finditer(text):
        first = f"FY{_full_year(match[1])}"
        if month := re.search(rf"\b{_MONTH}\b", text, re.IGNORECASE):
            found.append(f"{first} {month[0][:3].title()}")
            continue
        found.append(f"{first}-{_full_year(match[2])}" if match[2] else first)
    return found


def _ranges(text: str) -> list[str]:
    found = []
    for match in _RANGE.finditer(text):
        last = int(match[2]) if len(match[2]) == 4 else int(match[1]) // 100 * 100 + int(match[2])
        if 0 < last - int(match[1]) <= 60:
            found.append(f"{match[1]}-{last}")
    return found


def _years(text: str) -> list[str]:
    return [match[1] for match in _PLAIN_YEAR.finditer(text)]


def period_of(text: str) -> str | None:
    """The one period that a text names; None where it names none or several."""
    found = periods_of(text)
    return found[0] if len(found) == 1 else None


def is_period(text: str) -> bool:
    """Whether a text is a period and nothing else: a year, a date, ``FY 2019``, ``Q3 2020``, ``October``."""
    stripped = text.strip()
    if not stripped or len(stripped) > 30:
        return False
    if _ONLY_MONTH.fullmatch(stripped) or re.fullmatch(
        r"(?:Q|Qtr\.? ?|Quarter )[1-4]", stripped, re.IGNORECASE
    ):
        return True
    if not any(character.isdigit() for character in stripped) or not periods_of(stripped):
        # Every other period is written with figures.
        return False
    rest = re.sub(rf"{_MONTH}\b", "", stripped, flags=re.IGNORECASE)
    rest = _PERIOD_WORDS.sub("", rest)
    return not re.search(r"[A-Za-z]", rest)


def is_year(value: float) -> bool:
    """Whether a number may be a calendar year."""
    return float(value).is_integer() and 1900 <= value <= 2100


def names_period(name: str) -> bool:
    """Whether a column's name says that it holds periods."""
    return bool(_PERIOD_NAME.search(normalize(_split_camel(name))))


def names_identifier(name: str) -> bool:
    """Whether a column's name says that it holds codes or identifiers."""
    return bool(_IDENTIFIER.search(_split_camel(name).casefold().replace("-", " ").strip()))


def _split_camel(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)


def unit_of(text: str) -> str | None:
    """The unit that a header or title states: ``percent``, ``USD``, ``million USD``, ``MWh``, …; or None."""
    text = text.replace("_", " ")
    scale_match = _SCALE.search(text)
    scale = (
        next((_SCALES[group.casefold()] for group in scale_match.groups() if group), None)
        if scale_match
        else None
    )
    money_match = _MONEY.search(text)
    if money_match:
        money = _MONEY_NAMES.get(money_match[0], "USD")
        if per := re.search(
            r"(?:/|\bper )\s*([A-Za-z]+(?: btu| ton| foot)?)", text[money_match.start() :], re.IGNORECASE
        ):
            inner = unit_of(per[1])
            money = f"{money} per {inner or per[1].casefold()}"
        return f"{scale} {money}" if scale else money
    found = [(match.start(), name) for pattern, name in _UNIT_PATTERNS if (match := pattern.search(text))]
    if found:
        # The first of the list wins where several match at once ("million Btu" before "Btu").
        bracket = [
            name for start, name in found if text.rfind("(", 0, start + 1) > text.rfind(")", 0, start + 1)
        ]
        name = bracket[0] if bracket else found[0][1]
        if per := re.search(r"\b([A-Za-z]+)(?:s?)\s*(?:/|\bper )\s*([A-Za-z]+)", text):
            left, right = unit_of_word(per[1]), unit_of_word(per[2])
            if left and right:
                name = f"{left} per {right}"
        return f"{scale} {name}" if scale and name != "percent" else name
    return scale


def unit_of_word(word: str) -> str | None:
    """The unit that a single word names, or None."""
    return next((name for pattern, name in _UNIT_PATTERNS if pattern.fullmatch(word)), None)


def is_unit_only(text: str) -> bool:
    """Whether a label is a remark on the unit and no name: ``(in thousands)``, ``$``, ``Dollars in millions``."""
    if unit_of(text) is None:
        return False
    left = re.sub(
        r"\b(?:in|of|and|except|per|share|data|amounts?|figures?|dollars?|values?|"
        r"thousands?|millions?|billions?|usd|u s|unaudited)\b",
        "",
        normalize(text),
    )
    return not left.strip() or (text.strip().startswith("(") and text.strip().endswith(")"))


def is_total(label: str, column: Callable[[], frozenset[str]] = frozenset) -> bool:
    """Whether a row label names a total. ``column`` gives the normalized labels, which tell a nation's row among its
    states; it is asked only then."""
    text = normalize(label)
    return is_total_among(text, column() if text in NATION else ())
