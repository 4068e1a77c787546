"""Ranking by meaning: each file encoded once, ties by name, the nearest passage counts."""

from pathlib import Path

import numpy
import pytest
from made_library import budget_library, document

from graphforge.embedding import SentenceModel
from graphforge.workspace import EmbeddingRanking, LocalSearch
from graphforge.workspace.embedding_ranking import PASSAGES, RankedFiles, passages

RANKING = EmbeddingRanking(
    package="p", version="1", weights_sha256="0" * 64, tokenizer_sha256="1" * 64, fetch_seconds=1, batch=2
)
SUBJECTS = ("whale", "budget", "road", "school")


class Subjects:
    """Stands in for the model: a text points to the subjects that it names."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: list[str]) -> numpy.ndarray:
        self.texts += texts
        raw = numpy.asarray(
            [[text.casefold().count(word) for word in SUBJECTS] for text in texts], numpy.float32
        )
        raw += 0.01
        return raw / numpy.linalg.norm(raw, axis=1, keepdims=True)


def test_files_are_ranked_by_their_nearest_passage_and_encoded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Subjects()
    monkeypatch.setattr(SentenceModel, "encoder", lambda self: model)
    root = tmp_path / "shelf"
    root.mkdir()
    (root / "sea.txt").write_text("Whales were seen. " + "Nothing else was seen. " * 90)
    (root / "city.txt").write_text("The budget of the city, and again the budget.")
    (root / "late.txt").write_text("Words come first. " * 60 + "Then the roads, and the road again.")
    search = LocalSearch(root=root, file_bytes=100_000, workers=1, ranking=RANKING)
    found = search.open(tmp_path / "cache")
    for query, name in (("whale watching", "sea.txt"), ("a budget", "city.txt"), ("road works", "late.txt")):
        [(best, cosine), *rest] = found.search(query, 3)
        assert found.files[best].path == name
        assert cosine > 0.9 and len(rest) == 2
    before = len(model.texts)
    again = search.open(tmp_path / "cache")
    # One text tells how wide a vector is; no file is encoded again.
    assert len(model.texts) == before + 1
    assert again.search("a budget", 3) == found.search("a budget", 3)
    (root / "more.txt").write_text("A school.")
    before = len(model.texts)
    search.open(tmp_path / "cache")
    assert before + 1 < len(model.texts) <= before + 1 + PASSAGES


def test_equal_cosines_go_by_name() -> None:
    vector = numpy.asarray([1, 0, 0, 0], "<f4").tobytes()
    ranked = RankedFiles({"b": vector, "a": vector}, Subjects())  # type: ignore[arg-type]
    assert [name for name, _ in ranked.search("whale", 5)] == ["a", "b"]


def test_a_file_stands_by_few_passages_of_bounded_length() -> None:
    long = document("a.txt", text=tuple("word " * 400 for _ in range(40)), family="txt")
    told = list(passages("Title", long))
    assert len(told) == PASSAGES
    assert all(len(text.split()) <= 150 for text in told)


def test_without_a_ranking_words_rank() -> None:
    found = budget_library()
    [(best, _), *_] = found.search("whale sightings", 3)
    assert found.files[best].name == "whales.csv"
