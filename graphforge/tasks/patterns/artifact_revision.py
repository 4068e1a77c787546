"""Artifact revision: bring a table that is in use into line with another source, and log every change."""

from ...records import DerivedColumn, Fact, Output, Plan
from ..compose import (
    Composition,
    View,
    citations,
    clean,
    half_unit,
    key_label,
    labels,
    listed,
    read_column,
    titled,
)


def artifact_revision(view: View) -> Composition | None:
    """From a conflict relation: the table with the second source's figures, and a log of what changed."""
    relation = view.relation("conflict")
    if relation is None or len(relation.series) != 2:
        return None
    left, right = (view.series[name] for name in relation.series)
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
    columns = [column.alias for column in plan.derived]
    change = ", ".join(f"“{column.label}”" for column in plan.derived if column.alias != "status")
    if "change_pct" in columns:
        log_output = plan.outputs[1].model_copy(
            update={"columns": ("before", "after", "change", "change_pct", "status")}
        )
        plan = plan.model_copy(update={"outputs": (plan.outputs[0], log_output)})
    request = (
        f"The table on “{clean(left.measure)}” in {titled(view, view.file(left))} is the one in use, but "
        f"{titled(view, view.file(right))} (“{clean(right.measure)}”) is the version that holds from now on. Please "
        f"bring the table into line: for every {key.casefold()} that both of them list, the figure of the second "
        "replaces that of the first.",
        "I also need to be able to show what changed. A row counts as “differs” where the two figures are more than "
        f"{tolerance:g} apart (half a unit of the last printed digit) and as “agrees” otherwise.",
    )
    return Composition(
        plan=plan,
        series={"before": left.id, "after": right.id},
        request=request,
        forms={
            table: f"the revised table, with the columns {listed((key, 'After', 'Status'))}, a row for "
            f"each {key.casefold()}.",
            log: f"a sheet “Changes” with the columns “{key}”, “Before”, “After”, {change} and “Status”, "
            f"the changes as "
            "live formulas (after less before, percentages of the figure before), and a second sheet “Sources” that "
            "names the files used.",
        },
    )
