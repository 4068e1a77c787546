"""Tasks: evidence graph to specification, its validation, and the merging of revisions.

specs, rejections = compile_tasks(pairs)       # (workspace, graph) pairs, by rules
spec = await write(workspace, graph, speaker)  # one, by a model
specs, rejections = distinct(results)          # twins rejected
faults = validate(spec, workspace, graph)      # leaks and broken references
revised = merge(spec, patch)
print(told(alike(specs)))                      # how alike their statements are
"""

from .compile import compile_task, compile_tasks, distinct
from .llm import write
from .merge import merge
from .similarity import Alike, alike, figures, told
from .validate import validate

__all__ = [
    "Alike",
    "alike",
    "compile_task",
    "compile_tasks",
    "distinct",
    "figures",
    "merge",
    "told",
    "validate",
    "write",
]
