"""Errors of our own: each says what is wrong, where, and what to do about it."""


class GraphForgeError(Exception):
    """A fault that a person can mend. ``str()`` is one line: what and where, then the remedy."""

    def __init__(self, what: str, remedy: str):
        self.what = " ".join(str(what).split())
        self.remedy = " ".join(str(remedy).split())
        super().__init__(f"{self.what}. {self.remedy}")


class ConfigError(GraphForgeError):
    """The composed configuration can't be run."""


class RecordError(GraphForgeError):
    """A record or a line of a JSONL file breaks its own invariants."""


class InputError(GraphForgeError):
    """A file or folder named by the user is missing, empty or not what it says."""


class StorageError(GraphForgeError):
    """The disk refused a write; nothing half-written was left under the final name."""


class SandboxError(GraphForgeError):
    """The sandbox itself failed: an infrastructure failure, never a score."""
