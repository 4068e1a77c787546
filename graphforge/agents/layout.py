"""Lays the input files of a task out in the folder of a rollout."""

import os
from collections.abc import Mapping
from pathlib import Path

from ..errors import InputError, SandboxError
from ..records import EPOCH_SECONDS, PublicTask
from .sandbox import SandboxRoom


def lay_out(room: SandboxRoom, task: PublicTask, inputs: Mapping[str, Path]) -> None:
    """Show the task's files in ``inputs``, read-only, in a way that no command reaches the store by them.

    All bear the same instant, so that a listing reads the same in every run, and they are shown in the order of their
    names: times and order tell nothing of the roles. SandboxError where it fails, InputError where a file of the task
    was not handed in.
    """
    folder = room.inputs
    try:
        folder.mkdir(exist_ok=True)
        room.outputs.mkdir()
        room.own(folder)
        room.own(room.outputs)
        for name in sorted(task.files):
            room.show(inputs[name], name)
        folder.chmod(0o555)
        for place in (folder, room.outputs):
            os.utime(place, (EPOCH_SECONDS, EPOCH_SECONDS))
    except OSError as error:
        raise SandboxError(
            f"The input files could not be laid out ({error})",
            "Check the stored files and the temporary folder",
        ) from None
    except KeyError as error:
        what = f"The task {task.task} names {error}, but no such file was handed in"
        raise InputError(what, "Pass every file of the workspace") from None
