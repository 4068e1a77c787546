"""Computations as formulas and sentences: a spreadsheet gives what exact decimals give, and no operand is left out."""

import math

import ironcalc
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from graphforge.errors import RecordError
from graphforge.records import CellLocator, EvidenceEdge, EvidenceGraph, EvidenceNode, Relation, Series
from graphforge.records.arithmetic import as_formula, as_sentence, evaluate, named

# Names, their cells in column A to C of a sheet, and which are columns.
CELLS = {"n1": "A1", "n2": "A2", "n3": "A3", "s1": "B1:B4", "s2": "C1:C4"}
COLUMNS = {"s1", "s2"}

numbers = st.one_of(
    st.integers(-(10**9), 10**9).map(float),
    st.decimals(-(10**6), 10**6, places=4, allow_nan=False).map(float),
)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    """Scalar expressions over the names: arithmetic, and functions of columns."""
    if depth == 0 or draw(st.booleans()):
        leaf = draw(st.sampled_from(["n1", "n2", "n3", "100", "2.5", "call"]))
        if leaf != "call":
            return leaf
        column = draw(st.sampled_from(["s1", "s2"]))
        function = draw(st.sampled_from(["sum", "mean", "min", "max", "count"]))
        if function == "sum" and draw(st.booleans()):
            other = draw(st.sampled_from(["s2", "n1", "s1"]))
            return f"sum({column} {draw(st.sampled_from('+ - * > < >='.split()))} {other})"
        return f"{function}({column})"
    sign = draw(st.sampled_from("+-*/"))
    left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    negated = draw(st.sampled_from(["", "", "-"]))
    return f"({negated}({left}) {sign} ({right}))"


def recalculated(formula: str, values: dict[str, float | tuple[float, ...]]) -> object:
    model = ironcalc.create("book", "en", "UTC", "en")
    for row, name in enumerate(("n1", "n2", "n3"), start=1):
        model.update_cell_with_number(0, row, 1, values[name])
    for column, name in enumerate(("s1", "s2"), start=2):
        for row, value in enumerate(values[name], start=1):
            model.update_cell_with_number(0, row, column, value)
    model.set_user_input(0, 1, 5, formula)
    model.evaluate()
    return model.get_cell_value(0, 1, 5)


@settings(max_examples=150, deadline=None)
@given(
    expressions(),
    st.tuples(numbers, numbers, numbers),
    st.lists(numbers, min_size=4, max_size=4),
    st.lists(numbers, min_size=4, max_size=4),
)
def test_the_formula_recalculated_is_the_exact_value(expression, scalars, first, second):
    values = dict(zip(("n1", "n2", "n3"), scalars, strict=True)) | {"s1": tuple(first), "s2": tuple(second)}
    try:
        exact = evaluate(expression, values, ("sum", "mean", "min", "max", "count"))
    except RecordError:
        assume(False)
        return
    assert isinstance(exact, float)
    there = recalculated(as_formula(expression, CELLS, COLUMNS), values)
    assert isinstance(there, float)
    # A spreadsheet computes with doubles: what it cancels, it cancels inexactly, in the size of the operands.
    size = max([1.0, *(abs(one) for one in (*scalars, *first, *second))])
    powers = 1 + expression.count("*")
    assume(abs(exact) == 0 or abs(exact) > 1e-7 or "/" not in expression)
    assert math.isclose(there, exact, rel_tol=1e-6, abs_tol=1e-12 * min(size, 1e12) ** powers)


@given(expressions())
def test_the_sentence_names_every_operand(expression):
    names = {name: f"the figure {name.upper()}" for name in CELLS}
    told = as_sentence(expression, names)
    assert all(names[name] in told for name in named(expression))


@pytest.mark.parametrize(
    ("expression", "formula"),
    [
        ("100 * (n1 - n2) / n2", "=100*(A1-A2)/A2"),
        ("n1 - (n2 - n3)", "=A1-(A2-A3)"),
        ("n1 - n2 - n3", "=A1-A2-A3"),
        ("n1 / (n2 * n3)", "=A1/(A2*A3)"),
        ("n1 / n2 / n3", "=A1/A2/A3"),
        ("sum(s1) - n2", "=SUM(B1:B4)-A2"),
        ("n1 > n2", "=(A1>A2)*1"),
        ("sum(s1 > 2)", "=SUMPRODUCT((B1:B4>2)*1)"),
        ("2 * (n1 >= n2)", "=2*((A1>=A2)*1)"),
    ],
)
def test_formulas_are_written_as_a_person_would(expression, formula):
    assert as_formula(expression, CELLS, COLUMNS) == formula


@pytest.mark.parametrize("expression", ["s1 - s2", "mean(s1 - s2)", "n9 + 1", "sum(s1) + s2"])
def test_what_has_no_plain_formula_is_refused(expression):
    with pytest.raises(RecordError):
        as_formula(expression, CELLS, COLUMNS)


def node(name: str, row: int, value: float) -> EvidenceNode:
    return EvidenceNode(
        id=name,
        file="a" * 64,
        name="it's.xlsx",
        locator=CellLocator(sheet="Sheet 1", row=row, column=1),
        fact="fact",
        measure="Volume",
        entity=f"row {row}",
        value=value,
        raw=str(value),
    )


def test_an_edge_prints_its_cells_and_its_operands():
    nodes = tuple(node(f"n{row}", row, float(row)) for row in range(1, 5))
    graph = EvidenceGraph(
        id="graph-1",
        workspace="ws-1",
        nodes=nodes,
        edges=(
            EvidenceEdge(
                id="e1",
                kind="aggregate",
                operation="reconcile",
                nodes=("n1", "n2", "n3", "n4"),
                expression="sum(s1) - n4",
                result=2.0,
            ),
            EvidenceEdge(id="e2", kind="reference", operation="interpret", nodes=("n1", "n2")),
        ),
        series=(
            Series(
                id="s1",
                file="a" * 64,
                name="it's.xlsx",
                table="Sheet 1",
                key_name="Row",
                key_column=0,
                measure="Volume",
                place=nodes[0].locator,
                entities=("row 1", "row 2", "row 3"),
                nodes=("n1", "n2", "n3"),
            ),
        ),
        relations=(Relation(id="r1", kind="aggregate", series=("s1",), edges=("e1",)),),
    )
    assert graph.formula("e1") == "=SUM('[it''s.xlsx]Sheet 1'!B2:B4)-'[it''s.xlsx]Sheet 1'!B5"
    assert graph.sentence("e1") == (
        "the sum of the 3 figures of “Volume” in it's.xlsx, less 4.0 (Volume, row 4; it's.xlsx) is 2.0"
    )
    with pytest.raises(RecordError):
        graph.formula("e2")
