"""Builds the evidence graph of a workspace with the ``rules`` engine and confirms every node (paper section 3.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..records import (
    Document,
    EvidenceGraph,
    ExecutionPattern,
    Rejection,
    RelationKind,
    Workspace,
    names_total,
    normalize,
    stable_hash,
)
from .computed import Computed
from .draft import Draft, Evidence, Reread, rejected
from .find import Found, confusers, find, measures_of
from .limits import EvidenceLimits
from .measures import Measure
from .quotes import content_words
from .relations import (
    Finding,
    are_periods,
    calls_totals,
    speak_of_one_thing,
    takes_one_side,
    told_apart_by_date,
)
from .suits import suits
from .survey import Where, survey

# The relations that carry each execution pattern the engine can state honestly, the preferred one first; the other
# patterns are left to a model.
RELATIONS_OF_PATTERN: dict[ExecutionPattern, tuple[RelationKind, ...]] = {
    "reconciliation": ("conflict",),
    "artifact_revision": ("conflict",),
    "data_cleaning_and_integration": ("shared_key",),
    "comparative_evaluation": ("shared_key",),
    "data_analysis_and_reporting": ("share", "growth"),
    "forecasting_and_planning": ("growth",),
    "monitoring_and_exception_reporting": ("threshold", "growth"),
    "research_and_source_synthesis": ("quote", "conflict", "shared_key"),
    "budgeting_and_allocation": ("share",),
    "classification_and_coding": ("share",),
    "stakeholder_communication": ("growth",),
    "quantitative_modeling": ("growth",),
}


def build(
    workspace: Workspace, documents: Mapping[str, Document], reread: Reread, limits: EvidenceLimits
) -> EvidenceGraph | Rejection:
    """The evidence graph of a workspace, or the reason why there is none.

    ``documents`` maps hashes to parsed files; ``reread`` returns the raw text at a locator of the original file and
    raises a GraphForgeError where there is nothing. The relation that carries the seed's execution pattern comes
    first; other relations among the same files follow as context.
    """
    pattern = workspace.seed.pattern
    kinds = RELATIONS_OF_PATTERN.get(pattern)
    if kinds is None:
        return rejected(workspace, "pattern_left_to_llm", f"the rules engine can't state {pattern} honestly")
    found = find(workspace, documents, limits)
    if not found.measures:
        return rejected(workspace, "no_measure", "no core file has a keyed table with a usable number column")
    draft = Draft(workspace, reread)
    surveyed = survey(workspace, documents, limits)
    found.findings["conflict"][:] = [
        finding
        for finding in found.findings["conflict"]
        if frozenset(column_of(measure) for measure in finding.measures) not in surveyed.explained
    ]
    chosen = _choose(kinds, found, workspace)
    if chosen is None:
        return _instead(workspace, surveyed.kept, draft, limits)
    wanted, first = chosen
    draft.add(first)
    primary = measures_of(first)
    if confusing := confusers(primary, [*found.alike, *found.measures], limits.least_rows):
        draft.add(confusing[0])
    for kind in ("conflict", "growth", "share", "shared_key"):
        if kind != wanted and (context := _context(found.findings[kind], primary)) is not None:
            draft.add(context)
    if wanted == "shared_key" and (context := _context(found.findings["share"], primary)) is not None:
        draft.add(context)
    for computed in surveyed.kept:
        draft.add(computed)
    return draft.finish(wanted, limits.least_quotations if wanted == "quote" else limits.least_rows)


def _instead(
    workspace: Workspace, surveyed: Sequence[Computed], draft: Draft, limits: EvidenceLimits
) -> EvidenceGraph | Rejection:
    """Where two files don't state the same: three that add up, which is reconciled just as well."""
    pattern = workspace.seed.pattern
    sums = [
        (one, rows)
        for one in (surveyed if pattern == "reconciliation" else ())
        if three_columns(rows := without_totals(one), limits.least_rows)
    ]
    if not sums:
        kinds = " or ".join(RELATIONS_OF_PATTERN[pattern])
        return rejected(workspace, "pattern_not_supported", f"no {kinds} relation holds {pattern} up")
    chosen, rows = sums[int(stable_hash(workspace.id, "identity")[:8], 16) % len(sums[:4])]
    draft.add(rows)
    for computed in surveyed:
        if computed is not chosen:
            draft.add(computed)
    return draft.finish("identity", limits.least_rows)


def without_totals(found: Computed) -> Computed:
    """A relation without its equations over rows that are called a total: requests leave those out."""
    names = {normalize(part[0].label) for one in found.equations for part in one.parts if part}
    kept = tuple(
        one
        for one in found.equations
        if not any(names_total(normalize(part[0].label), names) for part in one.parts if part)
    )
    return replace(found, equations=kept)


def column_of(measure: Measure) -> Where:
    """The column that a measure is read from."""
    return (measure.file.sha256, measure.table.id, measure.column.index)


def three_columns(found: Computed, least: int) -> bool:
    """Whether two columns add up to a third, each in a file of its own, keyed by the same names."""
    if found.kind != "identity" or len(found.equations) < least:
        return False
    columns = [
        {(part[0].file.sha256, part[0].table.id if part[0].table else "", part[0].column) for part in side}
        for side in zip(*(equation.parts for equation in found.equations), strict=False)
    ]
    names = [
        tuple(normalize(part[0].label) for part in side)
        for side in zip(*(equation.parts for equation in found.equations), strict=False)
    ]
    return (
        all(equation.template == "{0} + {1} - {2}" for equation in found.equations)
        and len(columns) == 3
        and all(len(one) == 1 for one in columns)
        and len({file for one in columns for file, _, _ in one}) == 3
        # A plan joins by the names as they are written.
        and names[0] == names[1] == names[2]
        and len(set(names[0])) == len(names[0])
        and all(
            part[0].table is not None and part[0].table.key is not None and part[0].literal is None
            for equation in found.equations
            for part in equation.parts
        )
    )


def _choose(
    kinds: Sequence[RelationKind], found: Found, workspace: Workspace
) -> tuple[RelationKind, Evidence] | None:
    """The relation that the files were put together for, else one of the best of the first kind that there is.

    A seed was matched to what its workspace is about; over the same files another seed was given something else. A
    relation over all those columns comes before one over a part of them: two periods of a measure were meant as such,
    and not the newer one alone as parts of a whole.
    """
    about = set(workspace.about)
    pattern = workspace.seed.pattern
    offers = {kind: [one for one in _ranked(kind, found, workspace) if suits(pattern, one)] for kind in kinds}
    for fits in (set.__eq__, set.__le__):
        for kind, options in offers.items():
            for one in options:
                if fits({column_of(measure) for measure in measures_of(one)}, about):
                    return kind, one
    for kind, options in offers.items():
        if good := _among_the_best(kind, options):
            return kind, good[int(stable_hash(workspace.id, kind)[:8], 16) % len(good)]
    return None


def _ranked(kind: RelationKind, found: Found, workspace: Workspace) -> Sequence[Evidence]:
    """What there is of a kind, the best first; among findings those whose words are the demand's come earlier."""
    if kind == "quote":
        return found.quoted
    if kind == "threshold":
        return found.bounds
    demand = content_words(f"{workspace.seed.demand} {workspace.seed.dwa}")
    findings = found.findings[kind]
    if workspace.seed.pattern == "research_and_source_synthesis":
        findings = [finding for finding in findings if _two_accounts(finding)]
    return sorted(
        findings,
        key=lambda finding: (-finding.quality - 0.1 * _overlap(finding, demand), finding.order()),
    )


def _two_accounts(finding: Finding) -> bool:
    """Whether two files are sources on one thing, each in its own right.

    Not one count and the same a week later, a part beside its whole, or tables that share only their years or the
    names of places. Rows that are called totals, which the request leaves out, are in nobody's brief.
    """
    left, right = finding.measures
    if calls_totals(finding.keys):
        return False
    if finding.kind == "conflict":
        return not told_apart_by_date(left, right) and not takes_one_side(left, right, finding.keys)
    return not are_periods(finding.keys) and speak_of_one_thing(left, right)


def _among_the_best(kind: RelationKind, ranked: Sequence[Evidence]) -> Sequence[Evidence]:
    """Those that any workspace may be given which isn't about one of them."""
    if kind == "quote":
        return ranked[:4]
    best = [
        one
        for one in ranked
        if not isinstance(one, Finding)
        or not isinstance(ranked[0], Finding)
        or one.quality >= ranked[0].quality - 0.4
    ]
    return best[:8]


def _overlap(finding: Finding, words: set[str]) -> int:
    return len(words & set().union(*(content_words(measure.name) for measure in finding.measures)))


def _context(findings: list[Finding], primary: tuple[Measure, ...]) -> Finding | None:
    """The best finding that touches a primary measure, so that the graph hangs together."""
    places = {measure.order for measure in primary}
    for finding in findings:
        if any(measure.order in places for measure in finding.measures):
            return finding
    return None
