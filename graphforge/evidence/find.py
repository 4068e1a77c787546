"""What computation finds in a workspace: measures, relations between them, and what the texts say of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..records import Document, RelationKind, Workspace, WorkspaceFile
from .draft import Evidence
from .limits import EvidenceLimits
from .measures import Measure, list_measures
from .quotes import Quotation, Threshold, quotations, thresholds
from .relations import Finding, confuser, find_all

TEXTS = frozenset(("pdf", "docx", "html", "md", "txt", "pptx"))


@dataclass(frozen=True)
class Found:
    """``measures`` are those of core files, ``alike`` those of confusers; findings by kind, the best first."""

    measures: list[Measure]
    alike: list[Measure]
    findings: Mapping[RelationKind, list[Finding]]
    quoted: list[list[Quotation]]
    bounds: list[Threshold]


def find(workspace: Workspace, documents: Mapping[str, Document], limits: EvidenceLimits) -> Found:
    """Every relation that computation finds among the core files, and between them and the texts."""
    listed = list_measures(workspace.with_role("core"), documents, limits.most_rows, limits.least_rows)
    measures = _first(listed, workspace, limits.most_measures)
    texts = [
        (file, documents[file.sha256])
        for file in workspace.with_role("core", "supporting")
        if documents[file.sha256].family in TEXTS
    ]
    alike = list_measures(workspace.with_role("confuser"), documents, limits.most_rows, limits.least_rows)
    return find_among(measures, alike, texts, limits)


def find_among(
    measures: list[Measure],
    alike: list[Measure],
    texts: Sequence[tuple[WorkspaceFile, Document]],
    limits: EvidenceLimits,
) -> Found:
    """Every relation between these measures, as far as they can be named, and between them and the texts.

    Of a table that runs over several pages one page is neither compared nor listed: "all departments" are more.
    """
    measures = [measure for measure in measures if measure.named]
    whole = [measure for measure in measures if not measure.partial]
    return Found(
        measures=measures,
        alike=alike,
        findings=find_all(whole, limits.least_rows),
        quoted=_group_quotations(quotations(texts, measures), limits.least_quotations),
        bounds=thresholds(texts, whole),
    )


def _first(measures: list[Measure], workspace: Workspace, most: int) -> list[Measure]:
    """At most so many measures in their order, among them those that the workspace is about: a workbook of forty sheets
    has others before them."""
    about = set(workspace.about)
    places = [(one.file.sha256, one.table.id, one.column.index) for one in measures]
    kept = sorted(range(len(measures)), key=lambda at: places[at] not in about)[:most]
    return [measures[at] for at in sorted(kept)]


def measures_of(evidence: Evidence) -> tuple[Measure, ...]:
    """The measures that a relation is between, the main one first."""
    if isinstance(evidence, Finding):
        return evidence.measures
    if isinstance(evidence, Threshold):
        return (evidence.measure,)
    return (evidence[0].measure,)


def confusers(primary: Sequence[Measure], candidates: Sequence[Measure], least: int) -> list[Finding]:
    """Plausible wrong columns beside the primary measures, the most plausible first: those of a confuser file lead."""
    places = {measure.order for measure in primary}
    found = [
        finding
        for measure in primary
        for other in candidates
        if other.order not in places and (finding := confuser(measure, other, least)) is not None
    ]
    return sorted(found, key=Finding.order)


def _group_quotations(found: list[Quotation], least: int) -> list[list[Quotation]]:
    """Quotations of one measure by one text, largest groups first."""
    groups: dict[tuple[str, tuple[str, str, int]], list[Quotation]] = {}
    for quotation in found:
        groups.setdefault((quotation.file.name, quotation.measure.order), []).append(quotation)
    large = [group for group in groups.values() if len(group) >= least]
    return sorted(large, key=lambda group: (-len(group), group[0].file.name, group[0].measure.order))
