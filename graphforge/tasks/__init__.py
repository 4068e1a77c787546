"""Tasks: evidence graph to specification, its validation, and the merging of revisions.

specs, rejections = compile_tasks(pairs)       # (workspace, graph) pairs, by rules
spec = await write(workspace, graph, speaker)  # one, by a model
specs, rejections = distinct(results)          # twins rejected
faults = validate(spec, workspace, graph)      # leaks and broken references
revised = merge(spec, patch)
"""

from .compile import compile_task, compile_tasks, distinct
from .llm import write
from .merge import merge
from .validate import validate

__all__ = ["compile_task", "compile_tasks", "distinct", "merge", "validate", "write"]
