"""Agents that do the work of a task, and the sandbox they do it in (paper section 3.4). No agent sees a rubric."""

from .bwrap import BwrapRoom, BwrapSandbox
from .native import NativeAgent
from .reference import ReferenceAgent
from .sandbox import CommandResult, ProcessSandbox, Sandbox, SandboxRoom

__all__ = [
    "BwrapRoom",
    "BwrapSandbox",
    "CommandResult",
    "NativeAgent",
    "ProcessSandbox",
    "ReferenceAgent",
    "Sandbox",
    "SandboxRoom",
]
