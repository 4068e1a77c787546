"""Print one task for a person to read: the request, its files, each criterion with the passages that prove it.

``python -m pipelines.task [ID ...] [--data data] [--draw N --seed S] [--all-proof] [--unpack FOLDER]``; it is no stage.
Admitted tasks come with what was found in the work, others as they were revised or compiled.
"""

import argparse
import random
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from graphforge.errors import GraphForgeError, InputError
from graphforge.records import Admitted, Anchor, Revision, TaskSpec, Workspace, read_jsonl
from graphforge.report import task_page
from graphforge.workspace import NotRecovered
from pipelines._files import inputs, reader

Task = TaskSpec | Admitted


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m pipelines.task", description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", metavar="ID", help="the tasks, or the beginnings of their ids")
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="where the stages wrote (default: data)"
    )
    parser.add_argument("--draw", type=int, metavar="N", help="so many admitted tasks, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    parser.add_argument(
        "--all-proof", action="store_true", help="every passage of a criterion, not the first 8"
    )
    parser.add_argument(
        "--unpack", type=Path, metavar="FOLDER", help="write a folder a task: page, inputs, deliverables"
    )
    given = parser.parse_args(arguments)
    known = dict(found(given.data))
    for task in chosen(known, given.tasks, given.draw, given.seed):
        page = read_page(given.data, task, None if given.all_proof else 8)
        if given.unpack is None:
            print(page)
        else:
            unpack(given.data, task, page, given.unpack)


def found(data: Path) -> Iterator[tuple[str, Task]]:
    """Every task below ``data`` as far as it got, by id; those that got furthest come last, and so count."""
    if not (data / "tasks/tasks.jsonl").is_file():
        raise InputError(
            f"{data / 'tasks/tasks.jsonl'} does not exist",
            "Run the line first, or name its folder with --data",
        )
    for spec in read_jsonl(data / "tasks/tasks.jsonl", TaskSpec):
        yield spec.id, spec
    for stage in ("revise", "verify"):
        if (data / stage / "revisions.jsonl").is_file():
            for one in read_jsonl(data / stage / "revisions.jsonl", Revision):
                yield one.spec.id, one.spec
    if (data / "admit/admitted.jsonl").is_file():
        for admitted in read_jsonl(data / "admit/admitted.jsonl", Admitted):
            yield admitted.spec.id, admitted


def chosen(known: Mapping[str, Task], names: list[str], draw: int | None, seed: int) -> list[Task]:
    """The tasks named, each by the beginning of its id, and those drawn of the admitted."""
    picked: list[Task] = []
    for name in names:
        hits = [task for id, task in known.items() if id.startswith(name)]
        if len(hits) != 1:
            raise InputError(
                f"{name}: {len(hits) or 'no'} tasks begin so",
                f"Name one of {len(known)}, as in {min(known, default='-')}",
            )
        picked += hits
    if draw is not None:
        admitted = [known[id] for id in sorted(known) if isinstance(known[id], Admitted)]
        if draw > len(admitted):
            raise InputError(f"--draw {draw}: only {len(admitted)} tasks were admitted", "Draw fewer")
        picked += random.Random(seed).sample(admitted, draw)
    if not picked:
        raise InputError(
            "No task is named", f"Name one (as in {min(known, default='-')}), or draw some with --draw N"
        )
    return picked


def read_page(data: Path, task: Task, most: int | None) -> str:
    """The page, with every passage read again from the original file."""
    workspace = space(data, task)
    with reader(data / "workspaces", workspace) as reread:

        def text(anchor: Anchor) -> str:
            try:
                return reread.read(anchor.file, anchor.locator)
            except NotRecovered as error:
                return f"NOT RECOVERED: {error}"

        return task_page(task, workspace, text, most)


def space(data: Path, task: Task) -> Workspace:
    """The workspace of a task."""
    wanted = (task.spec if isinstance(task, Admitted) else task).workspace
    for one in read_jsonl(data / "rebalance/workspaces.jsonl", Workspace):
        if one.id == wanted:
            return one
    raise InputError(f"{data / 'rebalance/workspaces.jsonl'} has no workspace {wanted}", "Run the line again")


def unpack(data: Path, task: Task, page: str, folder: Path) -> None:
    """``folder/<id>``: task.md, the inputs, and the deliverables where there are any."""
    target = folder / (task.spec if isinstance(task, Admitted) else task).id
    (target / "inputs").mkdir(parents=True, exist_ok=True)
    for name, path in inputs(data / "workspaces", space(data, task)).items():
        shutil.copyfile(path, target / "inputs" / name)
    (target / "task.md").write_text(page, encoding="utf-8")
    if isinstance(task, Admitted):
        (target / "handed_over").mkdir(exist_ok=True)
        for artifact in task.trajectory.artifacts:
            shutil.copyfile(data / "rollouts/files" / artifact.sha256, target / "handed_over" / artifact.name)
    print(target)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except GraphForgeError as error:
        print(f"graphforge: {error}", file=sys.stderr)
        sys.exit(2)
