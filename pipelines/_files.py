"""Files as the stages hand them to the rooms: stored by hash, parsed, and read again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphforge.config import Agent
from graphforge.errors import InputError, RecordError
from graphforge.records import Artifact, Document, Rejection, TaskSpec, Trajectory, Workspace
from graphforge.workspace import Rereader, WorkerLimits, load_document, parse_apart, stored_file

_LIMITS = WorkerLimits()


def inputs(store: Path, workspace: Workspace) -> dict[str, Path]:
    """The stored files of a workspace by name."""
    return {file.name: stored_file(store, file.sha256) for file in workspace.files}


def work(
    agent: Agent, spec: TaskSpec, files: Mapping[str, Path], keep: Path, sandbox: Any, stage: str
) -> Trajectory | Rejection:
    """One rollout, deliverables kept by hash; a rejection where the agent needs a plan that the task doesn't have, or
    the plan can't be executed as it stands."""
    if spec.solution is None and getattr(agent, "needs_plan", False):
        detail = "a model wrote the task, without a plan to execute; choose an agent that finds its own way"
        return Rejection(id=spec.id, stage=stage, reason="no_solution_plan", detail=detail)
    try:
        return agent.run(spec.public_view(), files, keep, sandbox, spec.solution)
    except RecordError as error:
        return Rejection(id=spec.id, stage=stage, reason="plan_not_executable", detail=error.what)


def documents(store: Path, workspace: Workspace) -> dict[str, Document]:
    """The parsed files of a workspace by hash."""
    return {file.sha256: load_document(store, file.sha256) for file in workspace.files}


def reader(store: Path, workspace: Workspace) -> Rereader:
    """Reads the original files of a workspace again."""
    families = {file.sha256: file.family for file in workspace.files}
    return Rereader(lambda sha256: (stored_file(store, sha256), families[sha256]))


def deliverables(
    spec: TaskSpec, artifacts: tuple[Artifact, ...], folder: Path
) -> Mapping[str, Document | None]:
    """Every deliverable by name: parsed from ``folder/<sha256>``, or None where it is missing or unreadable."""
    handed = {artifact.name: folder / artifact.sha256 for artifact in artifacts}
    return {
        one.file: parsed(handed[one.file], one.file) if one.file in handed else None
        for one in spec.deliverables
    }


def parsed(path: Path, name: str | None = None) -> Document | None:
    """A file read, or None where it can't be: what a judge must know of a deliverable.

    A model may have made it so that whoever opens it hangs, swells or falls over, so it is read in a process that may
    die, within the bounds of a library's file. InputError where the disk fails, which says nothing of the file.
    """
    attempt = parse_apart(path, name if name is not None else path.name, _LIMITS)
    if attempt.reason == "read_error":
        raise InputError(
            f"{path} can't be read: {attempt.detail}", "See to the disk, and run the stage again"
        )
    return attempt.document
