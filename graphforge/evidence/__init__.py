"""Evidence graphs: facts of real files, related by computation and re-read before they count.

    graph = build(workspace, documents, reread, limits)
    graph = await relate(workspace, documents, reread, limits, speaker)

The ``rules`` engine of this room knows no model. It lists the measures of the typed tables (``measures``), relates
them (``relations``) and to running text (``quotes``), and writes nodes, edges and series (``build``), each node
re-read from the original file and dropped unless recovered (``draft``). The ``llm`` engine lets a model choose among
the same relations and add to them (``llm``); what it adds goes through the same draft.
"""

from .build import build
from .holding import holds
from .limits import EvidenceLimits
from .llm import relate
from .measures import Measure, list_measures

__all__ = ["EvidenceLimits", "Measure", "build", "holds", "list_measures", "relate"]
