"""Artifact revision: bring a table that is in use into line with another source, and log every change."""

import re

from ...records import DerivedColumn, Fact, Output, Plan, Series, day_in
from ..compose import (
    Composition,
    View,
    citations,
    clean,
    each,
    half_unit,
    key_label,
    labels,
    listed,
    no_totals,
    noun,
    placed,
    read_column,
    sheet,
    sources,
    titled,
    tolerated,
)

_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = re.compile(r"(?:19|20)\d\d[-_ ][01]\d[-_ ][0-3]\d|FY ?\d\d[_ -]?Q\d", re.I)


def artifact_revision(view: View) -> Composition | None:
    """From a conflict relation: the table with the second source's figures, and a log of what changed."""
    relation = view.relation("conflict")
    if relation is None or len(relation.series) != 2:
        return None
    left, right = sorted((view.series[name] for name in relation.series), key=lambda one: _dated(view, one))
    heads = labels(view, (left, right))
    tolerance = half_unit(view, (left, right))
    key = key_label(left)
    table, log = "revised_table.csv", "change_log.xlsx"
    measure = clean(right.measure, 60)
    plan = Plan(
        key_label=key,
        reads=(
            read_column(view, "before", left, "Before"),
            read_column(view, "after", right, "After"),
        ),
        derived=(
            DerivedColumn(
                alias="change", label="Change", operation="difference", arguments=("after", "before")
            ),
            DerivedColumn(
                alias="change_pct",
                label="Change (%)",
                operation="percent_change",
                arguments=("after", "before"),
            ),
            DerivedColumn(
                alias="status",
                label="Status",
                operation="agreement",
                arguments=("after", "before"),
                constant=tolerance,
            ),
        )
        if all(float(view.nodes[node].value) != 0 for node in left.nodes)
        else (
            DerivedColumn(
                alias="change", label="Change", operation="difference", arguments=("after", "before")
            ),
            DerivedColumn(
                alias="status",
                label="Status",
                operation="agreement",
                arguments=("after", "before"),
                constant=tolerance,
            ),
        ),
        facts=(Fact(name="changed", operation="count_equal", column="status", word="differs", decimals=0),),
        outputs=(
            Output(file=table, family="csv", title=measure, columns=("after", "status")),
            Output(
                file=log,
                family="xlsx",
                title=f"Change log: {measure}",
                sheet="Changes",
                columns=("before", "after", "change", "status"),
            ),
        ),
        citations=citations(
            view, ((left, f"{heads[0]}: the table to revise"), (right, f"{heads[1]}: the figures that hold"))
        ),
    )
    columns = [one.alias for one in plan.derived]
    if "change_pct" in columns:
        log_output = plan.outputs[1].model_copy(
            update={"columns": ("before", "after", "change", "change_pct", "status")}
        )
        plan = plan.model_copy(update={"outputs": (plan.outputs[0], log_output)})
    row = noun(left)
    here, there = titled(view, view.file(left)), titled(view, view.file(right))
    old, new = placed(left), placed(right)
    which = view.pick(
        "which",
        f"The table in use is {here}, column {old}; the figures that hold are those of {there}, column {new}.",
        f"We work with {old} from {here}, but {new} in {there} is what holds from now on.",
        f"{there} has the figures to go by, {new}. Ours, in {here} under {old}, are the ones to be replaced.",
    )
    what = view.pick(
        "what",
        f"For every {row} that both of them list, the figure that holds replaces ours; what only one of them lists "
        "stays out.",
        f"Bring it into line: each {row} that stands in both gets the figure that holds. Leave out what isn't in both.",
        f"Take each {row} that is in both and put the figure that holds in place of ours, nothing else.",
    )
    log_it = view.pick(
        "log_it",
        "I also need to be able to show what changed.",
        "Keep track of what that changes.",
        "I want to see every change with before and after.",
    )
    status = view.pick(
        "status",
        f"A row counts as “differs” where the two figures are more than {tolerated(tolerance)} apart, either way, "
        "and as “agrees” otherwise.",
        f"Mark a row “agrees” if before and after are no more than {tolerated(tolerance)} apart, up or down, and "
        "“differs” if they are.",
    )
    request = (f"{which} {what} {no_totals(view)}", f"{log_it} {status}")
    percentages = ", percentages of the figure before" if "change_pct" in columns else ""
    revised = listed((key, "After", "Status"))
    logged_headings = (key, "Before", "After", *(one.label for one in plan.derived))
    return Composition(
        plan=plan,
        series={"before": left.id, "after": right.id},
        request=request,
        forms={
            table: view.pick(
                "table",
                f"the revised table, with the columns {revised}, {each(left)}.",
                f"the table as it should be from now on: columns {revised}, {each(left)}.",
            ),
            log: f"{sheet(view, 'Changes', logged_headings)}, the changes as live formulas (after less before"
            f"{percentages}); {sources(view)}.",
        },
    )


def _dated(view: View, series: Series) -> tuple[str, str]:
    """What a file's name and title say about when it is from: the older table is the one to be revised. Files that say
    nothing stay in the order of the relation."""
    told = f"{view.file(series).name} {view.file(series).source.title}"
    if (day := day_in(series.name)) is not None:
        return "{}{:02}{:02}".format(*day), str(day[0])
    days = [re.sub(r"[-_ ]", "", found) for found in _DAY.findall(told)]
    return max(days, default=""), max(_YEAR.findall(told), default="")
