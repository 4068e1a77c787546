"""The ``llm`` engine: a model writes the task, the compiler computes and checks it (paper section 3.3).

    spec = await write(workspace, graph, speaker)

The model states statement, deliverables, criteria and checks; expected values it states as computations over the
graph, which are computed here from the nodes. Weights are scaled to sum to 1, ids are given, anchors are taken from the
nodes, and the whole is validated for leaks, references, wrong numbers and checks that can't work. A task with faults
goes back once, with all of them; one that still has any is rejected.
"""

import re
from collections.abc import Callable, Sequence, Set
from functools import partial
from typing import TypeVar

from pydantic import ValidationError

from ..errors import RecordError
from ..llm.failures import AnswerError, ProviderError
from ..llm.speaker import Speaker
from ..llm.unanswered import unanswered
from ..records import (
    Anchor,
    Check,
    ColumnValues,
    Criterion,
    Deliverable,
    EvidenceGraph,
    EvidenceNode,
    ForeignValues,
    FormulaColumn,
    Heading,
    InventedRows,
    NegativeCriterion,
    ReadableFile,
    Rejection,
    RowSet,
    SheetPresent,
    TaskSpec,
    TextMention,
    TextNumber,
    TotalCell,
    TypedTotal,
    Violation,
    Workspace,
    close,
    explain,
    normalize,
    parse_number,
    show_number,
)
from .criteria import scaled
from .llm_task import (
    CheckDraft,
    ColumnDraft,
    CriterionDraft,
    ExtremeDraft,
    ForeignDraft,
    FormulasDraft,
    HeadingDraft,
    InventedDraft,
    MentionDraft,
    NumberDraft,
    OpensDraft,
    PenaltyDraft,
    RowsDraft,
    SheetDraft,
    TaskAnswer,
    TotalDraft,
    TypedDraft,
    ViolationDraft,
    again,
    prompt,
)
from .llm_values import Values
from .validate import telling_numbers, validate

Made = TypeVar("Made")

GRIDS = frozenset(("xlsx", "csv"))
TEXTS = frozenset(("docx", "pdf"))

# How far a number that a model computed may be off, relatively: it may round, not err.
ROUNDING = 5e-3
# Rows of a confuser count as wrong from this relative difference on.
APART = 1e-4
# A row name shorter than this can't be looked for in a text.
SHORTEST_NAME = 3

# A fault begins with one of these words, which is also what a task is rejected for; the gravest comes first.
REASONS = {
    "leak": "leak",
    "reference": "broken_reference",
    "value": "unsupported_value",
    "form": "invalid_spec",
}

_FIGURE = re.compile(r"(?<![\w.,])-?\d[\d,]*(?:\.\d+)?(?!\w)")


async def write(workspace: Workspace, graph: EvidenceGraph, speaker: Speaker) -> TaskSpec | Rejection:
    """The specification that a model writes over a graph, or the reason why there is none.

    Reasons: "not_answerable" (the model says that the graph carries no such task), "leak", "broken_reference",
    "unsupported_value", "invalid_spec" (still faulty after it went back once), and those of a question without an
    answer.
    """
    question = prompt(workspace, graph)
    faults: list[str] = []
    for _ in range(2):
        try:
            answer = await speaker.ask(question, TaskAnswer)
        except (AnswerError, ProviderError) as error:
            return unanswered(error, workspace.id, "tasks")
        if not answer.feasible:
            return _rejection(workspace, "not_answerable", answer.reason)
        spec, faults = compiled(answer, workspace, graph)
        if spec is not None and not faults:
            return spec
        question = again(question, answer, faults)
    worst = next(reason for word, reason in REASONS.items() if any(one.startswith(word) for one in faults))
    return _rejection(workspace, worst, "; ".join(faults[:3]))


def compiled(
    answer: TaskAnswer, workspace: Workspace, graph: EvidenceGraph
) -> tuple[TaskSpec | None, list[str]]:
    """The specification of an answer and its faults, each a line that begins with a word of :data:`REASONS`."""
    compiler = _Compiler(answer, workspace, graph)
    spec = compiler.spec()
    faults = compiler.faults
    if spec is not None:
        faults += validate(spec, workspace, graph)
    return spec, list(dict.fromkeys(faults))


def _rejection(workspace: Workspace, reason: str, detail: str) -> Rejection:
    return Rejection(id=workspace.id, stage="tasks", reason=reason, detail=detail)


class _Compiler:
    """Turns drafts into records; whatever is wrong with them becomes a fault, so that all are known at once."""

    def __init__(self, answer: TaskAnswer, workspace: Workspace, graph: EvidenceGraph):
        self.answer = answer
        self.workspace = workspace
        self.graph = graph
        self.values = Values(graph)
        self.faults: list[str] = []
        self.deliverables = {
            one.file: f"D{number}" for number, one in enumerate(answer.deliverables, start=1)
        }
        self.families = {one.file: one.family for one in answer.deliverables}
        told = [answer.statement, *(f"{one.file} {one.requirement}" for one in answer.deliverables)]
        told += [sheet for one in answer.deliverables for sheet in one.sheets]
        self.told = "\n".join(told)
        self.folded = f" {normalize(self.told)} "
        self.figures = [node.value for node in graph.nodes if isinstance(node.value, float)]
        for node in graph.nodes:
            self.figures += _figures(f"{_words(node)} {node.locator.show()}")

    def spec(self) -> TaskSpec | None:
        """The specification, or None where the parts make none."""
        deliverables = self._deliverables()
        criteria = [self._criterion(f"C{at}", one) for at, one in enumerate(self.answer.criteria, start=1)]
        penalties = [self._penalty(f"N{at}", one) for at, one in enumerate(self.answer.penalties, start=1)]
        if not criteria or not deliverables:
            self.faults.append("form: a task needs deliverables and criteria")
            return None
        untested = set(self.deliverables) - {one.file for one in self.answer.criteria}
        self.faults += [f"form: no criterion looks at {name}" for name in sorted(untested)]
        if None in criteria or None in penalties:
            return None
        weights = scaled([one.weight for one in self.answer.criteria])
        seed = self.workspace.seed
        try:
            return TaskSpec(
                id=f"task-{self.workspace.id}",
                workspace=self.workspace.id,
                graph=self.graph.id,
                occupation=seed.occupation,
                sector=seed.sector,
                topic=self.workspace.topic,
                pattern=seed.pattern,
                statement=self.answer.statement.strip(),
                deliverables=deliverables,
                criteria=tuple(
                    one.model_copy(update={"weight": weight})
                    for one, weight in zip(criteria, weights, strict=True)
                    if one is not None
                ),
                penalties=tuple(one for one in penalties if one is not None),
                files=tuple(sorted(file.name for file in self.workspace.files)),
                solution=None,
            )
        except ValidationError as error:
            self.faults.append(f"form: {explain(error)}")
            return None

    def _deliverables(self) -> tuple[Deliverable, ...]:
        inputs = {file.name.casefold() for file in self.workspace.files}
        names = [one.file.casefold() for one in self.answer.deliverables]
        found = []
        for one in self.answer.deliverables:
            if names.count(one.file.casefold()) > 1:
                self.faults.append(f"form: two deliverables are called {one.file}")
            if one.file.casefold() in inputs:
                self.faults.append(f"form: {one.file} is the name of an input file")
            if not one.file.casefold().endswith(f".{one.family}"):
                self.faults.append(f"form: {one.file} should end in .{one.family}")
            if one.file not in self.answer.statement:
                self.faults.append(f"form: the statement doesn't name {one.file}")
            if one.sheets and one.family != "xlsx":
                self.faults.append(f"form: {one.file} can have no sheets")
            found.append(
                Deliverable(
                    id=self.deliverables[one.file],
                    file=one.file,
                    family=one.family,
                    requirement=one.requirement,
                    sheets=one.sheets,
                )
            )
        return tuple(found)

    def _criterion(self, name: str, draft: CriterionDraft) -> Criterion | None:
        if (deliverable := self._deliverable(name, draft.file)) is None:
            return None
        # A computation is proved by its nodes: the first and the last of every series, and each single node.
        anchors = self._anchors(name, (*draft.anchors, *self.values.ends(_expressions(draft))))
        expected = [draft.expected.strip()] if draft.expected and draft.expected.strip() else []
        numbers: list[float] = []
        if draft.computation is not None and (number := self._stated(name, draft)) is not None:
            numbers.append(number)
            expected.append(f"{show_number(number)} = {draft.computation}")
        checks: list[Check] = []
        for one in draft.checks:
            if (made := self._try(name, one.kind, partial(self._check, draft.file, one))) is not None:
                checks.append(made)
                if (recipe := _recipe(one, made)) is not None:
                    expected.append(recipe)
        if meanings := self.values.glossary(_expressions(draft)):
            expected.append(f"where {meanings}")
        if expected and not anchors:
            self.faults.append(f"reference: {name} expects something and is anchored to nothing")
        for check in checks:
            if isinstance(check, TotalCell | TextNumber) and check.value is not None:
                numbers.append(check.value)
        self._supported(name, draft, anchors, numbers)
        return Criterion(
            id=name,
            deliverable=deliverable,
            requirement=draft.requirement,
            expected="; ".join(dict.fromkeys(expected)) or None,
            weight=1.0,
            anchors=anchors,
            verification=draft.verification,
            checks=tuple(checks),
        )

    def _penalty(self, name: str, draft: PenaltyDraft) -> NegativeCriterion | None:
        if (deliverable := self._deliverable(name, draft.file)) is None:
            return None
        violations: list[Violation] = []
        for one in draft.violations:
            made = self._try(name, one.kind, partial(self._violation, draft.file, one))
            if made is not None:
                violations.append(made)
        self._held(name, f"{draft.prohibited} {draft.verification}", _figures(self.told))
        return NegativeCriterion(
            id=name,
            deliverable=deliverable,
            prohibited=draft.prohibited,
            penalty=draft.penalty,
            anchors=self._anchors(name, draft.anchors),
            verification=draft.verification,
            violations=tuple(violations),
        )

    def _deliverable(self, name: str, file: str) -> str | None:
        if file not in self.deliverables:
            self.faults.append(f"reference: {name} looks at {file}, which nobody was asked for")
        return self.deliverables.get(file)

    def _anchors(self, name: str, nodes: tuple[str, ...]) -> tuple[Anchor, ...]:
        found = []
        for identifier in dict.fromkeys(nodes):
            node = self.values.nodes.get(identifier)
            if node is None:
                self.faults.append(f"reference: {name} is anchored to {identifier}, which is no node")
            else:
                found.append(Anchor(node=node.id, file=node.file, name=node.name, locator=node.locator))
        return tuple(found)

    def _try(self, name: str, kind: str, make: Callable[[], Made]) -> Made | None:
        try:
            return make()
        except RecordError as error:
            self.faults.append(f"value: {name}, {kind}: {error.what}")
            return None

    def _stated(self, name: str, draft: CriterionDraft) -> float | None:
        """The number that a criterion expects, computed; None where that fails or the model says another."""
        assert draft.computation is not None
        try:
            number = self.values.number(draft.computation)
        except RecordError as error:
            self.faults.append(f"value: {name}: {error.what}")
            return None
        if draft.value is not None and not close(draft.value, number, relative=ROUNDING):
            self.faults.append(
                f"value: {name} expects {show_number(draft.value)}, but {draft.computation} is {show_number(number)}"
            )
            return None
        return number

    def _supported(
        self, name: str, draft: CriterionDraft, anchors: tuple[Anchor, ...], computed: list[float]
    ) -> None:
        """Figures in what is expected must stand at the anchors or be computed; the requirement tells none of them."""
        nodes = [self.values.nodes[anchor.node] for anchor in anchors]
        known = [*computed, *(node.value for node in nodes if isinstance(node.value, float))]
        # What the statement itself says (a tolerance, decimals, a year) may be said again.
        known += [*_figures(self.told), *(figure for node in nodes for figure in _figures(_words(node)))]
        for token in _FIGURE.findall(draft.expected or ""):
            number = parse_number(token)
            if number is not None and not any(_rounds_to(token, number, one) for one in known):
                self.faults.append(
                    f"value: {name} expects {token}, which stands at none of its anchors and isn't computed"
                )
        self._held(name, draft.verification, known)
        secret = [number for number in computed if number not in {0.0, 1.0}]
        for token, number in telling_numbers(draft.requirement):
            if any(_rounds_to(token, number, one) for one in secret):
                self.faults.append(f"form: the requirement of {name} tells the expected {token}")
        for token, number in telling_numbers(self.told):
            if any(_rounds_to(token, number, one) for one in secret):
                self.faults.append(f"leak: the statement tells the value {token} that {name} asks for")

    def _held(self, name: str, text: str, known: list[float]) -> None:
        """Telling figures in the words for the judge must stand somewhere in the evidence: a wrong one misleads it."""
        for token, number in telling_numbers(text):
            if not any(_rounds_to(token, number, one) for one in (*known, *self.figures)):
                self.faults.append(f"value: {name} speaks of {token}, which stands nowhere in the evidence")

    def _check(self, file: str, draft: CheckDraft) -> Check:
        match draft:
            case OpensDraft():
                return ReadableFile(file=file)
            case SheetDraft():
                self._only(file, {"xlsx"}, "sheets")
                return SheetPresent(file=file, sheet=self._fair(draft.sheet, "sheet"))
            case HeadingDraft():
                self._only(file, TEXTS, "headings")
                return Heading(file=file, heading=self._fair(draft.heading, "heading"))
            case FormulasDraft():
                self._only(file, {"xlsx"}, "formulas")
                return FormulaColumn(
                    file=file,
                    sheet=self._fair(draft.sheet, "sheet"),
                    column=self._fair(draft.column, "column"),
                )
            case RowsDraft():
                return RowSet(
                    file=file,
                    sheet=self._sheet(file, draft.sheet),
                    key=self._fair(draft.key, "column"),
                    rows=self.values.rows(draft.series, draft.where),
                )
            case ColumnDraft():
                return self._column(file, draft)
            case TotalDraft():
                return TotalCell(
                    file=file,
                    sheet=self._sheet(file, draft.sheet),
                    label=self._fair(draft.label, "row"),
                    column=self._fair(draft.column, "column"),
                    value=(number := self.values.number(draft.expression, draft.where)),
                    absolute=_half_unit(draft.decimals),
                    relative=_relative(draft.decimals, (number,)),
                )
            case NumberDraft():
                self._only(file, TEXTS, "running text")
                return TextNumber(
                    file=file,
                    terms=self._known(draft.terms),
                    value=(number := self.values.number(draft.expression, draft.where)),
                    absolute=_half_unit(draft.decimals),
                    relative=_relative(draft.decimals, (number,)),
                )
            case MentionDraft():
                return self._mention(file, draft)
            case ExtremeDraft():
                return TextMention(file=file, phrase=self._extreme(draft))

    def _column(self, file: str, draft: ColumnDraft) -> ColumnValues:
        found = self.values.column(draft.expression, draft.where)
        cells: dict[str, float | str] = dict(zip(found.keys, found.numbers, strict=True))
        if draft.words is not None:
            if set(found.numbers) - {0.0, 1.0}:
                raise RecordError(f"{draft.expression!r} is no comparison", "Words go with a comparison")
            words = draft.words
            cells = {name: words.holds if cell else words.fails for name, cell in cells.items()}
        return ColumnValues(
            file=file,
            sheet=self._sheet(file, draft.sheet),
            key=self._fair(draft.key, "column"),
            column=self._fair(draft.column, "column"),
            values=cells,
            absolute=_half_unit(draft.decimals),
            relative=_relative(draft.decimals, found.numbers),
        )

    def _mention(self, file: str, draft: MentionDraft) -> TextMention:
        """A phrase that the statement tells, or that stands in the evidence; a row name that it tells is a leak."""
        phrase = normalize(draft.phrase)
        if len(phrase) < SHORTEST_NAME:
            raise RecordError(f"{draft.phrase!r} is too short to look for", "Ask for more words")
        inputs = {normalize(one.name) for one in self.workspace.files}
        held = {normalize(node.entity) for node in self.values.nodes.values()}
        held |= {normalize(node.value) for node in self.values.nodes.values() if isinstance(node.value, str)}
        if f" {phrase} " in self.folded:
            return TextMention(file=file, phrase=draft.phrase, open=phrase not in held)
        if phrase not in inputs | held:
            raise RecordError(
                f"{draft.phrase!r} stands neither in the statement nor in the evidence",
                "Ask for what can be known",
            )
        return TextMention(file=file, phrase=draft.phrase)

    def _known(self, terms: tuple[str, ...]) -> tuple[str, ...]:
        """Words that a sentence must hold: begun as in the statement, or a row name, so that a right one has them."""
        rows = {normalize(node.entity) for node in self.values.nodes.values()}
        for term in terms:
            word = normalize(term)
            if not word or (f" {word}" not in self.folded and word not in rows):
                raise RecordError(f"Nobody was told to write {term!r}", "Look for words of the request only")
        return terms

    def _extreme(self, draft: ExtremeDraft) -> str:
        found = self.values.column(draft.expression, draft.where)
        extreme = max(found.numbers) if draft.end == "largest" else min(found.numbers)
        if found.numbers.count(extreme) != 1:
            raise RecordError(
                f"Several rows share the {draft.end} {draft.expression!r}", "Ask for something else"
            )
        name = found.keys[found.numbers.index(extreme)]
        if len(normalize(name)) < SHORTEST_NAME:
            raise RecordError(f"The row name {name!r} is too short to look for", "Ask for something else")
        return name

    def _violation(self, file: str, draft: ViolationDraft) -> Violation:
        match draft:
            case ForeignDraft():
                return self._foreign(file, draft)
            case TypedDraft():
                self._only(file, {"xlsx"}, "formulas")
                return TypedTotal(
                    file=file,
                    sheet=self._fair(draft.sheet, "sheet"),
                    label=self._fair(draft.label, "row"),
                    column=self._fair(draft.column, "column"),
                )
            case InventedDraft():
                names = {name: None for one in draft.series for name in self.values.rows((one,))}
                return InventedRows(
                    file=file,
                    sheet=self._sheet(file, draft.sheet),
                    key=self._fair(draft.key, "column"),
                    rows=tuple(names),
                    labels=draft.labels,
                )

    def _foreign(self, file: str, draft: ForeignDraft) -> ForeignValues:
        right = self.values.column(draft.right)
        by_name = {normalize(name): cell for name, cell in zip(right.keys, right.numbers, strict=True)}
        other = self.values.column(draft.wrong)
        wrong = {
            name: cell
            for name, cell in zip(other.keys, other.numbers, strict=True)
            if normalize(name) in by_name and not close(cell, by_name[normalize(name)], relative=APART)
        }
        if len(wrong) < 2:
            raise RecordError(
                f"{draft.wrong!r} differs from {draft.right!r} in {len(wrong)} rows, fewer than 2",
                "Name columns that can be told apart",
            )
        return ForeignValues(
            file=file,
            sheet=self._sheet(file, draft.sheet),
            key=self._fair(draft.key, "column"),
            column=self._fair(draft.column, "column"),
            values=wrong,
        )

    def _only(self, file: str, families: Set[str], what: str) -> None:
        if self.families[file] not in families:
            raise RecordError(f"A {self.families[file]} file has no {what}", "Look for it elsewhere")

    def _sheet(self, file: str, sheet: str) -> str:
        self._only(file, GRIDS, "columns")
        if self.families[file] == "csv" and sheet:
            raise RecordError("A csv file has no sheets", 'Leave the sheet ""')
        return self._fair(sheet, "sheet") if sheet else ""

    def _fair(self, words: str, what: str) -> str:
        """Words that a program looks for must have been told to whoever does the work."""
        if f" {normalize(words)} " not in self.folded:
            raise RecordError(
                f"Nobody was told of a {what} {words!r}", "Say so in the statement or the requirement"
            )
        return words


def _expressions(draft: CriterionDraft) -> list[str]:
    """Every expression of a criterion; the ids of the series whose rows it asks for among them."""
    found = [draft.computation] if draft.computation else []
    for check in draft.checks:
        if isinstance(check, ColumnDraft | TotalDraft | NumberDraft | ExtremeDraft):
            found += [check.expression, *([check.where] if check.where else [])]
        elif isinstance(check, RowsDraft):
            found += [*check.series, *([check.where] if check.where else [])]
    return found


def _recipe(draft: CheckDraft, check: Check) -> str | None:
    """What a computed check expects, in words."""
    match draft:
        case ColumnDraft():
            assert isinstance(check, ColumnValues)
            return f"“{check.column}” of {len(check.values)} rows = {_told(draft.expression, draft.where)}"
        case TotalDraft() | NumberDraft():
            assert isinstance(check, TotalCell | TextNumber) and check.value is not None
            return f"{show_number(check.value)} = {_told(draft.expression, draft.where)}"
        case RowsDraft():
            assert isinstance(check, RowSet)
            shared = " and ".join(draft.series)
            return f"the {len(check.rows)} rows of {_told(shared, draft.where)}"
        case ExtremeDraft():
            assert isinstance(check, TextMention)
            return f"{check.phrase}, with the {draft.end} {_told(draft.expression, draft.where)}"
    return None


def _told(expression: str, where: str | None) -> str:
    return f"{expression} for rows with {where}" if where else expression


def _words(node: EvidenceNode) -> str:
    return f"{node.raw} {node.fact} {node.measure} {node.entity} {node.period or ''}"


def _figures(text: str) -> list[float]:
    return [number for token in _FIGURE.findall(text) if (number := parse_number(token)) is not None]


def _relative(decimals: int | None, numbers: Sequence[float]) -> float:
    """How far a figure may be off in proportion: of large amounts a millionth is a lot, so only where neither rounding
    nor whole units say how exact it is."""
    exact = decimals is not None or all(number.is_integer() for number in numbers)
    return 1e-9 if exact else 1e-6


def _half_unit(decimals: int | None) -> float:
    """Half a unit of the last decimal, and a hair more for what rounding leaves; 0 where nothing is rounded."""
    return 0.0 if decimals is None else 0.5001 * 10.0**-decimals


def _rounds_to(token: str, number: float, known: float) -> bool:
    """Whether a number as written is a known one, up to the rounding that its digits show."""
    number, known = abs(number), abs(known)
    decimals = len(token.partition(".")[2]) if "." in token else 0
    whole = decimals == 0 and abs(known) < 1_000
    return close(
        number, known, absolute=0.0 if whole and known.is_integer() else _half_unit(decimals), relative=1e-9
    )
