"""Workspaces: find, read and deduplicate real files, and lay 4 to 12 of them around a seed (paper section 3.2).

The only room that meets a file format.
"""

from .assemble import AssemblySettings, assemble
from .cases import PATTERNS, Case, CaseKind, Findings
from .embedding_ranking import EmbeddingRanking
from .families import families
from .library import Library, LibraryFile
from .limits import ParseLimits
from .llm_search import search_workspaces
from .parse import parse
from .reread import NotRecovered, Rereader
from .search import LocalSearch
from .store import load_document, store, stored_file
from .unreadable import UnreadableFile

__all__ = [
    "PATTERNS",
    "AssemblySettings",
    "Case",
    "CaseKind",
    "EmbeddingRanking",
    "Findings",
    "Library",
    "LibraryFile",
    "LocalSearch",
    "NotRecovered",
    "ParseLimits",
    "Rereader",
    "UnreadableFile",
    "assemble",
    "families",
    "load_document",
    "parse",
    "search_workspaces",
    "store",
    "stored_file",
]
