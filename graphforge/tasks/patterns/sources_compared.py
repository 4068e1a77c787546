"""A brief on two sources that state the same measure: what each says, where they are at one and where they part."""

from ...records import DerivedColumn, Fact, FactOperation, Output, Plan, Relation, Section
from ..compose import (
    Composition,
    Stated,
    View,
    additive,
    citations,
    half_unit,
    headed,
    key_label,
    labels,
    listed,
    no_totals,
    noun,
    nouns,
    read_column,
    tolerated,
)
from ..phrases import ROW
from ._attributed import attribution, called

REASONS = (
    "Two of our sources speak about {about}. I'd like a brief on what each of them says before anyone cites either.",
    "Readers keep asking what is known about {about}, and there is more than one source to answer from.",
    "Please write up what our sources say about {about}, so that a reader sees where they are at one.",
    "We are about to write on {about}, with two sources at hand. What do they say, each for itself and together?",
)


def sources_compared(view: View, relation: Relation) -> Composition | None:
    """From a conflict relation: a brief that attributes every figure to its file, and the figures as a plain file."""
    if len(relation.series) != 2:
        return None
    left, right = (view.series[name] for name in relation.series)
    if left.file == right.file:
        return None
    heads = labels(view, (left, right))
    key = key_label(left)
    tolerance = half_unit(view, (left, right))
    whole = additive(view, left) and additive(view, right)
    operation: FactOperation = "sum" if whole else "mean"
    word = "total" if whole else "mean"
    # Rows without a name may be counts under amounts: of those neither a sum nor a mean says anything.
    summed = noun(left) != ROW
    brief, flat = "source_brief.docx", "source_figures.csv"
    one, two = left.name, right.name
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
            Fact(name="whole_a", operation=operation, column="a"),
            Fact(name="whole_b", operation=operation, column="b"),
            Fact(name="top_a", operation="top", column="a"),
            Fact(name="top_a_figure", operation="maximum", column="a"),
            Fact(name="top_b", operation="top", column="b"),
            Fact(name="top_b_figure", operation="maximum", column="b"),
            Fact(name="agreeing", operation="count_equal", column="status", word="agrees", decimals=0),
            Fact(name="differing", operation="count_equal", column="status", word="differs", decimals=0),
            Fact(name="most", operation="top", column="difference"),
            Fact(name="least", operation="bottom", column="difference"),
        ),
        outputs=(
            Output(
                file=brief,
                family="docx",
                title="What two sources say",
                columns=("a", "b", "difference"),
                sections=(
                    Section(
                        heading="What each source says",
                        paragraphs=(
                            "{rows} rows stand in both sources.",
                            *(
                                f"According to {file} the {word} is {{{fact}}}."
                                for file, fact in ((one, "whole_a"), (two, "whole_b"))
                                if summed
                            ),
                            f"{{top_a}} has the highest figure in {one}, which is {{top_a_figure}}.",
                            f"{{top_b}} has the highest figure in {two}, which is {{top_b_figure}}.",
                        ),
                    ),
                    Section(
                        heading="Side by side",
                        paragraphs=(
                            "Of these rows {agreeing} agree and {differing} differ.",
                            f"{one} is furthest above {two} for {{most}}.",
                            f"The lowest difference between {one} and {two} is that of {{least}}.",
                        ),
                        table=True,
                    ),
                ),
            ),
            Output(
                file=flat,
                family="csv",
                title="Figures of both sources",
                columns=("a", "b", "difference"),
            ),
        ),
        citations=citations(view, ((left, heads[0]), (right, heads[1]))),
    )
    row, rows = noun(left), nouns(left)
    here, there = called(view, left), called(view, right)
    first, second = headed(left, heads[0]), headed(right, heads[1])
    where = view.pick(
        "where",
        f"The first source is {here}, with {first}; the second is {there}, with {second}.",
        f"One source, the first, is {here}: go by {first}. The other, the second, is {there}: go by {second}.",
        f"I mean {first} in {here}, the first source, and {second} in {there}, the second.",
    )
    taken = view.pick(
        "taken",
        f"Only {rows} that both of them list come into it, also for what you say of one source alone.",
        f"Confine yourself to the {rows} that stand in both, even where you speak of one source alone.",
        f"All that you say, of one source or of both, should rest on the {rows} that stand in both.",
    )
    status = view.pick(
        "status",
        f"The difference is the first source's figure less the second's. Figures no more than {tolerated(tolerance)} "
        "apart, either way, agree; all others differ.",
        f"For the difference subtract the second source's figure from the first's. Up to {tolerated(tolerance)} in "
        "either direction they agree, beyond that they differ.",
    )
    trust = view.pick(
        "trust",
        "Don't decide which source is right, only report.",
        "I don't ask which of them is right.",
        "It's a report, so leave open which of them is right.",
    )
    request = (f"{where} {taken} {no_totals(view)}", f"{status} {trust} {attribution(view)}")
    brief_form = view.pick_for(
        len(left.nodes),
        "brief",
        paged=(
            "one or two pages for a reader who won't open the files, with the headings “What each source says”, "
            "“Side by side” and “Sources”, and the table.",
        ),
        free=(
            "a written brief under the headings “What each source says”, “Side by side” and “Sources”, with the "
            "table in it.",
            "the brief itself, to be read without the files: “What each source says”, “Side by side” and “Sources” as "
            "headings, the table included.",
        ),
    )
    table = listed((key, *heads, "Difference"))
    meant = "total (the sum" if whole else "plain mean (the average"
    return Composition(
        plan=plan,
        series={"a": left.id, "b": right.id},
        request=request,
        reasons=REASONS,
        forms={
            brief: f"{brief_form} The table has the columns {table}. Figures to two decimals at most.",
            flat: view.pick(
                "flat",
                f"the same table as a plain file, columns {table}, no total row.",
                f"the figures behind it for whoever wants to go on with them: columns {table}, no total row.",
                f"the columns {table} and nothing else, without a total row.",
            ),
        },
        stated=(
            Stated(
                brief,
                "whole_a",
                f"states the {meant} over the {rows} that both list) by the first source",
                (one,),
            ),
            Stated(
                brief,
                "whole_b",
                f"states the {meant} over the same {rows}) by the second source",
                (two,),
            ),
            Stated(brief, "top_a", f"names the {row} with the highest figure in the first source"),
            Stated(brief, "top_a_figure", "states the highest figure in the first source", (one,)),
            Stated(brief, "top_b", f"names the {row} with the highest figure in the second source"),
            Stated(brief, "top_b_figure", "states the highest figure in the second source", (two,)),
            Stated(brief, "agreeing", f"states how many {rows} agree", ("agree",)),
            Stated(brief, "differing", f"states how many {rows} differ", ("differ",)),
            Stated(brief, "most", f"names the {row} with the highest difference"),
            Stated(
                brief,
                "least",
                f"names the {row} with the lowest difference (the most negative, if any is negative)",
            ),
        ),
    )
