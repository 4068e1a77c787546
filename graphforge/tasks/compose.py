"""What all pattern compilers share: columns to read, labels that tell them apart, and names for files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from ..records import (
    CellLocator,
    Citation,
    EvidenceGraph,
    EvidenceNode,
    Plan,
    PointerLocator,
    ReadColumn,
    Relation,
    RelationKind,
    Series,
    TableCellLocator,
    Workspace,
    WorkspaceFile,
    adds_up,
    hides_a_sum,
    normalize,
    plain_header,
    plain_title,
    titled_as_rates,
)
from .naming import day_in_words, loosened, measure_in_words, row_noun
from .phrases import ROW, amount, joined, period_words, pick, plural, the, thing

# Headers over row names that are no heading for anybody else.
_NO_HEADING = frozenset({"row labels", "labels", "column labels", "corporate name"})
_SMALL = frozenset({"and", "of", "by", "in", "to", "the", "a", "for", "on", "with", "or", "from", "at"})
_MIXED = re.compile(
    r" (?:loss|losses|deduction|deductions|less|net|total|totals|subtotal|refunds|offset|of which) "
)


@dataclass(frozen=True)
class Stated:
    """A fact that the running text of a deliverable must state: in ``file``, near every one of ``terms``."""

    file: str
    fact: str
    requirement: str
    terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Composition:
    """A task in the making: the plan, which series its columns read, and the request in words.

    ``request`` are the paragraphs between the opening and the list of deliverables; ``forms`` says of each output
    file what it must look like. ``rule`` is the text node a threshold was taken from. ``reasons`` are why such a thing
    is asked, where those of the pattern (``opening.py``) speak of another relation; ``readers`` who reads it, where the
    deliverables themselves are written for somebody.
    """

    plan: Plan
    series: Mapping[str, str]
    request: tuple[str, ...]
    forms: Mapping[str, str]
    stated: tuple[Stated, ...] = ()
    rule: EvidenceNode | None = None
    quotes: tuple[EvidenceNode, ...] = field(default=())
    about: str = ""
    reasons: tuple[str, ...] = ()
    must: str = "It must state"
    readers: str = ""


# Rows of a table that leave room on a page for what is said about them.
_A_PAGE = 30


class View:
    """A workspace and its graph, with the look-ups that compilers need."""

    def __init__(self, workspace: Workspace, graph: EvidenceGraph):
        self.workspace = workspace
        self.graph = graph
        self.nodes = {node.id: node for node in graph.nodes}
        self.series = {one.id: one for one in graph.series}

    def relation(self, kind: RelationKind) -> Relation | None:
        """The first relation of a kind over series: the one the graph was built for comes first."""
        return next(
            (relation for relation in self.graph.relations if relation.kind == kind and relation.series), None
        )

    def carrying(self, *kinds: RelationKind) -> Relation | None:
        """Of several kinds that can carry a pattern the relation that comes first: the one the graph was built for."""
        return next(
            (relation for relation in self.graph.relations if relation.kind in kinds and relation.series),
            None,
        )

    def file(self, series: Series | EvidenceNode) -> WorkspaceFile:
        """The workspace file that a series or node comes from."""
        return self.workspace.by_hash(series.file)

    def pick(self, slot: str, *options: str) -> str:
        """One of several ways to say the same. Every workspace has its own, and always the same one."""
        return pick(options, self.workspace.id, slot)

    def pick_for(self, rows: int, slot: str, *, paged: Sequence[str], free: Sequence[str]) -> str:
        """As :meth:`pick`, of a text with a table of so many rows in it.

        ``paged`` are the wordings that say how many pages it may have, ``free`` those that don't: a table that fills
        pages gets no limit of them.
        """
        return self.pick(slot, *(free if rows > _A_PAGE else (*paged, *free)))


def clean(text: str, longest: int = 70) -> str:
    """A header as a person would write it: no underscores, no doubled spaces, cut at a word, brackets in pairs."""
    text = " ".join(text.replace("_", " ").replace("|", " ").split()).strip(" :;,.")
    if len(text) > longest:
        text = text[:longest].rsplit(" ", 1)[0].rstrip(" ,;:(")
    if text.count("(") != text.count(")"):
        text = " ".join(text.replace("(", " ").replace(")", " ").split())
    return text


def titled(view: View, file: WorkspaceFile) -> str:
    """How a colleague names a file so that no other of the folder can be meant: by its title where that is one, and
    otherwise by its name.

    A long title is cut only where no other file of the workspace begins the same way.
    """
    whole = clean(file.source.title or file.name, 1000)
    short = clean(whole, 90)
    others = [clean(one.source.title or one.name, 1000) for one in view.workspace.files if one is not file]
    if not _is_title(whole, file.name):
        return file.name
    if not any(normalize(other).startswith(normalize(short)) for other in others):
        return f"“{short}”"
    if normalize(whole) not in {normalize(other) for other in others} and len(whole) <= 140:
        return f"“{whole}”"
    return file.name


def _is_title(title: str, name: str) -> bool:
    """Whether a person would call a file by this: no file name in disguise, no shouting, no table number."""
    words = title.split()
    letters = [character for character in title if character.isalpha()]
    stem = normalize(PurePath(name).stem.replace("_", " "))
    return (
        len(words) > 2
        and plain_title(title)
        and normalize(title) != stem
        and not (title.islower() and normalize(title) in stem)
        and sum(character.isupper() for character in letters) < 0.5 * len(letters)
        and re.search(r"^(?:table|tab|sheet|chart|figure|choose) \w|[_;|]", title, re.I) is None
        and len(set(map(str.casefold, words)))
        == len(words)
        - sum(word.casefold() in _SMALL for word in words)
        + len({word.casefold() for word in words if word.casefold() in _SMALL})
    )


def noun(series: Series) -> str:
    """What a row of a series is, in prose: "state", or "row" where neither header, names nor title tell."""
    return row_noun(series)


def nouns(series: Series) -> str:
    """The plural of :func:`noun`."""
    return plural(noun(series))


def column(series: Series) -> str:
    """The column of the source, to the letter as far as a person would read it out; of a part of a long table also
    which rows are meant."""
    header = " ".join((series.header or series.measure).split())
    quoted = f"“{header if len(header) <= 160 and '|' not in header else heading(header, 160)}”"
    return quoted + rows_meant(series)


def rows_meant(series: Series) -> str:
    """Which rows of a long table a column's part has, in words; empty where it has them all."""
    if not series.where:
        return ""
    same = [f"“{one.column}” is “{one.value}”" for one in series.where]
    return f" of the rows where {joined(same)}"


def said(view: View, series: Series) -> tuple[str, str]:
    """A measure and its period in plain words. The measure is empty where its header can only be quoted."""
    told = f"{series.measure} {view.file(series).source.title} {series.name} {series.table}"
    period = period_words(series.period, told)
    measure = measure_in_words(series, view.file(series).source.title, period) or ""
    return measure, day_in_words(series.header or series.measure, period) or period


def about(view: View, columns: Sequence[Series], dated: bool = True) -> str:
    """A few words on what the columns hold: "the CO2 rate by region for 2023 and 2024". One measure is said once."""
    spoken = [said(view, series) for series in columns]
    by = "" if noun(columns[0]) == ROW else f" by {noun(columns[0])}"
    timed = sorted((one.period or "", period) for one, (_, period) in zip(columns, spoken, strict=True))
    periods = list(dict.fromkeys(period for _, period in timed))
    when = (
        f" {'as of' if periods[0][:1].isdigit() and ' ' in periods[0] else 'for'} {joined(periods)}"
        if all(periods)
        else ""
    )
    measures = list(dict.fromkeys(measure for measure, _ in spoken))
    if measures == [""]:
        # Neither headers nor titles say what is measured: the heading must, in its file.
        places = joined(list(dict.fromkeys(titled(view, view.file(series)) for series in columns)))
        heads = joined(list(dict.fromkeys(column(series) for series in columns)))
        return f"the {'columns' if ' and ' in heads else 'column'} {heads} in {places}"
    named = list(
        dict.fromkeys(measure or column(series) for (measure, _), series in zip(spoken, columns, strict=True))
    )
    # Plain words first, so that "the" and "by state" stand beside them.
    named.sort(key=lambda words: words.startswith("“"))
    what = the(joined(named)) + by
    return what + when if dated and (len(periods) == 1 or len(named) == 1) else what


def heading(measure: str, longest: int = 70) -> str:
    """A header as a column heading. Of one too long the end is kept: what stands above several columns comes first, and
    what tells them apart last."""
    whole = clean(measure, 1000)
    while len(whole) > longest and re.search(r"[;:] ", whole):
        whole = re.split(r"[;:] ", whole, maxsplit=1)[1]
    if len(whole) > longest:
        whole = whole[-longest:].split(" ", 1)[-1].lstrip(" ,;:)-–")
    return clean(whole, longest)


def key_label(series: Series) -> str:
    """What the rows are, as a column heading: the header over the names where that is one, else the noun for them."""
    label = clean(series.key_name, 1000)
    if len(label) > 40:
        label = heading(label, 40)
        label = label if re.fullmatch(r"[A-Za-z /&-]+", label) else ""
    if thing(series.key_name) == ROW or normalize(label) in _NO_HEADING:
        told = noun(series)
        if told != ROW:
            return told[:1].upper() + told[1:]
        label = "" if re.search(r"\d", label) else label
    elif "_" in series.key_name or label.isupper():
        label = _capital(noun(series))
    return label if normalize(label) and not label.isdigit() else "Item"


def each(series: Series) -> str:
    """For the requirement of a table: how many lines it has."""
    return "one line for each of them" if noun(series) == ROW else f"a row for each {noun(series)}"


def by_names(series: Series) -> str:
    """What rows of two tables are matched by."""
    return "the names of the rows" if noun(series) == ROW else noun(series)


def labels(view: View, columns: Sequence[Series]) -> list[str]:
    """A distinct heading for each column: the measure, with its period or its source where that is what differs."""
    names = [_headed(view, series) for series in columns]
    if _distinct(names):
        return names
    dated = [
        f"{name}, {said(view, series)[1].removeprefix('the ') or series.period}"
        if series.period and normalize(series.period) not in normalize(name)
        else name
        for name, series in zip(names, columns, strict=True)
    ]
    if _distinct(dated):
        return dated
    telling = _days([PurePath(series.name).stem for series in columns])
    if not _distinct(telling) and all(plain_title(view.file(series).source.title) for series in columns):
        telling = _telling_parts([view.file(series).source.title for series in columns])
    if not _distinct(telling):
        telling = _telling_parts([PurePath(series.name).stem for series in columns])
    sourced = [
        f"{clean(name, 50)} ({part.replace('(', '').replace(')', '')})"
        for name, part in zip(names, telling, strict=True)
    ]
    if _distinct(sourced):
        return sourced
    return [f"{clean(name, 50)} (source {letter})" for name, letter in zip(names, "ABCDEFGH", strict=False)]


def _days(stems: Sequence[str]) -> list[str]:
    """The days that file names state, in words; empty where one states none."""
    found = [re.search(r"((?:19|20)\d\d)[-_]([01]\d)[-_]([0-3]\d)(?!\d)", stem) for stem in stems]
    return [period_words("-".join(one.groups()), one[0]) if one else "" for one in found]


def _headed(view: View, series: Series) -> str:
    """A heading for one column: its own without what a machine put there, or measure and period where it says only
    when."""
    own = series.header or series.measure
    if plain_header(own):
        made = series.where or "_" in own or _by_machine(own)
        return heading(_capital(loosened(own, series.unit)) if made else own)
    measure, period = said(view, series)
    if not measure or "“" in measure:
        return heading(own)
    if (series.period or "").startswith("FY"):
        # A day of a fiscal year's table stays as the column has it.
        period = own if day_in_words(own, "fiscal year") else series.period or ""
    return heading(f"{_capital(measure)}, {period.removeprefix('the ')}".rstrip(", "), 90)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _by_machine(header: str) -> bool:
    return re.match(r"(?:sum|count|average) of ", header, re.IGNORECASE) is not None


def _telling_parts(titles: Sequence[str]) -> list[str]:
    """What tells titles apart: each without the words that all begin with, short enough for a heading."""
    words = [title.replace("_", " ").split() for title in titles]
    shared = 0
    while all(len(one) > shared + 1 for one in words) and len({one[shared].casefold() for one in words}) == 1:
        shared += 1
    return [
        clean(" ".join(one[shared:]), 45) or clean(title, 45)
        for one, title in zip(words, titles, strict=True)
    ]


def _distinct(names: Sequence[str]) -> bool:
    return len({normalize(name) for name in names}) == len(names)


def read_column(view: View, alias: str, series: Series, label: str) -> ReadColumn:
    """The instruction to read a series from its file."""
    rows = []
    value_name = clean(series.measure)
    for identifier in series.nodes:
        locator = view.nodes[identifier].locator
        if isinstance(locator, CellLocator | TableCellLocator):
            rows.append(locator.row)
        elif isinstance(locator, PointerLocator):
            _, row, name = locator.pointer.rsplit("/", 2)
            rows.append(int(row))
            value_name = name.replace("~1", "/").replace("~0", "~")
        else:
            raise ValueError(f"series {series.id} reads {locator.kind}, which is no table cell")
    return ReadColumn(
        alias=alias,
        file=series.name,
        family=view.file(series).family,
        place=series.place,
        key_column=series.key_column,
        key_name=series.key_name,
        value_name=value_name,
        rows=tuple(rows),
        label=label,
        names=series.entities,
    )


def ends(nodes: Sequence[EvidenceNode]) -> tuple[EvidenceNode, EvidenceNode]:
    """The first and the last of a column's nodes by their place in the file, whatever order they are listed in."""

    def place(node: EvidenceNode) -> int:
        locator = node.locator
        if isinstance(locator, CellLocator | TableCellLocator):
            return locator.row
        if isinstance(locator, PointerLocator):
            index = locator.pointer.rsplit("/", 2)[-2]
            return int(index) if index.isdigit() else 0
        return 0

    return min(nodes, key=place), max(nodes, key=place)


def additive(view: View, series: Series) -> bool:
    """Whether a total over the rows means something, as far as name, unit, row names and figures tell.

    Losses and deductions are printed as positive amounts, and sums of others may stand among the rows.
    """
    if any(_MIXED.search(f" {normalize(entity)} ") for entity in series.entities):
        return False
    if hides_a_sum([float(view.nodes[name].value) for name in series.nodes]):
        return False
    if titled_as_rates(series.header or series.measure, series.table):
        return False
    return adds_up(series.measure, series.unit)


def half_unit(view: View, columns: Sequence[Series]) -> float:
    """Half a unit of the last digit that the coarser of the columns prints: what rounding alone explains.

    Where a row is apart by exactly that much, a little more, so that nobody's rounding decides whether it agrees.
    """
    decimals = []
    for series in columns:
        numbers = [float(view.nodes[name].value) for name in series.nodes]
        decimals.append(next((d for d in range(6) if all(round(n, d) == n for n in numbers)), 6))
    half = 0.5 * 10.0 ** -min(decimals)
    return 1.2 * half if any(abs(gap - half) <= 1e-6 * half for gap in _gaps(view, columns)) else half


def _gaps(view: View, columns: Sequence[Series]) -> list[float]:
    """How far the columns are apart, row by row: two of each other, three as whole less both parts."""
    tables = [
        {
            normalize(entity): float(view.nodes[node].value)
            for entity, node in zip(one.entities, one.nodes, strict=True)
        }
        for one in columns
    ]
    shared = [key for key in tables[0] if all(key in table for table in tables)]
    return [abs(tables[-1][key] - sum(table[key] for table in tables[:-1])) for key in shared]


def tolerated(tolerance: float) -> str:
    """A tolerance for a sentence, explained where it is half a unit of the last printed digit."""
    digits = f"{tolerance:.12f}".rstrip("0").rstrip(".")
    plain = digits.replace(".", "").strip("0") == "5"
    return amount(tolerance) + (" (half a unit of the last printed digit)" if plain else "")


def citations(view: View, uses: Sequence[tuple[Series | EvidenceNode, str]]) -> tuple[Citation, ...]:
    """A citation a file, in the order of use."""
    by_file: dict[str, list[str]] = {}
    for item, use in uses:
        by_file.setdefault(item.name, []).append(use)
    return tuple(
        Citation(file=name, used_for="; ".join(dict.fromkeys(parts))) for name, parts in by_file.items()
    )


def listed(headings: Sequence[str]) -> str:
    """Headings as a person lists them."""
    quoted = [f"“{heading}”" for heading in headings]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + f" and {quoted[-1]}"


def placed(series: Series) -> str:
    """A column of the source and where in the file it stands: many sheets and pages bear the same headers."""
    place = series.place
    if isinstance(place, CellLocator) and place.sheet:
        return f"{column(series)} (sheet “{place.sheet}”)"
    if isinstance(place, TableCellLocator) and place.page is not None:
        return f"{column(series)} (page {place.page + 1})"
    if isinstance(place, TableCellLocator) and place.page is None and (title := _heads_table(series.table)):
        return f"{column(series)} (in the table “{title}”)"
    return column(series)


def _heads_table(title: str) -> str:
    """What stands over a table of a page without pages, enough to find it by; nothing where it holds figures."""
    short = clean(title, 70)
    if not normalize(short) or re.search(r"\d{3}", re.sub(r"\b(?:19|20)\d\d\b", "", short)):
        return ""
    return short if len(short) >= len(clean(title, 1000)) else f"{short} …"


def whole_numbers(view: View, columns: Sequence[Series]) -> bool:
    """Whether the figures of all columns are whole, so that their sums are printed without decimals."""
    return all(float(view.nodes[name].value).is_integer() for one in columns for name in one.nodes)


def headed(series: Series, head: str) -> str:
    """A column of the source with its place, and how it is to be headed where that is something else."""
    if normalize(clean(series.header or series.measure, 1000)) == normalize(head):
        return placed(series)
    place = placed(series)
    return (
        f"{place[:-1]}; in your table: “{head}”)"
        if place != column(series)
        else f"{place} (in your table: “{head}”)"
    )


def sheet(view: View, name: str, headings: Sequence[str]) -> str:
    """A sheet with its columns, for the requirement of a workbook."""
    return view.pick(
        "sheet",
        f"a sheet “{name}” with the columns {listed(headings)}",
        f"a workbook whose sheet “{name}” has the columns {listed(headings)}",
        f"a sheet named “{name}”, with columns headed {listed(headings)}",
        f"on a sheet “{name}” the columns {listed(headings)}",
    )


def sources(view: View, files: str = "files", place: str = "second") -> str:
    """The sheet that names the sources, for the requirement of a workbook. ``place``: which of its sheets it is."""
    return view.pick(
        "sources",
        f"a {place} sheet “Sources” names the {files} used",
        f"the {files} used are named on a {place} sheet, “Sources”"
        if files == "files"
        else f"the file used is named on a {place} sheet, “Sources”",
        f"add a {place} sheet “Sources” that names the {files} you used",
        f"a further sheet “Sources” says which {files} the figures come from"
        if files == "files"
        else "a further sheet “Sources” says which file the figures come from",
    )


def no_totals(view: View) -> str:
    """That rows called a total in a source are no rows: the graph leaves the same ones out (``Table.keyed_rows``)."""
    return view.pick(
        "totals",
        "Leave out any line that is called a total or subtotal (or “all …”, for the whole).",
        "Lines that are called a total or subtotal, or “all …”, don't count.",
        "Skip the lines that are labeled as a total or subtotal, or as “all …”.",
        "If a line is called a total or subtotal, or “all …”, leave it out.",
    )


def shown_decimals(numbers: Sequence[float], least: int = 4) -> int:
    """Decimals that leave the smallest of the numbers three digits, at least ``least`` and at most six."""
    smallest = min((abs(number) for number in numbers if number), default=1.0)
    return next((d for d in range(least, 6) if smallest * 10**d >= 100), 6)


def ratios(view: View, left: Series, right: Series) -> list[float]:
    """Every ratio of two columns that can be formed."""
    below = {
        normalize(name): float(view.nodes[node].value)
        for name, node in zip(right.entities, right.nodes, strict=True)
    }
    above = {
        normalize(name): float(view.nodes[node].value)
        for name, node in zip(left.entities, left.nodes, strict=True)
    }
    return [value / below[name] for name, value in above.items() if below.get(name)]
