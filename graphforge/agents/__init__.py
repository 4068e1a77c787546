"""Agents that do the work of a task, and the sandbox they do it in (paper section 3.4). No agent sees a rubric."""

from .native import NativeAgent
from .reference import ReferenceAgent
from .sandbox import CommandResult, ProcessSandbox, SandboxRoom

__all__ = ["CommandResult", "NativeAgent", "ProcessSandbox", "ReferenceAgent", "SandboxRoom"]
