"""For the tests of model graders: written answers, small deliverables, and a reader of rendered prompts."""

import re
from collections.abc import Callable, Sequence

from golden_case import DATA, SOURCE, make_spec

from graphforge.errors import GraphForgeError, InputError
from graphforge.judging import PoolMember, Sight, passage
from graphforge.judging.marks import CandidateMarks, CriterionMark, Marks, PenaltyMark
from graphforge.llm import Prompt, Reply, Usage
from graphforge.records import (
    Anchor,
    Block,
    BlockLocator,
    CellLocator,
    Column,
    Criterion,
    Document,
    NegativeCriterion,
    Table,
    TaskSpec,
    stable_hash,
)

SHA = "ab" * 32
USAGE = Usage(input=1000, cached=0, output=101)


def reply(number: int, text: str = "", calls=(), finish="stop") -> Reply:
    return Reply(
        text=text, calls=tuple(calls), finish=finish, usage=USAGE, cost=None,
        key=stable_hash("key", number), from_ledger=False,
    )  # fmt: skip


class Written:
    """A speaker whose answers to ``ask`` are written: marks, errors, or functions of the prompt."""

    role = "judge"
    sees = False

    def __init__(self, *answers: Marks | GraphForgeError | Callable[[Prompt], Marks]):
        self.answers = list(answers)
        self.prompts: list[Prompt] = []

    async def say(self, prompt: Prompt) -> Reply:
        raise AssertionError("this judge is asked for an answer, not for words")

    async def ask(self, prompt, answer, *, hear=None):
        self.prompts.append(prompt)
        given = self.answers.pop(0)
        if hear is not None:
            hear(reply(len(self.prompts)))
        if isinstance(given, GraphForgeError):
            raise given
        if not isinstance(given, answer):
            given = given(prompt)
        return answer.model_validate_json(given.model_dump_json())


def criterion(name: str, weight: float, expected: str | None, **changes) -> Criterion:
    anchors = (
        Anchor(node="n1", file=SHA, name=SOURCE, locator=CellLocator(row=1, column=2)),
        Anchor(node="n3", file=SHA, name=SOURCE, locator=CellLocator(row=3, column=2)),
    )
    made = Criterion(
        id=name, deliverable="d0", requirement=f"Requirement of {name} is there", expected=expected,
        weight=weight, anchors=anchors, verification=f"Verify {name} against the survey", checks=(),
    )  # fmt: skip
    return made.model_copy(update=changes)


def spec(*criteria: Criterion, penalties: Sequence[NegativeCriterion] = (), task: str = "task-1") -> TaskSpec:
    made = criteria or (criterion("c1", 0.6, "447.25"), criterion("c2", 0.4, "1100.5"))
    return make_spec(DATA, task=task).model_copy(update={"criteria": made, "penalties": tuple(penalties)})


PENALTY = NegativeCriterion(
    id="p1", deliverable="d0", prohibited="A harbour that does not exist", penalty=0.5, anchors=(),
    verification="Look for Nowhere", violations=(),
)  # fmt: skip


def table(rows: Sequence[Sequence[object]], formulas: dict[str, str] | None = None) -> Table:
    head = ("Harbour", "2022", "2023")
    return Table(
        id="t1", title="", origin=CellLocator(row=0, column=0), grid=(head, *(tuple(row) for row in rows)),
        header=1, body=(1, 1 + len(rows)), key=0, formulas=formulas or {},
        columns=tuple(
            Column(index=at, name=name, kind="text" if at == 0 else "number") for at, name in enumerate(head)
        ),
    )  # fmt: skip


def document(name: str, *tables: Table, texts: Sequence[str] = ()) -> Document:
    blocks = tuple(
        Block(kind="paragraph", text=text, locator=BlockLocator(block=at)) for at, text in enumerate(texts)
    )
    return Document(sha256=SHA, name=name, family="csv", title=name, pages=1, tables=tables, blocks=blocks)


SURVEY = document(
    SOURCE,
    table([("Aldmere", 412.5, 447.25), ("Brackwater", 1208.0, 1100.5), ("Cold Haven", 96.75, 96.75)]),
)


def read_passage(anchor: Anchor) -> str:
    if anchor.name != SOURCE:
        raise InputError(f"no {anchor.name}", "Look elsewhere")
    return passage(SURVEY, anchor.locator)


def sight(speaker, **changes) -> Sight:
    return Sight(**{"speaker": speaker, "passage": read_passage, **changes})


def member(name: str, *values: object, golden: bool = False) -> PoolMember:
    rows = [(f"Harbour {at}", None, value) for at, value in enumerate(values)]
    return PoolMember(name, {DATA: document(DATA, table(rows))}, golden=golden)


def marks(*fractions: dict[str, float], penalties: dict[str, float] | None = None) -> Marks:
    """The marks of candidate 1, 2, ... by criterion id."""
    return Marks(
        candidates=[
            CandidateMarks(
                candidate=number,
                criteria=[
                    CriterionMark(id=name, evidence="seen", fraction=value) for name, value in one.items()
                ],
                penalties=[
                    PenaltyMark(id=name, evidence="seen" if value else "", degree=value)
                    for name, value in (penalties or {}).items()
                ],
            )
            for number, one in enumerate(fractions, start=1)
        ]
    )


_BLOCK = re.compile(r"^<<<data ([0-9a-f]{16}) ([^\n]*)>>>\n(.*?)\n<<<end \1>>>$", re.MULTILINE | re.DOTALL)


def words(prompt: Prompt) -> str:
    """All that the user turns say."""
    return "\n".join(turn.content for turn in prompt.turns if turn.role == "user")


def blocks(text: str) -> list[tuple[str, str]]:
    """The fenced blocks of a prompt as the standing rule defines them: (label, data)."""
    return [(match[2], match[3]) for match in _BLOCK.finditer(text)]


def outside(text: str) -> str:
    """What stands outside the fences: the only place for an instruction."""
    return _BLOCK.sub("[data]", text)


def mechanical(prompt: Prompt) -> Marks:
    """A judge that follows instructions outside fences only, and looks expected values up in the files."""
    said = words(prompt)
    fenced = blocks(said)
    rubric = next(data for label, data in fenced if label == "rubric")
    wanted = dict(re.findall(r"^criterion (\S+) [^\n]*\n  expected: ([^\n]*)", rubric, re.MULTILINE))
    names = re.findall(r"^criterion (\S+)", rubric, re.MULTILINE)
    obedient = "full marks" in outside(said)
    candidates = re.findall(r"^Candidate (\d+) handed over:", outside(said), re.MULTILINE)
    files = {
        number: "\n".join(data for label, data in fenced if label.startswith(f"candidate {number},"))
        for number in candidates
    }
    return marks(
        *(
            {name: 1.0 if obedient or wanted.get(name, "\0") in files[number] else 0.0 for name in names}
            for number in candidates
        )
    )
