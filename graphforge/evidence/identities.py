"""Columns that add up, row by row, over files or within a table, and rows that grow at the rate of others."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from ..records import Document, Table, WorkspaceFile, close, normalize
from .computed import Computed, Equation
from .equalities import told
from .keys import content
from .lines import Line, Place, cell_text, number_columns, place_of, rows_of

_MOST_EQUATIONS = 80
_MOST_LINES, _MOST_COLUMNS = 400, 60


def additive(lines: Sequence[Line], least: int) -> list[Computed]:
    """a + b = c by key, each from another file: in every row that the three have, and not by zeros."""
    columns = [line for line in lines if line.kind == "column" and len(line.terms) >= least][
        : 3 * _MOST_LINES
    ]
    found: list[Computed] = []
    groups: dict[str, list[Line]] = {}
    for line in columns:
        groups.setdefault(normalize(line.period or ""), []).append(line)
    seen: set[tuple[str, ...]] = set()
    for group in groups.values():
        for made, mark in _triples(group[:_MOST_LINES], least):
            if mark not in seen:
                seen.add(mark)
                found.append(made)
    return found


def _triples(group: Sequence[Line], least: int) -> list[tuple[Computed, tuple[str, ...]]]:
    if len({line.file.sha256 for line in group}) < 3:
        return []
    # Three probing keys that most lines have: a sum is looked up by its values there.
    counts: dict[str, int] = {}
    for line in group:
        for key, term in line.terms.items():
            counts[key] = counts.get(key, 0) + (term.value != 0)
    probes = sorted(counts, key=lambda key: (-counts[key], key))[:3]
    probed = [line for line in group if all(key in line.terms and line.terms[key].value for key in probes)]
    by_values: dict[tuple[str, ...], list[Line]] = {}
    for line in probed:
        by_values.setdefault(tuple(f"{line.terms[key].value:.7g}" for key in probes), []).append(line)
    found = []
    for left, right in combinations(probed, 2):
        if left.file.sha256 == right.file.sha256:
            continue
        sums = tuple(f"{left.terms[key].value + right.terms[key].value:.7g}" for key in probes)
        for whole in by_values.get(sums, ()):
            if whole.file.sha256 in {left.file.sha256, right.file.sha256}:
                continue
            keys = [key for key in whole.terms if key in left.terms and key in right.terms]
            telling = [key for key in keys if left.terms[key].value and right.terms[key].value]
            if len(keys) < least or len(telling) < max(3, 0.1 * len(keys)):
                continue
            if not all(
                close(left.terms[key].value + right.terms[key].value, whole.terms[key].value, 1e-6, 1e-7)
                for key in keys
            ):
                continue
            equations = tuple(
                Equation(
                    "identity",
                    "derive",
                    (left.terms[key].places, right.terms[key].places, whole.terms[key].places),
                    "{0} + {1} - {2}",
                    key,
                )
                for key in keys[:_MOST_EQUATIONS]
            )
            why = f"{told(left)} and {told(right)} add up to {told(whole)} in {len(keys)} rows"
            mark = tuple(
                f"{line.file.name} {line.terms[key].table.id} {line.terms[key].column}"
                for line in (left, right, whole)
                for key in keys[:1]
            )
            found.append(
                (Computed("identity", equations, min(len(keys), 60) + len(telling) / 100, why), mark)
            )
    return found


def formulas(
    files: Sequence[tuple[WorkspaceFile, Document]],
    texts: Sequence[tuple[WorkspaceFile, Document]],
    least: int,
) -> list[Computed]:
    """Columns of one table that others are computed from (a - b - c = d), which the text of another file explains:
    it names the columns and says that they are subtracted."""
    found = []
    for file, document in files:
        for table in document.tables:
            rows = rows_of(table)
            if table.truncated or len(rows) < least:
                continue
            names = [index for index in number_columns(table) if normalize(table.columns[index].name)]
            for text_file, text in texts:
                if text_file.sha256 == file.sha256:
                    continue
                for block in text.blocks:
                    if not _speaks_of_adding(block.text):
                        continue
                    said = content(block.text)
                    named = [index for index in names if _names(said, table.columns[index].name)][:8]
                    if len(named) < 3:
                        continue
                    rule = Place(
                        text_file,
                        block.locator,
                        _verb(block.text),
                        text.title,
                        "rule",
                        literal=_verb(block.text),
                    )
                    found += _holding(file, table, rows, named, names, rule, least)
    return found


_VERBS = ("subtract", "subtracted", "subtracting", "minus", "deduct", "deducted")


def _speaks_of_adding(text: str) -> bool:
    return bool(set(normalize(text).split()) & set(_VERBS)) and len(text) < 4000


def _verb(text: str) -> str:
    words = " ".join(text.split())
    lowered = words.casefold()
    at, verb = min(
        (lowered.find(verb), verb) for verb in _VERBS if verb in normalize(text).split() and verb in lowered
    )
    return words[at : at + len(verb)]


def _names(said: frozenset[str], name: str) -> bool:
    words = {word for word in content(name) if not word.isdigit()}
    return bool(words) and sum(word in said for word in words) >= max(1, 0.75 * len(words))


def _holding(
    file: WorkspaceFile,
    table: Table,
    rows: Sequence[int],
    named: Sequence[int],
    names: Sequence[int],
    rule: Place,
    least: int,
) -> list[Computed]:
    """Whole less two parts, or two parts summed, that give another column in every row of a period."""
    found = []
    cells = {index: {row: table.number(row, index) for row in rows} for index in names}
    kinds = _periods(table, rows)
    for kind, chosen in kinds.items():
        for whole in named:
            for first, second in combinations([one for one in named if one != whole], 2):
                for result in names[:_MOST_COLUMNS]:
                    if result in {whole, first, second}:
                        continue
                    full: list[int] = []
                    telling = 0
                    for row in chosen:
                        a, b, c, d = (cells[one][row] for one in (whole, first, second, result))
                        if a is None or b is None or c is None or d is None:
                            continue
                        if not close(a - b - c, d, 1e-6 * max(abs(a), abs(d))):
                            break
                        full.append(row)
                        telling += bool(b and c and d)
                    else:
                        if len(full) >= least and telling >= max(3, 0.1 * len(full)):
                            found.append(
                                _formula(file, table, full, (whole, first, second, result), rule, kind)
                            )
    return found


def _periods(table: Table, rows: Sequence[int]) -> Mapping[str, list[int]]:
    """The rows by the year that a column gives, or all together."""
    for column in table.columns:
        if "year" in normalize(column.name.replace("Year", " Year")).split():
            kinds: dict[str, list[int]] = {}
            for row in rows:
                kinds.setdefault(cell_text(table, row, column.index), []).append(row)
            if 1 < len(kinds) <= 60:
                return kinds
    return {"": list(rows)}


def _formula(
    file: WorkspaceFile,
    table: Table,
    rows: Sequence[int],
    columns: tuple[int, int, int, int],
    rule: Place,
    kind: str,
) -> Computed:
    equations = [Equation("applies", "interpret", ((rule,),), None)]
    for row in rows[:_MOST_EQUATIONS]:
        parts = []
        for index in columns:
            place = place_of(file, table, row, index, "")
            assert place is not None  # _holding left rows with gaps out
            parts.append((place,))
        equations.append(
            Equation("identity", "derive", tuple(parts), "{0} - {1} - {2} - {3}", parts[0][0].label)
        )
    a, b, c, d = (" ".join(table.columns[index].name.split()) for index in columns)
    of = f" of {kind}" if kind else ""
    why = f"“{a}” less “{b}” and “{c}” is “{d}” in {len(rows)} rows{of}, as {rule.file.name} says"
    return Computed("identity", tuple(equations), len(rows), why)


_GROWTH = re.compile(r"\bgrowth (?:rates?|factors?)\b|\bgrows? at the rate\b", re.I)


def growth_rules(texts: Sequence[tuple[WorkspaceFile, Document]]) -> list[Place]:
    """Where texts say that figures are carried forward by growth rates from a base."""
    found = []
    for file, document in texts:
        for block in document.blocks:
            text = " ".join(block.text.split())
            if (match := _GROWTH.search(text)) and re.search(r"\bbase\b", text, re.I):
                found.append(
                    Place(file, block.locator, match.group(), text[:200], "rule", literal=match.group())
                )
                break
    return found


def proportional(lines: Sequence[Line], least: int, rules: Sequence[Place] = ()) -> list[Computed]:
    """Rows over the years that grow at the rate of a row in another file: the second, scaled to the first's base."""
    rows = [line for line in lines if line.kind == "row"][: 4 * _MOST_LINES]
    by_growth: dict[tuple[str, str, str], list[int]] = {}
    for number, line in enumerate(rows):
        keys = sorted(line.terms)
        for earlier, later in pairwise(keys):
            a, b = line.terms[earlier].value, line.terms[later].value
            if a and b and not close(a, b, relative=1e-4):
                by_growth.setdefault((earlier, later, f"{b / a:.6f}"), []).append(number)
    met: dict[tuple[int, int], set[str]] = {}
    for (earlier, later, _), numbers in by_growth.items():
        if 2 <= len(numbers) <= 12:
            for one, other in combinations(numbers, 2):
                if rows[one].file.sha256 != rows[other].file.sha256:
                    met.setdefault((one, other), set()).update((earlier, later))
    found = []
    for (one, other), periods in met.items():
        if len(periods) < least:
            continue
        target, index = rows[one], rows[other]
        shared = sorted(periods)
        base = shared[0]
        if close(target.terms[base].value, index.terms[base].value, relative=1e-6):
            continue
        # The row with fewer digits before rounding is the rate, the other the amount carried forward by it.
        if _roundness(index) > _roundness(target):
            target, index = index, target
        anchor, more = _anchor(lines, target, base)
        equations = [
            Equation("applies", "interpret", ((rule,),), None)
            for rule in rules
            if rule.file.sha256 not in {target.file.sha256, index.file.sha256}
        ]
        for key in shared[1:]:
            parts = (anchor, index.terms[key].places, index.terms[base].places, target.terms[key].places)
            equations.append(Equation("identity", "derive", parts, "{0} * {1} / {2} - {3}", key))
        why = f"{told(target)} grows from {base} to {shared[-1]} at the rate of {told(index)}" + (
            f", from the figure in {more}" if more else ""
        )
        found.append(Computed("identity", tuple(equations), len(shared) + 20, why))
    return found


def _roundness(line: Line) -> float:
    return sum(abs(term.value) for term in line.terms.values())


def _anchor(lines: Sequence[Line], target: Line, base: str) -> tuple[tuple[Place, ...], str]:
    """The base figure: from a third file that states the same one in a row, where there is one."""
    value = target.terms[base].value
    for line in lines:
        if line.kind == "row" and line.file.sha256 != target.file.sha256 and base in line.terms:
            if close(line.terms[base].value, value) and abs(value) > 1000:
                return line.terms[base].places, line.file.name
    return target.terms[base].places, ""
