"""The grader that asks a model once about all candidates of a task, with the anchored passages before it.

    grader = LlmGrader(violations="binary", evidence="passages", ...).open(Sight(speaker, passage))
    verdicts = await grader.grade_pool(spec, pool, judge="anchored")

The judge receives anchors and verification instructions, which tell it where to look (paper, section 3.3), and the
candidates of one query are scored jointly (section 4). From ``spec.redacted()`` the same prompt comes without passages,
expected values and verification.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..llm import AnswerError, Prompt, ProviderError, Reply, Turn
from ..llm.fence import fence, instructions
from ..records import Criterion, NegativeCriterion, TaskSpec, Verdict, stable_hash
from .gathered import gather
from .marks import Marks, Place, Sheet, handed_in
from .member import PoolMember
from .pool import arrange
from .shown import cut, show
from .sight import Sight


class LlmGrader(BaseModel):
    """How a model is asked.

    Args:
        violations: "binary" makes every evidenced violation count in full (admission, section 3.5),
            "graded" by its degree.
        evidence: "passages" shows what the anchors point to; "workspace" shows every input file, for comparison.
        file_characters: the most that is shown of one deliverable of one candidate.
        evidence_characters: the most that is shown of one input file.
        sample: tells repeated judgements of the same pool apart (Agent-R2, appendix B.1).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    uses_model: ClassVar[bool] = True

    violations: Literal["binary", "graded"]
    evidence: Literal["passages", "workspace"]
    file_characters: int = Field(ge=1000)
    evidence_characters: int = Field(ge=1000)
    sample: int = Field(ge=0)

    def repeated(self, number: int) -> "LlmGrader":
        """The grader that judges the same once more: another draw of the model."""
        return self.model_copy(update={"sample": self.sample + number})

    def open(self, sight: Sight) -> "OpenLlmGrader":
        """The grader at work."""
        return OpenLlmGrader(self, sight)


@dataclass(frozen=True)
class OpenLlmGrader:
    """A joint grader: one call a pool, and one more where marks are missing."""

    settings: LlmGrader
    sight: Sight

    async def grade_pool(self, spec: TaskSpec, pool: Sequence[PoolMember], judge: str) -> list[Verdict]:
        """A verdict a member, in the order of the pool.

        Members are shown in an order that a hash of the task decides, by number, without their names. What is missing
        from the answer is asked for once more and is unjudged after that. Where there is no usable answer
        (truncated, refused, invalid, none from the provider) all is unjudged. BudgetSpent and NotRecorded pass.
        """
        if not pool:
            return []
        order = shuffled(spec, len(pool))
        evidence = gather([*spec.criteria, *spec.penalties], self.sight.passage)
        sheet = Sheet(spec, len(pool), self.settings.violations, evidence.lost)
        replies: list[Reply] = []
        why = "the judge gave no mark"
        if sheet.missing():
            files = evidence.files
            if self.settings.evidence == "workspace":
                files = {name: list(read()) for name, read in self.sight.sources(spec).items()}
            turns = self._turns(spec, sheet.ids(), [pool[index] for index in order], files, evidence.places)
            try:
                await self._ask(turns, sheet, replies)
            except (AnswerError, ProviderError) as error:
                why = unjudged(error)
        return handed_in(sheet, order, [member.candidate for member in pool], judge, replies, why)

    async def _ask(self, turns: tuple[Turn, ...], sheet: Sheet, replies: list[Reply]) -> None:
        for _ in range(2):
            prompt = Prompt(stage="judge", purpose="grade", turns=turns, sample=self.settings.sample)
            marks = await self.sight.speaker.ask(prompt, Marks, hear=replies.append)
            sheet.enter(marks)
            missing = sheet.missing()
            if not missing:
                return
            turns = (
                *turns,
                Turn(role="assistant", content=marks.model_dump_json()),
                Turn(
                    role="user",
                    content="Marks are missing, given twice with different numbers, or a violation came without "
                    f"evidence: {named(missing)}. Give the marks for exactly these, in the same form.",
                ),
            )

    def _turns(
        self,
        spec: TaskSpec,
        ids: Sequence[str],
        shown: Sequence[PoolMember],
        files: Mapping[str, Sequence[str]],
        places: Mapping[str, str],
    ) -> tuple[Turn, ...]:
        settings = self.settings
        parts = ["The task as the candidates got it:", fence("task", task_text(spec))]
        parts += ["The rubric:", fence("rubric", rubric_text(spec, ids, places))]
        if files:
            parts.append("The evidence, from the files that the candidates were given:")
        for name, text in files.items():
            some = cut(text, settings.evidence_characters)
            parts += [f"(Of the next block, {some.cut}.)"] if some.cut else []
            parts.append(fence(f"input file {name}", some.text))
        for number, member in enumerate(shown, start=1):
            parts.append(f"Candidate {number} handed over:")
            for deliverable in spec.deliverables:
                document = member.deliverables.get(deliverable.file)
                if document is None:
                    parts.append(f"(deliverable {deliverable.id}: missing, or it can't be read)")
                    continue
                some = show(document, settings.file_characters)
                parts += [f"(Of the next block, {some.cut}.)"] if some.cut else []
                label = f"candidate {number}, deliverable {deliverable.id}: {deliverable.file} ({document.family})"
                parts.append(fence(label, some.text))
        whom = "candidate 1" if len(shown) == 1 else f"candidates 1 to {len(shown)}"
        parts.append(f"Mark {whom} on {', '.join(ids)}.")
        return (
            Turn(role="system", content=instructions(__package__, "llm_grader")),
            Turn(role="user", content="\n\n".join(parts)),
        )


def shuffled(spec: TaskSpec, size: int) -> list[int]:
    """The places in the pool in the order of showing.

    Salted: a judge variant has arranged the pool by the task already, and the same shuffle twice can be none.
    """
    return arrange(stable_hash("shown", spec.id), size)


def task_text(spec: TaskSpec) -> str:
    """Statement and deliverables, as the candidates saw them."""
    lines = [f"{one.id}: {one.file} ({one.family}): {_line(one.requirement)}" for one in spec.deliverables]
    return "\n".join([spec.statement.strip(), "", "Deliverables:", *lines])


def rubric_text(spec: TaskSpec, ids: Sequence[str], places: Mapping[str, str]) -> str:
    """The criteria and penalties among ``ids``, with expected value, verification and places where they have any."""
    files = {one.id: one.file for one in spec.deliverables}
    items: list[Criterion | NegativeCriterion] = [*spec.criteria, *spec.penalties]
    lines = []
    for item in items:
        if item.id not in ids:
            continue
        if isinstance(item, Criterion):
            lines.append(f"criterion {item.id} ({files[item.deliverable]}): {_line(item.requirement)}")
            if item.expected is not None:
                lines.append(f"  expected: {_line(item.expected)}")
        else:
            lines.append(
                f"penalty {item.id} ({files[item.deliverable]}): prohibited: {_line(item.prohibited)}"
            )
        if item.verification.strip():
            lines.append(f"  verify: {_line(item.verification)}")
        if item.id in places:
            lines.append(f"  proof stands in: {_line(places[item.id])}")
    return "\n".join(lines)


def named(missing: Sequence[Place]) -> str:
    """``candidate 1: C1, C2; candidate 3: N1``."""
    by_candidate: dict[int, list[str]] = {}
    for number, name in missing:
        by_candidate.setdefault(number, []).append(name)
    return "; ".join(f"candidate {number}: {', '.join(names)}" for number, names in by_candidate.items())


def unjudged(error: AnswerError | ProviderError) -> str:
    """Why there are no marks, in one line."""
    if isinstance(error, AnswerError):
        return f"the judge's answer was {error.kind} ({error.what})"
    return f"the judge gave no answer ({error.what})"


def _line(text: str) -> str:
    return " ".join(text.split())
