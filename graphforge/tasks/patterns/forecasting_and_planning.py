"""Forecasting and planning: change between two periods, carried forward once at the same rate."""

from ...records import DerivedColumn, Fact, Output, Plan, Section
from ..compose import (
    Composition,
    Stated,
    View,
    additive,
    citations,
    key_label,
    labels,
    listed,
    read_column,
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
    totals = ("newer", "older", "change", "projection") if additive(newer) else ()
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
    where = (
        f"Both columns are in {titled(view, view.file(newer))}"
        if same
        else f"The newer figures are in {titled(view, view.file(newer))}, the older in {titled(view, view.file(older))}"
    )
    request = (
        f"For planning I need the movement from “{heads[1]}” to “{heads[0]}”, and a simple look ahead. {where}. For "
        f"every {key.casefold()} with both figures give the change (newer less older), the change in percent of the "
        "older figure, and a projection: the newer figure carried forward once more at the same rate. Leave out totals "
        "and subtotals that the source prints.",
    )
    sheet = (
        f"a sheet “Projection” with the columns {listed((key, *heads, 'Change', 'Change (%)', 'Projection'))}"
    )
    sheet += " and a row “Total” (not for the percentages)" if totals else ""
    return Composition(
        plan=plan,
        series={"newer": newer.id, "older": older.id},
        request=request,
        forms={
            book: sheet
            + "; everything derived as live formulas; a second sheet “Sources” names the files used.",
            brief: "one or two pages with the headings “Outlook”, “Method” and “Sources”, and the table. Two decimals.",
        },
        stated=(
            Stated(brief, "fastest", f"names the {key.casefold()} that rose most"),
            Stated(brief, "fastest_rate", "states the highest rate of change"),
            Stated(brief, "slowest", f"names the {key.casefold()} that rose least or fell most"),
            Stated(brief, "slowest_rate", "states the lowest rate of change"),
            Stated(brief, "highest", f"names the {key.casefold()} with the highest projection"),
            Stated(brief, "highest_projection", "states the highest projection"),
        ),
    )
