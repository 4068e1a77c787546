"""A brief on two sources that tell different things of the same rows: how the two are spread, and where they part."""

from ...records import DerivedColumn, Fact, Output, Plan, Relation, Section
from ..compose import (
    Composition,
    Stated,
    View,
    additive,
    citations,
    headed,
    key_label,
    labels,
    listed,
    no_totals,
    noun,
    nouns,
    read_column,
)
from ._attributed import attribution, called

REASONS = (
    "I need a brief that puts together what two of our sources tell about {about}.",
    "No single file says enough about {about}. Please bring two of them together in something that can be read.",
    "A reader who wants to know about {about} has to open two files today; a brief would spare them that.",
    "Please write up {about} from the two sources that we have, as one account.",
)


def sources_combined(view: View, relation: Relation) -> Composition | None:
    """From a shared-key relation between amounts: each row's share of either whole, told in a brief, and as a file.

    None where a sum over the rows of either source means nothing.
    """
    if len(relation.series) != 2:
        return None
    left, right = (view.series[name] for name in relation.series)
    if left.file == right.file or not (additive(view, left) and additive(view, right)):
        return None
    heads = labels(view, (left, right))
    key = key_label(left)
    shares = ("Share, first source (%)", "Share, second source (%)")
    brief, flat = "source_brief.docx", "source_figures.csv"
    one, two = left.name, right.name
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "a", left, heads[0]), read_column(view, "b", right, heads[1])),
        derived=(
            DerivedColumn(alias="share_a", label=shares[0], operation="share", arguments=("a",)),
            DerivedColumn(alias="share_b", label=shares[1], operation="share", arguments=("b",)),
            DerivedColumn(
                alias="apart",
                label="Difference in points",
                operation="difference",
                arguments=("share_a", "share_b"),
            ),
        ),
        order_by="a",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="whole_a", operation="sum", column="a"),
            Fact(name="whole_b", operation="sum", column="b"),
            Fact(name="top_a", operation="top", column="a"),
            Fact(name="top_a_share", operation="maximum", column="share_a"),
            Fact(name="top_b", operation="top", column="b"),
            Fact(name="top_b_share", operation="maximum", column="share_b"),
            Fact(name="most", operation="top", column="apart"),
            Fact(name="least", operation="bottom", column="apart"),
        ),
        outputs=(
            Output(
                file=brief,
                family="docx",
                title=f"{heads[0]} and {heads[1]}",
                columns=("a", "share_a", "b", "share_b"),
                sections=(
                    Section(
                        heading="What the sources say",
                        paragraphs=(
                            f"According to {one} the total is {{whole_a}}.",
                            f"According to {two} the total is {{whole_b}}.",
                            f"{{top_a}} has the largest share in {one}, {{top_a_share}} percent.",
                            f"{{top_b}} has the largest share in {two}, {{top_b_share}} percent.",
                        ),
                    ),
                    Section(
                        heading="Taken together",
                        paragraphs=(
                            "The two sources have {rows} rows in common.",
                            f"{{most}} has more of the whole in {one} than in {two}, by the most points.",
                            f"With {{least}} it is the other way about: its share in {one} falls furthest short of "
                            f"that in {two}.",
                        ),
                        table=True,
                    ),
                ),
            ),
            Output(
                file=flat,
                family="csv",
                title="Figures and shares of both sources",
                columns=("a", "share_a", "b", "share_b"),
            ),
        ),
        citations=citations(view, ((left, heads[0]), (right, heads[1]))),
    )
    row, rows = noun(left), nouns(left)
    here, there = called(view, left), called(view, right)
    first, second = headed(left, heads[0]), headed(right, heads[1])
    where = view.pick(
        "where",
        f"The first source is {here}, from which I need {first}; the second is {there}, for {second}.",
        f"Take {first} from {here}, the first source, and {second} from {there}, the second.",
        f"{first} stands in {here}, which I call the first source, and {second} in {there}, the second.",
    )
    how = view.pick(
        "how",
        f"Keep to the {rows} that both list. For each give the two figures and, of either, its percentage of the sum "
        "over those same rows, the largest figure of the first source on top.",
        f"What counts are the {rows} in both files. Beside each figure put its share, in percent of the sum of that "
        "column over the same rows; the largest figure of the first source comes first.",
        f"Only {rows} that stand in both come into it. I want the figures, and with each its percentage of the sum of "
        "its column over those rows, in the order of the first source's figures, largest first.",
    )
    apart = view.pick(
        "apart",
        "To see where the sources part, take a row's share by the first source less its share by the second.",
        "Where they part shows in the share by the first source less the share by the second.",
        "Compare the shares by taking the one of the first source less the one of the second.",
    )
    request = (f"{where} {how} {no_totals(view)}", f"{apart} {attribution(view)}")
    brief_form = view.pick_for(
        len(left.nodes),
        "brief",
        paged=(
            "one or two pages for a reader who won't open the files, with the headings “What the sources say”, “Taken "
            "together” and “Sources”, and the table.",
        ),
        free=(
            "a written brief under the headings “What the sources say”, “Taken together” and “Sources”, with the "
            "table in it.",
            "the brief itself, to be read without the files: “What the sources say”, “Taken together” and “Sources” as "
            "headings, the table included.",
        ),
    )
    table = listed((key, heads[0], shares[0], heads[1], shares[1]))
    return Composition(
        plan=plan,
        series={"a": left.id, "b": right.id},
        request=request,
        reasons=REASONS,
        forms={
            brief: f"{brief_form} The table has the columns {table}. Percentages to two decimals, the sums in full.",
            flat: view.pick(
                "flat",
                f"the same table as a plain file, columns {table}, no total row.",
                f"the figures behind it for whoever wants to go on with them: columns {table}, no total row.",
                f"the columns {table} and nothing else, without a total row.",
            ),
        },
        stated=(
            Stated(brief, "whole_a", f"states the total by the first source over the {rows} in both", (one,)),
            Stated(brief, "whole_b", f"states the total by the second source over the same {rows}", (two,)),
            Stated(brief, "top_a", f"names the {row} with the largest share by the first source"),
            Stated(brief, "top_a_share", "states the largest share by the first source in percent", (one,)),
            Stated(brief, "top_b", f"names the {row} with the largest share by the second source"),
            Stated(brief, "top_b_share", "states the largest share by the second source in percent", (two,)),
            Stated(
                brief,
                "most",
                f"names the {row} whose share by the first source exceeds that by the second the most",
            ),
            Stated(
                brief,
                "least",
                f"names the {row} whose share by the first source falls short of that by the second the most",
            ),
        ),
    )
