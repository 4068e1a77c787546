"""Arithmetic that others wrote, computed without trusting them: numbers, names, ``+ - * /``, comparisons, ``sum``.

>>> evaluate("100 * (n1 - n2) / n2", {"n1": 110.0, "n2": 100.0})
10.0
>>> evaluate("sum(s1 - s2 > 0)", {"s1": (3.0, 1.0), "s2": (2.0, 1.0)})
1.0

A name stands for a number or for a column of numbers; columns of one length combine row by row, and a number with
every row. A comparison is 1 where it holds and 0 where it doesn't. Numbers are computed as exact fractions of what
their shortest decimals say, so 0.1 + 0.2 is 0.3.
"""

import ast
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction

from ..errors import RecordError

LONGEST, DEEPEST = 1_000, 40

Vector = tuple[Fraction, ...]
Exact = Fraction | Vector

_BINARY: dict[type, Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type, Callable[[Fraction, Fraction], bool]] = {
    ast.Gt: operator.gt,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_REDUCTIONS: dict[str, Callable[[Vector], Fraction]] = {
    "sum": lambda cells: sum(cells, Fraction(0)),
    "mean": lambda cells: sum(cells, Fraction(0)) / len(cells),
    "min": min,
    "max": max,
    "count": lambda cells: Fraction(len(cells)),
}
FUNCTIONS = (*_REDUCTIONS, "abs")


def evaluate(
    expression: str,
    names: Mapping[str, float | Sequence[float]],
    functions: Collection[str] = ("sum",),
) -> float | tuple[float, ...]:
    """The value of an expression: a number, or a column where it is over columns.

    ``functions``: those of :data:`FUNCTIONS` that may be called. RecordError, with what is wrong, for anything else
    than the arithmetic above, an unknown name, columns of different lengths, a division by zero.
    """
    found = _Evaluation(expression, names, functions).value(_parse(expression), 0)
    try:
        return tuple(float(cell) for cell in found) if isinstance(found, tuple) else float(found)
    except OverflowError:
        raise _fault(expression, "its value is too large") from None


def named(expression: str) -> tuple[str, ...]:
    """The names that an expression uses (those of functions left out), in the order of their first use."""
    tree = _parse(expression)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(node.id for node in found))


def renamed(expression: str, names: Mapping[str, str]) -> str:
    """The expression with its names replaced; those that ``names`` doesn't hold stay."""
    tree = _parse(expression)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and id(node) not in called:
            node.id = names.get(node.id, node.id)
    return ast.unparse(tree)


def reductions(expression: str, inside: bool = False) -> tuple[str, dict[str, str]]:
    """The expression with a name for each outermost call that makes a number of columns, and what the names stand for.

    ``inside``: of an expression that is such a call itself, those in its arguments. RecordError for no arithmetic.

    >>> reductions("max(s2) - sum(s1 - mean(s3))")
    ('reduced_1 - reduced_2', {'reduced_1': 'max(s2)', 'reduced_2': 'sum(s1 - mean(s3))'})
    >>> reductions("sum(s1 - mean(s3))", inside=True)
    ('sum(s1 - reduced_1)', {'reduced_1': 'mean(s3)'})
    """
    tree = _parse(expression)
    found: dict[str, str] = {}

    class Replacing(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            whole = inside and node is tree
            if whole or not (isinstance(node.func, ast.Name) and node.func.id in _REDUCTIONS):
                return self.generic_visit(node)
            name = f"reduced_{len(found) + 1}"
            found[name] = ast.unparse(node)
            return ast.Name(id=name, ctx=ast.Load())

    return ast.unparse(Replacing().visit(tree)), found


def _parse(expression: str) -> ast.expr:
    if len(expression) > LONGEST:
        raise _fault(expression, f"it has {len(expression)} characters, more than {LONGEST}")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
        # Walking twice over a tree that Python itself can hold is safe; its depth is what recursion must know.
        if _depth(tree) > DEEPEST:
            raise _fault(expression, f"it is nested deeper than {DEEPEST}")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise _fault(expression, f"it is no arithmetic ({type(error).__name__})") from None
    return tree


def _depth(tree: ast.AST) -> int:
    deepest, level = 0, [tree]
    while level:
        deepest += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if deepest > 4 * DEEPEST:
            break
    # Operators and contexts are nodes of their own: two levels of the tree a level of the expression at most.
    return deepest // 2


class _Evaluation:
    def __init__(
        self,
        expression: str,
        names: Mapping[str, float | Sequence[float]],
        functions: Collection[str],
    ):
        self._expression = expression
        self._names = names
        self._functions = functions

    def value(self, node: ast.expr, depth: int) -> Exact:
        if depth > 4 * DEEPEST:
            raise self._fault(f"it is nested deeper than {DEEPEST}")
        match node:
            case ast.Constant(value=bool() | complex()):
                pass
            case ast.Constant(value=int() | float() as number):
                return self._exact(number)
            case ast.Name(id=name):
                if name not in self._names:
                    raise self._fault(f"it uses {name!r}, which is not known here")
                held = self._names[name]
                if isinstance(held, int | float):
                    return self._exact(held)
                return tuple(self._exact(cell) for cell in held)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self._rows(operator.sub, Fraction(0), self.value(inner, depth + 1))
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.value(inner, depth + 1)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return self._rows(
                    _BINARY[type(op)], self.value(left, depth + 1), self.value(right, depth + 1)
                )
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                compare = _COMPARISONS[type(op)]
                return self._rows(
                    lambda one, other: Fraction(compare(one, other)),
                    self.value(left, depth + 1),
                    self.value(right, depth + 1),
                )
            case ast.Call(func=ast.Name(id=name), args=[_, *_] as arguments, keywords=[]):
                return self._call(name, [self.value(argument, depth + 1) for argument in arguments])
        raise self._fault(f"it holds more than arithmetic ({type(node).__name__})")

    def _call(self, name: str, arguments: list[Exact]) -> Exact:
        if name not in self._functions or name not in FUNCTIONS:
            raise self._fault(f"it calls {name!r}; only {', '.join(sorted(self._functions))} may be called")
        if name == "abs":
            if len(arguments) != 1:
                raise self._fault("abs takes one argument")
            return self._rows(lambda cell, _: abs(cell), arguments[0], Fraction(0))
        cells: list[Fraction] = []
        for argument in arguments:
            cells += argument if isinstance(argument, tuple) else (argument,)
        if not cells:
            raise self._fault(f"{name} is over no rows")
        return _REDUCTIONS[name](tuple(cells))

    def _rows(self, operation: Callable[[Fraction, Fraction], Fraction], left: Exact, right: Exact) -> Exact:
        try:
            if isinstance(left, Fraction) and isinstance(right, Fraction):
                return operation(left, right)
            size = len(left) if isinstance(left, tuple) else len(right) if isinstance(right, tuple) else 0
            ones = left if isinstance(left, tuple) else (left,) * size
            others = right if isinstance(right, tuple) else (right,) * size
            if len(ones) != len(others):
                raise self._fault(f"columns of {len(ones)} and {len(others)} rows don't combine")
            return tuple(operation(one, other) for one, other in zip(ones, others, strict=True))
        except ZeroDivisionError:
            raise self._fault("it divides by zero") from None

    def _exact(self, number: float) -> Fraction:
        try:
            return Fraction(repr(number))
        except (ValueError, OverflowError):
            raise self._fault(f"{number} is no finite number") from None

    def _fault(self, why: str) -> RecordError:
        return _fault(self._expression, why)


def _fault(expression: str, why: str) -> RecordError:
    shown = expression if len(expression) <= 80 else expression[:77] + "..."
    return RecordError(f"The expression {shown!r} can't be computed: {why}", "Use + - * / over known ids")
