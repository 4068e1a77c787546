"""The rules of the house, read from the imports (docs/design/architecture.md)."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines._stages import STAGES

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "graphforge"
ROOMS = sorted(
    folder.name
    for folder in PACKAGE.iterdir()
    if (folder / "__init__.py").is_file() and folder.name != "records"
)
# Rooms that rank by meaning share the sentence model, which knows nothing of theirs.
MAY_USE_EMBEDDING = {"seeds", "workspace"}
MAY_USE_LLM = {
    "embedding",
    "seeds",
    "workspace",
    "evidence",
    "tasks",
    "agents",
    "revision",
    "judging",
    "evaluation",
}
ONLY_IMPORTER = {"mlflow": "tracking", "litellm": "llm", "torch": "training"}


def sources(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(path: Path, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every imported module by its absolute name (``from .. import x`` resolved) and its line."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            for alias in node.names:
                yield f"{module}.{alias.name}", node.lineno


def where(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def test_the_rooms_are_found() -> None:
    assert {"seeds", "workspace", "evidence", "tasks", "tracking", "report"} <= set(ROOMS)


def test_the_reader_of_imports_resolves_relative_ones() -> None:
    tree = ast.parse(
        "from ..records import Seed\nfrom . import other\nimport graphforge.tasks as t\nfrom mlflow import x"
    )
    names = [name for name, _ in imported(PACKAGE / "seeds" / "file.py", tree)]
    assert names == ["graphforge.records.Seed", "graphforge.seeds.other", "graphforge.tasks", "mlflow.x"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_records_and_errors_and_no_other_room(room: str) -> None:
    allowed = {room, "records", "errors"} | ({"llm"} if room in MAY_USE_LLM else set())
    allowed |= {"embedding"} if room in MAY_USE_EMBEDDING else set()
    faults = [
        f"{where(path, line)} imports {name}"
        for path, tree in sources(PACKAGE / room)
        for name, line in imported(path, tree)
        if name.split(".")[0] in {"graphforge", "pipelines"}
        and (name.split(".")[0] == "pipelines" or name.split(".")[1:2][0] not in allowed)
    ]
    assert not faults


def test_records_rest_on_pydantic_and_nothing_else() -> None:
    faults = [
        f"{where(path, line)} imports {name}"
        for path, tree in sources(PACKAGE / "records")
        for name, line in imported(path, tree)
        if (top := name.split(".")[0]) not in sys.stdlib_module_names
        and top != "pydantic"
        and not name.startswith(("graphforge.records", "graphforge.errors"))
    ]
    assert not faults


@pytest.mark.parametrize(("library", "room"), ONLY_IMPORTER.items())
def test_one_room_alone_imports(library: str, room: str) -> None:
    faults = [
        f"{where(path, line)} imports {name}"
        for folder in (PACKAGE, ROOT / "pipelines")
        for path, tree in sources(folder)
        for name, line in imported(path, tree)
        if name.split(".")[0] == library and path.relative_to(ROOT).parts[:2] != ("graphforge", room)
    ]
    assert not faults


@pytest.mark.parametrize("library", ["mlflow", "litellm", "torch"])
def test_a_slow_library_is_imported_inside_functions(library: str) -> None:
    faults = []
    for path, tree in sources(PACKAGE):
        top_level = ast.Module(body=[node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)],
                               type_ignores=[])  # fmt: skip
        faults += [
            where(path, line) for name, line in imported(path, top_level) if name.split(".")[0] == library
        ]
    assert not faults


@pytest.mark.parametrize("room", [room for room in [*ROOMS, "records"] if room != "tracking"])
def test_a_room_neither_prints_nor_logs(room: str) -> None:
    faults = []
    for path, tree in sources(PACKAGE / room):
        # What an agent runs inside its sandbox is a program of its own: it speaks to the agent by printing.
        if path.parent.name in {"toolbox", "pinned"}:
            continue
        faults += [
            where(path, line) for name, line in imported(path, tree) if name.split(".")[0] == "logging"
        ]
        faults += [
            where(path, node.lineno)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        ]
    assert not faults


def test_a_pipeline_is_short_and_calls_the_edge() -> None:
    stages = [path for path in (ROOT / "pipelines").glob("*.py") if "one_line(main)" in path.read_text()]
    names = {path.stem for path in stages} - {"_edge"}
    assert {*STAGES} <= names
    long = {
        path.stem: n
        for path in stages
        if path.stem != "_edge" and (n := len(path.read_text().splitlines())) > 60
    }
    assert not long


def test_prompts_stand_beside_the_code_that_uses_them() -> None:
    orphans = [
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*.md")
        if path.name != "README.md" and not path.with_suffix(".py").is_file()
    ]
    assert not orphans
