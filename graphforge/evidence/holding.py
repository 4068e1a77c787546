"""Whether a case holds a pattern up: asked before files are put together for it (paper section 3.2)."""

from collections.abc import Mapping, Sequence

from ..records import Document, ExecutionPattern, RelationKind, WorkspaceFile
from .build import RELATIONS_OF_PATTERN, column_of
from .draft import Evidence
from .find import find_among, measures_of
from .limits import EvidenceLimits
from .measures import list_measures
from .suits import suits
from .survey import Where


def holds(
    pattern: ExecutionPattern,
    core: Sequence[WorkspaceFile],
    text: WorkspaceFile | None,
    about: Sequence[Where],
    documents: Mapping[str, Document],
    limits: EvidenceLimits,
) -> bool:
    """Whether a relation that carries a pattern is found between the very columns ``about`` of the ``core`` files.

    ``text`` is the document with a rule or with quoted figures, where there is one. By the bars of :func:`build`, so
    that what is promised to a seed is what its graph is built from. Only the columns are looked at, which is fast;
    that every value is recovered from the files is confirmed when the graph is built.
    """
    places = set(about)
    measures = [
        one
        for one in list_measures(core, documents, limits.most_rows, limits.least_rows)
        if column_of(one) in places
    ]
    texts = [(text, documents[text.sha256])] if text is not None else []
    found = find_among(measures, [], texts, limits)
    offers: dict[RelationKind, Sequence[Evidence]] = {
        **found.findings,
        "quote": found.quoted,
        "threshold": found.bounds,
    }
    return any(
        {column_of(measure) for measure in measures_of(one)} == places
        for kind in RELATIONS_OF_PATTERN.get(pattern, ())
        for one in offers[kind]
        if suits(pattern, one)
    )
