"""One task, for a person: by the beginning of its id, drawn, or unpacked with its files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from inside import ONE, Line

from graphforge.errors import InputError
from graphforge.records import Admitted, read_jsonl
from pipelines import task
from pipelines._stages import LINE


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One task, admitted."""
    with Line.open(tmp_path_factory.mktemp("one")) as line:
        for stage in LINE[: LINE.index("admit") + 1]:
            line.run(stage, *ONE)
        yield line.folder / "data"


@pytest.fixture(scope="module")
def one(data: Path) -> Admitted:
    return next(read_jsonl(data / "admit/admitted.jsonl", Admitted))


def test_a_task_is_printed_by_the_beginning_of_its_id(
    data: Path, one: Admitted, capsys: pytest.CaptureFixture[str]
) -> None:
    task.main([one.spec.id[:-4], "--data", str(data), "--all-proof"])
    page = capsys.readouterr().out
    assert page.startswith(f"# {one.spec.id}\n")
    assert "NOT RECOVERED" not in page
    assert page.count("- Proof:") == sum(
        len(item.anchors) for item in (*one.spec.criteria, *one.spec.penalties)
    )
    assert "by reference: score 1.000" in page


def test_a_task_that_was_not_admitted_is_printed_too(
    data: Path, one: Admitted, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = (data / "admit").rename(data / "hidden")
    try:
        task.main([one.spec.id, "--data", str(data)])
    finally:
        hidden.rename(data / "admit")
    page = capsys.readouterr().out
    assert page.startswith(f"# {one.spec.id}\n")
    assert "handed over" not in page


def test_what_is_unpacked_is_what_was_stored(
    data: Path, one: Admitted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task.main(["--draw", "1", "--data", str(data), "--unpack", str(tmp_path)])
    folder = tmp_path / one.spec.id
    assert capsys.readouterr().out.split() == [str(folder)]
    assert (folder / "task.md").read_text().startswith(f"# {one.spec.id}\n")
    assert {path.name for path in (folder / "inputs").iterdir()} == set(one.spec.files)
    for artifact in one.trajectory.artifacts:
        stored = (data / "rollouts/files" / artifact.sha256).read_bytes()
        assert (folder / "handed_over" / artifact.name).read_bytes() == stored


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["nobody"], "nobody: no tasks begin so"),
        (["--draw", "2"], "--draw 2: only 1 tasks were admitted"),
        ([], "No task is named"),
        (["task", "--data", "no/such"], "no/such/tasks/tasks.jsonl does not exist"),
    ],
)
def test_what_cannot_be_shown_is_one_line(data: Path, said: list[str], told: str) -> None:
    with pytest.raises(InputError, match=told):
        task.main(said if "--data" in said else [*said, "--data", str(data)])
