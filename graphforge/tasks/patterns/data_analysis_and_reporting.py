"""Data analysis and reporting: how a whole divides into its parts, or how a measure moved between two periods."""

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
    read_column,
    sheet,
    sources,
    titled,
)
from .change_report import change_report


def data_analysis_and_reporting(view: View) -> Composition | None:
    """From a share relation: parts, shares and total, largest first, and a note on concentration. From a growth
    relation: a report of change. Of both, the one that the graph was built for."""
    relation = view.carrying("share", "growth")
    if relation is None:
        return None
    if relation.kind == "growth":
        return change_report(view, relation)
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
    row, rows = noun(series), nouns(series)
    where, measure = titled(view, view.file(series)), headed(series, head)
    what = view.pick(
        "what",
        f"The figures are in {where}, column {measure}.",
        f"Take {measure} from {where}.",
        f"I mean {measure} in {where}.",
        f"It all comes from one column, {measure} in {where}.",
    )
    how = view.pick(
        "how",
        f"Take every {row} with a figure and give its share of their sum in percent, largest figure first.",
        f"For each {row} that has a figure I want the figure and its percentage of the sum of all of them, from the "
        "largest figure to the smallest.",
        f"List all {rows} that have a figure, the largest first, each with its percentage of the sum over the list.",
    )
    alike = view.pick(
        "alike",
        " Other files in the folder carry similar figures; the ones I mean are in that file.",
        " Don't mix in figures from the other files, even where they look alike.",
        " If another file says something else, this one counts.",
    )
    request = (f"{what} {how} {no_totals(view)}{alike}",)
    note_form = view.pick_for(
        len(series.nodes),
        "note",
        paged=(
            "a page with the headings “Main points”, “Table” and “Sources”, and the table itself.",
            "one page to read, under the headings “Main points”, “Table” and “Sources”; the table is part of it.",
        ),
        free=(
            "a short note (headings “Main points”, “Table”, “Sources”) with the table in it.",
            "a note to read without the workbook: “Main points”, “Table” and “Sources” as headings, the table "
            "included.",
        ),
    )
    return Composition(
        plan=plan,
        series={"amount": series.id},
        request=request,
        forms={
            book: f"{sheet(view, 'Distribution', (key, head, 'Share of total (%)'))}, largest figure first, and a row "
            f"“Total”; shares and totals as live formulas; {sources(view, 'file')}.",
            note: f"{note_form} Percentages to two decimals, the total in full.",
        },
        stated=(
            Stated(note, "total", "states the total", ("total",)),
            Stated(note, "largest", f"names the {row} with the largest figure"),
            Stated(note, "largest_share", "states the largest share in percent"),
            Stated(
                note,
                "smallest",
                f"names the {row} with the smallest figure (the smallest share)",
                ("smallest",),
            ),
        ),
    )
