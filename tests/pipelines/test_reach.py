"""What the stages that select report of their selection."""

from collections import Counter

import pytest

from graphforge.records import EXECUTION_PATTERNS
from graphforge.seeds import Candidate, DemoOccupations, MarginalCoverage, choose, propose, seed_dimensions
from pipelines._reach import report


class Desk:
    """Keeps what a stage logs."""

    def __init__(self) -> None:
        self.logged: dict[str, float] = {}
        self.tables: dict[str, dict[str, list]] = {}
        self.figures: list[str] = []

    def metrics(self, values) -> None:
        self.logged |= values

    def table(self, name, columns) -> None:
        self.tables[name] = columns

    def figure(self, name, figure) -> None:
        self.figures.append(name)


SEEDS, _ = propose(DemoOccupations().load(), EXECUTION_PATTERNS)
# As after materialization: several families of the files, and dimensions that only they have.
FOUND = [
    Candidate(
        id=seed.id,
        values={
            **seed_dimensions(seed),
            "input_family": ("delimited", "document"),
            "core_family": ("delimited",),
        },
    )
    for seed in SEEDS
]


def reported(count: int, capsys: pytest.CaptureFixture[str]) -> tuple[Desk, list[str], str]:
    balance = MarginalCoverage(dimensions=("sector", "pattern"))
    picked, _ = choose(SEEDS, FOUND, balance, count, None)
    desk = Desk()
    names = [seed.id for seed in picked]
    report(desk, FOUND, names, SEEDS, count, [], "workspaces")  # type: ignore[arg-type]
    return desk, names, capsys.readouterr().out


def test_metrics_tables_and_figure_tell_of_the_same_selection(capsys: pytest.CaptureFixture[str]) -> None:
    desk, names, said = reported(30, capsys)
    picked = [seed for seed in SEEDS if seed.id in names]
    assert desk.logged["coverage.cells"] == len({(seed.sector, seed.pattern) for seed in picked})
    assert desk.logged["coverage.dwas"] == len({seed.dwa_id for seed in picked})
    assert desk.logged["offered.dwas"] == len({seed.dwa_id for seed in SEEDS})
    assert desk.logged["coverage.input_families"] == 2
    assert desk.logged["coverage.core_families"] == 1
    assert (desk.logged["asked"], desk.logged["short"], said) == (30, 0, "")
    assert desk.figures == ["sector_by_pattern"]
    assert set(desk.tables) == {"coverage", "coverage_by_value", "sector_by_pattern"}
    assert sum(desk.tables["sector_by_pattern"]["selected"]) == 30
    by_value = list(zip(*desk.tables["coverage_by_value"].values(), strict=True))
    sectors = Counter(seed.sector_name for seed in picked)
    assert {row[2]: row[4] for row in by_value if row[0] == "sector" and row[4]} == sectors


def test_a_stage_that_finds_less_than_was_asked_for_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    desk, names, said = reported(2000, capsys)
    assert said == f"workspaces: 2000 were asked for and there were only {len(SEEDS)}: all were taken\n"
    assert desk.logged["short"] == 2000 - len(names) == 2000 - len(SEEDS)
