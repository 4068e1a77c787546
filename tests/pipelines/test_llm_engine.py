"""``engine=llm`` through the stages, from occupations to tasks, with a server that answers as it was told beforehand.

The author's answers are made from what it is shown, by rules written here: they try the wiring, not a model.
"""

import json
import re
from pathlib import Path

import pytest
from checkout import Checkout
from scripted import Say, ScriptedServer

TURNS = 12


def author(body: dict, number: int) -> Say:
    """The answer to one request, by what its schema asks for."""
    asked = set(body["response_format"]["json_schema"]["schema"]["properties"])
    users = [turn["content"] for turn in body["messages"] if turn["role"] == "user"]
    if "demands" in asked:
        task = re.search(r"^\[1\] \([^)]*\) (.+)$", users[0], re.M)
        return said(
            demands=[
                {"demand": task.group(1), "passages": [1]},
                {"demand": "Fly to the moon.", "passages": [1]},
            ]
        )
    if "labels" in asked:
        families = {"input_family": "delimited", "output_family": "spreadsheet"}
        return said(
            labels=[{"demand": 1, "why": "it is compared", "pattern": "comparative_evaluation", **families}]
        )
    if "action" in asked:
        return said(**step(users))
    if "carries" in asked:
        offered = re.findall(r"^(K\d+) (?:conflict|shared_key|growth|share):", users[0], re.M)
        chosen = [{"candidate": name, "why": "the work compares them"} for name in offered[:1]]
        return said(reason="they can be compared", carries=bool(chosen), relations=chosen, nodes=[], edges=[])
    assert "feasible" in asked
    return said(**assignment(users[0]))


def said(**answer: object) -> Say:
    return Say(json.dumps(answer))


def step(users: list[str]) -> dict:
    """Search, look into the first four results and keep them, then finish with the first as core."""
    blank = {"thought": "as planned", "keep": [], "drop": [], "query": "", "file": "", "members": []}
    done = len(users) - 1
    if done == 0:
        return {**blank, "action": "search", "query": "state oil gas production rates region capacity"}
    kept = [f"L{done - 1}"] if done > 1 else []
    if done <= 4:
        return {**blank, "keep": kept, "action": "inspect", "file": f"L{done}"}
    roles = ("core", "core", "supporting", "ambient")
    members = [{"file": f"L{at}", "role": role, "why": "it fits"} for at, role in enumerate(roles, 1)]
    return {**blank, "keep": kept, "action": "finish", "members": members}


def assignment(shown: str) -> dict:
    """Rank the rows of the first series."""
    first = re.search(r"^s1 .*; (\d+) rows", shown, re.M)
    assert first is not None
    column = {"sheet": "", "key": "Item", "where": None}
    return {
        "reason": "the rows can be compared",
        "feasible": True,
        "statement": "Please put the figures side by side for the meeting and hand over shares.csv. Share means 100 "
        "times a row over the sum of all rows.",
        "deliverables": [
            {
                "file": "shares.csv",
                "family": "csv",
                "requirement": "The columns “Item” and “Share”, a row for each item.",
                "sheets": [],
            }
        ],
        "criteria": [
            {
                "file": "shares.csv",
                "requirement": "The shares are right",
                "weight": 5,
                "anchors": [],
                "expected": None,
                "computation": None,
                "value": None,
                "verification": "Compute the shares from the table again.",
                "checks": [
                    {
                        "kind": "column_values",
                        **column,
                        "column": "Share",
                        "expression": "100 * s1 / sum(s1)",
                        "words": None,
                        "decimals": 2,
                    },
                    {"kind": "row_set", **column, "series": ["s1"]},
                ],
            }
        ],
        "penalties": [],
    }


def lines(folder: Path, name: str) -> list[dict]:
    return [json.loads(line) for line in (folder / "data" / name).read_text().splitlines()]


@pytest.mark.slow
def test_a_model_makes_tasks_from_occupations_and_is_never_paid_twice(tmp_path: Path) -> None:
    checkout = Checkout.make(tmp_path)
    with ScriptedServer(author) as server:
        model = [
            "engine=llm",
            f"engine.turns={TURNS}",
            "seeds.count=2",
            "llm@models.builder=server",
            "models.builder.name=openai/scripted",
            f"models.builder.api_base={server.base}",
        ]
        stages = ("seeds", "workspaces", "rebalance", "graphs", "tasks")
        for name in stages:
            checkout.stage(name, *model, f"hydra.run.dir=data/{name}")
        asked = len(server.bodies)
        first = {name: (tmp_path / "data" / name / "counts.json").read_bytes() for name in stages}
        made = (tmp_path / "data/tasks/tasks.jsonl").read_bytes()
        for name in stages:
            checkout.stage(name, *model, "llm.mode=replay", f"hydra.run.dir=data/{name}")
        assert len(server.bodies) == asked
    assert (tmp_path / "data/tasks/tasks.jsonl").read_bytes() == made
    assert {name: (tmp_path / "data" / name / "counts.json").read_bytes() for name in stages} == first
    rejected = {line["reason"] for line in lines(tmp_path, "seeds/rejected.jsonl")}
    assert {"not_asked", "unsupported"} <= rejected
    (spec,) = lines(tmp_path, "tasks/tasks.jsonl")
    assert spec["solution"] is None
    shares = spec["criteria"][0]["checks"][0]["values"]
    assert sum(shares.values()) == pytest.approx(100)
    assert spec["criteria"][0]["anchors"]
    assert [line["reason"] for line in lines(tmp_path, "workspaces/rejected.jsonl")] == ["case_taken"]
