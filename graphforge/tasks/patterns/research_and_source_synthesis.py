"""Research and source synthesis: what a document says, checked against its data, or what two sources say together."""

from ...records import DerivedColumn, Fact, Output, Plan, QuotedColumn, QuotedFigure, Section, close
from ..compose import (
    Composition,
    Stated,
    View,
    citations,
    headed,
    key_label,
    labels,
    noun,
    read_column,
    sheet,
    sources,
    titled,
)
from ..phrases import amount
from .sources_combined import sources_combined
from .sources_compared import sources_compared


def research_and_source_synthesis(view: View) -> Composition | None:
    """From a quote relation: each quoted figure beside its source, and a memo on whether the text can be relied on.
    From two sources of the same measure, or of two: a brief. Of these, the one that the graph was built for."""
    relation = view.carrying("quote", "conflict", "shared_key")
    if relation is None:
        return None
    if relation.kind == "conflict":
        return sources_compared(view, relation)
    if relation.kind == "shared_key":
        return sources_combined(view, relation)
    series = view.series[relation.series[0]]
    texts = tuple(view.nodes[name] for name in relation.nodes)
    (head,) = labels(view, (series,))
    key = key_label(series)
    figures = tuple(
        QuotedFigure(entity=entity, literal=text.raw, number=float(text.value))
        for entity, text in zip(series.entities, texts, strict=True)
    )
    tolerance = _tolerance(view, relation.edges)
    if tolerance is None:
        return None
    book, memo = "quotation_check.xlsx", "quotation_memo.docx"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "source", series, head),),
        quoted=(
            QuotedColumn(
                alias="quoted",
                file=texts[0].name,
                family=view.file(texts[0]).family,
                figures=figures,
                label="As quoted",
            ),
        ),
        derived=(
            DerivedColumn(
                alias="difference", label="Difference", operation="difference", arguments=("quoted", "source")
            ),
            DerivedColumn(
                alias="status",
                label="Status",
                operation="agreement",
                arguments=("quoted", "source"),
                constant=tolerance,
            ),
        ),
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="agreeing", operation="count_equal", column="status", word="agrees", decimals=0),
            Fact(name="differing", operation="count_equal", column="status", word="differs", decimals=0),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"Quoted figures on {head}",
                sheet="Check",
                columns=("quoted", "source", "difference", "status"),
            ),
            Output(
                file=memo,
                family="docx",
                title="Can the quoted figures be relied on?",
                columns=("quoted", "source", "status"),
                sections=(
                    Section(
                        heading="Finding",
                        paragraphs=(
                            "Of {rows} quoted figures, {agreeing} agree with the source and {differing} differ.",
                        ),
                    ),
                    Section(
                        heading="Figures", paragraphs=("Each quoted figure beside its source.",), table=True
                    ),
                ),
            ),
        ),
        citations=citations(view, ((texts[0], "the quoted figures"), (series, head))),
    )
    row = noun(series)
    measure = headed(series, head)
    document, data = titled(view, view.file(texts[0])), titled(view, view.file(series))
    apart = amount(tolerance)
    where = view.pick(
        "where",
        f"{document} quotes figures on {measure}; the data are in {data}.",
        f"The text is {document}, and what it quotes should be in {data}, column {measure}.",
        f"Set {document} against {data}, where the figures stand under {measure}.",
    )
    what = view.pick(
        "what",
        f"Look up every such figure that the text gives for a named {row}.",
        f"Wherever the text gives that figure for a {row} by name, look it up in the data.",
        f"I want each of these figures that the text ties to a named {row} beside what the data say.",
    )
    how = view.pick(
        "how",
        "Enter quoted figures in the unit of the data (write out thousands and millions). The difference is the quoted "
        f"figure less the source's. Rounding is no fault: up to {apart} apart counts as “agrees”, more as “differs”.",
        f"Write quoted figures in the unit of the data, thousands and millions in full. Quoted less source is the "
        f"difference. I don't mind rounding, so call it “agrees” up to a difference of {apart} either way, and "
        "“differs” beyond that.",
        "If the text says thousands or millions, write the number out, so that it is in the unit of the data. "
        "Subtract the "
        f"source's figure from what is quoted: no more than {apart} apart, in either direction, is “agrees”, "
        "anything more “differs”.",
    )
    request = (f"{where} {what}", how)
    memo_form = view.pick_for(
        len(texts),
        "memo",
        paged=(
            "a page with the headings “Finding”, “Figures” and “Sources”, and the table.",
            "a single page: “Finding”, “Figures” and “Sources” as headings, with the table.",
            "a memo of a page that has the table and the headings “Finding”, “Figures” and “Sources”.",
        ),
        free=("a memo with the headings “Finding”, “Figures” and “Sources”, and the table.",),
    )
    return Composition(
        plan=plan,
        series={"source": series.id},
        request=request,
        quotes=texts,
        forms={
            book: f"{sheet(view, 'Check', (key, 'As quoted', head, 'Difference', 'Status'))}, a row for each quoted "
            f"figure, the difference as a live formula; {sources(view)}.",
            memo: memo_form,
        },
        stated=(
            Stated(memo, "rows", "states how many figures were checked", ("figures",)),
            Stated(memo, "agreeing", "states how many figures agree", ("agree",)),
            Stated(memo, "differing", "states how many figures differ", ("differ",)),
        ),
    )


def _tolerance(view: View, edges: tuple[str, ...]) -> float | None:
    """One rounding tolerance that parts the agreeing quotations from the others, or None where none does."""
    by_id = {edge.id: edge for edge in view.graph.edges}
    chosen = [by_id[name] for name in edges]
    apart = [abs(edge.result or 0.0) for edge in chosen if edge.kind == "quote"]
    wrong = [abs(edge.result or 0.0) for edge in chosen if edge.kind == "conflict"]
    widest = max(apart, default=0.0)
    if widest == 0 or close(widest, 0.0, absolute=0.005):
        tolerance = 0.005
    else:
        tolerance = next(
            step * 10.0**power
            for power in range(-3, 12)
            for step in (1, 5)
            if step * 10.0**power >= widest * (1 + 1e-9)
        )
    return tolerance if all(gap > tolerance for gap in wrong) else None
