"""Monitoring and exception reporting: a bound set in one document, or by whoever asks, applied to a table's rows."""

from ...records import DerivedColumn, Fact, Keep, Output, Plan, Section
from ..compose import (
    Composition,
    Stated,
    View,
    citations,
    headed,
    key_label,
    labels,
    listed,
    no_totals,
    noun,
    nouns,
    read_column,
    titled,
)
from .exceptions_by_change import exceptions_by_change


def monitoring_and_exception_reporting(view: View) -> Composition | None:
    """From a threshold relation: the rows beyond the bound as a list, and a note that cites the rule. From a growth
    relation: those that moved by more than the request allows. Of both, the one that the graph was built for."""
    relation = view.carrying("threshold", "growth")
    if relation is None:
        return None
    if relation.kind == "growth":
        return exceptions_by_change(view, relation)
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
    row, rows_ = noun(series), nouns(series)
    measure = headed(series, head)
    rulebook, where = titled(view, view.file(rule)), titled(view, view.file(series))
    side, order = ("above", "highest") if above else ("below", "lowest")
    bounded = view.pick(
        "bounded",
        f"{rulebook} sets a bound that bears on {measure}. Find it there and apply it to {where}.",
        f"The bound is set in {rulebook}; look up the one that bears on {measure} and hold {where} against it.",
        f"Go by {rulebook}, which says where the line is for {measure}, and apply that to {where}.",
    )
    out = view.pick(
        "out",
        f"List every {row} whose figure lies {side} the bound, the {order} first; a figure exactly at the bound is no "
        "exception.",
        f"I want all {rows_} with a figure {side} that bound, and none that are exactly on it, starting from the "
        f"{order}.",
        f"What counts as an exception is a figure {side} the bound (not one equal to it). Put the {order} at the top.",
    )
    alone = view.pick(
        "alone",
        "If another document names another bound, it isn't the one that counts here.",
        "Other documents may name other limits; they are for other purposes.",
        "Don't use a limit from any other document.",
    )
    request = (f"{bounded} {out} {no_totals(view)} {alone}",)
    columns = listed((key, head, "Beyond the bound"))
    note_form = view.pick(
        "note",
        "half a page with the headings “Exceptions”, “Rule applied” (naming the document that sets the bound) and "
        "“Sources”.",
        "a short note with three headings: “Exceptions”, “Rule applied”, which says what document the bound is from, "
        "and “Sources”.",
        "not more than half a page, under “Exceptions”, “Rule applied” (with the name of the document that sets the "
        "bound) and “Sources”.",
    )
    return Composition(
        plan=plan,
        series={"figure": series.id},
        request=request,
        rule=rule,
        forms={
            rows: view.pick(
                "rows",
                f"the exceptions only, with the columns {columns} (the last one “yes”).",
                f"the list of exceptions and nothing else; columns {columns}, the last one saying “yes” in each row.",
                f"a plain list of the exceptions: the columns {columns}, with “yes” in the last.",
            ),
            note: note_form,
        },
        stated=(
            Stated(note, "bound", "states the bound that was applied"),
            Stated(note, "flagged", f"states how many {rows_} are beyond the bound"),
            Stated(note, "worst", f"names the {row} furthest beyond the bound"),
            Stated(note, "worst_figure", "states the figure furthest beyond the bound"),
        ),
    )
