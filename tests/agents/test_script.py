"""Rendering: texts survive, names are sound, only what is used is in the script."""

import ast
import re

import pytest
from agent_cases import compare
from hypothesis import given
from hypothesis import strategies as st

from graphforge.agents import bricks, script
from graphforge.errors import RecordError
from graphforge.records import (
    CellLocator,
    Citation,
    Fact,
    Output,
    PageLocator,
    Plan,
    PointerLocator,
    ReadColumn,
)

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200)


def column(alias: str, label: str, **changes: object) -> ReadColumn:
    fields: dict[str, object] = {
        "alias": alias, "file": f"{alias}.csv", "family": "csv", "place": CellLocator(row=1, column=1), "key_column": 0,
        "key_name": "k", "value_name": "v", "rows": (1, 2), "label": label,
    }  # fmt: skip
    return ReadColumn.model_validate({**fields, **changes})


@given(TEXT)
def test_literals_evaluate_to_the_text(text: str) -> None:
    assert ast.literal_eval(script.text_literal(text)) == text


@given(TEXT, st.lists(st.sampled_from(["total", "a.b-c:d"]), max_size=3))
def test_paragraphs_keep_every_character_and_fill_in_facts(text: str, names: list[str]) -> None:
    facts = {"total": "<1>", "a.b-c:d": "<2>"}
    text = re.sub(r"\{[^{}]*\}", "", text) + "".join(f" {{{name}}} x" for name in names)
    if script._PLACEHOLDER.findall(text) != names:
        return
    source = "(" + "\n".join(script._pieces(text, set(facts))) + ")"
    expected = script._PLACEHOLDER.sub(lambda match: facts[match[1]], text)
    assert eval(source, {"facts": facts}) == expected


@given(st.lists(st.integers(0, 60), min_size=1, unique=True))
def test_row_ranges_list_the_rows_in_order(rows: list[int]) -> None:
    assert list(eval(script.row_ranges(rows))) == rows


LABEL = st.one_of(st.sampled_from(["key", "class", "2020", "", "漢", "A b", "a-B"]), st.text(max_size=50))


@given(st.lists(LABEL, min_size=2, max_size=5))
def test_column_names_are_distinct_identifiers(labels: list[str]) -> None:
    reads = tuple(column(f"c{number}", label) for number, label in enumerate(labels))
    plan = Plan(
        key_label="Name",
        reads=reads,
        outputs=(Output(file="x.csv", family="csv", title="t"),),
        citations=(Citation(file="c0.csv", used_for="x"),),
    )
    names = list(script._column_names(plan).values())
    assert len(set(names)) == len(labels)
    assert all(name.isidentifier() and name.isascii() and name != "key" for name in names)


@given(st.from_regex(r"[^/\\\x00]{1,60}", fullmatch=True).filter(lambda name: name.strip(".")), TEXT)
def test_any_names_and_titles_give_sound_python(file: str, label: str) -> None:
    plan = compare(column("a", label, file=file), column("b", "B"))
    compile(script.render(plan), "analysis.py", "exec")


def test_a_script_holds_only_what_it_uses() -> None:
    plan = compare(column("a", "A"), column("b", "B"))
    only_csv = script.render(plan.model_copy(update={"outputs": plan.outputs[1:2]}))
    assert "docx" not in only_csv
    assert "write_workbook" not in only_csv
    defined = {
        node.name for node in ast.parse(only_csv).body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    used = {node.id for node in ast.walk(ast.parse(only_csv)) if isinstance(node, ast.Name)}
    assert defined <= used


def test_imports_are_grouped_and_complete() -> None:
    source = bricks.script("Doc", "X = 1", "print(read_csv(Path('x')), math.pi, Document)")
    assert source.splitlines()[:10] == [
        '"""Doc"""', "", "import csv", "import io", "import math", "import re", "from pathlib import Path", "",
        "from docx import Document", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"family": "image"}, "which holds no column"),
        ({"place": PageLocator(page=0, box=(0, 0, 1, 1)), "family": "pdf"}, "which holds no column"),
        ({"place": PointerLocator(pointer="/a"), "family": "json"}, "lies in no array"),
    ],
)
def test_places_without_a_column(changes: dict[str, object], said: str) -> None:
    with pytest.raises(RecordError, match=said):
        script.render(compare(column("a", "A", **changes), column("b", "B")))


def test_the_plan_needs_its_facts_named() -> None:
    plan = compare(column("a", "A"), column("b", "B"))
    with pytest.raises(RecordError, match="unknown facts"):
        script.render(plan.model_copy(update={"facts": (Fact(name="n", operation="count"),)}))
