"""How well a case fits a seed: whether the occupation's work is about the case's subject at all."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from ..records import Seed
from .case import Case
from .fields import AT_HOME_ANYWHERE, FIELDS, densities
from .index import Index
from .library import Library
from .words import stem, subject_terms, terms

# The demand says what the work is about; the occupation's name its field; the activity is worded for all fields.
_WEIGHTS = {"occupation": 1.5, "demand": 1.0, "dwa": 0.5}
# From this part of a text's words on, the text is wholly of a field.
_TOPIC_DENSITY, _CASE_DENSITY = 0.04, 0.12
# What any public table is to people whose work is figures: theirs, but less so than a specialist's.
_ANYWHERE = 0.6
# A BM25 score that leaves no doubt: several rare words in common.
_FULL_SCORE = 10.0
_LONE_WORD = 0.4
# The part of what a demand is about that is enough, because demands list ("such as orders, invoices or receipts").
_ENOUGH_OBJECTS = 0.6
# A demand that names nothing but data is anybody's whose work is figures, and less so a specialist's.
_GENERAL = 0.6
# What is left where neither the occupation's title names a field of the case nor any data is its home: finances occur
# among the demands of cooks, and a city's budget is no work of theirs.
_NOT_AT_HOME = 0.5
# From this part of a field on, a case is about what the words of the field name.
_OF_THE_FIELD = 0.4
# How work with data is done, and for whom: no object that could be missing in a file.
_MEANS = frozenset(
    stem(word)
    for word in """
    accurate agency agencies algorithm algorithms amount analytical appropriate business calculate calculations
    calculator calculators chart charts clean client clients code coding combine company compilation computer
    computers conclusions consistency correct data database databases dataset datasets department departments
    discrepancies draft edit electronic enter entry error errors estimates factors feature figures forecast forecasts
    formulas future government graph graphs historical inform input integrate interpretation keyboard locate
    manipulate mathematical model modeling models monthly narrative number numbers numerical operational organization
    output past pattern patterns periodic predict prediction preparation present presentation presentations project
    projections public quantitative quarterly raw reconcile regular relationships represent research revise sample
    scientific software source sources spreadsheet spreadsheets statistic statistics summaries summarize summary
    table tables tabulate tabulation tool tools transfer trend trends variable variables variety visual
    visualization visualizations weekly word yearly
    """.split()
)
# Below so many seeds, what they share says nothing about occupations in general.
_ENOUGH_SEEDS = 20


class Relevance:
    """The fit of seeds and cases: 0 for nothing in common to 2 for the same field and the same words.

    The sum of two parts, 0 to 1 each. *Field*: how much of the seed's field of work there is in the case and in its
    topic (:mod:`graphforge.workspace.fields`). *Words*: BM25 of the seed's words against the case, where words that
    most of the seeds share weigh little, because they belong to work in general.

    Both count in full only where what the demand is about occurs in the case: its *objects*, the demand's own words
    less those of handling data. Solar installations are no more forecast from emission rates than from tax receipts.
    ``elsewhere`` (0 to 1) is what is left of the fit where none of them does. And half of it is left where the title of
    the occupation names no field of the case.
    """

    def __init__(self, library: Library, cases: Sequence[Case], seeds: Sequence[Seed], elsewhere: float):
        self._elsewhere = elsewhere
        bags = {case.id: case_bag(library, case) for case in cases}
        self._cases = Index(bags)
        topics = {
            topic: densities(term for sha256 in members for term in library.bag(sha256))
            for topic, members in library.topics().items()
        }
        self._fields: dict[str, dict[str, float]] = {}
        for case in cases:
            own = densities(bags[case.id])
            self._fields[case.id] = {
                name: 0.5 * min(1.0, own[name] / _CASE_DENSITY)
                + 0.5 * min(1.0, topics[case.topic][name] / _TOPIC_DENSITY)
                for name in FIELDS
            }
        self._words = {case: frozenset(words) for case, words in bags.items()}
        heads = {
            topic: frozenset(term for sha256 in members for term in terms(library.files[sha256].head()))
            for topic, members in library.topics().items()
        }
        self._told: dict[str, frozenset[str]] = {
            case.id: self._words[case.id]
            | heads[case.topic].union(
                *(FIELDS[name] for name, part in self._fields[case.id].items() if part >= _OF_THE_FIELD)
            )
            for case in cases
        }
        self._seeds = len(seeds)
        self._frequency = Counter(term for seed in seeds for term in set(_weighted(seed)))

    def of(self, seed: Seed) -> dict[str, float]:
        """The relevance of every case, by id."""
        query = self.query(seed)
        scores = self._cases.scores(query)
        fields, certainty, anywhere = seed_fields(seed)
        own = [name for name, members in FIELDS.items() if members & set(terms(seed.occupation))]
        objects = {
            term: self._rarity(term)
            for term in dict.fromkeys(subject_terms(seed.demand))
            if term not in _MEANS
        }
        found: dict[str, float] = {}
        for case, have in self._fields.items():
            common = certainty * sum(part * have[name] for name, part in fields.items())
            if anywhere:
                common = max(common, _ANYWHERE)
            alike = min(1.0, scores[case] / _FULL_SCORE)
            # One word in common may be another sense of it: "control" valves, a city "controller".
            alike *= 1.0 if len(query.keys() & self._words[case]) >= 2 else _LONE_WORD
            told = _told(objects, self._told[case], 1.0 if anywhere else _GENERAL)
            fit = (common + alike) * (self._elsewhere + (1 - self._elsewhere) * told)
            at_home = anywhere or any(have[name] >= _OF_THE_FIELD for name in own)
            found[case] = round(fit if at_home else _NOT_AT_HOME * fit, 6)
        return found

    def query(self, seed: Seed) -> dict[str, float]:
        """The seed's words with their weights."""
        return {term: round(weight * self._rarity(term), 9) for term, weight in _weighted(seed).items()}

    def _rarity(self, term: str) -> float:
        if self._seeds < _ENOUGH_SEEDS:
            return 1.0
        return math.log(1 + self._seeds / self._frequency[term]) / math.log(1 + self._seeds)


def _told(objects: Mapping[str, float], words: frozenset[str], general: float) -> float:
    """How much of what a demand is about occurs among a case's words, 0 to 1; ``general`` where it names nothing."""
    total = sum(objects.values())
    if not total:
        return general
    return min(
        1.0, sum(weight for term, weight in objects.items() if term in words) / (_ENOUGH_OBJECTS * total)
    )


def seed_fields(seed: Seed) -> tuple[dict[str, float], float, bool]:
    """The fields that a seed's words name, as parts of 1; how sure that is (0 to 1); whether any data is home."""
    found: Counter[str] = Counter()
    weight_of: dict[str, float] = {}
    for part, weight in _WEIGHTS.items():
        for term in terms(getattr(seed, part)):
            weight_of[term] = max(weight_of.get(term, 0.0), weight)
    named = 0.0
    for term, weight in weight_of.items():
        fields = [name for name, members in FIELDS.items() if term in members]
        named += weight if fields else 0.0
        for name in fields:
            found[name] += weight  # type: ignore[assignment]
    total = sum(found.values())
    shares = {name: found[name] / total for name in FIELDS if found[name]}
    anywhere = any(term in AT_HOME_ANYWHERE for term in terms(seed.occupation))
    return shares, min(1.0, named / 2), anywhere


def _weighted(seed: Seed) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part, weight in _WEIGHTS.items():
        for term in dict.fromkeys(subject_terms(getattr(seed, part))):
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def case_bag(library: Library, case: Case) -> list[str]:
    """What a case is about: its measures and rows' name, then the titles of its files and tables. No row names."""
    words = [*case.words] * 2
    members = case.core if case.text is None else (*case.core, case.text)
    tables = {(piece.sha256, piece.table) for piece in case.pieces}
    for sha256 in members:
        file, document = library.files[sha256], library.documents[sha256]
        words += (
            subject_terms(" ".join((file.source.title, document.title, file.source.topic, file.name))) * 2
        )
        words += subject_terms(file.note)
        for table in document.tables:
            if (sha256, table.id) in tables:
                words += subject_terms(" ".join((table.title, *(column.name for column in table.columns))))[
                    :80
                ]
    return words


def matched(query: Mapping[str, float], words: Sequence[str]) -> list[str]:
    """The query's terms that occur among the words, heaviest first."""
    known = set(words)
    return sorted((term for term in query if term in known), key=lambda term: (-query[term], term))
