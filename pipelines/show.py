"""Print what a run of the line made: funnel, coverage, calibration, and where to look next.

``python -m pipelines.show [data]``; it is no stage and leaves nothing behind.
"""

import json
import sys
from pathlib import Path
from typing import Any

from graphforge.errors import GraphForgeError
from graphforge.report import Funnel, show_coverage, show_funnel, show_verification, text_table
from graphforge.tasks import Alike, told
from pipelines._edge import read_json

NEXT = """Where to look next
  {data}/admit/admitted.jsonl     tasks, trajectories and verdicts that were admitted; rejected.jsonl says why not
  python -m pipelines.task --draw 1 --data {data}     one of them to read: request, files, criteria with their proof
  {data}/verify/tests.jsonl       what the tests of each task's criteria found, and what was done about it
  {data}/tasks/tasks.jsonl        the specifications, with criteria, anchors and checks
  {data}/graphs/graphs.jsonl      the evidence graphs behind them
  {data}/export                   the same as chat messages, ShareGPT and a Hugging Face dataset
  make ui                         every run of every stage, side by side, on http://127.0.0.1:5000
  python -m pipelines.calibrate -m judge=anchored,unanchored,random     compare the judges as one sweep
  dvc exp run -S balance=equal_quota                                    another balance, from seeds on"""

NOTHING = """No task was admitted. There is no data here: what lies in export/ is the form of a dataset without a row.
The rejected.jsonl beside each stage's output says what became of everything."""

FIGURES = (
    "judge",
    "picks",
    "correct",
    "accuracy",
    "expected",
    "low",
    "high",
    "mutants",
    "mutants_caught",
    "caught_share",
)


def agreement_row(row: dict[str, Any]) -> list[str | int | float]:
    """A line of the table of agreement."""
    found = row["agreement"]
    figures = [found[name] for name in ("exact", "alpha", "rank")]
    shown = ["-" if figure is None else figure for figure in figures]
    return [row["judge"], found["repeats"], found["marks"], *shown]


def main(data: Path) -> None:
    funnel = read_json(data / "funnel.json", Funnel)
    parts = [show_funnel(funnel), show_coverage(funnel.coverage) if funnel.coverage.admitted else NOTHING]
    statements = data / "tasks" / "statements.json"
    if statements.is_file():
        parts.append(told(read_json(statements, Alike)))
    verification = data / "verify" / "verification.json"
    if verification.is_file():
        parts.append(show_verification(json.loads(verification.read_bytes())))
    calibration = data / "calibrate" / "calibration.json"
    if calibration.is_file():
        rows = [{name: row[name] for name in FIGURES} for row in json.loads(calibration.read_bytes())["rows"]]
        table = text_table(
            list(rows[0]), [["-" if cell is None else cell for cell in row.values()] for row in rows]
        )
        parts.append(f"Judges\n\n{table}")
        agreed = [
            agreement_row(row) for row in json.loads(calibration.read_bytes())["rows"] if row.get("agreement")
        ]
        if agreed:
            head = ["judge", "repeats", "marks", "the same", "Krippendorff's alpha", "rank correlation"]
            note = "A grader that asks no model gives the same marks every time; a model may not."
            parts.append(f"Agreement of repeated judging\n\n{text_table(head, agreed)}\n{note}")
    print(*parts, NEXT.format(data=data), sep="\n\n")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else "data"))
    except GraphForgeError as error:
        sys.exit(f"graphforge: {error}")
