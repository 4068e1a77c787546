"""Tasks: evidence graph to specification, its validation, and the merging of revisions.

specs, rejections = compile_tasks(pairs)       # (workspace, graph) pairs
faults = validate(spec, workspace, graph)      # leaks and broken references
revised = merge(spec, patch)
"""

from .compile import compile_task, compile_tasks
from .merge import merge
from .validate import validate

__all__ = ["compile_task", "compile_tasks", "merge", "validate"]
