"""Data analysis and reporting: how a whole divides into its parts."""

from ...records import DerivedColumn, Fact, Output, Plan, Section
from ..compose import Composition, Stated, View, citations, key_label, labels, listed, read_column, titled


def data_analysis_and_reporting(view: View) -> Composition | None:
    """From a share relation: parts, shares and total, largest first, and a note on concentration."""
    relation = view.relation("share")
    if relation is None:
        return None
    series = view.series[relation.series[0]]
    (head,) = labels(view, (series,))
    key = key_label(series)
    book, note = "distribution.xlsx", "distribution_note.docx"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "amount", series, head),),
        derived=(
            DerivedColumn(
                alias="share", label="Share of total (%)", operation="share", arguments=("amount",)
            ),
        ),
        order_by="amount",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="total", operation="sum", column="amount"),
            Fact(name="largest", operation="top", column="amount"),
            Fact(name="largest_share", operation="maximum", column="share"),
            Fact(name="smallest", operation="bottom", column="amount"),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"{head} by {key.casefold()}",
                sheet="Distribution",
                columns=("amount", "share"),
                totals=("amount", "share"),
            ),
            Output(
                file=note,
                family="docx",
                title=f"{head}: how it divides",
                columns=("amount", "share"),
                sections=(
                    Section(
                        heading="Main points",
                        paragraphs=(
                            "The total over {rows} rows is {total}.",
                            "{largest} has the largest part, {largest_share} percent of the total.",
                            "The smallest part is that of {smallest}.",
                        ),
                    ),
                    Section(heading="Table", paragraphs=("All rows, largest first.",), table=True),
                ),
            ),
        ),
        citations=citations(view, ((series, head),)),
    )
    request = (
        f"I want to see how “{head}” divides over the {key.casefold()} entries in "
        f"{titled(view, view.file(series))}. Take every single entry with a figure, leave out totals and subtotals "
        "that the source prints, and give each its share of the sum in percent, largest first. Other files in the "
        "folder carry similar figures; the ones I mean are in that file.",
    )
    return Composition(
        plan=plan,
        series={"amount": series.id},
        request=request,
        forms={
            book: f"a sheet “Distribution” with the columns {listed((key, head, 'Share of total (%)'))}, "
            f"sorted, and a row "
            "“Total”; shares and totals as live formulas; a second sheet “Sources” names the file used.",
            note: "a page with the headings “Main points”, “Table” and “Sources”, and the table itself. "
            "Percentages to two decimals.",
        },
        stated=(
            Stated(note, "total", "states the total", ("total",)),
            Stated(note, "largest", "names the largest entry"),
            Stated(note, "largest_share", "states the share of the largest entry"),
            Stated(note, "smallest", "names the smallest entry", ("smallest",)),
        ),
    )
