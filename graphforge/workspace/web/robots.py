"""robots.txt as RFC 9309 has it: the group of our own name or else of everybody, the longest rule decides."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

# RFC 9309 asks for at least 500 kibibytes; what comes after is not read.
MOST = 500 * 1024


@dataclass(frozen=True)
class Robots:
    """What a site lets one program do. ``rules``: (allowed, pattern). ``delay``: seconds between requests.

    ``reserved``: it says, by a content signal, that nothing of it may be used to train models (``ai-train=no``).
    """

    rules: tuple[tuple[bool, str], ...] = ()
    delay: float = 0.0
    reserved: bool = False

    def allows(self, path: str) -> bool:
        """Whether ``path`` (with its query) may be asked for; of two rules of one length the allowing one counts."""
        path = _plain(path)
        if path == "/robots.txt":
            return True
        best: tuple[int, bool] = (-1, True)
        for allowed, pattern in self.rules:
            if _fits(pattern, path):
                best = max(best, (len(pattern), allowed))
        return best[1]


def parse_robots(text: str, agent: str) -> Robots:
    """The rules for ``agent`` (a User-Agent; what stands before the first slash or space is the name)."""
    name = re.split(r"[/\s]", agent.strip(), maxsplit=1)[0].casefold()
    groups: dict[str, tuple[list[tuple[bool, str]], list[float], list[str]]] = {}
    agents: list[str] = []
    naming = False
    for raw in text.lstrip("\ufeff").splitlines():
        field, mark, value = raw.split("#", 1)[0].partition(":")
        field, value = field.strip().casefold(), value.strip()
        if not mark:
            continue
        if field == "user-agent":
            if not naming:
                agents = []
            naming = True
            agents.append(re.split(r"[/\s]", value, maxsplit=1)[0].casefold())
            groups.setdefault(agents[-1], ([], [], []))
            continue
        if field in {"allow", "disallow"}:
            naming = False
            for one in agents:
                if value:
                    groups[one][0].append((field == "allow", _plain(value)))
        elif field == "content-signal":
            naming = False
            for one in agents:
                groups[one][2].append(value)
        elif field == "crawl-delay":
            naming = False
            for one in agents:
                if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", value):
                    groups[one][1].append(float(value))
    rules, delays, signals = groups.get(name) or groups.get("*") or ([], [], [])
    reserved = any(re.search(r"\bai-train\s*=\s*no\b", signal, re.IGNORECASE) for signal in signals)
    return Robots(tuple(rules), max(delays, default=0.0), reserved)


def _plain(path: str) -> str:
    """One spelling of percent-encoded paths; ``%2F`` stays what it is."""
    pieces = re.split(r"(%2[fF])", path)
    return "".join(
        piece.upper() if index % 2 else quote(unquote(piece), safe="/*$?&=+,;:@!~'()-._%")
        for index, piece in enumerate(pieces)
    )


def _fits(pattern: str, path: str) -> bool:
    """``*`` is any run of characters, a last ``$`` the end of the path. Linear, so that no pattern can make us slow."""
    ends = pattern.endswith("$")
    pieces = (pattern[:-1] if ends else pattern).split("*")
    if not path.startswith(pieces[0]):
        return False
    place = len(pieces[0])
    for index, piece in enumerate(pieces[1:], start=1):
        if ends and index == len(pieces) - 1:
            return len(path) - len(piece) >= place and path.endswith(piece)
        found = path.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return not ends or place == len(path)
