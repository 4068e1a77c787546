"""Print what a ledger holds: what each run used up and what failed; or write its answers down for a replay.

``python -m pipelines.ledger [ledger/llm.db] [--run NAME] [--dump FILE.jsonl [--without-questions]]``
"""

import argparse
import sys
from pathlib import Path

from graphforge.errors import GraphForgeError
from graphforge.llm import Ledger
from graphforge.report import text_table

_HEAD = (
    "run",
    "stage",
    "role",
    "calls",
    "failures",
    "read",
    "written",
    "US$",
    "of it assumed",
    "unpriced calls",
)
_FIELDS = ("run", "stage", "role", "calls", "failures", "input", "output", "cost", "assumed", "unpriced")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m pipelines.ledger", description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, default=Path("ledger/llm.db"))
    parser.add_argument("--run", help="only this run (llm.run)")
    parser.add_argument(
        "--dump", type=Path, metavar="FILE", help="write the answers to a .jsonl that llm.ledger takes"
    )
    parser.add_argument(
        "--without-questions", action="store_true", help="keep of what was asked only the hash"
    )
    given = parser.parse_args(arguments)
    with Ledger.open(given.path, "replay") as ledger:
        if given.dump:
            print(f"{ledger.dump(given.dump, not given.without_questions)} answers in {given.dump}")
            return
        runs = [given.run] if given.run else list(ledger.runs())
        rows = [[getattr(one, name) for name in _FIELDS] for run in runs for one in ledger.spent(run)]
        print(text_table(_HEAD, rows) if rows else "Nothing has been used up.")
        failed = [[run, *names, count] for run in runs for names, count in ledger.failures(run).items()]
        if failed:
            print("\n" + text_table(("run", "stage", "role", "reason", "attempts"), failed))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except GraphForgeError as error:
        print(f"graphforge: {error}", file=sys.stderr)
        sys.exit(2)
