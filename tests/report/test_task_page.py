"""A task's page holds everything of the specification, and nothing that steers a terminal."""

import pytest

from graphforge.records import (
    Admitted,
    Artifact,
    CriterionVerdict,
    Message,
    PenaltyVerdict,
    TaskSpec,
    Trajectory,
    Verdict,
    stable_hash,
)
from graphforge.report import task_page
from graphforge.tasks import compile_task
from tests.made_case import CASES, graph, reread, workspace

PATTERN = "reconciliation"
SPACE = workspace(PATTERN, **CASES[PATTERN])


@pytest.fixture(scope="module")
def spec() -> TaskSpec:
    made = compile_task(SPACE, graph(PATTERN))
    assert isinstance(made, TaskSpec)
    return made


def admitted(spec: TaskSpec) -> Admitted:
    first, *others = spec.criteria
    return Admitted(
        spec=spec,
        trajectory=Trajectory(
            task=spec.id,
            agent="somebody",
            informed=False,
            statement_hash=stable_hash(spec.statement),
            status="completed",
            messages=(Message(role="user", content="go"),),
            artifacts=(Artifact(name=spec.deliverables[0].file, sha256="0" * 64, bytes=1234),),
        ),
        verdict=Verdict(
            task=spec.id,
            candidate="somebody",
            judge="anchored",
            criteria=(
                CriterionVerdict(
                    criterion=first.id, outcome="not_met", fraction=0.25, evidence="a \x1b[31mred\n# lie"
                ),
                *(CriterionVerdict(criterion=one.id, outcome="met", fraction=1) for one in others),
            ),
            penalties=tuple(
                PenaltyVerdict(penalty=one.id, outcome="met", degree=1) for one in spec.penalties
            ),
            score=0.5,
        ),
    )


def test_a_page_holds_the_whole_specification(spec: TaskSpec) -> None:
    page = task_page(spec, SPACE, lambda anchor: reread(anchor.file, anchor.locator), None)
    for paragraph in filter(None, spec.statement.splitlines()):
        assert " ".join(paragraph.split()) in page
    for file in SPACE.files:
        assert f"`{file.name}` ({file.role}" in page
        assert file.source.licence in page
    for item in spec.criteria:
        assert item.requirement in page
        assert item.expected is None or item.expected in page
        for anchor in item.anchors:
            assert f"{anchor.locator.show()}: {reread(anchor.file, anchor.locator)}" in page
    for prohibited in spec.penalties:
        assert prohibited.prohibited in page
    assert "Found" not in page


def test_proof_that_is_not_shown_is_counted(spec: TaskSpec) -> None:
    page = task_page(spec, SPACE, lambda anchor: "text", 1)
    assert page.count("- Proof:") == sum(bool(item.anchors) for item in (*spec.criteria, *spec.penalties))
    left = [len(item.anchors) - 1 for item in (*spec.criteria, *spec.penalties) if len(item.anchors) > 1]
    assert [f"- and {number:,} more places" in page for number in left] == [True] * len(left)
    assert page.count("more places") == len(left) > 0


def test_what_was_found_in_the_work_stands_beside_what_counts(spec: TaskSpec) -> None:
    page = task_page(admitted(spec), SPACE, lambda anchor: "text")
    assert "- Found: not_met (0.25). a [31mred # lie" in page
    assert page.count("- Found: met (1.00)") == len(spec.criteria) - 1
    assert page.count("- Found: violated (1.00)") == len(spec.penalties) > 0
    assert f"`{spec.deliverables[0].file}` (1,234 bytes) by somebody: score 0.500" in page


@pytest.mark.parametrize(
    "spoilt", ["\x1b[2J", "\x9b2J", "a\r\nb", "\u202eevil", "\x00", "# Title\n# Other", "\u2028x"]
)
def test_text_of_a_file_stays_on_its_line(spec: TaskSpec, spoilt: str) -> None:
    clean = task_page(spec, SPACE, lambda anchor: "text")
    page = task_page(spec, SPACE, lambda anchor: f"text{spoilt}")
    assert len(page.splitlines()) == len(clean.splitlines())
    assert not [sign for sign in page if not sign.isprintable() and sign != "\n"]
