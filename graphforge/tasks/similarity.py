"""How alike the statements of a run are: a figure that tells when they smell of a template.

For each statement the share of word 5-grams that it has in common with the statement nearest to it (Jaccard). Two tasks
over the same table rightly name the same file and columns, so the figure is taken twice: of the statements as they are,
and with everything masked that belongs to the case (file names, quoted titles and headings, numbers, words of the
measures and of the occupation). What is left then is wording, and what is alike there is the template.
"""

import re
from collections.abc import Iterable, Sequence

from ..records import Record, TaskSpec, normalize

GRAM = 5
MOST_ALIKE = 0.45
"""The mean of the masked figure above which a run is said to smell of a template (docs/design/statements.md)."""

_QUOTED = re.compile(r"“[^”]*”")
_FILE = re.compile(r"\S+\.(?:xlsx?|csv|tsv|docx?|pdf|pptx?|html?|json|md|txt)\b")
_NUMBER = re.compile(r"\d[\d,.]*")
_WORD = re.compile(r"[^\W_]+")


class Likeness(Record):
    """Nearest neighbours of the statements of a run, over one kind of text."""

    mean: float
    p95: float


class Alike(Record):
    """``statements.json``: how alike the statements of a run are, as they stand and without the words of their cases.

    Both are None where there are fewer than two statements to compare.
    """

    statements: int
    whole: Likeness | None = None
    masked: Likeness | None = None


def alike(specs: Sequence[TaskSpec]) -> Alike:
    """Both figures of a run."""
    if len(specs) < 2:
        return Alike(statements=len(specs))
    return Alike(
        statements=len(specs),
        whole=likeness(spec.statement for spec in specs),
        masked=likeness(masked(spec) for spec in specs),
    )


def likeness(texts: Iterable[str]) -> Likeness:
    """Mean and 95th percentile (the nearest rank) of each text's likeness to the text nearest to it."""
    near = sorted(nearest(list(texts)))
    rank = -(-95 * len(near) // 100)
    return Likeness(mean=round(sum(near) / len(near), 4), p95=round(near[rank - 1], 4))


def nearest(texts: Sequence[str]) -> list[float]:
    """For each text the greatest Jaccard likeness to another; 0.0 for a text that is alone.

    >>> nearest(["a b c d e f", "a b c d e f", "one two three four five"])
    [1.0, 1.0, 0.0]
    """
    places: dict[tuple[str, ...], int] = {}
    # A set of grams as the bits of a number: the greatest common part of a hundred thousand pairs in a second.
    sets = [
        sum({1 << places.setdefault(gram, len(places)) for gram in _grams(_WORD.findall(text.casefold()))})
        for text in texts
    ]
    best = [0.0] * len(sets)
    for at, one in enumerate(sets):
        for beside in range(at + 1, len(sets)):
            either = (one | sets[beside]).bit_count()
            alike = (one & sets[beside]).bit_count() / either if either else 1.0
            best[at], best[beside] = max(best[at], alike), max(best[beside], alike)
    return best


def _grams(words: Sequence[str]) -> list[tuple[str, ...]]:
    if len(words) <= GRAM:
        return [tuple(words)] if words else []
    return [tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]


def masked(spec: TaskSpec) -> str:
    """The statement without what belongs to its case: a placeholder for each file, quotation, number and own word."""
    own = set(normalize(spec.occupation).split()) | set(normalize(spec.topic.replace("_", " ")).split())
    if spec.solution is not None:
        plan = spec.solution
        labels = [plan.key_label, *(read.label for read in plan.reads)]
        labels += [name for read in plan.reads for name in (read.key_name, read.value_name)]
        own |= {word for label in labels for word in normalize(label).split()}
    own = {word for word in own if len(word) > 3}
    own |= {f"{word}s" for word in own}
    text = _NUMBER.sub(" N ", _FILE.sub(" F ", _QUOTED.sub(" Q ", spec.statement)))
    return _WORD.sub(lambda found: "W" if found.group().casefold() in own else found.group(), text)


def figures(found: Alike) -> dict[str, float]:
    """The figures under the names that they have as metrics."""
    return {
        f"statements.alike.{kind}.{name}": value
        for kind, one in (("whole", found.whole), ("masked", found.masked))
        if one is not None
        for name, value in (("mean", one.mean), ("p95", one.p95))
    }


def told(found: Alike) -> str:
    """One line for whoever runs the stage; it begins with WARNING above the bound."""
    if found.whole is None or found.masked is None:
        return f"statements: {found.statements}, too few to say how alike they are"
    line = (
        f"statements: {found.statements}, each shares {found.whole.mean:.2f} of its 5-grams with the one nearest to it "
        f"(95th percentile {found.whole.p95:.2f}); without the words of the cases {found.masked.mean:.2f} "
        f"({found.masked.p95:.2f})"
    )
    if found.masked.mean <= MOST_ALIKE:
        return line
    return f"WARNING: {line}, above {MOST_ALIKE:.2f}: the wording smells of a template"
