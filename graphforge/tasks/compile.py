"""The compiler: evidence graph to task specification (paper section 3.3, the ``rules`` engine)."""

import re
from collections.abc import Iterable
from dataclasses import replace

from pydantic import ValidationError

from ..records import (
    Deliverable,
    EvidenceGraph,
    Plan,
    Rejection,
    TaskSpec,
    Workspace,
    explain,
    normalize,
    stable_hash,
    statement_hash,
)
from .compose import Composition, View
from .criteria import criteria, penalties, sheets_of
from .evaluate import Outcome, evaluate
from .patterns import COMPILERS
from .phrases import joined
from .statement import write_statement
from .validate import validate


def compile_tasks(pairs: Iterable[tuple[Workspace, EvidenceGraph]]) -> tuple[list[TaskSpec], list[Rejection]]:
    """Compile every pair; each ends as a specification or as a rejection. See :func:`distinct` for twins."""
    return distinct(compile_task(workspace, graph) for workspace, graph in pairs)


def distinct(results: Iterable[TaskSpec | Rejection]) -> tuple[list[TaskSpec], list[Rejection]]:
    """Specifications and rejections, in order. A second task of the same content is a ``duplicate_task``: equal
    statement, or the same pattern over the same columns (of a task without a plan: over the same anchors)."""
    specs: list[TaskSpec] = []
    rejections: list[Rejection] = []
    seen: dict[str, str] = {}
    for made in results:
        if isinstance(made, Rejection):
            rejections.append(made)
            continue
        marks = _marks(made)
        twin = next((seen[mark] for mark in marks if mark in seen), None)
        if twin is not None:
            detail = f"asks the same as {twin}"
            rejections.append(
                Rejection(id=made.workspace, stage="tasks", reason="duplicate_task", detail=detail)
            )
            continue
        seen.update(dict.fromkeys(marks, made.id))
        specs.append(made)
    return specs, rejections


def _marks(spec: TaskSpec) -> list[str]:
    """What two tasks that ask the same have in common: the statement, or the pattern and the columns read."""
    marks = [statement_hash(spec.statement)]
    if spec.solution is not None:
        reads = [(read.file, read.place.model_dump_json(), len(read.rows)) for read in spec.solution.reads]
        marks.append(stable_hash(spec.pattern, *sorted(reads)))
    else:
        places = {
            f"{anchor.file} {anchor.locator.model_dump_json()}"
            for criterion in spec.criteria
            for anchor in criterion.anchors
        }
        marks.append(stable_hash(spec.pattern, *sorted(places)))
    return marks


def compile_task(workspace: Workspace, graph: EvidenceGraph) -> TaskSpec | Rejection:
    """The specification of one workspace, or the reason why its evidence makes no fair task."""
    view = View(workspace, graph)
    compiler = COMPILERS.get(workspace.seed.pattern)
    if compiler is None:
        return _rejection(
            workspace, "pattern_left_to_llm", f"the rules engine can't state {workspace.seed.pattern}"
        )
    made = compiler(view)
    if made is None:
        return _rejection(
            workspace, "evidence_too_thin", f"no relation of the graph carries {workspace.seed.pattern}"
        )
    try:
        outcome = evaluate(made.plan, graph, made.series)
    except ZeroDivisionError:
        return _rejection(workspace, "undefined_value", "a ratio or rate would divide by zero")
    if len(outcome.keys) < 2:
        return _rejection(workspace, "too_few_rows", f"only {len(outcome.keys)} rows remain")
    must = view.pick(
        "must", "It must state", "It has to state", "In it I want to find", "Please see that it gives"
    )
    made = replace(made, must=must)
    drafted = tuple(_deliverable(number, made, made.plan) for number in range(len(made.plan.outputs)))
    made, outcome = _settle(made, outcome, write_statement(view, made, drafted))
    deliverables = tuple(_deliverable(number, made, made.plan) for number in range(len(made.plan.outputs)))
    statement = write_statement(view, made, deliverables)
    try:
        spec = TaskSpec(
            id=f"task-{workspace.id}",
            workspace=workspace.id,
            graph=graph.id,
            occupation=workspace.seed.occupation,
            sector=workspace.seed.sector,
            topic=workspace.topic,
            pattern=workspace.seed.pattern,
            statement=statement,
            deliverables=deliverables,
            criteria=criteria(view, made, outcome, statement),
            penalties=penalties(view, made, outcome),
            files=tuple(sorted(file.name for file in workspace.files)),
            solution=made.plan,
        )
    except ValidationError as error:
        return _rejection(workspace, "invalid_spec", explain(error))
    if faults := validate(spec, workspace, graph):
        reason = "leak" if any(fault.startswith("leak") for fault in faults) else "broken_reference"
        return _rejection(workspace, reason, "; ".join(faults[:3]))
    return spec


def _rejection(workspace: Workspace, reason: str, detail: str) -> Rejection:
    return Rejection(id=workspace.id, stage="tasks", reason=reason, detail=detail)


def _settle(made: Composition, outcome: Outcome, statement: str) -> tuple[Composition, Outcome]:
    """Leave out what can't be asked: facts shared by several rows, row names too short to look for, and row names
    that the request itself says (a year in a title).

    The sentence that states such a fact goes, and with it every fact that only it states.
    """
    told = f" {normalize(statement)} "
    open_facts = {
        name
        for name, value in outcome.facts.items()
        if value is None
        or (isinstance(value, str) and (len(normalize(value)) < 3 or f" {normalize(value)} " in told))
    }
    outputs, mentioned = [], set()
    for output in made.plan.outputs:
        sections = []
        for section in output.sections:
            kept = tuple(text for text in section.paragraphs if not open_facts & set(_braced(text)))
            mentioned |= {name for text in kept for name in _braced(text)}
            if kept or section.table:
                sections.append(section.model_copy(update={"paragraphs": kept}))
        outputs.append(output.model_copy(update={"sections": tuple(sections)}))
    stated = tuple(item for item in made.stated if item.fact in mentioned)
    plan = made.plan.model_copy(
        update={
            "outputs": tuple(outputs),
            "facts": tuple(fact for fact in made.plan.facts if fact.name in mentioned),
        }
    )
    settled = replace(made, plan=plan, stated=stated)
    facts = {name: value for name, value in outcome.facts.items() if name in mentioned}
    return settled, Outcome(outcome.keys, outcome.columns, facts)


def _braced(text: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", text)


def _deliverable(number: int, made: Composition, plan: Plan) -> Deliverable:
    output = plan.outputs[number]
    asked = [
        item.requirement.removeprefix("states ").removeprefix("names ")
        for item in made.stated
        if item.file == output.file
    ]
    form = made.forms[output.file]
    if asked:
        form += f" {made.must} {joined(asked)}."
    return Deliverable(
        id=f"D{number + 1}",
        file=output.file,
        family=output.family,
        requirement=form,
        sheets=sheets_of(output),
    )
