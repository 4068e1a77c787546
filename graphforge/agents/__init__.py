"""Agents that do the work of a task, and the sandbox they do it in (paper section 3.4). No agent sees a rubric."""

from .reference import ReferenceAgent
from .sandbox import CommandResult, ProcessSandbox, SandboxRoom

__all__ = ["CommandResult", "ProcessSandbox", "ReferenceAgent", "SandboxRoom"]
