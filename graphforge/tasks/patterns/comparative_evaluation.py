"""Comparative evaluation: rank things by one measure in relation to another, and say who leads and who trails."""

from ...records import DerivedColumn, Fact, Output, Plan, Section
from ..compose import (
    Composition,
    Stated,
    View,
    citations,
    headed,
    key_label,
    labels,
    no_totals,
    noun,
    nouns,
    ratios,
    read_column,
    sheet,
    shown_decimals,
    sources,
    titled,
)

_DECIMALS = ("no", "one", "two", "three", "four", "five", "six")


def comparative_evaluation(view: View) -> Composition | None:
    """From a shared-key relation: a ranking by the ratio, and a brief."""
    relation = view.relation("shared_key")
    if relation is None or len(relation.series) != 2:
        return None
    left, right = (view.series[name] for name in relation.series)
    heads = labels(view, (left, right))
    key = key_label(left)
    decimals = shown_decimals(ratios(view, left, right))
    book, brief = "ranking.xlsx", "comparison_brief.pdf"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "a", left, heads[0]), read_column(view, "b", right, heads[1])),
        derived=(DerivedColumn(alias="ratio", label="Ratio", operation="ratio", arguments=("a", "b")),),
        order_by="ratio",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="first", operation="top", column="ratio"),
            Fact(name="first_ratio", operation="maximum", column="ratio", decimals=decimals),
            Fact(name="last", operation="bottom", column="ratio"),
            Fact(name="last_ratio", operation="minimum", column="ratio", decimals=decimals),
            Fact(name="mean_ratio", operation="mean", column="ratio", decimals=decimals),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title="Ranking by ratio",
                sheet="Ranking",
                columns=("a", "b", "ratio"),
            ),
            Output(
                file=brief,
                family="pdf",
                title="Comparison brief",
                columns=("a", "b", "ratio"),
                sections=(
                    Section(
                        heading="Findings",
                        paragraphs=(
                            "{first} ranks first of {rows} with a ratio of {first_ratio}.",
                            "{last} ranks last with a ratio of {last_ratio}.",
                            "The mean ratio over all rows is {mean_ratio}.",
                        ),
                    ),
                    Section(
                        heading="Basis of comparison",
                        paragraphs=(
                            f"The ratio is {heads[0]} divided by {heads[1]}, for the rows that both sources list.",
                        ),
                        table=True,
                    ),
                ),
            ),
        ),
        citations=citations(view, ((left, heads[0]), (right, heads[1]))),
    )
    row, rows = noun(left), nouns(left)
    first, second = headed(left, heads[0]), headed(right, heads[1])
    here, there = titled(view, view.file(left)), titled(view, view.file(right))
    where = view.pick(
        "where",
        f"{first} is in {here}, {second} in {there}.",
        f"Take {first} from {here} and {second} from {there}.",
        f"The first column is {first} in {here}; set it against {second} in {there}.",
    )
    how = view.pick(
        "how",
        f"For every {row} that both files list, divide the first by the second, and rank from the highest ratio to the "
        "lowest.",
        f"Only {rows} that stand in both files count. Their ratio is the first figure divided by the second; the "
        "highest comes first.",
        f"The ratio is the first figure divided by the second, for each {row} that both of them have, sorted from the "
        "highest down.",
    )
    rounding = view.pick("rounding", "Don't round in the workbook.", "No rounding in the workbook, please.")
    request = (f"{where} {how} {no_totals(view)} {rounding}",)
    brief_form = view.pick_for(
        len(left.nodes),
        "brief",
        paged=(
            "one or two pages for readers who won't open the workbook, with the headings “Findings”, “Basis of "
            "comparison” and “Sources”, and the full table.",
            "a brief of at most two pages under the headings “Findings”, “Basis of comparison” and “Sources”, with the "
            "whole table in it.",
            "the same for people without a spreadsheet: up to two pages, headings “Findings”, “Basis of comparison” "
            "and “Sources”, the full table included.",
        ),
        free=(
            "for readers who won't open the workbook, with the headings “Findings”, “Basis of comparison” and "
            "“Sources”, and the full table.",
        ),
    )
    return Composition(
        plan=plan,
        series={"a": left.id, "b": right.id},
        request=request,
        forms={
            book: f"{sheet(view, 'Ranking', (key, *heads, 'Ratio'))}, highest ratio first, the ratio as a live "
            f"formula; {sources(view)}.",
            brief: f"{brief_form} Ratios there to {_DECIMALS[decimals]} decimals.",
        },
        stated=(
            Stated(brief, "first", f"names the {row} that ranks first"),
            Stated(brief, "first_ratio", "states the highest ratio"),
            Stated(brief, "last", f"names the {row} that ranks last"),
            Stated(brief, "last_ratio", "states the lowest ratio"),
            Stated(brief, "mean_ratio", "states the plain (unweighted) mean of all ratios", ("mean",)),
        ),
    )
