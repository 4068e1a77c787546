"""How far a grader agrees with itself: against published figures, and on pools judged twice."""

import pytest
from golden_case import DATA, make_case, readable
from hypothesis import given
from hypothesis import strategies as st

from graphforge.judging import AnchoredJudge, ChecksGrader, RandomJudge, calibrate, krippendorff, spearman
from graphforge.judging.agreement import Repeats
from graphforge.judging.pool import Pick
from graphforge.records import CriterionVerdict, Verdict

NONE = None
# K. Krippendorff, Computing Krippendorff's alpha-reliability (2011): four observers, twelve units.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3),
    (NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE),
)


def test_alpha_is_the_published_one_for_interval_data():
    assert krippendorff(list(zip(*OBSERVERS, strict=True))) == pytest.approx(0.849, abs=5e-4)


@pytest.mark.parametrize(
    ("units", "alpha"),
    [
        ([(0, 0), (1, 1)], 1.0),
        ([(0, 1), (1, 0)], -0.5),
        ([(1, 1), (1, 1)], None),
        ([(1, None)], None),
        ([], None),
    ],
)
def test_alpha_at_its_ends(units, alpha):
    assert krippendorff(units) == (None if alpha is None else pytest.approx(alpha))


@pytest.mark.parametrize(
    ("left", "right", "rank"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0), ([1, 2, 3], [3, 2, 1], -1.0), ([1, 1], [1, 2], None), ([1], [1], None),
        ([1, 2, 2, 3], [1, 2, 3, 3], 15 / 18),
    ],
)  # fmt: skip
def test_rank_correlation(left, right, rank):
    assert spearman(left, right) == (None if rank is None else pytest.approx(rank))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2))
def test_agreement_is_never_more_than_perfect(units):
    alpha = krippendorff(units)
    assert alpha is None or alpha <= 1 + 1e-9
    rank = spearman([one for one, _ in units], [two for _, two in units])
    assert rank is None or -1 - 1e-9 <= rank <= 1 + 1e-9


def mark(fraction):
    outcome = "unjudged" if fraction is None else "not_met"
    return CriterionVerdict(criterion="k", outcome=outcome, fraction=fraction)


def pick(*fractions):
    verdicts = tuple(
        Verdict(
            task="t", candidate=f"c{number}", judge="j", score=fraction,
            criteria=(mark(fraction),),
        )
        for number, fraction in enumerate(fractions)
    )  # fmt: skip
    return Pick(
        task="t", judge="j", chosen=None, correct=None, verdicts=verdicts,
        scores={one.candidate: one.score for one in verdicts},
    )  # fmt: skip


def test_repeats_that_differ_are_counted_and_what_is_unjudged_is_no_mark():
    repeats = Repeats()
    repeats.add([pick(1.0, 0.5, 0.0), pick(1.0, 0.4, 0.0)])
    repeats.add([pick(1.0, None), pick(1.0, 0.2)])
    found = repeats.agreement(2)
    assert (found.marks, found.exact, found.rank) == (5, 0.75, 1.0)
    assert 0.9 < found.alpha < 1
    assert repeats.agreement(1) is None and Repeats().agreement(2) is None


def test_who_executes_checks_says_the_same_every_time_and_who_never_looks_says_nothing(tmp_path):
    case = make_case(tmp_path, DATA)
    grader = ChecksGrader(violations="binary")
    made = calibrate(
        [case], [AnchoredJudge(), RandomJudge(seed=0)], grader, readable, tmp_path / "p", repeats=3
    )
    anchored, random = made.rows
    assert (anchored.agreement.repeats, anchored.agreement.exact) == (3, 1.0)
    assert anchored.agreement.alpha == pytest.approx(1.0) and anchored.agreement.rank == pytest.approx(1.0)
    assert random.agreement is None
    (once,) = calibrate([case], [AnchoredJudge()], grader, readable, tmp_path / "q").rows
    assert once.agreement is None
    assert once == anchored.model_copy(update={"agreement": None})
