"""Reconciliation of three files: whether two of them add up to the third, row by row."""

from ...records import DerivedColumn, Fact, Output, Plan, Relation, Section
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
    listed,
    no_totals,
    noun,
    read_column,
    sheet,
    sources,
    titled,
)
from ..phrases import amount


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
    totals = ("a", "b", "c") if additive(view, whole) else ()
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
    row = noun(whole)
    one, two, all_of_it = headed(first, heads[0]), headed(second, heads[1]), headed(whole, heads[2])
    where = view.pick(
        "where",
        f"Three of the files ought to fit together: {one} in {titled(view, view.file(first))} (the first part) and "
        f"{two} in {titled(view, view.file(second))} (the second part) should make up {all_of_it} in "
        f"{titled(view, view.file(whole))}.",
        f"{all_of_it} in {titled(view, view.file(whole))} should be the sum of two others: {one} in "
        f"{titled(view, view.file(first))}, the first part, and {two} in {titled(view, view.file(second))}, the "
        "second.",
    )
    why = view.pick(
        "why",
        "I've been asked whether they do and would rather not guess.",
        "Nobody has checked that.",
        "Please check it.",
    )
    request = (
        f"{where} {why} Put the three side by side for every {row} that all of them list. {no_totals(view)}",
        f"Show the whole less the first part, and what is then left unexplained once the second part is taken off too. "
        f"Call a row “agrees” where no more than {amount(tolerance)} is unexplained, either way, and “differs” "
        "otherwise. Keep the numbers as the sources print them.",
    )
    form = f"{sheet(view, 'Reconciliation', (key, *heads, rest, gap, 'Status'))}, {each(whole)}"
    form += f", then a row “Total” under {listed(heads)}" if totals else ""
    live = (
        "differences and totals must be live formulas" if totals else "the differences must be live formulas"
    )
    return Composition(
        plan=plan,
        series={"a": first.id, "b": second.id, "c": whole.id},
        request=request,
        forms={
            book: f"{form}; {live}; {sources(view)}.",
            memo: "at most a page, with the headings “Result”, “Method” and “Sources”, the last naming the files used.",
        },
        stated=(
            Stated(memo, "agreeing", "states how many rows agree", ("agree",)),
            Stated(memo, "differing", "states how many rows differ", ("differ",)),
            Stated(memo, "largest", f"names the {row} with the largest figure of the second part"),
            Stated(memo, "largest_part", "states the largest figure of the second part"),
        ),
    )
