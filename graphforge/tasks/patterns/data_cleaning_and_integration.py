"""Data cleaning and integration: two tables about the same things become one, with a rate between them."""

from ...records import DerivedColumn, Fact, Output, Plan
from ..compose import Composition, View, additive, citations, key_label, labels, listed, read_column, titled


def data_cleaning_and_integration(view: View) -> Composition | None:
    """From a shared-key relation: the joined table as a workbook and as a plain file."""
    relation = view.relation("shared_key")
    if relation is None or len(relation.series) != 2:
        return None
    left, right = (view.series[name] for name in relation.series)
    heads = labels(view, (left, right))
    key = key_label(left)
    totals = tuple(alias for alias, series in (("a", left), ("b", right)) if additive(series))
    book, flat = "combined_table.xlsx", "combined_table.csv"
    ratio = f"{heads[0]} per {heads[1]}"
    ratio = ratio if len(ratio) <= 90 else "Ratio (first per second)"
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
    request = (
        f"We keep “{heads[0]}” in {titled(view, view.file(left))} and “{heads[1]}” in "
        f"{titled(view, view.file(right))}, and nobody has put them side by side. Join them on the "
        f"{key.casefold()} into one clean table: only rows that both files have, each once, named as the first file "
        "names them; spelling, spaces and case of the names may differ between the files. Subtotals and totals "
        "printed in the sources are no rows.",
        f"Then work out “{ratio}” for each row, the first figure divided by the second. No rounding in the workbook.",
    )
    sheet = f"a sheet “Combined” with the columns {listed((key, *heads, ratio))}"
    if totals:
        sheet += f", and a row “Total” under {listed([heads[0] if alias == 'a' else heads[1] for alias in totals])}"
    return Composition(
        plan=plan,
        series={"a": left.id, "b": right.id},
        request=request,
        forms={
            book: sheet
            + "; the ratio and any total as live formulas; a second sheet “Sources” names the files used.",
            flat: f"the joined rows for loading elsewhere: the columns {listed((key, *heads))}, no total row.",
        },
    )
