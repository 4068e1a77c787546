"""The dataset card: what is in it, where it comes from, under which licences, how it was made, what it can't do."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import yaml

from ..errors import RecordError
from ..records import Admitted, Workspace, WorkspaceFile

_NOTHING = "**No task was admitted. This dataset has no row, and there is nothing here to train on.**"

# The hub's size classes: upper bound and name.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def dataset_card(records: Sequence[Admitted], workspaces: Mapping[str, Workspace]) -> str:
    """The card as Markdown with a YAML head. RecordError where a task's workspace is missing."""
    own = [_workspace(record, workspaces) for record in records]
    files = {file.sha256: file for workspace in own for file in workspace.files}
    uses = Counter(file.sha256 for workspace in own for file in workspace.files)
    steps = [len(record.trajectory.tool_calls()) for record in records]
    agents = Counter(record.trajectory.agent for record in records)
    informed = sum(record.trajectory.informed for record in records)
    parts = [
        f"---\n{_head(len(records))}---",
        "# GraphForge trajectories",
        *([] if records else [_NOTHING]),
        f"{len(records)} admitted trajectories of office work on real files. Each is a conversation in which an agent "
        "works on one task with the tools `bash` and `write_file` and hands over files; the task's criteria, which no "
        "agent saw, were executed on these files before the trajectory was admitted.",
        "## Counts",
        f"- tasks: {len(records)}, sectors: {len({one.seed.sector for one in own})}, "
        f"patterns: {len({record.spec.pattern for record in records})}, input files: {len(files)}",
        f"- tool calls a trajectory: {_spread(steps)}",
        _table("Sector", [f"{one.seed.sector} {one.seed.sector_name}".strip() for one in own]),
        _table("Execution pattern", [record.spec.pattern for record in records]),
        _table("Input file family (files)", [file.family for file in files.values()]),
        _table(
            "Deliverable family (files)",
            [one.family for record in records for one in record.spec.deliverables],
        ),
        "## How it was made",
        "An occupation's work demand is paired with real files; facts are read from the files at locators and "
        "confirmed by reading them once more; a task and its criteria are compiled from relations between these "
        "facts; an agent works on the task in a sandbox; the criteria are executed on what it hands over, and only "
        "what scores above the bar, keeps the form asked for and shows no degenerate use of tools is admitted.",
        "## Who did the work",
        *_agents(agents, informed, len(records)),
        "## Sources",
        "Every input file that lay in the folder of an admitted task. The files themselves are not part of this "
        "dataset; the conversations quote from them.",
        _sources(files.values(), uses),
        "## Licence",
        "Each source stays under its own licence, named above; whoever uses the conversations has to observe the "
        "licences of the sources that they quote. No other rights in the sources are granted here. Input files by "
        "licence:",
        _table("Licence", [file.source.licence for file in files.values()]),
        "## Limits",
        "- The statements and criteria were compiled by rules from relations between tables and texts; they ask for "
        "what these rules can check, and their wording is plain.\n"
        "- A criterion that is met says that the figures, formulas, headings and sources are right. Nobody has judged "
        "style or usefulness.\n"
        "- The source files are published figures of their time and can contain errors of their own.\n"
        "- Tasks of one topic share input files; split by workspace or topic and not by row.",
    ]
    return "\n\n".join(parts) + "\n"


def _workspace(record: Admitted, workspaces: Mapping[str, Workspace]) -> Workspace:
    try:
        return workspaces[record.spec.workspace]
    except KeyError:
        raise RecordError(
            f"The workspace {record.spec.workspace} of task {record.spec.id} is missing, so its sources are unknown",
            "Export from the workspaces that the tasks were made of",
        ) from None


def _head(count: int) -> str:
    size = next((name for bound, name in _SIZES if count < bound), "n>1M")
    head = {
        "pretty_name": "GraphForge trajectories",
        "license": "other",
        "license_name": "per-source",
        "language": ["en"],
        "task_categories": ["text-generation"],
        "tags": ["agent", "tool-use", "office-work", "synthetic"],
        "size_categories": [size],
        "configs": [
            {"config_name": "default", "data_files": [{"split": "train", "path": "data/train-*.parquet"}]}
        ],
    }
    return str(yaml.safe_dump(head, sort_keys=False, allow_unicode=True))


def _agents(agents: Counter[str], informed: int, count: int) -> list[str]:
    lines = [f"- `{agent}`: {number} trajectories" for agent, number in sorted(agents.items())]
    note = (
        f"In {informed} of {count} trajectories the agent was informed (`informed` is true): it is a script that was "
        "given the task's computation, though no result, and carried it out by real commands on the files. It is "
        "**not a model**, and these trajectories say nothing about what a model can do. Its turns are composed from a "
        "few sentence patterns and its scripts from one toolbox, so they are far more alike than the work of models "
        "or people."
    )
    return ["\n".join(lines)] + ([note] if informed else [])


def _spread(steps: list[int]) -> str:
    if not steps:
        return "none"
    ordered = sorted(steps)
    return f"{ordered[0]} to {ordered[-1]}, median {ordered[len(ordered) // 2]}"


def _table(title: str, values: Iterable[str]) -> str:
    counts = Counter(values)
    rows = [f"| {_cell(value)} | {counts[value]} |" for value in sorted(counts)]
    return "\n".join([f"| {title} | Count |", "|---|---:|", *rows])


def _sources(files: Iterable[WorkspaceFile], uses: Counter[str]) -> str:
    lines = [
        "| Publisher | Title | Period | Date | Licence | Address | File | Tasks |",
        "|---|---|---|---|---|---|---|---:|",
    ]
    ordered = sorted(
        files, key=lambda file: (file.source.publisher, file.source.title, file.name, file.sha256)
    )
    for file in ordered:
        source = file.source
        cells = [
            source.publisher,
            source.title,
            source.period or "",
            source.date or "",
            source.licence,
            source.url or "not recorded",
        ]
        name = f"{file.name} (sha256 {file.sha256[:12]})"
        lines.append(f"| {' | '.join(_cell(cell) for cell in (*cells, name))} | {uses[file.sha256]} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Text in a Markdown table: one line, and no character that would end the cell or start a tag or a link."""
    escaped = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("[", "\\[")
    return escaped.replace("<", "&lt;")
