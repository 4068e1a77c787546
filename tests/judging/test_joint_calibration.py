"""Calibrating graders that see a pool at once: the same pools and figures as one by one, and what a verdict costs."""

import asyncio

import pytest
from golden_case import DATA, make_case, readable
from written_judge import USAGE, Written, marks, sight

from graphforge.judging import (
    AnchoredJudge,
    ChecksGrader,
    LlmGrader,
    RandomJudge,
    UnanchoredJudge,
    calibrate,
    calibrate_jointly,
)
from graphforge.llm import AnswerError

JUDGES = [AnchoredJudge(), UnanchoredJudge(), RandomJudge(seed=0)]
CHECKS = ChecksGrader(violations="binary")
GRADER = LlmGrader(
    violations="binary", evidence="passages", file_characters=4000, evidence_characters=4000, sample=0
)


def cases_in(folder, count=3):
    cases = []
    for number in range(count):
        home = folder / str(number)
        home.mkdir(parents=True)
        cases.append(make_case(home, DATA, task=f"task-{number}"))
    return cases


def jointly(cases, grader, folder, at_once=2):
    return asyncio.run(calibrate_jointly(cases, JUDGES, [grader], readable, folder, at_once))


def size_of(prompt):
    return sum(turn.content.count(" handed over:") for turn in prompt.turns)


def all_alike(prompt):
    ids = [f"c{number}" for number in range(6)]
    return marks(*[dict.fromkeys(ids, 1.0)] * size_of(prompt), penalties={"p0-0": 0.0, "p0-1": 0.0})


def test_executed_checks_give_the_same_calibration_jointly_as_one_by_one(tmp_path):
    cases = cases_in(tmp_path / "cases")
    alone = calibrate(cases, JUDGES, CHECKS, readable, tmp_path / "alone")
    together = jointly(cases, CHECKS, tmp_path / "together")
    assert together.rows == alone.rows
    assert {row.tokens_a_verdict for row in together.rows} == {None}
    for one, two in zip(alone.pools, together.pools, strict=True):
        assert one.mutants == two.mutants
        for mine, yours in zip(one.judged, two.judged, strict=True):
            assert mine.model_copy(update={"delivered": None}) == yours


def test_tokens_a_verdict_are_told_by_variant(tmp_path):
    speaker = Written(*[all_alike] * 6)
    made = jointly(
        cases_in(tmp_path / "cases"), GRADER.open(sight(speaker, passage=lambda anchor: "x")), tmp_path
    )
    anchored, unanchored, random = made.rows
    spent = USAGE.input + USAGE.output
    sizes = [len(line.mutants) + 1 for line in made.pools]
    assert len(speaker.prompts) == 6
    assert anchored.tokens_a_verdict == unanchored.tokens_a_verdict == pytest.approx(3 * spent / sum(sizes))
    assert random.tokens_a_verdict is None
    assert [one.tokens for line in made.pools for one in line.judged] == [spent, spent, None] * 3


def test_a_pool_without_an_answer_is_unjudged_and_the_others_stand(tmp_path):
    error = AnswerError("truncated", "cut off", "Raise the limit")
    speaker = Written(error, *[all_alike] * 5)
    made = jointly(
        cases_in(tmp_path / "cases"), GRADER.open(sight(speaker, passage=lambda anchor: "x")), tmp_path, 1
    )
    assert [(row.pools, row.picks, row.unjudged) for row in made.rows] == [(3, 2, 1), (3, 3, 0), (3, 3, 0)]
    first = made.pools[0].judged[0]
    assert first.chosen is None and set(first.scores.values()) == {None}
    assert set(first.lost.values()) == {()}


def test_a_mutant_that_was_not_judged_is_neither_caught_nor_missed(tmp_path):
    def partly(prompt):
        # The last candidate's marks are forgotten.
        given = all_alike(prompt)
        return given.model_copy(update={"candidates": given.candidates[:-1]})

    speaker = Written(*[partly] * 4)
    opened = GRADER.open(sight(speaker, passage=lambda anchor: "x"))
    made = jointly(cases_in(tmp_path / "cases", 1), opened, tmp_path, 1)
    (anchored, first) = made.rows[0], made.pools[0].judged[0]
    (unjudged,) = [name for name, score in first.scores.items() if score is None]
    assert unjudged != "golden"
    kind = next(one.kind for one in made.pools[0].mutants if one.name == unjudged)
    others = [one for one in made.pools[0].mutants if one.name != unjudged]
    counted = anchored.by_kind[kind]
    alike = sum(one.kind == kind for one in others)
    assert (counted.mutants, counted.caught, counted.share) == (alike + 1, 0, 0.0 if alike else None)
    assert (anchored.mutants, anchored.unjudged, anchored.caught_share) == (len(others) + 1, 1, 0.0)
