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
from ..phrases import ROW
from ._periods import DECIMALS, both_periods, changes, left_out

REASONS = (
    "I'd like a short report on how {about} moved from one period to the next.",
    "Before we write anything about {about}, I want to see what changed, and where.",
    "What has become of {about} since the period before? I need that laid out by {row}.",
    "I'm asked for the change in {about}, with a note that people can read without the workbook.",
    "Which way have things gone with {about}? I'd like to see the change for each {row}.",
)


def change_report(view: View, relation: Relation) -> Composition | None:
    """From a growth relation: both figures, the difference and the change in percent, and a note on where it moved."""
    if len(relation.series) != 2:
        return None
    newer, older = (view.series[name] for name in relation.series)
    late, early = labels(view, (newer, older))
    key = key_label(newer)
    # Where nothing says what the rows are, they may be counts under amounts: only percentages can be set side by side.
    alike = noun(newer) != ROW
    whole = alike and additive(view, newer)
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
        order_by="change" if alike else "rate",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="overall", operation="sum" if whole else "mean", column="change", decimals=decimals),
            Fact(name="most", operation="top", column="change"),
            Fact(name="most_by", operation="maximum", column="change", decimals=decimals),
            Fact(name="least", operation="bottom", column="change"),
            Fact(name="least_by", operation="minimum", column="change", decimals=decimals),
            Fact(name="fastest", operation="top", column="rate"),
            Fact(name="fastest_rate", operation="maximum", column="rate"),
            Fact(name="slowest", operation="bottom", column="rate"),
            Fact(name="slowest_rate", operation="minimum", column="rate"),
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
                sections=_sections(alike, whole),
            ),
        ),
        citations=citations(view, ((older, early), (newer, late))),
    )
    row = noun(newer)
    by = "difference" if alike else "percentage"
    what = view.pick(
        "what",
        f"For each {row} show both figures, the difference (newer less older) and the change in percent of the older "
        f"figure, from the highest {by} to the lowest.",
        f"I want a line for each {row}: the older figure, the newer one, newer less older, and the same in percent of "
        f"the older figure, sorted by the {by} with the highest at the top.",
        f"Set the two figures of each {row} side by side and add two columns, newer less older and that in percent of "
        f"the older one. The highest {by} comes first, the lowest last.",
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
    second = "Largest movements" if alike else "All rows"
    note_form = view.pick_for(
        len(newer.nodes),
        "note",
        paged=(
            f"one page with the headings “Overall”, “{second}” and “Sources”, and the table.",
            f"a page to read: “Overall”, “{second}” and “Sources” as headings, and the table with all lines.",
        ),
        free=(
            f"a note that stands on its own, with the table and under the headings “Overall”, “{second}” and "
            "“Sources”.",
            f"a short note (headings “Overall”, “{second}”, “Sources”) with the whole table in it.",
        ),
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
        stated=_stated(note, row, alike, whole),
    )


def _sections(alike: bool, whole: bool) -> tuple[Section, ...]:
    """The text of the note. ``alike``: differences of the rows can be compared; ``whole``: they also add up."""
    percent = (
        "In percent {fastest} is highest, with {fastest_rate}.",
        "In percent {slowest} is lowest, with {slowest_rate}.",
    )
    if not alike:
        return (
            Section(heading="Overall", paragraphs=("The table shows {rows} rows.", *percent)),
            Section(heading="All rows", table=True),
        )
    return (
        Section(
            heading="Overall",
            paragraphs=(
                f"The {'total' if whole else 'mean'} change over {{rows}} rows is {{overall}}.",
                *percent,
            ),
        ),
        Section(
            heading="Largest movements",
            paragraphs=(
                "The highest difference is {most_by}, for {most}.",
                "The lowest difference is {least_by}, for {least}.",
            ),
            table=True,
        ),
    )


def _stated(note: str, row: str, alike: bool, whole: bool) -> tuple[Stated, ...]:
    """What the note must state."""
    percent = (
        Stated(note, "fastest", f"names the {row} with the highest change in percent"),
        Stated(note, "fastest_rate", "states the highest change in percent"),
        Stated(
            note, "slowest", f"names the {row} with the lowest change in percent (the largest fall, if any)"
        ),
        Stated(note, "slowest_rate", "states the lowest change in percent, with its sign"),
    )
    if not alike:
        return percent
    return (
        Stated(note, "overall", "states the total change (the sum of all differences)", ("total",))
        if whole
        else Stated(note, "overall", "states the plain mean of all differences", ("mean",)),
        Stated(note, "most", f"names the {row} with the highest difference (the largest rise, if any)"),
        Stated(note, "most_by", "states the highest difference"),
        Stated(note, "least", f"names the {row} with the lowest difference (the largest fall, if any)"),
        Stated(note, "least_by", "states the lowest difference, with its sign"),
        *percent,
    )
