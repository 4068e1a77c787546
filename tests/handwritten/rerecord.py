"""Record the hand-written lines anew, after an edit that changed what is asked but not what it asks for.

    python tests/handwritten/rerecord.py corpus            # the same answers, in the same order, to the new questions
    python tests/handwritten/rerecord.py corpus --ledger llm.db     # a ledger that was answered by hand just now

Answers are given in the order of the file, one at a time. Read the diff, and the tasks that come out, before you
commit: an answer to another question than the one it was written for is no longer a written one.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [
    str(Path(__file__).parents[1] / "llm"),
    str(Path(__file__).parents[2]),
    str(Path(__file__).parent),
]

from scripted import Say, ScriptedServer  # noqa: E402
from written import LINES, run_line  # noqa: E402

from graphforge.llm import Ledger  # noqa: E402

_ONE_AT_A_TIME = (
    "llm.limits.concurrency=1",
    "agent.at_once=1",
    "llm.budget.estimate=print",
    "llm.limits.attempts=1",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("line", choices=[line.name for line in LINES])
    parser.add_argument(
        "--ledger", type=Path, help="answers by what was asked, from a ledger that holds the questions"
    )
    parser.add_argument("--keep", type=Path, help="where to leave the ledger with the questions, to look at them")
    given = parser.parse_args()
    line = next(line for line in LINES if line.name == given.line)
    asked: dict[str, tuple[str, dict[str, int]]] = {}
    order: list[tuple[str, dict[str, int]]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if given.ledger:
            with Ledger.open(given.ledger, "replay") as ledger:
                ledger.dump(folder / "asked.jsonl")
            for row in map(json.loads, (folder / "asked.jsonl").read_text(encoding="utf-8").splitlines()):
                # A repeated draw is asked with the same words: the sample tells it apart.
                key = _key(row["request"]["messages"]) + str(row["request"]["sample"])
                asked[key] = (json.dumps(row["answer"], ensure_ascii=False), row["usage"])
        else:
            for row in map(json.loads, line.answers.read_text(encoding="utf-8").splitlines()):
                order.append((json.dumps(row["answer"], ensure_ascii=False), row["usage"]))

        seen: dict[str, int] = {}

        def script(body: dict[str, object], number: int) -> Say:
            if order:
                answer, usage = order[number]
            else:
                words = _key(body["messages"])
                answer, usage = asked[words + str(seen.get(words, 0))]
                seen[words] = seen.get(words, 0) + 1
            said = json.loads(answer)
            tokens = {"prompt_tokens": usage["input"], "completion_tokens": usage["output"]}
            said["usage"] = tokens | {"total_tokens": sum(tokens.values())}
            return Say(raw=json.dumps(said, ensure_ascii=False))

        with ScriptedServer(script) as server:
            run_line(line, folder, folder / "new.db", server.base, _ONE_AT_A_TIME)
        with Ledger.open(folder / "new.db", "replay") as ledger:
            print(f"{ledger.dump(line.answers, questions=False)} answers in {line.answers}")
            if given.keep:
                ledger.dump(given.keep)


def _key(messages: object) -> str:
    return json.dumps(messages, sort_keys=True, ensure_ascii=False)


if __name__ == "__main__":
    main()
