"""Stakeholder communication: what moved between two periods, told to people who won't see the files."""

from collections.abc import Sequence

from ...records import DerivedColumn, Fact, Output, Plan, Section
from ..compose import (
    Composition,
    Stated,
    View,
    about,
    additive,
    citations,
    key_label,
    labels,
    listed,
    no_totals,
    noun,
    nouns,
    read_column,
    whole_numbers,
)
from ._periods import DECIMALS, both_periods, changes, left_out

# Who is written to, and what the text is called.
_READERS = (
    "members of the public who have asked about it",
    "the local press",
    "partner organizations outside",
    "people who have written to us about it",
)
_UNITS = {
    "thousand": "thousands", "million": "millions", "billion": "billions", "USD": "US dollars",
    "thousand USD": "thousands of US dollars", "million USD": "millions of US dollars", "percent": "percent",
}  # fmt: skip
# How many of the largest changes a short table shows: the first number of rows that no tie cuts through.
_SHOWN = (5, 4, 6, 3)
# The least of the changes shown, so that two decimals tell it.
_LEAST = 0.1


def stakeholder_communication(view: View) -> Composition | None:
    """From a growth relation: a letter or brief in plain words, and as a data file the figures behind it.

    None where no short list of largest changes can be told apart from the rest, or its changes are too small to print.
    """
    relation = view.relation("growth")
    if relation is None or len(relation.series) != 2:
        return None
    newer, older = (view.series[name] for name in relation.series)
    moved = [change for change, _ in changes(view, newer, older)]
    shown = shown_of(moved)
    if shown is None:
        return None
    late, early = labels(view, (newer, older))
    key, row, rows = key_label(newer), noun(newer), nouns(newer)
    whole = additive(view, newer)
    decimals = 0 if whole_numbers(view, (newer, older)) else 2
    letter = view.pick("text", "letter.docx", "brief.docx")
    kind = letter.removesuffix(".docx")
    annex = f"{kind}_figures.csv"
    difference, rate = "Difference", "Change (%)"
    rises, falls = any(change > 0 for change in moved), any(change < 0 for change in moved)
    told = [
        "We compared {rows} rows.",
        *(
            ["The total of the older figures was {before}.", "The total of the newer figures is {after}."]
            * whole
        ),
        *(["Added up, the change is {overall}."] * whole),
        *(["In {rose} of the rows the figure rose."] * rises),
        *(["In {fell} of the rows the figure fell."] * falls),
    ]
    largest = [
        *(["{most} has the largest rise, {most_by}."] * rises),
        *(["{least} has the largest fall: a change of {least_by}."] * falls),
        "The table shows the largest changes, up or down.",
    ]
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "older", older, early), read_column(view, "newer", newer, late)),
        derived=(
            DerivedColumn(
                alias="change", label=difference, operation="difference", arguments=("newer", "older")
            ),
            DerivedColumn(alias="rate", label=rate, operation="percent_change", arguments=("newer", "older")),
            DerivedColumn(alias="size", label="Size", operation="distance", arguments=("newer", "older")),
            DerivedColumn(alias="up", label="Rose", operation="above", arguments=("change",), constant=0.0),
            DerivedColumn(alias="down", label="Fell", operation="below", arguments=("change",), constant=0.0),
        ),
        order_by="size",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="before", operation="sum", column="older", decimals=decimals),
            Fact(name="after", operation="sum", column="newer", decimals=decimals),
            Fact(name="overall", operation="sum", column="change", decimals=decimals),
            Fact(name="rose", operation="count_equal", column="up", word="yes", decimals=0),
            Fact(name="fell", operation="count_equal", column="down", word="yes", decimals=0),
            Fact(name="most", operation="top", column="change"),
            Fact(name="most_by", operation="maximum", column="change", decimals=decimals),
            Fact(name="least", operation="bottom", column="change"),
            Fact(name="least_by", operation="minimum", column="change", decimals=decimals),
        ),
        outputs=(
            Output(
                file=letter,
                family="docx",
                title="What has changed",
                columns=("older", "newer", "change", "rate"),
                first=shown,
                sections=(
                    Section(heading="In short", paragraphs=tuple(told)),
                    Section(heading="Largest changes", paragraphs=tuple(largest), table=True),
                ),
            ),
            Output(
                file=annex,
                family="csv",
                title="Both figures and the change, row by row",
                columns=("older", "newer", "change", "rate"),
            ),
        ),
        citations=citations(view, ((older, early), (newer, late))),
    )
    readers = view.pick("readers", *_READERS)
    what = view.pick(
        "what",
        f"For each {row} the difference is newer less older, and the change in percent is that over the older figure.",
        f"The difference of a {row} is its newer figure less the older one; the change in percent is the difference "
        "in percent of the older figure.",
        "Take newer less older as the difference, and the difference in percent of the older figure as the change in "
        "percent.",
    )
    size = view.pick(
        "size",
        "Which changes are the largest goes by the difference, whether it points up or down.",
        "Large and small is a matter of the difference without its sign.",
        "Rank the changes by the size of the difference, no matter in which direction.",
    )
    sign = view.pick(
        "sign",
        "In the tables a fall has a minus sign.",
        "Falls are negative in the tables.",
        "Where something fell, the tables show difference and percentage as negative.",
    )
    counted = view.pick(
        "counted",
        "Counts and totals are over those that are left.",
        "What drops out counts nowhere, not in the totals either.",
        "All counts and totals go without them.",
    )
    number = DECIMALS[shown]
    in_unit = f" ({_UNITS[newer.unit]})" if newer.unit in _UNITS else ""
    heads = listed((key, early, late, difference, rate))
    form = view.pick(
        "form",
        f"a {kind} of about a page for {readers}, in words that need no explanation, with the headings “In short”, "
        f"“Largest changes” and “Sources”.",
        f"the {kind} itself, to be understood by {readers}: whole sentences, no jargon, “In short”, “Largest "
        "changes” and “Sources” as headings.",
        f"a {kind} that {readers} can follow without knowing the files, under the headings “In short”, “Largest "
        "changes” and “Sources”.",
    )
    table = view.pick(
        "table",
        f"Under “Largest changes” goes a table of the {number} largest, and no more, with the columns {heads}.",
        f"It has a table with the {number} largest changes only; its columns are {heads}.",
        f"Put the {number} largest changes, no others, into a table with the columns {heads}.",
    )
    rounding = (
        "Percentages to two decimals, all else in full." if decimals == 0 else "Figures to two decimals."
    )
    rounding += view.pick(
        "scale",
        f" Keep to the scale of the source{in_unit}, and don't convert anything.",
        f" Give figures as the source does{in_unit}, not converted.",
        f" No converting: figures stay on the scale of the source{in_unit}.",
    )
    data = view.pick(
        "data",
        f"the figures behind it, all {rows}, largest change first, under {heads}. Plain numbers, nothing rounded.",
        f"a data file with every {row}, for whoever wants to check: {heads}, largest change on top and unrounded.",
        f"all {rows} as data, with the columns {heads}, from the largest change to the smallest. Don't round there.",
    )
    return Composition(
        plan=plan,
        series={"older": older.id, "newer": newer.id},
        request=(
            f"{both_periods(view, newer, older, (late, early))} {what} {size}",
            f"{sign} {no_totals(view)} {left_out(view, newer)} {counted}",
        ),
        about=about(view, (newer, older), dated=False),
        readers=readers,
        forms={letter: f"{form} {table} {rounding}", annex: data},
        stated=(
            Stated(letter, "before", "states the total of the older figures", ("total",)),
            Stated(letter, "after", "states the total of the newer figures", ("total",)),
            Stated(letter, "overall", "states by how much the total changed"),
            Stated(letter, "rose", f"states in how many {rows} the figure rose", ("rose",)),
            Stated(letter, "fell", f"states in how many {rows} the figure fell", ("fell",)),
            Stated(letter, "most", f"names the {row} with the largest rise"),
            Stated(letter, "most_by", "states how large that rise is"),
            Stated(letter, "least", f"names the {row} with the largest fall"),
            Stated(letter, "least_by", "states how large that fall is"),
        ),
    )


def shown_of(moved: Sequence[float]) -> int | None:
    """How many of the largest changes (by size) a short table can show; None where none of the usual numbers is fair.

    The last one shown is larger than the first one left out, and a tenth of a unit at least.
    """
    sizes = sorted(map(abs, moved), reverse=True)
    for shown in _SHOWN:
        if shown < len(sizes) and sizes[shown - 1] >= max(_LEAST, sizes[shown] * (1 + 1e-9) + 1e-9):
            return shown
    return None
