"""Forecasting and planning: change between two periods, carried forward once at the same rate."""

from ...records import DerivedColumn, Fact, Output, Plan, Section
from ..compose import (
    Composition,
    Stated,
    View,
    about,
    additive,
    citations,
    headed,
    key_label,
    labels,
    no_totals,
    noun,
    read_column,
    sheet,
    sources,
    titled,
)


def forecasting_and_planning(view: View) -> Composition | None:
    """From a growth relation: change, rate and projection a row, and a brief."""
    relation = view.relation("growth")
    if relation is None or len(relation.series) != 2:
        return None
    newer, older = (view.series[name] for name in relation.series)
    heads = labels(view, (newer, older))
    key = key_label(newer)
    totals = ("newer", "older", "change", "projection") if additive(view, newer) else ()
    book, brief = "projection.xlsx", "projection_brief.pdf"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "newer", newer, heads[0]), read_column(view, "older", older, heads[1])),
        derived=(
            DerivedColumn(
                alias="change", label="Change", operation="difference", arguments=("newer", "older")
            ),
            DerivedColumn(
                alias="rate", label="Change (%)", operation="percent_change", arguments=("newer", "older")
            ),
            DerivedColumn(
                alias="projection", label="Projection", operation="projection", arguments=("newer", "older")
            ),
        ),
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="fastest", operation="top", column="rate"),
            Fact(name="fastest_rate", operation="maximum", column="rate"),
            Fact(name="slowest", operation="bottom", column="rate"),
            Fact(name="slowest_rate", operation="minimum", column="rate"),
            Fact(name="highest", operation="top", column="projection"),
            Fact(name="highest_projection", operation="maximum", column="projection"),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"{heads[0]}: change and projection",
                sheet="Projection",
                columns=("newer", "older", "change", "rate", "projection"),
                totals=totals,
            ),
            Output(
                file=brief,
                family="pdf",
                title="Projection brief",
                columns=("newer", "older", "rate", "projection"),
                sections=(
                    Section(
                        heading="Outlook",
                        paragraphs=(
                            "Of {rows} rows, {fastest} rose most, by {fastest_rate} percent.",
                            "{slowest} rose least or fell most: {slowest_rate} percent.",
                            "The highest projection is {highest_projection}, for {highest}.",
                        ),
                    ),
                    Section(
                        heading="Method",
                        paragraphs=(
                            f"Change is {heads[0]} less {heads[1]}; the rate is in percent of the older figure. The "
                            "projection carries the newer figure forward once more at the same rate and is no forecast "
                            "of anything that would break the trend.",
                        ),
                        table=True,
                    ),
                ),
            ),
        ),
        citations=citations(view, ((newer, heads[0]), (older, heads[1]))),
    )
    same = view.file(newer).sha256 == view.file(older).sha256
    row = noun(newer)
    late, early = headed(newer, heads[0]), headed(older, heads[1])
    here, there = titled(view, view.file(newer)), titled(view, view.file(older))
    where = (
        view.pick(
            "where",
            f"The newer figures are {late}, the older {early}; both columns are in {here}.",
            f"{here} has both columns: {late} is the newer one, {early} the older.",
        )
        if same
        else view.pick(
            "where",
            f"The newer figures are {late} in {here}, the older {early} in {there}.",
            f"{early} in {there} is the older column, {late} in {here} the newer.",
        )
    )
    what = view.pick(
        "what",
        f"For every {row} with both figures give the change (newer less older), the change in percent of the older "
        "figure, "
        "and a projection: the newer figure carried forward once more at the same rate, that is, newer times newer "
        "over older.",
        f"I need three things for each {row} that has both: newer less older, the same in percent of the older "
        "figure, and "
        "a projection that lets the newer figure change once more by that percentage (newer times newer over older).",
        f"Per {row}, where both figures are there: the change from older to newer, as an amount and in percent of "
        "the older "
        "one, and the newer figure moved on by the same percentage again (newer times newer, divided by older).",
    )
    sign = view.pick(
        "sign", "A fall is a negative change.", "Falls carry a minus sign.", "Keep the sign of a fall."
    )
    used = "file" if same else "files"
    request = (f"{where} {what} {sign} {no_totals(view)}",)
    form = sheet(view, "Projection", (key, *heads, "Change", "Change (%)", "Projection"))
    form += " and a row “Total” (not for the percentages)" if totals else ""
    brief_form = view.pick_for(
        len(newer.nodes),
        "brief",
        paged=(
            "one or two pages with the headings “Outlook”, “Method” and “Sources”, and the table.",
            "a brief of up to two pages: “Outlook”, “Method” and “Sources” as headings, and the table.",
            "at most two pages to pass on, with the table and the headings “Outlook”, “Method” and “Sources”.",
        ),
        free=("a brief to pass on: “Outlook”, “Method” and “Sources” as headings, and the table.",),
    )
    return Composition(
        plan=plan,
        series={"newer": newer.id, "older": older.id},
        request=request,
        about=about(view, (newer, older), dated=False),
        forms={
            book: f"{form}; everything derived as live formulas; {sources(view, used)}.",
            brief: f"{brief_form} Figures to two decimals.",
        },
        stated=(
            Stated(brief, "fastest", f"names the {row} with the highest percentage change"),
            Stated(brief, "fastest_rate", "states the highest percentage change"),
            Stated(
                brief,
                "slowest",
                f"names the {row} with the lowest percentage change (the largest fall, if anything fell)",
            ),
            Stated(brief, "slowest_rate", "states the lowest percentage change, with its sign"),
            Stated(brief, "highest", f"names the {row} with the highest projection"),
            Stated(brief, "highest_projection", "states the highest projection"),
        ),
    )
