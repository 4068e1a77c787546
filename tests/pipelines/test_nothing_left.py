"""``empty: pass``: a line that comes to nothing ends with complete books, and says so wherever it could be missed."""

import itertools
import json
from collections.abc import Iterator

import pyarrow.parquet
import pytest
from inside import ONE, RECORDS, Line, books

from graphforge.export.dataset import PARQUET, SCHEMA
from graphforge.judging import JudgeRow
from graphforge.report import Funnel
from pipelines import show
from pipelines._edge import Stopped

# No case is as relevant as that.
BARREN = (*ONE, "assembly.relevance=9")
AFTER = list(RECORDS)[2:]


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """A seed, of which nothing can come."""
    with Line.open(tmp_path_factory.mktemp("barren")) as made:
        made.run("seeds", *BARREN)
        yield made


def test_a_line_that_expects_something_stops(line: Line) -> None:
    with pytest.raises(Stopped, match=r"workspaces: none of 1 inputs was passed on \(no_coherent_case 1\)"):
        line.run("workspaces", *BARREN)
    assert {path.name for path in (line.folder / "data/workspaces").iterdir()} == {"rejected.jsonl"}


# Where every role has a model none is started: there is nothing to ask.
@pytest.mark.parametrize("preset", [(), ("experiment=local",)], ids=["rules", "models"])
def test_one_that_does_not_goes_on_to_the_end(
    line: Line, capsys: pytest.CaptureFixture[str], preset: tuple[str, ...]
) -> None:
    line.run("workspaces", *BARREN, "empty=pass")
    told = capsys.readouterr().err
    assert "graphforge: WARNING: workspaces: none of 1 inputs was passed on (no_coherent_case 1)" in told
    for stage in AFTER:
        line.run(stage, *BARREN, *preset, "empty=pass")
        warned = [text for text in capsys.readouterr().err.splitlines() if "WARNING" in text]
        assert (
            warned == [text for text in warned if f"{stage}: none of 0 inputs" in text] and len(warned) == 1
        )
    line.run("funnel", *BARREN, *preset, "empty=pass", out="data")

    data = line.folder / "data"
    counts = {stage: books(stage, data / stage) for stage in RECORDS}
    for before, after in itertools.pairwise([stage for stage in RECORDS if stage != "calibrate"]):
        assert counts[after].inputs == counts[before].outputs
    assert [(one.stage, one.outputs) for one in counts.values() if one.outputs] == [("seeds", 1)]
    assert list((data / "rollouts" / "files").iterdir()) == []
    funnel = Funnel.model_validate_json((data / "funnel.json").read_bytes())
    assert funnel.coverage.admitted == 0
    for row in json.loads((data / "calibrate/calibration.json").read_bytes())["rows"]:
        assert JudgeRow.model_validate(row).pools == 0 and row["accuracy"] is None

    show.main(data)
    assert "No task was admitted." in capsys.readouterr().out
    assert "**No task was admitted." in (data / "export/huggingface/README.md").read_text()
    table = pyarrow.parquet.read_table(data / "export/huggingface" / PARQUET)
    assert table.num_rows == 0 and table.schema.names == SCHEMA.names
    assert (data / "export/chat/messages.jsonl").read_text() == ""


def test_something_is_no_reason_to_warn(line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    line.run("seeds", *ONE, "empty=pass", out="again")
    assert "WARNING" not in capsys.readouterr().err
