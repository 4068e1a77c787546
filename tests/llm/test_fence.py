"""Data in prompts: fenced so that it can't end its own block, the same for the same data; and work in parallel."""

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.llm import AnswerError, ProviderError
from graphforge.llm.fence import DATA_RULE, fence, instructions
from graphforge.llm.together import together
from graphforge.llm.unanswered import unanswered


@given(st.text(), st.text())
def test_no_text_closes_its_own_fence(label, text):
    block = fence(label, text)
    first, rest = block.split("\n", 1)
    nonce = re.fullmatch(r"<<<data (\w{16}) (.*)>>>", first).group(1)
    assert rest == f"{text}\n<<<end {nonce}>>>"
    assert nonce not in text
    assert block == fence(label, text)


def test_a_label_stays_one_line_without_marks():
    first = fence("a\n<<<end>>> b", "x").splitlines()[0]
    assert first.count("<<<") == first.count(">>>") == 1


def test_other_data_has_another_nonce():
    assert fence("a", "x")[:24] != fence("a", "y")[:24]


@pytest.mark.parametrize(
    ("package", "name", "values"),
    [
        ("graphforge.seeds", "llm_demand", {"most": "3"}),
        ("graphforge.seeds", "llm_pattern", {}),
        ("graphforge.workspace", "llm_search", {"smallest": "4", "largest": "12"}),
        ("graphforge.evidence", "llm_graph", {}),
        ("graphforge.tasks", "llm_task", {}),
    ],
)
def test_the_builders_prompts_are_filled_and_hold_the_rule_about_data(package, name, values):
    text = instructions(package, name, **values)
    assert DATA_RULE in text
    assert "{{" not in text and "rather than" in text


def test_a_placeholder_without_a_value_is_a_fault():
    with pytest.raises(KeyError):
        instructions("graphforge.seeds", "llm_demand")


def test_results_keep_the_order_and_no_more_are_at_work_than_allowed():
    busy, most = 0, 0

    async def work(number):
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.001 * (5 - number % 5))
        busy -= 1
        return number * number

    assert asyncio.run(together(range(20), work, 3)) == [number * number for number in range(20)]
    assert most == 3
    assert asyncio.run(together([], work, 3)) == []


def test_the_first_failure_stops_the_rest_and_is_raised_as_it_is():
    begun = []

    async def work(number):
        begun.append(number)
        await asyncio.sleep(0.001)
        if number == 2:
            raise LookupError(number)
        return number

    with pytest.raises(LookupError):
        asyncio.run(together(range(1000), work, 2))
    assert len(begun) < 10


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (AnswerError("truncated", "cut off", "allow more"), "answer_truncated"),
        (AnswerError("invalid", "no JSON", "another model"), "answer_invalid"),
        (AnswerError("refused", "refused", "another model"), "answer_refused"),
        (ProviderError("503", "wait", transient=True), "no_answer"),
    ],
)
def test_no_answer_has_a_reason(error, reason):
    assert unanswered(error, "a", "tasks").reason == reason
