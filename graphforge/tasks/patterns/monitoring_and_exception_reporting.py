"""Monitoring and exception reporting: a bound set in one document, applied to the rows of another."""

from ...records import DerivedColumn, Fact, Keep, Output, Plan, Section
from ..compose import Composition, Stated, View, citations, key_label, labels, listed, read_column, titled


def monitoring_and_exception_reporting(view: View) -> Composition | None:
    """From a threshold relation: the rows beyond the bound as a list, and a note that cites the rule."""
    relation = view.relation("threshold")
    if relation is None:
        return None
    series = view.series[relation.series[0]]
    rule = view.nodes[relation.nodes[0]]
    first = next(edge for edge in view.graph.edges if edge.id == relation.edges[0])
    above = first.expression is not None and ">" in first.expression
    (head,) = labels(view, (series,))
    key = key_label(series)
    rows, note = "exceptions.csv", "exceptions_note.docx"
    bound = float(rule.value)
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "figure", series, head),),
        derived=(
            DerivedColumn(
                alias="flag",
                label="Beyond the bound",
                operation="above" if above else "below",
                arguments=("figure",),
                constant=bound,
            ),
        ),
        keep=Keep(column="flag", equals="yes"),
        order_by="figure",
        descending=above,
        facts=(
            Fact(name="flagged", operation="count", decimals=0),
            Fact(name="bound", operation="constant", number=bound),
            Fact(name="worst", operation="top" if above else "bottom", column="figure"),
            Fact(name="worst_figure", operation="maximum" if above else "minimum", column="figure"),
        ),
        outputs=(
            Output(file=rows, family="csv", title=f"Exceptions: {head}", columns=("figure", "flag")),
            Output(
                file=note,
                family="docx",
                title=f"Exceptions: {head}",
                columns=("figure",),
                sections=(
                    Section(
                        heading="Exceptions",
                        paragraphs=(
                            f"{{flagged}} rows lie {'above' if above else 'below'} the bound of {{bound}}.",
                            "The furthest beyond it is {worst} with {worst_figure}.",
                        ),
                        table=True,
                    ),
                    Section(
                        heading="Rule applied",
                        paragraphs=(f"The bound of {{bound}} is the one set in {view.file(rule).name}.",),
                    ),
                ),
            ),
        ),
        citations=citations(view, ((series, head), (rule, "the rule that sets the bound"))),
    )
    request = (
        f"{titled(view, view.file(rule))} sets a bound that bears on “{head}”. Find it there and apply it to "
        f"{titled(view, view.file(series))}: list every {key.casefold()} whose figure lies "
        f"{'above' if above else 'below'} the bound, the {'highest' if above else 'lowest'} first. Totals "
        f"and subtotals "
        "in the source are no rows. If another document names another bound, it isn't the one that counts here.",
    )
    return Composition(
        plan=plan,
        series={"figure": series.id},
        request=request,
        rule=rule,
        forms={
            rows: f"the exceptions only, with the columns {listed((key, head, 'Beyond the bound'))} (the "
            f"last one “yes”).",
            note: "half a page with the headings “Exceptions”, “Rule applied” (naming the document that sets "
            "the bound) and “Sources”.",
        },
        stated=(
            Stated(note, "bound", "states the bound that was applied"),
            Stated(note, "flagged", "states how many rows are beyond the bound"),
            Stated(note, "worst", f"names the {key.casefold()} furthest beyond the bound"),
            Stated(note, "worst_figure", "states the figure furthest beyond the bound"),
        ),
    )
