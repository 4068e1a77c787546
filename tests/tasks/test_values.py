"""A model's expressions over columns: what is reduced to a number goes over its own rows, whatever stands beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphforge.errors import RecordError
from graphforge.records import CellLocator, EvidenceEdge, EvidenceGraph, EvidenceNode, Relation, Series
from graphforge.records.arithmetic import FUNCTIONS, evaluate, reductions
from graphforge.tasks.llm_values import Values

SHA = "0" * 64


def node(name: str, row: int, column: int, entity: str, value: float) -> EvidenceNode:
    place = CellLocator(sheet="S", row=row, column=column)
    return EvidenceNode(
        id=name,
        file=SHA,
        name="a.xlsx",
        locator=place,
        fact="f",
        measure="m",
        entity=entity,
        value=value,
        raw="r",
    )


def values(**columns: dict[str, float]) -> Values:
    """A graph with a series for each column, given as row name to number, and the single node ``n1`` = 10."""
    nodes = [node("n1", 99, 9, "alone", 10.0)]
    series = []
    for at, (name, cells) in enumerate(columns.items()):
        own = [
            node(f"{name}_{row}", row, at, entity, value) for row, (entity, value) in enumerate(cells.items())
        ]
        nodes += own
        series.append(
            Series(
                id=name, file=SHA, name="a.xlsx", table="T", key_name="k", key_column=0, measure=name,
                place=own[0].locator, entities=tuple(cells), nodes=tuple(one.id for one in own),
            )
        )  # fmt: skip
    edge = EvidenceEdge(id="e1", kind="equal", operation="compare", nodes=(nodes[0].id, nodes[1].id))
    relation = Relation(id="r1", kind="equal", series=tuple(columns), edges=("e1",))
    return Values(
        EvidenceGraph(
            id="g",
            workspace="w",
            nodes=tuple(nodes),
            edges=(edge,),
            series=tuple(series),
            relations=(relation,),
        )
    )


LONG = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 8.0}
SHORT = {"b": 100.0, "d": 50.0, "z": 7.0}


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("max(s2) - sum(s1)", 85.0),
        ("sum(s1) / count(s1)", 3.75),
        ("sum(s1 + s2)", 160.0),
        ("count(s1 + s2) + count(s1)", 6.0),
        ("sum(s1 - mean(s2))", 15.0 - 4 * 157 / 3),
        ("n1 * (sum(s1) > max(s2))", 0.0),
        ("abs(sum(s1) - sum(s2))", 142.0),
    ],
)
def test_an_aggregate_goes_over_the_rows_of_its_own_series(expression: str, result: float) -> None:
    assert values(s1=LONG, s2=SHORT).number(expression) == pytest.approx(result)


def test_a_column_keeps_the_rows_that_its_series_share_and_aggregates_in_it_theirs() -> None:
    found = values(s1=LONG, s2=SHORT).column("100 * s1 / sum(s1) + 0 * s2")
    assert found.keys == ("b", "d")
    assert found.numbers == pytest.approx((200 / 15, 800 / 15))


def test_where_holds_in_every_aggregate() -> None:
    made = values(s1=LONG, s2=SHORT)
    assert made.number("sum(s1) - n1", where="s1 > 1") == 4.0
    assert made.number("sum(s1) + count(s1)", where="s1 < s2") == 12.0
    with pytest.raises(RecordError, match="No row is left"):
        made.number("sum(s1)", where="s1 > 100")


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=6),
    st.lists(st.integers(-50, 50), min_size=1, max_size=6),
)
def test_two_aggregates_are_what_each_is_alone(left: list[int], right: list[int]) -> None:
    one = {f"x{at}": float(value) for at, value in enumerate(left)}
    other = {f"y{at}": float(value) for at, value in enumerate(right)}
    assert values(s1=one, s2=other).number("sum(s1) - 3 * max(s2)") == sum(left) - 3 * max(right)


@pytest.mark.parametrize(
    "expression", ["sum(a) - max(b)", "a + mean(b - min(a))", "abs(count(a) - 2)", "sum(a, b, 1)", "a - b"]
)
def test_reductions_taken_out_and_put_back_give_the_same(expression: str) -> None:
    names = {"a": (1.0, 2.0, 5.0), "b": (4.0, 0.0, 3.0)}
    if expression == "sum(a, b, 1)":
        names = {"a": 2.0, "b": 3.0}
    outer, parts = reductions(expression)
    reduced = {name: evaluate(part, names, FUNCTIONS) for name, part in parts.items()}
    assert evaluate(outer, {**names, **reduced}, FUNCTIONS) == evaluate(expression, names, FUNCTIONS)
