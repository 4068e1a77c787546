"""Data cleaning and integration: two tables about the same things become one, with a rate between them."""

from ...records import DerivedColumn, Fact, Output, Plan
from ..compose import (
    Composition,
    View,
    additive,
    by_names,
    citations,
    headed,
    key_label,
    labels,
    listed,
    no_totals,
    noun,
    nouns,
    read_column,
    sheet,
    sources,
    titled,
)


def data_cleaning_and_integration(view: View) -> Composition | None:
    """From a shared-key relation: the joined table as a workbook and as a plain file."""
    relation = view.relation("shared_key")
    if relation is None or len(relation.series) != 2:
        return None
    left, right = (view.series[name] for name in relation.series)
    heads = labels(view, (left, right))
    key = key_label(left)
    totals = tuple(alias for alias, series in (("a", left), ("b", right)) if additive(view, series))
    book, flat = "combined_table.xlsx", "combined_table.csv"
    ratio = f"{heads[0]} per {heads[1]}"
    ratio = ratio if len(ratio) <= 90 and "," not in ratio else "Ratio (first per second)"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "a", left, heads[0]), read_column(view, "b", right, heads[1])),
        derived=(DerivedColumn(alias="ratio", label=ratio, operation="ratio", arguments=("a", "b")),),
        facts=(Fact(name="rows", operation="count", decimals=0),),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"{heads[0]} and {heads[1]}",
                sheet="Combined",
                columns=("a", "b", "ratio"),
                totals=totals,
            ),
            Output(file=flat, family="csv", title=f"{heads[0]} and {heads[1]}", columns=("a", "b")),
        ),
        citations=citations(view, ((left, heads[0]), (right, heads[1]))),
    )
    row, rows = noun(left), nouns(left)
    first, second = headed(left, heads[0]), headed(right, heads[1])
    here, there = titled(view, view.file(left)), titled(view, view.file(right))
    where = view.pick(
        "where",
        f"One column is {first} in {here}, the other {second} in {there}.",
        f"{first} comes from {here}, {second} from {there}.",
        f"From {here} take {first}, and from {there} take {second}.",
    )
    join = view.pick(
        "join",
        f"Join them by {by_names(left)} into one clean table: only {rows} that both files have, each once, named as "
        "the first file names them; spelling, spaces and case of the names may differ between the files.",
        f"I want a table with every {row} that stands in both files, once, under the name that the first file gives "
        "it. The same name may be written a little differently in the two (case, spaces, punctuation).",
        f"Match the two by {by_names(left)}, whatever the case, spacing and punctuation of the names. What only one "
        "file has stays out; where both have it, there is one line, named as in the first file.",
    )
    rate = view.pick(
        "rate",
        f"Then work out “{ratio}” for each row, the first figure divided by the second. No rounding in the workbook.",
        f"Add a column “{ratio}”: the first figure divided by the second, unrounded.",
        f"The table also needs “{ratio}”, which is the first figure over the second, without rounding.",
    )
    request = (f"{where} {join} {no_totals(view)}", rate)
    form = sheet(view, "Combined", (key, *heads, ratio))
    if totals:
        form += f", and a row “Total” under {listed([heads[0] if alias == 'a' else heads[1] for alias in totals])}"
    return Composition(
        plan=plan,
        series={"a": left.id, "b": right.id},
        request=request,
        forms={
            book: f"{form}; the ratio and any total as live formulas; {sources(view)}.",
            flat: view.pick(
                "flat",
                f"the joined rows for loading elsewhere: the columns {listed((key, *heads))}, no total row.",
                f"the same rows as a plain file with the columns {listed((key, *heads))} and no total row.",
                f"just the columns {listed((key, *heads))}, without a total row, so that it can be imported.",
            ),
        },
    )
