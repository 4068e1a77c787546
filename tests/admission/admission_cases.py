"""Hand-made trajectories, tasks and deliverables."""

from collections.abc import Iterable

from graphforge.records import (
    Artifact,
    Block,
    BlockLocator,
    CellLocator,
    Column,
    Criterion,
    CriterionVerdict,
    Deliverable,
    Document,
    Family,
    FormulaColumn,
    Message,
    Output,
    Plan,
    ReadableFile,
    ReadColumn,
    Status,
    Table,
    TaskSpec,
    ToolCall,
    Trajectory,
    Verdict,
)
from graphforge.records.plan import Citation

SHA = "0" * 64


def talk(
    steps: Iterable[tuple[str, str, int | None] | tuple[str, str, int | None, bool] | str],
    status: Status = "completed",
    artifacts: tuple[str, ...] = ("book.xlsx", "flat.csv"),
) -> Trajectory:
    """A trajectory from (command, answer, exit code[, truncated]) steps; a bare command got no answer."""
    messages = [Message(role="user", content="do")]
    for number, step in enumerate(steps):
        command, *answer = [step] if isinstance(step, str) else step
        call = ToolCall(id=f"c{number}", name="bash", arguments={"command": str(command)})
        messages.append(Message(role="assistant", calls=(call,)))
        if answer:
            content, code, *cut = answer
            messages.append(
                Message(
                    role="tool",
                    content=str(content),
                    call=call.id,
                    exit_code=None if code is None else int(code),
                    truncated=bool(cut and cut[0]),
                )
            )
    return Trajectory(
        task="task-1",
        agent="a",
        informed=False,
        statement_hash=SHA,
        status=status,
        messages=tuple(messages),
        artifacts=tuple(Artifact(name=name, sha256=SHA, bytes=1) for name in artifacts),
    )


def spec() -> TaskSpec:
    """A task with a workbook (sheets Data and Sources, formulas in Data) and a CSV file."""
    read = ReadColumn(
        alias="a", file="in.csv", family="csv", place=CellLocator(row=1, column=1), key_column=0, key_name="k",
        value_name="v", rows=(1,), label="A",
    )  # fmt: skip
    return TaskSpec(
        id="task-1", workspace="w", graph="g", occupation="Clerks", sector="43", topic="t", pattern="reconciliation",
        statement="Do it.",
        deliverables=(
            Deliverable(id="d1", file="book.xlsx", family="xlsx", requirement="r", sheets=("Data", "Sources")),
            Deliverable(id="d2", file="flat.csv", family="csv", requirement="r"),
        ),
        criteria=(
            Criterion(
                id="c1", deliverable="d1", requirement="formulas", expected=None, weight=0.5, anchors=(), verification="v",  # noqa: E501
                checks=(FormulaColumn(file="book.xlsx", sheet="Data", column="A"),),
            ),
            Criterion(
                id="c2", deliverable="d2", requirement="opens", expected=None, weight=0.5, anchors=(), verification="v",
                checks=(ReadableFile(file="flat.csv"),),
            ),
        ),
        files=("in.csv",),
        solution=Plan(
            key_label="K", reads=(read,), outputs=(Output(file="book.xlsx", family="xlsx", title="t", sheet="Data"),),
            citations=(Citation(file="in.csv", used_for="u"),),
        ),
    )  # fmt: skip


def document(
    name: str, family: Family, sheets: tuple[str, ...] = ("Data", "Sources"), formulas: bool = True
) -> Document:
    """A parsed deliverable with one table a sheet."""
    tables = tuple(
        Table(
            id=f"t{number}",
            title=sheet,
            origin=CellLocator(sheet=sheet if family == "xlsx" else "", row=0, column=0),
            grid=(("K", "A"), ("x", 1.0)),
            header=1,
            body=(1, 2),
            columns=(Column(index=0, name="K", kind="text"), Column(index=1, name="A", kind="number")),
            key=0,
            formulas={"1,1": "=1"} if formulas and sheet == "Data" else {},
        )
        for number, sheet in enumerate(sheets)
    )
    return Document(sha256=SHA, name=name, family=family, title="", pages=1, tables=tables)


def deliverables() -> dict[str, Document | None]:
    """Deliverables without a fault."""
    return {"book.xlsx": document("book.xlsx", "xlsx"), "flat.csv": document("flat.csv", "csv", ("",))}


def empty(name: str, family: Family) -> Document:
    """A document that opens and holds nothing but white space."""
    block = Block(kind="paragraph", text="  ", locator=BlockLocator(block=0))
    return Document(sha256=SHA, name=name, family=family, title="", pages=1, blocks=(block,))


def verdict(score: float | None, task: str = "task-1") -> Verdict:
    """A verdict with a score, or with an unjudged criterion."""
    if score is None:
        criteria = (CriterionVerdict(criterion="c1", outcome="unjudged"),)
    else:
        criteria = (CriterionVerdict(criterion="c1", outcome="not_met", fraction=max(0.0, min(1.0, score))),)
    return Verdict(task=task, candidate="x", judge="anchored", criteria=criteria, score=score)
