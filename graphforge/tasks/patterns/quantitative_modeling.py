"""Quantitative modeling: the next period in a low, a base and a high case, whose rates the request states."""

from ...records import (
    Assumptions,
    DerivedColumn,
    Fact,
    FactOperation,
    Output,
    Plan,
    Section,
    adds_up,
    stable_hash,
)
from ..compose import (
    Composition,
    Stated,
    View,
    about,
    additive,
    citations,
    key_label,
    labels,
    listed,
    no_totals,
    noun,
    nouns,
    read_column,
    sheet,
    shown_decimals,
    sources,
)
from ._periods import DECIMALS, both_periods, changes, left_out

CASES = ("Low", "Base", "High")
# Percent from the newer figure to the next one. Falls come with the low case, never with the others.
_RATES = (
    (-5.0, -4.0, -3.0, -2.5, -2.0, -1.0),
    (0.5, 1.0, 1.5, 2.0),
    (3.0, 4.0, 4.5, 5.0, 6.0, 8.0),
)


def quantitative_modeling(view: View) -> Composition | None:
    """From a growth relation: a workbook with three cases over an assumption sheet, and a memo with the outcome."""
    relation = view.relation("growth")
    if relation is None or len(relation.series) != 2:
        return None
    newer, older = (view.series[name] for name in relation.series)
    if not changes(view, newer, older):
        return None
    late, early = labels(view, (newer, older))
    # A figure below zero that "falls by 3 percent" goes up.
    if {late, early} & set(CASES) or any(float(view.nodes[name].value) < 0 for name in newer.nodes):
        return None
    key, row, rows = key_label(newer), noun(newer), nouns(newer)
    whole = additive(view, newer)
    if not whole and adds_up(newer.measure, newer.unit):
        # Deductions or sums among the amounts: neither their total nor their mean is an outcome.
        return None
    low, base, high = rates_of(view.workspace.id)
    decimals = shown_decimals([float(view.nodes[name].value) for name in newer.nodes], 2)
    book, memo = "scenarios.xlsx", "scenarios_memo.docx"
    rate = "Change (%)"
    summed: FactOperation = "sum" if whole else "mean"
    total = "total" if whole else "mean"
    cases = tuple(zip(("low", "base", "high"), CASES, (low, base, high), strict=True))
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "older", older, early), read_column(view, "newer", newer, late)),
        derived=(
            DerivedColumn(alias="rate", label=rate, operation="percent_change", arguments=("newer", "older")),
            *(
                DerivedColumn(
                    alias=alias, label=label, operation="scaled", arguments=("newer",), constant=percent
                )
                for alias, label, percent in cases
            ),
        ),
        order_by="newer",
        facts=(
            Fact(name="rows", operation="count", decimals=0),
            Fact(name="start", operation=summed, column="newer", decimals=decimals),
            *(
                Fact(name=f"in_{alias}", operation=summed, column=alias, decimals=decimals)
                for alias, _, _ in cases
            ),
            Fact(name="fastest", operation="top", column="rate"),
            Fact(name="fastest_rate", operation="maximum", column="rate"),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"{late}: three cases for the next period",
                sheet="Model",
                columns=("older", "newer", "rate", "low", "base", "high"),
                totals=("older", "newer", "low", "base", "high") if whole else (),
                assumptions=Assumptions(sheet="Assumptions", name="Case", figure="Rate (%)"),
            ),
            Output(
                file=memo,
                family="docx",
                title="Three cases for the next period",
                columns=("newer", "low", "base", "high"),
                totals=("newer", "low", "base", "high") if whole else (),
                sections=(
                    Section(
                        heading="Outcome",
                        paragraphs=(
                            f"Today's {total} over {{rows}} rows is {{start}}.",
                            f"In the low case the {total} is {{in_low}}.",
                            f"In the base case the {total} is {{in_base}}.",
                            f"In the high case the {total} is {{in_high}}.",
                        ),
                        table=True,
                    ),
                    Section(
                        heading="Assumptions",
                        paragraphs=(
                            f"Every figure of {late} changes by {low:g} percent in the low case, by {base:g} percent "
                            f"in the base case and by {high:g} percent in the high case.",
                            "In the period before, {fastest} had the highest change in percent, {fastest_rate}.",
                        ),
                    ),
                ),
            ),
        ),
        citations=citations(view, ((older, early), (newer, late))),
    )
    falls, grows, jumps = f"{-low:g} percent", f"{base:g} percent", f"{high:g} percent"
    what = view.pick(
        "what",
        f"The model has three cases for the next period, and each moves all newer figures by one rate: “Low” lets "
        f"them fall by {falls}, “Base” lets them grow by {grows}, “High” by {jumps}.",
        f"I need each {row} in three cases. Low: the newer figure falls by {falls}. Base: it grows by {grows}. High: "
        f"it grows by {jumps}.",
        f"Take the newer figure of each {row} one period further, in three ways: down by {falls} (“Low”), up by "
        f"{grows} (“Base”) and up by {jumps} (“High”).",
    )
    exact = view.pick(
        "exact",
        "A case is the newer figure times (100 + rate) / 100, where a fall is a negative rate.",
        "With a fall as a negative rate, each case is newer × (100 + rate) / 100.",
        "So every case comes to newer × (1 + rate / 100); the rate of a fall is negative.",
    )
    beside = view.pick(
        "beside",
        f"Beside them show how the {rows} moved up to now: newer less older, in percent of the older figure.",
        "So that the rates can be judged, give the change up to now as well, newer less older in percent of the "
        "older figure.",
        "For comparison I also want the change that lies behind us: newer less older, in percent of the older one.",
    )
    order = view.pick(
        "order",
        "Sort by the newer figure, the largest first.",
        "The largest newer figure comes first.",
        "List them from the largest newer figure to the smallest.",
    )
    cells = view.pick(
        "cells",
        "a sheet “Assumptions” with the columns “Case” and “Rate (%)”, where each rate has a cell of its own that "
        "the formulas refer to (a fall with a minus sign)",
        "the rates are on a sheet “Assumptions”, under “Case” and “Rate (%)”, falls as negative rates, and all "
        "formulas take them from there",
        "a further sheet “Assumptions” that lists “Case” and “Rate (%)”, a fall being negative; whoever changes a "
        "rate there must see the model follow",
    )
    used = "file" if view.file(newer) == view.file(older) else "files"
    form = sheet(view, "Model", (key, early, late, rate, *CASES))
    form += f", and a row “Total” under {listed((early, late, *CASES))}" if whole else ""
    memo_form = view.pick_for(
        len(newer.nodes),
        "memo",
        paged=(
            "one page with the headings “Outcome”, “Assumptions” and “Sources”, and a table of the cases.",
        ),
        free=(
            "a memo to decide by, with “Outcome”, “Assumptions” and “Sources” as headings and the cases in a table.",
            "a memo under the headings “Outcome”, “Assumptions” and “Sources”, with a table of the three cases.",
            "a short memo (headings “Outcome”, “Assumptions”, “Sources”) that has the cases in a table.",
        ),
    )
    rounding = (
        "Figures to two decimals."
        if decimals == 2
        else f"Percentages to two decimals, other figures to {DECIMALS[decimals]}."
    )
    said = "total" if whole else f"plain mean over all {rows}"
    return Composition(
        plan=plan,
        series={"older": older.id, "newer": newer.id},
        request=(
            f"{both_periods(view, newer, older, (late, early))} {what} {exact} {beside}",
            f"{order} {left_out(view, newer)} {no_totals(view)}",
        ),
        about=about(view, (newer, older), dated=False),
        forms={
            book: f"{form}; {cells}; everything computed as live formulas; {sources(view, used, 'last')}.",
            memo: f"{memo_form} {rounding}",
        },
        stated=(
            Stated(memo, "start", f"states the {said} of the newer figures", (total,)),
            Stated(memo, "in_low", f"states the {said} in the low case", ("low",)),
            Stated(memo, "in_base", "states the same for the base case", ("base",)),
            Stated(memo, "in_high", "states the same for the high case", ("high",)),
            Stated(memo, "fastest", f"names the {row} with the highest change in percent up to now"),
            Stated(memo, "fastest_rate", "states the highest change in percent up to now"),
        ),
    )


def rates_of(salt: str) -> tuple[float, float, float]:
    """The rates of the low, the base and the high case in percent, the same for the same ``salt``."""
    low, base, high = (
        rates[int(stable_hash(salt, "rate", name)[:8], 16) % len(rates)]
        for rates, name in zip(_RATES, CASES, strict=True)
    )
    return low, base, high
