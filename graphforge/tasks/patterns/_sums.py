"""Reconciliation of three files: whether two of them add up to the third, row by row."""

from ...records import DerivedColumn, Fact, Output, Plan, Relation, Section
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


def sums_to_a_third(view: View, relation: Relation) -> Composition | None:
    """From an identity relation over three columns: the parts, the whole, what is left of it, and a status."""
    if len(relation.series) != 3:
        return None
    first, second, whole = (view.series[name] for name in relation.series)
    if len({first.name, second.name, whole.name}) != 3:
        return None
    heads = labels(view, (first, second, whole))
    tolerance = half_unit(view, (first, second, whole))
    key = key_label(whole)
    rest, gap = "Whole less first part", "Unexplained"
    book, memo = "reconciliation.xlsx", "reconciliation_memo.docx"
    totals = ("a", "b", "c") if additive(whole) else ()
    plan = Plan(
        key_label=key,
        reads=(
            read_column(view, "a", first, heads[0]),
            read_column(view, "b", second, heads[1]),
            read_column(view, "c", whole, heads[2]),
        ),
        derived=(
            DerivedColumn(alias="rest", label=rest, operation="difference", arguments=("c", "a")),
            DerivedColumn(alias="gap", label=gap, operation="difference", arguments=("rest", "b")),
            DerivedColumn(
                alias="status",
                label="Status",
                operation="agreement",
                arguments=("rest", "b"),
                constant=tolerance,
            ),
        ),
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="agreeing", operation="count_equal", column="status", word="agrees", decimals=0),
            Fact(name="differing", operation="count_equal", column="status", word="differs", decimals=0),
            Fact(name="largest", operation="top", column="b"),
            Fact(name="largest_part", operation="maximum", column="b"),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"Do the parts make up {heads[2]}?",
                sheet="Reconciliation",
                columns=("a", "b", "c", "rest", "gap", "status"),
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
                            "Of {rows} rows, {agreeing} agree and {differing} differ.",
                            "The largest figure of the second part is {largest_part}, for {largest}.",
                        ),
                    ),
                    Section(
                        heading="Method",
                        paragraphs=(
                            f"What is unexplained is {heads[2]} less {heads[0]} less {heads[1]}, row by row. Rows in "
                            f"which that is no more than {tolerance:g} count as agreeing.",
                        ),
                    ),
                ),
            ),
        ),
        citations=citations(view, ((first, heads[0]), (second, heads[1]), (whole, heads[2]))),
    )
    request = (
        f"Three of the files ought to fit together: “{heads[0]}” in {titled(view, view.file(first))} (the first part) "
        f"and “{heads[1]}” in {titled(view, view.file(second))} (the second part) should make up “{heads[2]}” in "
        f"{titled(view, view.file(whole))}. I've been asked whether they do and would rather not guess. Put the three "
        f"side by side for every {key.casefold()} that all of them list.",
        f"Show the whole less the first part, and what is then left unexplained once the second part is taken off too. "
        f"Call a row “agrees” where no more than {tolerance:g} is unexplained, either way, and “differs” otherwise. "
        "Keep the numbers as the sources print them.",
    )
    columns = listed((key, *heads, rest, gap, "Status"))
    sheet = f"a sheet “Reconciliation” with the columns {columns}, a row for each {key.casefold()}"
    sheet += f", then a row “Total” under {listed(heads)}" if totals else ""
    return Composition(
        plan=plan,
        series={"a": first.id, "b": second.id, "c": whole.id},
        request=request,
        forms={
            book: sheet
            + ". Differences and totals must be live formulas. A second sheet “Sources” names the files used.",
            memo: "at most a page, with the headings “Result”, “Method” and “Sources”, the last naming the files used.",
        },
        stated=(
            Stated(memo, "agreeing", "states how many rows agree", ("agree",)),
            Stated(memo, "differing", "states how many rows differ", ("differ",)),
            Stated(memo, "largest", f"names the {key.casefold()} with the largest figure of the second part"),
            Stated(memo, "largest_part", "states the largest figure of the second part"),
        ),
    )
