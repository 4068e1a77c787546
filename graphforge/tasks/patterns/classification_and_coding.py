"""Classification and coding: rows in classes A, B and C by their cumulative share of the whole."""

import math
from collections.abc import Sequence

from ...records import DerivedColumn, Fact, Output, Plan, Section, Summary, stable_hash
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
    sheet,
    sources,
    titled,
    whole_numbers,
)
from ..evaluate import cumulated

# Where A and B end, in percent. The first is what most people mean by an ABC analysis.
_BOUNDS = ((80.0, 95.0), (75.0, 95.0), (70.0, 90.0), (80.0, 90.0))
# No cumulative share is nearer to a bound, in points: whoever rounds to one decimal gets the same classes.
_CLEAR = 0.06
WORDS = ("A", "B", "C")
CUMULATIVE, CLASS = "Cumulative share (%)", "Class"
SUMMED = (CLASS, "Rows", "Sum", "Part of the whole (%)")


def classification_and_coding(view: View) -> Composition | None:
    """From a share relation: an ABC classification as a workbook with a sheet of sums by class, and a note.

    None where a sum means nothing, or where no bounds are fair (:func:`bounds_of`).
    """
    relation = view.relation("share")
    if relation is None:
        return None
    series = view.series[relation.series[0]]
    if not additive(view, series):
        return None
    found = bounds_of([float(view.nodes[name].value) for name in series.nodes], view.workspace.id)
    if found is None:
        return None
    first, second = found
    (head,) = labels(view, (series,))
    key, row, rows = key_label(series), noun(series), nouns(series)
    book, note = "classes.xlsx", "classes_note.docx"
    decimals = 0 if whole_numbers(view, (series,)) else 2
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "amount", series, head),),
        derived=(
            DerivedColumn(
                alias="running", label=CUMULATIVE, operation="cumulative_share", arguments=("amount",)
            ),
            DerivedColumn(
                alias="class",
                label=CLASS,
                operation="abc_class",
                arguments=("running",),
                bounds=(first, second),
            ),
        ),
        order_by="amount",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="total", operation="sum", column="amount", decimals=decimals),
            Fact(name="in_a", operation="count_equal", column="class", word="A", decimals=0),
            Fact(
                name="sum_a", operation="sum_equal", column="class", word="A", of="amount", decimals=decimals
            ),
            Fact(name="in_c", operation="count_equal", column="class", word="C", decimals=0),
            Fact(name="largest", operation="top", column="amount"),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"{head}: classes by cumulative share",
                sheet="Classes",
                columns=("amount", "running", "class"),
                totals=("amount",),
                summary=Summary(sheet="Summary", by="class", of="amount", words=WORDS, headings=SUMMED),
            ),
            Output(
                file=note,
                family="docx",
                title=f"{head}: classes A, B and C",
                sections=(
                    Section(
                        heading="Result",
                        paragraphs=(
                            "The total over {rows} rows is {total}.",
                            "Class A has {in_a} rows.",
                            "Taken together, the rows of class A come to {sum_a}.",
                            "Class C has {in_c} rows.",
                            "The largest figure is that of {largest}.",
                        ),
                    ),
                    Section(
                        heading="Rule",
                        paragraphs=(
                            f"Rows are taken from the largest figure down. Up to a cumulative share of {first:g} "
                            f"percent they are in A, up to {second:g} percent in B, and beyond it in C.",
                        ),
                    ),
                ),
            ),
        ),
        citations=citations(view, ((series, head),)),
    )
    where, measure = titled(view, view.file(series)), headed(series, head)
    what = view.pick(
        "what",
        f"The figures are {measure} in {where}.",
        f"Go by {measure} in {where}.",
        f"What decides is {measure} in {where}.",
    )
    running = view.pick(
        "running",
        f"Sort every {row} that has a figure, the largest figure first ({rows} with the same figure in the order of "
        f"the source). “{CUMULATIVE}” is the sum of the figures from the top down to and including the {row}, in "
        "percent of the sum of all.",
        f"Put the {rows} with a figure in order, from the largest figure to the smallest; where figures are equal, "
        f"keep the order of the source. Then add the figures up from the top: “{CUMULATIVE}” is that running sum, "
        f"the {row} itself included, in percent of the sum over the list.",
        f"Take all {rows} that have a figure, largest first, equal ones as they follow each other in the source. For "
        f"each give “{CUMULATIVE}”: its own figure and all those above it, in percent of the sum of the whole list.",
    )
    classes = view.pick(
        "classes",
        f"The class is A where the cumulative share is at most {first:g} percent, B where it is more than that but "
        f"at most {second:g} percent, and C otherwise.",
        f"A cumulative share of up to {first:g} percent means A, one above {first:g} and up to {second:g} percent B, "
        "and everything above that C.",
        f"Up to and including {first:g} percent of cumulative share it is A, from there up to and including "
        f"{second:g} percent B, and beyond that C.",
    )
    crossing = view.pick(
        "crossing",
        f"So the {row} with which the running sum passes a bound is already in the next class.",
        f"The {row} that carries the sum over a bound therefore belongs to the class after it.",
        f"That puts the {row} at which a bound is passed into the class behind the bound, not the one before it.",
    )
    exact = view.pick(
        "exact",
        "Decide on unrounded percentages.",
        "Don't round before you decide.",
        "Go by the percentages as they come out, without rounding.",
    )
    summed = view.pick(
        "summed",
        f"a sheet “Summary” with the columns {listed(SUMMED)}, a line for each class",
        f"then a sheet “Summary” with a line a class and the columns {listed(SUMMED)}",
        f"a further sheet “Summary” that has, class by class, {listed(SUMMED)}",
    )
    note_form = view.pick(
        "note",
        "half a page with the headings “Result”, “Rule” (how the classes are formed) and “Sources”.",
        "a short note in whole sentences under the headings “Result”, “Rule”, which says how the classes come about, "
        "and “Sources”.",
        "not more than a page: “Result”, “Rule” (where the bounds lie) and “Sources” as headings.",
    )
    return Composition(
        plan=plan,
        series={"amount": series.id},
        request=(f"{what} {running}", f"{classes} {crossing} {exact} {no_totals(view)}"),
        forms={
            book: f"{sheet(view, 'Classes', (key, head, CUMULATIVE, CLASS))}, the rows in that order, and a row "
            f"“Total” under “{head}”; {summed}: how many {rows} it has, the sum of their figures, and that sum in "
            "percent of the sum of all; cumulative shares and the summary as live formulas; "
            f"{sources(view, 'file', 'last')}.",
            note: f"{note_form} Sums in full.",
        },
        stated=(
            Stated(note, "total", "states the total", ("total",)),
            Stated(note, "in_a", f"states how many {rows} are in class A", ("class A",)),
            Stated(note, "sum_a", "states the sum of the figures of class A", ("class A",)),
            Stated(note, "in_c", f"states how many {rows} are in class C", ("class C",)),
            Stated(note, "largest", f"names the {row} with the largest figure"),
        ),
    )


def bounds_of(values: Sequence[float], salt: str) -> tuple[float, float] | None:
    """Where classes A and B end, in percent of cumulative share; None where no bounds are fair.

    Each class has a row, no cumulative share lies within six hundredths of a point of a bound, and no class has as many
    rows as a bound has percent. ``salt`` chooses among those that are.
    """
    if math.fsum(values) <= 0 or min(values) < 0:
        return None
    running = cumulated(values)
    fair = []
    for first, second in _BOUNDS:
        counts = (
            sum(share <= first for share in running),
            sum(first < share <= second for share in running),
            sum(share > second for share in running),
        )
        near = any(abs(share - bound) < _CLEAR for share in running for bound in (first, second))
        if all(counts) and not near and not {first, second} & set(map(float, counts)):
            fair.append((first, second))
    return fair[int(stable_hash(salt, "bounds")[:8], 16) % len(fair)] if fair else None
