"""Research and source synthesis: what a document says, checked against the data it speaks of."""

from ...records import DerivedColumn, Fact, Output, Plan, QuotedColumn, QuotedFigure, Section, close
from ..compose import Composition, Stated, View, citations, key_label, labels, listed, read_column, titled


def research_and_source_synthesis(view: View) -> Composition | None:
    """From a quote relation: each quoted figure beside its source, and a memo on whether the text can be relied on."""
    relation = view.relation("quote")
    if relation is None:
        return None
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
    request = (
        f"{titled(view, view.file(texts[0]))} quotes figures on “{head}”; the data are in "
        f"{titled(view, view.file(series))}. Before we lean on the text I'd like every such figure that it gives for a "
        f"named {key.casefold()} looked up in the data.",
        "Enter quoted figures in the unit of the data (write out thousands and millions). The difference is the quoted "
        f"figure less the source's. Rounding is no fault: up to {tolerance:g} apart counts as “agrees”, "
        f"more as “differs”.",
    )
    return Composition(
        plan=plan,
        series={"source": series.id},
        request=request,
        quotes=texts,
        forms={
            book: f"a sheet “Check” with the columns "
            f"{listed((key, 'As quoted', head, 'Difference', 'Status'))}, a row for each "
            "quoted figure, the difference as a live formula; a second sheet “Sources” names the files used.",
            memo: "a page with the headings “Finding”, “Figures” and “Sources”, and the table.",
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
