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


_SIGNS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Gt: ">",
    ast.Lt: "<",
    ast.GtE: ">=",
    ast.LtE: "<=",
    ast.Eq: "=",
    ast.NotEq: "<>",
}
_WORDS: dict[type, str] = {
    ast.Add: "plus",
    ast.Sub: "less",
    ast.Mult: "times",
    ast.Div: "divided by",
    ast.Gt: "is greater than",
    ast.Lt: "is less than",
    ast.GtE: "is at least",
    ast.LtE: "is at most",
    ast.Eq: "equals",
    ast.NotEq: "differs from",
}
_SHEET = {"sum": "SUM", "mean": "AVERAGE", "min": "MIN", "max": "MAX", "count": "COUNT", "abs": "ABS"}
_SAID = {
    "sum": "the sum of",
    "mean": "the mean of",
    "min": "the lowest of",
    "max": "the highest of",
    "count": "the number of",
    "abs": "the size of",
}


def as_formula(expression: str, cells: Mapping[str, str], columns: Collection[str] = ()) -> str:
    """The expression as a spreadsheet formula, names replaced by cells; those in ``columns`` stand for ranges.

    RecordError where a spreadsheet has no plain formula for it: a column outside a function, a mean over a computed
    column.

    >>> as_formula("100 * (n1 - n2) / sum(s1)", {"n1": "B2", "n2": "C2", "s1": "D2:D9"}, {"s1"})
    '=100*(B2-C2)/SUM(D2:D9)'
    >>> as_formula("sum(s1 > s2)", {"s1": "B2:B9", "s2": "C2:C9"}, {"s1", "s2"})
    '=SUMPRODUCT((B2:B9>C2:C9)*1)'
    """
    tree = _parse(expression)
    inside = _columns_used(tree, columns, False)
    if inside:
        raise _fault(expression, f"the column {inside!r} stands outside a function: it has no single cell")
    return "=" + _written(expression, tree, cells, columns, 0)


def as_sentence(expression: str, names: Mapping[str, str]) -> str:
    """The expression in words, names replaced by what they stand for.

    >>> as_sentence("sum(s1) - n2", {"s1": "the twelve months", "n2": "the year"})
    'the sum of the twelve months, less the year'
    """
    return _spoken(expression, _parse(expression), names, True)


def _columns_used(node: ast.AST, columns: Collection[str], called: bool) -> str | None:
    """A column that no function that makes a number of it holds, or None."""
    if isinstance(node, ast.Call):
        reduced = isinstance(node.func, ast.Name) and node.func.id in _REDUCTIONS
        found = (_columns_used(one, columns, called or reduced) for one in node.args)
        return next((one for one in found if one), None)
    if isinstance(node, ast.Name):
        return node.id if node.id in columns and not called else None
    found = (_columns_used(one, columns, called) for one in ast.iter_child_nodes(node))
    return next((one for one in found if one), None)


def _written(
    expression: str, node: ast.AST, cells: Mapping[str, str], columns: Collection[str], binds: int
) -> str:
    """A part of a formula; ``binds`` is how tightly what stands around it binds: 1 compares, 2 adds, 3 multiplies."""

    def part(one: ast.AST, tighter: int) -> str:
        return _written(expression, one, cells, columns, tighter)

    def bracketed(text: str, own: int) -> str:
        return f"({text})" if own < binds else text

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return repr(number)
        case ast.Name(id=name):
            if name not in cells:
                raise _fault(expression, f"it uses {name!r}, which has no cell")
            return cells[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return f"(-{part(inner, 4)})"
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return part(inner, binds)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            own = 2 if isinstance(op, ast.Add | ast.Sub) else 3
            # What follows a minus or a division is bracketed where it is a sum or a product itself.
            closer = own + isinstance(op, ast.Sub | ast.Div)
            return bracketed(f"{part(left, own)}{_SIGNS[type(op)]}{part(right, closer)}", own)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            return (
                f"({part(left, 2)}{_SIGNS[type(op)]}{part(right, 2)})*1"
                if binds < 3
                else (f"(({part(left, 2)}{_SIGNS[type(op)]}{part(right, 2)})*1)")
            )
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as arguments, keywords=[]) if name in _SHEET:
            plain = all(isinstance(one, ast.Name) or not _columns_in(one, columns) for one in arguments)
            if plain:
                return f"{_SHEET[name]}({','.join(part(one, 0) for one in arguments)})"
            if name == "sum" and len(arguments) == 1:
                return f"SUMPRODUCT({part(arguments[0], 0)})"
            raise _fault(
                expression, f"a spreadsheet has no plain formula for {name!r} over a computed column"
            )
    raise _fault(expression, f"it holds more than arithmetic ({type(node).__name__})")


def _columns_in(node: ast.AST, columns: Collection[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in columns for one in ast.walk(node))


def _spoken(expression: str, node: ast.AST, names: Mapping[str, str], outermost: bool = False) -> str:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return repr(number)
        case ast.Name(id=name):
            if name not in names:
                raise _fault(expression, f"it uses {name!r}, which has no name")
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return f"minus {_spoken(expression, inner, names)}"
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _spoken(expression, inner, names, outermost)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            comma = "," if isinstance(left, ast.Call) else ""
            told = f"{_spoken(expression, left, names)}{comma} {_WORDS[type(op)]} {_spoken(expression, right, names)}"
            return told if outermost else f"({told})"
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            one, other = _spoken(expression, left, names), _spoken(expression, right, names)
            return f"whether {one} {_WORDS[type(op)]} {other}"
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as arguments, keywords=[]) if name in _SAID:
            parts = [_spoken(expression, one, names) for one in arguments]
            return f"{_SAID[name]} {' and '.join(parts)}"
    raise _fault(expression, f"it holds more than arithmetic ({type(node).__name__})")


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
