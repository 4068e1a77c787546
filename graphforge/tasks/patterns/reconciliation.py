"""Reconciliation: two sources state the same measure; which rows agree, which don't, by how much."""

from ...records import DerivedColumn, Fact, Output, Plan, Section
from ..compose import (
    Composition,
    Stated,
    View,
    additive,
    citations,
    each,
    half_unit,
    headed,
    key_label,
    labels,
    no_totals,
    noun,
    read_column,
    sheet,
    sources,
    titled,
    tolerated,
)
from ._sums import sums_to_a_third


def reconciliation(view: View) -> Composition | None:
    """From a conflict relation: every common row side by side, the difference, and a status. From an identity: whether
    two files add up to the third. Of both, the one that comes first (it is what the graph was built for)."""
    relation = view.carrying("conflict", "identity")
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
    totals = ("a", "b", "difference") if additive(view, left) else ()
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
    row = noun(left)
    here, there = titled(view, view.file(left)), titled(view, view.file(right))
    first, second = headed(left, heads[0]), headed(right, heads[1])
    where = view.pick(
        "where",
        f"The first source is {here}, column {first}; the second is {there}, column {second}.",
        f"One set is {first} in {here}, the other {second} in {there}; call them first and second.",
        f"Compare {here} (the first) with {there} (the second), that is, {first} with {second}.",
    )
    rows = view.pick(
        "rows",
        f"Set them side by side for every {row} that both of them list.",
        f"Take each {row} that stands in both, and put the two figures next to each other.",
    )
    status = view.pick(
        "status",
        f"The difference is the first less the second. Call a row “agrees” where they are no more than "
        f"{tolerated(tolerance)} apart, either way, and “differs” otherwise.",
        f"Subtract the second from the first. Up to {tolerated(tolerance)} in either direction the status is “agrees”, "
        "beyond that “differs”.",
    )
    gaps = view.pick(
        "gaps",
        "Keep the numbers as the sources print them and don't fill gaps.",
        "The figures stay as they are printed, in the unit of the source; nothing is to be filled in or smoothed.",
    )
    request = (f"{where} {rows} {no_totals(view)}", f"{status} {gaps}")
    form = f"{sheet(view, 'Reconciliation', (key, *heads, 'Difference', 'Status'))}, {each(left)}"
    form += ", then a row “Total” for the number columns" if totals else ""
    live = (
        "differences and totals must be live formulas" if totals else "the differences must be live formulas"
    )
    return Composition(
        plan=plan,
        series={"a": left.id, "b": right.id},
        request=request,
        forms={
            book: f"{form}; {live}; {sources(view)}.",
            memo: view.pick(
                "memo",
                "at most a page, with the headings “Result”, “Method” and “Sources”, the last naming the files used.",
                "a memo of no more than a page under the headings “Result”, “Method” and “Sources” (which files were "
                "used).",
                "one page or less. Headings: “Result”, “Method” and “Sources”, where the files used are named.",
            ),
        },
        stated=(
            Stated(memo, "agreeing", "states how many rows agree", ("agree",)),
            Stated(memo, "differing", "states how many rows differ", ("differ",)),
            Stated(memo, "most", f"names the {row} with the largest positive difference"),
            Stated(memo, "most_by", "states the largest positive difference"),
            Stated(
                memo,
                "least",
                f"names the {row} with the lowest difference (the most negative, if any is negative)",
            ),
            Stated(memo, "least_by", "states the lowest difference, with its sign"),
        ),
    )
