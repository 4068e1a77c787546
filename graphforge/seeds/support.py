"""Whether a text bears out a work demand: the one test of both engines (paper section 3.1).

Of the words of a demand that carry meaning, at least :data:`SUPPORT` must occur in the passages that it cites, up to
inflection.
"""

from functools import lru_cache

import snowballstemmer

from graphforge.records import normalize

# The share of a demand's meaningful words that its cited passages must hold. A paraphrase that takes another verb and
# adds a "monthly" keeps about two thirds of them; a demand made up from general knowledge of the trade under half.
SUPPORT = 0.6
# A demand with fewer meaningful words than this says nothing that could be supported.
FEWEST_WORDS = 2
# Words of one meaning share their stem, or a beginning of at least this length: reconcile, reconciliation.
BEGINNING = 6

_FUNCTION_WORDS = frozenset(
    "a an and any are as at be been by can do does for from has have how in into is it its of on or other so such than "
    "that the their them then there these they this those to under up upon using was were what when where whether "
    "which while who with within would".split()
)


def supported(demand: str, cited: str) -> float:
    """The share of a demand's meaningful words that a text holds; 0 where it has too few of them to say anything."""
    asked = meaningful(demand)
    if len(asked) < FEWEST_WORDS:
        return 0.0
    words = meaningful(cited)
    stems = {stem(word) for word in words}
    beginnings = {word[:BEGINNING] for word in words if len(word) >= BEGINNING}
    return sum(stem(word) in stems or word[:BEGINNING] in beginnings for word in asked) / len(asked)


def meaningful(text: str) -> list[str]:
    """The distinct words of a text in order, without function words and single letters."""
    words = dict.fromkeys(normalize(text).split())
    return [word for word in words if word not in _FUNCTION_WORDS and len(word) > 1]


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The Snowball (Porter 2) stem of a normalized word."""
    return str(snowballstemmer.stemmer("english").stemWord(word))
