"""A workspace: 4 to 12 real files around one seed, each with a role the agent never sees."""

from typing import Literal

from pydantic import Field, model_validator

from .base import FileName, Identifier, Record, Sha256
from .document import Family
from .seed import Seed

Role = Literal["core", "supporting", "confuser", "ambient"]


class Source(Record):
    """Where a file comes from; travels to the dataset card. ``date``: when it was published, as the publisher says."""

    publisher: str
    title: str
    url: str | None = None
    period: str | None = None
    date: str | None = None
    licence: str
    topic: str


class WorkspaceFile(Record):
    """A real file in the workspace, stored once by its hash."""

    sha256: Sha256
    name: FileName
    family: Family
    bytes: int = Field(ge=0)
    role: Role
    why: str
    source: Source


class Workspace(Record):
    """The files of one task, and the seed they serve (paper section 3.2).

    ``about``: the columns (file, table, number) for which the files were put together; empty where a model chose them.
    """

    id: Identifier
    seed: Seed
    topic: str
    files: tuple[WorkspaceFile, ...] = Field(min_length=4, max_length=12)
    about: tuple[tuple[Sha256, str, int], ...] = ()

    @model_validator(mode="after")
    def _distinct(self) -> "Workspace":
        names = [file.name for file in self.files]
        if len({name.casefold() for name in names}) != len(names):
            raise ValueError("two files of a workspace can't share a name")
        if len({file.sha256 for file in self.files}) != len(names):
            raise ValueError("a workspace can't hold the same file twice")
        if not any(file.role == "core" for file in self.files):
            raise ValueError("a workspace needs at least one core file")
        return self

    def with_role(self, *roles: Role) -> list[WorkspaceFile]:
        """The files with one of the roles, in order."""
        return [file for file in self.files if file.role in roles]

    def by_hash(self, sha256: str) -> WorkspaceFile:
        """The file with a hash; KeyError where the workspace has none."""
        for file in self.files:
            if file.sha256 == sha256:
                return file
        raise KeyError(sha256)
