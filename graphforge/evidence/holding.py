"""Whether a case holds a pattern up: asked before files are put together for it (paper section 3.2)."""

from collections.abc import Mapping, Sequence

from ..records import Document, ExecutionPattern, WorkspaceFile
from .build import RELATION_OF_PATTERN, column_of
from .find import Found, find_among, measures_of
from .limits import EvidenceLimits
from .measures import list_measures
from .survey import Where


def holds(
    pattern: ExecutionPattern,
    core: Sequence[WorkspaceFile],
    text: WorkspaceFile | None,
    about: Sequence[Where],
    documents: Mapping[str, Document],
    limits: EvidenceLimits,
) -> bool:
    """Whether the relation that a pattern needs is found between the very columns ``about`` of the ``core`` files.

    ``text`` is the document with a rule or with quoted figures, where there is one. By the bars of :func:`build`, so
    that what is promised to a seed is what its graph is built from. Only the columns are looked at, which is fast;
    that every value is recovered from the files is confirmed when the graph is built.
    """
    wanted = RELATION_OF_PATTERN.get(pattern)
    if wanted is None:
        return False
    places = set(about)
    measures = [
        one
        for one in list_measures(core, documents, limits.most_rows, limits.least_rows)
        if column_of(one) in places
    ]
    texts = [(text, documents[text.sha256])] if text is not None else []
    found: Found = find_among(measures, [], texts, limits)
    if wanted == "quote":
        return any(column_of(one) in places for group in found.quoted for one in measures_of(group))
    if wanted == "threshold":
        return any(column_of(bound.measure) in places for bound in found.bounds)
    return any(
        {column_of(measure) for measure in measures_of(finding)} <= places
        for finding in found.findings[wanted]
    )
