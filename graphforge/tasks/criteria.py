"""Criteria of a composition: every one anchored to the nodes that prove it, and executable."""

import math
from collections.abc import Iterable, Sequence

from ..records import (
    WORDS,
    Anchor,
    Assumptions,
    Check,
    ColumnValues,
    Criterion,
    DerivedColumn,
    EvidenceNode,
    ForeignValues,
    FormulaColumn,
    Heading,
    InventedRows,
    NegativeCriterion,
    Output,
    Plan,
    ReadableFile,
    RowSet,
    Series,
    SheetPresent,
    Summary,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
    Violation,
    close,
    normalize,
    show_number,
)
from .compose import Composition, Stated, View, ends, listed
from .evaluate import Outcome

# Shares of the score before they are scaled to sum to 1: being right outweighs being tidy.
_OPENS, _ROWS, _COLUMN, _FORMULAS, _TOTALS, _STATED, _SOURCES = 1.0, 2.0, 3.0, 2.0, 1.5, 1.5, 1.0
_FOREIGN, _INVENTED, _TYPED = 0.3, 0.2, 0.1


def criteria(view: View, made: Composition, outcome: Outcome, statement: str = "") -> tuple[Criterion, ...]:
    """The positive criteria, weights summing to 1, in the order of the outputs.

    A file that the statement names is no secret: the check that looks for its name says so.
    """
    drafted: list[tuple[float, Criterion]] = []
    for number, output in enumerate(made.plan.outputs, start=1):
        writer = _Writer(view, made, outcome, output, f"D{number}", statement)
        drafted += writer.workbook() if output.family in {"xlsx", "csv"} else writer.memo()
    weights = scaled([weight for weight, _ in drafted])
    return tuple(
        criterion.model_copy(update={"id": f"C{number}", "weight": weight})
        for number, (weight, (_, criterion)) in enumerate(zip(weights, drafted, strict=True), start=1)
    )


def scaled(weights: Sequence[float]) -> list[float]:
    """Weights in ten-thousandths that sum to exactly 1; the largest takes the rest."""
    whole = math.fsum(weights)
    parts = [max(1, round(10_000 * weight / whole)) for weight in weights]
    parts[parts.index(max(parts))] += 10_000 - sum(parts)
    return [part / 10_000 for part in parts]


def penalties(view: View, made: Composition, outcome: Outcome) -> tuple[NegativeCriterion, ...]:
    """The negative criteria: a confuser's values, invented rows, a typed total."""
    found: list[NegativeCriterion] = []
    tables = [
        (f"D{number}", output)
        for number, output in enumerate(made.plan.outputs, start=1)
        if output.family in {"xlsx", "csv"}
    ]
    if foreign := _foreign(view, made, outcome, tables):
        found.append(foreign)
    deliverable, output = tables[0]
    first = view.series[made.series[made.plan.reads[0].alias]]
    known = [
        name for one in made.series.values() for name in (*view.series[one].entities, *view.series[one].rest)
    ]
    rows: tuple[Violation, ...] = (
        InventedRows(
            file=output.file,
            sheet=output.sheet,
            key=made.plan.key_label,
            rows=tuple(dict.fromkeys(known)),
            labels=("Total",),
        ),
    )
    found.append(
        NegativeCriterion(
            id="N",
            deliverable=deliverable,
            prohibited=f"Rows in {output.file} that the sources don't have",
            penalty=_INVENTED,
            anchors=_span(view, first),
            verification=f"Every name under “{made.plan.key_label}” in {output.file} must stand in "
            f"{first.name}, {_range(view, first)}.",
            violations=rows,
        )
    )
    for deliverable, output in tables:
        if output.family == "xlsx" and output.totals:
            found.append(
                NegativeCriterion(
                    id="N",
                    deliverable=deliverable,
                    prohibited=f"A total in {output.file} typed in as a number instead of computed by a formula",
                    penalty=_TYPED,
                    anchors=(),
                    verification=f"Look at the cells of the row “Total” on sheet “{output.sheet}” of {output.file}.",
                    violations=tuple(
                        TypedTotal(
                            file=output.file, sheet=output.sheet, label="Total", column=_label(made, alias)
                        )
                        for alias in output.totals
                    ),
                )
            )
    return tuple(
        penalty.model_copy(update={"id": f"N{number}"}) for number, penalty in enumerate(found, start=1)
    )


def _foreign(
    view: View, made: Composition, outcome: Outcome, tables: Sequence[tuple[str, Output]]
) -> NegativeCriterion | None:
    relation = view.relation("confuser")
    if relation is None:
        return None
    right_one, other = (view.series[name] for name in relation.series)
    for alias, name in made.series.items():
        read = view.series[name]
        if (read.file, read.place) != (right_one.file, right_one.place) and not set(read.nodes) & set(
            right_one.nodes
        ):
            continue
        for deliverable, output in tables:
            if alias not in output.columns:
                continue
            right = {normalize(key): cell for key, cell in outcome.by_key(alias).items()}
            wrong = {
                entity: float(view.nodes[node].value)
                for entity, node in zip(other.entities, other.nodes, strict=True)
                if normalize(entity) in right
                and not close(float(view.nodes[node].value), float(right[normalize(entity)]), relative=1e-4)
            }
            if len(wrong) < 2:
                continue
            return NegativeCriterion(
                id="N",
                deliverable=deliverable,
                prohibited=f"Figures for “{_label(made, alias)}” in {output.file} taken from "
                f"“{other.measure}” in {other.name}",
                penalty=_FOREIGN,
                anchors=_span(view, other),
                verification=f"Compare the column with {other.name}, {_range(view, other)}, which looks "
                f"alike but isn't meant.",
                violations=(
                    ForeignValues(
                        file=output.file,
                        sheet=output.sheet,
                        key=made.plan.key_label,
                        column=_label(made, alias),
                        values=wrong,
                    ),
                ),
            )
    return None


def _label(made: Composition, alias: str) -> str:
    labels = {read.alias: read.label for read in made.plan.reads}
    labels |= {quoted.alias: quoted.label for quoted in made.plan.quoted}
    labels |= {derived.alias: derived.label for derived in made.plan.derived}
    return labels[alias]


def _anchor(node: EvidenceNode) -> Anchor:
    return Anchor(node=node.id, file=node.file, name=node.name, locator=node.locator)


def _span(view: View, series: Series) -> tuple[Anchor, ...]:
    """The first and the last cell of a series: the range between them proves it."""
    return tuple(_anchor(node) for node in dict.fromkeys(ends([view.nodes[name] for name in series.nodes])))


def _range(view: View, series: Series) -> str:
    first, last = ends([view.nodes[name] for name in series.nodes])
    return f"{first.locator.show()} to {last.locator.show()}"


class _Writer:
    """Writes the criteria of one output."""

    def __init__(
        self,
        view: View,
        made: Composition,
        outcome: Outcome,
        output: Output,
        deliverable: str,
        statement: str,
    ):
        self.told = f" {normalize(statement)} "
        self.view = view
        self.made = made
        self.outcome = outcome
        self.output = output
        self.deliverable = deliverable

    def _criterion(
        self,
        weight: float,
        requirement: str,
        expected: str | None,
        anchors: Iterable[Anchor],
        verification: str,
        checks: Sequence[Check],
    ) -> tuple[float, Criterion]:
        return weight, Criterion(
            id="C",
            deliverable=self.deliverable,
            requirement=requirement,
            expected=expected,
            weight=1.0,
            anchors=tuple(dict.fromkeys(anchors)),
            verification=verification,
            checks=tuple(checks),
        )

    def workbook(self) -> list[tuple[float, Criterion]]:
        """Criteria of an xlsx or csv table."""
        file, sheet, plan = self.output.file, self.output.sheet, self.made.plan
        opening: list[Check] = [ReadableFile(file=file)]
        if sheet:
            opening += [SheetPresent(file=file, sheet=name) for name in sheets_of(self.output)]
        what = f"{file} opens" + (f" and has the sheets {listed(sheets_of(self.output))}" if sheet else "")
        reads = [self.view.series[self.made.series[read.alias]] for read in plan.reads]
        found = [
            self._criterion(_OPENS, what, None, (), f"Open {file}.", opening),
            self._criterion(
                _ROWS,
                f"{file} has every row asked for, and no other",
                f"{len(self.outcome.keys)} rows",
                [anchor for series in reads for anchor in _span(self.view, series)],
                f"Compare the names under “{plan.key_label}” with "
                + " and ".join(f"{series.name}, {_range(self.view, series)}" for series in reads)
                + ".",
                [RowSet(file=file, sheet=sheet, key=plan.key_label, rows=self.outcome.keys)],
            ),
        ]
        found += [self._column(alias) for alias in self.output.columns]
        computed = [
            column
            for column in plan.derived
            if self.output.family == "xlsx"
            and column.alias in self.output.columns
            and column.operation not in WORDS
        ]
        if self.output.assumptions is not None:
            found.append(self._assumptions(self.output.assumptions))
        if self.output.summary is not None:
            found.append(self._summary(self.output.summary, reads))
        live = [(sheet, column.label) for column in computed]
        if self.output.summary is not None:
            live += [(self.output.summary.sheet, heading) for heading in self.output.summary.headings[1:]]
        if live:
            labels = " and ".join(
                f"{', '.join(f'“{label}”' for where, label in live if where == name)} on sheet “{name}”"
                for name in dict.fromkeys(where for where, _ in live)
            )
            found.append(
                self._criterion(
                    _FORMULAS,
                    f"{labels} of {file} are live formulas",
                    None,
                    (),
                    f"Look at the cells under {labels}: they must hold formulas, not typed numbers.",
                    [FormulaColumn(file=file, sheet=where, column=label) for where, label in live],
                )
            )
        if self.output.totals:
            found.append(self._totals(reads))
        if self.output.family == "xlsx":
            found.append(self._sources())
        return found

    def _assumptions(self, asked: Assumptions) -> tuple[float, Criterion]:
        file = self.output.file
        rates: dict[str, float | str] = {
            column.label: column.constant
            for column in self.made.plan.derived
            if column.operation == "scaled" and column.constant is not None
        }
        return self._criterion(
            _TOTALS,
            f"Sheet “{asked.sheet}” of {file} holds every rate that the request states, each in a cell of its own",
            None,
            (),
            f"Compare the figures under “{asked.figure}” with the rates of the request.",
            [ColumnValues(file=file, sheet=asked.sheet, key=asked.name, column=asked.figure, values=rates)],
        )

    def _summary(self, asked: Summary, reads: Sequence[Series]) -> tuple[float, Criterion]:
        file = self.output.file
        groups = self.outcome.by_word(asked.by, asked.of, asked.words)
        whole = math.fsum(added for _, added in groups.values())
        by, counts, sums, parts = asked.headings
        figures: dict[str, tuple[dict[str, float | str], float, float]] = {
            counts: ({word: float(count) for word, (count, _) in groups.items()}, 0.0, 0.0),
            sums: ({word: added for word, (_, added) in groups.items()}, 0.006, 1e-6),
            parts: ({word: 100 * added / whole for word, (_, added) in groups.items()}, 0.0051, 1e-6),
        }
        return self._criterion(
            _COLUMN,
            f"Sheet “{asked.sheet}” of {file} tells rightly of each of {listed(asked.words)} how many rows there are, "
            "their sum and its part of the whole",
            "; ".join(
                f"{word}: {count} rows, {show_number(added)}" for word, (count, added) in groups.items()
            ),
            [anchor for series in reads for anchor in _span(self.view, series)],
            f"Count and add up the rows by “{_label(self.made, asked.by)}”.",
            [
                ColumnValues(
                    file=file,
                    sheet=asked.sheet,
                    key=by,
                    column=heading,
                    values=values,
                    absolute=absolute,
                    relative=relative,
                )
                for heading, (values, absolute, relative) in figures.items()
            ],
        )

    def _column(self, alias: str) -> tuple[float, Criterion]:
        file, sheet, plan = self.output.file, self.output.sheet, self.made.plan
        label = _label(self.made, alias)
        derived = next((column for column in plan.derived if column.alias == alias), None)
        values = self.outcome.by_key(alias)
        check = ColumnValues(file=file, sheet=sheet, key=plan.key_label, column=label, values=values)
        if derived is None:
            quoted = next((column for column in plan.quoted if column.alias == alias), None)
            if quoted is not None:
                anchors = [_anchor(node) for node in self.made.quotes]
                source = f"{quoted.file}: " + "; ".join(
                    f"“{figure.literal}” for {figure.entity}" for figure in quoted.figures
                )
            else:
                series = self.view.series[self.made.series[alias]]
                anchors = list(_span(self.view, series))
                source = f"{series.name}, {_range(self.view, series)}"
            expected = f"the {len(values)} figures of {source}"
            verification = f"Compare the column row by row with {source}."
        else:
            check = check.model_copy(update=_tolerance(derived))
            anchors = [
                anchor
                for argument in _read_for(derived, plan)
                if argument in self.made.series
                for anchor in _span(self.view, self.view.series[self.made.series[argument]])
            ]
            if derived.operation in {"above", "below"} and self.made.rule is not None:
                anchors.append(_anchor(self.made.rule))
            expected = _computation(derived, self.made)
            verification = f"Recompute “{label}” as {expected} for every row."
        return self._criterion(
            _COLUMN, f"“{label}” is right in every row of {file}", expected, anchors, verification, [check]
        )

    def _totals(self, reads: Sequence[Series]) -> tuple[float, Criterion]:
        file, sheet = self.output.file, self.output.sheet
        sums = {alias: self.outcome.total(alias) for alias in self.output.totals}
        exact = {
            column.alias: column.operation
            for column in self.made.plan.derived
            if column.operation in {"apportioned", "allocation"}
        }
        return self._criterion(
            _TOTALS,
            f"The row “Total” of {file} holds the sums of its columns",
            "; ".join(f"{_label(self.made, alias)}: {show_number(total)}" for alias, total in sums.items()),
            [anchor for series in reads for anchor in _span(self.view, series)],
            "Add the rows of the sources that take part and compare.",
            [
                TotalCell(
                    file=file,
                    sheet=sheet,
                    label="Total",
                    column=_label(self.made, alias),
                    value=total,
                    absolute=0.006,
                    # A unit too many is what an allocation must not have, however large it is.
                    relative=0.0 if alias in exact else 1e-6,
                    open=exact.get(alias) == "allocation",
                )
                for alias, total in sums.items()
            ],
        )

    def memo(self) -> list[tuple[float, Criterion]]:
        """Criteria of a docx or pdf text."""
        file = self.output.file
        headings = [section.heading for section in self.output.sections] + ["Sources"]
        opening: list[Check] = [ReadableFile(file=file)]
        opening += [Heading(file=file, heading=heading) for heading in headings]
        found = [
            self._criterion(
                _OPENS,
                f"{file} opens and has the headings " + ", ".join(f"“{heading}”" for heading in headings),
                None,
                (),
                f"Open {file} and look for the headings.",
                opening,
            )
        ]
        if self.output.first is not None:
            found.append(self._table(self.output.first))
        found += [self._stated(stated) for stated in self.made.stated if stated.file == file]
        found.append(self._sources())
        return found

    def _table(self, first: int) -> tuple[float, Criterion]:
        """The table of a text that shows only the first rows of the whole, as printed: figures may be rounded."""
        file, plan = self.output.file, self.made.plan
        rows = self.outcome.keys[:first]
        checks: list[Check] = [RowSet(file=file, key=plan.key_label, rows=rows)]
        for alias in self.output.columns:
            values = self.outcome.by_key(alias)
            checks.append(
                ColumnValues(
                    file=file,
                    key=plan.key_label,
                    column=_label(self.made, alias),
                    values={row: values[row] for row in rows},
                    absolute=0.0051,
                )
            )
        return self._criterion(
            _COLUMN,
            f"The table of {file} has the rows asked for, with the right figures",
            "; ".join(rows),
            [
                anchor
                for name in self.made.series.values()
                for anchor in _span(self.view, self.view.series[name])
            ],
            f"Compare the table with the first {first} rows in the order that the request asks for.",
            checks,
        )

    def _stated(self, stated: Stated) -> tuple[float, Criterion]:
        fact = next(fact for fact in self.made.plan.facts if fact.name == stated.fact)
        value = self.outcome.facts[stated.fact]
        anchors: list[Anchor] = []
        check: Check
        if isinstance(value, str):
            check = TextMention(file=stated.file, phrase=value)
            for name in self.made.series.values():
                series = self.view.series[name]
                folded = [normalize(entity) for entity in series.entities]
                if normalize(value) in folded:
                    anchors.append(_anchor(self.view.nodes[series.nodes[folded.index(normalize(value))]]))
            expected = value
        else:
            assert value is not None  # compile drops what has no single answer
            check = TextNumber(
                file=stated.file,
                terms=stated.terms,
                value=value,
                # A count is right or wrong; what is computed may be rounded as the request says.
                absolute=0.0
                if fact.operation in {"count", "matched", "count_equal"}
                else 0.5001 * 10.0**-fact.decimals,
                relative=0.0,
            )
            anchors = [
                anchor
                for name in self.made.series.values()
                for anchor in _span(self.view, self.view.series[name])
            ]
            expected = f"{value:,.{fact.decimals}f}"
        if stated.fact == "bound" and self.made.rule is not None:
            anchors = [_anchor(self.made.rule)]
        return self._criterion(
            _STATED,
            f"{stated.file} {stated.requirement}",
            expected,
            anchors,
            f"Find the statement in {stated.file} and compare it with the value computed from the anchored cells.",
            [check],
        )

    def _sources(self) -> tuple[float, Criterion]:
        names = [citation.file for citation in self.made.plan.citations]
        nodes = [self.view.series[name].nodes[0] for name in self.made.series.values()]
        anchors = [_anchor(self.view.nodes[name]) for name in nodes]
        anchors += [_anchor(node) for node in (self.made.rule, *self.made.quotes[:1]) if node is not None]
        return self._criterion(
            _SOURCES,
            f"{self.output.file} names the files that its figures come from",
            "; ".join(names),
            anchors,
            "Look for the names of these files under Sources.",
            [
                TextMention(file=self.output.file, phrase=name, open=f" {normalize(name)} " in self.told)
                for name in names
            ],
        )


def _read_for(column: DerivedColumn, plan: Plan) -> list[str]:
    """The columns that a derived one is computed from in the end, whatever is computed in between."""
    between = {one.alias: one for one in plan.derived}
    found: list[str] = []
    for alias in column.arguments:
        found += _read_for(between[alias], plan) if alias in between else [alias]
    return list(dict.fromkeys(found))


def sheets_of(output: Output) -> tuple[str, ...]:
    """The sheets that a workbook must have, in order; none of another file."""
    if not output.sheet:
        return ()
    more = [one.sheet for one in (output.assumptions, output.summary) if one is not None]
    return (output.sheet, *more, "Sources")


def _tolerance(column: DerivedColumn) -> dict[str, float]:
    """How far a computed figure may be off: the rounding that the statement allows."""
    if column.operation in {"apportioned", "allocation"}:
        return {"absolute": 0.005, "relative": 0.0}
    if column.operation in {"percent_change", "share", "cumulative_share"}:
        return {"absolute": 0.0051, "relative": 1e-6}
    if column.operation == "ratio":
        return {"absolute": 0.0, "relative": 1e-4}
    if column.operation in {"difference", "distance", "projection", "scaled"}:
        return {"absolute": 0.0051, "relative": 1e-6}
    return {}


def _computation(column: DerivedColumn, made: Composition) -> str:
    a, *rest = [f"“{_label(made, alias)}”" for alias in column.arguments]
    b = rest[0] if rest else ""
    match column.operation:
        case "difference":
            return f"{a} - {b}"
        case "ratio":
            return f"{a} / {b}"
        case "percent_change":
            return f"100 * ({a} - {b}) / {b}"
        case "projection":
            return f"{a} * {a} / {b}"
        case "share":
            return f"100 * {a} / sum of {a}"
        case "distance":
            return f"{a} - {b}, without its sign"
        case "scaled":
            return f"{a} * (1 + {column.constant:g} / 100)"
        case "apportioned":
            return f"{show_number(column.constant or 0.0)} * {a} / sum of {a}, rounded to whole units"
        case "allocation":
            return (
                f"{a}, and where {b} is largest also what the sum of {a} lacks of "
                f"{show_number(column.constant or 0.0)}"
            )
        case "cumulative_share":
            return f"the sum of {a} down to this row, largest first, in percent of the sum of {a}"
        case "abc_class":
            first, second = column.bounds
            return f"“A” where {a} is at most {first:g}, “B” where at most {second:g}, otherwise “C”"
        case "agreement":
            return (
                f"“agrees” where {a} and {b} are no more than {column.constant:g} apart, otherwise “differs”"
            )
        case _:
            return (
                f"“yes” where {a} is {column.operation} {show_number(column.constant or 0.0)}, otherwise “no”"
            )
