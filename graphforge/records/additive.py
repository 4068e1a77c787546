"""Whether a sum over the rows of a measure means something, as far as its name and unit tell."""

import re
from collections.abc import Iterable

# Sums of such measures mean nothing.
_NOT_ADDITIVE = re.compile(
    r"\b(?:percent|percentage|pct|rate|rates|ratio|average|avg|mean|median|index|price|prices|per|share|score|"
    r"age|factor|factors|intensity|change|growth|hourly|efficiency|temperature|proportion|probability|risk|"
    r"quotient|minimum|maximum|min|max|percentile|std|error|difference|net|width|height|depth|speed|distance|cumulative|lower|upper|interval|int|ef|coefficient|weight)\b"
)
# Amounts of such things add up; where nothing says so, a printed total must.
_ADDITIVE = re.compile(
    r"\b(?:count|counts|number|amount|amounts|employment|employed|unemployed|employees|workers|jobs|population|persons|"
    r"people|families|children|recipients|households|students|enrollment|graduates|cases|deaths|visits|admissions|"
    r"hospitalizations|applications|permits|units|housing|trips|vehicles|crashes|sales|spending|expenditure|expenditures|"
    r"obligations|appropriation|appropriations|budget|budgets|collections|revenue|revenues|receipts|royalties|"
    r"disbursements|refunds|returns|award|awards|cost|costs|payments|liability|tax|taxes|income|tons|barrels|mcf|mwh|"
    r"gallons|production|volume|generation|consumption|shipments|capacity|transactions|cards|positions|notices|"
    r"occupations|establishments|losses|seats|items|records|total)\b|\$"
)


# One unit over another: g/m^2, lb/MWh. "Fish/Seafood" and "and/or" are none.
_FOR_EACH = re.compile(
    r"\b(?:g|kg|mg|lbs?|tons?|usd|w|kw|mw|kwh|mwh|gwh|m|km|ml|l|btu|mmbtu)/(?:m\b|m\^?\d|km|cm|ft|w\b|kw|mw|gwh|kg|g\b|l\b|h\b|hr|s\b|"
    r"year|yr|day|unit|person|capita|gal|mmbtu|btu|acre|ha\b)"
)


def adds_up(name: str, unit: str | None = None) -> bool:
    """False where header or unit speak of a rate, an average, a price or the like."""
    told = f"{name} {unit or ''}".casefold()
    if _FOR_EACH.search(told):
        return False
    return "%" not in told and _NOT_ADDITIVE.search(re.sub(r"[^\w]+|_", " ", told)) is None


def counts_something(name: str, unit: str | None = None) -> bool:
    """True where header or unit speak of something that is counted or paid."""
    return _ADDITIVE.search(f"{name} {unit or ''}".casefold().replace("_", " ")) is not None


_RATE = re.compile(
    r"\b(?:percent|percentages?|rates?|ratios?|averages?|median|index|prices?|per|factors?|intensity|efficiency)\b|%"
)


def titled_as_rates(header: str, title: str) -> bool:
    """Whether a title says that the figures below are rates, averages or the like, and the header counts nothing.

    >>> titled_as_rates("Utility PV", "Annual Average Capacity Factors"), titled_as_rates("Deaths", "Rates and counts")
    (True, False)
    """
    return not counts_something(header) and _RATE.search(_folded(title)) is not None


_MONEY = re.compile(
    r"[$€£]|\b(?:usd|dollars?|revenues?|receipts|spending|expenditures?|obligations|appropriations?|budgets?|"
    r"collections|royalties|disbursements|refunds|awards?|costs?|payments?|liability|tax|taxes|income|sales|losses)\b"
)


def is_money(name: str, unit: str | None = None) -> bool:
    """True where header or unit speak of amounts of money."""
    return _MONEY.search(f"{name} {unit or ''}".casefold().replace("_", " ")) is not None


_UNCERTAIN = re.compile(
    r"\b(?:confidence|std|standard) (?:interval|limit|bound|error|err|deviation|dev)s?\b|\bmargin of error\b|"
    r"\b(?:lower|upper) (?:bound|int|interval|ci|\d+)\b|\b(?:ci|moe|rse)\b"
)


def uncertain(name: str) -> bool:
    """True where a header speaks of how sure a figure is: the bound of an interval, an error. Nobody asks how it grew.

    >>> uncertain("Age Adjusted Rate Upper 95% Confidence Interval"), uncertain("lower_int_15")
    (True, True)
    >>> uncertain("Deaths"), uncertain("Upper Darby"), uncertain("Upper limit of the budget")
    (False, False, False)
    """
    return _UNCERTAIN.search(" ".join(re.sub(r"[^\w]+|_", " ", name.casefold()).split())) is not None


# What amounts are usually told for each of: people, homes, and places' size and capacity.
_PEOPLE = re.compile(
    r"\b(?:population|people|persons|residents|inhabitants|households|families|employees|"
    r"employment|employed|workers|jobs|positions|staff|inspectors|officers|teachers|nurses|physicians|drivers|students|"
    r"enrollment|pupils|patients|recipients|clients|customers|children|adults|women|men)\b"
)
_HOMES = re.compile(r"\b(?:homes|dwellings|housing|apartments|houses)\b")
_SIZE = re.compile(
    r"\b(?:beds|vehicles|trips|miles|acres|hectares|area|sq|capacity|establishments|facilities|returns|accounts)\b"
)
# What happens to people, is paid for them or taken from them, or is there for them.
_OF_PEOPLE = re.compile(
    r"\b(?:cases|deaths|births|infections|injuries|fatalities|hospitalizations|visits|admissions|overdoses|suicides|"
    r"crimes?|arrests|offen[sc]es|incidents|accidents|crashes|complaints|calls|claims|applications|permits|licen[sc]es|"
    r"inspections|violations|benefits?|assistance|caseloads?|cards|votes|voters|graduates|degrees|awards|grants|"
    r"scholarships|loans|visas|notices|layoffs|vacancies|teachers|nurses|physicians|homes|housing|dwellings|beds|seats|"
    r"trips|vehicles|wages?|salar(?:y|ies)|overtime|hours)\b"
)
_OF_HOMES = re.compile(
    r"\b(?:housing|homes|dwellings|apartments|houses|households|rents?|rental|evictions?|mortgages?|foreclosures?|"
    r"property|properties|vacant|vacancies|buildings?|construction|demolitions?|residential|tenants?|owners?|renters?)\b"
)


def goes_with(above: str, below: str) -> bool | None:
    """Whether so much of one amount for each unit of another is something people ask for, as far as words tell.

    ``above`` and ``below`` are all that is told of either (header, unit, titles). None where the lower one is neither
    people nor homes nor a size, so that a common subject must decide. People are a base for money and for what happens
    to people; homes only for what is about housing; beds, acres and capacity for anything counted.

    >>> goes_with("Deaths", "Population"), goes_with("Pedestrian hospitalizations", "# of projected housing units")
    (True, False)
    >>> goes_with("Spending", "Staff"), goes_with("Megawatts installed", "Population"), goes_with("Tons", "Revenue")
    (True, False, None)
    """
    told, base = _folded(above), _folded(below)
    if _HOMES.search(base):
        return _OF_HOMES.search(told) is not None
    if _PEOPLE.search(base):
        return is_money(above) or any(words.search(told) for words in (_PEOPLE, _OF_PEOPLE, _OF_HOMES))
    return True if _SIZE.search(base) else None


def is_base(name: str, unit: str | None = None) -> bool:
    """True where header or unit speak of what other amounts are commonly divided by."""
    told = _folded(f"{name} {unit or ''}")
    return any(words.search(told) for words in (_PEOPLE, _HOMES, _SIZE))


def _folded(text: str) -> str:
    return text.casefold().replace("_", " ")


# Bodies that may stand in several rows at once: a school grants several degrees, a firm works in several states.
_IN_SEVERAL_ROWS = re.compile(
    r"\b(?:institutions|companies|employers|firms|schools|colleges|universities|agencies|departments|organizations|"
    r"organisations|programs|programmes|providers|facilities|establishments|sites|users|customers|clients|visitors|"
    r"respondents|participants|members|states|counties|countries|languages|reasons)\b"
)


def overlaps(name: str) -> bool:
    """True where a header counts bodies that one may meet in several rows, so that their sum is no whole."""
    return _IN_SEVERAL_ROWS.search(name.casefold().replace("_", " ")) is not None


_OF_ANOTHER_UNIT = re.compile(
    r"\b(?:per share|shares|shares outstanding|percent|percentage|pct|ratio|margin|eps|per capita)\b|%"
)


def mixed_units(names: Iterable[str]) -> bool:
    """True where some rows are shares, ratios or figures per share and others are not, as in a statement of income.

    Such rows may be looked up one by one; they have no sum, no ranking and no common rate of change.
    """
    other = [_OF_ANOTHER_UNIT.search(name.casefold()) is not None for name in names]
    return any(other) and not all(other)


_SOME_OF_ALL = re.compile(
    r"\b(?:top \d+|top (?:five|ten|twenty)|\d+ (?:biggest|leading)|largest|selected|sample of)\b"
)


def lists_some(title: str) -> bool:
    """True where a title says that only the largest or some chosen rows are listed: their sum is no whole."""
    return _SOME_OF_ALL.search(title.casefold()) is not None
