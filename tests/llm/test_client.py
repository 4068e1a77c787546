"""The client against a scripted server: nothing asked twice, nothing lost, nothing beyond the limits."""

import asyncio
import json
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf
from scripted import Say, ScriptedServer
from speaking import limits, model, question, settings

from graphforge.errors import ConfigError, StorageError
from graphforge.llm import (
    AnswerError,
    Budget,
    BudgetSpent,
    Client,
    Heard,
    LlmSettings,
    Model,
    NoModel,
    NotRecorded,
    ProviderError,
    Reply,
    flow,
    unanswered,
)

CONF = Path(__file__).resolve().parents[2] / "conf" / "llm"
KEY = "sk-very-secret-0123456789"


def run(
    one: Model, given: LlmSettings, work: Callable[[Client], Coroutine[Any, Any, Any]], **more: Any
) -> Any:
    async def main() -> Any:
        async with Client({"judge": one, "builder": NoModel()}, given, **more) as client:
            return await work(client)

    return asyncio.run(main())


def say(*texts: str) -> Callable[[Client], Coroutine[Any, Any, list[Reply]]]:
    async def work(client: Client) -> list[Reply]:
        judge = client.role("judge")
        return [await judge.say(question(text)) for text in texts]

    return work


def in_turn(*answers: Say) -> Callable[[dict[str, Any], int], Say]:
    return lambda body, number: answers[min(number, len(answers) - 1)]


def test_a_reply_holds_words_tokens_and_cost(tmp_path: Path) -> None:
    with ScriptedServer(in_turn(Say("seven"))) as server:
        (reply,) = run(model(server.base), settings(tmp_path / "l.db"), say("How many?"))
    assert (reply.text, reply.finish, reply.from_ledger) == ("seven", "stop", False)
    assert (reply.usage.input, reply.usage.cached, reply.usage.output) == (100, 40, 10)
    assert reply.cost == pytest.approx((60 * 1 + 40 * 0.1 + 10 * 10) / 1e6)


def test_a_repeated_request_costs_nothing_also_in_a_later_run(tmp_path: Path) -> None:
    with ScriptedServer(in_turn(Say("seven"))) as server:
        for _ in range(2):
            replies = run(model(server.base), settings(tmp_path / "l.db"), say("a", "a"))
        assert len(server.bodies) == 1
    assert all(reply.from_ledger for reply in replies)
    assert {reply.text for reply in replies} == {"seven"}


def test_another_sample_model_or_parameter_is_another_request(tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        await client.role("judge").say(question("a"))
        await client.role("judge").say(question("a", sample=1))

    with ScriptedServer(in_turn(Say("x"))) as server:
        for one in (
            model(server.base),
            model(server.base, temperature=0.5),
            model(server.base, name="openai/b"),
        ):
            run(one, settings(tmp_path / "l.db"), work)
        assert len(server.bodies) == 6


def test_stage_and_purpose_and_address_are_no_part_of_a_request(tmp_path: Path) -> None:
    async def work(client: Client) -> Reply:
        return await client.role("judge").say(question("a", stage="other", purpose="else"))

    with ScriptedServer(in_turn(Say("x"))) as server:
        run(model(server.base), settings(tmp_path / "l.db"), say("a"))
    with ScriptedServer(in_turn(Say("y"))) as elsewhere:
        reply = run(model(elsewhere.base), settings(tmp_path / "l.db"), work)
        assert not elsewhere.bodies
    assert (reply.text, reply.from_ledger) == ("x", True)


def test_equal_requests_at_once_make_one_call() -> None:
    async def work(client: Client) -> list[Reply]:
        return await asyncio.gather(*(client.role("judge").say(question("a")) for _ in range(20)))

    with ScriptedServer(in_turn(Say("x", delay=0.2))) as server:
        replies = run(model(server.base), settings(None), work)
        assert len(server.bodies) == 1
    assert [reply.from_ledger for reply in replies].count(False) == 1


def test_only_what_is_transient_is_tried_again() -> None:
    told: list[Heard] = []
    script = in_turn(Say(status=500), Say(status=503), Say(drop=True), Say(cut=True), Say("at last"))
    with ScriptedServer(script) as server:
        (reply,) = run(model(server.base), settings(None), say("a"), watch=told.append)
        assert len(server.bodies) == 5
    assert reply.text == "at last"
    assert [(one.outcome, one.reason) for one in told] == [
        ("failure", "server"),
        ("failure", "server"),
        ("failure", "cut"),
        ("failure", "cut"),
        ("answer", ""),
    ]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_is_not_transient_is_not_tried_again(status: int) -> None:
    with ScriptedServer(in_turn(Say(status=status))) as server:
        with pytest.raises(ProviderError) as caught:
            run(model(server.base), settings(None), say("a"))
        assert len(server.bodies) == 1
    assert not caught.value.transient
    assert "request" in str(caught.value)


@pytest.mark.parametrize(
    "message",
    [
        "request (20031 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "This model's maximum context length is 8192 tokens",
    ],
)
def test_a_prompt_beyond_the_context_is_a_matter_of_its_item_alone(message: str) -> None:
    with ScriptedServer(in_turn(Say(status=400, message=message))) as server:
        with pytest.raises(ProviderError, match="longer context") as caught:
            run(model(server.base), settings(None), say("a"))
        assert len(server.bodies) == 1
    assert not caught.value.transient
    assert unanswered(caught.value, "a", "tasks").reason == "prompt_too_long"


def test_a_spent_quota_is_not_tried_again_though_it_says_429() -> None:
    answer = Say(status=429, message="You exceeded your current quota (insufficient_quota)")
    with ScriptedServer(in_turn(answer)) as server:
        with pytest.raises(ProviderError, match="quota"):
            run(model(server.base), settings(None), say("a"))
        assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "name",
    [
        OmegaConf.load(path).name
        for path in sorted(CONF.glob("*.yaml"))
        if path.stem not in {"none", "server"}
    ],
)
@pytest.mark.parametrize("fault", [Say(status=500), Say(status=429), Say(drop=True)])
def test_no_library_below_repeats_a_call(name: str, fault: Say) -> None:
    """litellm and the clients below it would, each provider's in its own way. Every call must be one of ours."""
    told: list[Heard] = []
    with ScriptedServer(in_turn(fault)) as server:
        with pytest.raises(ProviderError):
            run(
                model(server.base, name=name),
                settings(None, limits=limits(attempts=2)),
                say("a"),
                watch=told.append,
            )
        assert len(server.bodies) == len(told) == 2


def test_attempts_end() -> None:
    with ScriptedServer(in_turn(Say(status=500))) as server:
        with pytest.raises(ProviderError, match="after 3 attempts") as caught:
            run(model(server.base), settings(None, limits=limits(attempts=3)), say("a"))
        assert len(server.bodies) == 3
    assert caught.value.transient
    # The traceback of an error is shown to people: what litellm held in its hands is not behind it.
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_a_body_that_is_no_answer_is_tried_again() -> None:
    script = in_turn(Say(raw="<html>busy</html>"), Say(raw='{"choices": []}'), Say("ok"))
    with ScriptedServer(script) as server:
        (reply,) = run(model(server.base), settings(None), say("a"))
    assert reply.text == "ok"


def test_retry_after_is_honoured() -> None:
    with ScriptedServer(in_turn(Say(status=429, headers={"Retry-After": "1"}), Say("ok"))) as server:
        began = time.monotonic()
        run(model(server.base), settings(None), say("a"))
        assert time.monotonic() - began >= 1.0


def test_who_asks_to_wait_beyond_the_deadline_is_not_waited_for() -> None:
    with ScriptedServer(in_turn(Say(status=429, headers={"Retry-After": "3600"}))) as server:
        began = time.monotonic()
        with pytest.raises(ProviderError) as caught:
            run(model(server.base), settings(None), say("a"))
        assert len(server.bodies) == 1
        assert time.monotonic() - began < 15
    assert caught.value.transient


def test_a_call_has_a_deadline() -> None:
    told: list[Heard] = []
    script = in_turn(Say("late", delay=30), Say("in time"))
    given = settings(None, limits=limits(deadline=0.6))

    async def work(client: Client) -> tuple[Reply, Any]:
        return await client.role("judge").say(question("a")), client.spent()

    with ScriptedServer(script) as server:
        # The first call pays for the import of litellm, which is no part of the deadline.
        reply, (spent,) = run(model(server.base), given, work, watch=told.append)
    assert reply.text == "in time"
    assert told[0].reason == "timeout"
    # It may have been billed: it counts at its estimate.
    assert spent.assumed > 0 and spent.assumed_tokens > 50
    assert spent.cost == pytest.approx(spent.assumed + (reply.cost or 0))


def test_a_429_halves_the_calls_at_once_and_success_lets_them_grow() -> None:
    refused = 0

    def script(body: dict[str, Any], number: int) -> Say:
        nonlocal refused
        if server.busy > 3:
            refused += 1
            return Say(status=429, headers={"Retry-After": "0.05"})
        return Say("ok", delay=0.02)

    async def work(client: Client) -> int:
        judge = client.role("judge")
        rows = flow(range(120), lambda n: judge.say(question(str(n))), at_once=32)
        return len([row async for row in rows])

    with ScriptedServer(script) as server:
        given = settings(None, limits=limits(concurrency=32, attempts=12))
        assert run(model(server.base), given, work) == 120
    # Without adapting, 29 of 32 would be refused in every round.
    assert refused < 120


def test_requests_a_minute_are_kept() -> None:
    async def work(client: Client) -> None:
        await asyncio.gather(*(client.role("judge").say(question(str(n))) for n in range(16)))

    with ScriptedServer(in_turn(Say("x"))) as server:
        # 10 a second, of which a second's worth may go at once: the last 6 need 0.6 seconds.
        given = settings(None, limits=limits(requests_per_minute=600))
        run(model(server.base), given, say("first"))
        began = time.monotonic()
        run(model(server.base), given, work)
        assert time.monotonic() - began >= 0.55


def test_no_row_is_lost_or_doubled_where_a_fifth_of_the_calls_fails(tmp_path: Path) -> None:
    """300 rows; every fault there is, at a fifth of the calls; each failure has its reason in the ledger."""
    chance = random.Random(7)
    faults = [
        Say(status=500),
        Say(status=503),
        Say(status=429, headers={"Retry-After": "0.02"}),
        Say(drop=True),
        Say(cut=True),
        Say("late", delay=3),
        Say(raw="not json"),
    ]
    sent: Counter[str] = Counter()
    answered: Counter[str] = Counter()

    def script(body: dict[str, Any], number: int) -> Say:
        row = body["messages"][0]["content"]
        sent[row] += 1
        if chance.random() < 0.2:
            return chance.choice(faults)
        answered[row] += 1
        return Say(f"answer to {row}")

    async def work(client: Client) -> tuple[list[Reply | str], Any]:
        judge = client.role("judge")

        async def one(number: int) -> Reply | str:
            try:
                return await judge.say(question(f"row {number}"))
            except ProviderError as error:
                return str(error)

        return [row async for row in flow(range(300), one, at_once=32)], client.spent()

    given = settings(
        tmp_path / "l.db", limits=limits(concurrency=32, attempts=8, deadline=1.5, backoff=0.005)
    )
    with ScriptedServer(script) as server:
        run(model(server.base), settings(None), say("import"))
        sent.clear(), answered.clear()
        rows, (spent,) = run(model(server.base), given, work)
    texts = [row.text if isinstance(row, Reply) else row for row in rows]
    assert texts == [f"answer to row {number}" for number in range(300)]
    assert set(answered.values()) == {1}
    failures = sum(sent.values()) - 300
    assert failures > 40
    db = sqlite3.connect(tmp_path / "l.db")
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert db.execute("SELECT count(*) FROM attempts WHERE outcome = 'answer'").fetchone() == (300,)
    reasons = dict(
        db.execute("SELECT reason, count(*) FROM attempts WHERE outcome = 'failure' GROUP BY 1").fetchall()
    )
    assert set(reasons) == {"server", "rate_limit", "cut", "timeout"}
    # The retries are counted, and so is what those may have cost whose answer never arrived.
    assert (
        (spent.calls, spent.failures)
        == (sum(sent.values()), failures)
        == (300 + failures, sum(reasons.values()))
    )
    lost = reasons["cut"] + reasons["timeout"]
    (assumed,) = db.execute("SELECT sum(cost) FROM attempts WHERE reason IN ('cut', 'timeout')").fetchone()
    assert spent.assumed == pytest.approx(assumed) and assumed > lost * 50 * 10 / 1e6
    assert spent.cost == pytest.approx(300 * 164e-6 + assumed)
    assert db.execute("SELECT count(*) FROM claims").fetchone() == (0,)


def test_the_budget_is_not_passed_and_what_was_paid_is_kept(tmp_path: Path) -> None:
    async def work(client: Client) -> list[Reply | BudgetSpent]:
        judge = client.role("judge")

        async def one(number: int) -> Reply | BudgetSpent:
            try:
                return await judge.say(question(str(number)))
            except BudgetSpent as spent:
                return spent

        return list(await asyncio.gather(*(one(number) for number in range(40))))

    with ScriptedServer(in_turn(Say("x", delay=0.02, usage=(20, 0, 50)))) as server:
        # A call costs 520 and is estimated a little higher: the budget is good for nine of them.
        given = settings(tmp_path / "l.db", budget=Budget(money=5200e-6, tokens=None, estimate="enforce"))
        rows = run(model(server.base), given, work)
        paid = len(server.bodies)
        more = run(model(server.base), given, work)
        assert len(server.bodies) == paid
    done = [row for row in rows if isinstance(row, Reply)]
    assert len(done) == paid == 9
    assert sum(isinstance(row, Reply) for row in more) == 9
    (refusal, *_) = [row for row in rows if isinstance(row, BudgetSpent)]
    assert "llm.budget.money" in str(refusal)


def test_a_budget_of_tokens_counts_over_stages_and_stops_a_repair(tmp_path: Path) -> None:
    with ScriptedServer(in_turn(Say("x", usage=(20, 0, 50)))) as server:
        given = settings(tmp_path / "l.db", budget=Budget(money=None, tokens=190, estimate="enforce"))
        run(model(server.base), given, say("a"))
        run(model(server.base, prices=None), given, say("b"))
        with pytest.raises(BudgetSpent, match=r"140 of its 190 tokens"):
            run(model(server.base), given, say("c"))
        # Another run has its own.
        run(model(server.base), given.model_copy(update={"run": "another"}), say("c"))


def test_a_model_without_a_price_counts_only_tokens() -> None:
    async def work(client: Client) -> tuple[Reply, Any]:
        return await client.role("judge").say(question("a")), client.spent()

    with ScriptedServer(in_turn(Say("x"))) as server:
        given = settings(None, budget=Budget(money=0.0, tokens=None, estimate="enforce"))
        reply, (spent,) = run(model(server.base, prices=None), given, work)
    assert reply.cost is None
    assert (spent.cost, spent.unpriced, spent.input) == (0.0, 1, 100)


def test_tokens_that_a_server_does_not_tell_are_estimated() -> None:
    with ScriptedServer(in_turn(Say("some words", usage=None))) as server:
        (reply,) = run(model(server.base), settings(None), say("a question of some length"))
    assert reply.usage.input > 20 and reply.usage.output > 0


def test_replay_never_calls_and_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(in_turn(Say("x"))) as server:
        live = run(model(server.base), settings(tmp_path / "l.db"), say("a"))
        calls = len(server.bodies)
        keyed = model(server.base, key_env="A_KEY_THAT_IS_NOT_SET")
        again = run(keyed, settings(tmp_path / "l.db", "replay"), say("a"))
        with pytest.raises(
            NotRecorded, match=r"tasks: openai/scripted .* count question \(judge, request [0-9a-f]{64}\)"
        ):
            run(keyed, settings(tmp_path / "l.db", "replay"), say("b"))
        assert len(server.bodies) == calls
    assert again[0].model_dump(exclude={"from_ledger"}) == live[0].model_dump(exclude={"from_ledger"})


def test_record_refuses_without_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no ledger"):
        run(model("http://127.0.0.1:9/v1"), settings(None, "record"), say("a"))
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="can't be written"):
        run(model("http://127.0.0.1:9/v1"), settings(tmp_path / "file" / "l.db", "record"), say("a"))


def test_a_role_without_a_model_is_a_config_error(tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        client.role("builder")

    with pytest.raises(ConfigError, match=r"models.builder is none.*llm@models.builder=openai"):
        run(model(None), settings(None), work)


def test_a_key_that_is_not_set_is_said_before_any_work() -> None:
    with pytest.raises(ConfigError, match="A_KEY_THAT_IS_NOT_SET is not set"):
        run(model(None, key_env="A_KEY_THAT_IS_NOT_SET"), settings(None), say())


def test_no_secret_gets_anywhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    told: list[Heard] = []
    script = in_turn(
        Say(status=500, message=f"upstream said: bad key {KEY}"),
        Say(status=401, message=f"Incorrect API key provided: {KEY}"),
    )
    with caplog.at_level(0), ScriptedServer(script) as server:
        with pytest.raises(ProviderError) as caught:
            run(
                model(server.base, key_env="SCRIPTED_KEY"),
                settings(tmp_path / "l.db"),
                say("a"),
                watch=told.append,
            )
        assert server.headers[0]["authorization"].endswith(KEY)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    written = "".join(capfd.readouterr())
    for place in (
        str(caught.value),
        repr(caught.value),
        caplog.text,
        written,
        str(told),
        stored.decode("latin-1"),
    ):
        assert KEY not in place
    rows = sqlite3.connect(tmp_path / "l.db").execute("SELECT raw FROM attempts").fetchall()
    assert len(rows) == 2 and all("***" in raw for (raw,) in rows)


def test_a_call_that_is_paid_is_kept_though_nobody_waits_any_more(tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        task = asyncio.create_task(client.role("judge").say(question("a")))
        while not server.bodies:
            await asyncio.sleep(0.01)
        task.cancel()

    with ScriptedServer(in_turn(Say("x", delay=0.3))) as server:
        run(model(server.base), settings(tmp_path / "l.db"), work)
        (reply,) = run(model(server.base), settings(tmp_path / "l.db"), say("a"))
        assert len(server.bodies) == 1
    assert reply.from_ledger


def test_who_gives_up_before_the_call_leaves_no_claim(tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        judge = client.role("judge")
        tasks = [asyncio.create_task(judge.say(question(str(n)))) for n in range(12)]
        while not server.bodies:
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()

    with ScriptedServer(in_turn(Say("x", delay=0.2))) as server:
        run(model(server.base), settings(tmp_path / "l.db", limits=limits(concurrency=2)), work)
        assert len(server.bodies) <= 2
    db = sqlite3.connect(tmp_path / "l.db")
    assert db.execute("SELECT count(*) FROM claims").fetchone() == (0,)


def test_an_edit_of_the_parser_reads_the_same_raw_answer_anew(tmp_path: Path) -> None:
    with ScriptedServer(in_turn(Say("x", calls=(("look", '{"at": 1'),), finish="tool_calls"))) as server:
        (reply,) = run(model(server.base), settings(tmp_path / "l.db"), say("a"))
    assert reply.calls[0].arguments == '{"at": 1'
    (raw,) = sqlite3.connect(tmp_path / "l.db").execute("SELECT raw FROM attempts").fetchone()
    said = json.loads(raw)
    assert said["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"at": 1'


def test_a_content_policy_is_a_refusal_and_no_provider_error() -> None:
    with ScriptedServer(in_turn(Say("no", finish="content_filter"))) as server:
        (reply,) = run(model(server.base), settings(None), say("a"))
    assert reply.finish == "content_filter"
    message = "Your request was rejected by our safety system: content_policy_violation"
    with ScriptedServer(in_turn(Say(status=400, message=message))) as server:
        with pytest.raises(AnswerError) as caught:
            run(model(server.base), settings(None), say("a"))
        assert len(server.bodies) == 1
    assert caught.value.kind == "refused"
