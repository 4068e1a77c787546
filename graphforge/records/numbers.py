"""Numbers as people write them in office files: ``$1,234.5``, ``(12)``, ``7.5 %``, ``1 234``."""

import math
import re

from .base import Value

_MISSING = {"", "-", "--", "n/a", "na", "nan", "none", "null", "…", "..."}
_PLAIN = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]+)?")
_NUMBER = re.compile(r"[+-]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$")


def parse_number(value: Value) -> float | None:
    """The number that a cell or word states, or None where it states none.

    A percent sign is dropped, not divided away: ``7.5 %`` is 7.5 in the unit percent.
    Booleans and dates are no numbers.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    if _PLAIN.fullmatch(value):
        return float(value)
    text = value.strip()
    if text[:1].isalpha() and text[:3] != "US$":
        # Most cells that hold no number are words.
        return None
    text = text.replace("\u00a0", " ").replace("\u2212", "-").replace("\u2013", "-")
    if text.casefold() in _MISSING:
        return None
    negative = text.startswith("(") and text.endswith(")")
    if negative:
        text = text[1:-1].strip()
    text = text.rstrip("%").strip()
    sign = "-" if text.startswith("-") else ""
    text = text.lstrip("+-").strip()
    for currency in ("US$", "$", "€", "£", "¥"):
        text = text.removeprefix(currency).strip()
    if not text or not any(character.isdigit() for character in text) or not _NUMBER.match(text):
        return None
    number = float((sign + text).replace(",", ""))
    if not math.isfinite(number):
        return None
    return -number if negative else number


_SUFFIX = re.compile(
    r"(?P<number>\(?[$€£]?\s?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\)?)\s?(?P<suffix>[KMBT]|thousand|million|billion|trillion)$",
    re.I,
)
_POWERS = {
    "k": 1e3,
    "t": 1e12,
    "m": 1e6,
    "b": 1e9,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}


def parse_scaled(text: str) -> tuple[str, float, float] | None:
    """A number written with its scale: its digits to the letter, the number they say, and the scale.

    >>> parse_scaled("$110.7B"), parse_scaled("297.2M"), parse_scaled("12")
    (('$110.7', 110.7, 1000000000.0), ('297.2', 297.2, 1000000.0), None)
    """
    match = _SUFFIX.fullmatch(text.strip())
    number = parse_number(match["number"]) if match else None
    if match is None or number is None:
        return None
    return match["number"].strip(), number, _POWERS[match["suffix"].casefold()]


def show_number(number: float) -> str:
    """A number as a person would type it: no trailing zeros, thousands separated, at most 6 decimals."""
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:,.6f}".rstrip("0").rstrip(".")


def close(left: float, right: float, absolute: float = 0.0, relative: float = 1e-9) -> bool:
    """Whether two numbers are the same within an absolute or a relative tolerance."""
    return abs(left - right) <= max(absolute, relative * max(abs(left), abs(right)))
