"""What can be executed is executed; a model is asked for the rest, and only then."""

import asyncio

import pytest
from golden_case import DATA
from written_judge import PENALTY, Written, criterion, marks, member, sight, spec, words

from graphforge.judging import AgentGrader, ChecksGrader, HybridGrader, LlmGrader
from graphforge.llm import AnswerError
from graphforge.records import InventedRows, ReadableFile, SheetPresent

MODEL = LlmGrader(
    violations="binary", evidence="passages", file_characters=4000, evidence_characters=4000, sample=0
)
GRADER = HybridGrader(checks=ChecksGrader(violations="binary"), model=MODEL)
EXECUTED = criterion("c1", 0.6, None, checks=(ReadableFile(file=DATA),))
OPEN = criterion("c2", 0.4, None)
BLANK = criterion("c2", 0.4, None, checks=(ReadableFile(file=DATA), SheetPresent(file=DATA, sheet="")))
INVENTED = PENALTY.model_copy(
    update={"violations": (InventedRows(file=DATA, key="Harbour", rows=("Harbour 0",)),)}
)
POOL = [member("a", 1.0), member("b", 2.0)]


def grade(speaker, task, pool=POOL, grader=GRADER):
    return asyncio.run(grader.open(sight(speaker)).grade_pool(task, pool, "anchored"))


def test_no_model_is_asked_where_all_is_executed():
    task = spec(EXECUTED.model_copy(update={"weight": 1.0}), penalties=[INVENTED])
    speaker = Written()
    verdicts = grade(speaker, task)
    assert speaker.prompts == []
    assert verdicts == asyncio.run(ChecksGrader(violations="binary").grade_pool(task, POOL, "anchored"))
    assert {verdict.tokens for verdict in verdicts} == {None}


@pytest.mark.parametrize("rest", [OPEN, BLANK], ids=["no check", "a check that can't be executed"])
def test_only_the_rest_is_asked_for(rest):
    speaker = Written(marks({"c2": 0.5}, {"c2": 0.5}))
    verdicts = grade(speaker, spec(EXECUTED, rest, penalties=[INVENTED]))
    said = words(speaker.prompts[0])
    assert "criterion c2" in said and "criterion c1" not in said and "penalty p1" not in said
    assert [verdict.score for verdict in verdicts] == [pytest.approx(0.8)] * 2
    assert [verdict.candidate for verdict in verdicts] == ["a", "b"]
    assert all(verdict.answers and verdict.tokens for verdict in verdicts)


def test_a_mark_never_replaces_an_executed_check():
    everything = marks({"c1": 0.0, "c2": 1.0}, {"c1": 0.0, "c2": 1.0}, penalties={"p1": 1.0})
    verdicts = grade(Written(everything), spec(EXECUTED, OPEN, penalties=[INVENTED]))
    assert {verdict.score for verdict in verdicts} == {1.0}


def test_a_penalty_without_violations_to_execute_goes_to_the_model():
    speaker = Written(marks({}, {}, penalties={"p1": 1.0}))
    verdicts = grade(speaker, spec(EXECUTED.model_copy(update={"weight": 1.0}), penalties=[PENALTY]))
    assert [verdict.score for verdict in verdicts] == [pytest.approx(0.5)] * 2


def test_without_an_answer_the_executed_part_stands_and_the_rest_is_unjudged():
    error = AnswerError("truncated", "cut off", "Raise the limit")
    for verdict in grade(Written(error), spec(EXECUTED, OPEN)):
        assert [one.outcome for one in verdict.criteria] == ["met", "unjudged"]
        assert verdict.score is None


def test_the_model_may_be_an_agent():
    agent = AgentGrader(
        violations="binary", steps=3, tokens=10**6, part_lines=50, part_characters=5000, sample=0
    )
    assert HybridGrader(checks=ChecksGrader(violations="binary"), model=agent).model == agent
