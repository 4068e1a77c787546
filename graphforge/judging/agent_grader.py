"""The grader that looks into the files itself: a loop of reading tools, told by the anchors where to look.

    grader = AgentGrader(violations="binary", steps=40, tokens=400_000, ...).open(Sight(speaker, passage, sources))

As the paper's agent judge, which consults source files and artifacts (section 3.5), and Agent-R2's agent-as-a-judge.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import GraphForgeError
from ..llm import AnswerError, Call, Prompt, ProviderError, Reply, Tool, Turn
from ..llm.fence import fence, instructions
from ..records import Criterion, Document, NegativeCriterion, TaskSpec, Verdict, explain, normalize
from .gathered import places
from .llm_grader import named, rubric_text, shuffled, task_text, unjudged
from .marks import Marks, Sheet, handed_in
from .member import PoolMember
from .shown import lines
from .sight import Read, Sight

_FOUND = 40
_LONGEST_LINE = 1000


class _ListFiles(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _ReadPart(BaseModel):
    model_config = ConfigDict(extra="forbid")

    file: str
    first: Annotated[int, Field(alias="from", ge=1)]
    last: Annotated[int, Field(alias="to", ge=1)]


class _SearchText(BaseModel):
    model_config = ConfigDict(extra="forbid")

    file: str
    words: str


_Arguments = TypeVar("_Arguments", bound=BaseModel)

_TOOLS = tuple(
    Tool(name=name, description=description, parameters=arguments.model_json_schema(by_alias=True))
    for name, description, arguments in (
        ("list_files", "Every file with its number of lines.", _ListFiles),
        ("read_part", "The lines from ... to ... of a file, counted from 1.", _ReadPart),
        ("search_text", "The lines of a file that hold all the words, with their numbers.", _SearchText),
        ("mark", "Enter marks for candidates; says what is still missing.", Marks),
    )
)


class AgentGrader(BaseModel):
    """How far the judge may go.

    Args:
        violations: "binary" makes every evidenced violation count in full (admission, section 3.5),
            "graded" by its degree.
        steps: answers of the model a pool. tokens: read and written a pool, after which it is stopped.
        part_lines, part_characters: the most that one reading gives.
        sample: tells repeated judgements of the same pool apart.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    uses_model: ClassVar[bool] = True

    violations: Literal["binary", "graded"]
    steps: int = Field(ge=1)
    tokens: int = Field(ge=1)
    part_lines: int = Field(ge=10)
    part_characters: int = Field(ge=1000)
    sample: int = Field(ge=0)

    def repeated(self, number: int) -> "AgentGrader":
        """The grader that judges the same once more: another draw of the model."""
        return self.model_copy(update={"sample": self.sample + number})

    def open(self, sight: Sight) -> "OpenAgentGrader":
        """The grader at work."""
        return OpenAgentGrader(self, sight)


@dataclass(frozen=True)
class OpenAgentGrader:
    """A joint grader: one loop a pool."""

    settings: AgentGrader
    sight: Sight

    async def grade_pool(self, spec: TaskSpec, pool: Sequence[PoolMember], judge: str) -> list[Verdict]:
        """A verdict a member, in the order of the pool, shown as numbers in a shuffled order.

        What is not marked when steps or tokens are used up, or when the model stops with a truncated or refused
        answer or without one, is unjudged; marks entered before stand. BudgetSpent and NotRecorded pass.
        """
        if not pool:
            return []
        order = shuffled(spec, len(pool))
        items: list[Criterion | NegativeCriterion] = [*spec.criteria, *spec.penalties]
        sheet = Sheet(spec, len(pool), self.settings.violations, {})
        replies: list[Reply] = []
        why = "nothing was left to mark"
        if sheet.missing():
            anchored = {item.id: places(item.anchors) for item in items if item.anchors}
            shelf = _Shelf(self.settings, self._files(spec, [pool[index] for index in order]))
            whom = "candidate 1" if len(pool) == 1 else f"candidates 1 to {len(pool)}"
            turns = (
                Turn(
                    role="system",
                    content=instructions(
                        __package__,
                        "agent_grader",
                        lines=str(self.settings.part_lines),
                        steps=str(self.settings.steps),
                    ),
                ),
                Turn(
                    role="user",
                    content="\n\n".join(
                        (
                            "The task as the candidates got it:",
                            fence("task", task_text(spec)),
                            "The rubric:",
                            fence("rubric", rubric_text(spec, sheet.ids(), anchored)),
                            f"Look, and mark {whom} on {', '.join(sheet.ids())}.",
                        )
                    ),
                ),
            )
            try:
                why = await self._loop(turns, shelf, sheet, replies)
            except (AnswerError, ProviderError) as error:
                why = unjudged(error)
        return handed_in(sheet, order, [member.candidate for member in pool], judge, replies, why)

    def _files(self, spec: TaskSpec, shown: Sequence[PoolMember]) -> dict[str, Read]:
        files = {f"source/{name}": read for name, read in self.sight.sources(spec).items()}
        for number, member in enumerate(shown, start=1):
            for deliverable in spec.deliverables:
                document = member.deliverables.get(deliverable.file)
                if document is not None:
                    files[f"candidate-{number}/{deliverable.file}"] = _later(document)
        return files

    async def _loop(
        self, turns: tuple[Turn, ...], shelf: "_Shelf", sheet: Sheet, replies: list[Reply]
    ) -> str:
        """Why the loop ended."""
        limits = self.settings
        for step in range(1, limits.steps + 1):
            prompt = Prompt(
                stage="judge", purpose="look", turns=turns, tools=_TOOLS, sample=self.settings.sample
            )
            reply = await self.sight.speaker.say(prompt)
            replies.append(reply)
            if reply.finish == "length":
                return "the judge's answer was truncated"
            if reply.finish == "content_filter":
                return "the judge's answer was refused"
            answers = [self._answer(call, shelf, sheet) for call in reply.calls]
            if not sheet.missing():
                return ""
            spent = sum(one.usage.input + one.usage.output for one in replies)
            if spent >= limits.tokens:
                return f"the judge used up its {limits.tokens} tokens"
            last = "" if step + 1 < limits.steps else "\n(One step is left: mark what you can now.)"
            turns = (*turns, Turn(role="assistant", content=reply.text, calls=reply.calls))
            if reply.calls:
                turns += tuple(
                    Turn(role="tool", call=call.id, content=answer + last)
                    for call, answer in zip(reply.calls, answers, strict=True)
                )
            else:
                told = f"Marks are entered with the tool `mark`. Missing: {named(sheet.missing())}.{last}"
                turns += (Turn(role="user", content=told),)
        return f"the judge used up its {limits.steps} steps"

    def _answer(self, call: Call, shelf: "_Shelf", sheet: Sheet) -> str:
        """What a tool says; a fault of the call is told, and costs a step."""
        try:
            match call.name:
                case "list_files":
                    return shelf.list_files()
                case "read_part":
                    return shelf.read_part(_parsed(call, _ReadPart))
                case "search_text":
                    return shelf.search_text(_parsed(call, _SearchText))
                case "mark":
                    sheet.enter(_parsed(call, Marks))
                    missing = sheet.missing()
                    return (
                        f"Entered. Missing: {named(missing)}." if missing else "Entered. Nothing is missing."
                    )
            return f"There is no tool {json.dumps(call.name)}. There are: {', '.join(one.name for one in _TOOLS)}."
        except ValidationError as error:
            return f"The arguments of {call.name} are not valid: {explain(error)}."


def _parsed(call: Call, model: type[_Arguments]) -> _Arguments:
    return model.model_validate_json(call.arguments)


def _later(document: Document) -> Read:
    return lambda: lines(document)


@dataclass
class _Shelf:
    """The files as lines, each read when it is first asked for."""

    settings: AgentGrader
    files: Mapping[str, Read]
    _known: dict[str, list[str]] = field(default_factory=dict)

    def list_files(self) -> str:
        return fence("files", "\n".join(f"{name}: {self._length(name)}" for name in self.files))

    def read_part(self, asked: _ReadPart) -> str:
        return self._with(asked.file, lambda text: self._part(asked, text))

    def search_text(self, asked: _SearchText) -> str:
        return self._with(asked.file, lambda text: self._found(asked, text))

    def _part(self, asked: _ReadPart, text: list[str]) -> str:
        last = min(asked.last, asked.first + self.settings.part_lines - 1, len(text))
        room, part, stopped = self.settings.part_characters, [], ""
        for number in range(asked.first, last + 1):
            line = f"{number}: {text[number - 1][:_LONGEST_LINE]}"
            room -= len(line)
            if room < 0:
                stopped = (
                    f" Cut before line {number}: a reading gives {self.settings.part_characters} characters."
                )
                break
            part.append(line)
        if not part and not stopped:
            return f"The file has {len(text)} lines; there are none from {asked.first} to {asked.last}."
        return (
            fence(f"lines of {asked.file}", "\n".join(part)) + f"\nThe file has {len(text)} lines.{stopped}"
        )

    def _found(self, asked: _SearchText, text: list[str]) -> str:
        words = normalize(asked.words).split()
        if not words:
            return "Name at least one word to search for."
        hits = [
            f"{number}: {line[:_LONGEST_LINE]}"
            for number, line in enumerate(text, start=1)
            if all(word in normalize(line) for word in words)
        ]
        if not hits:
            return "No line holds all of these words."
        more = f"\n{len(hits) - _FOUND} more lines hold them." if len(hits) > _FOUND else ""
        return fence(f"lines found in {asked.file}", "\n".join(hits[:_FOUND])) + more

    def _with(self, name: str, use: Callable[[list[str]], str]) -> str:
        if name not in self.files:
            return "There is no such file. list_files names them all."
        try:
            return use(self._text(name))
        except GraphForgeError as error:
            return "The file can't be read:\n" + fence("error", error.what)

    def _text(self, name: str) -> list[str]:
        if name not in self._known:
            self._known[name] = list(self.files[name]())
        return self._known[name]

    def _length(self, name: str) -> str:
        try:
            return f"{len(self._text(name))} lines"
        except GraphForgeError:
            return "can't be read"
