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


def adds_up(name: str, unit: str | None = None) -> bool:
    """False where header or unit speak of a rate, an average, a price or the like."""
    told = f"{name} {unit or ''}".casefold()
    return "%" not in told and _NOT_ADDITIVE.search(re.sub(r"[^\w]+|_", " ", told)) is None


def counts_something(name: str, unit: str | None = None) -> bool:
    """True where header or unit speak of something that is counted or paid."""
    return _ADDITIVE.search(f"{name} {unit or ''}".casefold().replace("_", " ")) is not None


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


# What amounts are usually told for each of: people and their homes and work, places' size, capacity.
_BASE = re.compile(
    r"\b(?:population|people|persons|residents|inhabitants|households|families|homes|dwellings|housing units|employees|"
    r"employment|employed|workers|jobs|positions|staff|inspectors|officers|teachers|nurses|physicians|drivers|students|enrollment|pupils|patients|beds|recipients|clients|"
    r"customers|vehicles|trips|miles|acres|hectares|area|sq|capacity|establishments|facilities|returns|accounts)\b"
)


def is_base(name: str, unit: str | None = None) -> bool:
    """True where header or unit speak of what other amounts are commonly divided by."""
    return _BASE.search(f"{name} {unit or ''}".casefold().replace("_", " ")) is not None


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
