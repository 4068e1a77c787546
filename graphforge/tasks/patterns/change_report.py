"""A report of change: how one measure moved from one period to the next, row by row and as a whole."""

from ...records import DerivedColumn, Fact, Output, Plan, Relation, Section
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
    read_column,
    sheet,
    shown_decimals,
    sources,
)
from ._periods import DECIMALS, both_periods, changes, left_out

REASONS = (
    "I'd like a short report on how {about} moved from one period to the next.",
    "Before we write anything about {about}, I want to see what changed, and where.",
    "What has become of {about} since the period before? I need that laid out by {row}.",
    "I'm asked for the change in {about}, with a note that people can read without the workbook.",
    "Everybody talks about the direction of {about}; I'd like to see the change for each {row}.",
)


def change_report(view: View, relation: Relation) -> Composition | None:
    """From a growth relation: both figures, the difference and the change in percent, and a note on where it moved."""
    if len(relation.series) != 2:
        return None
    newer, older = (view.series[name] for name in relation.series)
    late, early = labels(view, (newer, older))
    key = key_label(newer)
    whole = additive(view, newer)
    moved = [change for change, _ in changes(view, newer, older)]
    if not moved:
        return None
    decimals = shown_decimals([max(moved), min(moved)], 2)
    book, note = "change_report.xlsx", "change_note.docx"
    difference, rate = "Difference", "Change (%)"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "older", older, early), read_column(view, "newer", newer, late)),
        derived=(
            DerivedColumn(
                alias="change", label=difference, operation="difference", arguments=("newer", "older")
            ),
            DerivedColumn(alias="rate", label=rate, operation="percent_change", arguments=("newer", "older")),
        ),
        order_by="change",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="overall", operation="sum" if whole else "mean", column="change", decimals=decimals),
            Fact(name="most", operation="top", column="change"),
            Fact(name="most_by", operation="maximum", column="change", decimals=decimals),
            Fact(name="least", operation="bottom", column="change"),
            Fact(name="least_by", operation="minimum", column="change", decimals=decimals),
            Fact(name="fastest", operation="top", column="rate"),
            Fact(name="fastest_rate", operation="maximum", column="rate"),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"From {early} to {late}",
                sheet="Change",
                columns=("older", "newer", "change", "rate"),
                totals=("older", "newer", "change") if whole else (),
            ),
            Output(
                file=note,
                family="docx",
                title="What changed",
                columns=("older", "newer", "change", "rate"),
                sections=(
                    Section(
                        heading="Overall",
                        paragraphs=(
                            "The total change over {rows} rows is {overall}."
                            if whole
                            else "The mean change over {rows} rows is {overall}.",
                        ),
                    ),
                    Section(
                        heading="Largest movements",
                        paragraphs=(
                            "The highest difference is {most_by}, for {most}.",
                            "The lowest difference is {least_by}, for {least}.",
                            "In percent {fastest} is highest, with {fastest_rate}.",
                        ),
                        table=True,
                    ),
                ),
            ),
        ),
        citations=citations(view, ((older, early), (newer, late))),
    )
    row = noun(newer)
    what = view.pick(
        "what",
        f"For each {row} show both figures, the difference (newer less older) and the change in percent of the older "
        "figure, from the highest difference to the lowest.",
        f"I want a line for each {row}: the older figure, the newer one, newer less older, and the same in percent of "
        "the older figure, sorted by the difference with the highest at the top.",
        f"Set the two figures of each {row} side by side and add two columns, newer less older and that in percent of "
        "the older one. The highest difference comes first, the lowest last.",
    )
    sign = view.pick(
        "sign",
        "A fall has a minus sign.",
        "Falls are negative.",
        "Where something fell, difference and percentage are negative.",
    )
    request = (
        f"{both_periods(view, newer, older, (late, early))} {what} {sign}",
        f"{left_out(view, newer)} {no_totals(view)}",
    )
    used = "file" if view.file(newer) == view.file(older) else "files"
    form = sheet(view, "Change", (key, early, late, difference, rate))
    form += f", and a row “Total” under {listed((early, late, difference))}" if whole else ""
    live = "everything computed" if whole else "difference and percentage"
    note_form = view.pick_for(
        len(newer.nodes),
        "note",
        "one page with the headings “Overall”, “Largest movements” and “Sources”, and the table.",
        "a page to read: “Overall”, “Largest movements” and “Sources” as headings, and the table with all lines.",
        "a note that stands on its own, with the table and under the headings “Overall”, “Largest movements” and "
        "“Sources”.",
        "a short note (headings “Overall”, “Largest movements”, “Sources”) with the whole table in it.",
    )
    summed = (
        Stated(note, "overall", "states the total change (the sum of all differences)", ("total",))
        if whole
        else Stated(note, "overall", "states the plain mean of all differences", ("mean",))
    )
    rounding = (
        "Figures to two decimals."
        if decimals == 2
        else f"Percentages to two decimals, other figures to {DECIMALS[decimals]}."
    )
    return Composition(
        plan=plan,
        series={"older": older.id, "newer": newer.id},
        request=request,
        about=about(view, (newer, older), dated=False),
        reasons=REASONS,
        forms={
            book: f"{form}; {live} as live formulas; {sources(view, used)}.",
            note: f"{note_form} {rounding}",
        },
        stated=(
            summed,
            Stated(note, "most", f"names the {row} with the highest difference (the largest rise, if any)"),
            Stated(note, "most_by", "states the highest difference"),
            Stated(note, "least", f"names the {row} with the lowest difference (the largest fall, if any)"),
            Stated(note, "least_by", "states the lowest difference, with its sign"),
            Stated(note, "fastest", f"names the {row} with the highest change in percent"),
            Stated(note, "fastest_rate", "states the highest change in percent"),
        ),
    )
