"""A search agent lays real files around a seed, in turns (paper section 3.2).

    workspaces, rejections = await search_workspaces(library, seeds, speaker, turns=12, at_once=8)

A turn is one step: search the library, look into a file, or finish; which files it keeps or drops, and why, goes along
with the step that comes next. The agent stops when what it kept makes a coherent case that can be worked on, or when
its turns are used up. At the end it gives every file it takes its hidden role with a reason, and says when there is no
case to be had. Files are named by labels that the agent was shown; what it looked into is what it may keep.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..llm.failures import AnswerError, ProviderError
from ..llm.fence import fence, instructions
from ..llm.prompt import Prompt, Turn
from ..llm.speaker import Speaker
from ..llm.together import together
from ..llm.unanswered import unanswered
from ..records import Document, Rejection, Role, Seed, Table, Workspace, stable_hash
from .assemble import LARGEST, SMALLEST, STAGE, workspace_files
from .library import Library
from .roles import Cast

RESULTS = 8
SNIPPET, PARAGRAPH, CELL = 220, 400, 40
PARAGRAPHS, TABLES, ROWS, COLUMNS = 12, 4, 6, 10
_ORDER: tuple[Role, ...] = ("core", "supporting", "confuser", "ambient")


class Member(BaseModel):
    """A file of the finished set, its hidden role and why it has it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    role: Role
    why: str = Field(min_length=1)


class Step(BaseModel):
    """One turn: ``keep`` and ``drop``, then the action with its ``query``, ``file`` or ``members``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    thought: str
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    action: Literal["search", "inspect", "finish"]
    query: str = ""
    file: str = ""
    members: tuple[Member, ...] = ()


async def search_workspaces(
    library: Library, seeds: Sequence[Seed], speaker: Speaker, *, turns: int, at_once: int
) -> tuple[list[Workspace], list[Rejection]]:
    """A workspace or a rejection for every seed, in order.

    Reasons: "no_coherent_case" (the agent finished without files), "turns_used_up", "invalid_set" (what it finished
    with makes no workspace, even after the reasons went back), "case_taken" (an earlier seed of the same pattern has
    the same core files), and those of a question without an answer.
    """

    async def work(seed: Seed) -> Workspace | Rejection:
        return await _Search(library, seed, speaker, turns).run()

    workspaces: list[Workspace] = []
    rejections: list[Rejection] = []
    served: dict[tuple[str, ...], str] = {}
    for made in await together(seeds, work, at_once):
        if isinstance(made, Rejection):
            rejections.append(made)
            continue
        case = (made.seed.pattern, *sorted(file.sha256 for file in made.with_role("core")))
        if case in served:
            detail = f"{served[case]} has the same core files and the same pattern"
            rejections.append(_reject(made.seed, "case_taken", detail))
            continue
        served[case] = made.id
        workspaces.append(made)
    return workspaces, rejections


class _Search:
    """One agent's way through the library."""

    def __init__(self, library: Library, seed: Seed, speaker: Speaker, turns: int):
        self.library = library
        self.seed = seed
        self.speaker = speaker
        self.turns = turns
        self.labels: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.inspected: set[str] = set()
        self.kept: dict[str, None] = {}
        self.sent_back = False

    async def run(self) -> Workspace | Rejection:
        """Turns until the agent finishes or has none left."""
        talk = [
            Turn(role="system", content=self._instructions()),
            Turn(role="user", content=f"{self._work()}\n\nBegin with a search. {self._left(0)}"),
        ]
        for turn in range(self.turns):
            try:
                step = await self.speaker.ask(Prompt(stage=STAGE, purpose="search", turns=tuple(talk)), Step)
            except (AnswerError, ProviderError) as error:
                return unanswered(error, self.seed.id, STAGE)
            said = [self._keep(name) for name in step.keep] + [self._drop(name) for name in step.drop]
            if step.action == "finish":
                if not step.members:
                    return _reject(self.seed, "no_coherent_case", step.thought)
                faults = self._faults(step)
                if not faults:
                    return self._workspace(step)
                if self.sent_back:
                    return _reject(self.seed, "invalid_set", "; ".join(faults[:3]))
                self.sent_back = True
                said.append("That set can't be used:\n" + "\n".join(f"- {fault}" for fault in faults))
            else:
                said.append(self._found(step.query) if step.action == "search" else self._inspect(step.file))
            talk.append(Turn(role="assistant", content=step.model_dump_json()))
            talk.append(Turn(role="user", content="\n\n".join([*said, self._left(turn + 1)])))
        return _reject(self.seed, "turns_used_up", f"no set was finished in {self.turns} turns")

    def _instructions(self) -> str:
        sizes = {"smallest": str(SMALLEST), "largest": str(LARGEST)}
        return instructions(__package__ or "", "llm_search", **sizes)

    def _work(self) -> str:
        seed = self.seed
        return fence(
            "the work",
            f"Occupation: {seed.occupation}\nWork activity: {seed.dwa}\nWork demand: {seed.demand}\n"
            f"Execution pattern: {seed.pattern}\nExpected input family: {seed.input_family}",
        )

    def _left(self, used: int) -> str:
        kept = ", ".join(self.kept) or "nothing"
        left = self.turns - used
        last = " This is your last turn: finish." if left == 1 else ""
        return f"Kept so far: {kept}. Turns left: {left}.{last}"

    def _inspect(self, name: str) -> str:
        if name not in self.files:
            return _unknown(name)
        self.inspected.add(name)
        return fence(f"the first part of {name}", first_part(self.library.documents[self.files[name]]))

    def _keep(self, name: str) -> str:
        if name not in self.files:
            return _unknown(name)
        if name not in self.inspected:
            return f"Look into {name} before you keep it."
        if len(self.kept) >= LARGEST and name not in self.kept:
            return f"{name} is not kept: you keep {LARGEST} files already. Drop one first."
        self.kept[name] = None
        return f"{name} is kept."

    def _drop(self, name: str) -> str:
        if name not in self.files:
            return _unknown(name)
        self.kept.pop(name, None)
        return f"{name} is not kept."

    def _found(self, query: str) -> str:
        results = self.library.search(query, RESULTS)
        if not results:
            return "Nothing was found. Try other words."
        return fence("search results", "\n".join(self._result(sha256) for sha256, _ in results))

    def _result(self, sha256: str) -> str:
        if sha256 not in self.labels:
            self.labels[sha256] = f"L{len(self.labels) + 1}"
            self.files[self.labels[sha256]] = sha256
        file, document = self.library.files[sha256], self.library.documents[sha256]
        period = f", {file.source.period}" if file.source.period else ""
        return (
            f"{self.labels[sha256]} {_cut(file.source.title, 120)} ({file.name}, {document.family}, "
            f"{_cut(file.source.publisher, 80)}{period}): {_snippet(document)}"
        )

    def _faults(self, step: Step) -> list[str]:
        """Why a finished set makes no workspace."""
        names = [member.file for member in step.members]
        faults = [f"there is no file {name!r}" for name in names if name not in self.files]
        faults += [f"{name} was not kept" for name in names if name in self.files and name not in self.kept]
        faults += [f"{name} is named {count} times" for name, count in Counter(names).items() if count > 1]
        if not SMALLEST <= len(names) <= LARGEST:
            faults.append(f"it has {len(names)} files, not {SMALLEST} to {LARGEST}")
        if not any(member.role == "core" for member in step.members):
            faults.append("no file is core")
        return faults

    def _workspace(self, step: Step) -> Workspace:
        members = sorted(step.members, key=lambda member: _ORDER.index(member.role))
        cast = [Cast(self.files[member.file], member.role, member.why) for member in members]
        core = sorted(member.sha256 for member in cast if member.role == "core")
        topics = Counter(self.library.files[sha256].source.topic for sha256 in core)
        return Workspace(
            id=f"ws-{stable_hash(self.seed.id, *core)[:16]}",
            seed=self.seed,
            topic=min(topics, key=lambda topic: (-topics[topic], topic)),
            files=workspace_files(self.library, cast),
        )


def _unknown(name: str) -> str:
    return f"There is no file {name!r} among the results: use a label that you were shown."


def first_part(document: Document) -> str:
    """The beginning of a file: its first paragraphs, and the first rows of its first tables."""
    lines = [f"{document.family}, {document.pages} pages, {len(document.tables)} tables"]
    lines += [_cut(block.text, PARAGRAPH) for block in document.blocks[:PARAGRAPHS]]
    for table in document.tables[:TABLES]:
        rows = table.body[1] - table.body[0]
        lines.append(f"Table “{_cut(table.title, 120)}”, {rows} rows: {_heads(table)}")
        for row in range(table.body[0], min(table.body[1], table.body[0] + ROWS)):
            lines.append("  " + " | ".join(_cut(str(value), CELL) for value in table.grid[row][:COLUMNS]))
    return "\n".join(line for line in lines if line)


def _snippet(document: Document) -> str:
    parts = [f"table “{_cut(table.title, 60)}” with {_heads(table)}" for table in document.tables[:2]]
    parts += [block.text for block in document.blocks[:3]]
    return _cut("; ".join(parts), SNIPPET)


def _heads(table: Table) -> str:
    return ", ".join(_cut(column.name, CELL) for column in table.columns[:COLUMNS])


def _cut(text: str, longest: int) -> str:
    """One line, so that nothing in a file can look like a line of its own."""
    folded = " ".join(text.split())
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"


def _reject(seed: Seed, reason: str, detail: str) -> Rejection:
    return Rejection(id=seed.id, stage=STAGE, reason=reason, detail=detail)
