"""The judge variants: what each sees, and that nothing but the score decides a pick."""

import pytest
from golden_case import DATA, make_case, make_spec, readable

from graphforge.judging import AnchoredJudge, ChecksGrader, PoolMember, RandomJudge, UnanchoredJudge
from graphforge.records import Verdict

GRADING = [AnchoredJudge(), UnanchoredJudge()]
SPEC = make_spec(DATA)


class Fixed:
    """A grader that gives every candidate the score it is told to, by the deliverables' one key."""

    def __init__(self, scores):
        self.scores = scores
        self.seen = []

    def grade(self, spec, deliverables, judge, candidate):
        self.seen.append((spec, judge, candidate))
        (name,) = deliverables
        return Verdict(task=spec.id, candidate=candidate, judge=judge, criteria=(), score=self.scores[name])


def members(*names, golden=0):
    return [PoolMember(name, {name: None}, golden=place == golden) for place, name in enumerate(names)]


def tasks(count):
    return [SPEC.model_copy(update={"id": f"task-{number}"}) for number in range(count)]


def test_each_judge_grades_its_own_view_of_the_specification():
    for judge, view in ((AnchoredJudge(), SPEC), (UnanchoredJudge(), SPEC.redacted())):
        grader = Fixed({"a": 0.5, "b": 0.7})
        pick = judge.pick(SPEC, members("a", "b"), grader)
        assert [spec for spec, _, _ in grader.seen] == [view, view]
        assert {name for _, name, _ in grader.seen} == {judge.name}
        assert (pick.chosen, pick.correct) == ("b", False)
        assert pick.scores == {"a": 0.5, "b": 0.7}


def test_the_two_views_differ():
    assert SPEC.redacted() != SPEC


def test_the_random_judge_never_grades():
    grader = Fixed({})
    pick = RandomJudge(seed=1).pick(SPEC, members("a", "b", "c"), grader)
    assert grader.seen == []
    assert pick.chosen in {"a", "b", "c"}
    assert pick.scores == {}
    assert pick == RandomJudge(seed=1).pick(SPEC, members("a", "b", "c"), grader)


def share_of_golden(judge, size, golden, count=3000):
    names = [f"n{number}" for number in range(size)]
    grader = Fixed(dict.fromkeys(names, 0.8))
    picks = [judge.pick(spec, members(*names, golden=golden), grader) for spec in tasks(count)]
    return sum(bool(pick.correct) for pick in picks) / count


@pytest.mark.parametrize("golden", [0, 3])
@pytest.mark.parametrize(
    "judge", [*GRADING, RandomJudge(seed=0), RandomJudge(seed=7)], ids=lambda judge: judge.name
)
def test_equal_scores_give_the_golden_candidate_its_fair_share_and_no_more(judge, golden):
    # Four standard errors of a share of 1/4 over 3000 tasks are 0.032.
    assert share_of_golden(judge, 4, golden) == pytest.approx(1 / 4, abs=0.032)


def test_neither_the_name_nor_the_golden_mark_moves_a_tie():
    for spec in tasks(50):
        one = AnchoredJudge().pick(
            spec, members("golden", "x", "y"), Fixed(dict.fromkeys(("golden", "x", "y"), 1.0))
        )
        two = AnchoredJudge().pick(spec, members("q", "r", "s", golden=2), Fixed(dict.fromkeys("qrs", 1.0)))
        assert ["golden", "x", "y"].index(one.chosen) == ["q", "r", "s"].index(two.chosen)


def test_the_grader_is_shown_positions_not_names():
    grader = Fixed(dict.fromkeys(("golden", "x", "y"), 1.0))
    AnchoredJudge().pick(SPEC, members("golden", "x", "y"), grader)
    assert [name for _, _, name in grader.seen] == ["candidate-1", "candidate-2", "candidate-3"]


def test_a_pool_with_an_unjudged_candidate_has_no_ranking():
    pick = AnchoredJudge().pick(SPEC, members("a", "b"), Fixed({"a": 0.9, "b": None}))
    assert (pick.chosen, pick.correct) == (None, None)
    assert pick.scores == {"a": 0.9, "b": None}


def test_an_empty_pool_has_no_pick():
    for judge in (*GRADING, RandomJudge(seed=0)):
        assert judge.pick(SPEC, [], Fixed({})).chosen is None


def test_with_the_real_grader_a_better_candidate_wins(tmp_path):
    case = make_case(tmp_path, DATA)
    golden = {name: readable(path) for name, path in case.golden.items()}
    pool = [PoolMember("nothing", {}), PoolMember("all", golden, golden=True)]
    for judge in GRADING:
        assert judge.pick(case.spec, pool, ChecksGrader(violations="graded")).correct is True
