"""The BM25 index: a ranking by content that is the same on every run."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_library import budget_library

from graphforge.errors import InputError
from graphforge.workspace.duplicates import split_duplicates
from graphforge.workspace.index import Index

WORDS = st.sampled_from(["tax", "budget", "school", "road", "bridge"])


def test_the_file_about_the_query_comes_first() -> None:
    found = budget_library()
    [(first, score), *_] = found.search("sightings of whales", 3)
    assert found.files[first].name == "whales.csv"
    assert score > 0
    assert found.search("zebra", 3) == []


def test_inflections_match() -> None:
    found = budget_library()
    assert [sha256 for sha256, _ in found.search("whale", 5)] == [
        sha256 for sha256, _ in found.search("whales", 5)
    ]


def test_equal_scores_go_by_name() -> None:
    index = Index({"b": ["tax"], "a": ["tax"], "c": ["road"]})
    assert [name for name, _ in index.search(["tax"], 3)] == ["a", "b"]


def test_an_index_without_words_says_so() -> None:
    with pytest.raises(InputError, match="no words to search"):
        Index({"a": []})


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=3), st.lists(WORDS, max_size=6), min_size=1),
    st.lists(WORDS),
)
def test_only_documents_with_a_word_of_the_query_are_found(
    bags: dict[str, list[str]], query: list[str]
) -> None:
    if not any(bags.values()):
        return
    found = Index(bags).search(query, len(bags))
    assert {name for name, _ in found} == {name for name, bag in bags.items() if set(bag) & set(query)}
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_scores_do_not_depend_on_the_order_of_sets() -> None:
    code = (
        "from graphforge.workspace.index import Index;"
        "words=[f'w{n}' for n in range(50)];"
        "print(Index({f'd{n}': words[n:n+9] for n in range(40)}).search(words[5:20], 40))"
    )
    root = Path(__file__).resolve().parents[2]
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": str(number)},
            cwd=root,
            capture_output=True,
            check=True,
        ).stdout
        for number in (1, 2)
    }
    assert len(seen) == 1


@given(
    st.dictionaries(st.text("abcd", min_size=1, max_size=3), st.sampled_from(["h1", "h2", "h3"])),
    st.randoms(),
)
def test_one_file_of_each_content_is_kept(files: dict[str, str], random: object) -> None:
    pairs = list(files.items())
    random.shuffle(pairs)  # type: ignore[attr-defined]
    kept, dropped = split_duplicates(pairs)
    assert len(kept) + len(dropped) == len(files)
    assert set(kept) == set(files.values())
    for path, first in dropped:
        assert files[path] == files[first]
        assert kept[files[path]] == first
        assert first < path
    assert (kept, dropped) == split_duplicates(files.items())
