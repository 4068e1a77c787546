"""What every record shares: frozen, strict, and the same bytes for the same content."""

import hashlib
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints


def _no_folder(name: str) -> str:
    if name in {".", ".."}:
        raise ValueError("a file can't be named '.' or '..'")
    return name


Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\\x00]{1,255}$"), AfterValidator(_no_folder)]
Value = str | float | int | bool | None


class Record(BaseModel):
    """Base of every record that crosses a stage: immutable, no unknown fields, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants")

    def line(self) -> str:
        """The record as one JSONL line, fields in declaration order."""
        return self.model_dump_json()


def stable_hash(*parts: Any) -> str:
    """A hash (64 hex digits) of the parts' text that is the same on every machine and run."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()
