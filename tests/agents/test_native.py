"""The native agent with a speaker that plays a policy: it decides from what it is shown, on real files."""

import asyncio
import csv
import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from agent_cases import SANDBOX, write_table
from pydantic import BaseModel

from graphforge.agents import NativeAgent, ProcessSandbox
from graphforge.errors import ConfigError, SandboxError
from graphforge.llm import AnswerError, BudgetSpent, Call, Prompt, ProviderError, Reply, Usage
from graphforge.records import Deliverable, PublicTask, Trajectory

ROWS = [("Anna", 3), ("Bert", 4.5), ("Cleo", 10)]
TASK = PublicTask(
    task="task-1",
    statement="Sum the amounts of both files by name into totals.csv (name,total).",
    deliverables=(Deliverable(id="d1", file="totals.csv", family="csv", requirement="one row a name"),),
    files=("first.csv", "second.xlsx"),
)
FIELDS: dict[str, Any] = {
    "name": "native",
    "at_once": 1,
    "steps": 20,
    "tokens": 1_000_000,
    "wall_seconds": 60,
    "context_tokens": 50_000,
    "output_chars": 4000,
    "artifact_bytes": 1_000_000,
    "bad_turns": 1,
    "unsafe_sandbox": True,
}


def agent(**changes: Any) -> NativeAgent:
    return NativeAgent(**FIELDS | changes)


def use(name: str, **arguments: Any) -> Call:
    return Call(id="same", name=name, arguments=json.dumps(arguments))


def reply(text: str = "", *calls: Call, finish: str = "", tokens: int = 0) -> Reply:
    return Reply.model_validate(
        {
            "text": text,
            "calls": calls,
            "finish": finish or ("tool_calls" if calls else "stop"),
            "usage": Usage(input=tokens, cached=0, output=10),
            "cost": None,
            "key": "0" * 64,
            "from_ledger": False,
        }
    )


class Player:
    """A speaker that asks a policy; it counts four characters as a token and keeps what it was shown."""

    role = "teacher"
    sees = False

    def __init__(self, policy: Callable[[Prompt], Reply]):
        self.policy = policy
        self.prompts: list[Prompt] = []

    async def say(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        answer = self.policy(prompt)
        tokens = sum(len(turn.content) for turn in prompt.turns) // 4
        return answer.model_copy(update={"usage": Usage(input=tokens, cached=0, output=10)})

    async def ask(self, prompt: Prompt, answer: type[BaseModel], **more: Any) -> Any:
        raise AssertionError("the agent only says")


def turns_of(*replies: Reply) -> Player:
    """A speaker with one answer a turn, and the closing text from then on."""
    return Player(lambda prompt: replies[i] if (i := _turn(prompt)) < len(replies) else reply("Done."))


def _turn(prompt: Prompt) -> int:
    return sum(turn.role == "assistant" for turn in prompt.turns)


def analyst(prompt: Prompt) -> Reply:
    """Looks, writes a script for the files that it saw, mends it when it fails, checks, ends."""
    last = prompt.turns[-1]
    if last.role == "user":
        return reply("I look first.", use("bash", command="ls inputs"))
    seen = " ".join(turn.content for turn in prompt.turns if turn.role == "tool")
    if "Amount" not in seen:
        names = re.findall(r"\S+\.csv", last.content)
        look = [use("view_file", path=f"inputs/{name}", last_line=2) for name in names]
        return reply("Their heads.", *look, use("bash", command="wc -c inputs/second.xlsx"))
    if "wrote sum.py" not in seen:
        return reply("I compute.", use("write_file", path="sum.py", content=_script(skip=0)))
    if last.content.startswith("wrote"):
        return reply("", use("bash", command="python3 sum.py"))
    if "Traceback" in last.content:
        return reply("Title rows in the way.", use("write_file", path="sum.py", content=_script(skip=3)))
    if "saved" in last.content:
        return reply("I check.", use("view_file", path="outputs/totals.csv"))
    return reply("totals.csv is in outputs/, from first.csv and second.xlsx.")


def _script(skip: int) -> str:
    return "\n".join(
        [
            "import csv, openpyxl",
            "totals = {}",
            "rows = list(csv.reader(open('inputs/first.csv')))[1:]",
            f"sheet = list(openpyxl.load_workbook('inputs/second.xlsx').active.values)[{skip}:]",
            "for name, _, amount in rows + sheet:",
            "    totals[name] = totals.get(name, 0) + float(amount)",
            "with open('outputs/totals.csv', 'w') as file:",
            "    csv.writer(file).writerows([('name', 'total'), *totals.items()])",
            "print('saved')",
        ]
    )


@pytest.fixture
def inputs(tmp_path: Path) -> Mapping[str, Path]:
    return {
        "first.csv": write_table(tmp_path, "first", "csv", ROWS),
        "second.xlsx": write_table(tmp_path, "second", "xlsx", ROWS),
    }


def work(
    player: Player, inputs: Mapping[str, Path], keep: Path, sandbox: ProcessSandbox = SANDBOX, **changes: Any
) -> Trajectory:
    return asyncio.run(agent(**changes).run(TASK, inputs, keep, sandbox, player, stage="pilot"))


def test_a_working_policy_completes_the_task(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    player = Player(analyst)
    done = work(player, inputs, tmp_path / "keep")
    assert (done.status, done.informed, done.detail) == ("completed", False, "")
    kept = tmp_path / "keep" / done.artifacts[0].sha256
    rows = list(csv.reader(kept.open()))
    assert rows == [["name", "total"], ["Anna", "6.0"], ["Bert", "9.0"], ["Cleo", "20.0"]]
    # The first script failed on the title rows, and the record says so.
    codes = [message.exit_code for message in done.messages if message.role == "tool"]
    assert codes.count(1) == 1 and codes[-1] == 0
    assert {call.name for call, _ in done.tool_calls()} == {"bash", "write_file", "view_file"}
    assert all(answer is not None for _, answer in done.tool_calls())
    assert player.prompts[0].stage == "pilot" and len(player.prompts[0].tools) == 3
    # The inputs were copied: the stored files are as they were.
    assert openpyxl.load_workbook(inputs["second.xlsx"]).active["A1"].value == "A title"


def test_the_same_policy_gives_the_same_bytes(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    first, second = (work(Player(analyst), inputs, tmp_path / str(i)) for i in range(2))
    assert first.line() == second.line()


def test_a_listing_tells_no_time(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    """Or a rollout that was interrupted would be asked, and paid, again from its first listing on."""
    player = turns_of(reply("", use("bash", command="echo x > outputs/totals.csv; ls -laR")))
    ((_, listing),) = work(player, inputs, tmp_path).tool_calls()
    assert listing is not None and "totals.csv" in listing.content
    assert not re.search(r"\d\d:\d\d", listing.content)


def test_calls_of_one_turn_run_in_order_under_ids_of_their_own(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    calls = (
        use("bash", command="echo one > log"),
        use("bash", command="echo two >> log"),
        use("view_file", path="log"),
    )
    done = work(turns_of(reply("", *calls)), inputs, tmp_path)
    assert [call.id for call, _ in done.tool_calls()] == ["call_1", "call_2", "call_3"]
    answer = done.tool_calls()[2][1]
    assert answer is not None and answer.content == "     1  one\n     2  two\n"


def test_it_refuses_a_sandbox_that_does_not_isolate(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    player = Player(analyst)
    with pytest.raises(ConfigError, match="unsafe_sandbox=true"):
        work(player, inputs, tmp_path, unsafe_sandbox=False)
    assert player.prompts == []


def test_it_works_in_one_that_isolates_without_being_told(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    class Walled(ProcessSandbox):
        isolates = True

    walled = Walled(**SANDBOX.model_dump())
    assert work(Player(analyst), inputs, tmp_path, walled, unsafe_sandbox=False).status == "completed"


def test_the_limit_of_steps(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    player = Player(lambda prompt: reply("", use("bash", command="echo x > outputs/totals.csv")))
    done = work(player, inputs, tmp_path, steps=3)
    assert (done.status, len(player.prompts)) == ("max_turns", 3)
    assert "3 turns" in done.detail
    # What was handed over until then is kept.
    assert done.artifacts[0].name == "totals.csv"


def test_the_limit_of_tokens_holds_before_it_is_passed(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    player = Player(lambda prompt: reply("", use("bash", command="seq 1 400")))
    done = work(player, inputs, tmp_path, tokens=5000)
    assert done.status == "max_turns" and "5,000 tokens" in done.detail
    used = sum(sum(len(turn.content) for turn in prompt.turns) // 4 + 10 for prompt in player.prompts)
    assert len(player.prompts) > 1 and used <= 5000


def test_the_limit_of_time_ends_a_model_that_does_not_answer(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    class Sleeper(Player):
        async def say(self, prompt: Prompt) -> Reply:
            await asyncio.sleep(30)
            raise AssertionError("it was not waited for")

    before = time.monotonic()
    done = work(Sleeper(analyst), inputs, tmp_path, wall_seconds=0.3)
    assert done.status == "timeout" and time.monotonic() - before < 10


def test_the_limit_of_time_ends_the_work_between_commands(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    slow = use("bash", command="sleep 0.4")
    done = work(turns_of(reply("", slow, slow, slow)), inputs, tmp_path, wall_seconds=0.6)
    assert done.status == "timeout"
    assert [answer is None for _, answer in done.tool_calls()] == [False, False, True]


def test_a_command_that_is_killed_is_told_and_the_work_goes_on(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    player = turns_of(reply("", use("bash", command="sleep 30")))
    done = work(player, inputs, tmp_path, SANDBOX.model_copy(update={"wall_seconds": 0.3}))
    assert done.status == "completed"
    assert "[exit code 124 (killed at the deadline)]" in player.prompts[1].turns[-1].content


def test_long_output_keeps_its_beginning_and_its_end(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    done = work(turns_of(reply("", use("bash", command="seq 1 3000"))), inputs, tmp_path, output_chars=300)
    answer = done.tool_calls()[0][1]
    assert answer is not None and answer.truncated and len(answer.content) < 400
    assert answer.content.startswith("1\n2\n") and answer.content.endswith("2999\n3000\n")
    assert "characters left out" in answer.content


def test_old_outputs_are_dropped_when_the_context_is_full_and_the_record_says_so(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    steps = [reply("", use("bash", command=f"seq {n}000 {n}700")) for n in range(1, 7)]
    player = turns_of(*steps)
    done = work(player, inputs, tmp_path, context_tokens=4000)
    assert done.status == "completed" and "dropped to make room" in done.detail
    sizes = [sum(len(turn.content) for turn in prompt.turns) // 4 for prompt in player.prompts]
    assert max(sizes) <= 4000
    notes = [message for message in done.messages if "earlier outputs were dropped" in message.content]
    assert notes and notes[0].role == "user" and "call_1" in notes[0].content
    # The model no longer sees it; the record still holds it, and the newest one was never touched.
    last = player.prompts[-1].turns
    assert next(turn for turn in last if turn.call == "call_1").content.startswith("[This output was dropped")
    assert next(turn for turn in last if turn.call == "call_6").content.startswith("6000\n")
    answer = done.tool_calls()[0][1]
    assert answer is not None and answer.content.startswith("1000\n")


def test_a_context_that_nothing_can_be_dropped_from_ends_the_work(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    player = turns_of(reply("", use("bash", command="seq 1 3000")))
    done = work(player, inputs, tmp_path, context_tokens=2000, output_chars=20_000)
    assert done.status == "failed" and "context" in done.detail
    assert len(player.prompts) == 1


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (use("browse", url="x"), "there is no tool 'browse'"),
        (Call(id="x", name="bash", arguments='{"command": "ls'), "arguments of bash are wrong"),
        (use("bash", cmd="ls"), "arguments of bash are wrong"),
        (use("write_file", path="../escape", content=""), "must lie in the working folder"),
        (use("view_file", path="/etc/passwd"), "must lie in the working folder"),
    ],
)
def test_a_call_that_is_none_is_told_and_can_be_mended(
    inputs: Mapping[str, Path], tmp_path: Path, call: Call, why: str
) -> None:
    player = turns_of(reply("", call), reply("", use("bash", command="ls inputs")))
    done = work(player, inputs, tmp_path)
    assert done.status == "completed"
    wrong, right = done.tool_calls()
    assert wrong[1] is not None and why in wrong[1].content and wrong[1].exit_code == 2
    assert right[1] is not None and "first.csv" in right[1].content
    # What is shown to the provider is JSON, whatever the model wrote.
    assert isinstance(json.loads(player.prompts[1].turns[2].calls[0].arguments), dict)
    assert Trajectory.model_validate_json(done.line()) == done


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (reply("I will now", finish="length"), "cut off"),
        (reply("  "), "empty"),
        (reply("", use("browse")), "none of the calls"),
    ],
)
def test_unusable_turns_are_put_up_with_once_and_not_twice(
    inputs: Mapping[str, Path], tmp_path: Path, bad: Reply, why: str
) -> None:
    good = reply("", use("bash", command="true"))
    assert work(turns_of(bad, good, bad), inputs, tmp_path / "a").status == "completed"
    done = work(turns_of(bad, bad), inputs, tmp_path / "b")
    assert done.status == "failed" and why in done.detail and "2 turns in a row" in done.detail


def test_a_turn_that_was_cut_is_marked(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    done = work(turns_of(reply("I will now", finish="length")), inputs, tmp_path)
    assert [message.truncated for message in done.messages[2:]] == [True, False, False]


def raising(error: Exception) -> Player:
    def policy(prompt: Prompt) -> Reply:
        raise error

    return Player(policy)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ProviderError("the provider is down", "Wait", transient=True), "llm_error"),
        (AnswerError("refused", "the model refused", "Ask another"), "failed"),
        (AnswerError("invalid", "no JSON", "Ask again"), "failed"),
    ],
)
def test_an_answer_that_does_not_come(
    inputs: Mapping[str, Path], tmp_path: Path, error: Exception, status: str
) -> None:
    done = work(raising(error), inputs, tmp_path)
    assert done.status == status
    assert str(error).split(". ")[0] in done.detail


def test_a_spent_budget_stops_the_run_and_is_no_trajectory(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(BudgetSpent):
        work(raising(BudgetSpent("all spent", "Raise it")), inputs, tmp_path)


def test_a_broken_sandbox_is_no_failure_of_the_model(
    inputs: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, command: str) -> None:
        raise SandboxError("no space", "Make some")

    monkeypatch.setattr("graphforge.agents.sandbox.SandboxRoom.run", broken)
    assert work(Player(analyst), inputs, tmp_path).status == "sandbox_error"


def test_a_large_and_odd_file_is_written_as_it_is(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    content = "".join(f"line {n} 'quoted' \"twice\" $HOME `x` \\n ü\n" for n in range(6000))
    name = "a 'b' $c.csv"
    steps = reply("", use("write_file", path=f"deep/er/{name}", content=content),
                  use("bash", command="cp deep/er/* outputs/totals.csv"))  # fmt: skip
    done = work(turns_of(steps), inputs, tmp_path)
    assert done.artifacts[0].sha256 == hashlib.sha256(content.encode()).hexdigest()
    assert len(content) > 128 * 1024


def test_a_command_that_no_system_would_start_is_the_models_fault(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    commands = ["echo " + "x" * 200_000, "echo \0", "true"]
    player = turns_of(reply("", *(use("bash", command=command) for command in commands)))
    done = work(player, inputs, tmp_path)
    assert [answer and answer.exit_code for _, answer in done.tool_calls()] == [2, 2, 0]


def test_views_are_numbered_bounded_and_of_text_only(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    steps = reply(
        "",
        use("bash", command="seq 1 1000 > long; printf '%0900d\\n' 7 > wide"),
        use("view_file", path="long", first_line=500, last_line=501),
        use("view_file", path="long"),
        use("view_file", path="long", first_line=2000),
        use("view_file", path="wide"),
        use("view_file", path="inputs/second.xlsx"),
        use("view_file", path="nowhere"),
    )
    done = work(turns_of(steps), inputs, tmp_path, output_chars=20_000)
    _, middle, whole, beyond, wide, binary, missing = [answer for _, answer in done.tool_calls() if answer]
    assert middle.content == "   500  500\n   501  501\n[1000 lines in all]\n"
    assert whole.content.count("\n") == 401 and whole.content.endswith("   400  400\n[1000 lines in all]\n")
    assert beyond.content == "[the file has 1000 lines]\n"
    assert wide.content.endswith(" [cut]\n") and len(wide.content) < 450
    assert binary.exit_code == 1 and "no text file" in binary.content
    assert missing.exit_code == 1 and "there is no file nowhere" in missing.content


def test_nothing_of_the_rubric_or_the_machine_is_in_the_prompt(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    player = turns_of(reply("", use("bash", command="pwd; ls -l inputs; cat nowhere")))
    work(player, inputs, tmp_path)
    shown = player.prompts[-1].model_dump_json()
    assert str(tmp_path) not in shown and "/tmp/" not in shown


def test_cancelled_work_leaves_neither_a_room_nor_a_command_behind(
    inputs: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "rooms"))
    (tmp_path / "rooms").mkdir()
    player = turns_of(reply("", use("bash", command=f"sleep 1; touch {tmp_path}/ended")))

    async def interrupted() -> None:
        task = asyncio.create_task(agent().run(TASK, inputs, tmp_path, SANDBOX, player, stage="pilot"))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    # The room was there until the command had ended, and then went.
    assert (tmp_path / "ended").exists()
    assert list((tmp_path / "rooms").iterdir()) == []
