"""Puts a script together from its body and the toolbox functions which the body uses.

The toolbox is real, tested Python. A script gets only what it needs: the functions and constants that its body
names, those that they name in turn, and the imports of all of them, in the order of the toolbox.
"""

import ast
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILES = ("reading.py", "computing.py", "writing.py")


@dataclass(frozen=True)
class _Brick:
    """A top-level definition: its source and the names it uses."""

    source: str
    uses: frozenset[str]
    constant: bool


def script(docstring: str, setup: str, body: str) -> str:
    """A whole script: docstring, imports, setup (constants), the toolbox functions used, body."""
    bricks, imports = _toolbox()
    wanted: set[str] = set()
    queue = sorted(_names(ast.parse(setup + "\n" + body)))
    used = set(queue)
    while queue:
        name = queue.pop()
        if name in bricks and name not in wanted:
            wanted.add(name)
            fresh = bricks[name].uses - used
            used |= fresh
            queue.extend(sorted(fresh))
    used.add("Path")
    parts = [f'"""{docstring}"""', _import_block({name: imports[name] for name in imports if name in used})]
    constants = [brick.source for name, brick in bricks.items() if name in wanted and brick.constant]
    functions = [brick.source for name, brick in bricks.items() if name in wanted and not brick.constant]
    head = "\n\n".join([*parts, "\n".join([setup.strip(), *constants])])
    return "\n\n\n".join([head, *functions, body.strip()]) + "\n"


@cache
def _toolbox() -> tuple[dict[str, _Brick], dict[str, str]]:
    """Definitions by name, in order, and import statements by the name they bind."""
    bricks: dict[str, _Brick] = {}
    imports: dict[str, str] = {}
    for file in _FILES:
        text = (Path(__file__).with_name("toolbox") / file).read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.level:
                continue
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    origin = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                    imports[alias.asname or alias.name.split(".")[0]] = f"{origin}import {alias.name}"
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                source = "\n".join(lines[node.lineno - 1 : node.end_lineno])
                bricks[node.name] = _Brick(source, frozenset(_names(node)), constant=False)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                # A comment above a constant belongs to it.
                start = node.lineno - 1
                while lines[start - 1].startswith("#"):
                    start -= 1
                source = "\n".join(lines[start : node.end_lineno])
                bricks[node.targets[0].id] = _Brick(source, frozenset(_names(node.value)), constant=True)
    return bricks, imports


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _import_block(imports: dict[str, str]) -> str:
    """Import statements as isort orders them: standard library first, ``import`` before ``from``, merged."""
    plain: dict[str, set[str]] = {}
    for statement in imports.values():
        module, _, name = statement.removeprefix("from ").removeprefix("import ").partition(" import ")
        plain.setdefault(module, set()).update({name} if name else set())
    groups: list[list[str]] = [[], []]
    for module in sorted(plain, key=lambda one: (bool(plain[one]), one.casefold())):
        names = ", ".join(sorted(plain[module]))
        line = f"from {module} import {names}" if names else f"import {module}"
        groups[module.split(".")[0] not in sys.stdlib_module_names].append(line)
    return "\n\n".join("\n".join(group) for group in groups if group)
