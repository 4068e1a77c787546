"""Reconciliation: two sources state the same measure; which rows agree, which don't, by how much."""

from ...records import DerivedColumn, Fact, Output, Plan, Section
from ..compose import (
    Composition,
    Stated,
    View,
    additive,
    citations,
    half_unit,
    key_label,
    labels,
    listed,
    read_column,
    titled,
)
from ._sums import sums_to_a_third


def reconciliation(view: View) -> Composition | None:
    """From a conflict relation: every common row side by side, the difference, and a status. From an identity: whether
    two files add up to the third. Of both, the one that comes first (it is what the graph was built for)."""
    kinds = ("conflict", "identity")
    relation = next((found for found in view.graph.relations if found.kind in kinds and found.series), None)
    if relation is None:
        return None
    if relation.kind == "identity":
        return sums_to_a_third(view, relation)
    if len(relation.series) != 2:
        return None
    left, right = (view.series[name] for name in relation.series)
    heads = labels(view, (left, right))
    tolerance = half_unit(view, (left, right))
    key = key_label(left)
    totals = ("a", "b", "difference") if additive(left) else ()
    book, memo = "reconciliation.xlsx", "reconciliation_memo.docx"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "a", left, heads[0]), read_column(view, "b", right, heads[1])),
        derived=(
            DerivedColumn(
                alias="difference", label="Difference", operation="difference", arguments=("a", "b")
            ),
            DerivedColumn(
                alias="status",
                label="Status",
                operation="agreement",
                arguments=("a", "b"),
                constant=tolerance,
            ),
        ),
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="agreeing", operation="count_equal", column="status", word="agrees", decimals=0),
            Fact(name="differing", operation="count_equal", column="status", word="differs", decimals=0),
            Fact(name="most", operation="top", column="difference"),
            Fact(name="most_by", operation="maximum", column="difference"),
            Fact(name="least", operation="bottom", column="difference"),
            Fact(name="least_by", operation="minimum", column="difference"),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"Reconciliation of {heads[0]} and {heads[1]}",
                sheet="Reconciliation",
                columns=("a", "b", "difference", "status"),
                totals=totals,
            ),
            Output(
                file=memo,
                family="docx",
                title="Reconciliation memo",
                sections=(
                    Section(
                        heading="Result",
                        paragraphs=(
                            "Of {rows} rows that both sources state, {agreeing} agree and {differing} differ.",
                            "The largest positive difference is {most_by}, for {most}.",
                            "The lowest difference is {least_by}, for {least}.",
                        ),
                    ),
                    Section(
                        heading="Method",
                        paragraphs=(
                            f"The difference is {heads[0]} less {heads[1]}, row by row. Rows that differ by no more "
                            f"than {tolerance:g} count as agreeing.",
                        ),
                    ),
                ),
            ),
        ),
        citations=citations(view, ((left, heads[0]), (right, heads[1]))),
    )
    request = (
        f"Two of the files carry what should be the same figures: {titled(view, view.file(left))} and "
        f"{titled(view, view.file(right))}. Before anyone uses either I want to know where they part. Set "
        f"“{heads[0]}” against “{heads[1]}” for every {key.casefold()} that both of them list.",
        f"The difference is the first less the second. Call a row “agrees” where they are no more than {tolerance:g} "
        "apart (half a unit of the last printed digit) and “differs” otherwise. Keep the numbers as the sources "
        "print them and don't fill gaps.",
    )
    sheet = (
        f"a sheet “Reconciliation” with the columns {listed((key, *heads, 'Difference', 'Status'))}, "
        f"a row for each {key.casefold()}"
    )
    sheet += ", then a row “Total” for the number columns" if totals else ""
    return Composition(
        plan=plan,
        series={"a": left.id, "b": right.id},
        request=request,
        forms={
            book: sheet
            + ". Differences and totals must be live formulas. A second sheet “Sources” names the files used.",
            memo: "at most a page, with the headings “Result”, “Method” and “Sources”, the last naming the files used.",
        },
        stated=(
            Stated(memo, "agreeing", "states how many rows agree", ("agree",)),
            Stated(memo, "differing", "states how many rows differ", ("differ",)),
            Stated(memo, "most", f"names the {key.casefold()} with the largest positive difference"),
            Stated(memo, "most_by", "states the largest positive difference"),
            Stated(
                memo,
                "least",
                f"names the {key.casefold()} with the lowest difference (the most negative, if any is negative)",
            ),
            Stated(memo, "least_by", "states the lowest difference (the most negative, if any is negative)"),
        ),
    )
