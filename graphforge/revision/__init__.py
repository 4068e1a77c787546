"""Revision: reads a task, its evidence and its pilot, and proposes a patch. It never reruns anything.

patch = RulesReviser(least_weight=0.6).propose(spec, graph, workspace, pilot, verdict, reread)
"""

from .llm_reviser import LlmReviser, Means
from .rules import RulesReviser

__all__ = ["LlmReviser", "Means", "RulesReviser"]
