"""Budgeting and allocation: a round amount divided in proportion to a column, in whole units that add up to it."""

import math
from collections.abc import Sequence

from ...records import (
    DerivedColumn,
    Fact,
    Output,
    Plan,
    Section,
    is_money,
    receives,
    show_number,
    stable_hash,
)
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

# What is given out: its unit, half of one, and how much a row gets on average, roughly.
_GIVEN = (("dollars", "dollar", "half a dollar", 6_000.0), ("hours", "hour", "half an hour", 160.0))
_DIGITS = (1.0, 1.2, 1.5, 1.8, 2.0, 2.4, 2.5, 3.0, 3.6, 4.0, 4.5, 5.0, 6.0, 7.5, 8.0, 9.0)
# No part is nearer to half a unit: nobody's way of rounding, and no computer's last digit, decides.
_CLEAR = 0.001
PART, GIVEN = "Before adjustment", "Allocation"


def budgeting_and_allocation(view: View) -> Composition | None:
    """From a share relation: parts of a stated amount in proportion to the figures, as a workbook and a memo.

    None where the rows are nothing that may be given something, or where no fair amount is found (:func:`amount_of`).
    """
    relation = view.relation("share")
    if relation is None:
        return None
    series = view.series[relation.series[0]]
    if not receives(series.key_name) or not additive(view, series):
        return None
    values = [float(view.nodes[name].value) for name in series.nodes]
    # Money follows money; staff goes where people, cases or homes are.
    given_out = _GIVEN[:1] if is_money(f"{series.measure} {series.table}", series.unit) else _GIVEN
    units, unit, half, average = given_out[
        int(stable_hash(view.workspace.id, "given")[:8], 16) % len(given_out)
    ]
    amount = amount_of(values, average, view.workspace.id)
    if amount is None:
        return None
    (head,) = labels(view, (series,))
    key, row, rows = key_label(series), noun(series), nouns(series)
    part, given = f"{PART} ({units})", f"{GIVEN} ({units})"
    book, memo = "allocation.xlsx", "allocation_memo.docx"
    told = (
        f"{show_number(amount)} {units}"
        if units == "dollars"
        else f"{show_number(amount)} hours of staff time"
    )
    decimals = 0 if whole_numbers(view, (series,)) else 2
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "basis", series, head),),
        derived=(
            DerivedColumn(alias="share", label="Share (%)", operation="share", arguments=("basis",)),
            DerivedColumn(
                alias="part", label=part, operation="apportioned", arguments=("basis",), constant=amount
            ),
            DerivedColumn(
                alias="given",
                label=given,
                operation="allocation",
                arguments=("part", "basis"),
                constant=amount,
            ),
        ),
        order_by="basis",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="total", operation="sum", column="basis", decimals=decimals),
            Fact(name="largest", operation="top", column="basis"),
            Fact(name="largest_part", operation="maximum", column="given", decimals=0),
            Fact(name="before", operation="sum", column="part", decimals=0),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"Allocation of {told}",
                sheet="Allocation",
                columns=("basis", "share", "part", "given"),
                totals=("basis", "share", "part", "given"),
            ),
            Output(
                file=memo,
                family="docx",
                title=f"Allocation of {told}",
                columns=("basis", "given"),
                totals=("basis", "given"),
                sections=(
                    Section(
                        heading="Allocation",
                        paragraphs=(
                            f"{told} are divided among {{rows}} rows.",
                            f"The largest part goes to {{largest}}: {{largest_part}} {units}.",
                        ),
                        table=True,
                    ),
                    Section(
                        heading="Method",
                        paragraphs=(
                            f"The amount follows {head}. The total of these figures is {{total}}.",
                            f"The rounded parts add up to {{before}} {units}; what that is off settles in the part "
                            "of the row with the largest figure.",
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
        f"There are {told} to be given out among the {rows}, in proportion to one column: {measure} in {where}.",
        f"I have {told} to divide among the {rows}. Each is to get its part in proportion to {measure} in {where}.",
        f"We have {told} to divide, and what decides is {measure} in {where}: every {row} gets a part in "
        "proportion to its figure there.",
    )
    rule = view.pick(
        "rule",
        f"For each {row} that has a figure, multiply the amount by its figure, divide by the sum of all these "
        f"figures and round to whole {units}, {half} and more upwards. That is “{part}”.",
        f"Every {row} with a figure takes part. Its “{part}” is the amount times its figure, divided by the sum of "
        f"the figures of all that take part, and rounded to whole {units} ({half} or more goes up).",
        f"Work out “{part}” first, for each {row} with a figure: amount times figure over the sum of all figures in "
        f"the list, rounded to the nearest whole {unit}, with {half} going up.",
    )
    rest = view.pick(
        "rest",
        f"Rounded like that, the parts won't quite add up. So “{given}” is the same number for every {row} but the "
        "one with the largest figure, which gets what is missing on top, or gives up what is too much: the sum has "
        "to be the amount exactly.",
        f"“{given}” is what counts: it takes over those numbers and settles what they lack of the amount, or have "
        f"too much, in the part of the {row} with the largest figure, so that it adds up to the amount to the {unit}.",
        f"What these parts lack of the amount goes to the {row} with the largest figure, and what they have too much "
        f"is taken from it; all others keep the rounded part. That gives “{given}”, and its sum is the amount.",
    )
    order = view.pick(
        "order",
        "The largest figure comes first.",
        "Sort by the figure, the largest on top.",
        "List them from the largest figure to the smallest.",
    )
    used = sheet(view, "Allocation", (key, head, "Share (%)", part, given))
    live = view.pick(
        "live",
        "everything computed as live formulas, with the amount in a cell of its own",
        "shares, parts and totals as live formulas that refer to the amount in a single cell",
    )
    memo_form = view.pick_for(
        len(series.nodes),
        "memo",
        paged=(
            "one page with the headings “Allocation”, “Method” and “Sources”, and a table of who gets what.",
            "a page that can be passed on: “Allocation”, “Method” and “Sources” as headings, with a table of the "
            "parts.",
        ),
        free=(
            "a memo under the headings “Allocation”, “Method” and “Sources”, with a table of what each one gets.",
            "a short memo (headings “Allocation”, “Method”, “Sources”) that has the parts in a table.",
        ),
    )
    return Composition(
        plan=plan,
        series={"basis": series.id},
        request=(f"{what} {rule} {rest}", f"{order} {no_totals(view)}"),
        forms={
            book: f"{used}, and a row “Total” under {listed((head, 'Share (%)', part, given))}; the share is the "
            f"figure in percent of the sum; {live}; {sources(view, 'file', 'last')}.",
            memo: f"{memo_form} All figures in full.",
        },
        stated=(
            Stated(memo, "largest", f"names the {row} with the largest part"),
            Stated(memo, "largest_part", f"states how many {units} that is"),
            Stated(memo, "total", f"states the total of {'the figures'} that the parts follow", ("total",)),
            Stated(memo, "before", "states what the rounded parts add up to before the adjustment"),
        ),
    )


def amount_of(values: Sequence[float], average: float, salt: str) -> float | None:
    """A round amount to divide in proportion to the values, about ``average`` for each; None where none is fair.

    No part lies within a thousandth of half a unit, rounding leaves something over (or takes too much), the largest
    value is one row's alone and its part stays larger than all others, and the amount is none of the values nor their
    sum. Of the fair amounts one whose rest is smallest; ``salt`` chooses among equals.
    """
    total = math.fsum(values)
    largest = max(values, default=0.0)
    if total <= 0 or min(values) < 0 or list(values).count(largest) != 1:
        return None
    about = average * sum(value > 0 for value in values)
    power = 10.0 ** math.floor(math.log10(about))
    offers = [round(digits * scale) for scale in (power / 10, power, power * 10) for digits in _DIGITS]
    fair: list[tuple[float, str, float]] = []
    for offer in offers:
        if not about / 3 <= offer <= about * 3 or offer in values or offer == total:
            continue
        exact = [offer * value / total for value in values]
        if any(abs(part - math.floor(part) - 0.5) < _CLEAR for part in exact):
            continue
        parts = [math.floor(part + 0.5) for part in exact]
        rest = offer - sum(parts)
        place = list(values).index(largest)
        others = max(parts[:place] + parts[place + 1 :], default=0)
        if rest == 0 or parts[place] + rest <= others:
            continue
        fair.append((abs(rest), stable_hash(salt, "amount", str(offer)), float(offer)))
    return min(fair)[2] if fair else None
