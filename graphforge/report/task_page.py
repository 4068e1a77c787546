"""One task as a page for a person: the request, its files, and each criterion with the passages that prove it."""

import re
from collections.abc import Callable, Iterator, Mapping

from graphforge.records import (
    Admitted,
    Anchor,
    CriterionVerdict,
    PenaltyVerdict,
    TaskSpec,
    Verdict,
    Workspace,
)

# What a file says could steer a terminal (escape sequences) or break the page.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_LONGEST = 160


def task_page(
    task: TaskSpec | Admitted, workspace: Workspace, read: Callable[[Anchor], str], anchors: int | None = 8
) -> str:
    """Markdown with everything that the judge knows of a task, and what was found in the work where there is any.

    ``read`` gives the text of the original file at an anchor, or says why it can't. ``anchors``: how many of a
    criterion's are shown (None: all); the rest are counted.
    """
    spec = task.spec if isinstance(task, Admitted) else task
    verdict = task.verdict if isinstance(task, Admitted) else None
    lines = [
        f"# {spec.id}",
        "",
        f"{spec.occupation} ({spec.sector}), {spec.pattern}, {spec.topic}. "
        f"Seed: {_plain(workspace.seed.demand)}",
        "",
        "## What the agent is told",
        "",
        *(f"> {_plain(line)}".rstrip() for line in spec.public_view().request.splitlines()),
        "",
        "## What it is given",
        "",
        *(
            f"- `{file.name}` ({file.role}: {_plain(file.why)}). {_plain(file.source.title)}, "
            f"{_plain(file.source.publisher)}, {_plain(file.source.licence)}"
            for file in workspace.files
        ),
        "",
        "## What counts",
        *_criteria(spec, verdict, read, anchors),
    ]
    if isinstance(task, Admitted):
        handed = ", ".join(f"`{one.name}` ({one.bytes:,} bytes)" for one in task.trajectory.artifacts)
        score = "no score" if task.verdict.score is None else f"score {task.verdict.score:.3f}"
        lines += [
            "",
            "## What was handed over",
            "",
            f"{handed or 'nothing'} by {task.trajectory.agent}: {score}",
        ]
    return "\n".join(lines) + "\n"


def _criteria(
    spec: TaskSpec, verdict: Verdict | None, read: Callable[[Anchor], str], most: int | None
) -> Iterator[str]:
    met: Mapping[str, CriterionVerdict] = {one.criterion: one for one in verdict.criteria} if verdict else {}
    broken: Mapping[str, PenaltyVerdict] = {one.penalty: one for one in verdict.penalties} if verdict else {}
    files = {one.id: one.file for one in spec.deliverables}
    for item in spec.criteria:
        yield from ("", f"### {item.id}, weight {item.weight:.3f}, in `{files[item.deliverable]}`", "")
        yield _plain(item.requirement)
        if item.expected is not None:
            yield f"- Expected: {_plain(item.expected)}"
        yield f"- How to verify: {_plain(item.verification) or 'not said'}"
        yield f"- Checks: {', '.join(check.kind for check in item.checks) or 'none, a judge must read'}"
        yield from _proof(item.anchors, read, most)
        if found := met.get(item.id):
            yield f"- Found: {found.outcome}{_share(found.fraction)}. {_plain(found.evidence)}".rstrip()
    for prohibited in spec.penalties:
        where = f"in `{files[prohibited.deliverable]}`"
        yield from ("", f"### {prohibited.id}, penalty {prohibited.penalty:.3f}, {where}", "")
        yield f"Prohibited: {_plain(prohibited.prohibited)}"
        yield f"- How to verify: {_plain(prohibited.verification) or 'not said'}"
        kinds = ", ".join(violation.kind for violation in prohibited.violations)
        yield f"- Checks: {kinds or 'none, a judge must read'}"
        yield from _proof(prohibited.anchors, read, most)
        if seen := broken.get(prohibited.id):
            words = {"met": "violated", "not_met": "not violated", "unjudged": "unjudged"}
            yield f"- Found: {words[seen.outcome]}{_share(seen.degree)}. {_plain(seen.evidence)}".rstrip()


def _proof(anchors: tuple[Anchor, ...], read: Callable[[Anchor], str], most: int | None) -> Iterator[str]:
    shown = anchors if most is None else anchors[:most]
    for anchor in shown:
        yield f"- Proof: `{anchor.name}`, {anchor.locator.show()}: {_plain(read(anchor))[:_LONGEST]}"
    if left := len(anchors) - len(shown):
        yield f"- and {left:,} more places"


def _share(fraction: float | None) -> str:
    return "" if fraction is None else f" ({fraction:.2f})"


def _plain(text: str) -> str:
    """One line without anything that isn't print."""
    return " ".join(_CONTROL.sub(" ", text).split())
