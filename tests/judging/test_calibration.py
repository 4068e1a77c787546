"""The calibration: accuracy and caught mutants side by side, the same every time."""

import math

import pytest
from golden_case import BOOK, DATA, MEMO, NOTE, make_case, readable

from graphforge.judging import AnchoredJudge, ChecksGrader, RandomJudge, UnanchoredJudge, calibrate, wilson

JUDGES = [AnchoredJudge(), UnanchoredJudge(), RandomJudge(seed=0)]


def cases_in(folder):
    cases = []
    for number, files in enumerate([(BOOK,), (DATA,), (MEMO,), (NOTE,), (BOOK, MEMO), (DATA, NOTE)]):
        home = folder / str(number)
        home.mkdir()
        cases.append(make_case(home, *files, task=f"task-{number}"))
    return cases


def run(folder, **options):
    folder.mkdir()
    return calibrate(
        cases_in(folder), JUDGES, ChecksGrader(violations="binary"), readable, folder / "work", **options
    )


@pytest.fixture(scope="module")
def calibration(tmp_path_factory):
    return run(tmp_path_factory.mktemp("calibration") / "a")


def test_the_anchored_judge_finds_every_golden_deliverable_and_beats_the_others(calibration):
    anchored, unanchored, random = calibration.rows
    assert (anchored.judge, unanchored.judge, random.judge) == ("anchored", "unanchored", "random")
    assert (anchored.accuracy, anchored.caught_share) == (1.0, 1.0)
    assert unanchored.caught_share < anchored.caught_share
    assert unanchored.accuracy < anchored.accuracy
    assert {row.pools for row in calibration.rows} == {6}


def test_the_random_judge_catches_nothing_and_says_that_this_is_undefined(calibration):
    random = calibration.rows[2]
    assert random.mutants_caught is None
    assert random.caught_share is None
    assert {count.caught for count in random.by_kind.values()} == {None}


def test_counts_add_up(calibration):
    mutants = sum(len(line.mutants) for line in calibration.pools)
    for row in calibration.rows:
        assert row.picks + row.unjudged == row.pools
        assert row.mutants == mutants == sum(count.mutants for count in row.by_kind.values())
        assert row.low <= row.accuracy <= row.high
    anchored = calibration.rows[0]
    assert anchored.mutants_caught == sum(count.caught for count in anchored.by_kind.values())


def test_pool_lines_name_what_each_mutant_lost(calibration):
    for line in calibration.pools:
        anchored, unanchored, random = line.judged
        assert anchored.delivered == anchored.scores["golden"]
        assert set(anchored.scores) == {"golden", *(mutant.name for mutant in line.mutants)}
        assert all(anchored.lost[mutant.name] for mutant in line.mutants)
        # The unanchored judge has nothing to tell a changed figure by.
        assert unanchored.lost["changed_figure"] == ()
        assert random.scores == {}


def test_a_second_run_gives_the_same_records(calibration, tmp_path):
    assert run(tmp_path / "b").model_dump_json() == calibration.model_dump_json()


def test_cases_go_through_the_progress_hook(tmp_path):
    seen = []

    def track(items, label, total):
        for item in items:
            seen.append((item.spec.id, label, total))
            yield item

    run(tmp_path / "c", track=track)
    assert [(task, total) for task, _, total in seen] == [(f"task-{number}", 6) for number in range(6)]


def test_no_cases_give_no_accuracy(tmp_path):
    calibration = calibrate([], JUDGES, ChecksGrader(violations="graded"), readable, tmp_path)
    assert [(row.pools, row.accuracy, row.low) for row in calibration.rows] == [(0, None, None)] * 3


def test_wilson_intervals():
    # Newcombe (1998), table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(20, 20)[1] == 1.0
    assert wilson(0, 0) is None
    assert math.isclose(sum(wilson(5, 10)), 1.0)


def test_the_expected_accuracy_averages_ties_out() -> None:
    from graphforge.judging.calibration import JudgedPool, PoolLine, _chance

    def pool(scores: dict[str, float | None]) -> JudgedPool:
        return JudgedPool(judge="j", chosen="golden", correct=True, delivered=1.0, scores=scores, lost={})

    line = PoolLine(task="t", mutants=(), not_made=(), judged=())
    assert _chance(line, pool({"golden": 1.0, "a": 0.5, "b": 0.2})) == 1.0
    assert _chance(line, pool({"golden": 1.0, "a": 1.0, "b": 1.0, "c": 0.9})) == 1 / 3
    assert _chance(line, pool({"golden": 0.8, "a": 1.0})) == 0.0
    assert _chance(line, pool({})) == 1.0
