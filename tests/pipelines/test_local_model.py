"""The embedded model in every role: each stage that a model can do runs, whatever the model says.

In small here, a stage at a time over what the rules engine made of five small files; the whole line over the embedded
library is slow. Skipped where the model can't be had.
"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import Checkout
from hydra.utils import instantiate
from inside import ONE, RECORDS, Line, books

from graphforge.errors import InputError
from graphforge.llm import Ledger
from graphforge.llm.weights import cache_folder
from graphforge.records import StageCount, TaskSpec, read_jsonl, write_jsonl
from graphforge.report import Funnel

# Little to read and little to say: that is what takes the time.
SMALL = (
    "experiment=local",
    "seeds.count=1",
    "engine.pairs_per_seed=1",
    "engine.turns=1",
    "agent.steps=1",
    "reviser.nodes=4",
    "reviser.messages=2",
    "reviser.message_characters=100",
    "reviser.passage_characters=1000",
    *(f"models.{role}.{key}" for role in ("builder", "teacher", "reviser", "judge")
      for key in ("repairs=0", "max_tokens=800")),
)  # fmt: skip
JUDGED = ("grader=agent", "~grader.model", "grader.steps=1")


@pytest.fixture(scope="module")
def weights() -> None:
    """The model's file, in the user's cache."""
    pytest.importorskip("xllamacpp", reason="needs xllamacpp: pip install 'graphforge[local]'")
    try:
        instantiate(Line(Path()).config(*SMALL).models.builder.serve).weights.fetch(cache_folder())
    except InputError as error:
        pytest.skip(f"needs the embedded model: {error}")


@pytest.fixture(scope="module")
def line(weights: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """The outputs of the rules engine, a workspace at each stage."""
    with Line.open(tmp_path_factory.mktemp("small")) as made:
        for stage in RECORDS:
            # So short a rubric would be turned down, and half of it can be met without a file.
            lenient = ("verify.least_criteria=1", "verify.most_blind=1")
            assert books(stage, made.run(stage, *ONE, *lenient)).outputs
            if stage == "tasks":
                shorten(made.folder / "data" / "tasks" / "tasks.jsonl")
        yield made


def shorten(path: Path) -> None:
    """Leave each deliverable its first criterion: a whole rubric is 20,000 characters to read."""
    (spec,) = read_jsonl(path, TaskSpec)
    first = {one.deliverable: one for one in reversed(spec.criteria)}
    left = tuple(one.model_copy(update={"weight": 1 / len(first)}) for one in first.values())
    write_jsonl(path, [TaskSpec.model_validate({**spec.model_dump(), "criteria": left, "penalties": ()})])


def serving(*parents: str) -> int:
    """How many processes serve an embedded model for processes whose id or command line is named; 0 without /proc."""
    found = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_text()
            parent = (path / "stat").read_text().rsplit(")", 1)[1].split()[1]
        except OSError:
            # It has ended meanwhile.
            continue
        found += "llama_server.py" in command and any(one == parent or one in command for one in parents)
    return found


def asked(folder: Path, run: str) -> int:
    """How many questions of a run the model answered."""
    with Ledger.open(folder / "ledger" / "llm.db", "replay") as ledger:
        return sum(row.calls - row.failures for row in ledger.spent(run))


@pytest.mark.parametrize(
    ("stage", "overrides"),
    [
        ("seeds", ()),
        ("workspaces", ()),
        pytest.param("graphs", (), marks=pytest.mark.slow),
        # Enough for one answer; that its faults go back is tried elsewhere, and here would only take time.
        pytest.param("tasks", ("models.builder.serve.context=3500",), marks=pytest.mark.slow),
        ("pilot", ()),
        pytest.param("revise", (), marks=pytest.mark.slow),
        ("admit", JUDGED),
        ("calibrate", (*JUDGED, "~judge@beside.unanchored")),
    ],
)
def test_a_stage_by_the_model_keeps_its_books(line: Line, stage: str, overrides: tuple[str, ...]) -> None:
    target = line.run(stage, *SMALL, f"llm.run={stage}", *overrides, out=f"model/{stage}")
    count = books(stage, target)
    assert count.inputs >= 1
    assert asked(line.folder, stage) >= 1
    assert serving(str(os.getpid())) == 0


def test_a_question_beyond_its_context_costs_the_item_and_not_the_stage(line: Line) -> None:
    # No ledger: it may know the answer already.
    small = ("models.builder.serve.context=512", "llm.ledger=null")
    count = books("graphs", line.run("graphs", *SMALL, *small, out="model/long"))
    assert count.rejected == {"prompt_too_long": 1}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a run, without the ids of the MLflow runs."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "run.json"
    }


@pytest.mark.slow
def test_the_whole_line_over_the_embedded_library(weights: None, tmp_path: Path) -> None:
    checkout = Checkout.make(tmp_path / "checkout")
    for stage in RECORDS:
        checkout.stage(stage, "experiment=local")
        assert serving(str(checkout.folder)) == 0
    checkout.stage("funnel", "experiment=local", "hydra.run.dir=local")
    local = checkout.folder / "local"
    counts = {stage: books(stage, local / stage) for stage in RECORDS}
    for before, after in itertools.pairwise(stage for stage in RECORDS if stage != "calibrate"):
        assert counts[after].inputs == counts[before].outputs, f"{before} to {after}"
    funnel = Funnel.model_validate_json((local / "funnel.json").read_bytes())
    library = StageCount.model_validate_json((local / "workspaces" / "library_counts.json").read_bytes())
    assert funnel.stages == (library, *(counts[stage] for stage in RECORDS if stage != "calibrate"))
    told = checkout.stage("show", "local")
    assert ("No task was admitted." in told) == (funnel.coverage.admitted == 0)
    # DVC runs the same; what was answered is in the ledger.
    checkout.dvc("exp", "run", "-S", "experiment=local")
    assert contents(checkout.folder / "data") == contents(local)
