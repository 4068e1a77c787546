"""Record the hand-written lines anew, after an edit that changed how things are asked but not what is asked for.

    python tests/handwritten/rerecord.py corpus                       # the written answers, to the new questions
    python tests/handwritten/rerecord.py corpus --ledger llm.db    # answers out of a ledger
    python tests/handwritten/rerecord.py corpus --base http://127.0.0.1:8200/v1   # what has no answer is asked there

An answer is found by what its question is about (``written.thread``). Read the tasks that come out before you commit:
an answer to another question than the one it was written for is no longer a written one.
"""

import argparse
import json
import sys
import tempfile
import urllib.request
from pathlib import Path

sys.path[:0] = [
    str(Path(__file__).parents[1] / "llm"),
    str(Path(__file__).parents[2]),
    str(Path(__file__).parent),
]

from scripted import Say, ScriptedServer  # noqa: E402
from written import LINES, run_line, thread  # noqa: E402

from graphforge.llm import Ledger  # noqa: E402

_ONE_AT_A_TIME = (
    "llm.limits.concurrency=1", "agent.at_once=1", "llm.budget.estimate=print", "llm.limits.attempts=1",
    "llm.limits.deadline=7200", "agent.wall_seconds=7200",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("line", choices=[line.name for line in LINES])
    parser.add_argument("--ledger", type=Path, help="a ledger with questions to take answers from")
    parser.add_argument("--base", help="a server that is asked what has no answer yet")
    given = parser.parse_args()
    line = next(line for line in LINES if line.name == given.line)
    known: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if line.answers.is_file():
            for row in map(json.loads, line.answers.read_text(encoding="utf-8").splitlines()):
                known[row["thread"]] = _answer(row)
        if given.ledger:
            for row in _dumped(given.ledger, folder / "asked.jsonl"):
                known[thread(row["request"]["messages"], row["request"]["sample"])] = _answer(row)
        draws: dict[str, int] = {}

        def script(body: dict[str, object], number: int) -> Say:
            # The same words again are another draw: a new rollout after the pilot.
            words = json.dumps(body["messages"], sort_keys=True)
            draws[words] = draws.get(words, -1) + 1
            found = known.get(thread(body["messages"], draws[words]))
            if found is None and given.base:
                print(f"question {number} has no answer yet: asked at {given.base}", flush=True)
                found = _asked(given.base, body)
            if found is None:
                last = body["messages"][-1]["content"]
                print(f"nobody wrote an answer to question {number}: {last[:300]}", flush=True)
                return Say(status=400, message=f"nobody wrote an answer to question {number}: {last[:300]}")
            return Say(raw=json.dumps(found, ensure_ascii=False))

        with ScriptedServer(script) as server:
            run_line(line, folder, folder / "new.db", server.base, _ONE_AT_A_TIME)
        asked = {row["key"]: row["request"] for row in _dumped(folder / "new.db", folder / "asked.jsonl")}
        with Ledger.open(folder / "new.db", "replay") as ledger:
            ledger.dump(folder / "answers.jsonl", questions=False)
        rows = [
            json.loads(row) for row in (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        with line.answers.open("w", encoding="utf-8", newline="\n") as out:
            for row in rows:
                request = asked[row["key"]]
                named = {"key": row["key"], "thread": thread(request["messages"], request["sample"])}
                out.write(json.dumps(named | row, ensure_ascii=False) + "\n")
    print(f"{len(rows)} answers in {line.answers}")


def _dumped(ledger: Path, path: Path) -> list[dict]:
    with Ledger.open(ledger, "replay") as opened:
        opened.dump(path)
    return [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]


def _answer(row: dict) -> dict[str, object]:
    """The raw answer with the tokens that were booked for it."""
    used = row["usage"]
    usage = {"prompt_tokens": used["input"], "completion_tokens": used["output"]}
    return {**row["answer"], "usage": usage | {"total_tokens": sum(usage.values())}}


def _asked(base: str, body: dict) -> dict[str, object]:
    request = urllib.request.Request(
        f"{base}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=7200) as reply:
        return json.load(reply)


if __name__ == "__main__":
    main()
