"""Workspaces: find, read and deduplicate real files, and lay 4 to 12 of them around a seed (paper section 3.2).

The only room that meets a file format.
"""

from .assemble import AssemblySettings, assemble
from .case import PATTERNS, Case, CaseKind
from .cases import Findings
from .embedding_ranking import EmbeddingRanking
from .families import families
from .library import Library, LibraryFile
from .licence import LicenceGate
from .limits import ParseLimits
from .llm_search import search_workspaces
from .parse import parse
from .reread import NotRecovered, Rereader
from .search import LocalSearch
from .store import load_document, store, stored_file
from .unreadable import UnreadableFile
from .web import BraveSearch, DdgsSearch, Fetching, SearxngSearch, SerperSearch, TavilySearch, WebSearch
from .worker import Attempt
from .worker_pool import WorkerFailure, WorkerLimits, WorkerPool, parse_apart, shared_pool

__all__ = [
    "PATTERNS",
    "AssemblySettings",
    "Attempt",
    "BraveSearch",
    "Case",
    "CaseKind",
    "DdgsSearch",
    "EmbeddingRanking",
    "Fetching",
    "Findings",
    "Library",
    "LibraryFile",
    "LicenceGate",
    "LocalSearch",
    "NotRecovered",
    "ParseLimits",
    "Rereader",
    "SearxngSearch",
    "SerperSearch",
    "TavilySearch",
    "UnreadableFile",
    "WebSearch",
    "WorkerFailure",
    "WorkerLimits",
    "WorkerPool",
    "assemble",
    "families",
    "load_document",
    "parse",
    "parse_apart",
    "search_workspaces",
    "shared_pool",
    "store",
    "stored_file",
]
