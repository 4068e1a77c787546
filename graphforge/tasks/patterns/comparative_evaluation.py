"""Comparative evaluation: rank things by one measure in relation to another, and say who leads and who trails."""

from ...records import DerivedColumn, Fact, Output, Plan, Section
from ..compose import Composition, Stated, View, citations, key_label, labels, listed, read_column, titled


def comparative_evaluation(view: View) -> Composition | None:
    """From a shared-key relation: a ranking by the ratio, and a brief."""
    relation = view.relation("shared_key")
    if relation is None or len(relation.series) != 2:
        return None
    left, right = (view.series[name] for name in relation.series)
    heads = labels(view, (left, right))
    key = key_label(left)
    book, brief = "ranking.xlsx", "comparison_brief.pdf"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "a", left, heads[0]), read_column(view, "b", right, heads[1])),
        derived=(DerivedColumn(alias="ratio", label="Ratio", operation="ratio", arguments=("a", "b")),),
        order_by="ratio",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="first", operation="top", column="ratio"),
            Fact(name="first_ratio", operation="maximum", column="ratio", decimals=4),
            Fact(name="last", operation="bottom", column="ratio"),
            Fact(name="last_ratio", operation="minimum", column="ratio", decimals=4),
            Fact(name="mean_ratio", operation="mean", column="ratio", decimals=4),
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
    request = (
        f"I have to say who stands where on “{heads[0]}” in relation to “{heads[1]}”. The first is in "
        f"{titled(view, view.file(left))}, the second in {titled(view, view.file(right))}. Take every "
        f"{key.casefold()} that both of them list, divide the first by the second, and rank from the highest ratio to "
        "the lowest. Totals and subtotals in the sources don't take part.",
    )
    return Composition(
        plan=plan,
        series={"a": left.id, "b": right.id},
        request=request,
        forms={
            book: f"a sheet “Ranking” with the columns {listed((key, *heads, 'Ratio'))}, highest ratio "
            f"first, the ratio as a "
            "live formula; a second sheet “Sources” names the files used.",
            brief: "one or two pages for readers who won't open the workbook, with the headings “Findings”, “Basis of "
            "comparison” and “Sources”, and the full table. Ratios to four decimals.",
        },
        stated=(
            Stated(brief, "first", f"names the {key.casefold()} that ranks first"),
            Stated(brief, "first_ratio", "states the highest ratio"),
            Stated(brief, "last", f"names the {key.casefold()} that ranks last"),
            Stated(brief, "last_ratio", "states the lowest ratio"),
            Stated(brief, "mean_ratio", "states the plain mean of all ratios", ("mean",)),
        ),
    )
