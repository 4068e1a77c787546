"""Figures and bounds in running text."""

import pytest

from graphforge.evidence.quotes import figures, quotations, sentences, thresholds
from graphforge.records import Block, BlockLocator, Source, WorkspaceFile
from tests.evidence.test_relations import BASE, measure
from tests.made_case import document, sha

RICH = {name: value * 100 for name, value in BASE.items()}


def text(*paragraphs: str):
    one = document("note.txt", "txt", texts=paragraphs)
    source = Source(publisher="p", title="note", licence="CC0-1.0", topic="t")
    file = WorkspaceFile(
        sha256=sha("note.txt"),
        name="note.txt",
        family="txt",
        bytes=1,
        role="supporting",
        why="made",
        source=source,
    )
    return [(file, one)]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("It was 3,310, more than before.", [("3,310", 3310.0)]),
        ("About 1.5 million people.", [("1.5", 1_500_000.0)]),
        ("Sales of $2,100.50 in March.", [("$2,100.50", 2100.5)]),
        ("A loss of (450) units.", [("(450)", -450.0)]),
        ("Form W-2 and section 4.2.1 say so.", []),
        ("From 12 to 15.", [("12", 12.0), ("15", 15.0)]),
    ],
)
def test_figures_with_their_scale(sentence, found):
    assert [(literal, scaled) for literal, _, scaled in figures(sentence)] == found


def test_sentences_keep_decimals_together():
    block = Block(kind="paragraph", text="It rose 3.5 points. Then it  fell.", locator=BlockLocator(block=0))
    assert sentences(block) == ["It rose 3.5 points.", "Then it fell."]


def test_a_quotation_names_row_and_measure():
    found = quotations(text("Permits issued in Cedar came to 3,000."), [measure(RICH)])
    assert [(one.key, one.literal, one.stated) for one in found] == [("cedar", "3,000", 3000.0)]
    assert quotations(text("Cedar came to 3,000."), [measure(RICH)]) == []
    assert quotations(text("Permits issued came to 3,000."), [measure(RICH)]) == []


def test_a_lone_figure_nearby_contradicts_and_a_distant_one_says_nothing():
    near = quotations(text("Permits issued in Cedar came to 3,100."), [measure(RICH)])
    assert [one.stated for one in near] == [3100.0]
    assert quotations(text("Permits issued in Cedar came to 9,900."), [measure(RICH)]) == []
    assert quotations(text("Permits issued in Cedar and Elm came to 3,100 in all."), [measure(RICH)]) == []


@pytest.mark.parametrize(
    ("sentence", "speaks"),
    [
        ("In October 2022 the permits issued in Cedar came to 3,000.", True),
        ("In October 2021 the permits issued in Cedar came to 3,000.", False),
        ("The permits issued in Cedar came to 3,000.", False),
    ],
)
def test_a_quotation_speaks_of_the_period(sentence, speaks):
    found = quotations(text(sentence), [measure(RICH, period="2022-10")])
    assert bool(found) is speaks


def test_rounding_is_no_contradiction():
    found = quotations(
        text("Permits issued in Fir came to 6.13 thousand."), [measure({**RICH, "Fir": 6128.0})]
    )
    (one,) = found
    assert abs(one.stated - 6128.0) <= one.rounding()


@pytest.mark.parametrize(
    ("sentence", "direction", "bound"),
    [
        ("Districts with more than 25 permits issued are audited.", "above", 25.0),
        ("A district with fewer than 25 permits issued needs no audit.", "below", 25.0),
        ("A district needs at least 25 permits issued.", "above", 25.0),
        ("Districts with permits issued above 0.025 thousand are audited.", "above", 25.0),
    ],
)
def test_a_bound_with_its_direction(sentence, direction, bound):
    (one,) = thresholds(text(sentence), [measure(BASE)])
    assert (one.direction, one.bound) == (direction, pytest.approx(bound))


def test_a_row_on_the_bound_voids_only_what_leaves_it_open():
    assert thresholds(text("Districts with more than 30 permits issued need an audit."), [measure(BASE)])
    assert thresholds(text("Districts with at least 30 permits issued need an audit."), [measure(BASE)]) == []


def test_a_bound_that_parts_nothing_is_no_threshold():
    assert (
        thresholds(text("Districts with more than 900 permits issued need an audit."), [measure(BASE)]) == []
    )
    assert thresholds(text("Districts with more than 25 visitors are busy."), [measure(BASE)]) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Regions with more than 25 permits issued are audited.",
        "Districts with more than 25 permits are audited.",
        "Districts with more than 25 permits issued in 2019 are audited.",
        "Districts with more than 25 permits issued and, when small, districts with more than 40 permits issued.",
        "Districts with no more than 25 permits issued, or fewer than 40 permits issued, are not audited.",
    ],
)
def test_a_bound_on_something_else_or_one_of_several_is_not_taken(sentence):
    assert thresholds(text(sentence), [measure(BASE, period="2021")]) == []


def test_a_bound_of_the_right_period_is_taken():
    sentence = "Districts with more than 25 permits issued in 2021 are audited."
    assert len(thresholds(text(sentence), [measure(BASE, "Permits issued 2021", period="2021")])) == 1


def test_each_entry_of_a_list_stands_for_itself():
    block = Block(
        kind="paragraph", text="Rules:\n- More than 5 a\n- Fewer than 9 b", locator=BlockLocator(block=0)
    )
    assert sentences(block) == ["Rules:", "- More than 5 a", "- Fewer than 9 b"]


@pytest.mark.parametrize(
    ("sentence", "pairs"),
    [
        (
            "Permits issued: Alder 1,000, Birch 2,100 and Cedar 3,000.",
            {"alder": 1000.0, "birch": 2100.0, "cedar": 3000.0},
        ),
        ("Of permits issued, 1,000 in Alder and 2,000 in Birch.", {"alder": 1000.0, "birch": 2000.0}),
        ("Small permits issued: Alder 37 and Birch 2,000.", {}),
        ("Permits issued in Alder were 1,000 of 9,000.", {"alder": 1000.0}),
        ("Permits issued in Alder and Birch came to 1,000, 2,000 or so and 5.", {}),
    ],
)
def test_figures_and_rows_are_paired_or_left(sentence, pairs):
    found = quotations(text(sentence), [measure(RICH)])
    assert {one.key: one.stated for one in found} == pairs


def test_small_figures_are_quoted_too():
    found = quotations(text("Permits issued: Alder 10, Birch 22."), [measure(BASE)])
    assert {one.key: one.stated for one in found} == {"alder": 10.0, "birch": 22.0}


def test_one_open_figure_voids_the_whole_text():
    sure, open_one = "Permits issued in Cedar came to 3,000.", "Fir had 6,100."
    assert len(quotations(text(sure), [measure(RICH)])) == 1
    assert quotations(text(sure, open_one), [measure(RICH)]) == []


def test_the_figure_after_the_measures_own_name_is_its_figure():
    permits = measure({**RICH, "Alder": 1124.0}, "Permits issued, 2021", period="2021")
    sentence = "Alder: Permits issued, 2021 were 1,124, against Permits refused, 2021 of 698."
    found = quotations(text(sentence, "Cedar recorded permits issued, 2021 of 3,000."), [permits])
    assert {one.key: one.literal for one in found} == {"alder": "1,124", "cedar": "3,000"}
